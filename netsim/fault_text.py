"""Faults at a cycle as they are written: ``"at=500,links=0.1,seed=2; at=900,link=3-4,router=7"``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from netplace.checks import one_of, real, whole

__all__ = ["PACKETS", "Fault", "read_faults"]

PACKETS = {
    "lost": "packets that are crossing a link that goes down are lost",
    "again": "the router before the link sends them again, another way",
}
_FORM = "at=CYCLE,links=SHARE,routers=SHARE,seed=N,link=A-B,router=N,packets=lost|again"


@dataclass(frozen=True)
class Fault:
    """Links and routers that go down in a cycle.

    Attributes
    ----------
    at : int
        The first cycle in which they are down.
    links, routers : float
        Shares of the cables between switches, and of the switches, drawn by `seed`.
    seed : int
        Seed of the draw.
    link : tuple of (int, int)
        Pairs of routers between which all links go down.
    router : tuple of int
        Routers that go down.
    packets : str
        Key of `PACKETS`.
    """

    at: int
    links: float = 0.0
    routers: float = 0.0
    seed: int = 0
    link: tuple[tuple[int, int], ...] = ()
    router: tuple[int, ...] = ()
    packets: str = "lost"


def read_faults(text: str) -> tuple[Fault, ...]:
    """Return the faults of ``"at=500,links=0.1,seed=2; at=900,link=3-4,router=7"``, by cycle.

    Raises
    ------
    ValueError
        If a part is unknown, given twice, out of range or missing.
    """
    found = [_read(part.strip()) for part in text.split(";") if part.strip()]
    return tuple(sorted(found, key=lambda fault: fault.at))


def _read(text: str) -> Fault:
    values: dict[str, Any] = {"link": [], "router": []}
    for part in text.split(","):
        name, equals, value = (word.strip() for word in part.partition("="))
        where = f"faults {text!r}: {name}"
        if not equals or name not in Fault.__dataclass_fields__:
            raise ValueError(f"faults {text!r}: {part!r} is no part of {_FORM}")
        if name == "link":
            ends = value.split("-")
            if len(ends) != 2:
                raise ValueError(f"{where}: {value!r} is no pair of routers, expected such as 3-4")
            values["link"].append((whole(ends[0], where, 0), whole(ends[1], where, 0)))
        elif name == "router":
            values["router"].append(whole(value, where, 0))
        elif name in values:
            raise ValueError(f"{where}: is given twice")
        elif name in ("links", "routers"):
            values[name] = real(value, where, 0, 1)
        elif name == "packets":
            values[name] = one_of(value, PACKETS, where)
        else:
            values[name] = whole(value, where, 0)
    if "at" not in values:
        raise ValueError(f"faults {text!r}: at= is missing, expected {_FORM}")
    fault = Fault(**values | {"link": tuple(values["link"]), "router": tuple(values["router"])})
    if not (fault.links or fault.routers or fault.link or fault.router):
        raise ValueError(f"faults {text!r}: nothing goes down, expected {_FORM}")
    return fault
