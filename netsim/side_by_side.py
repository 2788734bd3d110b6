"""Threads that run the kernel's loop side by side, one for each domain of a network."""

from __future__ import annotations

import os
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

    def run(loop: Loop, number: int) -> None:
        go.wait()
        if not called_off:
            _move_to_core(number)
            outcomes.append(loop(until))

    threads: list[threading.Thread] = []
    try:
        for number, loop in enumerate(loops):
            thread = threading.Thread(target=run, args=(loop, number), daemon=True)
            thread.start()
            threads.append(thread)
    except BaseException:
        called_off = True
        raise
    finally:
        go.set()
        _wait_for(threads)
    return outcomes[0]


def _move_to_core(number: int) -> None:
    """Let this thread go on, on the n-th of the cores that it may use; it may leave that at any time.

    Whoever wakes several threads often finds them all on its own core, where they wait for each other until
    the system has spread them, some milliseconds later.
    """
    if hasattr(os, "sched_setaffinity"):
        allowed = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {sorted(allowed)[number % len(allowed)]})
        os.sched_setaffinity(0, allowed)


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
