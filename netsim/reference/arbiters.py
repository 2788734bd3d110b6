"""Arbiters: which of the requesting FIFOs gets a free output."""

from __future__ import annotations

from collections.abc import Callable

from netplace.netsim.chance import ARBITER, pick
from netplace.netsim.reference.router import Fifo, Output

Arbiter = Callable[[Output, list[Fifo], int, int], Fifo]


def turns(output: Output, fifo: Fifo) -> int:
    """Return how many inputs after the round-robin pointer `fifo` comes."""
    return (fifo.number - output.pointer) % len(output.router.fifos)


def _round_robin(output: Output, asking: list[Fifo], now: int, seed: int) -> Fifo:
    """Return the first FIFO after the input that the output granted last."""
    return min(asking, key=lambda fifo: turns(output, fifo))


def _longest(output: Output, asking: list[Fifo], now: int, seed: int) -> Fifo:
    """Return the FIFO with most phits, the first in round-robin order among equals."""
    return min(asking, key=lambda fifo: (-fifo.present, turns(output, fifo)))


def _fifo(output: Output, asking: list[Fifo], now: int, seed: int) -> Fifo:
    """Return the FIFO whose header has stood at its head longest, by number among equals."""

    def since(fifo: Fifo) -> int:
        assert fifo.head is not None
        return fifo.head.since

    return min(asking, key=lambda fifo: (since(fifo), fifo.number))


def _age(output: Output, asking: list[Fifo], now: int, seed: int) -> Fifo:
    """Return the FIFO whose head packet was created first, by number among equals."""
    return min(asking, key=lambda fifo: (fifo.packets[0].created, fifo.number))


def _random(output: Output, asking: list[Fifo], now: int, seed: int) -> Fifo:
    asking = sorted(asking, key=lambda fifo: fifo.number)
    return asking[pick(seed, ARBITER, output.router.number, output.number, now, len(asking))]


ARBITERS: dict[str, Arbiter] = {
    "round-robin": _round_robin,
    "fifo": _fifo,
    "longest": _longest,
    "random": _random,
    "age": _age,
}
