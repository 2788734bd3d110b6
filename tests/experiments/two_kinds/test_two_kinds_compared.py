"""Alignments against all alignments, and the master against steps written apart."""

import functools
import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplace.experiments.two_kinds.simulator import TaskTimes, master_slave, search, smith_waterman

TEXTS = st.text("ACG", max_size=5)


def by_all_alignments(first, second, match, mismatch, gap_open, gap_extend):
    """Return the best score over all ways to write parts below each other, gaps by their whole length."""

    @functools.cache
    def best(i, j, last):
        """Return the best score of what is before i and j; `last`: which text has a gap at the end, or 0."""
        scores = [0.0] if last == 0 else []
        if i and j and last == 0:
            pair = match if first[i - 1] == second[j - 1] else mismatch
            scores += [pair + best(i - 1, j - 1, side) for side in (0, 1, 2)]
        if last == 1:
            scores += [
                best(i - n, j, side) - gap_open - (n - 1) * gap_extend
                for n in range(1, i + 1)
                for side in (0, 2)
            ]
        if last == 2:
            scores += [
                best(i, j - n, side) - gap_open - (n - 1) * gap_extend
                for n in range(1, j + 1)
                for side in (0, 1)
            ]
        return max(scores, default=-np.inf)

    ends = itertools.product(range(len(first) + 1), range(len(second) + 1), (0, 1, 2))
    return max(best(*end) for end in ends)


@given(
    TEXTS,
    TEXTS,
    st.integers(1, 5),
    st.integers(-5, 0),
    st.integers(0, 6),
    st.integers(0, 6),
)
def test_the_score_is_the_best_of_all_alignments(first, second, match, mismatch, gap, more):
    costs = (match, mismatch, max(gap, more), min(gap, more))
    assert smith_waterman(first, second, *costs) == by_all_alignments(first, second, *costs)
    assert smith_waterman(second, first, *costs) == smith_waterman(first, second, *costs)


def test_a_long_gap_costs_less_than_short_ones():
    assert smith_waterman("AAACCC", "AAAGGCCC", gap_open=4, gap_extend=1) == 6 * 5 - 5
    assert smith_waterman("AAACCC", "AAAGGCCC", gap_open=4, gap_extend=4) == 6 * 5 - 8
    with pytest.raises(ValueError, match="gap_extend"):
        smith_waterman("A", "A", gap_open=1, gap_extend=2)


@st.composite
def shared(draw):
    count = draw(st.integers(1, 8))
    times = [draw(st.lists(st.integers(1, 9), min_size=count, max_size=count)) for _ in range(2)]
    return TaskTimes.of(*times), draw(st.integers(0, 2)), draw(st.integers(1, 2))


@given(shared(), st.integers(0, 3))
def test_on_demand_is_what_unit_steps_do(given_to, message):
    tasks, cpus, gpus = given_to
    made = master_slave(tasks, cpus, gpus, message=message)
    names = [f"G{n}" for n in range(gpus)] + [f"C{n}" for n in range(cpus)]
    free_at, waiting_since = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    clock, workers = 0, []
    for task in range(len(tasks)):
        while not any(free_at[name] <= clock for name in names):
            clock += 1
        name = min(
            (name for name in names if free_at[name] <= clock),
            key=lambda name: (waiting_since[name], names.index(name)),
        )
        clock += message
        seconds = int((tasks.gpu if name[0] == "G" else tasks.cpu)[task])
        free_at[name] = waiting_since[name] = clock + seconds
        workers.append(name)
    assert made.workers == tuple(workers)
    assert made.makespan == max(free_at.values())


@given(shared())
def test_what_is_assigned_takes_what_the_search_says_if_messages_take_no_time(given_to):
    tasks, cpus, gpus = given_to
    cpus = max(cpus, 1)
    found = search(tasks, cpus, gpus, "greedy").assignment
    made = master_slave(tasks, cpus, gpus, "assigned", found)
    assert (made.workers, made.makespan) == (found.workers, pytest.approx(found.makespan))
    late = master_slave(tasks, cpus, gpus, "assigned", found, message=2.0)
    assert found.makespan + 2 <= late.makespan + 1e-9 <= found.makespan + 2 * len(tasks) + 1e-6


def test_mistakes():
    tasks = TaskTimes.of([1], [1])
    for given_to, told in (
        ((tasks, 0, 0), "there are no workers"),
        ((tasks, 1, 1, "assigned"), "needs one"),
        ((tasks, 1, 1, "by chance"), "by chance"),
    ):
        with pytest.raises(ValueError, match=told):
            master_slave(*given_to)
