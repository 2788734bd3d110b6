"""Threads that run the kernel's loop side by side, one for each domain of a network."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

__all__ = ["run_side_by_side"]

Loop = Callable[[int], int]


def run_side_by_side(loops: Sequence[Loop], until: int) -> int:
    """Run the loop of every domain up to a cycle, and return what they return: all come back together.

    None begins before all threads are there, since each would wait for the others. A signal that comes
    meanwhile is heard when they are back.

    Raises
    ------
    RuntimeError
        If the system gives no more threads.
    """
    if len(loops) == 1:
        return loops[0](until)
    outcomes: list[int] = []
    called_off = False
    go = threading.Event()

    def run(loop: Loop) -> None:
        go.wait()
        if not called_off:
            outcomes.append(loop(until))

    threads: list[threading.Thread] = []
    try:
        for loop in loops:
            thread = threading.Thread(target=run, args=(loop,), daemon=True)
            thread.start()
            threads.append(thread)
    except BaseException:
        called_off = True
        raise
    finally:
        go.set()
        _wait_for(threads)
    return outcomes[0]


def _wait_for(threads: list[threading.Thread]) -> None:
    """Wait until all threads are at their end, whatever is raised meanwhile; then raise that."""
    raised: BaseException | None = None
    while threads:
        try:
            threads[-1].join()
            threads.pop()
        except BaseException as error:  # a signal: nobody may go on while threads still simulate
            raised = error
    if raised is not None:
        raise raised
