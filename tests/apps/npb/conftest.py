"""Forms of a program that are easy to compare with numbers computed by hand."""

import numpy as np
import pytest

from netplace.apps import Op, Program


class Messages:
    """The messages that one iteration of a program sends."""

    def __init__(self, program: Program, iteration: int = 1) -> None:
        self.program = program.cut(iteration, iteration)

    def sent(self, task: int) -> list[tuple[int, int]]:
        """Return (destination, bytes) of each message of `task`, in order."""
        sends = (Op.SEND, Op.ISEND)
        return [(op.peer, op.size) for op in self.program.operations(task) if op.kind in sends]

    def sizes(self, task: int) -> set[int]:
        """Return the sizes of the messages of `task`."""
        return {size for _, size in self.sent(task)}

    def counts(self) -> list[int]:
        """Return how many messages each task sends."""
        return [len(self.sent(task)) for task in range(self.program.tasks)]

    def partners(self, task: int) -> set[int]:
        """Return to whom `task` sends."""
        return {peer for peer, _ in self.sent(task)} - {task}

    def kilobytes(self) -> np.ndarray:
        """Return the kilobytes that each task sends, rounded."""
        return np.array(
            [round(sum(size for _, size in self.sent(task)) / 1000) for task in range(self.program.tasks)]
        )


@pytest.fixture
def messages():
    """Return the class that lists the messages of an iteration."""
    return Messages
