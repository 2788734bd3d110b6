"""What every command does that carries out many plans: who does it, what is kept, how far it is."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import rich_click as click

from netplace.cli.amounts import PROCESSES
from netplace.cli.stores import open_store

if TYPE_CHECKING:
    from netplace.runs.kept import PlanLike
    from netplace.runs.resources import Resources

__all__ = [
    "complete_outcomes",
    "jobs_apart_flag",
    "named_flags",
    "refuse_beside_study",
    "resource_flags",
    "resources_from",
    "say",
    "store_flag",
]

Command = TypeVar("Command", bound=Callable[..., Any])
_MANY = "Many at once"


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
    return Resources(usual if workers is None else workers, dask)


def complete_outcomes(
    plans: Sequence[PlanLike],
    function: Callable[[Any], Any],
    table: str,
    store: Path | None,
    resources: Resources,
    what: str,
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
    store : Path or None
        The store; None: nothing is kept.
    resources : Resources
        Who carries them out.
    what : str
        What the plans are, for people.

    Raises
    ------
    ValueError
        If the store cannot be used, or the machine could not carry out a plan.
    """
    from netplace.cli.sweep_progress import SweepProgress
    from netplace.report.files.outputs import check_output
    from netplace.runs.campaign import outcomes_of
    from netplace.runs.kept import InMemory, KeptOutcomes

    with ExitStack() as stack:
        kept: KeptOutcomes | InMemory = InMemory()
        if store is not None:
            kept = KeptOutcomes(stack.enter_context(open_store(check_output(store))), table)
        progress = stack.enter_context(SweepProgress(what, len(plans) > 1))
        return outcomes_of(plans, function, kept, resources, progress)


def refuse_beside_study(study: Path, given: dict[str, Any], names: Iterable[str]) -> None:
    """Refuse flags beside a study file, which says all that they could.

    Raises
    ------
    ValueError
        If one of `names` was given.
    """
    for name in names:
        if given[name] is not None:
            flag = name.rstrip("_").replace("_", "-")
            raise ValueError(f"--{flag}: given beside {study}, which says everything itself")


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
    """Say something on stderr."""
    click.echo(f"netplace: {text}", err=True)
