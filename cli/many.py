"""From the flags of a command to plans, who executes them, what is kept, and how far it is."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import rich_click as click

from netplace.cli.flags import OUTPUT, PROCESSES, Command, flag, flags
from netplace.cli.provenance import note_plans
from netplace.inputs import check_size
from netplace.report.files.outputs import check_output
from netplace.report.terminal.progress import expected, is_quiet, sweep_progress

if TYPE_CHECKING:
    from netplace.runs import Run
    from netplace.runs.outcome_store import PlanLike
    from netplace.runs.plan import Plan
    from netplace.runs.resources import Resources
    from netplace.runs.store import Store

_MANY = "Parallel execution"


def resource_flags(default: str, *more: str) -> Callable[[Command], Command]:
    """Return what adds ``--workers``, with `more` names, and ``--dask``; `default`: how many."""
    names = " ".join(("--workers", *more, "workers"))
    cluster = (
        "Dask cluster instead of workers, tcp://HOST:PORT, with ,wait=SECONDS for its first worker. "
        "[default: 60]"
    )
    return flags(
        flag(names, f"Worker processes. [default: {default}]", PROCESSES, metavar="N", panel=_MANY),
        flag("--dask", cluster, metavar="ADDRESS", panel=_MANY),
    )


def store_flag(default: str) -> Callable[[Command], Command]:
    """Return what adds ``--store`` to a command; `default` says where results are kept otherwise."""
    text = f"File that stores results; stored results are reused. [default: {default}]"
    return flag("--store", text, OUTPUT, metavar="FILE", panel=_MANY)


study_flags = flags(
    flag(
        "--unpaired",
        "For a study: let each schedule run all jobs that it can, not only the jobs that all can run; "
        "differences are not tested.",
        bool,
        panel=_MANY,
    ),
    flag(
        "--figure figures",
        "For a study: a mean whose differences from the first setting are tested; repeatable. [default: "
        "bounded slowdown; of co-simulations slowdown]",
        multiple=True,
        metavar="NAME",
        panel=_MANY,
    ),
)


@dataclass(frozen=True)
class Execution:
    """Execution of the plans of a command: the executor, and the store of the outcomes."""

    workers: int | None = None  # worker processes; None: as many as the command usually has
    dask: str | None = None  # instead: address of a Dask cluster
    store: Path | None = None  # where outcomes are kept; None: beside the study file, if there is one
    threads: int | str = 1  # threads for each network that is simulated

    def network_threads(self) -> int | str:
        """Return how many threads a network may have beside those that other workers simulate."""
        from netplace.netsim.threads import threads_beside

        return threads_beside(self.threads, self.workers or 1, "--threads")

    def resources(self, default: int | None, plans: int) -> Resources:
        """Return who executes `plans` plans; unless asked otherwise `default` workers, None: one a core."""
        from netplace.runs.resources import Resources

        workers, dask = self.workers, self.dask
        if workers is not None and dask is not None:
            raise ValueError(f"--workers: {workers} given with --dask {dask}, expected one of them")
        if workers is not None and workers > 1 and plans == 1:
            raise ValueError(f"--workers: {workers} given, but a single plan runs in one process")
        return Resources(default if workers is None else workers, dask, self.threads)

    def outcomes(
        self,
        plans: Sequence[PlanLike],
        function: Callable[[Any], Any],
        table: str,
        label: str,
        *,
        beside: Path | None = None,
        seconds: float = 0.0,
    ) -> list[Any]:
        """Return the outcome of each plan, stored or made now; each is stored as it ends.

        Workers need a `function` of a module. `table` is where in the store outcomes are kept, and `label`
        names the plans in messages. By default the store is beside the study file `beside`; where there is
        neither, nothing is kept. `seconds` of CPU time are expected.
        """
        note_plans(plans)
        store = self.store or (beside and check_output(beside.with_suffix(".sqlite")))
        resources = self.resources(1, len(plans))
        if store is None and self.dask is None and len(plans) == 1:
            with long_work(label, seconds):
                return [function(plans[0])]
        tell_cost(f"{len(plans):,} {label}", seconds)
        from netplace.runs.campaign import outcomes_of
        from netplace.runs.outcome_store import InMemory, StoredOutcomes

        with ExitStack() as stack:
            kept = InMemory()
            if store is not None:
                kept = StoredOutcomes(stack.enter_context(open_store(store)), table)
            progress = stack.enter_context(sweep_progress(label, len(plans) > 1))
            return outcomes_of(plans, function, kept, resources, progress)


def say(text: str) -> None:
    if not is_quiet():
        click.echo(f"netplace: {text}", err=True)


def open_store(path: str | Path) -> Store:
    """Return a store that is written to; a word is said where an empty file is taken as a new one."""
    from netplace.runs.store import Store

    store = Store(path)
    if store.was_empty:
        click.echo(
            f"netplace: {store.path}: was empty, probably because its command was killed; netplace starts a "
            f"new store",
            err=True,
        )
    return store


AnyPlan = TypeVar("AnyPlan", bound="PlanLike")
_BYTES_PER_PLAN = 4_000  # of a plan and its outcome


def plan_of(
    make: Callable[[dict[str, Any], int], AnyPlan], keys: Iterable[str], given: dict[str, Any]
) -> AnyPlan:
    """Return the plan that `make` makes of the flags among `keys`; mistakes name the flag."""
    request = {name: given[name] for name in keys if name in given}
    with named_flags(request):
        return make(request, given["seed"] or 0)


def described(plans: Sequence[PlanLike], outcomes: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return each plan with what came of it, as ``--json`` prints them."""
    return [{"plan": plan.to_dict(), **outcome} for plan, outcome in zip(plans, outcomes, strict=True)]


