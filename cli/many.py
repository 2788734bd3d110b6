"""What every command does that executes many plans: who does it, what is kept, how far it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.cli.flags import OUTPUT, PROCESSES, Command, flag, flags
from netplace.cli.provenance import note_plans
from netplace.report.files.outputs import check_output
from netplace.report.terminal.pulse import is_quiet

if TYPE_CHECKING:
    from netplace.runs.outcome_store import PlanLike
    from netplace.runs.resources import Resources
    from netplace.runs.store import Store

_MANY = "Parallel execution"


def resource_flags(usual: str, *more: str) -> Callable[[Command], Command]:
    """Return what adds ``--workers``, with `more` names, and ``--dask``; `usual`: how many, for the help."""
    names = " ".join(("--workers", *more, "workers"))
    cluster = "Dask cluster to use instead of workers, such as tcp://host:8786."
    return flags(
        flag(names, f"Worker processes. [default: {usual}]", PROCESSES, metavar="N", panel=_MANY),
        flag("--dask", cluster, metavar="ADDRESS", panel=_MANY),
    )


def store_flag(usual: str) -> Callable[[Command], Command]:
    """Return what adds ``--store`` to a command; `usual` says for people where results are kept otherwise."""
    said = f"File that stores results; stored results are reused. [default: {usual}]"
    return flag("--store", said, OUTPUT, metavar="FILE", panel=_MANY)


unpaired_flag = flag(
    "--unpaired",
    "For a study: let each schedule run all jobs that it can, not only the jobs that all can run.",
    bool,
    panel=_MANY,
)


@dataclass(frozen=True)
class Execution:
    """Execution of the plans of a command: the executor, and the store of the outcomes.

    Attributes
    ----------
    workers : int or None
        Worker processes; None: as many as the command usually has.
    dask : str or None
        Instead: address of a Dask cluster.
    store : Path or None
        Where outcomes are kept; None: beside the study file, if there is one.
    threads : int or str
        Threads for each network that is simulated.
    """

    workers: int | None = None
    dask: str | None = None
    store: Path | None = None
    threads: int | str = 1

    def network_threads(self) -> int | str:
        """Return how many threads a network may have beside those that other workers simulate."""
        from netplace.netsim.threads import threads_beside

        return threads_beside(self.threads, self.workers or 1, "--threads")

    def resources(self, usual: int | None, plans: int) -> Resources:
        """Return who executes `plans` plans; unless asked otherwise `usual` workers, None: one a core."""
        from netplace.runs.resources import Resources

        workers, dask = self.workers, self.dask
        if workers is not None and dask is not None:
            raise ValueError(f"--workers: {workers} given with --dask {dask}, expected one of them")
        if workers is not None and workers > 1 and plans == 1:
            raise ValueError(f"--workers: {workers} given, but a single plan runs in one process")
        return Resources(usual if workers is None else workers, dask, self.threads)

    def outcomes(
        self,
        plans: Sequence[PlanLike],
        function: Callable[[Any], Any],
        table: str,
        what: str,
        *,
        beside: Path | None = None,
    ) -> list[Any]:
        """Return the outcome of each plan, stored or made now; each is stored as it ends.

        Parameters
        ----------
        plans : sequence
            What the user asks for.
        function : callable
            Returns the outcome of a plan; a function of a module, for workers.
        table : str
            Where in the store they are kept.
        what : str
            What the plans are, for messages.
        beside : Path, optional
            Study file beside which the store is by default; None: without ``--store`` nothing is kept.
        """
        from netplace.cli.sweep_progress import SweepProgress
        from netplace.runs.campaign import outcomes_of
        from netplace.runs.outcome_store import InMemory, StoredOutcomes

        note_plans(plans)
        store = self.store or (beside and check_output(beside.with_suffix(".sqlite")))
        resources = self.resources(1, len(plans))
        if store is None and self.dask is None and len(plans) == 1:
            return [function(plans[0])]
        with ExitStack() as stack:
            kept: StoredOutcomes | InMemory = InMemory()
            if store is not None:
                kept = StoredOutcomes(stack.enter_context(open_store(store)), table)
            progress = stack.enter_context(SweepProgress(what, len(plans) > 1))
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
