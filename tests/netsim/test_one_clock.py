"""Rest, standstill, what is drained, ages of packets, classes of jobs, and the thread of a network."""

from threading import Thread

import numpy as np
import pytest
from reference_cases import program as writers

from netplace.apps import APPLICATIONS
from netplace.netsim import ENGINES, Config, DeadlockError, Network, Traffic
from netplace.topologies import parse

SINGLE = {"ejection": "single", "packet_phits": 3}
STANDSTILL = 17  # of two sends by rendezvous that wait for each other: their requests have come
EXCHANGE = [[("send", 1, 64), ("recv", 1, 64)], [("send", 0, 64), ("recv", 0, 64)]]


@pytest.mark.parametrize("settings", [SINGLE, {"congestion_control": "rate=0.05"}])
@pytest.mark.parametrize("text", ["torus:4x4", "mesh:4x2"])
def test_a_network_rests_when_the_last_packet_is_consumed(settings, text):
    stands = []
    for engine in ENGINES:
        network = Network(parse(text), Config(**settings), engine=engine)
        network.generate(Traffic(0.02, np.full(network.topology.nodes, -1, np.int32)))
        network.advance(60)
        network.generate(None)
        network.finish()
        if "ejection" in settings:  # the router looks once more
            assert network.now == max(60, network.counters().last_delivery + 2)
        exchange = network.start(APPLICATIONS["all-to-all"].make(tasks=8))
        network.finish()
        stands.append((network.now, network.job(exchange).end))
    assert stands[0] == stands[1]


def test_a_standstill_is_told_when_two_cycles_are_over_in_which_nothing_moved(engine):
    for until in range(1, 40):
        network = Network(parse("mesh:4"), Config(eager_limit=0), engine=engine)
        network.start(writers(*EXCHANGE))
        told_at = None
        try:
            assert network.advance(until) == []
        except DeadlockError as error:
            told_at = error.cycle + 2
        assert network.now == (told_at or until)
        assert (told_at is not None) == (until >= STANDSTILL + 2)


def test_packets_of_others_on_its_nodes_do_not_matter_to_a_drained_job(engine):
    network = Network(parse("mesh:4"), Config(eager_limit=0), engine=engine)
    first = network.start(writers([("send", 1, 64)], [("recv", 0, 64)]))
    assert network.advance() == [first]
    network.start(writers([("send", 1, 64000)], [("recv", 0, 64000)]))
    network.advance(network.now + 200)
    assert network.in_flight
    assert network.drained(first)


def test_a_job_is_not_drained_while_a_message_of_it_is_still_to_be_created(engine):
    config = Config(nonblocking_sends="interleaved")
    network = Network(parse("mesh:4"), config, engine=engine)
    job = network.start(writers([("isend", 1, 6400)], []))
    assert network.advance() == [job]
    assert not network.drained(job)
    network.finish()
    assert network.drained(job)


def test_tasks_of_a_standstill_are_listed_by_job_and_task(engine):
    network = Network(parse("torus:4x4"), engine=engine)
    waiting = [[("recv", (task + 1) % 4, 64)] for task in range(4)]
    for nodes in ([12, 3, 7, 1], [15, 2, 9, 0]):
        network.start(writers(*waiting), nodes)
    with pytest.raises(DeadlockError) as caught:
        network.finish()
    assert [task[:2] for task in caught.value.blocked.tasks] == [(j, t) for j in range(2) for t in range(4)]


def test_a_job_has_the_class_of_its_identity(engine):
    ends = []
    for identity, before in ((1, 0), (1, 1), (0, 0)):
        config = Config(traffic_classes="count=2", arbiter="random")
        network = Network(parse("torus:4x4"), config, engine=engine)
        for _ in range(before):  # another that is over
            network.start(writers([("compute", 1)]))
            network.finish()
        begin = 100
        network.start(APPLICATIONS["all-to-all"].make(tasks=4), range(4), at=begin, identity=identity)
        other = network.start(APPLICATIONS["all-to-all"].make(tasks=4), range(4, 8), at=begin, identity=0)
        network.finish()
        ends.append([network.job(job).end for job in (other - 1, other)])
    assert ends[0] == ends[1]


def test_an_identity_is_no_negative_number():
    network = Network(parse("mesh:4"))
    with pytest.raises(ValueError, match="identity: -1"):
        network.start(writers([("compute", 1)]), identity=-1)


def test_a_network_belongs_to_one_thread(engine):
    network, said = Network(parse("mesh:4"), engine=engine), []

    def use():
        for call in (network.advance, lambda: network.now, lambda: network.start(writers([("compute", 1)]))):
            try:
                call()
            except ValueError as error:
                said.append(str(error))

    thread = Thread(target=use)
    thread.start()
    thread.join()
    sentence = "network: belongs to the thread that created it, and this is another; create one in each"
    assert said == [sentence] * 3
