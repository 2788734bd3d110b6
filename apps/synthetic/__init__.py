"""Synthetic applications: pure communication patterns, as defined by the tools of INSEE.

Exchanges, trees, wavefronts and random updates, without computation; the section on application patterns of
docs/background/patterns.md defines each of them. Tasks send before they receive, so most patterns need eager
sends: if messages exceed the eager limit and therefore wait for their receives, the pattern never ends, as
`Program.check` reports.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from netplace.apps.application import Application
from netplace.apps.operation import Op, check_written
from netplace.apps.program import Program
from netplace.apps.synthetic.rounds import (
    Grid,
    Round,
    Sizes,
    Step,
    exchange,
    in_rounds,
    marks_of,
    receive,
    send,
)
from netplace.inputs import MOST, check_choice, check_int

ORDERS = {
    "rotated": "task i sends to i+1, i+2, .., i-1",
    "identifier": "every task sends to 0, 1, 2, .. except itself",
}


def all_to_all(tasks: int, bytes: int = 64, rounds: int = 1, order: str = "rotated") -> Program:
    """Each task sends to all others, and then receives from all of them in the same order.

    ::

        0 --> 1 2 3      then      0 <-- 1 2 3
        1 --> 2 3 0                1 <-- 2 3 0
        2 --> 3 0 1                2 <-- 3 0 1
        3 --> 0 1 2                3 <-- 0 1 2

    With ``order="identifier"``, all tasks begin with task 0, where their messages meet.
    """
    check_choice(order, ORDERS, "order of all-to-all")

    def once(task: NDArray[np.int64]) -> Round:
        if order == "rotated":
            return Round.of(exchange((task + k) % tasks for k in range(1, tasks)))
        return Round.of(exchange(k + (k >= task) for k in range(tasks - 1)))

    return in_rounds(tasks, bytes, rounds, "all-to-all", lambda tasks: 2 * tasks * (tasks - 1), once)


def butterfly(tasks: int, bytes: int = 64, rounds: int = 1) -> Program:
    """In stage k, each task exchanges messages with the task whose number differs in bit k.

    ::

        stage 0      stage 1      stage 2
        0 <-> 1      0 <-> 2      0 <-> 4
        2 <-> 3      1 <-> 3      1 <-> 5
        4 <-> 5      4 <-> 6      2 <-> 6
        6 <-> 7      5 <-> 7      3 <-> 7
    """
    if tasks < 2 or tasks & (tasks - 1):
        raise ValueError(f"tasks of butterfly: {tasks} is not a power of two of at least 2")

    stages = tasks.bit_length() - 1

    def once(task: NDArray[np.int64]) -> Round:
        return Round.of(step for bit in range(stages) for step in exchange([task ^ 1 << bit]))

    return in_rounds(tasks, bytes, rounds, "butterfly", lambda tasks: 2 * tasks * stages, once)


def all_to_one(tasks: int, bytes: int = 64, rounds: int = 1) -> Program:
    r"""Each task sends a message to task 0, which receives the messages in order of task number.

    ::

        1 --\
        2 ---> 0
        3 --/
    """
    return in_rounds(
        tasks, bytes, rounds, "all-to-one", _edges, lambda task: _with_root(task, Op.RECV, Op.SEND)
    )


def one_to_all(tasks: int, bytes: int = 64, rounds: int = 1) -> Program:
    r"""Task 0 sends a message to each other task, in order of task number.

    ::

          /--> 1
        0 ---> 2
          \--> 3
    """
    return in_rounds(
        tasks, bytes, rounds, "one-to-all", _edges, lambda task: _with_root(task, Op.SEND, Op.RECV)
    )


def binary_tree(tasks: int, bytes: int = 64, rounds: int = 1) -> Program:
    """Reduce to task 0: for q = 1, 2, 4, .., each task i with i mod 2q = q sends to task i - q.

    ::

        0 <- 1   2 <- 3   4 <- 5   6 <- 7      q = 1
        0 <----- 2        4 <----- 6           q = 2
        0 <--------------- 4                   q = 4
    """

    def once(task: NDArray[np.int64]) -> Round:
        steps = []
        for q in (1 << bit for bit in range((tasks - 1).bit_length())):
            inner, leaf = task % (2 * q) == 0, task % (2 * q) == q
            steps.append(receive(np.where(inner & (task + q < tasks), task + q, -1)))
            steps.append(send(np.where(leaf, task - q, -1)))
        return Round.of(steps)

    return in_rounds(tasks, bytes, rounds, "binary-tree", _edges, once)


def _edges(tasks: int) -> int:
    """Return how many operations it takes if each task but one sends, or receives, one message."""
    return 2 * (tasks - 1)


def _with_root(task: NDArray[np.int64], at_root: Op, elsewhere: Op) -> Round:
    """Return the round in which task 0 has a message with each of the others, in their order."""
    others = len(task) - 1
    first = np.append(0, others + task)
    kind = np.repeat(np.array([at_root, elsewhere], np.int8), others)
    return Round(first, kind, np.append(task[1:], np.zeros(others)).astype(np.int32))


def gups(tasks: int, bytes: int = 64, rounds: int = 1, updates: int | None = None, seed: int = 0) -> Program:
    """Make random updates: each is a message from a random task to another one, which waits for it.

    ::

        update 0   2 --> 0
        update 1   1 --> 3
        update 2   0 --> 2      task 0 waits for update 0 before it sends this one

    The application is named after the giga-updates per second that the RandomAccess test of HPC Challenge
    measures. Updates are tagged 0, 1, ..; `updates` is their number per round over all tasks, by default the
    number of tasks. Each round draws new updates.
    """
    check_int(tasks, "tasks of gups", 2)
    check_int(bytes, "bytes of gups", 0, MOST - 1)
    check_int(rounds, "rounds of gups")
    check_int(seed, "seed of gups", 0)
    count = tasks if updates is None else check_int(updates, "updates of gups")
    check_written(2 * rounds * count + tasks * rounds, "gups")
    rng = np.random.default_rng(seed)
    sources, targets = np.empty((rounds, count), np.int64), np.empty((rounds, count), np.int64)
    for number in range(rounds):
        sources[number] = rng.integers(tasks, size=count)
        targets[number] = (sources[number] + rng.integers(1, tasks, size=count)) % tasks
    # Every update is two operations; a task's own stand in the order of the updates.
    task = np.stack([sources, targets], axis=-1).reshape(rounds, -1)
    order = np.argsort(task, axis=None, kind="stable")
    here = np.array([np.bincount(row, minlength=tasks) for row in task])
    first = np.concatenate([[0], np.cumsum(here.sum(axis=0))])
    return Program(
        first=first,
        kind=np.tile(np.array([Op.SEND, Op.RECV], np.int8), rounds * count)[order],
        peer=np.stack([targets, sources], axis=-1).ravel()[order].astype(np.int32),
        size=np.full(len(order), bytes, np.int64),
        tag=order // 2,
        request=np.full(len(order), -1, np.int32),
        marks=marks_of(first, here.T),
        name="gups",
        sections={},
    )


def neighbors(grid: Grid, task: NDArray[np.int64]) -> list[Step]:
    """Send to every neighbor that exists (X+, X-, Y+, ..), then receive from all in the same order.

    On a torus, every axis is a ring::

          |     |     |
        - 0 <-> 1 <-> 2 -
          ^     ^     ^
          v     v     v
        - 3 <-> 4 <-> 5 -
          |     |     |
    """
    return exchange(grid.neighbours(task))


def shift(grid: Grid, task: NDArray[np.int64]) -> list[Step]:
    """Send a message up every ring, the last axis first, then receive those that come up.

    ::

        > 0 --> 1 --> 2 >
          |     |     |
          v     v     v
        > 3 --> 4 --> 5 >
          v     v     v
    """
    axes = range(len(grid.sizes))[::-1]
    up = [send(grid.step(task, axis, 1)) for axis in axes]
    return [*up, *(receive(grid.step(task, axis, -1)) for axis in axes)]


def sweep(grid: Grid, task: NDArray[np.int64]) -> list[Step]:
    """Receive from the lower neighbors that exist, then send to the upper ones (X, then Y, then Z).

    ::

        0 --> 1 --> 2
        |     |     |
        v     v     v
        3 --> 4 --> 5
    """
    lower, upper = grid.neighbours(task, [-1]), grid.neighbours(task, [1])
    return [*map(receive, lower), *map(send, upper)]


Steps = Callable[[Grid, NDArray[np.int64]], list[Step]]


def on_grid(
    name: str, steps: Steps, axes: int, wraps: bool = False, times: int | None = 1, transposed: bool = False
) -> Callable[..., Program]:
    """Return the application in which each task of a virtual grid takes some steps in each round.

    By default there are `times` rounds, or one for each task along the longest axis. On a *transposed* grid,
    a consecutive mapping, which is perfect for the plain pattern, no longer lines up with the network's axes.
    """

    def make(tasks: int, bytes: int = 64, rounds: int | None = times, grid: Sizes = None) -> Program:
        on = Grid.of(tasks, axes, grid, wraps, transposed)
        ways = 2 if steps is neighbors else 1
        return in_rounds(
            tasks, bytes, max(on.sizes) if rounds is None else rounds, name,
            lambda _: 2 * ways * on.steps, lambda task: Round.of(steps(on, task)),
        )  # fmt: skip

    make.__doc__ = steps.__doc__
    return make


_SHIFT = "messages shift along the rings of a {} torus, one round per task of a ring"
_ON_GRIDS: dict[str, tuple[str, Steps, int, bool, int | None]] = {
    # description, steps, axes, whether they are rings, rounds
    "2d-mesh": ("neighbors on a 2-D grid exchange", neighbors, 2, False, 1),
    "2d-torus": ("neighbors on a 2-D torus exchange", neighbors, 2, True, 1),
    "2d-sweep": ("a wavefront crosses a 2-D grid", sweep, 2, False, 1),
    "2d-shift": (_SHIFT.format("2-D"), shift, 2, True, None),
    "3d-mesh": ("neighbors on a 3-D grid exchange", neighbors, 3, False, 1),
    "3d-torus": ("neighbors on a 3-D torus exchange", neighbors, 3, True, 1),
    "3d-sweep": ("a wavefront crosses a 3-D grid", sweep, 3, False, 1),
    "3d-shift": (_SHIFT.format("3-D"), shift, 3, True, None),
    "waterfall": ("successive wavefronts cross a 2-D grid", sweep, 2, False, 10),
}
_TRANSPOSED = ("2d-mesh", "2d-torus", "2d-sweep", "2d-shift", "3d-mesh", "3d-torus", "3d-shift")

SYNTHETIC: dict[str, Application] = {
    item.name: item
    for item in (
        Application("all-to-all", "each task sends to all others, then receives from them", all_to_all),
        Application("all-to-one", "each task sends to task 0", all_to_one),
        Application("one-to-all", "task 0 sends to each task", one_to_all),
        *(Application(name, grid[0], on_grid(name, *grid[1:])) for name, grid in _ON_GRIDS.items()),
        *(
            Application(
                name.replace("d-", "d-t-"),
                f"{name} on the transposed grid",
                on_grid(name.replace("d-", "d-t-"), *_ON_GRIDS[name][1:], transposed=True),
            )
            for name in _TRANSPOSED
        ),
        Application("binary-tree", "a reduction to task 0 along a binary tree", binary_tree),
        Application(
            "butterfly", "each task exchanges with the tasks whose numbers differ in one bit", butterfly
        ),
        Application("gups", "random updates, each of which is a message that the target waits for", gups),
    )
}
