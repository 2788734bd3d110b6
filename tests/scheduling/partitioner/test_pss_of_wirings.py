"""Processor sets of networks of groups and switches."""

from netplace.scheduling import Job
from netplace.scheduling.partitioner import make_partitioner
from netplace.scheduling.partitioner.pss.derive import wiring_levels
from netplace.topologies import Graph, parse


def test_groups_come_before_switches() -> None:
    network = parse("dragonfly:a=2,p=2,h=1")
    assert isinstance(network, Graph)
    groups, switches = wiring_levels(network)
    assert groups == [([0, 1, 2, 3], 1), ([4, 5, 6, 7], 1), ([8, 9, 10, 11], 1)]
    assert [members for members, _ in switches] == [[2 * n, 2 * n + 1] for n in range(6)]


def test_a_job_gets_one_group_where_it_fits() -> None:
    network = parse("dragonfly:a=4,p=2,h=2")
    partitioner = make_partitioner("pss:levels", network)
    first = partitioner.find(Job(0, 0, 4, 10.0))
    assert first is not None
    partitioner.take(first)
    second = partitioner.find(Job(1, 0, 8, 10.0))
    assert second is not None
    assert len({int(node) // 8 for node in second.nodes}) == 1
    assert not set(second.nodes.tolist()) & set(first.nodes.tolist())
