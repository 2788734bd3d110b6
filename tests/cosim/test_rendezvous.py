"""Messages by rendezvous under every kind of network time, and the packets that are foretold of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import programs

from netplace.apps import Program
from netplace.cosim import cosimulate, make_cosim_plan
from netplace.netsim import Config, DeadlockError, Network
from netplace.netsim.lower import created_packets
from netplace.topologies import parse

GIVEN = {
    "workload": "applications", "jobs": 8, "sizes": "small", "intensity": "low", "repeats": "150:250",
    "machine": "torus:4x4x2",
}  # fmt: skip


def times_by(fidelity, rendezvous, seed=0, **more):
    plan = make_cosim_plan(GIVEN | more | {"fidelity": fidelity, "eager_limit": rendezvous}, seed)
    return cosimulate(plan).outcome


def test_times_by_rendezvous_are_those_of_a_live_run():
    """Jobs fail where they do live, and the others take as long, to within what is said of their times."""
    live, other = (times_by(kind, 128) for kind in ("live", "sampled"))
    states = [[job["state"] for job in outcome["jobs"]] for outcome in (live, other)]
    assert states[0] == states[1]
    assert {"done", "failed"} == set(states[0])
    assert [said["job"] for said in live["failures"]] == [said["job"] for said in other["failures"]]
    for exact, job in zip(live["jobs"], other["jobs"], strict=True):
        if job["state"] == "done":
            assert job["live"] == pytest.approx(exact["live"], rel=max(0.03, job["half_width"]))


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
