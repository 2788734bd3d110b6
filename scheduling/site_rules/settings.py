"""The rules of a site."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from netplace.checks import check_choice
from netplace.checks.inputs import input_file
from netplace.scheduling.job import Job


@dataclass(frozen=True, order=True)
class Outage:
    """A node that is down, in seconds on the workload's clock."""

    begin: float
    end: float
    node: int


@dataclass(frozen=True)
class Failures:
    """When nodes fail; by default never.

    Attributes
    ----------
    outages : tuple of Outage
        Known outages.
    mean_between, mean_repair : float
        Mean seconds between failures of one node (infinity: none are drawn) and of a repair, exponentially
        distributed.
    """

    outages: tuple[Outage, ...] = ()
    mean_between: float = math.inf
    mean_repair: float = 3600.0
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.mean_between > 0 or not 0 < self.mean_repair < math.inf:
            raise ValueError(
                f"failures: every {self.mean_between:g} s for {self.mean_repair:g} s, expected numbers "
                f"greater than 0"
            )

    def events(self, nodes: int, begin: float) -> Iterator[Outage]:
        """Yield outages in the order of their beginnings, those drawn from `begin` on without an end."""
        for outage in self.outages:
            if not 0 <= outage.node < nodes:
                raise ValueError(f"failures: node {outage.node}, expected one of 0 to {nodes - 1}")
        drawn = self._drawn(nodes, begin)
        following = next(drawn, None)
        for outage in sorted(self.outages):
            while following is not None and following < outage:
                yield following
                following = next(drawn, None)
            yield outage
        while following is not None:
            yield following
            following = next(drawn, None)

    def _drawn(self, nodes: int, begin: float) -> Iterator[Outage]:
        if self.mean_between == math.inf:
            return
        rng, now = np.random.default_rng(self.seed), begin
        while True:
            now += float(rng.exponential(self.mean_between / nodes))
            yield Outage(now, now + float(rng.exponential(self.mean_repair)), int(rng.integers(nodes)))


def read_outages(path: str | Path) -> tuple[Outage, ...]:
    """Read outages from a CSV file with the columns ``node``, ``begin`` and ``end``."""
    path, outages = Path(path), []
    try:
        with input_file(path).open(newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            for column in ("node", "begin", "end"):
                if column not in (reader.fieldnames or ()):
                    raise ValueError(f"{path}: has no column {column}, expected node, begin, end")
            for row in reader:
                outages.append(_outage(row, f"{path}, line {reader.line_num}"))
    except (csv.Error, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: is not a CSV file ({error})") from None
    return tuple(outages)


def _outage(row: dict[str, str], where: str) -> Outage:
    try:
        node, begin, end = int(row["node"]), float(row["begin"]), float(row["end"])
    except (TypeError, ValueError):
        raise ValueError(f"{where}: expected the number of a node and two times in seconds") from None
    if node < 0 or not -math.inf < begin < end < math.inf:
        raise ValueError(f"{where}: node {node} from {begin:g} to {end:g} s, expected a later end")
    return Outage(begin, end, node)


ORDERS = {
    "submission": "first come, first served",
    "largest": "most nodes first (largest job first)",
    "shortest": "shortest estimate first",
    "fair-share": "users with the least recent usage first; usage halves every half-life",
}
BACKFILLS = {
    "none": "a job that does not fit blocks all jobs behind it",
    "easy": "the first job that does not fit has a reservation; other jobs overtake if they do not delay it",
    "conservative": "every waiting job has a reservation, renewed at each pass in order of priority",
}


@dataclass(frozen=True)
class JobQueue:
    """A queue with limits.

    Attributes
    ----------
    numbers : tuple of int
        Queue numbers of the log whose jobs it takes; empty: any job that it admits and no other queue names.
    most_nodes, most_seconds : int, float or None
        Most nodes, and longest estimate, of a job.
    most_running, most_per_user : int or None
        Most running jobs of the queue, and of a user in it.
    priority : float
        Jobs of the queue with the higher one come first, whatever the order among them.
    """

    name: str
    numbers: tuple[int, ...] = ()
    most_nodes: int | None = None
    most_seconds: float | None = None
    most_running: int | None = None
    most_per_user: int | None = None
    priority: float = 0.0

    def admits(self, job: Job, estimate: float) -> bool:
        """Return whether a job is within the limits of one job."""
        return job.nodes <= (self.most_nodes or math.inf) and estimate <= (self.most_seconds or math.inf)


@dataclass(frozen=True)
class Window:
    """Nodes (None: all) that are kept free for maintenance or an advance reservation.

    `begin` and `end` are in seconds on the workload's clock.
    """

    name: str
    begin: float
    end: float
    nodes: int | None = None

    def __post_init__(self) -> None:
        if not -math.inf < self.begin < self.end < math.inf:
            raise ValueError(
                f"window {self.name}: from {self.begin:g} to {self.end:g} s, expected a later end"
            )
        if self.nodes is not None and self.nodes < 1:
            raise ValueError(f"window {self.name}: {self.nodes} nodes, expected at least 1")


@dataclass(frozen=True)
class Site:
    """Rules of a site's scheduler; by default EASY, one queue, nothing else.

    Attributes
    ----------
    order : str
        Key of `ORDERS`: which waiting job comes first.
    half_life : float
        Seconds in which usage halves under fair share.
    backfill : str
        Key of `BACKFILLS`.
    queues : tuple of JobQueue
        Queues; empty: one without limits.
    windows : tuple of Window
        Maintenance windows and reservations.
    dependencies : bool
        Whether a job waits for the one that it comes after, and the think time.
    prediction : bool
        Whether run times are predicted as the mean of the user's last two that ended, instead of the
        estimate. Jobs may still run as long as their estimates. D. Tsafrir, Y. Etsion and D. Feitelson,
        "Backfilling using system-generated predictions rather than user runtime estimates", IEEE TPDS 18(6),
        2007.
    """

    order: str = "submission"
    half_life: float = 86400.0
    backfill: str = "easy"
    queues: tuple[JobQueue, ...] = ()
    windows: tuple[Window, ...] = ()
    failures: Failures = field(default_factory=Failures)
    dependencies: bool = False
    prediction: bool = False

    def __post_init__(self) -> None:
        check_choice(self.order, ORDERS, "order")
        check_choice(self.backfill, BACKFILLS, "backfill")
        if not 0 < self.half_life < math.inf:
            raise ValueError(f"half-life: {self.half_life:g} s, expected a number greater than 0")
        claimed = [number for queue in self.queues for number in queue.numbers]
        for number in claimed:
            if claimed.count(number) > 1:
                raise ValueError(f"queues: number {number} belongs to two queues")

    def queue_of(self, job: Job, estimate: float) -> JobQueue | None:
        """Return the queue of a job; None: none admits it."""
        if not self.queues:
            return _ANY
        named = [queue for queue in self.queues if job.queue in queue.numbers]
        open_ = named or [queue for queue in self.queues if not queue.numbers]
        return next((queue for queue in open_ if queue.admits(job, estimate)), None)


_ANY = JobQueue("all")
