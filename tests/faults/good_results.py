"""Small good files of results, made by netplace itself, and command lines that read them again."""

from __future__ import annotations

import contextlib
from pathlib import Path

from click.testing import CliRunner

__all__ = ["COMMANDS", "make_results"]

_SCHEDULE = ("schedule", "--machine", "torus:4x4x4", "--json", "--workload", "jobs.csv")
_COSIM = ("cosim", "--machine", "torus:4x4", "--workload", "apps.csv", "--partition", "random", "--explain")
_STORED = ("table", "sweep.toml", "--workers", "1")

# In order: what each makes is read by those after it.
_MADE_BY = (
    (*_STORED, "--csv", "t.csv", "--parquet", "t.parquet"),
    (*_STORED, "--csv", "runs.csv", "--runs"),
    ("load", "curves.toml", "--workers", "1"),
    ("schedule", "study.toml", "--workers", "1"),
    ("schedule", "--machine", "mesh:4x4", "--workload", "small.swf", "--power", "power.toml", "-o", "sched"),
    (*_COSIM, "-o", "shared"),
    ("cosim", "costudy.toml", "--workers", "1", "-o", "costudy"),
    ("pss", "derive", "--machine", "tree:2,3", "-o", "tree.conf"),
    ("map", "--network", "torus:4x4", "--app", "butterfly", "--mapping", "random", "-o", "mapping.csv"),
    ("app", "waterfall", "--tasks", "16", "--matrix", "wf.npz"),
    ("backfill", "--platform", "1-2-4-16", "--workload", "log.swf"),  # compiled before inputs are timed
)
# The files in which what commands print as JSON is kept.
_PRINTED = {
    "run.json": ("run", "--network", "torus:4x4", "--jobs", "2x:butterfly,tasks=8", "--window", "100"),
    "seeds.json": ("run", "--network", "torus:4x4", "--app", "butterfly", "--seeds", "2"),
    "load.json": (
        "load",
        "--network",
        "torus:4x4",
        "--offered",
        "0.1,0.2",
        "--warmup",
        "50",
        "--measure",
        "100",
    ),
    "choices.json": ("allocate", "--machine", "mesh:4x4", "--held", "held.txt", "--nodes", "3", "--all"),
}


def _explained(folder: str) -> list[tuple[str, ...]]:
    """Return command lines that read a co-simulation again."""
    return [
        ("explain", folder, "--job", "2", "--workload", "apps.csv", "--json"),
        ("explain", folder, "--job", "1", "--workload", "apps.csv"),
        ("whatif", folder, "--without", "1", "--workload", "apps.csv", "--json"),
        ("whatif", folder, "--move", "2=nodes:0-15", "--mapping", "3=random", "--workload", "apps.csv"),
        ("report", folder, "-o", "page.html"),
    ]


COMMANDS: dict[str, list[tuple[str, ...]]] = {
    "t.csv": [
        ("plot", "t.csv", "-o", "x.svg", "--bars", "settings"),
        ("plot", "t.csv", "-o", "x.png"),
        ("table", "diff", "t.csv", "runs.csv"),
        ("report", "t.csv", "-o", "page.html"),
        ("schedule", "--machine", "mesh:4x4", "--workload", "apps.csv", "--times", "table:t.csv"),
    ],
    "runs.csv": [
        ("table", "diff", "runs.csv", "t.csv", "--json"),
        ("plot", "runs.csv", "-o", "x.svg"),
        ("report", "runs.csv", "-o", "page.html"),
    ],
    "t.parquet": [("plot", "t.parquet", "-o", "x.svg"), ("table", "diff", "t.parquet", "t.csv")],
    "sweep.sqlite": [
        ("table", "sweep.sqlite", "--json"),
        ("table", "sweep.sqlite", "--runs"),
        _STORED,
        (*_STORED, "--retry", "--json"),
        ("table", "--verify", "sweep.sqlite"),
        ("plot", "sweep.sqlite", "-o", "x.svg"),
        (*_SCHEDULE, "--times", "simulated:sweep.sqlite"),
    ],
    "curves.sqlite": [("load", "curves.toml", "--json"), ("table", "--verify", "curves.sqlite")],
    "study.sqlite": [("schedule", "study.toml", "--json"), ("table", "--verify", "study.sqlite")],
    "costudy.sqlite": [("cosim", "costudy.toml", "--json"), ("table", "--verify", "costudy.sqlite")],
    "shared/cosim.json": _explained("shared"),
    "shared/jobs.csv": _explained("shared"),
    "run.json": [("report", "run.json", "-o", "page.html")],
    "seeds.json": [("report", "seeds.json", "-o", "page.html")],
    "load.json": [("report", "load.json", "-o", "page.html")],
    "choices.json": [("report", "choices.json", "-o", "page.html")],
    "sched/figures.json": [("report", "sched", "-o", "page.html")],
    "sched/rows.csv": [("report", "sched", "-o", "page.html")],
    "tree.conf": [
        ("pss", "check", "tree.conf", "--machine", "tree:2,3"),
        ("pss", "show", "tree.conf", "--json"),
        ("allocate", "--machine", "tree:2,3", "--nodes", "4", "--partition", "pss:tree.conf", "--json"),
    ],
    "mapping.csv": [
        ("run", "--network", "torus:4x4", "--app", "butterfly", "--mapping", "file:mapping.csv", "--json"),
    ],
}


def make_results(folder: Path) -> None:
    """Write the files of results into a folder where what they are made of stands."""
    from netplace.cli import app

    with contextlib.chdir(folder):
        for words in _MADE_BY:
            made = CliRunner().invoke(app, words)
            assert made.exit_code == 0, (words, made.output, made.exception)
        for name, words in _PRINTED.items():
            Path(name).write_text(CliRunner().invoke(app, [*words, "--json"]).stdout)
