"""Timing of the reference engine against what the model says, worked out by hand."""

from types import SimpleNamespace

import numpy as np
import pytest
from reference_cases import FOR_EVER, engine, finished, program

from netplace.netsim.engine import Exit, Traffic

PACKET = 64  # bytes


def test_message_of_no_bytes_is_one_packet():
    record = finished("torus:8", [("send", 1, 0)], [("recv", 0, 0)])
    assert record.message_end.tolist() == [16]


def test_computation_delays_what_follows():
    record = finished(
        "torus:8", [("compute", 10), ("send", 1, PACKET)], [("recv", 0, PACKET), ("compute", 5)]
    )
    assert record.message_start.tolist() == [10]
    # Tail consumed in 26, receive retired in 27, computation over in 32.
    assert record.task_end.tolist() == [11, 32]


def test_what_costs_nothing_is_left_out():
    record = finished(
        "torus:8",
        [("send", 0, PACKET), ("recv", 0, PACKET), ("compute", 0), ("irecv", 0, PACKET), ("wait", 0)],
        [("compute", 7), ("isend", 1, PACKET), ("wait", 0), ("compute", 0)],
        [],
    )
    assert record.task_end.tolist() == [0, 7, 0]
    assert len(record.message_start) == 0


def test_isend_and_irecv_stand_where_send_and_wait_stand():
    nonblocking = finished(
        "torus:8",
        [("isend", 1, PACKET), ("irecv", 1, 640), ("compute", 100), ("wait", 0), ("wait", 1)],
        [("irecv", 0, PACKET), ("isend", 0, 640), ("wait", 0), ("wait", 1)],
    )
    blocking = finished(
        "torus:8",
        [("send", 1, PACKET), ("compute", 100), ("recv", 1, 640)],
        [("send", 0, 640), ("recv", 0, PACKET)],
    )
    assert nonblocking.task_end.tolist() == blocking.task_end.tolist()
    assert nonblocking.message_end.tolist() == blocking.message_end.tolist()


def test_complete_receives_are_retired_in_one_cycle_with_the_send_behind_them():
    record = finished(
        "torus:8",
        [("recv", 1, PACKET), ("recv", 7, PACKET), ("send", 2, PACKET)],
        [("send", 0, PACKET)],
        [("recv", 0, PACKET)],
        *[[]] * 4,
        [("compute", 40), ("send", 0, PACKET)],
    )
    # The first message is there in 16, the other one in 56: both receives go in 57, and so does the send.
    assert record.message_start.tolist() == [57, 0, 40]
    assert record.task_end[0] == 58


def test_receives_count_packets_and_messages_end_in_order():
    # Same key, so the receives of the two messages of 2 packets cannot tell them apart.
    record = finished("torus:8", [("send", 1, 128), ("send", 1, 100)], [("recv", 0, 100), ("recv", 0, 128)])
    assert record.message_start.tolist() == [0, 2]
    assert record.message_end.tolist() == [32, 64]


def test_a_tag_is_part_of_the_key():
    record = finished(
        "torus:8",
        [("send", 1, PACKET, 5), ("send", 1, PACKET, 6)],
        [("recv", 0, PACKET, 6), ("compute", 3), ("recv", 0, PACKET, 5)],
    )
    assert record.message_end.tolist() == [16, 32]
    assert record.task_end[1] == 33 + 3 + 1


def test_a_full_injector_blocks_the_task():
    record = finished("torus:8", [("send", 1, 10 * PACKET)], [("recv", 0, 10 * PACKET)])
    # Eight packets fill FIFO and buffer in cycles 0 to 7. Tails leave in 15, 31, ..; a buffer has room one
    # cycle after that and takes a packet in the next: the ninth is created in 17, the tenth in 33.
    assert record.task_end[0] == 34
    assert record.injection_blocked.tolist() == [(17 - 8) + (33 - 18), 0]


def test_packets_spread_over_injectors():
    tasks = [("send", 1, PACKET), ("send", 7, PACKET), ("send", 2, PACKET)], [("recv", 0, PACKET)]
    others = [[("recv", 0, PACKET)], *[[]] * 4, [("recv", 0, PACKET)]]
    one = finished("torus:8", *tasks, *others)
    two = finished("torus:8", *tasks, *others, injectors=2)
    assert one.message_end.tolist() == [16, 16 + 16, 32 + 17]
    # The second goes by the second injector, the third by the first again, behind the first packet.
    assert two.message_end.tolist() == [16, 1 + 16, 16 + 17]


