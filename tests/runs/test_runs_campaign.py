"""Many runs carried out: by one or more workers or Dask, killed and resumed, shared, interrupted."""

import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from netplace.runs import resolve
from netplace.runs.campaign import complete, missing
from netplace.runs.chance import simulation_of
from netplace.runs.executors import Batches, InProcessExecutor, ProcessPoolExecutor, WorkerFailure
from netplace.runs.resources import simulators
from netplace.runs.store import Store
from netplace.runs.tables import run_table, time_table

JOB = {"app": "2d-torus", "packets": 4, "rounds": 8}
RUNS = [
    resolve(network, {**JOB, "mapping": mapping}, seed=seed)
    for network in ("torus:4x4", "mesh:4x4")
    for mapping in ("consecutive", "random")
    for seed in range(5)
]
# The ends of a campaign: some runs cannot be placed.
SOME_FAIL = [*RUNS, *(resolve("torus:4x4", {**JOB, "mapping": "shuffle"}, seed=seed) for seed in range(2))]


def table_of(path, runs=SOME_FAIL) -> str:
    with Store(path, read_only=True) as store:
        frame = run_table(store.rows(runs))
    return frame.to_csv() + time_table(frame).to_csv()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    path = tmp_path_factory.mktemp("undisturbed") / "s.sqlite"
    with Store(path) as store:
        progress = complete(SOME_FAIL, store, simulators(1))
    # Without chance (a mesh, a rule of order) one simulation stands for five seeds.
    assert (progress.total, progress.done, progress.failed) == (18, 18, 2)
    return table_of(path)


def test_every_crew_gives_the_same_table(tmp_path, undisturbed):
    from distributed import LocalCluster

    with Store(tmp_path / "two.sqlite") as store:
        told = []
        complete(SOME_FAIL, store, simulators(2), told.append)
        assert [progress.done for progress in told] == list(range(19))
    with (
        LocalCluster(processes=False, n_workers=1, dashboard_address="localhost:0") as cluster,
        Store(tmp_path / "dask.sqlite") as store,
    ):
        complete(SOME_FAIL, store, simulators(dask=cluster.scheduler_address))
    assert table_of(tmp_path / "two.sqlite") == undisturbed
    assert table_of(tmp_path / "dask.sqlite") == undisturbed


def test_what_is_stored_is_never_simulated_again(tmp_path, monkeypatch):
    with Store(tmp_path / "s.sqlite") as store:
        complete(RUNS[:8], store, simulators(1))
        simulated = []
        executor = simulators(1)
        monkeypatch.setattr(
            executor, "give", lambda run, give=executor.give: (simulated.append(run), give(run))
        )
        complete(RUNS, store, executor)
        assert {run.key for run in simulated} == {run.key for run in map(simulation_of, RUNS[8:])}
        assert missing(RUNS, store) == []
        assert complete(RUNS, store, executor).total == 0


def _complete(path: str) -> None:
    with Store(path) as store:
        complete(SOME_FAIL, store, simulators(1))


@pytest.mark.all
def test_a_sweep_killed_at_any_moment_resumes(tmp_path, undisturbed):
    """Twenty times, from a process that has just begun to one that has almost ended."""
    rng = random.Random(2)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(
        ["netplace.runs.tables", "netplace.runs.campaign", "netplace.netsim.kernel_engine"]
    )
    path = tmp_path / "s.sqlite"
    killed = 0
    for _ in range(200):
        process = context.Process(target=_complete, args=(str(path),))
        process.start()
        process.join(rng.uniform(0.0, 0.25))
        if process.exitcode is None:
            process.kill()
            process.join()
            killed += 1
        if killed < 20 and path.exists() and process.exitcode == 0:
            path.unlink()  # it was done too early: once more from the beginning
        if killed == 20:
            break
    assert killed == 20
    _complete(str(path))
    assert table_of(path) == undisturbed


def test_two_processes_share_the_work(tmp_path, undisturbed):
    path = tmp_path / "s.sqlite"
    context = multiprocessing.get_context("spawn")
    others = [context.Process(target=_complete, args=(str(path),)) for _ in range(3)]
    for process in others:
        process.start()
    for process in others:
        process.join(120)
        assert process.exitcode == 0
    assert table_of(path) == undisturbed


DEADLY = """
import os
from netplace.apps import APPLICATIONS
def ring(task, deadly=0, rounds=1):
    if deadly:
        os.kill(os.getpid(), 9)
    for _ in range(rounds):
        task.send((task.task + 1) % task.tasks, 64)
        task.recv((task.task - 1) % task.tasks, 64)
APPLICATIONS.add("deadly-ring", ring)
"""


