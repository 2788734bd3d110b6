"""Run times of jobs in boxes, in cycles, from the runs of the study."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from netplace.report.studies import Row
from netplace.runs import resolve
from netplace.scheduling import Allocation, Job
from netplace.scheduling.partitioner.contiguous import Choices, Shape, factorisations
from netplace.scheduling.workload import INTENSITIES

LONGEST = (32, 32, 32)
BEST = "best"  # the fastest mapping in the box
_COLUMNS = ["application", "intensity", "nodes", "shape", "cycles"]


def shapes(nodes: int) -> list[Shape]:
    """Return the boxes of so many nodes but lines, the longest side first; rotations take the same time."""
    return [
        shape
        for shape in factorisations(nodes, LONGEST)
        if list(shape) == sorted(shape, reverse=True) and shape[1] > 1
    ]


def most_cubic(nodes: int) -> Shape:
    return min(shapes(nodes), key=lambda shape: (sum(shape), shape))


def named(shape: Shape) -> str:
    return "x".join(map(str, shape))


def run_in_box(
    name: str,
    intensity: str,
    nodes: int,
    shape: Shape,
    mapping: str,
    program: Mapping[str, Any] | None = None,
) -> Row:
    """Return the labeled run of an application alone in a box; `program` may replace its app or options."""
    sent = {"app": name, "bytes": INTENSITIES[intensity], "tasks": nodes, "mapping": mapping}
    return Row(
        {
            "application": name,
            "intensity": intensity,
            "nodes": nodes,
            "shape": named(shape),
            "mapping": mapping,
        },
        resolve("mesh:" + "x".join(str(side) for side in shape if side > 1), sent | dict(program or {})),
    )


def kind_of(job: Job) -> tuple[str, str, int]:
    """Return the application, intensity and size of a job of the model ``applications``."""
    name, _, size = job.program.partition(",bytes=")
    return name, next(key for key, bytes in INTENSITIES.items() if str(bytes) == size), job.nodes


class BoxTimes:
    """Run times of jobs in boxes, from the run-time table; a `RunTimes`.

    Tasks sit in a rotated box as they do in the one whose longest side comes first. Mapping ``"best"`` is the
    fastest in the box. A second is a cycle.
    """

    def __init__(self, runs: pd.DataFrame, mapping: str) -> None:
        wanted = runs if mapping == BEST else runs[runs["mapping"] == mapping]
        ordered = wanted.sort_values("cycles", kind="stable")
        self._boxes: dict[tuple[str, str, int], dict[Shape, tuple[float, str]]] = {}
        for name, intensity, nodes, shape, cycles, rule in ordered[[*_COLUMNS, "mapping"]].itertuples(
            index=False
        ):
            sides = tuple(int(side) for side in shape.split("x"))
            self._boxes.setdefault((name, intensity, nodes), {}).setdefault(sides, (float(cycles), rule))

    def seconds(self, job: Job, allocation: Allocation) -> float:
        sides = tuple(sorted(allocation.shape or (), reverse=True))
        try:
            return self._boxes[kind_of(job)][sides][0] * job.repeats
        except KeyError:
            raise LookupError(
                f"run times: no entry of {job.program} on {job.nodes} nodes in {sides}"
            ) from None

    def longest(self, job: Job) -> float:
        known = self._boxes[kind_of(job)]
        return max(seconds for seconds, _ in known.values()) * job.repeats

    def minimum(self, job: Job) -> float:
        known = self._boxes[kind_of(job)]
        return next(iter(known.values()))[0] * job.repeats

    def ranking(self, job: Job) -> Choices:
        known = self._boxes[kind_of(job)]
        return [(shape, mapping) for shape, (_, mapping) in known.items()]
