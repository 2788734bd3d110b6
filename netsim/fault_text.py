"""The text form of faults: ``"at=500,links=0.1,seed=2; at=900,link=3-4,slow-link=5-6"``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from netplace.inputs import check_choice, check_float, check_int
from netplace.topologies.limits import MOST_CYCLES

__all__ = ["PACKETS", "Fault", "faults_until", "read_faults"]

PACKETS = {
    "lost": "packets on a failing link are lost",
    "again": "the router before the link sends them again on another route",
}
_FORM = (
    "at=CYCLE,links=SHARE,routers=SHARE,slow=SHARE,seed=N,link=A-B,router=N,slow-link=A-B,cycles=C,"
    "packets=lost|again"
)
_SHARES = ("links", "routers", "slow")
_LISTS = ("link", "router", "slow_link")


@dataclass(frozen=True)
class Fault:
    """Links and routers that fail in a given cycle, and links that become slow in that cycle.

    Attributes
    ----------
    at : int
        First cycle in which they are down or slow.
    links, routers, slow : float
        Shares of the cables between switches and of the switches that fail, and of the remaining cables that
        become slow; `seed` determines which.
    link, slow_link : tuple of (int, int)
        Pairs of routers whose links all fail, or all become slow.
    router : tuple of int
        Routers that fail.
    cycles : int
        Cycles per phit of slow links; 0 means twice as many as before.
    packets : str
        Key of `PACKETS`.
    """

    at: int
    links: float = 0.0
    routers: float = 0.0
    slow: float = 0.0
    seed: int = 0
    link: tuple[tuple[int, int], ...] = ()
    slow_link: tuple[tuple[int, int], ...] = ()
    router: tuple[int, ...] = ()
    cycles: int = 0
    packets: str = "lost"

    @property
    def cuts(self) -> bool:
        """Whether any links or routers fail."""
        return bool(self.links or self.routers or self.link or self.router)

    @property
    def slows(self) -> bool:
        """Whether links become slow."""
        return bool(self.slow or self.slow_link)


def read_faults(text: str) -> tuple[Fault, ...]:
    """Return the faults in a text such as ``"at=500,links=0.1,seed=2; at=900,router=7"``, by cycle."""
    faults = [_read(part.strip()) for part in text.split(";") if part.strip()]
    return tuple(sorted(faults, key=lambda fault: fault.at))


def faults_until(text: str, cycle: int) -> str:
    """Return the part of the text with the faults up to `cycle`."""
    parts = [part.strip() for part in text.split(";") if part.strip()]
    return ";".join(part for part in parts if _read(part).at <= cycle)


def _read(text: str) -> Fault:
    values: dict[str, Any] = {name: [] for name in _LISTS}
    for part in text.split(","):
        written, equals, value = (word.strip() for word in part.partition("="))
        where, name = f"faults {text!r}: {written}", written.replace("-", "_")
        if not equals or name not in Fault.__dataclass_fields__ or "_" in written:
            raise ValueError(f"faults {text!r}: {part!r} does not match {_FORM}")
        if name == "router":
            values[name].append(check_int(value, where, 0))
        elif name in _LISTS:
            values[name].append(_pair(value, where))
        elif name in values:
            raise ValueError(f"{where}: appears twice")
        elif name in _SHARES:
            values[name] = check_float(value, where, 0, 1)
        elif name == "packets":
            values[name] = check_choice(value, PACKETS, where)
        elif name == "cycles":
            values[name] = check_int(value, where, 1, MOST_CYCLES)
        else:
            values[name] = check_int(value, where, 0)
    if "at" not in values:
        raise ValueError(f"faults {text!r}: at= is missing, expected {_FORM}")
    fault = Fault(**values | {name: tuple(values[name]) for name in _LISTS})
    if not (fault.cuts or fault.slows):
        raise ValueError(f"faults {text!r}: nothing fails or becomes slow, expected {_FORM}")
    if fault.cycles and not fault.slows:
        raise ValueError(f"faults {text!r}: cycles given without links, expected slow=SHARE or slow-link=A-B")
    return fault


def _pair(value: str, where: str) -> tuple[int, int]:
    ends = value.split("-")
    if len(ends) != 2:
        raise ValueError(f"{where}: {value!r} is not a pair of routers, expected a form such as 3-4")
    return check_int(ends[0], where, 0), check_int(ends[1], where, 0)
