"""Flow and stretch of tasks: sums, maxima and norms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from netplace.experiments.redirection.simulator.task import Ran

__all__ = ["TASK_FIGURES", "TaskFigures", "task_figures"]

_BOUND = 10.0  # seconds: shorter tasks count as so long in the stretch


@dataclass(frozen=True)
class TaskFigures:
    """Sum, maximum and square root of the sum of squares over all tasks.

    Flow is completion minus first release, in seconds; bounded stretch is flow over the processing time of at
    least 10 s, with no lower limit of 1. F. Mendonca, thesis, 2017, section 3.2.
    """

    sum_flow: float
    max_flow: float
    norm2_flow: float
    sum_bounded_stretch: float
    max_bounded_stretch: float
    norm2_bounded_stretch: float


TASK_FIGURES = tuple(item.name for item in fields(TaskFigures))


def task_figures(ran: Sequence[Ran]) -> TaskFigures:
    """Return the figures of tasks that have run, at least one."""
    flow = np.array([run.end - run.task.release for run in ran])
    stretch = flow / np.maximum([run.task.seconds for run in ran], _BOUND)
    return TaskFigures(
        *(
            float(figure)
            for values in (flow, stretch)
            for figure in (values.sum(), values.max(), np.sqrt((values**2).sum()))
        )
    )
