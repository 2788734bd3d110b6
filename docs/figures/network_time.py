"""The cost of each fidelity, and of ``auto``: measures ``network_time.csv`` and ``network_time_auto.csv``.

    python docs/figures/network_time.py [costs] [auto]

``costs`` takes four minutes of CPU time: jobs of 8 and 16 nodes run loops on random nodes, by each fidelity.
``auto`` takes five: it draws sixty workloads by a seed. In each, ``auto`` runs first, and then the other
fidelities, which are stopped once they have taken as long. A fidelity counts if the mean half-width of its
times is at most the target; live times always count. The excess of ``auto``, its choice included, is its CPU
time divided by that of the cheapest that counts; less than one second counts as one second.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd

from netplace.cosim import Placing, cosimulate, make_cosim_plan, placing_of, runner
from netplace.runs.schedules import workload_of
from netplace.scheduling import Job

FOLDER = Path(__file__).parent
FIDELITIES = ("live", "sampled", "mixes")
# jobs, iterations about
COSTS = dict.fromkeys(("torus:8x8", "tree:4,3"), ((8, 30), (8, 300), (8, 1150), (8, 3450), (40, 300)))
TWO = (("2d-torus,packets=4", 0.3), ("butterfly,packets=4", 0.3))
SEED, CASES, MOST = 43_062, 60, 60.0  # seconds of a fidelity
MACHINES = ("torus:8x8", "torus:4x4x4", "torus:16x16", "mesh:8x8", "tree:4,2", "tree:4,3",
            "dragonfly:a=4,p=2,h=2", "hypercube:6")  # fmt: skip
APPLICATIONS = (
    "all-to-all,packets=1", "2d-torus,packets=4", "2d-mesh,packets=2", "3d-torus,packets=2",
    "butterfly,packets=4", "2d-shift,packets=4", "all-to-one,packets=1", "one-to-all,packets=2",
    "binary-tree,packets=4", "waterfall,packets=2", "2d-sweep,packets=2", "gups,packets=2",
)  # fmt: skip


def given(folder: Path, machine: str, jobs: list[tuple[float, int, float]], classes: Any) -> dict[str, Any]:
    """Return the settings of a co-simulation of jobs (submission, nodes, seconds) of classes."""
    log, mix = folder / "log.csv", folder / "mix.toml"
    rows = [f"{n},{submit:.9f},{nodes},{run:.9f}" for n, (submit, nodes, run) in enumerate(jobs, 1)]
    log.write_text("\n".join(["number,submit,nodes,run_time", *rows]))
    mix.write_text(
        "".join(
            f'[[class]]\napplication = "{name}"\ncommunication = {share}\nround = "down"\n'
            for name, share in classes
        )
    )
    return {"machine": machine, "workload": str(log), "applications": str(mix), "target_half_width": 0.05}


def in_steps(machine: str, jobs: int, iterations: int, folder: Path) -> dict[str, Any]:
    """Return a co-simulation of so many jobs, of about so many iterations."""
    seconds = iterations * 3e-6
    some = [(0.3 * seconds * n, 8 + 8 * (n % 2), seconds * (0.8 + 0.1 * (n % 5))) for n in range(1, jobs + 1)]
    return given(folder, machine, some, TWO) | {"partition": "random"}


def drawn(number: int, folder: Path) -> dict[str, Any]:
    """Return a co-simulation drawn by its number; the periods of some are unlike."""
    rng = np.random.default_rng([SEED, number])
    machine = str(rng.choice(MACHINES))
    names = rng.choice(APPLICATIONS, 3, replace=False)
    shares = rng.choice((0.01, 0.05, 0.1, 0.3, 0.5, 0.9), 3) if rng.random() < 0.5 else [0.2] * 3
    mean, spread = np.exp(rng.uniform(*np.log((2e-5, 2e-2)))), rng.choice((0.2, 1.0))
    gaps = rng.exponential(mean * rng.choice((0.0, 0.1, 0.3, 1.0)), int(np.exp(rng.uniform(1.4, 4.1))))
    jobs = [
        (at, int(rng.choice((4, 8, 8, 16))), float(mean * np.exp(rng.normal(0, spread))))
        for at in np.cumsum(gaps).tolist()
    ]
    settings = given(folder, machine, jobs, [*zip(names, shares, strict=True)])
    return settings | {
        "partition": str(rng.choice(("random", "random", "non-contiguous"))),
        "target_half_width": float(rng.choice((0.02, 0.05))),
    }


def measured(settings: dict[str, Any], fidelity: str, most: float) -> dict[str, Any]:
    """Return CPU seconds, those of the choice, and the mean half-width; nothing once it takes `most`."""
    end, begin = os.pipe()
    child = os.fork()
    if not child:
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, most)
        os.write(begin, json.dumps(cost(settings, fidelity)).encode())
        os._exit(0)
    os.close(begin)
    with os.fdopen(end) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return dict(json.loads(text)) if text else {}


def cost(settings: dict[str, Any], fidelity: str) -> dict[str, Any]:
    chosen, choosing = [fidelity], [0.0]

    def watched(plan: Any, placing: Placing, rates: Any, jobs: Sequence[Job]) -> tuple[str, float, str]:
        for job in jobs:
            placing.work_of(job)  # which every fidelity needs
        began = time.process_time()
        best, target, why = cheapest(plan, placing, rates, jobs)
        chosen[0], choosing[0] = best, time.process_time() - began
        return best, target, why

    cheapest: Callable[..., tuple[str, float, str]] = runner.cheapest
    began = time.process_time()
    with patch.object(runner, "cheapest", watched):
        outcome = cosimulate(make_cosim_plan(settings | {"fidelity": fidelity})).outcome
    seconds = time.process_time() - began
    half = outcome["figures"].get("half_width") or {"mean": 0.0}
    return {
        "chosen": chosen[0], "seconds": seconds, "choosing": choosing[0], "half_width": half["mean"],
        "cpu_seconds": outcome["cpu_seconds"],
    }  # fmt: skip


def costs() -> pd.DataFrame:
    made = []
    with TemporaryDirectory() as folder:
        for machine, jobs, iterations in ((name, *one) for name, some in COSTS.items() for one in some):
            settings = in_steps(machine, jobs, iterations, Path(folder))
            plan = make_cosim_plan(settings)
            placing, workload = placing_of(plan), workload_of(plan.jobs)
            row = {"machine": machine, "jobs": jobs}
            row["iterations"] = sum(placing.work_of(job).iterations for job in workload) // jobs
            row |= {f"{name}, CPU s": cost(settings, name)["cpu_seconds"] for name in FIDELITIES}
            chosen = cost(settings, "auto")
            row |= {"auto": chosen["chosen"], "auto, CPU s": chosen["cpu_seconds"]}
            made.append(row)
            sys.stderr.write(f"{row}\n")
            pd.DataFrame(made).to_csv(FOLDER / "network_time.csv", index=False, float_format="%.4g")
    return pd.DataFrame(made)


def excess(number: int, folder: Path) -> dict[str, Any]:
    """Return what ``auto`` and each fidelity take in a drawn case."""
    settings = drawn(number, folder)
    auto = measured(settings, "auto", MOST)
    target, taken = settings["target_half_width"], auto["seconds"]
    row = {"case": number, "machine": settings["machine"], "target": target, "chosen": auto["chosen"]}
    row |= {"auto, CPU s": taken, "choosing, CPU s": auto["choosing"], "half_width": auto["half_width"]}
    best = taken - auto["choosing"]
    for name in FIDELITIES:
        made = measured(settings, name, max(1.0, taken)) if name != auto["chosen"] and taken > 1 else {}
        row |= {f"{name}, CPU s": made.get("seconds"), f"{name}, half_width": made.get("half_width")}
        if made and (name == "live" or made["half_width"] <= target):
            best = min(best, made["seconds"])
    return row | {"excess": max(1.0, taken) / max(1.0, best)}


def auto() -> pd.DataFrame:
    made = []
    with TemporaryDirectory() as folder:
        for number in range(CASES):
            made.append(excess(number, Path(folder)))
            sys.stderr.write(f"{made[-1]}\n")
            pd.DataFrame(made).to_csv(FOLDER / "network_time_auto.csv", index=False, float_format="%.4g")
    table = pd.DataFrame(made)
    within = (table["excess"] <= 1.2).sum()
    sys.stdout.write(f"auto within 1.2: {within} of {len(table)}, worst {table['excess'].max():.2f}\n")
    return table


if __name__ == "__main__":
    for wanted in sys.argv[1:] or ("costs", "auto"):
        sys.stdout.write({"costs": costs, "auto": auto}[wanted]().to_string(float_format="%.3g") + "\n")
