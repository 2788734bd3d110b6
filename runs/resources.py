"""Resources for the execution of many plans: processes of this machine, or a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from netplace.inputs import check_int
from netplace.netsim.threads import AUTO, cores, threads_beside
from netplace.plugins import rules_without_file
from netplace.runs.execute import Ended, run_or_failure, unable
from netplace.runs.executors import Batches, Executor, InProcessExecutor, ProcessPoolExecutor
from netplace.runs.spec import Run

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")


@dataclass(frozen=True)
class Resources:
    """The workers that execute plans."""

    workers: int | None = 1  # processes of this machine, or this process itself if 1; None means one per core
    dask: str | None = None  # address of the scheduler of a Dask cluster, which then executes everything
    threads: int | str = 1  # threads for each network that is simulated, as in `netplace.netsim.Network`

    def __post_init__(self) -> None:
        if self.workers is not None:
            check_int(self.workers, "--workers")
        if self.dask is None:
            threads_beside(self.threads, self.processes, "--threads")

    @property
    def processes(self) -> int:
        if rules_without_file() and self.dask is None:
            return 1  # workers cannot load what was added by no file
        together = 1 if self.threads == AUTO else int(self.threads)
        return self.workers or max(1, cores() // together)

    def executor(
        self, function: Callable[[Item], Outcome], lost: Callable[[str], Any]
    ) -> Executor[Item, Outcome]:
        """Return the executor of `function`; for the parameters, see `netplace.runs.executors`."""
        return Batches(self._of_lists, function, lost)

    def _of_lists(self, function: Callable[[Any], Any], lost: Callable[[str], Any]) -> Executor[Any, Any]:
        if self.dask is not None:
            from netplace.runs.cluster import Cluster

            return Cluster(self.dask, function, lost)
        if self.processes == 1:
            return InProcessExecutor(function)
        # With the next batch in its hands a worker never waits for this process.
        return ProcessPoolExecutor(self.processes, function, lost, in_hand=2)

    def simulators(self) -> Executor[Run, Ended]:
        threads = threads_beside(self.threads, 1 if self.dask else self.processes)
        return self.executor(partial(run_or_failure, threads=threads), unable)


def simulators(workers: int | None = None, dask: str | None = None) -> Executor[Run, Ended]:
    """Return the executor of simulations: `workers` processes (default: all cores), or Dask at `dask`."""
    return Resources(workers, dask).simulators()
