"""One function over many items, in several processes, and how these are started."""

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import threading

import pytest

from netplace.netsim import DeadlockError
from netplace.netsim.engine import Blocked
from netplace.runs.executors import run_each
from netplace.runs.processes import starting


def square(number: int) -> int:
    if number < 0:
        raise ValueError(f"{number} is negative")
    return number * number


def deadly(number: int) -> int:
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def blocked(_: int) -> None:
    raise DeadlockError("nobody moves", 7, Blocked())


class OwnError(Exception):
    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"{one} and {two}")


def own(_: int) -> None:
    raise OwnError(1, 2)


def square_and_process(number: int) -> tuple[int, int]:
    return square(number), os.getpid()


@pytest.mark.parametrize("processes", [1, 5])
def test_each_item_comes_with_its_place_from_other_processes_if_there_are_several(processes):
    found = sorted(run_each(square_and_process, [3, 1, 2], processes))
    assert [(place, number) for place, (number, _) in found] == [(0, 9), (1, 1), (2, 4)]
    here = [process == os.getpid() for _, (_, process) in found]
    assert here == [processes == 1] * 3


@pytest.mark.parametrize("processes", [1, 2])
def test_an_error_ends_everything(processes):
    with pytest.raises(ValueError, match="-1 is negative"):
        list(run_each(square, [1, -1, *range(50)], processes))
    for worker in multiprocessing.active_children():
        worker.join(10)
    assert multiprocessing.active_children() == []


@pytest.mark.all
def test_a_killed_worker_is_told():
    with pytest.raises(ValueError, match="its worker process ended by signal 9"):
        list(run_each(deadly, range(5), 2))
    assert multiprocessing.active_children() == []


@pytest.mark.all
def test_errors_come_over_whole():
    with pytest.raises(DeadlockError, match="nobody moves") as told:
        list(run_each(blocked, range(2), 2))
    assert told.value.cycle == 7
    with pytest.raises(RuntimeError, match="OwnError: 1 and 2"):
        list(run_each(own, range(2), 2))


@pytest.mark.all
def test_beside_other_threads_workers_are_spawned():
    over = threading.Event()
    other = threading.Thread(target=over.wait)
    other.start()
    try:
        assert sorted(run_each(square, [3, 1, 2], 2)) == [(0, 9), (1, 1), (2, 4)]
    finally:
        over.set()
        other.join()


@pytest.mark.all
def test_workers_that_nobody_asks_end():
    outcomes = run_each(square, range(10), 2)
    children = multiprocessing.active_children()
    assert len(children) == 2
    del outcomes
    gc.collect()
    for child in children:
        child.join(60)  # beside threads of other tests it is spawned, and first has to begin
        assert child.exitcode is not None


@pytest.mark.all
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere all processes are spawned")
def test_threads_of_libraries_count():
    code = (
        "import numpy\n"
        "from netplace.runs.processes import start_method\n"
        "print(start_method().get_start_method())"
    )
    for count, method in (("1", "fork"), ("2", "spawn")):
        env = os.environ | {"OPENBLAS_NUM_THREADS": count}
        done = subprocess.run(
            [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == method


@pytest.mark.parametrize("before", [None, "1"])
def test_the_environment_is_as_before(monkeypatch, before):
    if before is None:
        monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    else:
        monkeypatch.setenv("PYTHONSAFEPATH", before)
    with starting():
        assert os.environ["PYTHONSAFEPATH"] == "1"
    assert os.environ.get("PYTHONSAFEPATH") == before
