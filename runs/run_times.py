"""Run times of programs on their nodes, from a table or a store: what a scheduler needs of the network.

An *entry* is a program, its number of tasks, its place and its mapping, under one set of network settings. A
table has the cycles of the entry for some numbers of repetitions; between and beyond them, one more
repetition takes as long as between the two nearest. Times are those of a job that runs alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from netplace.netsim import Config
from netplace.runs.campaign import Progress, complete
from netplace.runs.execute import Ended
from netplace.runs.executors import Executor
from netplace.runs.file_times import BEST_KNOWN
from netplace.runs.places import Place, canonical, is_random, on_slots, place_of, stays_inside
from netplace.runs.programs import request_of
from netplace.runs.repetitions import RepeatedTime, without_repeats
from netplace.runs.resolve import resolve
from netplace.runs.spec import Run
from netplace.runs.store import Store
from netplace.runs.tables import entry_of, read_table, run_table, settings_of, times_of
from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Allocation
from netplace.scheduling.partitioner.shapes import Choices, Factors, Shape
from netplace.topologies import Grid, Topology
from netplace.topologies.compute_nodes import slots_a_host

if TYPE_CHECKING:
    import pandas as pd

_MOST_RANKED = 4096  # kinds of jobs whose boxes are kept in order
_ENOUGH_DRAWS = 3  # for a mean that also serves other networks on which the place is the same


Key = tuple[str, int, Place]  # program, tasks and place: what the mappings of a table have in common


@dataclass(eq=False)
class RunTimeTable:
    """Run times of programs on a machine; implements `netplace.scheduling.RunTimes`.

    Jobs without a program keep their own run times.

    Parameters
    ----------
    machine : Topology
        The network of the machine.
    frame : DataFrame
        A table of runs or of run times.
    config : Config
        Settings of the network; only entries with these settings count.
    mapping : str
        The mapping of all jobs, or ``"best-known"``: of the mappings that the table has for a program in its
        place, the one with the shortest mean time.
    mappings : sequence of str
        Mappings among which ``"best-known"`` chooses; empty means all.
    separate : bool
        Whether each repetition takes as long as one alone, instead of following the one before without a
        barrier.
    scattered_factor : float or None
        Run time outside any box or subtree that the table has, relative to the longest one in a box; None
        means that such a time must be in the table.
    equal_rotations : bool
        Whether boxes with the same sides take the same time: that of the box with its longest side first.
    inside : bool
        Whether only boxes that minimal routes stay in are of interest.
    seeds : int
        Number of seeds of each run time that is simulated.
    supply : callable, optional
        Function that simulates runs and returns a table with their times; it is called for run times that the
        table lacks.
    name : str
        What the table is called in errors.
    """

    machine: Topology
    frame: InitVar[pd.DataFrame]
    config: Config = field(default_factory=Config)
    mapping: str = "consecutive"
    mappings: Sequence[str] = ()
    separate: bool = False
    scattered_factor: float | None = None
    equal_rotations: bool = False
    inside: bool = False
    seeds: int = 1
    supply: Callable[[list[Run]], pd.DataFrame] | None = None
    name: str = "table"

    def __post_init__(self, frame: pd.DataFrame) -> None:
        self._slots = slots_a_host(self.machine)
        self._settings = settings_of(self.config)
        self._boxes_of: dict[str, Factors] = {}  # which keep those of each size
        self._rows: list[dict[str, Any]] = []  # of all settings, for errors
        self._known: dict[Key, dict[str, RepeatedTime]] = {}  # by mapping
        self._ranked: dict[tuple[str, int, int, int], list[tuple[float, Shape, str]]] = {}
        self.add(frame)

    @classmethod
    def read(cls, path: str | Path, machine: Topology, **options: Any) -> RunTimeTable:
        """Return the run times of a file: a table as CSV or Parquet, or a store."""
        path = Path(path)
        if path.suffix in (".csv", ".parquet"):
            frame = read_table(path)
        else:
            with Store(path, read_only=True) as store:
                frame = run_table(store.rows())
        return cls(machine, frame, name=str(path), **options)

    def add(self, frame: pd.DataFrame) -> None:
        """Add the entries of a table of runs or of run times; those that were there are replaced."""
        self._ranked.clear()
        for row in times_of(frame, self.name).to_dict("records"):
            self._rows.append(row)
            found = self._entry(row)
            if found is None:
                continue
            key, repeats = found
            times = self._known.setdefault(key, {})
            known = times.get(row["mapping"], RepeatedTime())
            cycles = dict(known.cycles)
            if row["count"] > 0:
                cycles[repeats] = float(row["mean"])
            times[row["mapping"]] = RepeatedTime(cycles, known.failed + int(row["failed"]))

    def _entry(self, row: Mapping[str, Any]) -> tuple[Key, int] | None:
        """Return what a row is a time of, and its number of repetitions; None if it is of no use here."""
        if row["settings"] != self._settings or row["tasks"] != row["tasks"]:
            return None
        rule = f"{row['partition']}:{row['shape']}" if row["shape"] else row["partition"]
        try:
            place = place_of(row["network"], rule, int(row["tasks"]), self.config)
        except (ValueError, OSError):  # several jobs, or a file of the network that is not here
            return None
        if place is None:
            return None
        if place[0] == "mesh" and row["count"] < _ENOUGH_DRAWS and is_random(place, self.config):
            place = row["network"], place[1]
        program, repeats = _program_of(row)
        return (program, int(row["tasks"]), place), repeats

    def seconds(self, job: Job, allocation: Allocation) -> float:
        """Return the run time of a job on its nodes in seconds."""
        if not job.program:
            return job.run_time
        allocation = on_slots(self.machine, allocation)
        mapping = allocation.mapping or self.mapping
        cycles = self._cycles(job, allocation)
        if cycles is None and allocation.shape is None and self.scattered_factor is not None:
            boxes = [cycles for cycles, _, _ in self._boxes(job)]
            cycles = self.scattered_factor * max(boxes) if boxes else None
        if cycles is None:
            raise LookupError(self.lacking([self.run_of(job, allocation, self._simulated(mapping))]))
        return self._seconds(job, cycles)

    def _seconds(self, job: Job, cycles: float) -> float:
        """Return the seconds of a job whose program takes so many cycles.

        A job of a log takes its run time in its compact place with the consecutive mapping; elsewhere, the
        share in which it communicates is as much longer as its program.
        """
        if not job.run_time:
            return cycles * (self.config.cycle_ns * 1e-9)
        compact = self._cycles(job, self.compact(job))
        if compact is None:
            raise LookupError(self.lacking([self.run_of(job, self.compact(job), "consecutive")]))
        return job.run_time * (1 - job.communication + job.communication * cycles / compact)

    def compact(self, job: Job) -> Allocation:
        """Return a compact place for a job on the empty machine, with the consecutive mapping."""
        if isinstance(self.machine, Grid):
            shape = self._factors("cubic")(job)[0][0]
            return Allocation(np.arange(math.prod(shape)), shape, "consecutive")
        return Allocation(np.arange(job.nodes * self._slots), mapping="consecutive")

    def _cycles(self, job: Job, allocation: Allocation) -> float | None:
        """Return the cycles of a job on its nodes, which are simulated if that is possible and necessary."""
        self._complete(job, [allocation])
        best = self.best(job, self.place(job, allocation), allocation.mapping or self.mapping)
        return None if best is None else best[0]

    def _complete(self, job: Job, places: Sequence[Allocation]) -> None:
        """Simulate the run times of a job that are missing, if that is possible."""
        before: set[str] = set()
        while self.supply is not None and (runs := self.missing([job], {job.number: places})):
            self.add(self.supply(runs))
            if {run.key for run in runs} <= before:
                raise LookupError(f"{self.lacking(runs)}: was simulated, and gave no run time")
            before |= {run.key for run in runs}

    def longest(self, job: Job) -> float:
        """Return the longest run time in seconds over the known places of a job."""
        if not job.program:
            return job.run_time
        known = [cycles for cycles, _, _ in self._boxes(job)]
        if not known:
            first = Allocation(np.arange(job.nodes * self._slots))
            cycles = self._cycles(job, first)
            if cycles is None:
                raise LookupError(self.lacking([self.run_of(job, first, self._simulated(self.mapping))]))
            known = [cycles]
        return self._seconds(job, max(known))

    def ranking(self, job: Job) -> Choices:
        """Return the boxes for a job with their best mappings, the fastest first; unknown ones come last."""
        grid = self.machine
        assert isinstance(grid, Grid)
        ranked = [(shape, mapping) for _, shape, mapping in self._boxes(job)]
        listed = {shape for shape, _ in ranked}
        return [*ranked, *((shape, "") for shape, _ in self._factors("exact")(job) if shape not in listed)]

    def best(self, job: Job, place: Place, mapping: str) -> tuple[float, str] | None:
        """Return the cycles of a job in a place and its mapping, the fastest one for ``"best-known"``."""
        times = self._times(job, place)
        wanted = times if mapping == BEST_KNOWN else [mapping]
        if mapping == BEST_KNOWN and self.mappings:
            wanted = [name for name in self.mappings if name in times]
        totals = [
            (total, name)
            for name in wanted
            if name in times and (total := times[name].total(job.repeats, self.separate)) is not None
        ]
        return min(totals, default=None)

    def place(self, job: Job, allocation: Allocation) -> Place:
        """Return the place of a job in an allocation."""
        if allocation.shape is None:
            return canonical(self.machine, allocation.nodes[: self.tasks(job)], self.config)
        return self._box_place(allocation.shape)

    def tasks(self, job: Job) -> int:
        return job.tasks or job.nodes * self._slots

    def _box_place(self, shape: Shape) -> Place:
        assert isinstance(self.machine, Grid)
        inside = stays_inside(self.machine, shape)
        return ("mesh" if inside else self.machine.text), f"box:{self._sides(shape)}"

    def _sides(self, shape: Shape) -> str:
        """Return the sides of the box that is simulated for a box, as text."""
        if self.equal_rotations:
            shape = tuple(side for side in sorted(shape, reverse=True) if side > 1) or (1,)
        return "x".join(map(str, shape))

    def _factors(self, kind: str) -> Factors:
        """Return the boxes of a job: the most ``"cubic"`` ones, those of its ``"exact"`` size, or all."""
        if kind not in self._boxes_of:
            assert isinstance(self.machine, Grid)
            self._boxes_of[kind] = Factors(
                self.machine, cubic=kind == "cubic", round_up=kind != "exact", inside=self.inside
            )
        return self._boxes_of[kind]

    def _times(self, job: Job, place: Place) -> Mapping[str, RepeatedTime]:
        program = program_text(job.program, self.tasks(job), self.machine.text, self.config)
        own = {}
        if place[0] == "mesh":  # few draws of a network that draws serve that network alone
            own = self._known.get((program, self.tasks(job), (self.machine.text, place[1])), {})
        return {**own, **self._known.get((program, self.tasks(job), place), {})}

    def _boxes(self, job: Job) -> list[tuple[float, Shape, str]]:
        """Return cycles, shape and best mapping of each box with a known time, the fastest first."""
        if not isinstance(self.machine, Grid) or not job.program:
            return []
        key = job.program, job.tasks, job.nodes, job.repeats
        if key not in self._ranked:
            boxes = [shape for shape, _ in self._factors("all")(job)]
            self._complete(job, [Allocation(np.arange(math.prod(shape)), shape) for shape in boxes])
            known = [(self.best(job, self._box_place(shape), self.mapping), shape) for shape in boxes]
            if len(self._ranked) >= _MOST_RANKED:
                self._ranked.clear()
            timed = [(best[0], shape, best[1]) for best, shape in known if best is not None]
            self._ranked[key] = sorted(timed, key=lambda box: box[0])
        return self._ranked[key]

    def missing(self, jobs: Iterable[Job], places: Mapping[int, Sequence[Allocation]]) -> list[Run]:
        """Return the runs that the table lacks for jobs in the places that an allocator can give them.

        `places` has them by the number of a job; jobs of the same program and size may share one list. The
        runs for the period of repetitions come one after the other: when these runs are added, there may be
        more.
        """
        wanted: dict[str, Run] = {}
        seen: set[tuple[Any, ...]] = set()
        for job in jobs:
            if not job.program:
                continue
            own = [self.compact(job)] if job.run_time else []
            for allocation in (*own, *places.get(job.number, ())):
                nodes = allocation.shape or allocation.nodes.tobytes()
                key = job.program, job.tasks, job.nodes, job.repeats > 1, nodes, allocation.mapping
                if key in seen or (allocation.shape is None and self.scattered_factor is not None):
                    continue
                seen.add(key)
                for run in self._missing_of(job, allocation):
                    for seed in range(self.seeds):
                        wanted[run.seeded(seed).key] = run.seeded(seed)
        return list(wanted.values())

    def _missing_of(self, job: Job, allocation: Allocation) -> Iterator[Run]:
        times = self._times(job, self.place(job, allocation))
        names = [allocation.mapping or self.mapping]
        if names == [BEST_KNOWN]:
            names = list(self.mappings or times or ["consecutive"])
        for name in names:
            time = times.get(name, RepeatedTime())
            if time.failed and not time.cycles:
                continue
            if 1 not in time.cycles:
                yield self.run_of(job, allocation, name)
            elif job.repeats > 1 and not self.separate and not time.failed:
                count = time.next_repeats
                if count is not None:
                    yield self.run_of(job, allocation, name, count)

    def _simulated(self, mapping: str) -> str:
        return next(iter(self.mappings), "consecutive") if mapping == BEST_KNOWN else mapping

    def run_of(self, job: Job, allocation: Allocation, mapping: str, repeats: int = 1) -> Run:
        """Return the run of a job alone in its place; a mesh of the sides of a box, if that is the same."""
        request = _request(job.program, self.tasks(job)) | {"mapping": mapping}
        if repeats > 1:
            request["repeats"] = repeats
        network, place = found = self.place(job, allocation)
        if place.startswith("box:"):
            sides = place.removeprefix("box:")
            few = self.seeds < _ENOUGH_DRAWS and is_random(found, self.config)
            alone = network == "mesh" and not few
            network, place = (f"mesh:{sides}", "whole") if alone else (self.machine.text, f"boxes:{sides}")
        try:
            return resolve(network, request, partition=place, config=self.config)
        except ValueError as error:
            raise ValueError(f"job {job.number}, program {job.program!r}: {error}") from None

    def lacking(self, runs: Sequence[Run]) -> str:
        """Return a sentence about runs that the table lacks, and the nearest entry that it has."""
        described = [describe(run) for run in runs]
        more = f" (+{len(described) - 3} more; --list FILE)" if len(described) > 3 else ""
        many = "the run time" if len(described) == 1 else f"{len(described)} run times"
        told = f"{self.name}: lacks {many} of {'; '.join(described[:3])}{more}{self._nearest(runs[0])}"
        if self.supply is not None:
            return told
        boxes = ", --scattered-factor takes a time in a box" if isinstance(self.machine, Grid) else ""
        return f"{told}; a store and --simulate make what is missing{boxes}"

    def _nearest(self, run: Run) -> str:
        wanted = entry_of(run)
        rows = [row for row in self._rows if row["application"] == wanted["application"]]
        columns = ("problem", "tasks", "network", "partition", "shape", "mapping", "settings")
        if not rows:
            return ""
        best = min(rows, key=lambda row: sum(row[name] != wanted[name] for name in columns))
        differing = [name for name in columns if best[name] != wanted[name]]
        if "settings" in differing:
            ours, theirs = wanted["settings"] or "default", best["settings"] or "default"
            return f". The nearest entry has other settings: {theirs}, expected {ours}"
        return ". The nearest entry differs in " + ", ".join(
            f"{name}: {best[name] or 'none'}, expected {wanted[name] or 'none'}" for name in differing
        )


def simulated_times(
    runs: Sequence[Run],
    store: Store,
    executor: Callable[[], Executor[Run, Ended]],
    tell: Callable[[Progress], None] = lambda _: None,
) -> pd.DataFrame:
    """Simulate the runs that a store lacks, and return the table of all of them."""
    progress = complete(runs, store, executor(), tell)
    if progress.lost:
        raise ValueError(f"run times: {progress.reason}")
    return run_table(store.rows(runs))


def describe(run: Run) -> str:
    """Return the entry of a run in words."""
    entry = entry_of(run)
    program = ",".join(filter(None, (entry["application"], entry["problem"])))
    place = ":".join(filter(None, (entry["partition"], entry["shape"])))
    where = entry["network"] if place == "whole" else f"{place} of {entry['network']}"
    settings = f", {entry['settings']}" if entry["settings"] else ""
    return f"{program} with {entry['tasks']} tasks on {where}, mapping {entry['mapping']}{settings}"


@lru_cache(maxsize=4096)
def program_text(program: str, tasks: int, network: str, config: Config) -> str:
    """Return a program in the form in which tables have it: the name, then what differs from the defaults."""
    return _program_of(entry_of(resolve(network, _request(program, tasks), config=config)))[0]


def _request(program: str, tasks: int) -> dict[str, Any]:
    """Return the request of a program; a trace has the tasks that it has."""
    request = request_of(program)
    return request if "trace" in request else request | {"tasks": tasks}


def _program_of(row: Mapping[str, Any]) -> tuple[str, int]:
    """Return the program of a row of a table, and the number of its repetitions."""
    problem, repeats = without_repeats(str(row["problem"]))
    return ",".join(filter(None, (str(row["application"]), problem))), repeats
