"""Messages by rendezvous under every kind of network time, and the packets that are foretold of them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import programs

from netplace.apps import Program
from netplace.cosim import (
    MixesExecution,
    Placed,
    Placing,
    Rates,
    application_work,
    cosimulate,
    make_cosim_plan,
)
from netplace.cosim.work import Work
from netplace.netsim import Config, DeadlockError, Network
from netplace.netsim.lower import created_packets
from netplace.scheduling import Job
from netplace.topologies import parse

GIVEN = {
    "workload": "applications", "jobs": 8, "sizes": "small", "intensity": "low", "repeats": "150:250",
    "machine": "torus:4x4x2",
}  # fmt: skip


def times_by(fidelity, rendezvous, seed=0, **more):
    plan = make_cosim_plan(GIVEN | more | {"fidelity": fidelity, "eager_limit": rendezvous}, seed)
    return cosimulate(plan).outcome


@pytest.mark.parametrize("fidelity", ["sampled", "mixes"])
def test_times_by_rendezvous_are_those_of_a_live_run(fidelity):
    """Jobs fail where they do live, and the others take as long, to within what is said of their times."""
    live, other = (times_by(kind, 128) for kind in ("live", fidelity))
    states = [[job["state"] for job in outcome["jobs"]] for outcome in (live, other)]
    assert states[0] == states[1]
    assert {"done", "failed"} == set(states[0])
    assert [said["job"] for said in live["failures"]] == [said["job"] for said in other["failures"]]
    for exact, job in zip(live["jobs"], other["jobs"], strict=True):
        if job["state"] == "done":
            assert job["live"] == pytest.approx(exact["live"], rel=max(0.03, job["half_width"]))


def test_a_job_that_can_never_end_fails_once_nothing_else_gets_on():
    config = Config(eager_limit=0)
    placing = Placing(parse("mesh:8"), config, application_work(config))
    ends = []
    execution = MixesExecution(placing, Rates(placing), lambda job: 1.0, ends.append)
    assert execution.next_end(math.inf) is None
    for attempt, application in enumerate(("all-to-all,packets=1", "one-to-all,packets=1"), 1):
        work = Work(application, 4, 50)
        execution.begin_placed(
            attempt, Placed(Job(attempt, 0, 4, 0), work, np.arange(4) + 4 * attempt - 4), 0.0
        )
    assert [execution.next_end(math.inf).attempts for _ in range(2)] == [(2,), (1,)]
    assert [done.placed.job.number for done in ends] == [2]
    assert execution.next_end(math.inf) is None
    assert "deadlock" in execution.failures[1]


def test_a_cheaper_time_is_chosen_by_rendezvous_too():
    assert [job["state"] for job in times_by("auto", 1 << 20)["jobs"]] == ["done"] * 8


def test_windows_of_mixes_go_on_for_ever_by_rendezvous():
    """Long loops whose tasks wait for each other run in windows without an end."""
    given = {"jobs": 3, "repeats": "2000:2000", "machine": "torus:4x4", "seed": 1}
    outcome = times_by("mixes", 1 << 20, **given)
    assert {job["state"] for job in outcome["jobs"]} == {"done"}


@given(programs(6, 30), st.sampled_from([1, 4, 16]), st.sampled_from([None, 0, 16, 64, 200]))
def test_packets_foretold_are_those_simulated(program: Program, phits: int, eager_limit: int | None) -> None:
    config = Config(packet_phits=phits, eager_limit=eager_limit)
    there, back = created_packets(program, config)
    network = Network(parse("mesh:3x3"), config)
    network.start(program, np.arange(6))
    try:
        network.finish()
    except DeadlockError:
        assert network.counters().created <= there.sum() + back.sum()
    else:
        assert network.counters().created == there.sum() + back.sum()
