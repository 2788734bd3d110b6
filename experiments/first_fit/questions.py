"""Find and update: how long it takes to find free boxes on a machine that many jobs share.

Jobs come at exponential intervals, run for exponential times and are served first come, first served: the
first of the queue is requested whenever it arrives or a box is released, until it fits. Their sides are
uniform in 1..S. What happens is played once; every search then answers the same questions in the same order.
"""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from netplace.experiments.first_fit.searches import ImprovedFirstFit
from netplace.scheduling.partitioner.contiguous import SEARCHES, Search
from netplace.scheduling.partitioner.contiguous.search import Shape
from netplace.scheduling.partitioner.shapes import cubic_box
from netplace.scheduling.workload import Workload
from netplace.topologies import Grid

ASK, TAKE, RELEASE = range(3)
_Arrival = tuple[Shape, float, Callable[[], float]]  # sides, time until the next comes, what tells run time
_SETTLED = 3.0  # Mean run times until as many jobs leave as come.
_MOST = 16  # Steps between readings of the clock.


@dataclass(frozen=True)
class Questions:
    """What searches are asked and told, from a time on when the machine has filled up."""

    grid: Grid  # the machine
    held: tuple[tuple[int, Shape], ...]  # base and shape of the boxes held at the beginning
    # What happens: ASK, TAKE or RELEASE, base and shape; of ASK, the base is the answer, or -1.
    steps: tuple[tuple[int, int, Shape], ...]
    occupied: float  # mean share of nodes held

    @property
    def answered(self) -> float:
        """Share of questions to which there is an answer."""
        answers = [base for kind, base, _ in self.steps if kind == ASK]
        return sum(base >= 0 for base in answers) / len(answers)

    @property
    def per_job(self) -> float:
        """Questions posed for a job until it was placed, a mean."""
        return sum(kind == ASK for kind, _, _ in self.steps) / sum(kind == TAKE for kind, _, _ in self.steps)


@dataclass(frozen=True)
class Cost:
    """What a question costs a search, along with taking and releasing boxes meanwhile."""

    questions: int  # how many were answered
    seconds: float  # mean CPU time a question
    visited: float  # mean number of what the search counts, a question
    placed: int = 0  # jobs that were placed meanwhile
    # Mean counts per question with an answer and without one, and nodes that IFF updates to take a box and to
    # release one; 0 if there is none.
    answered: float = 0.0
    failed: float = 0.0
    taken: float = 0.0
    released: float = 0.0

    def per_job(self, questions: Questions) -> float:
        """Return CPU seconds of a job: all questions asked for it until it was placed.

        Of a search that answered a part of the questions only it is an estimate: those it answered, as many
        as all jobs of `asked` posed, a job.
        """
        return self.seconds * questions.per_job


def questions(grid: Grid, side: float, load: float, count: int, seed: int = 0) -> Questions:
    """Return `count` questions that jobs with sides of 1 to `side` pose.

    `grid`: the machine. `side`: longest side of a job; with 6.5, a side of 7 is half as likely as one of 1 to
    6. `load`: nodes that jobs would hold if all ran at once when they come, relative to the machine. `count`:
    number of questions. `seed`: seed of sides, intervals and run times.
    """
    rng = np.random.default_rng([seed, math.ceil(side)])
    gap = mean_side(side) ** grid.dims / (load * grid.nodes)
    return _played(
        grid, lambda: (_sides(rng, side, grid), rng.exponential(gap), rng.exponential), count, _SETTLED
    )


def of_log(grid: Grid, jobs: Workload, count: int) -> Questions:
    """Return `count` questions that the jobs of a log pose, each in the box nearest to a cube that holds it.

    `grid`: the machine. `jobs`: the jobs; their nodes are those of the machine. `count`: number of questions.
    Raises `ValueError` if the log ends before them.
    """
    boxes = {int(nodes): cubic_box(int(nodes), grid.sizes) for nodes in np.unique(jobs.nodes)}
    coming = zip(jobs.nodes.tolist(), np.diff(jobs.submit).tolist(), jobs.run_time.tolist(), strict=False)

    def come() -> _Arrival:
        nodes, gap, run = next(coming, (0, 0.0, 0.0))
        if not nodes:
            raise ValueError(f"log of {len(jobs)} jobs: ends before {count} searches, expected a longer one")
        return boxes[nodes], gap, lambda: run

    return _played(grid, come, count, _SETTLED * float(jobs.run_time.mean()))


