"""How often the intervals of slowdowns and of times alone hold the values of many draws.

    python docs/figures/draws.py [--configurations 40] [--first-seed 1] [--draws 60]

A configuration is a machine, a policy, a partitioner and a workload, drawn from its seed. Its draws are
parted into groups of 3, 5 and 10, and of as many as ``auto`` takes. Each group gives an interval for every
job, which is to hold the slowdown in all other draws; the interval is widened for the chance in that. The
same is done with the times alone, whose number of draws is chosen job by job. The table goes to ``draws.csv``
beside this file.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd

from netplace.cosim import fidelities, make_cosim_plan
from netplace.cosim.alone import several
from netplace.cosim.draws import MOST, PILOT, enough_draws, over_draws
from netplace.cosim.job_row import Measured
from netplace.cosim.runner import outcome_of

_MACHINES = ("torus:4x4", "mesh:4x4", "torus:6x6", "tree:4,2", "dragonfly:a=4,p=2,h=2")
_GROUPS = {"3": 3, "5": 5, "10": 10, "auto": 0}
_ALONE = 12  # draws of a time alone, at most

Held = list[tuple[bool, bool, float]]  # whether a value varies, whether its interval holds, and half of that


def times_of(seed: int, draws: int) -> tuple[Sequence[Measured], np.ndarray, np.ndarray]:
    """Return the jobs of a configuration, with their times beside others and alone over the draws."""
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

    def watched(jobs: Sequence[Measured], live: np.ndarray, alone: np.ndarray) -> list[Measured]:
        found.append((jobs, live, alone))
        return over_draws(jobs, live, alone)

    with patch.object(fidelities, "over_draws", watched):
        outcome_of(make_cosim_plan(given, seed))
    return found[0]


def slowdowns_held(jobs: Sequence[Measured], live: np.ndarray, alone: np.ndarray, size: int) -> Held:
    """Return for each job and group of draws whether its interval holds; `size` is 0 where chosen."""
    made, begin, draws = [], 0, live.shape[1]
    varies = np.ptp(live / alone, axis=1) > 0
    while True:
        few = slice(begin, begin + PILOT)
        count = size or enough_draws(over_draws(jobs, live[:, few], alone[:, few]), PILOT, 0.02, MOST)
        own = np.zeros(draws, bool)
        own[begin : begin + count] = True
        group = over_draws(jobs, live[:, own], alone[:, own])
        for row, one in enumerate(group):
            others = live[row, ~own].mean() / alone[row, ~own].mean()
            share = one.chance or 0.0
            half = share * one.live / one.alone * (1 + count / (draws - count)) ** 0.5
            made.append((bool(varies[row]), abs(one.live / one.alone - others) <= half + 1e-12, share))
        begin += count
        if begin + (size or MOST) > draws:
            return made


def alone_held(alone: np.ndarray) -> Held:
    """Return for each job and group of draws whether the interval of its time alone holds."""
    made = []
    for times in alone:
        for begin in range(0, len(times) - _ALONE + 1, _ALONE):
            one = several(times[begin : begin + _ALONE].tolist().__getitem__)
            others = np.delete(times, slice(begin, begin + one.draws))
            half = one.half_width * one.cycles * (1 + one.draws / len(others)) ** 0.5
            holds = abs(one.cycles - float(others.mean())) <= half + 1e-9
            made.append((bool(np.ptp(times) > 0), holds, one.half_width))
    return made


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--configurations", type=int, default=40)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--draws", type=int, default=60)
    asked = parser.parse_args()
    every: dict[str, list[Held]] = {kind: [] for kind in (*_GROUPS, "alone")}
    for seed in range(asked.first_seed, asked.first_seed + asked.configurations):
        try:
            jobs, live, alone = times_of(seed, asked.draws)
        except ValueError as error:  # nothing on that network is left to chance, or a job has no place
            sys.stderr.write(f"seed {seed}: {error}\n")
            continue
        for name, size in _GROUPS.items():
            every[name].append(slowdowns_held(jobs, live, alone, size))
        every["alone"].append(alone_held(alone))
        rows = []
        for name, configurations in every.items():
            shares = [[one[1] for one in made if one[0]] for made in configurations]
            known = [float(np.mean(share)) for share in shares if share]
            widths = [one[2] for made in configurations for one in made if one[0]]
            rows.append(
                {
                    "draws": name,
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