def test_single_consumption_takes_one_packet_at_a_time():
    tasks = [
        [("recv", 1, PACKET), ("recv", 7, PACKET)],
        [("send", 0, PACKET)],
        *[[]] * 5,
        [("send", 0, PACKET)],
    ]
    assert finished("torus:8", *tasks).message_end.tolist() == [16, 16]
    # X- is input 2, X+ is input 0, and the scan begins at 0: what comes from node 7 travels X+.
    assert finished("torus:8", *tasks, ejection="single").message_end.tolist() == [32, 16]


def test_the_caller_may_jump_ahead_while_nothing_happens():
    network = engine("torus:8")
    pair = program([("send", 1, PACKET)], [("recv", 0, PACKET)])
    network.install(pair, np.array([0, 1]))
    network.run(FOR_EVER)
    network.now = 1000
    number = network.install(pair, np.array([0, 1]))
    assert network.run(FOR_EVER) == Exit.JOB_ENDED
    record = network.job(number)
    assert (record.start, record.end, network.now) == (1000, 1018, 1018)
    assert (record.message_start.tolist(), record.message_end.tolist()) == ([1000], [1016])


def test_counters_count_packets_hops_and_phits():
    network = engine("torus:8", vcs=1)
    network.install(program([("send", 1, 3 * PACKET)], [("recv", 0, 3 * PACKET)]), np.array([0, 2]))
    network.run(FOR_EVER)
    counters = network.counters()
    assert (counters.created, counters.delivered, counters.last_delivery) == (3, 3, 49)
    assert counters.link_packets[:, 0].tolist() == [3, 3, 0, 0, 0, 0, 0, 0]
    assert counters.link_packets[:, 1].sum() == 0
    assert counters.events == 3 * 16 * (2 + 1)
    # Created in 0, 1, 2; consumed in 17, 33, 49.
    assert counters.packet_delay_sum == 17 + 32 + 47
    assert np.flatnonzero(counters.packet_delays).tolist() == [17, 32, 47]
    assert np.flatnonzero(counters.message_delays).tolist() == [49]
    assert counters.message_delay_sum == 49
    network.reset_counters()
    counters = network.counters()
    assert (counters.created, counters.delivered, counters.events, counters.last_delivery) == (0, 0, 0, -1)
    assert counters.link_packets.sum() == counters.packet_delays.sum() == 0


def test_of_equal_injectors_the_first_from_one_that_is_drawn():
    """All are looked at, full or not, cyclically: of 0 and 1 of three, 0 in two thirds of the cycles."""
    network = engine("torus:4", injectors=3)
    node = network._nodes[0]
    node.injectors[2].fifo.present = 16
    anything = SimpleNamespace(job=None)  # open-loop traffic
    found = [node.injectors.index(node._emptiest(now, anything)) for now in range(3000)]
    assert set(found) == {0, 1}
    assert found.count(0) == pytest.approx(2000, abs=3 * 26)


CROSS = 16  # cycles from the creation of a packet to its consumption by the next node


def test_the_reply_waits_for_the_receive():
    record = finished(
        "torus:8", [("send", 1, PACKET)], [("compute", 200), ("recv", 0, PACKET)], eager_limit=0
    )
    assert record.message_end.tolist() == [200 + CROSS + 1 + CROSS]
    assert record.task_end[0] == 200 + CROSS + 2


def test_an_irecv_is_posted_before_its_wait():
    record = finished(
        "torus:8", [("send", 1, PACKET)], [("irecv", 0, PACKET), ("compute", 200), ("wait", 0)], eager_limit=0
    )
    assert record.message_end.tolist() == [3 * CROSS + 2]
    assert record.task_end.tolist() == [2 * CROSS + 3, 201]


def test_an_isend_is_over_with_its_request_and_its_data_go_while_the_task_computes():
    record = finished(
        "torus:8",
        [("isend", 1, 2 * PACKET), ("compute", 200), ("wait", 0)],
        [("recv", 0, 2 * PACKET)],
        eager_limit=0,
    )
    data = 2 * (CROSS + 1)
    assert record.message_end.tolist() == [data + 2 * 16]
    assert record.task_end.tolist() == [1 + 200 + 1, data + 2 * 16 + 2]


def test_the_wait_of_an_isend_passes_after_its_last_packet():
    record = finished(
        "torus:8", [("isend", 1, 2 * PACKET), ("wait", 0)], [("recv", 0, 2 * PACKET)], eager_limit=0
    )
    # The data are created in 34 and 35: the wait passes in 36.
    assert record.task_end[0] == 37


