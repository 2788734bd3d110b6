"""Which of equal nodes are on, slot by slot, for jobs that hold whole nodes: an on/off linear program.

With fixed starts of the jobs this is a linear program whose solutions are whole by themselves; with starts
free within windows it has a binary variable for each job and slot.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from netplace.inputs import check_choice
from netplace.records import freeze_arrays
from netplace.scheduling.power.model import PowerModel
from netplace.scheduling.power.program import Program, Solved

SECONDS = ("flow", "makespan")
_ROUNDING = 1e-7  # relative: energies closer than that are equal
_WIDER = (1, 10, 100)  # times that: more where the solver cannot keep to the bound


@dataclass(frozen=True)
class SlotJob:
    """A waiting job: its number of nodes, and its length in slots.

    Attributes
    ----------
    first, last : int
        First and last slot in which it can start; if `last` is None, any slot in which it still ends in time.
    release : int or None
        Slot from which its flow time counts; None means `first`.
    """

    nodes: int
    slots: int
    first: int = 0
    last: int | None = None
    release: int | None = None


@dataclass(frozen=True)
class SlotPower:
    """Power that a node draws, in watts, and number of slots that a boot and a stop take."""

    busy: float
    idle: float
    off: float
    boot: float
    stop: float
    boot_slots: int
    stop_slots: int

    @classmethod
    def of(cls, model: PowerModel, slot: float) -> SlotPower:
        """Return the power of a model's nodes in slots of so many seconds."""
        slots = (math.ceil(seconds / slot) for seconds in (model.boot_seconds, model.stop_seconds))
        return cls(model.busy, model.idle, model.off, model.boot_watts, model.stop_watts, *slots)


@dataclass(frozen=True)
class Slots:
    """Identical nodes over slots 0 to ``slots - 1``; jobs must end by the last slot.

    Attributes
    ----------
    held : tuple of (int, int)
        Pairs of a number of nodes and the slot before which running jobs hold them.
    on : int
        Number of nodes that are on before slot 0, including held ones.
    keep : int
        Smallest number of nodes that must be on.
    booting, stopping : tuple of (int, int)
        Pairs of a number of nodes and the slot (before 0) in which their boot or stop began.
    """

    nodes: int
    slots: int
    power: SlotPower
    held: tuple[tuple[int, int], ...] = ()
    on: int = 0
    keep: int = 0
    booting: tuple[tuple[int, int], ...] = ()
    stopping: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        for name in ("nodes", "slots", "on", "keep"):
            if getattr(self, name) < 0:
                raise ValueError(f"plan: {name} is {getattr(self, name)}, expected 0 or more")
        if self.on > self.nodes:
            raise ValueError(f"plan: {self.on} nodes are on, but the machine has {self.nodes}")

    def use(self) -> NDArray[np.int64]:
        """Return the number of nodes that running jobs hold in each slot."""
        used = np.zeros(self.slots, np.int64)
        for nodes, until in self.held:
            used[: max(until, 0)] += nodes
        return used


@dataclass(frozen=True, eq=False)
class OnOffPlan:
    """A plan for starting jobs and switching nodes.

    Attributes
    ----------
    energy : float
        Energy in watt-slots, including all of the boots and stops that continue past the end.
    second : float
        Value of the second objective at this energy.
    starts : tuple of int
        Slot in which each job starts.
    on, boots, stops : ndarray of float64, shape (slots,)
        Numbers of nodes that are on, that begin to boot, and that begin to stop in each slot.
    proven : bool
        Whether both objectives are proven to be optimal within the gap.
    seconds : float
        CPU time of the solver in seconds.
    """

    energy: float
    second: float
    starts: tuple[int, ...]
    on: NDArray[np.float64]
    boots: NDArray[np.float64]
    stops: NDArray[np.float64]
    proven: bool
    seconds: float

    def __post_init__(self) -> None:
        freeze_arrays(self)


def plan_on_off(
    slots: Slots,
    jobs: tuple[SlotJob, ...],
    second: Literal["flow", "makespan"] = "flow",
    *,
    slack: float = 0.0,
    seconds: float = math.inf,
    gap: float = 0.0,
    nodes: int = 0,
) -> OnOffPlan | None:
    """Return a plan with the least energy and, among plans that need little more, least flow or makespan.

    The result is None if there is no plan.

    Parameters
    ----------
    second : {"flow", "makespan"}
        Second objective: the sum over the jobs of end minus release, or the last end.
    slack : float
        Share by which the second phase may exceed the least energy.
    seconds, gap : float
        Time limit of each phase, and relative distance to the bound at which the solver can stop.
    nodes : int
        Largest number of nodes of the solver's search tree in each phase; 0 means no limit.
    """
    check_choice(second, SECONDS, "second objective")
    model = _Model(slots, jobs)
    if model.hopeless:
        return None
    first = model.program.solve(model.energy, seconds, gap, nodes)
    if first.values is None:
        if first.proven:
            return None
        raise TimeoutError(f"no plan in {seconds:g} s")
    energy = first.objective + model.constant
    objective, known = model.second(second)
    limit = model.program.row(model.energy)
    took = first.seconds
    for factor in _WIDER:
        bound = energy + (slack + factor * _ROUNDING) * max(1.0, abs(energy))
        model.program.bound_row(limit, high=bound - model.constant)
        after = model.program.solve(objective, seconds, gap, nodes)
        took += after.seconds
        # The first phase's plan keeps the bound: a solver that finds none has been misled by rounding.
        if after.values is not None or not after.proven:
            break
    best = first if after.values is None else after
    proven = after.values is not None and after.proven and first.proven
    return model.read(best, objective, known, proven, took, energy)


