"""Replay of applications on a network, from the first cycle to the last."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netplace.apps import Op, Program
from netplace.checks import abbreviate, check_int
from netplace.checks.calls import ArgumentError, checked
from netplace.checks.stopping import Stopped, left_to_parent
from netplace.netsim.config import Config
from netplace.netsim.engine import Counters, JobRecord
from netplace.netsim.errors import SimulationError
from netplace.netsim.network import Network
from netplace.netsim.processes import start_method, starting
from netplace.netsim.result import Result, make_result
from netplace.netsim.table_router import uses_table_router
from netplace.netsim.validation import place
from netplace.topologies import Grid, Topology, Tree

Int = NDArray[np.int64]
Marks = NDArray[np.float32]  # 1 where a job may be, shape (jobs, places)


def independent_parts(
    topology: Topology, config: Config, programs: Sequence[Program], places: Sequence[Int]
) -> list[list[int]]:
    """Return the jobs of each part; jobs of different parts cannot share a router."""
    jobs = len(programs)
    if uses_table_router(topology, config) or (isinstance(topology, Grid) and topology.twist):
        return [list(range(jobs))]
    pairs = [_pairs(program, where) for program, where in zip(programs, places, strict=True)]
    if isinstance(topology, Grid):
        meet = np.ones((jobs, jobs), bool)
        for d in range(topology.dims):
            meet &= _in_common(_crossed(topology, d, pairs))
    elif isinstance(topology, Tree):
        meet = _in_common(_under(topology, pairs))
    else:
        return [list(range(jobs))]
    meet |= _share_nodes(places)
    from scipy.sparse.csgraph import connected_components

    count, part = connected_components(meet, directed=False)
    return [np.flatnonzero(part == n).tolist() for n in range(count)]


def _share_nodes(places: Sequence[Int]) -> NDArray[np.bool_]:
    """Tell which jobs have a node in common, one after the other; shape (jobs, jobs)."""
    seats = np.concatenate([np.zeros(0, np.int64), *places])
    nodes, at = np.unique(seats, return_inverse=True)
    sharing = np.eye(len(places), dtype=bool)
    if len(nodes) < len(seats):
        owner = np.repeat(np.arange(len(places)), [len(where) for where in places])
        marks = np.zeros((len(places), len(nodes)), np.float32)
        marks[owner, at] = 1
        sharing |= _in_common(marks)
    return sharing


def _pairs(program: Program, where: Int) -> Int:
    """Return the nodes between which a job sends, each pair once, shape (2, pairs)."""
    sends = np.isin(program.kind, (Op.SEND, Op.ISEND))
    source = where[np.repeat(np.arange(program.tasks), np.diff(program.first))[sends]]
    target = where[program.peer[sends]]
    apart = source != target
    most = int(where.max(initial=0)) + 1
    both = np.unique(source[apart] * most + target[apart])
    return np.stack([both // most, both % most])


def _in_common(marks: Marks) -> NDArray[np.bool_]:
    """Tell which jobs have a place in common, shape (jobs, jobs)."""
    return np.asarray(marks @ marks.T > 0)


def _crossed(topology: Grid, d: int, pairs: list[Int]) -> Marks:
    """Return the coordinates of a dimension that packets of each job can have on the way."""
    size = topology.sizes[d]
    crossed = np.zeros((len(pairs), size), np.float32)
    step = np.arange(size)
    for job, (source, target) in enumerate(pairs):
        both = np.unique(topology.coordinates(source)[:, d] * size + topology.coordinates(target)[:, d])
        for a, b in zip((both // size).tolist(), (both % size).tolist(), strict=True):
            if not topology.wraps:
                crossed[job, min(a, b) : max(a, b) + 1] = 1
                continue
            ahead = (b - a) % size
            if 2 * ahead <= size:
                crossed[job, (a + step[: ahead + 1]) % size] = 1
            if 2 * ahead >= size:
                crossed[job, (b + step[: size - ahead + 1]) % size] = 1
    return crossed


def _under(topology: Tree, pairs: list[Int]) -> Marks:
    """Return the leaf switches below the switches at which packets of each job can turn."""
    leaves = topology.nodes // topology.down
    turning = np.zeros((len(pairs), leaves), np.float32)
    for job, (source, target) in enumerate(pairs):
        above, other = source // topology.down, target // topology.down
        width = 1
        while len(above):
            here = np.unique(above[above == other])
            turning[job].reshape(-1, width)[here] = 1
            apart = above != other
            above, other = above[apart] // topology.down, other[apart] // topology.down
            width *= topology.down
    return turning


# With its first cycle, and how often its iterations stand.
Placed = tuple[Program, ArrayLike | None, int, int]
_Part = tuple[list[JobRecord], Counters, float]  # what was measured of some of the jobs, and the CPU time


@checked
def simulate(
    topology: Topology,
    programs: Program | Sequence[Program],
    nodes: ArrayLike | Sequence[ArrayLike] | None = None,
    *,
    config: Config | None = None,
    engine: str = "kernel",
    seed: int = 0,
    max_cycles: int | None = None,
    record_messages: bool = False,
    window: int | None = None,
    part_processes: int = 1,
    threads: int | str = 1,
    progress: Callable[[int], None] | None = None,
    starts: Sequence[int] | None = None,
    times: Sequence[int] | None = None,
) -> Result:
    """Simulate one or more applications, and return the measurements.

    Parameters
    ----------
    nodes : array, or sequence of arrays, optional
        The node of each task, for each job; consecutive nodes by default.
    engine : str
        ``"kernel"`` or ``"reference"``; both give the same results.
    record_messages : bool
        Whether to record the start and end of every message.
    window : int, optional
        Length, in cycles, of windows in which link loads are also counted.
    part_processes : int
        Number of processes. If jobs are placed so that their packets cannot share a router (see
        `independent_parts`), processes simulate parts of the run in parallel, with exactly the same results.
        With windows, or if there is only one part, one process simulates the whole run.
    threads : int or str
        Number of threads for the network, as in `Network`; with several `part_processes`, for each process.
    progress : callable, optional
        Function that is called with the current cycle several times per second, unless parts run in parallel.
    starts, times : sequence of int, optional
        First cycle of each job (0 by default), and repetitions of its iterations (1 by default; see
        `Network.start`).

    Raises
    ------
    ValueError
        If the placement is wrong, or the number of starts or times differs from the number of jobs.
    DeadlockError, CycleLimitError
        If the run cannot reach its end.
    """
    jobs = _jobs(topology, programs, nodes, starts, times)
    settings = Settings(topology, config or Config(), engine, seed, max_cycles, record_messages, threads)
    check_int(part_processes, "part_processes")
    return simulate_jobs(settings, jobs, window, part_processes, progress)


def simulate_jobs(
    settings: Settings,
    jobs: list[Placed],
    window: int | None = None,
    part_processes: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Result:
    """Simulate jobs whose settings are checked; parameters as of `simulate`."""
    if part_processes > 1 and len(jobs) > 1 and window is None:
        result = _side_by_side(settings, jobs, part_processes)
        if result is not None:
            return result
    network = settings.network()
    for program, where, start, rounds in jobs:
        network.start(program, where, at=start, times=rounds)
    if progress is not None:
        network.between = lambda: progress(network.now)
    network.finish(settings.max_cycles, window)
    return network.result()


def _jobs(
    topology: Topology,
    programs: Program | Sequence[Program],
    nodes: ArrayLike | Sequence[ArrayLike] | None,
    starts: Sequence[int] | None,
    times: Sequence[int] | None,
) -> list[Placed]:
    count = 1 if isinstance(programs, Program) else len(programs)
    begins = [0] * count if starts is None else list(starts)
    if len(begins) != count:
        raise ValueError(f"starts: {len(begins)} given for {count} jobs")
    rounds = [1] * count if times is None else list(times)
    if len(rounds) != count:
        raise ValueError(f"times: {len(rounds)} given for {count} jobs")
    if isinstance(programs, Program):
        return [(programs, nodes, begins[0], rounds[0])]  # type: ignore[list-item]
    places: Sequence[ArrayLike | None]
    if nodes is None:
        ends = np.cumsum([program.tasks for program in programs])
        usable = topology.computing
        places = [usable[end - program.tasks : end] for program, end in zip(programs, ends, strict=True)]
    else:
        listed = isinstance(nodes, Sequence | np.ndarray) and not isinstance(nodes, str | bytes)
        if not listed or getattr(nodes, "ndim", 1) == 0:
            raise ArgumentError(
                f"placement: {abbreviate(nodes)} is not a list of nodes for each of {count} jobs"
            )
        places = list(nodes)  # type: ignore[arg-type]
    if len(places) != len(programs):
        raise ValueError(f"placement: {len(places)} lists of nodes given for {len(programs)} jobs")
    return list(zip(programs, places, begins, rounds, strict=True))


@dataclass(frozen=True)
class Settings:
    """Settings that all parts of a run share."""

    topology: Topology
    config: Config
    engine: str
    seed: int
    max_cycles: int | None
    record_messages: bool
    threads: int | str

    def network(self) -> Network:
        return Network(
            self.topology,
            self.config,
            engine=self.engine,
            seed=self.seed,
            record_messages=self.record_messages,
            threads=self.threads,
        )


def _side_by_side(settings: Settings, jobs: list[Placed], part_processes: int) -> Result | None:
    """Return the result of a run whose parts processes have simulated; None if it must run as a whole."""
    # None if there is only one part, or if a part has no result; the whole run then reports the error.
    check = settings.network()
    for program, where, start, times in jobs:
        check.start(program, where, at=start, times=times)
    places = [place(program, where, settings.topology) for program, where, *_ in jobs]
    programs = [program for program, *_ in jobs]
    parts = independent_parts(settings.topology, settings.config, programs, places)
    if len(parts) < 2:
        return None
    bags: list[list[int]] = [[] for _ in range(min(part_processes, len(parts)))]
    load = [0] * len(bags)
    sizes = [sum(len(programs[job]) for job in part) for part in parts]
    for n in sorted(range(len(parts)), key=lambda n: -sizes[n]):
        least = load.index(min(load))
        bags[least] += parts[n]
        load[least] += sizes[n]
    from concurrent.futures import ProcessPoolExecutor  # only runs in parts need processes

    try:
        with ProcessPoolExecutor(len(bags), start_method(), initializer=left_to_parent) as pool:
            given = [settings] * len(bags), [[jobs[n] for n in bag] for bag in bags]
            with starting():
                outcomes = pool.map(_simulated, *given)
            ended = _of_all(outcomes)
    except SimulationError:
        return None
    records: dict[int, JobRecord] = {}
    for bag, (mine, _, _) in zip(bags, ended, strict=True):
        records.update(zip(bag, mine, strict=True))
    return make_result(
        [records[n] for n in range(len(jobs))],
        _sum([counters for _, counters, _ in ended]),
        programs,
        places,
        network=settings.topology,
        config=settings.config,
        engine=settings.engine,
        seed=settings.seed,
        cpu_seconds=sum(seconds for _, _, seconds in ended),
        window_loads=[],
        faults=[],
        parts=len(parts),
    )


def _of_all(outcomes: Iterator[_Part]) -> list[_Part]:
    """Return the results of processes; if this process is interrupted, end them at once."""
    import multiprocessing

    try:
        return list(outcomes)
    except Stopped:
        for process in multiprocessing.active_children():
            process.kill()
        raise


def _simulated(settings: Settings, jobs: list[Placed]) -> _Part:
    """Return what was measured of some jobs alone on the network, and the CPU time."""
    network = settings.network()
    numbers = [network.start(program, where, at=start, times=times) for program, where, start, times in jobs]
    network.finish(settings.max_cycles)
    return [network.job(number) for number in numbers], network.counters(), network.cpu_seconds


def _sum(counters: list[Counters]) -> Counters:
    total = {name: sum(getattr(part, name) for part in counters) for name in vars(counters[0])}
    return Counters(**{**total, "last_delivery": max(part.last_delivery for part in counters)})
