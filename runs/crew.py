"""Who carries out runs: this process, worker processes, or a Dask cluster, behind one small interface."""

from __future__ import annotations

import multiprocessing
import platform
import signal
import sys
import threading
import warnings
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from types import TracebackType
from typing import Any, Protocol

from netplace.runs.execute import Ended, attempt, warm_up
from netplace.runs.spec import Run

__all__ = ["Alone", "Crew", "Workers"]

_IN_HAND = 2  # runs that a worker has: one under way, and the next, so that it never waits for this process


class Crew(Protocol):
    """Carries out runs. A context manager; leaving it ends whatever is under way."""

    busy: int

    def __enter__(self) -> Crew:
        """Begin."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End everything at once."""

    def has_room(self) -> bool:
        """Tell whether another run may be given."""

    def give(self, run: Run) -> None:
        """Hand over a run; `busy` counts it until it is collected."""

    def collect(self) -> list[tuple[Run, Ended]]:
        """Wait until at least one run has ended, and return those that have."""


class Alone:
    """Carries out runs in this process, one at a time."""

    def __init__(self) -> None:
        self.busy = 0
        self._given: Run | None = None

    def __enter__(self) -> Alone:
        warm_up()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.busy = 0

    def has_room(self) -> bool:
        """Tell whether no run waits."""
        return not self.busy

    def give(self, run: Run) -> None:
        """Keep the run until it is collected."""
        self._given, self.busy = run, 1

    def collect(self) -> list[tuple[Run, Ended]]:
        """Simulate the run."""
        assert self._given is not None
        self.busy = 0
        return [(self._given, attempt(self._given))]


class Workers:
    """So many processes, each with a pipe of its own.

    A worker that dies (killed, or out of memory) takes down the run it was at, whose failure says so, and
    another takes its place. When this process dies its workers find their pipes closed and end.
    """

    def __init__(self, count: int) -> None:
        self.busy = 0
        self._count = count
        self._workers: list[_Worker] = []

    def __enter__(self) -> Workers:
        warm_up()  # the first in an installation compiles the kernel, the workers load it
        for _ in range(self._count):
            self._workers.append(self._hire())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._workers:
            worker.process.terminate()
        for worker in self._workers:
            worker.dismiss()
        self._workers, self.busy = [], 0

    def has_room(self) -> bool:
        """Tell whether some worker has less than it can hold."""
        return self.busy < _IN_HAND * self._count

    def give(self, run: Run) -> None:
        """Hand the run to the worker that has least."""
        worker = min(self._workers, key=lambda one: len(one.runs))
        worker.give(run)
        self.busy += 1

    def collect(self) -> list[tuple[Run, Ended]]:
        """Wait for the workers; a run whose worker died has failed, the one behind it goes to another."""
        found: list[tuple[Run, Ended]] = []
        pipes = {worker.pipe: worker for worker in self._workers if worker.runs}
        for ready in wait(list(pipes)):
            worker = pipes[ready]  # type: ignore[index]
            try:
                ended: Ended = worker.pipe.recv()
            except (EOFError, OSError):
                ended = self._replace(worker)
            found.append((worker.runs.popleft(), ended))
            self.busy -= 1
            if not worker.alive:
                self.busy -= len(worker.runs)
                for run in worker.runs:
                    self.give(run)
        return found

    def _hire(self) -> _Worker:
        # A forked worker has everything loaded already. But fork takes no threads along, only their locks.
        forks = sys.platform == "linux" and threading.active_count() == 1
        context: Any = multiprocessing.get_context("fork" if forks else "spawn")
        here, there = context.Pipe()
        inherited = [here, *(worker.pipe for worker in self._workers)] if forks else []
        process = context.Process(target=work, args=(there, inherited), daemon=True)
        with warnings.catch_warnings():  # Python 3.12 counts the threads of libraries too
            warnings.simplefilter("ignore", DeprecationWarning)
            process.start()
        there.close()
        return _Worker(process, here)

    def _replace(self, worker: _Worker) -> Ended:
        """Put a new worker in the place of one that died, and return how the run it was at ended."""
        worker.dismiss()
        code = worker.process.exitcode
        self._workers[self._workers.index(worker)] = self._hire()
        how = f"by signal {-code}" if code is not None and code < 0 else f"with exit code {code}"
        return Ended(None, f"its worker process ended {how}; too little memory?", 0.0, {}, platform.node())


class _Worker:
    """A worker process, as its employer sees it."""

    def __init__(self, process: multiprocessing.process.BaseProcess, pipe: Connection) -> None:
        self.process = process
        self.pipe = pipe
        self.runs: deque[Run] = deque()
        self.alive = True

    def give(self, run: Run) -> None:
        self.runs.append(run)
        with suppress(OSError):  # if it has died, reading from the pipe will show it
            self.pipe.send(run)

    def dismiss(self) -> None:
        """Wait until the process has ended, and let go of it."""
        self.process.join()
        self.pipe.close()
        self.alive = False


def work(pipe: Connection, inherited: Sequence[Connection] = ()) -> None:
    """Carry out what comes through the pipe, until its other end is closed.

    Parameters
    ----------
    pipe : Connection
        Where runs come and results go.
    inherited : sequence of Connection
        The employer's ends of pipes, which a forked process would keep open.
    """
    for other in inherited:
        other.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which then ends its workers
    try:
        while True:
            pipe.send(attempt(pipe.recv()))
    except (EOFError, OSError):
        return
