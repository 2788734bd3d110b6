"""Advice checked by co-simulations of its own: writes the table of ``docs/guides/advice.md``.

``netplace advise`` is asked as a user asks it, in random states of machines. What it names, and the
scheduler's placement, are then co-simulated live, in draws and by code that the advice has no part in: each
neighbor has run for two to four times its time alone when the job starts, and continues for ten times the
time of the job alone: longer than the job, unless neighbors starve it.

Run with ``python docs/figures/advice.py``; takes some two minutes of CPU time.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from click.testing import CliRunner
from marks import fill_in, table

from netplace.cli import app
from netplace.cosim import JobPlacer, application_work, replay
from netplace.cosim.alone import cycles_alone
from netplace.cosim.placed import PlacedJob, Started
from netplace.netsim import Config
from netplace.scheduling import Job
from netplace.scheduling.metrics.interval import pooled
from netplace.topologies import parse

PAGE = Path(__file__).parent.parent / "guides" / "advice.md"
MACHINES = ("torus:8x8", "mesh:8x8", "torus:4x4x4", "tree:4,3", "thintree:4,2,3", "dragonfly:a=4,p=2,h=2")
APPS = (
    "all-to-all", "2d-torus", "2d-mesh", "3d-sweep", "butterfly", "gups", "all-to-one", "one-to-all"
)  # fmt: skip
STATES = range(4000, 4030)
DRAWS = range(1, 61)
Placed = tuple[str, Any]  # an application, and the node of each task


def checks() -> str:
    """Ask in all states, check, and return the table."""
    cells: dict[str, list[tuple[float, ...]]] = {machine: [] for machine in MACHINES}
    for seed in STATES:
        machine = MACHINES[seed % len(MACHINES)]
        cells[machine].append(found := _gains(machine, np.random.default_rng([17, seed]), seed))
        print(seed, machine, *found, flush=True)  # noqa: T201
    rows = []
    for machine, gains in cells.items():
        told, half, true, true_half = np.array(gains).T
        shares = [f"{100 * value:.1f}" for value in (told.mean(), np.median(half), true.mean())]
        within = [int((abs(told - true) <= bound).sum()) for bound in (half, np.hypot(half, true_half))]
        rows.append([f"`{machine}`", len(gains), *shares, *within])
    heads = ["machine", "states", "gain as advised (%)", "half-width (%)", "gain in live runs (%)"]
    heads += ["within the interval", "within both intervals"]
    return table(heads, rows)


def _application(rng: np.random.Generator, sizes: list[int]) -> tuple[str, int]:
    """Return an application with its options, and its tasks."""
    name, tasks = APPS[int(rng.integers(len(APPS)))], sizes[int(rng.integers(len(sizes)))]
    return f"{name},bytes={64 << int(rng.integers(4))},rounds={int(rng.integers(2, 6))}", tasks


def _gains(machine: str, rng: np.random.Generator, seed: int) -> tuple[float, ...]:
    """Return the gain that is advised in a random state and that in live runs, each with its half-width."""
    order = rng.permutation(parse(machine).nodes)
    others, text = list[Placed](), ""
    for _ in range(int(rng.integers(1, 5))):
        program, tasks = _application(rng, [4, 8])
        nodes, order = np.sort(order[:tasks]), order[tasks:]
        others.append((program, nodes))
        text += f'[[job]]\napp = "{program}"\nnodes = "{",".join(map(str, nodes))}"\n'
    program, tasks = _application(rng, [4, 8, 16])
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "running.toml").write_text(text)
        words = ["--machine", machine, "--app", program, "--tasks", str(tasks), "--seed", str(seed)]
        words += ["--running", f"{folder}/running.toml", "--simulations", "60", "--json"]
        advice = json.loads(CliRunner().invoke(app, ["advise", *words]).stdout)
    theirs, ours = (_live(machine, (program, np.array(advice[key])), others) for key in ("default", "best"))
    [ratio] = pooled(np.array([ours], float), np.array([theirs], float))
    return advice["gain"], advice["half_width"], 1 - ratio.mean, ratio.half_width


def _live(machine: str, own: Placed, others: list[Placed]) -> list[int]:
    """Return the cycles of a job that starts while others run, by draw."""
    placing = JobPlacer(parse(machine), Config(), application_work(Config()))

    def placed(number: int, one: Placed, repeats: int = 1) -> PlacedJob:
        job = Job(number, 0.0, len(one[1]), 0, None, one[0], repeats=repeats)
        return PlacedJob(job, placing.program_for(job), one[1])

    periods = [cycles_alone(placing, placed(number, one)) for number, one in enumerate(others)]
    begin, last = 4 * max(periods), len(others)
    after = 10 * cycles_alone(placing, placed(last, own))
    times = []
    for draw in DRAWS:
        rng = np.random.default_rng([18, draw])
        jobs = [
            Started(
                placed(number, one, 4 + after // period), begin - int(rng.integers(2 * period, 4 * period))
            )
            for number, (one, period) in enumerate(zip(others, periods, strict=True))
        ]
        jobs = [*sorted(jobs, key=lambda job: job.start), Started(placed(last, own), begin)]
        times.append(replay(placing.drawn(draw), jobs, until=last).cycles[last])
    return times


if __name__ == "__main__":
    fill_in(PAGE, {"checks": checks})
