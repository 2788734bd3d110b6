"""Backfilling that reserves named processors of a tree, and what jobs gain from their places.

F. Mendonca, "Multi-purpose efficient resource allocation for parallel systems", thesis, Université Grenoble
Alpes, 2017, chapters 4 and 5.

Examples
--------
>>> from netplace.scheduling import Job
>>> from netplace.scheduling.places import Platform, backfill
>>> jobs = [Job(1, 0, 3, run_time=10, estimate=10), Job(2, 0, 2, 5, 5), Job(3, 0, 4, 5, 5)]
>>> made = backfill(Platform.read("1-2-4-8"), jobs, "plat")
>>> [nodes.tolist() for nodes in made.allocations], made.start.tolist()
([[0, 1, 2], [4, 5], [4, 5, 6, 7]], [0.0, 0.0, 5.0])
"""

from __future__ import annotations

from netplace.scheduling.places.backfilling import backfill
from netplace.scheduling.places.figures import FIGURES, PlaceFigures, place_figures
from netplace.scheduling.places.instances import draw_jobs, draw_weeks
from netplace.scheduling.places.penalty import PENALTIES, Penalty, read_penalty
from netplace.scheduling.places.platform import Platform
from netplace.scheduling.places.rules import RULES, PlaceRule, place
from netplace.scheduling.places.shelves import Shelf, shelves

__all__ = [
    "FIGURES",
    "PENALTIES",
    "RULES",
    "Penalty",
    "PlaceFigures",
    "PlaceRule",
    "Platform",
    "Shelf",
    "backfill",
    "draw_jobs",
    "draw_weeks",
    "place",
    "place_figures",
    "read_penalty",
    "shelves",
]
