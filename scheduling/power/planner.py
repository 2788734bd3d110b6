"""One planning of a rolling horizon: a list, the best profile for it, and a window around it.

Source of the two phases: O. Marra et al., "Green Computing: Design of a power saving solution based on Mixed
Integer Programming (MIP)", CMCC research paper, 2011. Boots, stops, the list and the window around it are
ours: energy alone would pack jobs one behind the other up to the horizon's end.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from netplace.inputs import check_float, check_int
from netplace.scheduling.power.on_off import OnOffPlan, SlotJob, Slots, plan_on_off, profile

_LESS = 1e-6  # relative: an energy that is less by less than this is the same


@dataclass(frozen=True)
class Planning:
    """Parameters of the planner.

    Attributes
    ----------
    slot : float
        Length of a slot in seconds.
    early, late : int
        Number of slots by which a job can start before and after its start in the list. No plan defers a job
        by more than `late`.
    jobs : int
        Number of jobs that are planned: the first ones of the queue.
    seconds : float
        Time limit of each phase of the solver. If it is reached, results depend on the speed of the computer.
    nodes : int
        Largest number of nodes of the solver's search tree in each phase; 0 means no limit. With this limit,
        results do not depend on the computer.
    gap : float
        Relative distance to the bound at which the solver can stop.
    slack : float
        Share by which the second phase may exceed the least energy.
    """

    slot: float = 300.0
    early: int = 0
    late: int = 2
    jobs: int = 50
    seconds: float = 10.0
    nodes: int = 0
    gap: float = 0.005
    slack: float = 0.002

    def __post_init__(self) -> None:
        check_float(self.slot, "switching plan: slot", 1e-3, 1e9)
        check_float(self.seconds, "switching plan: seconds", 1e-3, 1e9)
        check_float(self.gap, "switching plan: gap", 0, 1)
        check_float(self.slack, "switching plan: slack", 0, 1)
        for name, minimum in (("early", 0), ("late", 0), ("jobs", 1), ("nodes", 0)):
            check_int(getattr(self, name), f"switching plan: {name}", minimum)


@dataclass(frozen=True, eq=False)
class Planned:
    """A plan for starting jobs and switching nodes.

    Attributes
    ----------
    listed : tuple of int
        Starts of the jobs in the list.
    list_energy : float
        Least energy with the starts of the list, in watt-slots.
    fell_back : bool
        Whether the plan uses the starts of the list, because nothing better was found within the limits.
    timed_out : bool
        Whether the solver reached its time limit.
    """

    plan: OnOffPlan
    listed: tuple[int, ...]
    list_energy: float
    fell_back: bool
    timed_out: bool


def list_starts(slots: Slots, jobs: tuple[SlotJob, ...]) -> tuple[int, ...] | None:
    """Return the first slot from which each job fits, in order, or None if some job never fits.

    Nodes that are off can be used after the duration of a boot.
    """
    free = _usable(slots) - slots.use()
    starts = []
    for job in jobs:
        fits = free >= job.nodes
        # The first start from which on so many slots in a row have enough.
        ends = np.cumsum(np.concatenate([[0], fits]))
        whole_windows = ends[job.slots :] - ends[: len(ends) - job.slots] == job.slots
        places = np.flatnonzero(whole_windows[max(job.first, 0) :])
        if not len(places):
            return None
        start = int(places[0]) + max(job.first, 0)
        free[start : start + job.slots] -= job.nodes
        starts.append(start)
    return tuple(starts)


def make_plan(slots: Slots, jobs: tuple[SlotJob, ...], planning: Planning) -> Planned | None:
    """Return the plan with the starts of the list, or one with starts close to these if it needs less energy.

    The horizon must be long enough for the list and for deferred jobs; the result is None if the list does
    not fit. `jobs` are in order of submission; a job is not deferred past its `SlotJob.last`, unless its
    start in the list is later.
    """
    listed = list_starts(slots, jobs)
    if listed is None:
        return None
    own = profile(slots, jobs, listed)
    if own is None:
        return None
    window = tuple(
        replace(
            job,
            first=max(start - planning.early, job.first, 0),
            # `late` slots behind the list, or what was promised before.
            last=start + planning.late
            if job.last is None
            else max(start, min(start + planning.late, job.last)),
            release=job.first if job.release is None else job.release,
        )
        for job, start in zip(jobs, listed, strict=True)
    )
    if all(job.first == job.last for job in window):
        return Planned(own, listed, own.energy, False, False)
    try:
        plan = plan_on_off(
            slots,
            window,
            "flow",
            slack=planning.slack,
            seconds=planning.seconds,
            gap=planning.gap,
            nodes=planning.nodes,
        )
    except TimeoutError:
        return Planned(own, listed, own.energy, True, True)
    if plan is None or plan.energy >= own.energy * (1 - _LESS):
        stopped = plan is not None and not plan.proven
        return Planned(own, listed, own.energy, True, stopped)
    return Planned(plan, listed, own.energy, False, not plan.proven)


def _usable(slots: Slots) -> NDArray[np.int64]:
    """Return how many nodes can be on in each slot if all boot at once."""
    boot, stop = slots.power.boot_slots, slots.power.stop_slots
    usable = np.full(slots.slots, slots.nodes, np.int64)
    usable[:boot] = slots.on
    for nodes, begun in slots.booting:
        usable[max(begun + boot, 0) : boot] += nodes
    for nodes, begun in slots.stopping:
        usable[boot : begun + stop + boot] -= nodes
    return usable
