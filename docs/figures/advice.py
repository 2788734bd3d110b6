"""Advice checked by simulations of its own: writes the table of ``docs/guides/advice.md``.

``netplace advise`` is asked as a user asks it. What it names, and the scheduler's placement, are then
simulated by `netplace.simulate` alone, on draws and by code that the advice has no part in: neighbors are
programs repeated often enough, that start so long before the job that each is somewhere in its run.

Run with ``python docs/figures/advice.py``; takes some two minutes.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from marks import fill_in, table
from scipy import stats

from netplace import parse, simulate
from netplace.apps import Program, application
from netplace.runs import resolve
from netplace.runs.job_programs import programs_of

PAGE = Path(__file__).parent.parent / "guides" / "advice.md"
DRAWS = range(12)
SWITCHES = "".join(f"SwitchName=leaf{i} Nodes=n[{16 * i:02d}-{16 * i + 15}]\n" for i in range(4))
LU = {"trace": "lu.W.16", "iterations": "1:5"}
# Name, machine, job, and seed of who holds which nodes; `{folder}` is where the machine's file is.
CASES = (
    ("torus with holes", "torus:8x8", {"trace": "is.W.16", "iterations": "1:2"}, 101),
    ("2:1 tree of a `topology.conf`", "slurm:{folder}/topology.conf,taper=2", LU, 102),
    ("dragonfly", "dragonfly:a=4,p=2,h=2", LU, 103),
)
NEIGHBOURS = (("all-to-all", 10, {"packets": 32}), ("2d-torus", 12, {"packets": 64, "rounds": 5}))
UNKNOWN = 6  # nodes that nobody tells of


def checks() -> str:
    """Ask, check, and return the table."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "topology.conf").write_text(SWITCHES + "SwitchName=top Switches=leaf[0-3]\n")
        for title, machine, job, seed in CASES:
            rows.append([title, *_row(machine.format(folder=folder), job, seed, folder)])
            print(*rows[-1], flush=True)  # noqa: T201
    heads = ["machine", "job", "gain as advised (%)", "gain simulated again (%)", "faster in draws of 12"]
    return table(heads, rows)


def _row(machine: str, job: dict[str, str], seed: int, folder: Path) -> list[str]:
    topology = parse(machine)
    order = np.random.default_rng(seed).permutation(topology.nodes)
    held, text = [], ""
    for app, tasks, options in NEIGHBOURS:
        nodes, order = np.sort(order[:tasks]), order[tasks:]
        held.append((application(app, tasks, **options), nodes))
        words = ",".join([app, *(f"{key}={value}" for key, value in options.items())])
        text += f'[[job]]\napp = "{words}"\nnodes = "{",".join(map(str, nodes))}"\n'
    nodes = ",".join(map(str, np.sort(order[:UNKNOWN])))
    (folder / "running.toml").write_text(f'{text}[[job]]\nnodes = "{nodes}"\n')
    advice = _advice(machine, job, folder / "running.toml")
    [program] = programs_of(resolve(machine, job))
    ours, theirs = (_times(topology, program, advice[key], held) for key in ("best", "default"))
    saved = 1 - np.array(ours) / np.array(theirs)
    half = stats.t.ppf(0.975, len(saved) - 1) * saved.std(ddof=1) / math.sqrt(len(saved))
    verdict = "" if advice["verdict"] == "faster" else " (no clear difference)"
    told = f"{100 * advice['gain']:.1f} ± {100 * advice['half_width']:.1f}{verdict}"
    return [advice["job"], told, f"{100 * saved.mean():.1f} ± {100 * half:.1f}", f"{(saved > 0).sum()}"]


def _advice(machine: str, job: dict[str, str], beside: Path) -> dict[str, Any]:
    """Return what the command prints."""
    flags = [word for key, value in job.items() for word in (f"--{key}", value)]
    flags += ["--machine", machine, "--running", str(beside), "--simulations", "60", "--json"]
    command = [sys.executable, "-m", "netplace", "advise", *flags]
    made = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(json.loads(made.stdout))


def _times(topology: Any, program: Program, nodes: list[int], held: list[tuple[Program, Any]]) -> list[int]:
    """Return the cycles of a job on its nodes, beside those that hold the others, for each draw."""
    periods = [simulate(topology, program, where).cycles for program, where in held]
    alone = simulate(topology, program, nodes).cycles
    begin, own_cycles = max(periods), []
    for draw in DRAWS:
        rng = np.random.default_rng([7, draw])
        starts = [begin - int(rng.integers(period)) for period in periods]
        rounds = [(begin + 4 * alone) // period + 2 for period in periods]
        others = [program.repeat(times) for (program, _), times in zip(held, rounds, strict=True)]
        result = simulate(
            topology,
            [program, *others],
            [np.array(nodes), *(where for _, where in held)],
            starts=[begin, *starts],
            seed=draw,
        )
        assert all(job.end > result.jobs[0].end for job in result.jobs[1:]), "neighbours end before the job"
        own_cycles.append(result.jobs[0].cycles)
    return own_cycles


if __name__ == "__main__":
    fill_in(PAGE, {"checks": checks})
