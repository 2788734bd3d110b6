"""Tasks on processors under a policy, instant by instant."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from netplace.checks import check_choice, check_int
from netplace.experiments.redirection.simulator.policies import TASK_POLICIES
from netplace.experiments.redirection.simulator.pool import Pool
from netplace.experiments.redirection.simulator.task import Ran, Task

__all__ = ["run_tasks"]


def run_tasks(
    tasks: Sequence[Task],
    processors: int,
    policy: str,
    *,
    dedicated: int | None = None,
    threshold: int | None = None,
    b: float | None = None,
    c: float | None = None,
    draws: Iterable[float] | None = None,
    seed: int = 0,
) -> list[Ran]:
    """Return what comes of tasks on processors that run one at a time each.

    At an instant tasks complete; then those that arrive are dealt with one by one; then idle processors, in
    order of number, take the first of their queues. A task without a common queue goes, for good, to the
    processor where it raises the sum of flows least. F. Mendonca, thesis, Université Grenoble Alpes, 2017,
    chapter 3.

    Parameters
    ----------
    tasks : sequence of Task
        In order of release; the order decides ties.
    processors : int
        How many there are; the last `dedicated` of them are for redirected tasks.
    policy : str
        Key of `TASK_POLICIES`.
    dedicated : int, optional
        Of policies that redirect.
    threshold : int, optional
        Of -RD: shorter tasks that arrive while a task runs (in its queue) until it is redirected.
    b, c : float, optional
        Of -RR: a task of at least `b` times the longest so far is redirected with probability `c`.
    draws : iterable of float, optional
        Of -RR: numbers from 0 to below 1, used in order; by default those of `seed`.
    seed : int
        Seed of the draws.

    Returns
    -------
    list of Ran
        In the order of `tasks`.
    """
    rule = TASK_POLICIES[check_choice(policy, TASK_POLICIES, "policy")]
    given = {"dedicated": dedicated, "threshold": threshold, "b": b, "c": c}
    for name, value in given.items():
        if (value is None) == (name in rule.parameters):
            raise ValueError(
                f"policy {policy}: {name} is {value}, expected "
                + (" and ".join(rule.parameters) if rule.parameters else "no parameters")
            )
    common = check_int(processors, "processors") - (
        check_int(dedicated, "dedicated") if dedicated is not None else 0
    )
    if common < 1:
        raise ValueError(
            f"policy {policy}: {dedicated} of {processors} processors are dedicated, none is left"
        )
    for name, value in (("b", b), ("c", c)):
        if value is not None and not 0 <= value <= 1:
            raise ValueError(f"policy {policy}: {name} is {value:g}, expected a number from 0 to 1")
    limit = check_int(threshold, "threshold") if threshold is not None else 0
    _check(tasks)
    pool = Pool(tasks, 0, common, rule, threshold=limit)
    apart = Pool(tasks, common, processors, rule, dedicated=True)
    chance = _Chance(b, c, _drawn(draws, seed)) if b is not None and c is not None else None
    return _run(tasks, pool, apart, chance)


def _run(tasks: Sequence[Task], pool: Pool, apart: Pool, chance: _Chance | None) -> list[Ran]:
    ran: dict[int, Ran] = {}
    arrived = 0
    while len(ran) < len(tasks):
        release = tasks[arrived].release if arrived < len(tasks) else math.inf
        now = min(release, pool.next_end(), apart.next_end())
        for side in (pool, apart):
            ran.update(side.complete(now))
        while arrived < len(tasks) and tasks[arrived].release <= now:
            if chance and chance.redirects(tasks[arrived].seconds):
                apart.arrive(arrived, now)
            elif (driven := pool.arrive(arrived, now)) is not None:
                apart.arrive(driven.row, now)
            arrived += 1
        for side in (pool, apart):
            side.start_idle(now)
    return [ran[row] for row in range(len(tasks))]


class _Chance:
    """Whether a task that arrives is redirected at random."""

    def __init__(self, b: float, c: float, draws: Iterator[float]) -> None:
        self._b, self._c, self._draws, self._longest = b, c, draws, 0.0

    def redirects(self, seconds: float) -> bool:
        """Draw for a task that is long beside the longest so far."""
        self._longest = max(self._longest, seconds)
        if seconds < self._b * self._longest:
            return False
        draw = next(self._draws, None)
        if draw is None:
            raise ValueError("draws: there are fewer than long tasks")
        return draw <= self._c


def _drawn(draws: Iterable[float] | None, seed: int) -> Iterator[float]:
    if draws is not None:
        yield from draws
        return
    rng = np.random.default_rng(seed)
    while True:
        yield float(rng.random())


def _check(tasks: Sequence[Task]) -> None:
    if not tasks:
        raise ValueError("tasks: there are none, expected at least one")
    last = -math.inf
    for task in tasks:
        if not last <= task.release < math.inf:
            raise ValueError(
                f"task {task.number}: released at {task.release:g}, expected at or after {last:g}"
            )
        if not 0 < task.seconds < math.inf:
            raise ValueError(f"task {task.number}: takes {task.seconds:g} s, expected a finite time over 0")
        if task.release + task.seconds == task.release:
            raise ValueError(
                f"task {task.number}: {task.seconds:g} s are too short beside {task.release:g} s"
            )
        last = task.release
