"""Times of jobs alone: on a new network, and on the network in the state at the start of the job."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from netplace.cosim.placed import JobPlacer, PlacedJob
from netplace.cosim.stored_times import StoredTimes
from netplace.netsim import ArbiterState, DeadlockError
from netplace.netsim.fabric_texts import read_classes
from netplace.runs.chance import network_is_random, same_place
from netplace.scheduling import Allocation, Job, make_partitioner
from netplace.scheduling.metrics.interval import Estimate, half_width_of, of_draws
from netplace.topologies import Topology

_LEAST, _MOST = 3, 12  # draws: two may be in the same of two modes too easily
_PRECISION = 0.02
_USUAL = 0.02  # deviation of a draw; docs/background/verdicts.md tells how often intervals with it hold


def draw_times(
    draw: Callable[[int], float], target_half_width: float = _PRECISION, maximum: int = _MOST
) -> list[float]:
    """Return as many draws of a time as it takes to reach a relative half-width of their mean, at least 3."""
    times = [draw(number) for number in range(_LEAST)]
    while len(times) < maximum and half_width_of(deviation(times), len(times)) > target_half_width:
        times.append(draw(len(times)))
    return times


def deviation(times: Sequence[float]) -> float:
    """Return the standard deviation of draws of a time, as a share of their mean."""
    return float(np.std(times, ddof=1)) / max(1.0, float(np.mean(times)))


def mean_time(times: Sequence[float], least_deviation: float = 0.0) -> Estimate:
    """Return the mean of draws of a time, whose deviation is at least this share of it."""
    mean = float(np.mean(times))
    return of_draws(mean, mean * max(deviation(times), least_deviation), len(times), mean * _USUAL)


def exact(time: float) -> Estimate:
    """Return a time that nothing leaves to chance."""
    return Estimate(time, 0.0, 1, "draws")


def cycles_alone(
    placing: JobPlacer, placed: PlacedJob, engine: str = "kernel", since: ArbiterState | None = None
) -> int:
    """Return the number of cycles that a job takes when it runs alone on the network.

    Parameters
    ----------
    since : ArbiterState, optional
        State of the network when the job started, and the cycle of the start. The job then runs as if all
        other jobs and their packets had vanished in that cycle. By default, it runs on a new network from
        cycle 0 on.

    Raises
    ------
    DeadlockError
        If the program never ends.
    """
    network = placing.network(engine)
    if since is not None:
        network.restore(since)
    number = placing.start(network, placed)
    while not network.advance():
        pass
    record = network.job(number)
    return int(record.end - record.start)


class StandaloneTimes:
    """The run time of each job when it runs alone on a new network; implements `RunTimes`.

    If the network makes random choices, a time is the mean of several runs.

    Parameters
    ----------
    estimate_factor : float
        Ratio of a user's estimate to the run time on a compact partition; greater than 0.
    cycles : callable, optional
        Function that returns the time of a job alone on its nodes, in cycles; by default, it is simulated.
    target_half_width : float
        No further runs are made once the relative half-width of their mean reaches this value.
    stored : StoredTimes, optional
        Results of runs, which a co-simulation that was killed does not repeat.
    """

    def __init__(
        self,
        placing: JobPlacer,
        estimate_factor: float = 1.0,
        engine: str = "kernel",
        cycles: Callable[[PlacedJob], Estimate] | None = None,
        target_half_width: float = _PRECISION,
        stored: StoredTimes | None = None,
    ) -> None:
        if not 0 < estimate_factor < np.inf:
            raise ValueError(
                f"estimate_factor: {estimate_factor:g} is invalid, expected a number greater than 0"
            )
        self._placing, self._estimate_factor = placing, estimate_factor
        self._of = cycles or self._simulated
        self._engine, self._target_half_width = engine, target_half_width
        self._times: dict[object, Estimate] = {}
        self._stored = stored or StoredTimes()
        self._compact: dict[int, Allocation] = {}  # by the number of nodes, which alone decides
        self._draws = network_is_random(placing.machine, placing.config)

    def cycles(self, placed: PlacedJob) -> float:
        """Return the number of cycles that a job takes alone on its nodes."""
        return self.time(placed).mean

    def time(self, placed: PlacedJob) -> Estimate:
        """Return the estimate of that number."""
        # Where nothing is left to chance a shift along the rings of a torus changes nothing.
        nodes = placed.nodes if self._draws else same_place(self._placing.machine, [placed.nodes])[0]
        key = placed.work, nodes.tobytes(), self._class(placed)
        if key not in self._times:
            self._times[key] = self._of(placed)
        return self._times[key]

    def _simulated(self, placed: PlacedJob) -> Estimate:
        def draw(number: int) -> float:
            key = "fresh", placed.work, placed.nodes.tobytes(), self._class(placed), number
            placing = self._placing.drawn(number)
            return float(self._stored.get(key, lambda: cycles_alone(placing, placed, self._engine)))

        return mean_time(draw_times(draw, self._target_half_width)) if self._draws else exact(draw(0))

    def _class(self, placed: PlacedJob) -> int:
        """Return the traffic class of a job by its number."""
        return placed.job.number % read_classes(self._placing.config.traffic_classes).count

    def seconds(self, job: Job, allocation: Allocation) -> float:
        """Return the run time of a job alone on its assigned nodes, in seconds."""
        return self.cycles(self._placing.put(job, allocation)) * self._placing.config.cycle_ns * 1e-9

    def longest(self, job: Job) -> float:
        """Return a user's estimate in seconds: the run time on a compact partition times `estimate_factor`.

        If the job never ends, the time until nothing moves any more counts as its run time.
        """
        if job.nodes not in self._compact:
            self._compact[job.nodes] = compact(self._placing.hosts, job)
        try:
            return self._estimate_factor * self.seconds(job, self._compact[job.nodes])
        except DeadlockError as error:
            return self._estimate_factor * max(1, error.cycle) * self._placing.config.cycle_ns * 1e-9


def from_log(estimate_factor: float) -> Callable[[Job], float]:
    """Return the function that gives the estimates of the users of a log: the run time and a margin."""
    return lambda job: estimate_factor * job.run_time


def compact(machine: Topology, job: Job) -> Allocation:
    """Return a compact partition of the empty machine: a box or a subtree, or its first nodes."""
    try:
        allocation = make_partitioner("contiguous", machine).find(job)
    except ValueError:  # there are no boxes of that size, or on that network
        allocation = None
    return Allocation(np.arange(job.nodes)) if allocation is None else allocation
