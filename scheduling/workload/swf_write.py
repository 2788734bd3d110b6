"""Writing workloads in the Standard Workload Format; see `netplace.scheduling.workload.swf`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from netplace.scheduling.workload.files import COMPRESSED, write_text
from netplace.scheduling.workload.swf_header import header_of_size, machine_of
from netplace.scheduling.workload.workload import Workload

__all__ = ["check_swf", "plain", "write_swf"]

_AT_ONCE = 4096


def write_swf(workload: Workload, path: str | Path, compressed: bool | None = None) -> None:
    """Write a workload in SWF; the header is kept, and says the size of the machine.

    Parameters
    ----------
    workload : Workload
        Jobs without applications: the format has no place for those.
    path : path
        The file.
    compressed : bool, optional
        Whether to compress; by default if the name ends in ``.gz``.
    """
    path = Path(path)
    check_swf(workload, path)
    if compressed is None:
        compressed = path.name.lower().endswith(COMPRESSED)
    write_text(path, _text(workload), compressed)


def check_swf(workload: Workload, name: Path) -> None:
    """Check that a workload can be written in SWF under `name`."""
    if any(application for application, _ in workload.kinds):
        raise ValueError(
            f"{name}: SWF has no place for a job's application, expected a name that ends in .csv"
        )


def _text(workload: Workload) -> Iterator[str]:
    header, machine = workload.header, workload.machine_nodes
    if machine is not None and machine_of(header, 1) != machine:
        header = header_of_size(header, machine)
    for line in header:
        yield f";{line}\n"
    for start in range(0, len(workload), _AT_ONCE):
        part = workload[start : start + _AT_ONCE]
        estimates = np.where(np.isnan(part.estimate), -1, part.estimate)
        think_times = np.where(part.after > 0, part.think, -1)
        columns = (
            *(part.number, part.submit, part.run_time, part.nodes, estimates, part.status),
            *(part.user, part.executable, part.queue, part.after, think_times),
        )
        for number, submit, run_time, nodes, estimate, status, user, executable, queue, after, think in zip(
            *(column.tolist() for column in columns), strict=True
        ):
            yield (
                f"{number} {plain(submit)} -1 {plain(run_time)} {nodes} -1 -1 {nodes} {plain(estimate)} -1 "
                f"{status} {user} -1 {executable} {queue} -1 {after} {plain(think)}\n"
            )


def plain(seconds: float) -> str:
    """Return a time as short as it can be read back."""
    return str(int(seconds)) if seconds == int(seconds) else repr(seconds)
