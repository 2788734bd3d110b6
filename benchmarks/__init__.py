"""How fast and how large: the figures that ``netplace bench`` prints. CPU time, medians of several repeats.

Each benchmark is a function of ``quick`` that yields `Figure` objects as it measures them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from netplace.benchmarks.allocators import choose_nodes, serve_jobs
from netplace.benchmarks.applications import application, halo
from netplace.benchmarks.coming import come_and_go
from netplace.benchmarks.figure import Figure
from netplace.benchmarks.first_fit import find_and_update
from netplace.benchmarks.memory import memory
from netplace.benchmarks.reference import reference
from netplace.benchmarks.schedules import schedule_jobs
from netplace.benchmarks.service import serve_requests
from netplace.benchmarks.start import start
from netplace.benchmarks.threads import threads
from netplace.benchmarks.traffic import general, idle, saturated

__all__ = ["BENCHMARKS", "Figure"]

BENCHMARKS: dict[str, Callable[[bool], Iterator[Figure]]] = {
    "saturated": saturated,
    "halo": halo,
    "idle": idle,
    "general": general,
    "application": application,
    "come-and-go": come_and_go,
    "threads": threads,
    "memory": memory,
    "reference": reference,
    "start": start,
    "first-fit": find_and_update,
    "allocators": choose_nodes,
    "jobs": serve_jobs,
    "schedules": schedule_jobs,
    "service": serve_requests,
}
