"""Carrying out many runs: what is stored is skipped, what ends is stored, until nothing is missing."""

from __future__ import annotations

import os
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from netplace.checks import whole
from netplace.runs.chance import simulation_of
from netplace.runs.claims import Claims
from netplace.runs.crew import TRIES, Crew, simulators
from netplace.runs.execute import Ended
from netplace.runs.spec import Run
from netplace.runs.store import Store

__all__ = ["Progress", "complete", "crew_of", "missing"]

_PAUSE = 0.2  # seconds between looks at what other processes are at


@dataclass(frozen=True)
class Progress:
    """How far a campaign is.

    Attributes
    ----------
    total : int
        Simulations that were missing when it began.
    done, failed : int
        How many of them have ended, and how many of these failed.
    cpu_seconds : float
        CPU time that engines took here.
    lost : int
        How many the machine could not carry out, tried again and again; nothing is kept of them.
    reason : str or None
        Why not the last of these.
    """

    total: int
    done: int = 0
    failed: int = 0
    cpu_seconds: float = 0.0
    lost: int = 0
    reason: str | None = None

    def after(self, ended: Ended | None) -> Progress:
        """Return the progress after one more; None: another process simulated it."""
        if ended is None:
            return replace(self, done=self.done + 1)
        if ended.by_machine:
            return replace(self, done=self.done + 1, lost=self.lost + 1, reason=ended.failure)
        return replace(
            self,
            done=self.done + 1,
            failed=self.failed + (ended.failure is not None),
            cpu_seconds=self.cpu_seconds + ended.cpu_seconds,
        )


def missing(runs: Iterable[Run], store: Store) -> list[Run]:
    """Return the simulations that `runs` need and `store` lacks, each once, those of one program together."""
    known = store.simulated()
    wanted = {run.key: run for run in map(simulation_of, runs)}
    left = [run for key, run in wanted.items() if key not in known]
    groups: dict[object, list[Run]] = {}
    for run in left:
        groups.setdefault(tuple(replace(job, mapping="", start=0) for job in run.jobs), []).append(run)
    return [run for group in groups.values() for run in group]


def crew_of(workers: int | None = None, dask: str | None = None) -> Crew[Run, Ended]:
    """Return who carries out runs: `workers` processes (default: all cores), or the Dask cluster at `dask`.

    Raises
    ------
    ValueError
        If `workers` is less than 1, or Dask is not installed or does not answer.
    """
    if dask is not None:
        from netplace.runs.cluster import Cluster

        return Cluster(dask)
    count = whole(workers, "--workers") if workers is not None else os.cpu_count() or 1
    return simulators(count)


def complete(
    runs: Iterable[Run],
    store: Store,
    crew: Crew[Run, Ended],
    tell: Callable[[Progress], None] = lambda _: None,
) -> Progress:
    """Simulate what is missing in `store` of `runs`, and keep every result as it comes.

    What the machine did (a worker was killed, there was no memory) is tried again, and never kept: `lost` of
    what is returned counts the runs that could not be carried out, which are missing as before.

    Another process may do the same with the same store at the same time: they share the work.

    Parameters
    ----------
    runs : iterable of Run
        What is wanted.
    store : Store
        Where results are kept.
    crew : Crew
        Who simulates.
    tell : callable
        Called with the `Progress` at the beginning and after each simulation.

    Raises
    ------
    StoreError
        If a result cannot be kept.
    """
    wanted = list(runs)
    store.ask(wanted)
    left = deque(missing(wanted, store))
    progress, tries = Progress(len(left)), Counter[str]()
    if not left:
        return progress
    with Claims(store.path) as claims, crew:
        tell(progress)  # only now: workers are best begun while there is a single thread
        while left or crew.busy:
            for _ in range(len(left)):
                if not crew.has_room():
                    break
                run = left.popleft()
                if not claims.take(run.key):
                    left.append(run)  # in another process's hands: look again later
                elif store.has(run.key):
                    claims.leave(run.key)
                    tell(progress := progress.after(None))
                else:
                    crew.give(run)
            if not crew.busy:
                time.sleep(_PAUSE if left else 0)
                continue
            for run, ended in crew.collect():
                if ended.by_machine:
                    claims.leave(run.key)
                    tries[run.key] += 1
                    if tries[run.key] < TRIES:
                        left.append(run)
                        continue
                else:
                    store.keep(run.key, ended)
                    claims.leave(run.key)
                tell(progress := progress.after(ended))
    return progress
