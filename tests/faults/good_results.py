"""Small good files of results, made by netplace itself, and command lines that read them again."""

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
    ("advise", "--machine", "mesh:4x4", "--app", "2d-torus", "--tasks", "8", "--seconds", "0.2",
     "--simulations", "4", "-o", "advice"),
    ("backfill", "--platform", "1-2-4-16", "--workload", "log.swf"),  # compiled before inputs are timed
)  # fmt: skip
_SOON_MADE = tuple(words for words in _MADE_BY if words[0] in ("pss", "map", "app", "backfill"))
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
    "choices.json": ("allocate", "--machine", "mesh:4x4", "--occupied", "held.txt", "--nodes", "3", "--all"),
}


def _shown(outcome: str, *exports: str) -> list[tuple[str, ...]]:
    """Return command lines that show an outcome again, by itself, beside itself, and in other forms."""
    return [
        ("report", outcome, "-o", "page.html"),
        ("compare", outcome, outcome, "--json"),
        ("compare", outcome, outcome, "-o", "page.html"),
        *(("export", outcome, "-o", f"exported.{ending}") for ending in exports),
    ]


def _explained(folder: str) -> list[tuple[str, ...]]:
    """Return command lines that read a co-simulation again."""
    return [
        ("explain", folder, "--job", "2", "--workload", "apps.csv", "--json"),
        ("explain", folder, "--job", "1", "--workload", "apps.csv"),
        ("whatif", folder, "--without", "1", "--workload", "apps.csv", "--json"),
        ("whatif", folder, "--move", "1=random", "--mapping", "3=random", "--workload", "apps.csv"),
        *_shown(folder),
    ]


COMMANDS: dict[str, list[tuple[str, ...]]] = {
    "t.csv": [
        ("plot", "t.csv", "-o", "x.svg", "--bars", "settings"),
        ("plot", "t.csv", "-o", "x.png"),
        ("table", "diff", "t.csv", "runs.csv"),
        *_shown("t.csv"),
        ("schedule", "--machine", "mesh:4x4", "--workload", "apps.csv", "--times", "table:t.csv"),
    ],
    "runs.csv": [
        ("table", "diff", "runs.csv", "t.csv", "--json"),
        ("plot", "runs.csv", "-o", "x.svg"),
        *_shown("runs.csv"),
    ],
    "t.parquet": [
        *_shown("t.parquet"),
        ("plot", "t.parquet", "-o", "x.svg"),
        ("table", "diff", "t.parquet", "t.csv"),
    ],
    "sweep.sqlite": [
        ("table", "sweep.sqlite", "--json"),
        ("table", "sweep.sqlite", "--runs"),
        _STORED,
        (*_STORED, "--retry", "--json"),
        ("table", "--verify", "sweep.sqlite"),
        ("plot", "sweep.sqlite", "-o", "x.svg"),
        *_shown("sweep.sqlite", "parquet", "csv"),
        *_shown("sweep.toml"),
        (*_SCHEDULE, "--times", "simulated:sweep.sqlite"),
    ],
    "curves.sqlite": [
        ("load", "curves.toml", "--json"),
        ("table", "--verify", "curves.sqlite"),
        *_shown("curves.sqlite", "parquet"),
    ],
    "study.sqlite": [
        ("schedule", "study.toml", "--json"),
        ("table", "--verify", "study.sqlite"),
        *_shown("study.sqlite", "parquet"),
    ],
    "costudy.sqlite": [
        ("cosim", "costudy.toml", "--json"),
        ("table", "--verify", "costudy.sqlite"),
        *_shown("costudy.sqlite", "parquet"),
    ],
    "shared/cosim.json": _explained("shared"),
    "shared/jobs.csv": _explained("shared"),
    "run.json": _shown("run.json"),
    "seeds.json": _shown("seeds.json"),
    "load.json": _shown("load.json"),
    "choices.json": _shown("choices.json"),
    "sched/figures.json": _shown("sched", "swf", "csv"),
    "sched/rows.csv": _shown("sched", "swf", "csv"),
    "advice/advice.json": [("report", "advice", "-o", "page.html")],
    "costudy/cosimulations.csv": _shown("costudy"),
    "costudy/report.md": _shown("costudy"),
    "tree.conf": [
        ("pss", "check", "tree.conf", "--machine", "tree:2,3"),
        ("pss", "show", "tree.conf", "--json"),
        ("allocate", "--machine", "tree:2,3", "--nodes", "4", "--partition", "pss:tree.conf", "--json"),
    ],
    "mapping.csv": [
        ("run", "--network", "torus:4x4", "--app", "butterfly", "--mapping", "file:mapping.csv", "--json"),
    ],
}


def make_results(folder: Path, every: bool = True) -> None:
    """Write files of results into a folder where what they are made of stands; some are made at once."""
    from netplace.cli import app

    with contextlib.chdir(folder):
        for words in _MADE_BY if every else _SOON_MADE:
            made = CliRunner().invoke(app, words)
            assert made.exit_code == 0, (words, made.output, made.exception)
        for name, words in _PRINTED.items() if every else ():
            Path(name).write_text(CliRunner().invoke(app, [*words, "--json"]).stdout)
