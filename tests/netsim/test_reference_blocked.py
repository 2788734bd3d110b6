"""What the reference engine says when nothing can move, and what it refuses."""

from dataclasses import replace

import numpy as np
import pytest
from reference_cases import FOR_EVER, engine, program

from netplace.netsim.config import Config
from netplace.netsim.engine import Exit, Traffic
from netplace.netsim.reference import ReferenceEngine
from netplace.netsim.validation import check_traffic
from netplace.topologies import Topology


def test_an_empty_network_is_idle():
    network = engine("torus:8")
    assert network.run(FOR_EVER) == Exit.IDLE
    assert network.now == 0


def test_a_receive_without_a_send_ends_the_run():
    network = engine("torus:8")
    network.install(program([("compute", 3), ("recv", 1, 64)], [("send", 0, 128)]), np.array([0, 1]))
    assert network.run(FOR_EVER) == Exit.IDLE
    assert network.now < 100
    assert network.in_flight == 0
    blocked = network.blocked()
    assert blocked.tasks == [(0, 0, 1, "receive")]
    assert blocked.fifos == []


def test_sends_that_wait_for_each_other_end_the_run():
    network = engine("torus:8", eager_limit=0)
    tasks = [("send", 1, 64), ("recv", 1, 64)], [("send", 0, 64), ("recv", 0, 64)]
    network.install(program(*tasks), np.array([0, 1]))
    assert network.run(FOR_EVER) == Exit.IDLE
    assert network.blocked().tasks == [(0, 0, 0, "rendezvous"), (0, 1, 2, "rendezvous")]


def _round_the_ring(network, bytes):
    """Let each of seven nodes send three hops X+."""
    tasks = [[("send", (i + 3) % 7, bytes), ("recv", (i - 3) % 7, bytes)] for i in range(7)]
    network.install(program(*tasks), np.arange(7))
    return network.run(FOR_EVER)


def test_a_ring_without_a_bubble_locks_and_says_so():
    network = engine("torus:7", vcs=1, vc_policy="oblivious", bubble=0)
    assert _round_the_ring(network, 20 * 64) == Exit.IDLE
    assert network.in_flight > 0
    blocked = network.blocked()
    assert [task[:2] for task in blocked.tasks] == [(0, i) for i in range(7)]
    assert {task[3] for task in blocked.tasks} <= {"injector", "receive"}
    wants = {(router, number): asked for router, number, _, asked in blocked.fifos}
    # Input 0 of every router, X+, is full and waits for the next one round.
    for router in range(7):
        assert wants[router, 0] == [((router + 1) % 7, 0)]
        assert network._fabric.routers[router].fifos[0].room < 16


@pytest.mark.parametrize("bubble", [2, 3])
def test_a_bubble_keeps_the_ring_moving(bubble):
    # One packet is not enough: two neighbours may enter in the same cycle, each counting on the other's room.
    network = engine("torus:7", vcs=1, vc_policy="oblivious", bubble=bubble)
    assert _round_the_ring(network, 20 * 64) == Exit.JOB_ENDED


def test_a_locked_network_wakes_for_another_job_and_counts_the_time():
    network = engine("torus:7x2", vcs=1, vc_policy="oblivious", bubble=0)
    assert _round_the_ring(network, 20 * 64) == Exit.IDLE
    before = network.job(0).injection_blocked.copy()
    stuck = network.now
    network.now += 1000
    other = network.install(program([("send", 1, 64)], [("recv", 0, 64)]), np.array([7, 8]))
    assert network.run(FOR_EVER) == Exit.JOB_ENDED
    assert network.job(other).end == stuck + 1000 + 18
    grown = network.job(0).injection_blocked - before
    waits = [task[3] == "injector" for task in network.blocked().tasks]
    assert grown.tolist() == [1018 if wait else 0 for wait in waits]
    assert any(waits)


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([0], "job 0: 1 nodes for 2 tasks, expected one for each"),
        ([3, 3], "job 0: node 3 appears twice, expected at most one task per node"),
        ([0, 8], "job 0: node 8 is not in torus:8, expected 0 to 7"),
        ([-1, 0], "job 0: node -1 is not in torus:8, expected 0 to 7"),
    ],
)
def test_tasks_need_nodes_of_their_own(nodes, message):
    with pytest.raises(ValueError, match=message):
        engine("torus:8").install(program([], []), np.array(nodes))


def test_a_node_has_one_task_at_a_time():
    network = engine("torus:8")
    network.install(program([("compute", 5)]), np.array([2]))
    with pytest.raises(ValueError, match="job 1: node 2 is occupied by a task that has not ended"):
        network.install(program([("compute", 5)]), np.array([2]))
    network.run(FOR_EVER)
    network.install(program([("compute", 5)]), np.array([2]))


def test_a_wait_needs_its_request():
    wrong = program([("isend", 1, 64), ("wait", 0)], [("recv", 0, 64)])
    wrong = replace(wrong, request=np.array([0, 4, -1]))
    with pytest.raises(
        ValueError, match="task 0, operation 1: wait for request 4, which no previous isend or irecv"
    ):
        engine("torus:8").install(wrong, np.array([0, 1]))


def test_there_is_no_job_that_was_not_installed():
    with pytest.raises(ValueError, match="job 0: no such job, 0 were installed"):
        engine("torus:8").job(0)


@pytest.mark.parametrize(
    ("traffic", "message"),
    [
        (
            Traffic(1.5, np.full(8, -1)),
            "traffic chance: 1.5 is not a probability, expected 0 to 1",
        ),
        (Traffic(float("nan"), np.full(8, -1)), "traffic chance: nan is not a probability"),
        (Traffic(0.5, np.full(7, -1)), "traffic target: 7 entries, expected one for each of 8 nodes"),
        (
            Traffic(0.5, np.full(8, 8)),
            "traffic target: 8 is not a node, expected 0 to 7, or -1 for uniform",
        ),
        (
            Traffic(0.5, np.full(8, -1), 0, 2.0),
            "traffic hot_share: 2.0 is not a share, expected 0 to 1",
        ),
        (
            Traffic(0.5, np.full(8, -1), 9, 0.5),
            "traffic hot_node: 9 is not a node, expected 0 to 7",
        ),
    ],
)
def test_traffic_out_of_range(traffic, message):
    with pytest.raises(ValueError, match=message):
        check_traffic(traffic, 8)


def test_a_network_without_routing_is_refused():
    class Star(Topology):
        def distance(self, a, b):
            return np.int64(2)

        diameter = average_distance = bisection_width = 2

    star = Star("star:3", 3, 4, np.array([[3], [3], [3], [-1]]), np.zeros((4, 1), np.int64))
    with pytest.raises(ValueError, match="network star:3: no routing for this kind of network"):
        ReferenceEngine(star, Config(), 1)
