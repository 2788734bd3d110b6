"""One function over many items, in this process or several, results as they come."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import TypeVar

__all__ = ["run_each"]

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")


def run_each(
    function: Callable[[Item], Outcome], items: Sequence[Item], processes: int = 1
) -> Iterator[tuple[int, Outcome]]:
    """Yield the place of each item and what `function` returned for it, as they come to their end.

    Parameters
    ----------
    function : callable
        Picklable, if there are several processes.
    items : sequence
        What to call it with.
    processes : int
        Worker processes; with 1 everything happens here.

    Raises
    ------
    Exception
        What `function` raised; other items are then abandoned.
    """
    if processes <= 1 or len(items) <= 1:
        yield from ((place, function(item)) for place, item in enumerate(items))
        return
    with ProcessPoolExecutor(min(processes, len(items)), initializer=_leave_interrupts_alone) as executor:
        try:
            places = {executor.submit(function, item): place for place, item in enumerate(items)}
            for future in as_completed(places):
                yield places[future], future.result()
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            for worker in multiprocessing.active_children():
                worker.kill()  # at once, whatever it does or has inherited
            raise


def _leave_interrupts_alone() -> None:
    """Let Ctrl-C reach the parent alone, which then ends its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
