"""The rules of a site."""

from __future__ import annotations

import csv
import heapq
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from netplace.files import input_file
from netplace.inputs import check_choice
from netplace.scheduling.job import Job


@dataclass(frozen=True, order=True)
class Outage:
    """The time for which a node is down, in seconds on the workload's clock."""

    begin: float
    end: float
    node: int


@dataclass(frozen=True)
class Failures:
    """When nodes fail; by default, they never do.

    Attributes
    ----------
    outages : tuple of Outage
        Known outages.
    mean_between, mean_repair : float
        Mean time between failures of one node (infinity means that no failures are drawn) and mean time of a
        repair, in seconds; both times are exponentially distributed.
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
        """Yield outages in the order of their beginnings; from `begin` on, drawn outages follow endlessly."""
        for outage in self.outages:
            if not 0 <= outage.node < nodes:
                raise ValueError(f"failures: node {outage.node}, expected one of 0 to {nodes - 1}")
        yield from heapq.merge(sorted(self.outages), self._drawn(nodes, begin))

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
        Queue numbers in the log whose jobs the queue takes. If empty, it takes any admissible job whose
        number no other queue lists.
    most_nodes, most_seconds : int, float or None
        Largest number of nodes, and longest estimate in seconds, of a job.
    most_running, most_per_user : int or None
        Largest number of running jobs of the queue, and of one user in the queue.
    priority : float
        Jobs of queues with a higher priority come first; `Site.order` determines the order within a queue.
    """

    name: str
    numbers: tuple[int, ...] = ()
    most_nodes: int | None = None
    most_seconds: float | None = None
    most_running: int | None = None
    most_per_user: int | None = None
    priority: float = 0.0

    def admits(self, job: Job, estimate: float) -> bool:
        """Return whether a job is within the queue's limits on a single job."""
        return job.nodes <= (self.most_nodes or math.inf) and estimate <= (self.most_seconds or math.inf)


@dataclass(frozen=True)
class Window:
    """Nodes (None means all) that are kept free for maintenance or an advance reservation.

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
    """Rules of a site's scheduler; by default, EASY backfilling with one queue and no other rules.

    Attributes
    ----------
    order : str
        Key of `ORDERS`, which determines which waiting job comes first.
    half_life : float
        Time after which past usage counts half under fair share, in seconds.
    backfill : str
        Key of `BACKFILLS`.
    queues : tuple of JobQueue
        Queues; if empty, there is one queue without limits.
    windows : tuple of Window
        Maintenance windows and reservations.
    dependencies : bool
        Whether a job waits for the job that it depends on, and then for its think time.
    prediction : bool
        Whether the mean run time of the user's last two completed jobs is used as a prediction instead of the
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
        """Return the queue of a job, or None if no queue admits it."""
        if not self.queues:
            return _ANY
        named = [queue for queue in self.queues if job.queue in queue.numbers]
        open_ = named or [queue for queue in self.queues if not queue.numbers]
        return next((queue for queue in open_ if queue.admits(job, estimate)), None)


_ANY = JobQueue("all")
