"""Timing of the reference engine against what the model says, worked out by hand."""

from types import SimpleNamespace

import numpy as np
import pytest
from reference_cases import FOR_EVER, engine, finished, program

from netplace.netsim.engine import Exit

PACKET = 64  # bytes


@pytest.mark.parametrize(
    ("network", "node", "hops"), [("torus:8x8", 36, 8), ("mesh:5x4", 19, 7), ("tree:4,3", 63, 6)]
)
@pytest.mark.parametrize(("router_delay", "link_delay"), [(0, 1), (2, 3)])
@pytest.mark.parametrize("packets", [1, 5])
def test_delay_on_an_empty_network(network, node, hops, router_delay, link_delay, packets):
    size = packets * PACKET
    record = finished(
        network,
        [("send", 1, size)],
        [("recv", 0, size)],
        nodes=[0, node],
        vcs=1,
        router_delay=router_delay,
        link_delay=link_delay,
    )
    delay = packets * 16 - 1 + hops * (router_delay + link_delay)
    assert record.message_start.tolist() == [0]
    assert record.message_end.tolist() == [delay]
    assert record.task_end.tolist() == [packets, delay + 2]
    assert record.end == delay + 2


def test_packets_of_one_phit():
    record = finished("torus:8", [("send", 1, 12)], [("recv", 0, 12)], packet_phits=1)
    assert record.message_end.tolist() == [3]


def test_message_of_no_bytes_is_one_packet():
    record = finished("torus:8", [("send", 1, 0)], [("recv", 0, 0)])
    assert record.message_end.tolist() == [16]


def test_computation_delays_what_follows():
    record = finished(
        "torus:8",
        [("compute", 10), ("send", 1, PACKET)],
        [("recv", 0, PACKET), ("compute", 5)],
    )
    assert record.message_start.tolist() == [10]
    # Tail consumed in 26, receive retired in 27, computation over in 32.
    assert record.task_end.tolist() == [11, 32]


def test_computation_after_a_send_counts_from_the_next_cycle():
    record = finished("torus:8", [("send", 1, 2 * PACKET), ("compute", 10)], [("recv", 0, 2 * PACKET)])
    assert record.task_end[0] == 2 + 10


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
    record = finished(
        "torus:8",
        [("send", 1, 128), ("send", 1, 100)],
        [("recv", 0, 100), ("recv", 0, 128)],
    )
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


def test_jobs_start_and_end_on_their_own():
    network = engine("torus:8")
    pair = program([("send", 1, PACKET)], [("recv", 0, PACKET)])
    first = network.install(pair, np.array([0, 1]))
    assert network.run(10) == Exit.REACHED
    second = network.install(pair, np.array([2, 4]))
    assert network.run(FOR_EVER) == Exit.JOB_ENDED
    assert (network.now, network.job(first).end, network.job(second).end) == (18, 18, -1)
    third = network.install(pair, np.array([1, 0]))
    assert network.run(FOR_EVER) == Exit.JOB_ENDED
    assert (network.job(second).start, network.job(second).end, network.now) == (10, 10 + 19, 29)
    assert network.run(FOR_EVER) == Exit.JOB_ENDED
    assert (network.job(third).start, network.job(third).end, network.now) == (18, 36, 36)
    assert network.run(FOR_EVER) == Exit.IDLE
    assert network.now == 36


def test_an_empty_job_ends_at_once():
    network = engine("torus:8")
    network.now = 5
    number = network.install(program([], []), np.array([3, 4]))
    assert network.run(FOR_EVER) == Exit.JOB_ENDED
    assert network.job(number).end == network.job(number).start == 5
    assert network.run(FOR_EVER) == Exit.IDLE


def test_packets_under_way_are_delivered_after_the_job_has_ended():
    network = engine("torus:8")
    network.install(program([("send", 1, PACKET)], []), np.array([0, 1]))
    assert network.run(FOR_EVER) == Exit.JOB_ENDED
    assert (network.now, network.in_flight) == (1, 1)
    assert network.run(FOR_EVER) == Exit.IDLE
    assert (network.now, network.in_flight, network.counters().last_delivery) == (17, 0, 16)


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


def test_run_reaches_the_cycle_asked_for():
    network = engine("torus:8")
    network.install(program([("compute", 100)]), np.array([0]))
    assert network.run(50) == Exit.REACHED
    assert network.now == 50
    assert network.run(100) == Exit.JOB_ENDED
    assert (network.now, network.job(0).end) == (100, 100)


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


def test_resetting_the_counters_leaves_packets_in_flight():
    network = engine("torus:8")
    network.install(program([("send", 1, PACKET)], [("recv", 0, PACKET)]), np.array([0, 1]))
    network.run(5)
    network.reset_counters()
    assert network.in_flight == 1
    network.run(FOR_EVER)
    counters = network.counters()
    assert (counters.created, counters.delivered, network.in_flight) == (0, 1, 0)


def test_messages_need_not_be_recorded():
    network = engine("torus:8")
    quiet = type(network)(network._topology, network._config, 1, record_messages=False)
    quiet.install(program([("send", 1, PACKET)], [("recv", 0, PACKET)]), np.array([0, 1]))
    quiet.run(FOR_EVER)
    assert quiet.job(0).message_start is None
    assert quiet.job(0).message_end is None
    assert quiet.counters().message_delay_sum == 16


def test_of_equal_injectors_the_first_from_one_that_is_drawn():
    """All are looked at, full or not, cyclically: of 0 and 1 of three, 0 in two thirds of the cycles."""
    network = engine("torus:4", injectors=3)
    node = network._nodes[0]
    node._injectors[2].fifo.present = 16
    anything = SimpleNamespace(job=None)  # open-loop traffic
    found = [node._injectors.index(node._emptiest(now, anything)) for now in range(3000)]
    assert set(found) == {0, 1}
    assert found.count(0) == pytest.approx(2000, abs=3 * 26)
