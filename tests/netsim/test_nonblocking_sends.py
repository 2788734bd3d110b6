"""Sends that take turns: worked out by hand, on both engines, and what holds of any program."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference_cases import program
from strategies import configs, networks, programs

from netplace.apps import application
from netplace.apps.bundled import bundled_trace
from netplace.apps.formats import read, write
from netplace.netsim import Config, DeadlockError, Network, simulate
from netplace.netsim.bounds import bounds
from netplace.netsim.critical_path import critical_path
from netplace.topologies import parse

PACKET = 64  # bytes
CROSS = 16  # cycles from the creation of a packet to its consumption by the next node


def ran(engine, *tasks, network="torus:8x8", nodes=None, **more):
    config = Config(**({"nonblocking_sends": "interleaved"} | more))
    network = Network(parse(network), config, engine=engine, record_messages=True)
    job = network.start(program(*tasks), np.arange(len(tasks)) if nodes is None else nodes)
    network.finish()
    return network.job(job)


def test_messages_advance_alike(engine):
    """Packets of two messages alternate: the short one is over after twice its packets."""
    tasks = (
        [("isend", 1, 10 * PACKET), ("isend", 2, 4 * PACKET), ("wait", 0), ("wait", 1)],
        [("recv", 0, 10 * PACKET)],
        [("recv", 0, 4 * PACKET)],
    )
    nodes = [0, 1, 8]  # beside each other in X and in Y, so that no link has packets of both
    record = ran(engine, *tasks, nodes=nodes)
    assert record.message_start.tolist() == [0, 1]
    # The injection FIFO emits a phit a cycle: the eighth packet is the fourth of the short message.
    assert record.message_end.tolist() == [14 * CROSS, 8 * CROSS]
    in_order = ran(engine, *tasks, nodes=nodes, nonblocking_sends="in-order")
    assert in_order.message_end.tolist() == [10 * CROSS, 14 * CROSS]


def test_the_task_goes_on(engine):
    """It computes beside its sends, and its wait passes in the cycle after the last packet's creation."""
    size = 12 * PACKET
    receiver = [("recv", 0, size)]
    # Of 12 packets 8 fill buffer and FIFO in cycles 0 to 7; then one is created as a tail leaves.
    last = 7 + 16 * 4 - 6
    waits = ran(engine, [("isend", 1, size), ("wait", 0)], receiver)
    computes = ran(engine, [("isend", 1, size), ("compute", 40), ("wait", 0)], receiver)
    long = ran(engine, [("isend", 1, size), ("compute", 500), ("wait", 0)], receiver)
    assert waits.message_end.tolist() == computes.message_end.tolist() == long.message_end.tolist() == [192]
    assert waits.task_end[0] == computes.task_end[0] == last + 2
    assert long.task_end[0] == 501


def test_a_blocking_send_goes_first(engine):
    tasks = (
        [("isend", 1, 40 * PACKET), ("compute", 100), ("send", 2, 2 * PACKET), ("wait", 0)],
        [("recv", 0, 40 * PACKET)],
        [("recv", 0, 2 * PACKET)],
    )
    record = ran(engine, *tasks, nodes=[0, 1, 8])
    # From cycle 100 on the next two packets that find room are those of the send; eight are before the first.
    assert 100 < record.message_start[1] < 100 + 2 * CROSS
    assert record.message_end[1] < record.message_start[1] + 12 * CROSS
    assert record.message_end.tolist()[0] == 42 * CROSS


def test_data_by_rendezvous_take_turns(engine):
    tasks = (
        [("isend", 1, 20 * PACKET), ("isend", 2, 20 * PACKET), ("wait", 0), ("wait", 1)],
        [("recv", 0, 20 * PACKET)],
        [("recv", 0, 20 * PACKET)],
    )
    record = ran(engine, *tasks, nodes=[0, 1, 8], eager_limit=0)
    first, second = record.message_end.tolist()
    assert record.message_start.tolist() == [0, 1]
    # Nine of the first were created when the second reply came, 17 cycles later: these it stays ahead.
    assert second - first == 9 * CROSS
    in_order = ran(engine, *tasks, nodes=[0, 1, 8], eager_limit=0, nonblocking_sends="in-order")
    assert in_order.message_end[1] - in_order.message_end[0] == 20 * CROSS


@pytest.mark.parametrize("bound", [{"outstanding_sends": 1}, {"outstanding_bytes": 10 * PACKET}])
def test_a_bound_holds_the_task_up(engine, bound):
    """With one message outstanding the second begins in the cycle after the last packet of the first."""
    tasks = (
        [("isend", 1, 10 * PACKET), ("isend", 2, 4 * PACKET), ("wait", 0), ("wait", 1)],
        [("recv", 0, 10 * PACKET)],
        [("recv", 0, 4 * PACKET)],
    )
    record = ran(engine, *tasks, nodes=[0, 1, 8], **bound)
    assert record.message_end.tolist() == [10 * CROSS, 14 * CROSS]


