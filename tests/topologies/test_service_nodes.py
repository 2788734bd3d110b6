"""Nodes that do not compute: what is placed on a network leaves them alone."""

from __future__ import annotations

import numpy as np
import pytest

from netplace.apps import APPLICATIONS
from netplace.netsim import Config, measure_load, pattern, simulate
from netplace.placement import map_tasks, partition
from netplace.scheduling import Job, schedule
from netplace.scheduling.partitioner import PARTITIONERS, make_partitioner
from netplace.topologies import parse

TEXT = "service:nodes=0+5-7,every=8,first=3/torus:8x4"
SERVICE = [0, 3, 5, 6, 7, 11, 19, 27]


def test_nodes_by_list_and_by_rule():
    network = parse(TEXT)
    assert str(network) == TEXT
    assert network.service.tolist() == SERVICE
    assert sorted([*network.service.tolist(), *network.computing.tolist()]) == list(range(32))
    assert parse("torus:8x4").service.size == 0


@pytest.mark.parametrize("rule", ["whole", "random", "quadrants"])
def test_partitions_leave_them_out(rule):
    (nodes,) = partition(rule, parse(TEXT), [4], seed=1)
    assert not np.isin(nodes, SERVICE).any()
    with pytest.raises(ValueError, match="partition bands: the 4 tasks of job 0 do not fit its 3 nodes"):
        partition("bands", parse(TEXT), [4])


def test_jobs_side_by_side_and_mappings():
    network = parse(TEXT)
    parts = partition("whole", network, [10, 14])
    assert np.concatenate(parts).tolist() == network.computing.tolist()
    assert not np.isin(map_tasks("random", network, 24, seed=1), SERVICE).any()
    program = APPLICATIONS["2d-mesh"].make(tasks=16)
    assert not np.isin(simulate(network, program).jobs[0].nodes, SERVICE).any()
    with pytest.raises(ValueError, match=r"node 5 of service:.* does not compute"):
        simulate(network, APPLICATIONS["2d-mesh"].make(tasks=4), [1, 2, 4, 5])
    with pytest.raises(ValueError, match="25 tasks are more than the 24 nodes"):
        partition("whole", network, [25])


@pytest.mark.parametrize("name", ["contiguous", "non-contiguous", "random", "curve", "mc", "paging"])
def test_partitioners_never_give_them(name):
    if name not in PARTITIONERS:
        pytest.fail(f"no partitioner {name}: {', '.join(PARTITIONERS)}")
    partitioner = make_partitioner(name, parse(TEXT), 1)
    given = []
    while (found := partitioner.find(Job(1, 0.0, 2, 1.0))) is not None:
        partitioner.take(found)
        given += found.nodes.tolist()
    assert given
    assert not np.isin(given, SERVICE).any()


def test_schedules_have_fewer_nodes():
    network = parse(TEXT)
    made = schedule(network, [Job(1, 0, 24, 10), Job(2, 0, 1, 10)], "fcfs", "non-contiguous")
    assert made.machine_nodes == 24
    assert made.start.tolist() == [0.0, 10.0]


def test_they_create_no_traffic():
    network = parse("service:every=2/torus:4x4")
    assert pattern("neighbour", network, 0.1).target[::2].tolist() == list(range(0, 16, 2))
    point = measure_load(network, 0.2, config=Config(), warmup=500, measure=4000)
    assert point.accepted == pytest.approx(0.1, rel=0.1)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("service:nodes=99/torus:4x4", r"node 99 is not in 0..15 of torus:4x4"),
        ("service:every=1/torus:4x4", r"no node is left that computes"),
        ("service:torus:4x4", r"expected nodes, a slash and a network, as in service:every=16/torus:8x8"),
        ("service:nodes=5-2/torus:4x4", r"node"),
        ("service:node=1/torus:4x4", r"'node=1' is none of nodes=.., every=.., first=.."),
    ],
)
def test_mistakes(text, words):
    with pytest.raises(ValueError, match=words):
        parse(text)
