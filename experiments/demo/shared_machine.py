"""The demonstration's shared machine: the same jobs under three partitioners, packet by packet."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netplace.cosim import cosimulate, job_rows_of, make_cosim_plan
from netplace.report.plots.cosim import draw_sharing
from netplace.report.tables.cosim import title_of
from netplace.report.terminal.screen import number, table

if TYPE_CHECKING:
    from rich.table import Table

    from netplace.cosim import CosimPlan

__all__ = ["MACHINE", "PARTITIONS", "WHY_LESS", "Shared", "plan_of", "shared_machine"]

MACHINE, _JOBS = "torus:8x8", 40
PARTITIONS = ("contiguous", "non-contiguous", "random")
_GIVEN = {
    "machine": MACHINE, "workload": "applications", "sizes": "small", "classes": "2d,3d",
    "intensity": "low", "repeats": "2:10", "mean_gap": 3e-6, "policy": "easy", "explain": True,
}  # fmt: skip


WHY_LESS = (
    "A slowdown below 1 is no mistake: beside others a job's packets arrive in another order, and one run is "
    "one draw of chance, which can be a little better than the one alone."
)


@dataclass(frozen=True)
class Shared:
    """What came of the shared machine.

    Attributes
    ----------
    table : Table
        Of all partitioners.
    columns : list of str
        Its headings.
    rows : list of list of str
        Its cells.
    plan, outcome : CosimPlan, dict
        The last co-simulation, which is drawn.
    """

    table: Table
    columns: list[str]
    rows: list[list[str]]
    plan: CosimPlan
    outcome: dict[str, Any]


def plan_of(partition: str, jobs: int = _JOBS) -> CosimPlan:
    """Return the plan of the shared machine under a partitioner."""
    return make_cosim_plan(_GIVEN | {"partition": partition, "jobs": jobs})


def shared_machine(picture: Path) -> Shared:
    """Let jobs share a torus under each partitioner; draw the last, and return a table of all."""
    rows = []
    for partition in PARTITIONS:
        plan = plan_of(partition)
        outcome = cosimulate(plan).outcome
        figures = outcome["figures"]
        sharing, per_job = figures["sharing"], figures["schedule"]["per_job"]
        rows.append(
            [
                partition,
                number(sharing["mean_slowdown"], 3),
                number(sharing["most_slowdown"], 3),
                number(1e6 * per_job["wait"]["mean"], 1),
                number(1e6 * per_job["run"]["mean"], 1),
                number(100 * figures["table_error"]["all"]["mean"], 1),
            ]
        )
    draw_sharing(picture, job_rows_of(outcome), title_of(plan))
    columns = ["partitioner", "slowdown by sharing", "most", "wait (µs)", "run (µs)", "a table errs by (%)"]
    title = f"{_JOBS} jobs share {MACHINE} under EASY, packet by packet"
    return Shared(table(title, columns, rows), columns, rows, plan, outcome)
