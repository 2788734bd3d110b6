"""Jobs that are killed on the live network: their nodes are free at once, and others go on."""

import numpy as np
import pytest

from netplace.cosim import JobPlacer, LiveExecution, application_work, cosimulate, make_cosim_plan, program_of
from netplace.netsim import ENGINES, Config, Network
from netplace.scheduling import Allocation, Job
from netplace.topologies import parse


@pytest.mark.parametrize("engine", ENGINES)
def test_a_killed_job_leaves_its_nodes_at_once_and_the_rest_as_the_network_does(engine):
    config = Config()
    placing = JobPlacer(parse("torus:4x4"), config, application_work(config), "consecutive", 0)
    jobs = [Job(number, 0, 8, 0, None, "all-to-all,bytes=256") for number in (1, 2, 3)]
    halves = [np.arange(0, 16, 2), np.arange(1, 16, 2)]
    ended = []
    execution = LiveExecution(placing, lambda job: 1.0, engine, ended.append)
    second = 3.2e-9
    execution.begin(0, jobs[0], Allocation(halves[0]), 0.0)
    execution.begin(1, jobs[1], Allocation(halves[1]), 0.0)
    execution.stop(0, 100 * second)
    execution.begin(2, jobs[2], Allocation(halves[0]), 100 * second)
    told = [execution.next_end(float("inf")) for _ in range(2)]
    assert {attempt for ends in told for attempt in ends.attempts} == {1, 2}
    assert execution.next_end(float("inf")) is None
    # The same on a bare network.
    network = Network(placing.machine, config, engine=engine)
    program = program_of(placing.put(jobs[0], Allocation(halves[0])).work, config)
    first, other = (network.start(program, nodes) for nodes in halves)
    network.advance(100)
    network.stop(first)
    last = network.start(program, halves[0])
    network.finish()
    assert {attempt.end for attempt in ended} == {network.job(other).end, network.job(last).end}


def test_jobs_are_ended_at_their_estimates():
    given = {
        "machine": "torus:8x8", "workload": "applications", "jobs": 10, "sizes": "small", "intensity": "low",
        "partition": "random", "policy": "easy", "overrun": "kill", "estimate_factor": 1.05,
    }  # fmt: skip
    found = cosimulate(make_cosim_plan(given)).outcome
    failed = [job for job in found["jobs"] if job["state"] == "failed"]
    assert failed
    assert all(job["live"] is None and job["end"] > job["start"] for job in failed)
    assert len(failed) < 10
