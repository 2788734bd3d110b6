"""The predicted cost of each fidelity: the schedule is rehearsed without packets.

A rehearsed job takes the time of one iteration on an idle network, times its number of iterations. The
rehearsal shows the jobs that run together, so it predicts the intervals that sampled times simulate, and the
mixes.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from netplace.cosim.cost import live_packets, packets_of, times_alone
from netplace.cosim.fast_forward import LOOK, simulated_cycles
from netplace.cosim.loop_times import LoopTimes, timed_iterations
from netplace.cosim.mixes import SLACK
from netplace.cosim.neighbours import Neighbours, Presence, intervals, presence
from netplace.cosim.placed import Placed, Placing
from netplace.cosim.plan import CosimPlan
from netplace.cosim.rates import Rates
from netplace.cosim.table import TableExecution
from netplace.cosim.work import Work
from netplace.netsim import DeadlockError
from netplace.scheduling import Job, make_partitioner, schedule
from netplace.topologies import Grid

_REHEARSED = 200  # jobs at most: more of the same kind cost in proportion
_LITTLE = 1e6  # packets that take about a second: the cheapest of less is not worth the search
_MINUTES = 1e8  # packets that take a few minutes: more by default only as the precision says
_COARSER = (0.05, 0.1)  # precision by default in turn, where a finer one would take longer
_NETWORK = 4000.0  # packets that take as long as to make a network
_WINDOWS = 5  # of a mix, usually
_DIMS = 4  # of a grid at most, beyond which influences cost too much
_FORETOLD = 40  # measured jobs, from which on slowdowns are predicted


@dataclass(frozen=True, eq=False)
class _Stay:
    placed: Placed
    start: float  # cycle
    end: float
    period: float  # cycles of an iteration alone
    packets: float  # of an iteration


def cheapest(plan: CosimPlan, placing: Placing, rates: Rates, jobs: Sequence[Job]) -> tuple[str, float, str]:
    """Return the cheapest fidelity that includes sharing, its target half-width, and the reason in words.

    Only the default target half-width becomes coarser, and only for mixes that would otherwise take longer
    than minutes.
    """
    own = target = plan.target_half_width
    live = live_packets(placing, jobs) + len(jobs) * (1 + 2 * times_alone(placing)) * _NETWORK
    if live <= _LITTLE:
        return "live", own, "fidelity live was chosen: the packets of all jobs are few enough"
    # Sampled times skip nothing where that would cost more, so they never cost more than live ones.
    stays = _rehearsed(plan, placing, rates, jobs)
    share = len(jobs) / max(1, min(len(jobs), _REHEARSED))
    sampled, mixes = share * _sampled(stays, placing), math.inf
    if sampled > _LITTLE and not (isinstance(placing.machine, Grid) and placing.machine.dims > _DIMS):
        present = [_presence(placing, one) for one in stays]
        for target in (own, *(_COARSER if own == CosimPlan.target_half_width else ())):
            mixes = share * _mixes(stays, present, placing, rates, target)
            if min(sampled, mixes) <= _MINUTES:
                break
    best, target = ("sampled", own) if sampled <= mixes else ("mixes", target)
    costs = {"sampled": sampled, "mixes": mixes, "live": live}
    said = ", ".join(f"{name} {cost / 1e6:.2g}" for name, cost in costs.items() if cost < math.inf)
    why = f"fidelity {best} was chosen; predicted costs in millions of packets: {said}"
    if target != own:
        why += f"; the target half-width is {target:g}, because {own:g} would take more than minutes"
    return best, target, why


def _rehearsed(plan: CosimPlan, placing: Placing, rates: Rates, jobs: Sequence[Job]) -> list[_Stay]:
    """Return the jobs that communicate, in the order of their starts."""
    stays: list[_Stay] = []
    periods: dict[Work, float] = {}
    stuck: set[Work] = set()
    loops = LoopTimes(rates.placing, rates.target_half_width, rates.memory, draws=1)
    second = placing.config.cycle_ns * 1e-9

    def period(placed: Placed) -> float:
        once = replace(placed.work, iterations=1)
        if once not in periods:
            try:
                known = loops.block(replace(placed, work=once), 1) if once.application else once.compute
            except DeadlockError as error:
                stuck.add(once)
                known = error.cycle
            periods[once] = max(1.0, known)
        return periods[once]

    def cycles(placed: Placed) -> float:
        return placed.work.iterations * period(placed)

    def longest(job: Job) -> float:
        work = placing.work_of(job)
        compact = Placed(job, work, placing.machine.computing[: work.tasks])
        return plan.estimate_factor * (job.run_time or cycles(compact) * second)

    def begun(placed: Placed, start: int, taken: float) -> None:
        packets = packets_of(placing, placed.work)
        if packets and taken and replace(placed.work, iterations=1) not in stuck:
            stays.append(_Stay(placed, start, start + taken, period(placed), packets))

    own = plan.jobs
    schedule(
        placing.machine,
        itertools.islice(jobs, _REHEARSED),
        own.policy,
        make_partitioner(own.partition, placing.machine, own.seed),
        TableExecution(placing, cycles, longest, begun),
        estimates=own.estimates,
        overrun=own.overrun,
        installed=own.installed,
    )
    return stays


def _sampled(stays: Sequence[_Stay], placing: Placing) -> float:
    """Return the packets of both runs of all jobs, and of each alone."""
    together = 0.0
    for span, _, _, running in intervals([(one.start, one.end) for one in stays]):
        here = [stays[place] for place in running]
        if here:
            slowest, shortest = max(one.period for one in here), min(one.end - one.start for one in here)
            rate = sum(one.packets / one.period for one in here)
            together += _cost(rate, span, len(here), simulated_cycles(span, slowest, shortest))
    alone = {(one.placed.work, one.placed.nodes.tobytes()): one for one in stays}
    own = _NETWORK * len(alone)
    for one in alone.values():
        span = one.end - one.start
        own += _cost(one.packets / one.period, span, 1, simulated_cycles(span, one.period, span))
    return 2 * together + times_alone(placing) * own


def _cost(rate: float, span: float, jobs: int, sampled: tuple[float, int]) -> float:
    """Return the cost of some cycles with so many packets a cycle, of which a part is sampled."""
    cycles, looks = sampled
    return min(rate * cycles + LOOK * jobs * looks, 1.3 * rate * span + LOOK * jobs)


def _presence(placing: Placing, one: _Stay) -> Presence:
    return presence(placing, one.placed, one.period, max(1.0, one.period - one.placed.work.compute))


def _mixes(
    stays: Sequence[_Stay], present: Sequence[Presence], placing: Placing, rates: Rates, target: float
) -> float:
    """Return the packets of each mix that is simulated, and of each job alone."""
    draws = times_alone(placing)
    alone = {rates.key([one.placed])[0]: one for one in stays}
    packets = draws * sum(
        2 * _NETWORK + one.packets * timed_iterations(one.placed.work, one.period) for one in alone.values()
    )
    neighbours, known, measured = Neighbours(SLACK * target), set[object](), 0

    def settled(place: int, foretold: float) -> bool:
        nonlocal measured
        measured += 1
        return measured > _FORETOLD

    for _, gone, came, _ in intervals([(one.start, one.end) for one in stays]):
        for place in gone:
            neighbours.go(place)
        for place in came:
            neighbours.come(place, present[place])
        for wanted in neighbours.to_measure(settled):
            some = [stays[place] for place in (*wanted.watched, *wanted.beside)]
            placed, once = [one.placed for one in some], [one.period for one in some]
            key = rates.key(placed, len(wanted.watched))[0]
            if len(placed) > 1 and key not in known:
                known.add(key)
                packets += _WINDOWS * (_NETWORK + rates.window_packets(placed, len(wanted.watched), once))
    return packets
