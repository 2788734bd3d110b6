"""Progress on stderr: a bar on a terminal, otherwise lines from time to time; none where silence is asked."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from netplace.runs.campaign import Progress

QUIET = "NETPLACE_QUIET"
PER_CENT = 100  # the total of what is told in shares, whose name begins with "of"
_SOON, _PAUSE, _TICK = 4.0, 30.0, 1.0  # seconds until the first line, between others, and between looks

Outcome = TypeVar("Outcome")


class Tell(Protocol):
    """Receives how many are done, those that failed among them."""

    def __call__(self, done: int, failed: int = 0, /) -> None: ...


def is_quiet() -> bool:
    return bool(os.environ.get(QUIET))


@contextmanager
def progress(
    label: str, total: int | None = None, *, shown: bool = True, ends: bool = False
) -> Iterator[Tell]:
    """Yield a function that receives how many of `total` (None: unknown) are done.

    Lines are written from a thread, also while it is not called. `ends`: even what ends soon has a last line.
    """
    if is_quiet() or not shown:
        yield lambda done, failed=0: None
    elif sys.stderr.isatty():
        with _bar(label, total) as tell:
            yield tell
    else:
        with _lines(label, total, ends) as tell:
            yield tell


@contextmanager
def expected(label: str, seconds: float) -> Iterator[None]:
    """Show which share of the CPU seconds that work is expected to take has passed."""
    over, began = threading.Event(), time.process_time()

    def repeat(tell: Tell) -> None:
        while not over.wait(_TICK):
            tell(min(99, int(PER_CENT * (time.process_time() - began) / seconds)))

    with progress(f"of the CPU time of {label}", PER_CENT) as tell:
        thread = threading.Thread(target=repeat, args=(tell,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()


@contextmanager
def _bar(label: str, total: int | None) -> Iterator[Tell]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeElapsedColumn
    from rich.text import Text

    class Left(ProgressColumn):
        def render(self, task: Task) -> Text:
            if not task.total or not 0 < task.completed < task.total:
                return Text("-:--:--")
            now = task.elapsed or 0.0
            left = _left(now, now - task.fields["last"], int(task.completed), int(task.total))
            return Text(str(left))

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), Left())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task(_text(label, total, 0, 0), total=total, last=0.0)
        task = bars.tasks[0]

        def tell(done: int, failed: int = 0, /) -> None:
            last = task.fields["last"] if done == task.completed else task.elapsed or 0.0
            bars.update(bar, completed=done, last=last, description=_text(label, total, done, failed))

        yield tell


@contextmanager
def _lines(label: str, total: int | None, ends: bool) -> Iterator[Tell]:
    began = last = time.monotonic()
    over, told, written = threading.Event(), (0, 0), 0

    def tell(done: int, failed: int = 0, /) -> None:
        nonlocal told, last
        told, last = (done, failed), time.monotonic() if done != told[0] else last

    def write() -> None:
        nonlocal written
        done, now = told[0], time.monotonic()
        line = f"{_text(label, total, *told)} after {now - began:,.0f} s"
        if total and 0 < done < total:
            line += f", {_left(now - began, now - last, done, total)} left"
        written = sys.stderr.write(f"{line}\n")
        sys.stderr.flush()

    def repeat() -> None:
        due = _SOON
        while not over.wait(due):
            write()
            due = _PAUSE

    thread = threading.Thread(target=repeat, daemon=True)
    thread.start()
    try:
        yield tell
    finally:
        over.set()
        thread.join()
        if told[0] == total and (ends or written):
            write()


def _left(seconds: float, silent: float, done: int, total: int) -> timedelta:
    """Return the time left at the pace up to now, at least as long as nothing has ended."""
    return timedelta(seconds=round(max(seconds / done * (total - done), silent)))


def _text(label: str, total: int | None, done: int, failed: int) -> str:
    """Return ``"40 of 200 runs (20 %), 1 failed"``, or ``"20 % of the packets"`` where 100 is the total."""
    if total == PER_CENT and label.startswith("of "):
        return f"{done} % {label}"
    if total is None and not done:
        return f"{label}: running"
    of, share = ("", "") if total is None else (f" of {total:,}", f" ({100 * done // max(total, 1)} %)")
    return f"{done:,}{of} {label}{share}" + (f", {failed} failed" if failed else "")


@contextmanager
def sweep_progress(label: str = "runs", shown: bool = True) -> Iterator[Callable[[Progress], None]]:
    """Yield a function that shows the progress that it is called with, of one campaign after another.

    Each begins with its first call: workers are best begun while there is a single thread.
    """
    with ExitStack() as stack:
        tell: Tell | None = None
        before = 0

        def show(found: Progress) -> None:
            nonlocal tell, before
            if tell is None or found.done < before:
                stack.close()
                tell = stack.enter_context(progress(label, found.total, shown=shown, ends=True))
            before = found.done
            tell(found.done, found.failed)

        yield show


def with_progress(outcomes: Iterator[tuple[int, Outcome]], count: int, label: str) -> list[Outcome]:
    """Return the outcomes in order of their places, and report the progress on stderr."""
    by_place: dict[int, Outcome] = {}
    with ExitStack() as stack:
        tell: Tell | None = None
        for place, outcome in outcomes:
            by_place[place] = outcome
            tell = tell or stack.enter_context(progress(label, count, shown=count > 1))
            tell(len(by_place))
    return [by_place[place] for place in range(count)]


@contextmanager
def bytes_read(paths: Iterable[Path]) -> Iterator[Callable[[int], None]]:
    """Yield a function that receives the number of bytes read from files, one part after the other."""
    sizes = [path.stat().st_size if path.is_file() else None for path in paths]
    known = [size for size in sizes if size is not None]
    total, read = sum(known) if len(known) == len(sizes) else None, 0
    with progress("bytes read", total, shown=bool(sizes)) as tell:

        def advance(count: int) -> None:
            nonlocal read
            read += count
            tell(read)

        yield advance
