"""Waiting charged to jobs over a whole co-simulation, and jobs whose programs never end."""

import numpy as np
import pytest

from netplace.apps import TaskWriter
from netplace.apps.program import Program
from netplace.cosim import (
    JobPlacer,
    LiveExecution,
    application_work,
    cosimulate,
    make_cosim_plan,
    placing_of,
    reasons,
    replay,
    started_jobs,
)
from netplace.cosim import placed as placed_module
from netplace.netsim import ENGINES, Config
from netplace.scheduling import Allocation, Job, schedule
from netplace.scheduling.partitioner import make_partitioner
from netplace.scheduling.schedule import State
from netplace.topologies import parse

GIVEN = {
    "workload": "applications", "jobs": 10, "sizes": "small", "intensity": "low", "repeats": "1:6",
    "policy": "easy", "partition": "random", "classes": "2d,3d",
}  # fmt: skip


@pytest.fixture(
    scope="module", params=["torus:8x8", "tree:4,3", "dragonfly:a=4,p=2,h=2", "torus:8x8 under faults"]
)
def run(request):
    machine, _, more = request.param.partition(" ")
    faults = {"faults": "at=2000,slow=0.2,seed=1;at=30000,links=0.05,seed=2"} if more else {}
    plan = make_cosim_plan(GIVEN | {"machine": machine, "explain": True} | faults, seed=3)
    return plan, cosimulate(plan).outcome


def charged_to(waiting, job):
    """Return the cycles that a job's packets waited, by the job charged."""
    return {charged: cycles for waited, charged, cycles in waiting["jobs"] if waited == job}


def test_all_that_is_waited_is_charged(run):
    _, outcome = run
    waiting = outcome["waiting"]
    assert waiting["charged"] == waiting["waited"] > 0
    assert sum(cycles for *_, cycles in waiting["jobs"]) == waiting["waited"]
    assert sum(cycles for *_, cycles in waiting["over_time"]) == waiting["waited"]
    for link in waiting["links"]:
        assert sum(link["over_time"]) == link["others"]


def test_explaining_changes_no_cycle(run):
    plan, outcome = run
    faults = {"faults": plan.config.faults} if plan.config.faults else {}
    plain = make_cosim_plan(GIVEN | {"machine": plan.jobs.machine} | faults, seed=3)
    assert plain.key != plan.key
    assert cosimulate(plain).outcome["jobs"] == outcome["jobs"]


def test_a_job_watched_in_a_run_made_again_waits_as_it_did(run):
    plan, outcome = run
    jobs = started_jobs(plan, outcome["jobs"])
    for job in jobs[2:5]:
        found = replay(placing_of(plan), jobs, watch=job.number).waited
        again = {other: int(links.sum()) for other, links in found.items()}
        assert again == charged_to(outcome["waiting"], job.number)
    told = reasons(plan, outcome["jobs"], jobs[3].number, suspects=0)
    charged = charged_to(outcome["waiting"], jobs[3].number)
    for one in told.neighbours:
        assert one.amount <= charged.get(one.job, 0)  # packets may be on their way at its end
    assert told.own <= charged.get(jobs[3].number, 0)


@pytest.mark.parametrize("seed", [pytest.param(0, marks=pytest.mark.nightly), 1])
def test_both_engines_charge_alike(seed):
    plan = make_cosim_plan(
        GIVEN | {"machine": "torus:4x4", "jobs": 4, "intensity": "low", "repeats": "1:1", "explain": True},
        seed,
    )
    one, other = (cosimulate(plan, engine=engine).outcome["waiting"] for engine in ENGINES)
    assert one == other


def _stuck(tasks):
    """Return a program whose tasks all wait for a message that nobody sends."""
    writers = [TaskWriter(task, tasks) for task in range(tasks)]
    for task, writer in enumerate(writers):
        writer.recv((task + 1) % tasks, 64)
    return Program.of(writers)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_job_that_never_ends_fails_and_others_go_on(monkeypatch, engine):
    config = Config()
    real = placed_module.iteration_program
    monkeypatch.setattr(
        placed_module,
        "iteration_program",
        lambda work, config: _stuck(4) if work.application.startswith("gups") else real(work, config),
    )
    placing = JobPlacer(parse("torus:4x4"), config, application_work(config))
    jobs = [
        Job(1, 0.0, 4, 0, None, "butterfly,bytes=256"),
        Job(2, 0.0, 4, 0, None, "gups,bytes=256"),
        Job(3, 0.0, 16, 0, None, "2d-torus,bytes=256"),
        Job(4, 1.0, 8, 0, None, "all-to-all,bytes=256"),
    ]
    execution = LiveExecution(placing, lambda job: 1.0, engine)
    made = schedule(placing.machine, jobs, "fcfs", make_partitioner("random", placing.machine, 1), execution)
    states = dict(zip(made.number.tolist(), made.state.tolist(), strict=True))
    assert states == {1: State.DONE, 2: State.FAILED, 3: State.DONE, 4: State.DONE}
    assert list(execution.failures) == [2]
    assert "task 0 waits for task 1 to send 64 bytes" in execution.failures[2]


def test_jobs_that_have_ended_are_forgotten():
    config = Config()
    placing = JobPlacer(parse("torus:4x4"), config, application_work(config))
    execution = LiveExecution(placing, lambda job: 1.0)
    for number in range(5):
        job = Job(number, 0.0, 8, 0, None, "2d-torus,bytes=256")
        execution.begin(number, job, Allocation(np.arange(8)), number * 1e-3)
        assert execution.next_end(float("inf")).attempts == (number,)
    with pytest.raises(ValueError, match="is forgotten"):
        execution.network.job(0)
