"""The interface for calling a function on many items: in this process, in worker processes, or on Dask."""

from __future__ import annotations

import pickle
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from netplace.plugins import Portable, describe_rule_error, rules_without_file
from netplace.runs.processes import leave_signals_to_parent, start_method, starting

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

_BATCH_SECONDS, _MOST = 0.2, 1000  # of work that is sent at once, and items at most
TRIES = 3  # how often an item is given to a worker before the machine is taken to be unable

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")


@dataclass(frozen=True)
class WorkerFailure:
    """An item that the machine could not execute (a killed worker, no memory), and the reason."""

    reason: str


class Executor(Protocol[Item, Outcome]):
    """Executes a function over items. A context manager; leaving it ends everything that is running."""

    busy: int

    def __enter__(self) -> Executor[Item, Outcome]:
        """Begin."""

    def __exit__(self, *_: object) -> None:
        """End everything at once."""

    def has_room(self) -> bool:
        """Return whether another item may be given."""

    def give(self, item: Item) -> None:
        """Hand over an item; `busy` counts it until it is collected."""

    def collect(self) -> list[tuple[Item, Outcome]]:
        """Wait until at least one item has ended, and return the ended items with their results."""


class InProcessExecutor(Generic[Item, Outcome]):
    """Executes a function in this process, one item at a time."""

    def __init__(self, function: Callable[[Item], Outcome]) -> None:
        self.busy = 0
        self._function = function
        self._given: list[Item] = []

    def __enter__(self) -> InProcessExecutor[Item, Outcome]:
        return self

    def __exit__(self, *_: object) -> None:
        self.busy = 0

    def has_room(self) -> bool:
        return not self.busy

    def give(self, item: Item) -> None:
        self._given, self.busy = [item], 1

    def collect(self) -> list[tuple[Item, Outcome]]:
        self.busy = 0
        return [(item, self._function(item)) for item in self._given]


class Batches(Generic[Item, Outcome]):
    """Sends short items to an executor many at a time, because sending one costs more than executing it.

    An item whose worker died is sent alone when it is given again. ``make(function, lost)`` returns the
    executor of a function over lists of items; `function` and `lost` return the outcome of an item, and of
    one that the machine could not execute for the given reason.
    """

    def __init__(
        self,
        make: Callable[..., Executor[list[Item], Any]],
        function: Callable[[Item], Outcome],
        lost: Callable[[str], Outcome],
    ) -> None:
        self.busy = 0
        self.executor = make(partial(_timed, function), WorkerFailure)
        self._lost = lost
        self._batch: list[Item] = []
        self._size = 1
        self._suspects: list[Item] = []
        self._interrupt: BaseException | None = None

    def __enter__(self) -> Batches[Item, Outcome]:
        self.executor.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.executor.__exit__()
        self._batch, self.busy = [], 0

    def has_room(self) -> bool:
        return self.executor.has_room()

    def give(self, item: Item) -> None:
        self.busy += 1
        if item in self._suspects:
            self.executor.give([item])
            return
        self._batch.append(item)
        if len(self._batch) >= self._size:
            self._send()

    def _send(self) -> None:
        if self._batch:
            self.executor.give(self._batch)
            self._batch = []

    def collect(self) -> list[tuple[Item, Outcome]]:
        if self._interrupt is not None:  # what had ended before it is kept by now
            raise self._interrupt
        self._send()
        ended: list[tuple[Item, Outcome]] = []
        for items, result in self.executor.collect():
            if isinstance(result, WorkerFailure):
                self.busy -= len(items)
                self._suspects += items
                ended += [(item, self._lost(result.reason)) for item in items]
                continue
            seconds, outcomes, self._interrupt = result
            self.busy -= len(outcomes)
            self._size = min(_MOST, max(1, int(_BATCH_SECONDS * len(items) / max(seconds, 1e-9))))
            ended += zip(items, outcomes, strict=self._interrupt is None)
        return ended


def _timed(
    function: Callable[[Item], Outcome], items: list[Item]
) -> tuple[float, list[Outcome], BaseException | None]:
    """Return the seconds that items took, their outcomes, and what interrupted the work on them."""
    began, outcomes, interrupt = time.perf_counter(), list[Outcome](), None
    try:
        outcomes.extend(function(item) for item in items)
    except (KeyboardInterrupt, SystemExit) as error:
        interrupt = error
    return time.perf_counter() - began, outcomes, interrupt


