"""Backfilling that reserves named processors of a tree, and the gain of jobs from their places.

F. Mendonca, "Multi-purpose efficient resource allocation for parallel systems", thesis, Université Grenoble
Alpes, 2017, chapters 4 and 5.

Examples
--------
>>> from netplace.scheduling import Job
>>> from netplace.experiments.local_backfilling.simulator import Platform, backfill
>>> jobs = [Job(1, 0, 3, run_time=10, estimate=10), Job(2, 0, 2, 5, 5), Job(3, 0, 4, 5, 5)]
>>> made = backfill(Platform.read("1-2-4-8"), jobs, "plat")
>>> [nodes.tolist() for nodes in made.allocations], made.start.tolist()
([[0, 1, 2], [4, 5], [4, 5, 6, 7]], [0.0, 0.0, 5.0])
"""

from netplace.experiments.local_backfilling.simulator.backfilling import (
    PlaceFigures,
    backfill,
    draw_jobs,
    draw_weeks,
    place_figures,
)
from netplace.experiments.local_backfilling.simulator.platform import (
    RULES,
    Penalty,
    Platform,
    place,
    read_penalty,
)
from netplace.experiments.local_backfilling.simulator.shelves import shelves

__all__ = [
    "RULES",
    "Penalty",
    "PlaceFigures",
    "Platform",
    "backfill",
    "draw_jobs",
    "draw_weeks",
    "place",
    "place_figures",
    "read_penalty",
    "shelves",
]
