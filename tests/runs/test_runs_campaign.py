"""Many runs, or plans of any kind, carried out: by workers or Dask, killed and resumed, shared."""

import hashlib
import multiprocessing
import os
import random
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from netplace.cosim import make_cosim_plan
from netplace.cosim.runner import outcome_of
from netplace.netsim import simulate
from netplace.runs import resolve
from netplace.runs.campaign import complete, missing, outcomes_of
from netplace.runs.chance import simulation_of
from netplace.runs.executors import Batches, InProcessExecutor, ProcessPoolExecutor, WorkerFailure
from netplace.runs.job_programs import programs_of
from netplace.runs.outcome_store import InMemory, StoredOutcomes
from netplace.runs.placing import places_of
from netplace.runs.resources import Resources, simulators
from netplace.runs.store import Store
from netplace.runs.tables import run_table, time_table
from netplace.topologies import parse

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


def test_several_workers_give_the_same_table(tmp_path, undisturbed):
    with Store(tmp_path / "s.sqlite") as store:
        told = []
        complete(SOME_FAIL, store, simulators(2), told.append)
        assert [progress.done for progress in told] == list(range(19))
    assert table_of(tmp_path / "s.sqlite") == undisturbed


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


@pytest.mark.all
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


@pytest.mark.all
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


@dataclass(frozen=True)
class Square:
    number: int
    folder: str

    @property
    def key(self) -> str:
        return hashlib.sha256(str(self.number).encode()).hexdigest()

    def to_dict(self):
        return {"number": self.number}


def square(plan):
    if plan.number < 0:
        raise ValueError(f"{plan.number} is negative")
    return {"square": plan.number**2, "process": os.getpid()}


def deadly(plan):
    """Kill whoever carries out plan 3 for the first time."""
    mark = Path(plan.folder) / "killed"
    if plan.number == 3 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return square(plan)


@pytest.fixture(scope="module")
def cluster():
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address="localhost:0", silence_logs=50
    ) as started:
        yield started


def squares(found):
    return [outcome["square"] for outcome in found]


@pytest.mark.parametrize("workers", [1, 2])
def test_outcomes_come_in_the_order_of_plans_and_are_made_once(tmp_path, workers):
    plans = [Square(number, "") for number in (3, 1, 3, 2)]
    with Store(tmp_path / "s.sqlite") as store:
        kept = StoredOutcomes(store, "schedules")
        told = []
        first = outcomes_of(plans, square, kept, Resources(workers), told.append)
        assert squares(first) == [9, 1, 9, 4]
        assert [progress.done for progress in told] == [0, 1, 2, 3]
        assert outcomes_of(plans, square, kept, Resources(workers), told.append) == first
        assert len(told) == 4


def test_what_had_ended_before_a_mistake_is_kept(tmp_path):
    plans = [Square(number, "") for number in (1, -1, 2)]
    with Store(tmp_path / "s.sqlite") as store:
        kept = StoredOutcomes(store, "schedules")
        with pytest.raises(ValueError, match="-1 is negative"):
            outcomes_of(plans, square, kept)
        assert kept.missing(plans) == plans[1:]


@pytest.mark.all
def test_a_cluster_gives_the_same_table_as_one_process(tmp_path, undisturbed, cluster):
    with Store(tmp_path / "s.sqlite") as store:
        complete(SOME_FAIL, store, simulators(dask=cluster.scheduler_address))
    assert table_of(tmp_path / "s.sqlite") == undisturbed


@pytest.mark.all
def test_a_cluster_carries_out_plans_of_any_kind_though_a_worker_is_killed(tmp_path, cluster):
    plans = [Square(number, str(tmp_path)) for number in range(8)]
    resources = Resources(dask=cluster.scheduler_address)
    with Store(tmp_path / "s.sqlite") as store:
        found = outcomes_of(plans, deadly, StoredOutcomes(store, "schedules"), resources)
    assert (tmp_path / "killed").exists()
    assert squares(found) == [number**2 for number in range(8)]
    assert os.getpid() not in {outcome["process"] for outcome in found}


@pytest.mark.all
def test_a_mistake_on_a_cluster_is_the_same_sentence(cluster):
    with pytest.raises(ValueError, match=r"^-1 is negative$"):
        outcomes_of([Square(-1, "")], square, InMemory(), Resources(dask=cluster.scheduler_address))


@pytest.mark.nightly
def test_live_cosimulations_on_a_cluster_are_those_of_one_process(cluster):
    given = {"machine": "torus:4x4", "workload": "applications", "jobs": 3, "sizes": "small"}
    plans = [make_cosim_plan(given, seed) for seed in range(2)]
    there = outcomes_of(plans, outcome_of, InMemory(), Resources(dask=cluster.scheduler_address))
    here = outcomes_of(plans, outcome_of, InMemory())
    assert [one["jobs"] for one in there] == [one["jobs"] for one in here]


@pytest.mark.nightly
def test_a_table_of_short_runs_takes_at_most_half_as_long_again_as_a_bare_loop(tmp_path):
    one = resolve("torus:8x8", {"app": "2d-mesh", "tasks": 16, "mapping": "random"}, partition="boxes:4x4")
    runs = [one.seeded(seed) for seed in range(5000)]
    machine, [program] = parse(one.network), programs_of(one)
    places = [places_of(run, (program,))[0] for run in runs]
    began = time.process_time()
    cycles = [simulate(machine, program, nodes, seed=seed).cycles for seed, nodes in enumerate(places)]
    bare, began = time.process_time() - began, time.process_time()
    with Store(tmp_path / "runs.sqlite") as store:
        complete(runs, store, simulators(1))
        table = time_table(run_table(store.rows(runs)))
    assert time.process_time() - began < 1.5 * bare
    assert table["mean"].tolist() == [np.mean(cycles)]