class ProcessPoolExecutor(Generic[Item, Outcome]):
    """Worker processes with a pipe each; one that dies is replaced, and its current item is lost."""

    def __init__(
        self,
        count: int,
        function: Callable[[Item], Outcome],
        lost: Callable[[str], Outcome],
        in_hand: int = 1,
    ) -> None:
        self.busy = 0
        self._count = count
        self._function = function
        self._lost = lost
        self._in_hand = in_hand
        self._workers: list[_Worker[Item]] = []

    def __enter__(self) -> ProcessPoolExecutor[Item, Outcome]:
        for _ in range(self._count):
            self._workers.append(self._hire())
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.process.kill()  # at once, whatever it does or has inherited
        for worker in self._workers:
            worker.dismiss()
        self._workers, self.busy = [], 0

    def has_room(self) -> bool:
        return self.busy < self._in_hand * self._count

    def give(self, item: Item) -> None:
        """Hand the item to the worker that has least."""
        worker = min(self._workers, key=lambda worker: len(worker.items))
        worker.give(item)
        self.busy += 1

    def collect(self) -> list[tuple[Item, Outcome]]:
        """Wait for the workers; an item whose worker died is lost, the one behind it goes to another."""
        from multiprocessing.connection import wait

        ended: list[tuple[Item, Outcome]] = []
        pipes = {worker.pipe: worker for worker in self._workers if worker.items}
        for ready in wait(list(pipes)):
            worker = pipes[ready]  # type: ignore[index]
            try:
                outcome, error = worker.pipe.recv()
            except (EOFError, OSError):
                outcome, error = self._lost(self._replace(worker)), None
            if error is not None:
                raise error
            ended.append((worker.items.popleft(), outcome))
            self.busy -= 1
            if not worker.alive:
                self.busy -= len(worker.items)
                for item in worker.items:
                    self.give(item)
        return ended

    def _hire(self) -> _Worker[Item]:
        context: Any = start_method()
        here, there = context.Pipe()
        forked = context.get_start_method() == "fork"
        inherited = [here, *(worker.pipe for worker in self._workers)] if forked else []
        function = Portable(self._function)
        process = context.Process(target=_work, args=(there, function, inherited), daemon=True)
        with starting():
            process.start()
        there.close()
        return _Worker(process, here)

    def _replace(self, worker: _Worker[Item]) -> str:
        """Put a new worker in the place of one that died, and return how that one ended."""
        worker.dismiss()
        code = worker.process.exitcode
        self._workers[self._workers.index(worker)] = self._hire()
        how = f"by signal {-code}" if code is not None and code < 0 else f"with exit code {code}"
        return f"its worker process ended {how}, possibly for lack of memory"


class _Worker(Generic[Item]):
    """A worker process, as its employer sees it."""

    def __init__(self, process: BaseProcess, pipe: Connection) -> None:
        self.process = process
        self.pipe = pipe
        self.items: deque[Item] = deque()
        self.alive = True

    def give(self, item: Item) -> None:
        self.items.append(item)
        with suppress(OSError):  # if it has died, reading from the pipe will show it
            self.pipe.send(Portable(item))

    def dismiss(self) -> None:
        self.process.join()
        self.pipe.close()
        self.alive = False


def _work(
    pipe: Connection, function: Portable[Callable[[Any], Any]], inherited: Sequence[Connection] = ()
) -> None:
    """Execute the items from the pipe until it is closed; `inherited` pipe ends of the parent are closed."""
    for other in inherited:
        other.close()
    leave_signals_to_parent()
    try:
        while True:
            item = pipe.recv()
            pipe.send(answer_of(function, item))
    except (EOFError, OSError):
        return


def answer_of(function: Portable[Callable[[Any], Any]], item: Portable[Any]) -> tuple[Any, Exception | None]:
    """Return the outcome of an item and no error, or none and an error that can be sent."""
    try:
        return function.value()(item.value()), None
    except Exception as error:
        sentence = describe_rule_error(error)
        return None, _portable(error) if sentence is None else ValueError(sentence)


def _portable(error: Exception) -> Exception:
    """Return an error that can be sent: itself, or for one that cannot be made again its type and text."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 (made here)
    except Exception:
        if isinstance(error, ValueError):
            return ValueError(str(error))
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def run_each(
    function: Callable[[Item], Outcome], items: Sequence[Item], processes: int = 1
) -> Iterator[tuple[int, Outcome]]:
    """Yield index and result of each item as they end; worker processes start at once.

    If rules were added by no file, which workers cannot load, this process does all the work.
    """
    placed = partial(_placed, function)
    count = 1 if rules_without_file() else min(processes, len(items))
    executor: Executor[tuple[int, Item], Any] = (
        InProcessExecutor(placed) if count <= 1 else ProcessPoolExecutor(count, placed, WorkerFailure)
    )
    stack = ExitStack()
    stack.enter_context(executor)
    return _each(stack, executor, deque(enumerate(items)))


def _each(
    stack: ExitStack, executor: Executor[tuple[int, Item], Any], left: deque[tuple[int, Item]]
) -> Iterator[tuple[int, Any]]:
    tries: Counter[int] = Counter()
    with stack:
        while left or executor.busy:
            while left and executor.has_room():
                executor.give(left.popleft())
            for (place, item), outcome in executor.collect():
                if not isinstance(outcome, WorkerFailure):
                    yield place, outcome
                    continue
                tries[place] += 1
                if tries[place] == TRIES:
                    raise ValueError(f"{outcome.reason} ({TRIES} times)")
                left.append((place, item))


def _placed(function: Callable[[Item], Outcome], item: tuple[int, Item]) -> Outcome:
    return function(item[1])
