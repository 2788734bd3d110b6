"""Congestion control as it is written: ``"window=16,ack=200"``.

See "Fabrics" in docs/background/model.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from netplace.checks import whole

__all__ = ["Window", "read_congestion"]

_FORM = "window=PACKETS or window=PACKETS,ack=CYCLES"
_MOST = (1 << 15) - 1  # packets of a pair; the kernel counts them in 16 bits
_MOST_ACK = 1 << 20


@dataclass(frozen=True)
class Window:
    """How many packets a node may have under way to one other node.

    Attributes
    ----------
    packets : int
        At most so many; 0: any number.
    ack : int
        Cycles from the consumption of a packet's tail until its node knows of it.
    """

    packets: int = 0
    ack: int = 0


def read_congestion(text: str) -> Window:
    """Return the congestion control of ``"window=16,ack=200"``; of an empty text none.

    Raises
    ------
    ValueError
        If a part is unknown, given twice, missing or out of range.
    """
    found: dict[str, int] = {}
    bounds = {"window": (1, _MOST), "ack": (0, _MOST_ACK)}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = (word.strip() for word in part.partition("="))
        if not equals or name not in bounds:
            raise ValueError(f"congestion_control {text!r}: {part!r} is no part of {_FORM}")
        where = f"congestion_control {text!r}: {name}"
        if name in found:
            raise ValueError(f"{where}: is given twice")
        found[name] = whole(value, where, *bounds[name])
    if found and "window" not in found:
        raise ValueError(f"congestion_control {text!r}: window= is missing, expected {_FORM}")
    return Window(found.get("window", 0), found.get("ack", 0))
