"""One function over many items, in several processes."""

from __future__ import annotations

import multiprocessing
import os

import pytest

from netplace.runs.pool import run_each


def square(number: int) -> int:
    if number < 0:
        raise ValueError(f"{number} is negative")
    return number * number


def pid(_: int) -> int:
    return os.getpid()


@pytest.mark.parametrize("processes", [1, 2, 5])
def test_each_item_comes_with_its_place(processes):
    assert sorted(run_each(square, [3, 1, 2], processes)) == [(0, 9), (1, 1), (2, 4)]


def test_several_processes_are_really_others():
    assert os.getpid() not in {found for _, found in run_each(pid, range(4), 2)}
    assert {found for _, found in run_each(pid, range(4), 1)} == {os.getpid()}


@pytest.mark.parametrize("processes", [1, 2])
def test_an_error_ends_everything(processes):
    with pytest.raises(ValueError, match="-1 is negative"):
        list(run_each(square, [1, -1, *range(50)], processes))
    for worker in multiprocessing.active_children():
        worker.join(10)
    assert multiprocessing.active_children() == []
