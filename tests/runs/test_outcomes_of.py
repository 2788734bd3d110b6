"""Plans of any kind, carried out here, by worker processes and by a cluster whose workers are killed."""

import hashlib
import os
import signal
from dataclasses import dataclass
from pathlib import Path

import pytest

from netplace.cosim import make_cosim_plan
from netplace.cosim.runner import outcome_of
from netplace.runs.campaign import outcomes_of
from netplace.runs.outcome_store import InMemory, StoredOutcomes
from netplace.runs.resources import Resources
from netplace.runs.store import Store


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


def test_a_cluster_carries_out_plans_of_any_kind_though_a_worker_is_killed(tmp_path, cluster):
    plans = [Square(number, str(tmp_path)) for number in range(8)]
    resources = Resources(dask=cluster.scheduler_address)
    with Store(tmp_path / "s.sqlite") as store:
        found = outcomes_of(plans, deadly, StoredOutcomes(store, "schedules"), resources)
    assert (tmp_path / "killed").exists()
    assert squares(found) == [number**2 for number in range(8)]
    assert os.getpid() not in {outcome["process"] for outcome in found}


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
