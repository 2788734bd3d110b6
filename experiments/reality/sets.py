"""The sets of measured rows, and which of them may be fitted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from netplace.experiments.reality import measurements as files
from netplace.experiments.reality.measurements import Row
from netplace.netsim import Config

_MOST_FITTED = 150_000  # packets of rows that are fitted


@dataclass(frozen=True)
class Rows:
    """A set of measured rows of a machine."""

    fabric: str
    read: Callable[[Path], list[Row]]
    calibrates: Callable[[Row], bool] = lambda row: False  # which rows may be fitted
    near: str = ""  # the set of the same calls on a compact placement
    goal: float | None = None  # largest median error, in percent


_AT = {"daint": ("dragonfly:a=96,p=4,h=1,g=4", 40, 424), "alps": ("dragonfly:a=32,p=16,h=1,g=4", 40, 552)}


def _own(row: Row) -> bool:
    """Return whether a row calibrates MareNostrum: Open MPI's all-to-alls, broadcasts, and two others."""
    others = ("reduce", "binomial"), ("scatter", "basic_linear")
    own = row.operation in ("alltoall", "bcast") or (row.operation, row.algorithm) in others
    return own and not row.algorithm.startswith("bine")


def _every_other(row: Row) -> bool:
    return (row.bytes.bit_length() + (row.operation == "pingpong")) % 2 == 0


SETS = {
    "Fugaku 2x2x2": Rows("fugaku", partial(files.fugaku, shape="2x2x2"), lambda row: True),
    "Fugaku 4x4x4": Rows("fugaku", partial(files.fugaku, shape="4x4x4")),
    "Fugaku 8x8x8": Rows("fugaku", partial(files.fugaku, shape="8x8x8"), goal=15),
    "LUMI one group": Rows(
        "lumi-g",
        partial(files.lumi, name="one group"),
        lambda row: not row.algorithm.startswith("bine"),
    ),
    "LUMI four groups": Rows(
        "lumi-g", partial(files.lumi, name="four groups"), near="LUMI one group", goal=8
    ),
    "LUMI 32 nodes": Rows("lumi-g", partial(files.lumi, name="32 nodes"), goal=8),
    "MareNostrum 5": Rows("marenostrum5", files.marenostrum, _own, goal=20),
    **{
        f"{machine} {placement}": Rows(
            machine,
            partial(files.pingpongs, machine=machine, placement=placement, network=network, far=far),
            _every_other if placement == "same rack" else lambda row: False,
            "" if placement == "same rack" else f"{machine} same rack",
            None if placement == "same rack" else 25,
        )
        for machine, (network, near, other) in _AT.items()
        for placement, far in (("same rack", near), ("different racks", other))
    },
    "Theta first quarters": Rows("theta", partial(files.theta, part="4Half0"), lambda row: True),
    "Theta other quarters": Rows("theta", partial(files.theta, part="4Half", but="4Half0")),
    "Theta halves": Rows("theta", partial(files.theta, part="2Half"), goal=15),
}


def calibrating(fabric: str, rows: dict[str, list[Row]]) -> list[Row]:
    """Return the rows to which a fabric and its baseline are fitted."""
    kinds = {name: SETS[name] for name in rows if SETS[name].fabric == fabric}
    own = [row for name, kind in kinds.items() for row in rows[name] if kind.calibrates(row)]
    return [row for row in own if packets_of(row, Config(fabric=fabric)) <= _MOST_FITTED]


def packets_of(row: Row, config: Config) -> float:
    """Return about how many packets all vectors of a row have."""
    return (row.point.tasks or 1) * row.bytes / config.packet_bytes
