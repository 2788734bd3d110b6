"""The choice of jobs to simulate together, and of when to measure again."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from netplace.apps import Program
from netplace.cosim.placed import Placed, Placing
from netplace.cosim.possible import expected_packets, link_widths
from netplace.netsim import Config
from netplace.netsim.lower import created_packets

# Predictions of how much jobs delay each other, from the expected packets on their common links.
#
# Predictions determine which jobs to simulate together, and when to repeat this; the factors themselves are
# always simulated. A packet that meets a link that is busy for a share `load` of the time waits for half a
# packet there, `load` times. Over its hops, in units of the packet's own time, that is half the sum of the
# loads that it meets, and a job is exposed to it while it communicates. Other delays of a packet are left
# out, so the prediction is rather too high than too low if queues are short. Queues are long if a job sends
# more to one node than the node can take. Its packets then hold their places for as many times longer as the
# node receives more than others, and its load counts that many times, up to `_MOST_HELD`.


Tasks = NDArray[np.int64]
_MOST_HELD = 16.0
_BUSY = 0.7  # of the time in which it communicates: then a node that receives holds up those that send


@dataclass(frozen=True, eq=False)
class Presence:
    """The effects of a job on others on the network, and of others on it."""

    # shape (links,): crossings of each link by one of its packets; the sum is its hops.
    meets: NDArray[np.float64]
    # shape (links,): share of the time in which its packets hold each link if the job is alone.
    load: NDArray[np.float64]
    exposed: float  # share of its time alone that its communication takes, hidden behind computation or not


def presence(placing: Placing, placed: Placed, period: float, speaking: float) -> Presence:
    """Return a job's presence from its cycles per iteration, alone and without any computation."""
    config, nodes = placing.config, placed.nodes
    sources, targets, packets = _pairs(placing.body(placed), config)
    crossed = expected_packets(placing.machine, nodes[sources], nodes[targets], packets, config)
    # What is hidden behind computation is still in the way of others, and held up by them.
    speaking = max(1.0, speaking, period - placed.work.compute)
    received = np.bincount(targets, packets, placed.work.tasks)
    most = float(received.max())
    held = 1.0
    if most * config.packet_phits > _BUSY * speaking:
        held = min(_MOST_HELD, most / float(received.mean()))
    load = crossed / link_widths(placing.machine, config) * (config.packet_phits * held / period)
    return Presence(crossed / packets.sum(), load, min(1.0, speaking / period))


def _pairs(program: Program, config: Config) -> tuple[Tasks, Tasks, NDArray[np.float64]]:
    """Return sources, targets and packets of an iteration of all pairs of tasks that send each other any."""
    amounts = np.concatenate(created_packets(program, config)).astype(float)
    some = np.flatnonzero(amounts)
    ends = np.stack([program.task_of(), program.peer.astype(np.int64)])
    pairs, place = np.unique(np.hstack([ends, ends[::-1]])[:, some], axis=1, return_inverse=True)
    return pairs[0], pairs[1], np.bincount(place, amounts[some], pairs.shape[1]).astype(float)


def influences(of: Presence, on: Presence) -> float:
    """Return the predicted share by which each job delays another; 0 if they share no link."""
    return min(1.0, 0.5 * on.exposed * float(on.meets @ of.load))


@dataclass(frozen=True)
class Neighbourhood:
    """Jobs to simulate together."""

    watched: tuple[int, ...]  # jobs whose factors are measured
    beside: tuple[int, ...]  # jobs that delay them
    left_out: dict[int, float]  # influence of all others on each watched job
    foretold: dict[int, float]  # influence of all others, left out or not, on each watched job

    @property
    def shares(self) -> bool:
        """Whether a watched job shares a possible link with another job."""
        return any(self.foretold.values())


