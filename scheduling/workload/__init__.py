"""Streams of jobs: logs and models."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import Any

from netplace.inputs import check_choice
from netplace.scheduling.workload.applications import (
    CLASSES,
    INTENSITIES,
    PUBLISHED_CLASSES,
    SIZES,
    applications,
)
from netplace.scheduling.workload.batsim import is_batsim, read_batsim
from netplace.scheduling.workload.files import COMPRESSED, head_of, read_text
from netplace.scheduling.workload.job_table import read_csv, write_csv
from netplace.scheduling.workload.lublin import lublin
from netplace.scheduling.workload.sacct import is_sacct, read_sacct
from netplace.scheduling.workload.summary import Middle, WorkloadFigures, describe, load, scale_to_load
from netplace.scheduling.workload.swf import DEFAULT_DROPS, DROPS, LOGS, read_swf, write_swf
from netplace.scheduling.workload.workload import Workload

__all__ = [
    "CLASSES", "DEFAULT_DROPS", "DROPS", "ENDINGS", "INTENSITIES", "PUBLISHED_CLASSES", "SIZES",
    "WORKLOADS", "Middle", "Workload", "WorkloadFigures", "WorkloadKind", "applications", "describe",
    "load", "lublin", "make_workload", "read", "read_csv", "read_sacct", "read_swf", "scale_to_load",
    "write", "write_csv", "write_swf",
]  # fmt: skip


@dataclass(frozen=True)
class WorkloadKind:
    """One workload model under a name."""

    make: Callable[..., Workload]
    example: str
    description: str

    @property
    def options(self) -> Mapping[str, Any]:
        """What `make` accepts besides nodes, jobs and seed, with the defaults."""
        return {p.name: p.default for p in list(signature(self.make).parameters.values())[3:]}


WORKLOADS: dict[str, WorkloadKind] = {
    "applications": WorkloadKind(
        applications,
        "netplace workload make applications --nodes 4096 --classes 2d --sizes large -o w.csv",
        "jobs that run applications, with run times from a table",
    ),
    "lublin": WorkloadKind(
        lublin,
        "netplace workload make lublin --nodes 4096 --load 0.7 -o w.swf.gz",
        "model of Lublin and Feitelson: sizes, run times and a daily cycle fitted to logs",
    ),
}
# Logs of others by how they begin, which would be taken for tables of one of the formats that are read.
_OTHERS = {
    "an accounting log of PBS": r"\d\d/\d\d/\d{4} \d\d:\d\d:\d\d;[A-Z];",
    "an accounting log of LSF": r'"JOB_FINISH" ',
    "an accounting file of Grid Engine": r'(?:#[^\n]*\n)*(?:[^:\n"{]*:){40}',
    "a list of jobs of Flux": r'\{(?:\s*"jobs":\s*\[\s*\{)?[^{}]*("t_submit"|"name":\s*"submit")',
    "Microsoft's trace of Philly": r"\[\s*\{[^{}\[\]]*\"(?:vc|attempts)\"",
    "SenseTime's trace of Helios": r"job_id,(?=[^\n]*\bgpu_num\b)",
    "a trace of Alibaba's clusters": r"[^\n]*\b(?:cpu_milli|plan_gpu|inst_num|instance_num|instance_sn)\b",
}
_FORMATS = {".csv": (read_csv, write_csv), ".swf": (read_swf, write_swf)}
ENDINGS = tuple(ending + packed for ending in _FORMATS for packed in ("", COMPRESSED))


def make_workload(name: str, nodes: int, jobs: int, seed: int = 0, **options: Any) -> Workload:
    """Make a workload of a model, a key of `WORKLOADS`, for a machine of `nodes` nodes.

    Options are those of the model, see `lublin` and `applications`.
    """
    kind = WORKLOADS[check_choice(name, WORKLOADS, "workload")]
    for option in options:
        check_choice(option, kind.options, f"option of workload {name}")
    return kind.make(nodes, jobs, seed, **options)


def read(path: str | Path, **options: Any) -> Workload:
    """Read a workload: Slurm's account or Batsim's JSON by content, CSV by ``.csv`` or ``.csv.gz``, else SWF.

    Options: ``cores_per_node`` and ``drop``, see `read_swf` and `read_sacct`.
    """
    head = head_of(Path(path))
    if other := next((name for name, begins in _OTHERS.items() if re.match(begins, head)), ""):
        raise ValueError(f"{path}: is {other}, which netplace does not read, expected {LOGS}")
    if is_sacct(head):
        text = read_text(Path(path))
        if is_batsim(text):
            for option in options:
                raise ValueError(f"{path}: {option} applies to logs, not to workloads of Batsim")
            return read_batsim(Path(path), text)
        for option in options:
            check_choice(option, ("drop", "cores_per_node"), f"{path}: option of sacct's jobs")
        return read_sacct(path, **options, text=text)
    if _ending(Path(path)) not in (".csv", ".tsv"):
        return read_swf(path, **options)
    if options:
        raise ValueError(f"{path}: {next(iter(options))} applies to SWF files, not to CSV files")
    return read_csv(path)


def write(workload: Workload, path: str | Path) -> None:
    """Write a workload in the format that the end of the name says, see `ENDINGS`.

    Jobs with applications need CSV.
    """
    name = Path(path)
    if not name.name.lower().endswith(ENDINGS):
        raise ValueError(
            f"{name}: unknown kind of workload, expected a name that ends in {' or '.join(ENDINGS)}"
        )
    _FORMATS[_ending(name)][1](workload, name)


def _ending(path: Path) -> str:
    return Path(path.name.lower().removesuffix(COMPRESSED)).suffix