def profile(slots: Slots, jobs: tuple[SlotJob, ...], starts: tuple[int, ...]) -> OnOffPlan | None:
    """Return the plan with the least energy for the given starts of the jobs, or None if there is no plan."""
    fixed = tuple(
        replace(job, first=start, last=start, release=job.first if job.release is None else job.release)
        for job, start in zip(jobs, starts, strict=True)
    )
    model = _Model(slots, fixed)
    if model.hopeless:
        return None
    solution = model.program.solve(model.energy)
    if solution.values is None:
        return None
    return model.read(solution, *model.second("flow"), solution.proven, solution.seconds)


class _Model:
    """The program, and where its variables stand."""

    def __init__(self, slots: Slots, jobs: tuple[SlotJob, ...]) -> None:
        self.slots, self.jobs, self.program = slots, jobs, Program()
        count, program = slots.slots, self.program
        self.windows = [self._window(job) for job in jobs]
        self.hopeless = any(not len(window) for window in self.windows)
        self.starts = [program.add(len(window), 0, 1, whole=True) for window in self.windows]
        self.on, self.boots, self.stops = (program.add(count) for _ in range(3))
        (self.last,) = program.add(1).tolist()
        self._use()
        self._switching()
        self._energy()
        for window, starts, job in zip(self.windows, self.starts, jobs, strict=True):
            program.row({int(start): 1.0 for start in starts}, 1, 1)
            ends = {int(start): -float(slot + job.slots) for slot, start in zip(window, starts, strict=True)}
            program.row({self.last: 1.0} | ends, low=0)

    def _window(self, job: SlotJob) -> range:
        last = self.slots.slots - job.slots
        return range(max(job.first, 0), (last if job.last is None else min(job.last, last)) + 1)

    def _use(self) -> None:
        terms: list[dict[int, float]] = [{int(variable): 1.0} for variable in self.on]
        for window, starts, job in zip(self.windows, self.starts, self.jobs, strict=True):
            for slot, start in zip(window, starts.tolist(), strict=True):
                for later in range(slot, slot + job.slots):
                    terms[later][start] = -float(job.nodes)
        for variables, held in zip(terms, self.slots.use().tolist(), strict=True):
            self.program.row(
                variables, low=float(max(held, self.slots.keep)) if len(variables) == 1 else float(held)
            )
        if self.slots.keep:
            for on in self.on.tolist():
                self.program.row({on: 1.0}, low=float(self.slots.keep))

    def _switching(self) -> None:
        """Nodes on change by boots that end and stops that begin; all together are no more than there are."""
        slots, count = self.slots, self.slots.slots
        boot, stop = slots.power.boot_slots, slots.power.stop_slots
        for slot in range(count):
            terms = {int(self.on[slot]): 1.0, int(self.stops[slot]): 1.0}
            known = float(sum(nodes for nodes, begun in slots.booting if begun + boot == slot))
            if slot:
                terms[int(self.on[slot - 1])] = -1.0
            else:
                known += slots.on
            if slot >= boot:
                terms[int(self.boots[slot - boot])] = -1.0
            self.program.row(terms, known, known)
            busy = {int(self.on[slot]): 1.0}
            busy |= {int(variable): 1.0 for variable in self.boots[max(0, slot - boot + 1) : slot + 1]}
            busy |= {int(variable): 1.0 for variable in self.stops[max(0, slot - stop + 1) : slot + 1]}
            taken = sum(nodes for nodes, begun in slots.booting if slot < begun + boot)
            taken += sum(nodes for nodes, begun in slots.stopping if slot < begun + stop)
            self.program.row(busy, high=float(slots.nodes - taken))

    def _energy(self) -> None:
        power, count = self.slots.power, self.slots.slots
        self.constant = power.off * self.slots.nodes * count
        self.constant += (power.busy - power.idle) * float(self.slots.use().sum())
        self.constant += (power.busy - power.idle) * sum(float(job.nodes * job.slots) for job in self.jobs)
        self.energy = dict.fromkeys(self.on.tolist(), power.idle - power.off)
        self.energy |= dict.fromkeys(self.boots.tolist(), power.boot_slots * (power.boot - power.off))
        self.energy |= dict.fromkeys(self.stops.tolist(), power.stop_slots * (power.stop - power.off))

    def second(self, name: str) -> tuple[dict[int, float], float]:
        if name == "makespan":
            return {self.last: 1.0}, 0.0
        terms = {
            int(start): float(slot)
            for window, starts in zip(self.windows, self.starts, strict=True)
            for slot, start in zip(window, starts, strict=True)
        }
        known = sum(job.slots - (job.first if job.release is None else job.release) for job in self.jobs)
        return terms, float(known)

    def read(
        self,
        solved: Solved,
        objective: dict[int, float],
        known: float,
        proven: bool,
        seconds: float,
        minimum: float | None = None,
    ) -> OnOffPlan:
        values = solved.values
        assert values is not None
        starts = tuple(
            window[int(values[block].argmax())]
            for window, block in zip(self.windows, self.starts, strict=True)
        )
        second = float(sum(factor * values[place] for place, factor in objective.items()) + known)
        spent = sum(factor * values[place] for place, factor in self.energy.items()) + self.constant
        on, boots, stops = (values[block] for block in (self.on, self.boots, self.stops))
        energy = minimum if minimum is not None and spent <= minimum * (1 + _ROUNDING) else float(spent)
        return OnOffPlan(energy, second, starts, on, boots, stops, proven, seconds)
