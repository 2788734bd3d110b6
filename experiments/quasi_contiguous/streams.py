"""Jobs of the study of contiguity on trees, and their machines: logs, and generated jobs like theirs.

Logs are those that are given (``--log``), else those of a folder of the user's, `swf` or what the
environment variable ``NETPLACE_SWF`` names;
generated workloads have the machines and loads of three logs of the Parallel Workloads Archive.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from netplace.scheduling.workload import read

__all__ = ["FOLDER", "INSTALLED", "LIKE", "Stream", "logs", "models", "tree_for", "whole_logs"]

FOLDER = "NETPLACE_SWF"
ARITIES = (4, 6, 8)

# Machine and load of the first 20,000 jobs of logs, as the tree sees them.
LIKE = {
    "like LLNL-Thunder": ("tree:4,6", 0.74),
    "like HPC2N": ("tree:4,4", 0.56),
    "like SDSC-BLUE": ("tree:6,4", 0.67),
}

# Machines of logs, and how many of their nodes are there.
INSTALLED = {
    "HPC2N": ("tree:4,4", 240),
    "LLNL-Thunder": ("tree:4,6", 4008),
    "SDSC-BLUE": ("tree:4,6", 1152),
}


@dataclass(frozen=True)
class Stream:
    """Jobs and their machine: a log, or seeded workloads of the model at a load."""

    name: str
    machine: str
    load: float
    jobs: int
    file: str = ""
    seeds: int = 1
    installed: int | None = None


def tree_for(nodes: int) -> str:
    """Return the k-ary tree, k of `ARITIES`, that has the fewest nodes but has room for `nodes`."""
    trees = []
    for arity in ARITIES:
        stages = 1
        while arity**stages < nodes:
            stages += 1
        trees.append((arity**stages, arity, stages))
    _, arity, stages = min(trees)
    return f"tree:{arity},{stages}"


def logs(quick: bool = False, given: Sequence[str] = ()) -> list[Stream]:
    """Return the logs given, else those of the user's folder by name; none if there is no folder."""
    for file in given:
        if not Path(file).is_file():
            raise ValueError(f"--log {file}: there is no such file, expected a log (.swf, .swf.gz)")
    streams = []
    for path in [Path(file) for file in given] or _of_folder():
        workload = read(path)
        machine = tree_for(max(workload.machine_nodes or 0, int(workload.nodes.max())))
        name = path.name.removesuffix(".gz").removesuffix(".swf")
        streams.append(Stream(name, machine, 0.0, 500 if quick else 20_000, str(path)))
    return streams


def _of_folder() -> list[Path]:
    """Return the logs of the user's folder."""
    named = os.environ.get(FOLDER)
    folder = Path(named or "swf")
    if not folder.is_dir():
        if named:
            raise ValueError(f"{FOLDER}={named}: there is no such folder, expected one with .swf files")
        return []
    return sorted([*folder.glob("*.swf"), *folder.glob("*.swf.gz")])


def whole_logs(quick: bool, given: Sequence[str] = ()) -> list[Stream]:
    """Return the logs whose machines are known, whole; the quick version takes their first jobs."""
    streams = []
    for stream in logs(quick, given):
        name = next((known for known in INSTALLED if stream.name.startswith(known)), None)
        if name is not None:
            machine, installed = INSTALLED[name]
            jobs = 500 if quick else 0
            streams.append(Stream(name, machine, 0.0, jobs, stream.file, installed=installed))
    return streams


def models(quick: bool, given: Sequence[str] = ()) -> list[Stream]:
    """Return streams of generated jobs, whatever logs are given."""
    names = ["like HPC2N"] if quick else list(LIKE)
    jobs, seeds = (300, 2) if quick else (5000, 3)
    return [Stream(name, *LIKE[name], jobs, seeds=seeds) for name in names]
