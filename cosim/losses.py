"""What jobs lost by each other where no packets wait: losses divided by the expected load on links."""

from __future__ import annotations

from collections.abc import Iterable

from netplace.cosim.job_row import Measured
from netplace.cosim.neighbours import Neighbours, intervals, presence
from netplace.cosim.placed import Placing

TOLD = 0.001  # of a job's time alone: what it lost by another job is told from there on


def shared_losses(placing: Placing, jobs: Iterable[Measured]) -> list[dict[str, float]]:
    """Return the seconds that jobs lost by each other, in decreasing order.

    The loss of a job, if it is larger than chance, is divided among the other jobs in proportion to their
    predicted influence and to the time in which they ran beside it.
    """
    known = [job for job in jobs if job.placed.work.application and job.alone]
    neighbours, influence = Neighbours(float("inf")), [dict.fromkeys(range(len(known)), 0.0) for _ in known]
    for span, gone, came, running in intervals([(job.start, job.start + job.live) for job in known]):
        for place in gone:
            neighbours.go(place)
        for place in came:
            period = known[place].alone / known[place].placed.work.iterations
            neighbours.come(place, presence(placing, known[place].placed, period, 0.0))
        neighbours.to_measure()
        for place in running:
            for other, amount in neighbours.influences(place).items():
                influence[place][other] += span * amount
    second = placing.config.cycle_ns * 1e-9
    rows = []
    for job, beside in zip(known, influence, strict=True):
        loss, total = job.live - job.alone, sum(beside.values())
        if loss <= (job.chance or 0.0) * job.alone or not total:
            continue
        rows += [
            {"job": job.placed.job.number, "by": known[other].placed.job.number, "seconds": second * part}
            for other, amount in beside.items()
            if (part := loss * amount / total) > TOLD * job.alone
        ]
    return sorted(rows, key=lambda row: -row["seconds"])
