"""Jobs whose run times come from a table: the times that a schedule needs, and their simulation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import replace

from netplace.placement.rule import grid_of
from netplace.runs.campaign import Progress
from netplace.runs.execute import Ended
from netplace.runs.executors import Executor
from netplace.runs.networks import network_of
from netplace.runs.places import on_slots
from netplace.runs.plan import Plan
from netplace.runs.resources import simulators
from netplace.runs.run_times import RunTimeTable, simulated_times
from netplace.runs.spec import Run
from netplace.runs.store import Store
from netplace.runs.tables import run_table, time_table
from netplace.scheduling import Allocation, Job, Partitioner, make_partitioner
from netplace.scheduling.partitioner.contiguous import Boxes, Factors
from netplace.scheduling.simulation import reason_against
from netplace.scheduling.workload import Workload
from netplace.topologies import Topology
from netplace.topologies.compute_nodes import network_of_hosts, slots_a_host

if TYPE_CHECKING:
    import pandas as pd


def run_times_of(plan: Plan, jobs: Workload, stack: ExitStack) -> RunTimeTable:
    """Return the run times of a plan; a store is open until `stack` ends."""
    _check_programs(plan, jobs)
    path = plan.times.partition(":")[2]
    if not plan.simulate:
        return RunTimeTable.read(path, network_of(plan.machine), **_options(plan))
    store = stack.enter_context(Store(path))
    return _table_of(plan, store, partial(simulated_times, store=store, executor=partial(simulators, 1)))


def _table_of(
    plan: Plan, store: Store, supply: Callable[[list[Run]], pd.DataFrame] | None = None
) -> RunTimeTable:
    frame = _frame_of(store)
    machine = network_of(plan.machine)
    return RunTimeTable(machine, frame, name=str(store.path), supply=supply, **_options(plan))


def _frame_of(store: Store) -> pd.DataFrame:
    """Return the run times of a store, read again only if the store has changed."""
    file = store.path.stat()
    stamp = file.st_dev, file.st_ino, *store.counts()
    known = _FRAMES.get(store.path)
    if known is None or known[0] != stamp:
        _FRAMES[store.path] = known = stamp, time_table(run_table(store.rows()), sort=False)
    return known[1]


# Of the stores that this process has read, as they were then.
_FRAMES: dict[Path, tuple[tuple[int, ...], pd.DataFrame]] = {}


def _options(plan: Plan) -> dict[str, Any]:
    return {
        "config": plan.config,
        "mapping": plan.mapping,
        "mappings": plan.candidates,
        "separate": plan.separate_repeats,
        "scattered_factor": plan.scattered_factor,
        "equal_rotations": plan.equal_rotations,
        "inside": _stays_inside(plan),
        "seeds": plan.table_seeds,
    }


def _stays_inside(plan: Plan) -> bool:
    return "inside" in plan.partition.partition(":")[2].split(",")


def complete_tables(
    plans: Iterable[Plan],
    jobs_of: Callable[[Plan], Workload],
    executor: Callable[[], Executor[Run, Ended]],
    tell: Callable[[Progress], None] = lambda _: None,
    announce: Callable[[list[Run]], None] = lambda _: None,
) -> None:
    """Simulate the run times that plans need and their stores lack, as far as that is known beforehand.

    `announce` gets the runs of each step. The period of repetitions takes several steps.
    """
    by_store: dict[str, list[Plan]] = {}
    for plan in plans:
        if plan.simulate:
            by_store.setdefault(plan.times.partition(":")[2], []).append(plan)
    for path, own in by_store.items():
        alike = {_needs_of(plan): plan for plan in own}.values()
        # What is wrong is told before a store is made.
        needed = [_needed(plan, jobs_of(plan)) for plan in alike]
        with Store(Path(path)) as store:
            needs = [(_table_of(plan, store), *own) for plan, own in zip(alike, needed, strict=True)]
            while runs := list(
                {
                    run.key: run for table, jobs, places in needs for run in table.missing(jobs, places)
                }.values()
            ):
                announce(runs)
                frame = simulated_times(runs, store, executor, tell)
                for table, _, _ in needs:
                    table.add(frame)


def needed_run_times(
    plans: Iterable[Plan], jobs_of: Callable[[Plan], Workload], only_missing: bool = True
) -> list[Run]:
    """Return the runs that plans need and their tables and stores lack, without those of further repetitions.

    With `only_missing` false, also those that are there.
    """
    runs: dict[str, Run] = {}
    for plan in {_needs_of(plan): plan for plan in plans if plan.times.startswith("table:")}.values():
        path, machine = Path(plan.times.partition(":")[2]), network_of(plan.machine)
        if only_missing and path.exists():
            times = RunTimeTable.read(path, machine, **_options(plan))
        else:
            times = RunTimeTable(machine, run_table([]), **_options(plan))
        runs |= {run.key: run for run in times.missing(*_needed(plan, jobs_of(plan)))}
    return list(runs.values())


def _needs_of(plan: Plan) -> str:
    """Return a text that is the same for plans which need the same run times, whatever their policy."""
    seed = 0 if plan.from_file else plan.seed
    same = replace(plan, policy="", site="", power="", switching="", estimates="", overrun="", seed=seed)
    return repr(same)


def _needed(plan: Plan, jobs: Workload) -> tuple[list[Job], dict[int, list[Allocation]]]:
    """Return one job of each program, size and kind of repetition, and the places that it can get."""
    _check_programs(plan, jobs)
    machine = network_of(plan.machine)
    rule: Partitioner | Factors
    if plan.partition.partition(":")[2].startswith("bps"):
        rule = Factors(grid_of(machine, plan.partition), round_up=True, inside=_stays_inside(plan))
    else:
        rule = make_partitioner(plan.partition, network_of_hosts(machine), plan.seed)
    seen: dict[tuple[object, ...], Job] = {}
    for job in jobs:
        if job.program:
            seen.setdefault((job.program, job.tasks, job.nodes, job.repeats > 1, job.run_time > 0), job)
    chosen = list(seen.values())
    any_box = slots_a_host(machine) == 1
    return chosen, {
        job.number: [on_slots(machine, place) for place in places_of(job, rule, any_box)] for job in chosen
    }


def places_of(job: Job, rule: Partitioner | Factors, any_box: bool = True) -> list[Allocation]:
    """Return the places that an allocator can give a job, each once, as far as they are known beforehand.

    Of places that depend on the other jobs, this is the first. Factors stand for all boxes; without
    `any_box`, only the first box counts.
    """
    if isinstance(rule, Factors) or (any_box and isinstance(rule, Boxes)):
        boxes = rule(job) if isinstance(rule, Factors) else rule.shapes(job)
        return [Allocation(np.arange(int(np.prod(shape))), shape, mapping) for shape, mapping in boxes]
    if reason_against(job, rule):
        return []
    if rule.by_count:
        return [Allocation(np.arange(job.nodes))]  # those of an estimate
    first = rule.find(job)
    return [] if first is None else [first]


def check_complete(times: RunTimeTable, jobs: Workload, plan: Plan, machine: Topology) -> None:
    """Check that a table has all run times that the jobs of a plan need, as far as that is known."""
    missing = times.missing(*_needed(plan, jobs))
    if missing:
        raise ValueError(times.lacking(missing))


def _check_programs(plan: Plan, jobs: Workload) -> None:
    """Check that there are jobs which have run times of a table: those that run programs."""
    if not any(program for program, _ in jobs.kinds):
        raise ValueError(
            f"times {plan.times!r}: no job of {plan.workload} runs a program, so none has run times of a "
            "table, expected times log, or a workload in CSV that names programs"
        )
