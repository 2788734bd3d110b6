"""Limits on the size of a network, checked before it is built."""

from __future__ import annotations

from netplace import inputs

MOST_CYCLES = 1 << 10  # a phit: engines keep a place for every cycle that a packet takes for a link
MOST_DELAY = 1 << 20  # cycles of a header on a link, for the same reason
MOST_WIDTH = 1 << 12  # parallel cables between two switches: engines have at most 1023 inputs a switch

_MOST_PORTS = 2**31 - 1  # ports, links and FIFOs are numbered in int32
_BYTES_PER_PORT = 32  # 8 to keep `neighbor` and `entry`; up to 29 were measured while building a ring
_BYTES_PER_CABLE = 300  # in lists of Python, with cycles and delay, and in the arrays made of them


def check_size(text: str, routers: int, ports: int) -> None:
    """Refuse a network whose wiring does not fit into 31-bit numbers or into memory."""
    in_all = routers * ports
    need = in_all * _BYTES_PER_PORT
    if in_all > _MOST_PORTS:
        raise ValueError(
            f"{text}: network too large, its wiring would need {inputs.gigabytes(need)} "
            f"and more ports than the {_MOST_PORTS} that can be numbered"
        )
    inputs.check_size(in_all, _BYTES_PER_PORT, "ports", text)


def check_cables(text: str, cables: int) -> None:
    inputs.check_size(cables, _BYTES_PER_CABLE, "cables", text)


def check_memory(text: str, need: int, label: str) -> None:
    """Refuse a network if `label` needs more memory than is available."""
    inputs.check_size(need, 1, f"bytes for {label}", text)
