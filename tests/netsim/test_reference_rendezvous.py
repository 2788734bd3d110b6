"""Rendezvous in the reference engine, worked out by hand on a ring of eight nodes."""

import numpy as np
from reference_cases import FOR_EVER, engine, finished, program

PACKET = 64  # bytes
CROSS = 16  # cycles from the creation of a packet to its consumption by the next node


def test_request_reply_data():
    size = 3 * PACKET
    record = finished("torus:8", [("send", 1, size)], [("recv", 0, size)], eager_limit=0)
    # Request created in 0 and consumed in 16; reply 17 to 33; data from 34 on.
    data = 2 * (CROSS + 1)
    assert record.message_start.tolist() == [0]
    assert record.message_end.tolist() == [data + 3 * 16]
    assert record.task_end.tolist() == [data + 3, data + 3 * 16 + 2]


def test_only_messages_above_the_threshold_wait():
    tasks = [("send", 1, PACKET)], [("recv", 0, PACKET)]
    assert finished("torus:8", *tasks, eager_limit=64).message_end.tolist() == [CROSS]
    assert finished("torus:8", *tasks, eager_limit=63).message_end.tolist() == [3 * CROSS + 2]


def test_the_reply_waits_for_the_receive():
    record = finished(
        "torus:8", [("send", 1, PACKET)], [("compute", 200), ("recv", 0, PACKET)], eager_limit=0
    )
    assert record.message_end.tolist() == [200 + CROSS + 1 + CROSS]
    assert record.task_end[0] == 200 + CROSS + 2


def test_an_irecv_is_posted_before_its_wait():
    record = finished(
        "torus:8",
        [("send", 1, PACKET)],
        [("irecv", 0, PACKET), ("compute", 200), ("wait", 0)],
        eager_limit=0,
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


def test_control_packets_are_packets_but_not_messages():
    network = engine("torus:8", eager_limit=0)
    network.install(program([("send", 1, 3 * PACKET)], [("recv", 0, 3 * PACKET)]), np.array([0, 1]))
    network.run(FOR_EVER)
    counters = network.counters()
    assert (counters.created, counters.delivered) == (5, 5)
    assert counters.message_delays.sum() == 1
    assert counters.packet_delays.sum() == 5


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
