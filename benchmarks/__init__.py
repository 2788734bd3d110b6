"""How fast and how large: the figures that ``netplace bench`` prints. CPU time, medians of several repeats.

Each benchmark is a function of ``quick`` that yields `Figure` objects as it measures them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from benchmarks.applications import application, halo
from benchmarks.figure import Figure
from benchmarks.first_fit import find_and_update
from benchmarks.memory import memory
from benchmarks.reference import reference
from benchmarks.start import start
from benchmarks.traffic import idle, saturated

__all__ = ["BENCHMARKS", "Figure"]

BENCHMARKS: dict[str, Callable[[bool], Iterator[Figure]]] = {
    "saturated": saturated,
    "halo": halo,
    "idle": idle,
    "application": application,
    "memory": memory,
    "reference": reference,
    "start": start,
    "first-fit": find_and_update,
}
