"""How often the interval of a slowdown from several live draws holds the slowdown of many draws.

    python docs/figures/draws.py [--configurations 40] [--first-seed 1] [--draws 60]

A configuration is a machine, a policy, a partitioner and a workload, drawn from its seed. Its draws are
parted into groups of 3, 5 and 10. Each group gives an interval for every job, which is to hold the slowdown
in all other draws; the interval is widened for the chance in that. The table goes to ``draws.csv`` beside
this file.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from netplace.cosim import fidelities, make_cosim_plan
from netplace.cosim.measured import Measured
from netplace.cosim.runner import outcome_of

_MACHINES = ("torus:4x4", "mesh:4x4", "torus:6x6", "tree:4,2", "dragonfly:a=4,p=2,h=2")
_GROUPS = (3, 5, 10)


def times_of(seed: int, draws: int) -> tuple[Sequence[Measured], np.ndarray]:
    """Return the jobs of a configuration, with their times beside others over the draws."""
    rng = np.random.default_rng([17, seed])
    given = {
        "machine": str(rng.choice(_MACHINES)),
        "workload": "applications",
        "jobs": int(rng.integers(5, 11)),
        "sizes": "small",
        "intensity": str(rng.choice(["low", "medium"])),
        "policy": str(rng.choice(["fcfs", "easy"])),
        "partition": str(rng.choice(["random", "non-contiguous"])),
        "draws": draws,
    }
    found = []
    kept = fidelities._over_draws

    def watched(jobs: Sequence[Measured], live: np.ndarray) -> list[Measured]:
        found.append((jobs, live))
        return kept(jobs, live)

    fidelities._over_draws = watched
    try:
        outcome_of(make_cosim_plan(given, seed))
    finally:
        fidelities._over_draws = kept
    return found[0]


def held(jobs: Sequence[Measured], live: np.ndarray, size: int) -> list[tuple[bool, bool, float]]:
    """Return for each job and group whether the slowdown varies, the interval holds, and its half-width."""
    made = []
    alone, draws = np.array([one.draws for one in jobs]), live.shape[1]
    varies = np.ptp(live / alone, axis=1) > 0
    for begin in range(0, draws - size + 1, size):
        own = np.zeros(draws, bool)
        own[begin : begin + size] = True
        group = [replace(one, draws=tuple(alone[row, own].tolist())) for row, one in enumerate(jobs)]
        for row, one in enumerate(fidelities._over_draws(group, live[:, own])):
            others = live[row, ~own].mean() / alone[row, ~own].mean()
            half = one.chance * one.live / one.alone * (1 + size / (draws - size)) ** 0.5
            holds = abs(one.live / one.alone - others) <= half + 1e-12
            made.append((bool(varies[row]), bool(holds), one.chance))
    return made


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--configurations", type=int, default=40)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--draws", type=int, default=60)
    asked = parser.parse_args()
    every: dict[int, list[list[tuple[bool, bool, float]]]] = {size: [] for size in _GROUPS}
    for seed in range(asked.first_seed, asked.first_seed + asked.configurations):
        try:
            jobs, live = times_of(seed, asked.draws)
        except ValueError as error:  # nothing on that network is left to chance, or a job has no place
            sys.stderr.write(f"seed {seed}: {error}\n")
            continue
        for size in _GROUPS:
            every[size].append(held(jobs, live, size))
        rows = []
        for size, configurations in every.items():
            shares = [[one[1] for one in made if one[0]] for made in configurations]
            known = [float(np.mean(share)) for share in shares if share]
            widths = [one[2] for made in configurations for one in made if one[0]]
            rows.append(
                {
                    "draws": size,
                    "configurations": len(known),
                    "intervals": sum(map(len, shares)),
                    "held %": 100 * float(np.mean([one for share in shares for one in share])),
                    "error of held %": 100 * float(np.std(known, ddof=1) / len(known) ** 0.5)
                    if len(known) > 1
                    else float("nan"),
                    "median half-width %": 100 * float(np.median(widths)),
                }
            )
        frame = pd.DataFrame(rows)
        frame.to_csv(Path(__file__).with_name("draws.csv"), index=False)
        sys.stdout.write(f"after seed {seed}\n{frame.to_string(index=False)}\n")
        sys.stdout.flush()