def check_plans(count: int, label: str, flag: str) -> None:
    """Check before they are made that so many plans and their outcomes fit into memory."""
    check_size(count, _BYTES_PER_PLAN, label, flag)


def refuse_beside_study(study: Path, *taken: str) -> None:
    """Refuse the flags of the command next to a study file, which contains all settings, except `taken`."""
    for given in given_flags("study", "quiet", *taken):
        raise ValueError(f"{given}: given with {study}, which contains all settings")


def refuse_of_one(given: dict[str, Any]) -> None:
    """Refuse flags of studies where there is none."""
    for name in ("unpaired", "figures"):
        if given[name]:
            raise ValueError(f"--{name.removesuffix('s')}: applies only to a study file")


def given_flags(*but: str) -> list[str]:
    """Return the flags that were given to the command under way, but for those of these names."""
    from click.core import ParameterSource

    context: click.Context = click.get_current_context()  # type: ignore[assignment]
    absent = set(but) - {param.name for param in context.command.get_params(context)}
    assert not absent, f"{context.command.name} has no flags {sorted(absent)}"
    return [
        max(param.opts, key=len)
        for param in context.command.get_params(context)
        if param.name not in but
        and param.expose_value  # --plugin is no setting of the command
        and context.get_parameter_source(param.name or "") == ParameterSource.COMMANDLINE
    ]


@contextmanager
def named_flags(names: Container[str]) -> Iterator[None]:
    """Name the flag in a mistake that begins with the key of a plan, one of `names`."""
    try:
        yield
    except ValueError as error:
        lines = [line.partition(":") for line in str(error).splitlines()]
        if not any(name in names for name, _, _ in lines):
            raise
        flags = (f"--{name.replace('_', '-')}" if name in names else name for name, _, _ in lines)
        lines_with_flags = (flag + colon + rest for flag, (_, colon, rest) in zip(flags, lines, strict=True))
        raise ValueError("\n".join(lines_with_flags)) from None


_LONG = 20.0  # CPU seconds from which on a cost is told beforehand


@contextmanager
def long_work(label: str, seconds: float) -> Iterator[None]:
    """Say beforehand what will be done and about how long it takes, and meanwhile how far it is."""
    tell_cost(label, seconds)
    with expected(label, seconds) if seconds else nullcontext():
        yield


def tell_cost(label: str, seconds: float) -> None:
    """Say beforehand what will be done and about how long it takes, if that is long."""
    if seconds > _LONG:
        amount, unit = (seconds, "s") if seconds < 300 else (seconds / 60, "min")
        amount, unit = (amount, unit) if amount < 300 else (amount / 60, "hours")
        say(f"{label}: about {amount:,.0f} {unit} of CPU time")


def complete_run_times(plans: Sequence[Plan], execution: Execution) -> None:
    """Simulate the run times that plans need and their stores lack, and tell how many they are."""
    if not any(plan.simulate for plan in plans):
        return
    from netplace.runs.job_programs import expected_cpu_seconds
    from netplace.runs.schedules import workload_of
    from netplace.runs.tabled_jobs import complete_tables

    for path in {plan.times.partition(":")[2] for plan in plans if plan.simulate}:
        if Path(path).is_file():
            open_store(path).close()  # says so if it is empty

    steps = count(1)

    def announce(runs: list[Run]) -> None:
        if (step := next(steps)) == 1:
            cost = f"{expected_cpu_seconds(runs):,.0f} s of CPU time"
            say(f"{len(runs):,} run times are missing and are simulated, in about {cost}")
        elif step == 2:
            say("repetitions are simulated, too, until the time of one more is known")

    with sweep_progress() as progress:
        complete_tables(
            plans, workload_of, lambda: execution.resources(None, len(plans)).simulators(), progress, announce
        )


def list_missing(plans: Sequence[Plan], path: Path) -> None:
    """Write the run times that plans need and their tables or stores lack, a row for each entry."""
    from netplace.runs.job_programs import expected_cpu_seconds
    from netplace.runs.schedules import workload_of
    from netplace.runs.tabled_jobs import needed_run_times
    from netplace.runs.tables import run_table, time_table, write_table

    runs = needed_run_times(plans, workload_of)
    write_table(time_table(run_table((run, None, None) for run in runs)), path)
    click.echo(
        f"{path}: {len(runs):,} runs are missing, about {expected_cpu_seconds(runs):,.0f} s of CPU time"
    )