def test_a_standstill_names_the_bound(engine):
    one, other = (
        [("isend", peer, PACKET), ("isend", peer, 2 * PACKET), ("wait", 0), ("wait", 1)] for peer in (1, 0)
    )
    with pytest.raises(DeadlockError, match="fewer sends of its node are outstanding at its operation 1"):
        ran(engine, one, other, eager_limit=0, outstanding_sends=1)


@given(st.data())
def test_what_holds_of_any_program(data):
    """Nothing is lost, no bound is broken, and the causes of a job's time add up to it."""
    topology = parse(data.draw(networks()))
    made = data.draw(programs(tasks=min(topology.nodes, 6), most=20))
    limits = {"bubbles": (2, 3), "queues": (4, 8), "eager_limit": (None, None, 100)}
    config = data.draw(configs(**limits, sends=("interleaved",)))
    config = replace(config, outstanding_sends=None, outstanding_bytes=None)
    nodes = data.draw(st.permutations(range(topology.nodes)))[: made.tasks]
    result = simulate(topology, made, nodes, config=config, record_messages=True)
    job = result.jobs[0]
    assert (job.message_end >= job.message_start).all()
    assert (job.message_start >= 0).all()
    assert result.cycles >= bounds(made, topology, config).minimum
    path = critical_path(topology, config, made, job)
    assert path.cycles == job.cycles
    assert all(stretch.end > stretch.begin for stretch in path.stretches)


@given(st.data())
def test_one_at_a_time_is_in_order_but_for_computation(data):
    """Where tasks only post sends and then wait, a bound of one message gives what sends in order give."""
    sizes = data.draw(st.lists(st.integers(1, 30 * PACKET), min_size=1, max_size=6))
    peers = data.draw(st.lists(st.integers(1, 7), min_size=len(sizes), max_size=len(sizes)))
    sender = [("isend", peer, size) for peer, size in zip(peers, sizes, strict=True)]
    sender += [("wait", n) for n in range(len(sizes))]
    receivers = [
        [("recv", 0, size) for to, size in zip(peers, sizes, strict=True) if to == peer]
        for peer in range(1, 8)
    ]
    ends = [
        ran("kernel", sender, *receivers, **more).message_end.tolist()
        for more in ({"outstanding_sends": 1}, {"nonblocking_sends": "in-order"})
    ]
    assert ends[0] == ends[1]


def test_the_default_is_that_of_where_a_program_came_from(tmp_path):
    shift = application("all-to-all", 8)
    assert not shift.interleaved
    assert not application("bt", 16, problem_class="S", iterations=1).interleaved
    assert application("training", 8).interleaved
    assert application("training", 8).repeat(2).interleaved
    for name, interleaved in (("one.trace", True), ("one.trc", False)):
        write(shift, tmp_path / name)
        assert read(tmp_path / name).interleaved == interleaved
    assert not read(bundled_trace("BT.W.16")).interleaved


def test_a_program_s_own_rule_holds_unless_the_network_says_otherwise():
    tasks = (
        [("isend", 1, 10 * PACKET), ("isend", 2, 10 * PACKET), ("wait", 0), ("wait", 1)],
        [("recv", 0, 10 * PACKET)],
        [("recv", 0, 10 * PACKET)],
    )
    made = program(*tasks)
    took = {
        (interleaved, rule): simulate(
            parse("torus:8"),
            replace(made, interleaved=interleaved),
            config=Config(nonblocking_sends=rule),
            record_messages=True,
        ).jobs[0].message_end.tolist()
        for interleaved in (False, True)
        for rule in ("by-program", "in-order", "interleaved")
    }  # fmt: skip
    assert took[False, "by-program"] == took[False, "in-order"] == took[True, "in-order"]
    assert took[True, "by-program"] == took[True, "interleaved"] == took[False, "interleaved"]
    assert took[False, "in-order"] != took[True, "interleaved"]


@pytest.mark.parametrize("bound", ["outstanding_sends", "outstanding_bytes"])
def test_a_bound_of_nothing_is_refused(bound):
    with pytest.raises(ValueError, match=f"{bound}: 3 limits interleaved sends, but nonblocking_sends is"):
        Config(nonblocking_sends="in-order", **{bound: 3})
    with pytest.raises(ValueError, match=f"{bound}: 0 is too small"):
        Config(**{bound: 0})


def test_sends_that_nobody_waits_for_end_after_the_last_operation_of_their_task(engine):
    tasks = (
        [("isend", 1, 10 * PACKET), ("isend", 1, 4 * PACKET), ("send", 2, PACKET)],
        [("recv", 0, 10 * PACKET), ("recv", 0, 4 * PACKET)],
        [("recv", 0, PACKET)],
    )
    record = ran(engine, *tasks, nodes=[0, 1, 8])
    assert (record.message_end > 0).all()
