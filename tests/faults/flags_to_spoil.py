"""Command lines of flags that are there, with values that are strange."""

from __future__ import annotations

import numpy as np
import rich_click as click
from spoiling import TOKENS

__all__ = ["command_line"]

Rng = np.random.Generator

# Command lines that end well and soon, to which strange flags are added.
GOOD = (
    ("run", "--network", "torus:4x4", "--app", "2d-torus,rounds=2", "--max-cycles", "100000"),
    ("run", "--network", "tree:4,2", "--app", "butterfly", "--tasks", "16", "--max-cycles", "100000"),
    ("run", "--network", "mesh:4x4", "--trace", "m.trc", "--max-cycles", "100000"),
    ("load", "--network", "torus:4x4", "--offered", "0.1,0.2", "--warmup", "100", "--measure", "200"),
    ("map", "--network", "torus:4x4", "--app", "butterfly", "--mapping", "classic:iterations=2"),
    ("metrics", "--network", "torus:4x4", "--app", "butterfly", "--tasks", "8", "--configurations", "2"),
    ("app", "waterfall", "--tasks", "16"),
    ("schedule", "--machine", "torus:4x4x4", "--workload", "lublin", "--jobs", "20"),
    ("schedule", "--machine", "torus:4x4x4", "--workload", "log.swf"),
    ("workload", "make", "lublin", "--nodes", "64", "--jobs", "20"),
    ("workload", "make", "applications", "--nodes", "64", "--jobs", "20"),
    ("workload", "info", "log.swf"),
    ("list", "networks"),
    ("table", "sweep.sqlite"),
    ("plot", "t.csv", "-o", "x.svg"),
)  # fmt: skip
VALUES = (
    "torus:1x1", "torus:2x2x2x2x2x2x2x2", "torus:99999999999x2", "torus:0", "mesh:4x4x4", "tree:4,2",
    "thin:4,2,2", "tree:99,99", "twisted:8x4+3", "torus:4x", "torus", "lublin", "log.swf", "jobs.csv",
    "m.trc", "m.trace", "w.csv", "nodes.csv", "nope.trc", "butterfly", "lu,class=S", "gups,rounds=0",
    "file:nodes.csv", "nodes:0-3", "boxes:2x2", "quadrants", "td:seconds=0", "classic:faq,iterations=1",
    "shuffle", "column", "easy", "conservative", "sjf", "contiguous", "quasi-contiguous:20",
    "curve:hilbert", "penalty:linear,0.1", "slowed:1.3", "scaled:1e308", "table:t.csv",
    "simulated:s.sqlite", "table:nope", "fixed:10", "factor:inf", "infinite", "kill", "requeue", "0:1",
    "1:0", "0.1:1:0.1", "0.1:1:1e-9", "1,2", "x.png", "x.txt", "nowhere/x.png", ".", "smart", "oblivious",
    "fifo", "age", "single", "static", "reference", "batch", "any", "mixed", "hot-spot", "transpose",
    "never-ran", "1", "2", "3", "7", "16", "100", "1000000", "1000000000", "10000000000000", "0.5", "1e9",
)  # fmt: skip
SLOW = ("--processes", "--workers", "--dask", "--help", "-h")  # processes are for other tests


def command_line(rng: Rng) -> list[str]:
    """Return a good command line with one to three strange flags behind it."""
    from netplace.cli import app

    words = list(GOOD[int(rng.integers(len(GOOD)))])
    command: click.Command = app
    for word in words[:2]:
        if isinstance(command, click.Group) and word in command.commands:
            command = command.commands[word]
    options = [one for one in command.params if isinstance(one, click.Option) and one.opts[0] not in SLOW]
    for _ in range(int(rng.integers(1, 4)) if options else 0):
        chosen = options[int(rng.integers(len(options)))]
        words.append(chosen.opts[0])
        if not chosen.is_flag:
            words += [_value(rng) for _ in range(chosen.nargs)]
    if not options or rng.random() < 0.15:
        words[int(rng.integers(1, len(words)))] = _value(rng)
    return words


def _value(rng: Rng) -> str:
    if rng.random() < 0.45:
        return TOKENS[int(rng.integers(len(TOKENS)))]
    return VALUES[int(rng.integers(len(VALUES)))]
