"""Whether contiguity pays when jobs share the network: ``docs/studies/contiguity.md``."""

from __future__ import annotations

import itertools

from netplace.experiments.contiguity.cases import Cell, steady_weeks
from netplace.experiments.contiguity.tables import report_of, values_of
from netplace.experiments.shared.archive_logs import MODEL, ArchiveLog, logs_of
from netplace.report.studies import Report, Study, StudyContext, StudyRequest
from netplace.report.studies.schedules import case_outcomes
from netplace.topologies import parse

COMMUNICATION = ("0.3", "npb")
_POLICY = "easy"
_WEEKS = 10  # of each log
_JOBS = 50  # of a stream
_MEAN_RUN = 40e-6  # seconds, a mean weighted by work: the shortest job takes 1,000 cycles


ROLES = ("boxes", "nearly", "curve", "paging", "random")
# By name, its text form, and the partitioner of each role.
MACHINES = {
    "tree": (
        "thintree:16,8,2",
        ("contiguous", "quasi-contiguous:20", "curve:row,best-fit", "paging:1", "random"),
    ),
    "dragonfly": (
        "dragonfly:a=8,p=4,h=4,g=9",
        ("groups", "groups:20", "curve:row,best-fit", "switches", "random"),
    ),
    "torus": (
        "torus:16x16x16",
        ("contiguous:round-up", "mc:cubic", "curve:hilbert,best-fit", "paging:1", "random"),
    ),
}
PARTS = {name: f"on {machine}" for name, (machine, _) in MACHINES.items()}


def cells(request: StudyRequest) -> list[tuple[str, str, Cell]]:
    """Return the runs with machine and contestant, week by week: a stopped study has whole weeks."""
    logs = logs_of(request)
    weeks = {
        (part, log): _weeks(MACHINES[part][0], log, request.quick) for part in request.parts for log in logs
    }
    jobs, shares = (_JOBS // 2, COMMUNICATION[:1]) if request.quick else (_JOBS, COMMUNICATION)
    named_cells = []
    for place, part, log in itertools.product(range(max(map(len, weeks.values()))), request.parts, logs):
        if place < len(weeks[part, log]):
            machine, partitions = MACHINES[part]
            stream = (machine, log, weeks[part, log][place], jobs, _MEAN_RUN)
            contestants = tuple(zip(ROLES, partitions, strict=True))
            named_cells += [
                (part, name, Cell(*stream, communication, _POLICY, partition))
                for communication, (name, partition) in itertools.product(shares, contestants)
            ]
    return named_cells


def _weeks(machine: str, log: ArchiveLog, quick: bool) -> list[int]:
    count = log.weeks or (1 if quick or log.name == MODEL else _WEEKS)
    return steady_weeks(log, parse(machine).nodes, count)


def run(request: StudyRequest, context: StudyContext) -> Report:
    made = cells(request)
    kept = case_outcomes([cell for *_, cell in made], context)
    outcomes = [(part, name, *own) for (part, name, _), own in zip(made, kept, strict=True)]
    return report_of(values_of(outcomes))


STUDY = Study(
    name="contiguity",
    title="Does contiguity pay off when jobs share the network?",
    parts=PARTS,
    run=run,
    options=("logs",),
)
