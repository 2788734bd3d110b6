"""Draws of the model as plain integers."""

from __future__ import annotations

from netplace.netsim.chance import below, draw


def pick(seed: int, purpose: int, place: int, index: int, now: int, count: int) -> int:
    """Return a number in 0..count-1, drawn for a purpose of `netplace.netsim.chance` in cycle `now`."""
    return int(below(draw(seed, purpose, place, index, now), count))
