"""The search for a placement better than the scheduler's, and the confidence in it."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from netplace.inputs import check_float, check_int
from netplace.live.searches import free_nodes
from netplace.live.situation import Situation
from netplace.placement import map_tasks
from netplace.placement.rule import Nodes
from netplace.records import freeze_arrays
from netplace.scheduling import Job
from netplace.scheduling.metrics.interval import pooled
from netplace.topologies import Grid, Topology
from netplace.topologies.compute_nodes import slots_a_host, slots_of

_FREE = "all free nodes"  # a mapping's search chooses among them
PARTITIONS = (
    "slurm",
    "gen-alg",
    "contiguous",
    "quasi-contiguous:20",
    "nearly-contiguous:20",
    "curve:hilbert,best-fit",
    "mc1x1",
    "mm",
    "mbs",
    "paging:1",
    "curve:hilbert,minimum-span",
    "non-contiguous",
    "random",
)


@dataclass(frozen=True, eq=False)
class _Placement:
    # Rules that produced it.
    partition: str
    mapping: str
    nodes: Nodes  # shape (tasks,): node of each task


def _candidates(situation: Situation, free: Nodes, limit: str) -> Iterator[_Placement]:
    """Yield placements of a job on free nodes, the most promising first, without duplicates."""
    machine, tasks = situation.machine, situation.program.tasks
    searches = ["link-load", "classic", *(["td"] if isinstance(machine, Grid) else [])]
    parts: dict[bytes, tuple[str, Nodes]] = {}
    if tasks < len(free) and slots_a_host(machine) == 1:  # else tasks would be spread over more hosts
        parts[b""] = (_FREE, np.sort(free))
    for rule in PARTITIONS:
        nodes = _chosen_nodes(rule, machine, free, tasks, situation.seed)
        if nodes is not None:
            parts.setdefault(np.sort(nodes).tobytes(), (rule, nodes))
    seen: set[bytes] = set()
    for mapping in ("link-load", "consecutive", "classic", "link-load:max", "td", "random"):
        if mapping == "td" and "td" not in searches:
            continue
        searched = mapping.partition(":")[0] in searches
        for rule, nodes in parts.values():
            if rule == _FREE and not searched:
                continue
            text = f"{mapping}{',' if ':' in mapping else ':'}{limit}" if searched else mapping
            try:
                where = map_tasks(
                    text, machine, tasks, nodes=nodes, program=situation.program, seed=situation.seed
                )
            except ValueError:  # a mapping that is not for such a machine, or too large a search
                continue
            if where.tobytes() not in seen:
                seen.add(where.tobytes())
                yield _Placement(rule, mapping, where)


def _chosen_nodes(rule: str, machine: Topology, free: Nodes, size: int, seed: int = 0) -> Nodes | None:
    """Return the slots for tasks on as few hosts as hold them, which a partitioner chooses of the free ones.

    Return None if it finds none.
    """
    each = slots_a_host(machine)
    wanted = -(-size // each)
    usable = np.isin(np.arange(machine.nodes // each), _free_hosts(machine, free))
    try:
        found = free_nodes(machine, rule, usable, seed, Job(0, 0.0, wanted, 1.0))
    except ValueError:  # a partitioner that is not for such a machine
        return None
    return None if found is None or len(found) < wanted else slots_of(machine, found[:wanted])


def _free_hosts(machine: Topology, free: Nodes) -> Nodes:
    """Return the hosts all of whose slots are free."""
    counts = np.bincount(free // slots_a_host(machine))
    return np.flatnonzero(counts == slots_a_host(machine))


USUAL = "slurm"
_FIRST_JUDGED = 1000  # draws on which placements are judged; those before choose among them
_FEWEST, _MOST = 6, 40  # draws on which the choice is judged
_GIVEN_UP = 1.5  # times of the default placement after which a candidate is given up
_ROUNDS = (8, 3)  # candidates that are left for a second and a third look
_SEARCHING, _CHOOSING = 0.3, 0.7  # shares of the time by whose ends candidates are made, and one is chosen


@dataclass(frozen=True)
class Limits:
    """Limits of the search for a better placement.

    Attributes
    ----------
    seconds : float
        Total processor time. It limits the search, but not the final comparison with the default placement.
    simulations : int or None
        Number of simulations, which replaces the limit on time, so that the advice depends only on the input
        and the seed; half of them are used for the choice.
    """

    seconds: float = 60.0
    simulations: int | None = None

    def __post_init__(self) -> None:
        check_float(self.seconds, "seconds", 0.1, 1e7)
        if self.simulations is not None:
            check_int(self.simulations, "simulations", 4)


@dataclass(frozen=True)
class Candidate:
    """A placement that was simulated to choose the best one.

    Attributes
    ----------
    ratio : float or None
        Its time relative to the default placement, as a mean over the draws that both have in common; None if
        it was abandoned because it took too long.
    draws : int
        Number of draws with which it was simulated.
    """

    partition: str
    mapping: str
    ratio: float | None
    draws: int


@dataclass(frozen=True)
class MoreHosts:
    """What the job would gain and cost on more hosts than its tasks need."""

    hosts: int
    tasks_a_host: int  # the most on one of them
    # Its time and its node-hours there, relative to those of the default placement.
    time: float
    node_hours: float


@dataclass(frozen=True, eq=False)
class Advice:
    """The recommended nodes of a job, their order, and the gain.

    Attributes
    ----------
    verdict : str
        ``"faster"``, or ``"no clear difference"``; in the latter case, `nodes` are the default nodes.
    nodes, default : ndarray of int64, shape (tasks,)
        Node of each task, as recommended and as chosen by the scheduler.
    partition, mapping, default_rule : str
        Rules that produced the recommended nodes and the default nodes.
    best : tuple of int
        Node of each task in the best placement found, recommended or not.
    gain, half_width : float
        Share of the default time that the best placement saves, and the half-width of its 95 % confidence
        interval, which is 0 if nothing is random.
    best_cycles, default_cycles : tuple of int
        Times in the draws of the final comparison, none of which was used for the choice.
    tried : tuple of Candidate
        The simulated placements, fastest first.
    seconds : float
        Total processor time.
    more : MoreHosts or None
        The price of about twice as many hosts; None if each host has one slot, or too few hosts are free.
    """

    verdict: str
    nodes: Nodes
    default: Nodes
    partition: str
    mapping: str
    default_rule: str
    best: tuple[int, ...]
    gain: float
    half_width: float
    best_cycles: tuple[int, ...]
    default_cycles: tuple[int, ...]
    tried: tuple[Candidate, ...]
    seconds: float
    more: MoreHosts | None = None

    def __post_init__(self) -> None:
        freeze_arrays(self)


class _Clock:
    """Reports when a share of the time or of the simulations is used up."""

    def __init__(self, limits: Limits, tasks: int) -> None:
        self.limits = limits
        self.iterations = min(20_000, 200 * tasks**2)  # few tasks have few mappings
        self.began = time.process_time()
        self.simulations = 0

    @property
    def seconds(self) -> float:
        return time.process_time() - self.began

    def over(self, share: float) -> bool:
        if self.limits.simulations is not None:
            return self.simulations >= share * self.limits.simulations
        return self.seconds >= share * self.limits.seconds

    @property
    def search(self) -> str:
        if self.limits.simulations is not None:
            return f"iterations={self.iterations}"
        return f"seconds={max(0.05, min(2.0, self.limits.seconds / 200)):g}"


def check_free(situation: Situation, free: Sequence[int] | Nodes) -> int:
    """Return how many hosts a job needs, and check that so many of the free nodes' hosts are free."""
    hosts = len(_free_hosts(situation.machine, np.asarray(free, np.int64)))
    wanted = -(-situation.program.tasks // slots_a_host(situation.machine))
    if hosts < wanted:
        raise ValueError(f"free nodes: {hosts} are free but {wanted} are needed, {wanted - hosts} too few")
    return wanted


def advise(
    situation: Situation, free: Sequence[int] | Nodes, limits: Limits | None = None, default: str = USUAL
) -> Advice:
    """Return the recommended nodes, among the free ones, for a job, and their order.

    Placements are simulated together with the neighbors. Those that seem best in a few draws of random
    numbers are simulated with more draws. The best one is then compared with the default placement (the
    choice of the partitioner `default`, in its order) in draws that were not used for the choice.

    Raises
    ------
    ValueError
        If fewer nodes are free than the job has tasks, or `default` is not a partitioner that places the job.
    SimulationError
        If the job cannot reach its end on the default placement.
    """
    nodes = np.asarray(free, np.int64)
    tasks = situation.program.tasks
    wanted = check_free(situation, nodes)
    expected = _chosen_nodes(default, situation.machine, nodes, tasks, situation.seed)
    if expected is None:
        raise ValueError(f"default placement: partitioner {default} finds no {wanted} free nodes for the job")
    expected = expected[:tasks]
    situation.cycles(expected, 0)  # what is compiled, or known for all, is so before the clock begins
    search = _Search(
        situation, _Clock(limits or Limits(), tasks), _Placement(default, "consecutive", expected)
    )
    search.screen(nodes)
    best, tried = search.choose()
    theirs, ours = search.judge(best)
    gain, half, faster = _gain(ours, theirs, situation.draws)
    more = search.on_more_hosts(nodes, theirs[:_FEWEST])
    kept = best if faster else search.default
    return Advice(
        verdict="faster" if faster else "no clear difference",
        nodes=kept.nodes,
        default=search.default.nodes,
        partition=kept.partition,
        mapping=kept.mapping,
        default_rule=default,
        best=tuple(best.nodes.tolist()),
        gain=gain,
        half_width=half,
        best_cycles=tuple(ours),
        default_cycles=tuple(theirs),
        tried=tried,
        seconds=search.clock.seconds,
        more=more,
    )


class _Search:
    """Candidates and their times, by draw."""

    def __init__(self, situation: Situation, clock: _Clock, default: _Placement) -> None:
        self.situation, self.clock, self.default = situation, clock, default
        self.times: dict[_Placement, dict[int, int | None]] = {default: {}}
        self._time(default, 0)

    def _time(self, candidate: _Placement, draw: int, limit: float | None = None) -> int | None:
        known = self.times.setdefault(candidate, {})
        if draw not in known:
            self.clock.simulations += 1
            known[draw] = self.situation.cycles(candidate.nodes, draw, limit)
        return known[draw]

    def screen(self, free: Nodes) -> None:
        """Try candidates on the first draw, while there is time."""
        default = self._time(self.default, 0)
        assert default is not None
        for candidate in _candidates(self.situation, free, self.clock.search):
            if candidate.nodes.tobytes() != self.default.nodes.tobytes():
                self._time(candidate, 0, _GIVEN_UP * default + 1)
            if self.clock.over(_SEARCHING):
                return

    def ratio(self, candidate: _Placement) -> float:
        """Return the mean ratio of a candidate's time to the default one's, on the draws for the choice."""
        default = self.times[self.default]
        times = [
            (cycles, default[draw]) for draw, cycles in self.times[candidate].items() if draw < _FIRST_JUDGED
        ]
        if any(cycles is None or reference is None for cycles, reference in times):
            return math.inf
        ratios = [(cycles or 0) / (reference or 1) for cycles, reference in times]
        return math.exp(float(np.mean(np.log(np.maximum(ratios, 1e-9)))))

    def choose(self) -> tuple[_Placement, tuple[Candidate, ...]]:
        """Return the candidate that remains of the best after more draws, and all simulated ones."""
        left = sorted(self.times, key=self.ratio)
        draw = 1
        for count in _ROUNDS if self.situation.draws else ():
            left = [candidate for candidate in left if self.ratio(candidate) < math.inf][:count]
            for _ in range(2):
                if self.clock.over(_CHOOSING):
                    break
                self._time(self.default, draw)
                for candidate in left:
                    self._time(candidate, draw)
                draw += 1
            left.sort(key=self.ratio)
        others = [candidate for candidate in left if candidate is not self.default] or [self.default]
        return others[0], tuple(
            Candidate(
                candidate.partition,
                candidate.mapping,
                None if math.isinf(ratio := self.ratio(candidate)) else ratio,
                len(self.times[candidate]),
            )
            for candidate in sorted(self.times, key=self.ratio)
        )

    def judge(self, best: _Placement) -> tuple[list[int], list[int]]:
        default, ours = [], []
        draws = range(_FIRST_JUDGED, _FIRST_JUDGED + (_MOST if self.situation.draws else 1))
        for count, draw in enumerate(draws):
            if count >= _FEWEST and self.clock.over(1.0):
                break
            pair = self._time(self.default, draw), self._time(best, draw)
            assert pair[0] is not None
            assert pair[1] is not None
            default.append(pair[0])
            ours.append(pair[1])
        return default, ours

    def on_more_hosts(self, free: Nodes, default: Sequence[int]) -> MoreHosts | None:
        """Return the price of about twice as many hosts, in the draws in which the default took its times."""
        machine, tasks = self.situation.machine, self.situation.program.tasks
        each = slots_a_host(machine)
        fewest = -(-tasks // each)
        share = -(-tasks // (2 * fewest))  # tasks of a host
        hosts = -(-tasks // share)
        slots = _chosen_nodes(self.default.partition, machine, free, hosts * each, self.situation.seed)
        if hosts == fewest or slots is None:
            return None
        nodes = slots.reshape(hosts, each)[:, :share].ravel()[:tasks]
        draws = range(_FIRST_JUDGED, _FIRST_JUDGED + len(default))
        cycles = [self.situation.cycles(nodes, draw) or 0 for draw in draws]
        ratio = sum(cycles) / max(1, sum(default))
        return MoreHosts(hosts, share, ratio, ratio * hosts / fewest)


def _gain(ours: Sequence[int], theirs: Sequence[int], chance: bool) -> tuple[float, float, bool]:
    """Return the saved share of the default time, its half-width, and whether it is clearly positive."""
    [ratio] = pooled(np.array([ours], float), np.array([theirs], float))
    gain, half = 1 - ratio.mean, ratio.half_width if chance else 0.0
    return gain, half, gain > half
