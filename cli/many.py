"""What every command does that carries out many plans: who does it, what is kept, how far it is."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import rich_click as click

from netplace.cli.amounts import OUTPUT, PROCESSES
from netplace.cli.stores import open_store
from netplace.report.files.outputs import check_output
from netplace.report.terminal.quiet import is_quiet

if TYPE_CHECKING:
    from netplace.runs.kept import PlanLike
    from netplace.runs.resources import Resources

__all__ = [
    "check_plans",
    "complete_outcomes",
    "given_flags",
    "jobs_apart_flag",
    "named_flags",
    "refuse_beside_study",
    "refuse_of_one",
    "resource_flags",
    "resources_from",
    "say",
    "store_flag",
]

Command = TypeVar("Command", bound=Callable[..., Any])
_MANY = "Many at once"
_BYTES_PER_PLAN = 4_000  # of a plan and its outcome


def resource_flags(usual: str, *more: str) -> Callable[[Command], Command]:
    """Return what adds ``--workers`` and ``--dask`` to a command.

    Parameters
    ----------
    usual : str
        How many workers there are unless others are asked for, for people.
    *more : str
        Other names of ``--workers``.
    """

    def added(command: Command) -> Command:
        workers = click.option(
            "--workers",
            *more,
            "workers",
            type=PROCESSES,
            metavar="N",
            panel=_MANY,
            help=f"Worker processes. [default: {usual}]",
        )
        dask = click.option(
            "--dask", metavar="ADDRESS", panel=_MANY, help="Instead: a Dask cluster, such as tcp://host:8786."
        )
        return workers(dask(command))

    return added


def store_flag(usual: str) -> Callable[[Command], Command]:
    """Return what adds ``--store`` to a command; `usual` says for people where results are kept otherwise."""
    return click.option(
        "--store",
        type=OUTPUT,
        metavar="FILE",
        panel=_MANY,
        help=f"Keep results there, and look there first. [default: {usual}]",
    )


def jobs_apart_flag(command: Command) -> Command:
    """Return a command with ``--jobs-apart``."""
    return click.option(
        "--jobs-apart",
        is_flag=True,
        panel=_MANY,
        help="Of a study: let each run the jobs that it can; otherwise only those that all can run.",
    )(command)


def resources_from(given: dict[str, Any], usual: int | None, plans: int) -> Resources:
    """Return who carries out `plans` plans.

    Parameters
    ----------
    given : dict
        The flags of a command, those of `resource_flags` among them.
    usual : int or None
        Workers unless others are asked for; None: one for each core.
    plans : int
        How many plans there are.

    Raises
    ------
    ValueError
        If workers are asked for that would have nothing to do.
    """
    from netplace.runs.resources import Resources

    workers, dask = given["workers"], given["dask"]
    if workers is not None and dask is not None:
        raise ValueError(f"--workers: {workers} given beside --dask {dask}, expected one of them")
    if workers is not None and workers > 1 and plans == 1:
        raise ValueError(f"--workers: {workers} given, but there is a single plan, for one process")
    return Resources(usual if workers is None else workers, dask, given.get("threads", 1))


def check_plans(count: int, what: str, flag: str) -> None:
    """Check before they are made that so many plans and their outcomes fit into memory.

    Raises
    ------
    ValueError
        If they do not, naming the flag.
    """
    from netplace.checks import check_size

    check_size(count, _BYTES_PER_PLAN, what, flag)


def complete_outcomes(
    plans: Sequence[PlanLike],
    function: Callable[[Any], Any],
    table: str,
    what: str,
    given: dict[str, Any],
    *,
    beside: Path | None = None,
    prepare: Callable[[], object] = lambda: None,
) -> list[Any]:
    """Return the outcome of each plan; what is not kept is carried out, each kept as it ends.

    Parameters
    ----------
    plans : sequence
        What the user asks for.
    function : callable
        Returns the outcome of a plan; a function of a module, for workers.
    table : str
        Where in the store they are kept.
    what : str
        What the plans are, for people.
    given : dict
        The flags of the command, of which those of `resource_flags` and `store_flag` count.
    beside : Path, optional
        Study file beside which the store is by default; None: without ``--store`` nothing is kept.
    prepare : callable
        Called before there are worker processes, once.

    Raises
    ------
    ValueError
        If workers are asked for that would have nothing to do, the store cannot be used, or the machine could
        not carry out a plan.
    """
    from netplace.cli.sweep_progress import SweepProgress
    from netplace.runs.campaign import outcomes_of
    from netplace.runs.kept import InMemory, KeptOutcomes

    store = given["store"] or (beside and check_output(beside.with_suffix(".sqlite")))
    resources = resources_from(given, 1, len(plans))
    with ExitStack() as stack:
        kept: KeptOutcomes | InMemory = InMemory()
        if store is not None:
            kept = KeptOutcomes(stack.enter_context(open_store(store)), table)
        progress = stack.enter_context(SweepProgress(what, len(plans) > 1))
        return outcomes_of(plans, function, kept, resources, progress, prepare)


def refuse_beside_study(study: Path, *taken: str) -> None:
    """Refuse the flags of the command beside a study file, which says all that they could, but for `taken`.

    Raises
    ------
    ValueError
        If another was given.
    """
    for flag in given_flags("study", "quiet", *taken):
        raise ValueError(f"{flag}: given beside {study}, which says everything itself")


def refuse_of_one(given: dict[str, Any]) -> None:
    """Refuse flags of studies where there is none.

    Raises
    ------
    ValueError
        If one was given.
    """
    if given["jobs_apart"]:
        raise ValueError("--jobs-apart: given, but there is no study file")


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
        and context.get_parameter_source(param.name or "") == ParameterSource.COMMANDLINE
    ]


@contextmanager
def named_flags(names: Container[str]) -> Iterator[None]:
    """Name the flag in a mistake that begins with the key of a plan, one of `names`."""
    try:
        yield
    except ValueError as error:
        name, _, rest = str(error).partition(":")
        if name in names:
            raise ValueError(f"--{name.replace('_', '-')}:{rest}") from None
        raise


def say(text: str) -> None:
    """Say something on stderr, unless silence was asked for."""
    if not is_quiet():
        click.echo(f"netplace: {text}", err=True)