class Neighbours:
    """The running jobs and their influences; see `netplace.cosim.neighbours`.

    Influence also passes through a third job: the influence of one job on another is the direct one plus that
    through every job between them. `slack` is the influence, as a share of a job's time, that can be omitted,
    and the `drift` after which a job is measured again.
    """

    def __init__(self, slack: float) -> None:
        self.drift: dict[int, float] = {}
        self._slack = slack
        self._rows: dict[int, int] = {}  # of the jobs in `_now`, the influences since the last event
        self._now = np.zeros((0, 0))
        self._present: dict[int, Presence] = {}
        self._direct: dict[tuple[int, int], float] = {}  # of the second on the first
        self._new: list[int] = []
        self._gone: list[int] = []

    def come(self, job: int, presence: Presence) -> None:
        for other, theirs in self._present.items():
            self._direct[job, other] = influences(theirs, presence)
            self._direct[other, job] = influences(presence, theirs)
        self._present[job] = presence
        self._new.append(job)

    def go(self, job: int) -> None:
        if job in self._new:  # nobody has been measured beside it
            self._new.remove(job)
            self._forget([job])
        elif job in self._present:
            self._gone.append(job)

    def to_measure(self, settled: Callable[[int, float], bool] | None = None) -> list[Neighbourhood]:
        """Return the jobs to measure now, and count them as measured; `settled` jobs need no simulation."""
        if not self._new and not self._gone:
            return []
        jobs = [*self._present]
        place = {job: number for number, job in enumerate(jobs)}
        acting = self._acting(jobs)
        changed = acting[:, [place[job] for job in (*self._new, *self._gone)]].sum(axis=1)
        for job in jobs:
            self.drift[job] = self.drift.get(job, 0.0) + float(changed[place[job]])
        fresh = set(self._new)
        self._forget(self._gone)
        self._new, self._gone = [], []
        staying = [*self._present]
        acting = self._now = self._acting(staying)
        self._rows = {job: place for place, job in enumerate(staying)}
        neighbourhoods = [
            self._around(place, staying, acting[place])
            for place, job in enumerate(staying)
            if job in fresh or self.drift[job] > self._slack
        ]
        self.drift |= {job: 0.0 for neighbourhood in neighbourhoods for job in neighbourhood.watched}
        if settled is not None:
            neighbourhoods = [
                neighbourhood
                for neighbourhood in neighbourhoods
                if not (neighbourhood.beside and settled(*next(iter(neighbourhood.foretold.items()))))
            ]
        return _merged(neighbourhoods)

    def influences(self, job: int) -> dict[int, float]:
        """Return the influence of each other job on a job since the last event."""
        row = self._now[self._rows[job]]
        return {other: float(row[place]) for other, place in self._rows.items() if row[place]}

    def shares(self, job: int) -> dict[int, float]:
        """Return the same as shares of their sum."""
        known = self.influences(job)
        total = sum(known.values())
        return {other: amount / total for other, amount in known.items()}

    def _acting(self, jobs: list[int]) -> NDArray[np.float64]:
        """Return the influence of every job (column) on every other (row)."""
        direct = np.array([[self._direct.get((on, of), 0.0) for of in jobs] for on in jobs])
        direct = direct.reshape(len(jobs), len(jobs))
        over: NDArray[np.float64] = direct + direct @ direct
        np.fill_diagonal(over, 0.0)
        return over

    def _around(self, place: int, jobs: list[int], acting: NDArray[np.float64]) -> Neighbourhood:
        """Return the fewest jobs that leave out no more than the slack."""
        order = np.argsort(acting, kind="stable")
        tail = np.cumsum(acting[order])
        left = order[tail <= self._slack]
        beside = tuple(sorted({*jobs} - {jobs[other] for other in left.tolist()} - {jobs[place]}))
        job = jobs[place]
        left_out, foretold = {job: float(acting[left].sum())}, {job: float(acting.sum())}
        return Neighbourhood((job,), beside, left_out, foretold)

    def _forget(self, gone: Iterable[int]) -> None:
        for job in gone:
            del self._present[job]
            self.drift.pop(job, None)
        left = set(gone)
        if left:
            self._direct = {
                pair: value for pair, value in self._direct.items() if not left.intersection(pair)
            }


def intervals(
    spans: Sequence[tuple[float, float]],
) -> Iterator[tuple[float, list[int], list[int], set[int]]]:
    """Yield the time between events, and the places of the jobs that end, that start, and that run.

    `spans` contains the start and end of each job.
    """
    events = sorted((time, kind, place) for place, span in enumerate(spans) for kind, time in enumerate(span))
    moments = [(now, [*some]) for now, some in itertools.groupby(events, lambda event: event[0])]
    running: set[int] = set()
    for (now, some), (then, _) in itertools.pairwise(moments):
        gone = [place for _, ends, place in some if ends]
        came = [place for _, ends, place in some if not ends]
        running = (running | {*came}) - {*gone}
        yield then - now, gone, came, running


def _merged(neighbourhoods: list[Neighbourhood]) -> list[Neighbourhood]:
    merged: list[Neighbourhood] = []
    for neighbourhood in neighbourhoods:
        own, watched = {*neighbourhood.watched, *neighbourhood.beside}, neighbourhood.watched
        left_out, foretold, apart = neighbourhood.left_out, neighbourhood.foretold, []
        for other in merged:
            theirs = {*other.watched, *other.beside}
            if own & theirs:
                own, watched, left_out = own | theirs, other.watched + watched, other.left_out | left_out
                foretold = other.foretold | foretold
            else:
                apart.append(other)
        beside = tuple(sorted(own.difference(watched)))
        merged = [*apart, Neighbourhood(watched, beside, left_out, foretold)]
    return merged
