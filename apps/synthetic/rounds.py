"""What the synthetic applications share: rounds, and exchanges with a list of partners."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from netplace.apps.operation import check_written
from netplace.apps.program import Program
from netplace.apps.task import TaskWriter
from netplace.checks import check_size, whole

__all__ = ["BYTES_PER_TASK", "exchange", "in_rounds"]

BYTES_PER_TASK = 1200  # of a writer with a few operations


def in_rounds(
    tasks: int,
    bytes: int,
    rounds: int,
    write: Callable[[TaskWriter], None],
    name: str,
    least: int = 2,
    length: Callable[[int], int] | None = None,
) -> Program:
    """Let each task do `rounds` times what `write` writes for it once.

    Rounds are marked as iterations 1, 2, .. and the messages of round r carry tag r - 1, so that those of
    different rounds cannot be taken for each other.

    Parameters
    ----------
    tasks : int
        Number of tasks, at least `least`.
    bytes : int
        Size of a message; checked here, used by `write`.
    rounds : int
        How many rounds.
    write : callable
        Appends one round of a task to its writer.
    name : str
        Name of the application.
    length : callable, optional
        Operations of so many tasks in a round, counted before they are written.

    Raises
    ------
    ValueError
        If a number is too small, or the operations would be too many.
    """
    whole(tasks, f"tasks of {name}", least)
    whole(bytes, f"bytes of {name}", 0)
    whole(rounds, f"rounds of {name}")
    check_size(tasks, BYTES_PER_TASK, "tasks", name)
    # Where it is not known, every task but one at least sends or receives something.
    check_written((tasks - 1 if length is None else length(tasks)) * rounds, name)
    writers = []
    operations = 0
    for task in range(tasks):
        writer = TaskWriter(task, tasks)
        writer.mark(1)
        write(writer)
        operations += len(writer) * rounds
        check_written(operations, name)
        writers.append(writer)
    for writer in writers:  # only now: there are not too many
        writer.repeat(0, rounds, tag_step=1)
        writer.mark(-1)
    return Program.of(writers, name)


def exchange(writer: TaskWriter, partners: Iterable[int], bytes: int) -> None:
    """Send to all `partners`, then receive from all of them, in the same order."""
    partners = list(partners)
    for partner in partners:
        writer.send(partner, bytes)
    for partner in partners:
        writer.recv(partner, bytes)
