import sys

import numpy as np
import pytest

from netplace.apps.npb import is_
from netplace.apps.npb.classes import IS_CLASSES
from netplace.apps.npb.is_ import _bucket_counts, _redistribute

# Where is.c hides its test keys in class S, and their ranks before the iteration's number is added or taken.
PLACES = (48427, 17148, 23627, 62548, 4431)
RANKS = (0, 18, 346, 64917, 65463)


@pytest.fixture(scope="module")
def keys():
    """Return the keys of class S, one by one as the benchmark's report says."""
    state, drawn = 314159265, []
    for _ in range(1 << 16):
        total = 0
        for _ in range(4):
            state = state * 5**13 % 2**46
            total += state
        drawn.append((1 << 11) // 4 * total // 2**46)
    return np.array(drawn)


def test_keys_have_the_ranks_that_the_benchmark_verifies(keys):
    keys = keys.copy()
    keys[1], keys[11] = 1, 2048 - 1  # what iteration 1 changes
    ranks = [int((keys < keys[place]).sum()) for place in PLACES]
    assert ranks == [rank + (1 if i <= 2 else -1) for i, rank in enumerate(RANKS)]


@pytest.mark.parametrize("tasks", [1, 4, 16, 128])
def test_buckets_are_counted_as_the_keys_fall(keys, tasks):
    expected = np.stack([np.bincount(own >> 2, minlength=512) for own in np.split(keys, tasks)])
    assert np.array_equal(_bucket_counts(IS_CLASSES["S"], tasks), expected)


def test_keys_of_a_block_follow_those_of_the_one_before():
    # Two blocks to a task: the same draws as one block each for twice as many tasks.
    halves = _bucket_counts(IS_CLASSES["W"], 16)
    wholes = _bucket_counts(IS_CLASSES["W"], 8)
    assert np.array_equal(halves[::2] + halves[1::2], wholes)


def test_a_task_gets_buckets_until_it_has_its_share():
    held = np.array([[3, 0, 2, 1], [0, 3, 1, 2]])  # shares of 6; buckets hold 3, 3, 3, 3
    assert np.array_equal(_redistribute(held), [[3, 3], [3, 3]])
    held = np.array([[1, 1, 1, 3], [5, 0, 0, 1]])  # a first bucket of 6, then 1, 1 and 4
    assert np.array_equal(_redistribute(held), [[1, 5], [5, 1]])


def test_tasks_beyond_the_last_bucket_get_nothing():
    held = np.array([[0, 4], [0, 4], [4, 0], [4, 0]])  # two buckets of 8 for shares of 4
    assert np.array_equal(_redistribute(held), [[0, 4, 0, 0], [0, 4, 0, 0], [4, 0, 0, 0], [4, 0, 0, 0]])


@pytest.mark.parametrize(
    ("problem_class", "tasks", "least", "most", "mean"),
    [("A", 16, 126_000, 136_000, 131072), ("A", 64, 6_950, 9_800, 8192), ("W", 64, 760, 1340, 1024)],
)
def test_pairs_exchange_about_equal_numbers_of_keys(messages, problem_class, tasks, least, most, mean):
    said = messages(is_(problem_class, tasks))
    sizes = np.array([[size for _, size in said.sent(task)[1 - tasks :]] for task in range(tasks)])
    assert sizes.shape == (tasks, tasks - 1)
    assert least <= sizes.min() < sizes.max() <= most
    assert abs(sizes.mean() - mean) < 0.01 * mean


def test_iterations_differ_by_the_keys_that_task_0_changes():
    program = is_("S", 8, 10)
    sent = [program.cut(i, i).traffic().W for i in range(1, 11)]
    assert any(not np.array_equal(sent[0], other) for other in sent[1:])
    assert all(abs(other - sent[0]).max() <= 40 for other in sent)


def test_programs_too_large_are_refused_before_keys_are_drawn(monkeypatch):
    monkeypatch.setattr(sys.modules["netplace.apps.npb.is_"], "_exchanges", None)
    with pytest.raises(ValueError, match=r"is\.D\.1024 with 20 iterations takes 14.,.*; use at most 8 iter"):
        is_("D", 1024, 20)
