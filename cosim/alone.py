"""Times of jobs alone: on a new network, and on the network in the state at the start of the job."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from netplace.cosim.placed import Placed, Placing
from netplace.cosim.stored_times import StoredTimes
from netplace.netsim import ArbiterState, DeadlockError
from netplace.netsim.classes import read_classes
from netplace.runs.chance import network_draws, same_place
from netplace.scheduling import Allocation, Job, make_partitioner
from netplace.scheduling.metrics.interval import half_width_of, half_widths_with_prior
from netplace.topologies import Topology

_LEAST, _MOST = 3, 12  # draws: two may be in the same of two modes too easily
_PRECISION = 0.02
_USUAL = 0.02  # deviation of a draw; docs/figures/calibrations.py tests how often intervals with it hold


@dataclass(frozen=True)
class Alone:
    """The mean time of a job alone over `draws`; `deviation` of a single draw as a share of it."""

    cycles: float
    deviation: float = 0.0
    draws: int = 1

    @property
    def half_width(self) -> float:
        """Relative half-width of the 95 % confidence interval of the mean."""
        return float(half_widths_with_prior(self.deviation, self.draws, _USUAL)) if self.draws > 1 else 0.0


def several(draw: Callable[[int], float], target_half_width: float = _PRECISION, most: int = _MOST) -> Alone:
    """Return the mean of as many draws as it takes to reach a relative half-width, at least 3."""
    times = [draw(number) for number in range(_LEAST)]
    while True:
        mean = float(np.mean(times))
        made = Alone(mean, float(np.std(times, ddof=1)) / max(1.0, mean), len(times))
        if half_width_of(made.deviation, made.draws) <= target_half_width or len(times) == most:
            return made
        times.append(draw(len(times)))


def cycles_alone(
    placing: Placing, placed: Placed, engine: str = "kernel", since: ArbiterState | None = None
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


class FreshTimes:
    """The run time of each job when it runs alone on a new network; implements `RunTimes`.

    If the network makes random choices, a time is the mean of several runs.

    Parameters
    ----------
    estimate_factor : float
        Ratio of a user's estimate to the run time on a compact partition; greater than 0.
    cycles : callable, optional
        Function that returns the cycles of a job alone on its nodes; by default, a complete simulation.
    target_half_width : float
        No further runs are made once the relative half-width of their mean reaches this value.
    stored : StoredTimes, optional
        Results of runs, which a co-simulation that was killed does not repeat.
    """

    def __init__(
        self,
        placing: Placing,
        estimate_factor: float = 1.0,
        engine: str = "kernel",
        cycles: Callable[[Placed], float] | None = None,
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
        self._cycles: dict[object, float] = {}
        self._stored = stored or StoredTimes()
        self._compact: dict[int, Allocation] = {}  # by the number of nodes, which alone decides
        self._draws = network_draws(placing.machine, placing.config)

    def cycles(self, placed: Placed) -> float:
        """Return the number of cycles that a job takes alone on its nodes."""
        # Where nothing is left to chance a shift along the rings of a torus changes nothing.
        nodes = placed.nodes if self._draws else same_place(self._placing.machine, [placed.nodes])[0]
        key = placed.work, nodes.tobytes(), self._class(placed)
        if key not in self._cycles:
            self._cycles[key] = self._of(placed)
        return self._cycles[key]

    def _simulated(self, placed: Placed) -> float:
        def draw(number: int) -> float:
            key = "fresh", placed.work, placed.nodes.tobytes(), self._class(placed), number
            placing = self._placing.drawn(number)
            return float(self._stored.get(key, lambda: cycles_alone(placing, placed, self._engine)))

        return several(draw, self._target_half_width).cycles if self._draws else draw(0)

    def _class(self, placed: Placed) -> int:
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
            self._compact[job.nodes] = compact(self._placing.machine, job)
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
