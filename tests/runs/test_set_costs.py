"""Costs of the levels of a machine, measured: who sits where, and what comes out."""

import numpy as np
import pytest

from netplace.placement import partition
from netplace.runs.set_costs import level_costs, measurements
from netplace.scheduling.partitioner.pss.derive import plain_levels, weighted
from netplace.topologies import parse


def _levels(topology):
    return [[members for members, _ in level] for level in plain_levels(topology)]


@pytest.mark.parametrize(
    ("network", "pieces"), [("mesh:8x8", 4), ("torus:8x8", 2), ("tree:4,3", 2), ("dragonfly:a=4,p=2,h=2", 2)]
)
def test_the_machine_stays_full_and_split_jobs_leave_their_blocks(network, pieces):
    topology = parse(network)
    levels = _levels(topology)
    for one in measurements(topology, levels, ["all-to-all"], pieces=pieces):
        nodes = np.array(partition(one.run.partition, topology, [job.tasks for job in one.run.jobs]))
        assert len(nodes) == 1 if one.alone else sorted(nodes.ravel()) == list(range(topology.nodes))
        block_of = np.empty(topology.nodes, int)
        for number, block in enumerate(levels[one.level]):
            block_of[block] = number
        touched = {len(set(block_of[mine])) for mine in nodes}
        assert touched == {pieces if one.split else 1}
        if one.level:  # only this border is crossed, none of a wider level
            for outer in levels[one.level - 1]:
                assert all(len(np.intersect1d(mine, outer)) in (0, len(mine)) for mine in nodes)


def test_parts_on_a_torus_are_opposite():
    topology = parse("torus:8x8")
    made = measurements(topology, _levels(topology)[:1], ["all-to-all"])
    split = next(one.run.partition for one in made if one.split and not one.alone)
    assert split.startswith("nodes:0-3,8-11,32-35,40-43/")  # two boxes of 4x2, half a ring apart


def test_large_blocks_hold_several_jobs():
    topology = parse("tree:4,4")
    made = measurements(topology, _levels(parse("tree:4,4")), ["all-to-all"])
    assert [len(one.run.jobs) for one in made if one.split and not one.alone] == [4, 16, 64]
    wide = parse("mesh:16x16")
    assert {job.tasks for one in measurements(wide, _levels(wide), ["gups"]) for job in one.run.jobs} == {
        64, 16, 4,
    }  # fmt: skip


def test_weights_are_percent_of_the_full_machine_and_none_is_negative():
    topology = parse("tree:2,3")
    levels = _levels(topology)
    made = measurements(topology, levels, ["all-to-all", "gups"])
    spread = {"all-to-all": 1.2, "gups": 1.3}
    times = [
        1.0 if not one.split else 0.8 if one.alone or one.level else spread[one.application] for one in made
    ]
    wide, near = level_costs(levels, made, times)
    assert (wide.weight, near.weight) == (25, 0)
    assert wide.alone == {"all-to-all": 0.8, "gups": 0.8}
    sets = weighted(topology, [25, 0], "uniform", apart=False)
    assert sets.cost([0, 1]) == (25, 2)
    assert sets.cost([3, 4]) == (50, 2)
    assert weighted(topology, [25, 7], "uniform", apart=True).cost([1, 2]) == (25, 14, 2)
    assert weighted(topology, [25, 7], "uniform", apart=False).cost([1, 2]) == (39, 2)
    assert weighted(topology, [0, 0], "uniform", apart=False).cost([1, 2]) == (2,)


@pytest.mark.parametrize(
    ("network", "pieces", "told"),
    [
        ("mesh:7", 2, "expected blocks of one size that tile the machine"),
        ("mesh:8x8", 3, "cannot be split into 3 parts"),
        ("tree:2,3", 4, "2 side by side, expected at least 4"),
    ],
)
def test_what_cannot_be_split_is_told(network, pieces, told):
    topology = parse(network)
    with pytest.raises(ValueError, match=told):
        measurements(topology, _levels(topology), ["all-to-all"], pieces=pieces)