def _played(grid: Grid, come: Callable[[], _Arrival], count: int, settled: float) -> Questions:
    """Return `count` questions of jobs that come, from the time `settled` on."""
    search = SEARCHES["contiguous"](grid)
    ends: list[tuple[float, int, Shape]] = []
    begun: list[tuple[int, Shape]] | None = None
    steps: list[tuple[int, int, Shape]] = []
    now, coming, number, nodes, occupied = 0.0, 0.0, 0, 0, 0
    shape: Shape = ()
    run_time: Callable[[], float] = float
    while number < count:
        if not shape and coming <= now:
            # Jobs that have come wait in order: only the first needs a shape.
            shape, gap, run_time = come()
            coming += gap
        elif ends and (shape or ends[0][0] <= coming):
            now, base, gone = heapq.heappop(ends)
            search.release(base, gone)
            steps.append((RELEASE, base, gone))
            nodes -= math.prod(gone)
        else:
            now = coming
        if begun is None and now >= settled:
            begun = [(base, held) for _, base, held in ends]
            steps.clear()
        if not shape:
            continue
        base = search.first(shape)
        steps.append((ASK, base, shape))
        number += begun is not None
        occupied += nodes if begun is not None else 0
        if base >= 0:
            search.take(base, shape)
            steps.append((TAKE, base, shape))
            nodes += math.prod(shape)
            heapq.heappush(ends, (now + run_time(), base, shape))
            shape = ()
    return Questions(grid, tuple(begun or ()), tuple(steps), occupied / count / grid.nodes)


def mean_side(side: float) -> float:
    """Return the mean of sides that are uniform in 1..`side`, see `questions`.

    Examples
    --------
    >>> mean_side(4), round(mean_side(6.5), 3)
    (2.5, 3.769)
    """
    maximum = math.floor(side)
    rest = side - maximum
    return (maximum * (maximum + 1) / 2 + rest * (maximum + 1)) / side


def _sides(rng: np.random.Generator, side: float, grid: Grid) -> Shape:
    if side == int(side):
        drawn = rng.integers(1, int(side) + 1, grid.dims)
    else:
        drawn = 1 + np.floor(rng.random(grid.dims) * side).astype(int)
    return tuple(np.minimum(drawn, grid.sizes).tolist())


def measure(search: Search, questions: Questions, seconds: float = math.inf) -> Cost:
    """Return what `questions` cost an exact search, an empty one when it is handed over.

    `search`: a search on the machine of the questions. `seconds`: CPU time after which no further group of at
    most 16 steps is put.
    """
    for base, shape in questions.held:
        search.take(base, shape)
    search.first((1,) * questions.grid.dims)  # compiled, or read from disk, before the clock is started
    visited, spent, first, count, more = search.visited, 0.0, 0, 0, 1
    counts = {name: [0, 0] for name in ("answered", "failed", "taken", "released")}  # nodes, steps
    while first < len(questions.steps) and (spent < seconds or not count):
        spent += _play(search, questions.steps[first : first + more], counts)
        count += sum(kind == ASK for kind, _, _ in questions.steps[first : first + more])
        first += more
        more = min(2 * more, _MOST)
    means = {name: nodes / max(1, steps) for name, (nodes, steps) in counts.items()}
    return Cost(count, spent / count, (search.visited - visited) / count, counts["taken"][1], **means)


def _play(search: Search, steps: Sequence[tuple[int, int, Shape]], counts: dict[str, list[int]]) -> float:
    """Return the CPU time of some steps, in seconds, and add up what the search visited and updated."""
    improved = search if isinstance(search, ImprovedFirstFit) else None  # once: the clock runs below
    began = time.process_time()
    for kind, base, shape in steps:
        before = search.visited + (improved.updated if improved else 0)
        if kind == TAKE:
            search.take(base, shape)
            own = counts["taken"]
        elif kind == RELEASE:
            search.release(base, shape)
            own = counts["released"]
        else:
            if search.first(shape) != base:
                raise ValueError(f"{type(search).__name__}: does not find {shape} at {base}, as expected")
            own = counts["answered" if base >= 0 else "failed"]
        own[0] += search.visited + (improved.updated if improved else 0) - before
        own[1] += 1
    return time.process_time() - began