def test_a_worker_that_dies_is_tried_again_and_never_kept(tmp_path, plugin):
    plugin(DEADLY)
    job = {"app": "deadly-ring"}
    runs = [
        resolve("torus:2x2", {**job, "rounds": number, "deadly": int(number == 2)}) for number in range(1, 9)
    ]
    with Store(tmp_path / "s.sqlite") as store:
        progress = complete(runs, store, simulators(2))
        rows = list(store.rows(runs))
    assert (progress.done, progress.failed, progress.lost) == (8, 0, 1)
    assert progress.reason == "its worker process ended by signal 9, possibly for lack of memory"
    assert [outcome is None for _, outcome, _ in rows] == [number == 2 for number in range(1, 9)]
    assert not any(failure for *_, failure in rows)


SCRIPT = """
from netplace.runs import resolve
from netplace.runs.campaign import complete
from netplace.runs.resources import simulators
from netplace.runs.store import Store
if __name__ == "__main__":
    job = {"app": "all-to-all", "packets": 9, "rounds": 9, "mapping": "random"}
    runs = [resolve("torus:8x8", job, seed=seed) for seed in range(1000)]
    with Store("s.sqlite") as store:
        complete(runs, store, simulators(2), lambda p: print(p.done, flush=True))
"""


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_workers_end_with_their_employer(tmp_path, how):
    (tmp_path / "many.py").write_text(SCRIPT)
    # From a process without threads workers are forked; others have a helper of multiprocessing beside them.
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OPENBLAS_NUM_THREADS": "1"}
    process = subprocess.Popen(
        [sys.executable, "many.py"],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    with process.stdout as lines:
        while next(lines).strip() != "2":
            pass
    workers = children_of(process.pid)
    assert len(workers) == 2
    process.send_signal(how)
    assert process.wait(30) != 0
    deadline = time.monotonic() + 30
    while any(map(alive, workers)):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    with Store(tmp_path / "s.sqlite") as store:
        assert len(store.simulated()) >= 2


def children_of(pid: int) -> list[int]:
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(word) for word in file.read().split()]


def alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_workers_are_counted():
    with pytest.raises(ValueError, match="--workers: 0 is too small"):
        simulators(0)
    assert isinstance(simulators(1).executor, InProcessExecutor)
    assert isinstance(simulators(3).executor, ProcessPoolExecutor)


def test_short_items_are_sent_together_and_suspects_alone():
    sent = []

    class Recorder(InProcessExecutor):
        def give(self, item):
            sent.append(item)
            super().give(item)

        def collect(self):
            if any("deadly" in items and len(items) > 1 for items in self._given):
                self.busy = 0
                return [(items, WorkerFailure("died")) for items in self._given]
            return super().collect()

    executor = Batches(lambda function, lost: Recorder(function), str.upper, str)
    left, ended = [f"item {number}" for number in range(100)] + ["deadly"], []
    with executor:
        while left or executor.busy:
            while left and executor.has_room():
                executor.give(left.pop(0))
            for item, outcome in executor.collect():
                if outcome == "died":
                    left.append(item)
                else:
                    ended.append((item, outcome))
    assert sorted(ended) == sorted(
        (item, item.upper()) for item in [*sent[0], *(f"item {n}" for n in range(1, 100)), "deadly"]
    )
    assert len(sent[0]) == 1, "nothing is known of the first"
    assert len(sent[1]) == 100
    assert sent[2:] == [[item] for item in sent[1]], "one of them is deadly"


@pytest.mark.parametrize("option", ["wait=soon", "patience=3", "wait=-1"])
def test_an_option_of_a_dask_address(option):
    with pytest.raises(ValueError, match="--dask: "):
        simulators(dask=f"tcp://127.0.0.1:9,{option}")


def test_a_dask_address_that_does_not_answer(monkeypatch):
    monkeypatch.setattr("netplace.runs.cluster._PATIENCE", 0.5)
    with pytest.raises(ValueError, match=r"--dask: no Dask scheduler answers at 'tcp://127\.0\.0\.1:9'"):
        simulators(dask="tcp://127.0.0.1:9")
    with pytest.raises(ValueError, match="--dask: no Dask scheduler answers at 'nonsense://'"):
        simulators(dask="nonsense://")


def test_without_dask_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ValueError, match=r"pip install 'netplace\[dask\]'"):
        simulators(dask="tcp://127.0.0.1:9")