def test_an_isend_never_waited_for_is_delivered_after_its_task_has_ended():
    network = engine("torus:8", eager_limit=0)
    network.install(program([("isend", 1, PACKET)], [("irecv", 0, PACKET), ("compute", 5)]), np.array([0, 1]))
    network.run(FOR_EVER)
    assert network.job(0).end == 5
    network.run(FOR_EVER)
    assert network.job(0).message_end.tolist() == [3 * CROSS + 2]
    assert network.in_flight == 0


def test_data_go_before_replies_and_replies_by_key():
    # In cycle 33 node 0 consumes the reply of node 1 and the requests of nodes 4 and 5: from 34 on it owes
    # data and two replies.
    record = finished(
        "torus:5x5",
        [("irecv", 3, PACKET), ("irecv", 2, PACKET), ("isend", 1, 2 * PACKET), ("wait", 0), ("wait", 1)],
        [("recv", 0, 2 * PACKET)],
        [("compute", 17), ("send", 0, PACKET)],
        [("compute", 17), ("send", 0, PACKET)],
        nodes=[0, 1, 4, 5],
        eager_limit=0,
    )
    assert record.message_start.tolist() == [0, 17, 17]
    # All go by one injection FIFO, 16 cycles each: the data from 34 on, then the replies to tasks 2 and 3.
    replies = [34 + 2 * 16, 34 + 3 * 16]
    assert record.message_end.tolist() == [34 + 2 * 16, *(reply + 2 * CROSS + 1 for reply in replies)]


def test_what_is_owed_goes_before_the_next_message_but_after_the_one_begun():
    # The reply for node 7 is due in 17. Node 0 is then creating 40 packets for node 1, 40 more are to come.
    record = finished(
        "torus:8",
        [("irecv", 7, 4096), ("send", 1, 2560, 1), ("send", 1, 2560, 2), ("wait", 0)],
        [("recv", 0, 2560, 1), ("recv", 0, 2560, 2)],
        *[[]] * 5,
        [("send", 0, 4096)],
        eager_limit=2560,
    )
    reply = 40 * 16
    data = reply + CROSS + 1
    assert record.message_end.tolist() == [40 * 16, 81 * 16, data + 64 * 16]


def test_a_packet_from_the_interface_queue_is_no_blocked_injection():
    # Node 0 owes a reply in the cycle in which it would begin to send.
    record = finished(
        "torus:8",
        [("irecv", 7, 2 * PACKET), ("compute", 17), ("send", 1, PACKET), ("wait", 0)],
        [("recv", 0, PACKET)],
        *[[]] * 5,
        [("send", 0, 2 * PACKET)],
        eager_limit=PACKET,
    )
    assert record.message_start.tolist()[0] == 18
    assert record.injection_blocked[0] == 0


def test_a_source_that_always_succeeds_keeps_the_injector_full():
    network = engine("torus:8")
    target = np.arange(8, dtype=np.int32)
    target[0] = 1
    network.generate(Traffic(1.0, target))
    network.run(1600)
    counters = network.counters()
    assert counters.link_packets[0, 0] == 100
    # One that leaves the injection FIFO, one a cycle later taken into the buffer: 8 are always waiting.
    assert counters.created == 100 + 8 - 1
    assert counters.link_packets.sum() == 100


def test_new_traffic_takes_the_place_of_the_old():
    nodes = np.arange(8, dtype=np.int32)
    network = engine("torus:8")
    network.generate(Traffic(1.0, (nodes + 1) % 8))
    network.run(100)
    network.generate(Traffic(1.0, (nodes - 1) % 8))
    network.run(400)
    network.reset_counters()
    network.run(700)
    links = network.counters().link_packets
    assert links[:, 0].sum() == 0
    assert links[:, 1].min() >= 18


def test_a_task_goes_before_open_loop_traffic():
    network = engine("torus:8")
    target = np.arange(8, dtype=np.int32)
    target[0] = 7
    network.generate(Traffic(1.0, target))
    network.install(program([("send", 1, 5 * 64)], [("recv", 0, 5 * 64)]), np.array([0, 1]))
    assert network.run(FOR_EVER) == Exit.JOB_ENDED
    # The five packets are the first that the node creates; the injection FIFO is theirs.
    assert network.job(0).injection_blocked[0] == 0
    assert network.job(0).message_end.tolist() == [5 * 16]
