"""The nodes that a real Slurm 22.05 gave to jobs, measured by scripts/slurm-cases."""

import json
from collections import Counter
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from netplace.scheduling import Allocation, Job, make_partitioner
from netplace.topologies import parse

RECORDED = [
    json.loads(line) for line in (Path(__file__).parent / "slurm_cases.jsonl").read_text().splitlines()
]


def topology_lines(tree, leaves, names):
    """Yield the lines of topology.conf for a nested list of the nodes at each leaf switch."""
    name = f"s{next(names)}"
    if isinstance(tree, int):
        nodes = [next(leaves) for _ in range(tree)]
        yield f"SwitchName={name} Nodes=n[{nodes[0]}-{nodes[-1]}]"
        return
    below = []
    for part in tree:
        lines = [*topology_lines(part, leaves, names)]
        below.append(lines[-1].split()[0].partition("=")[2])
        yield from lines
    yield f"SwitchName={name} Switches={','.join(below)}"


def machine_of(tree, folder):
    if isinstance(tree, int):
        return parse(f"mesh:{tree}")
    path = folder / "topology.conf"
    path.write_text("\n".join(topology_lines(tree, count(), count())))
    return parse(f"slurm:{path}")


def nodes_of(mask):
    return [node for node in range(mask.bit_length()) if mask >> node & 1]


@pytest.mark.parametrize("machine", RECORDED, ids=lambda one: f"{one['select']}-{one['tree']}")
def test_every_job_gets_the_nodes_that_slurm_gave_it(machine, tmp_path):
    topology = machine_of(machine["tree"], tmp_path)
    wrong = []
    for case in machine["cases"]:
        held, asked, chosen = case.split()
        partitioner = make_partitioner(f"slurm:{machine['select']}", topology)
        partitioner.take(Allocation(np.array(nodes_of(int(held, 16)))))
        if partitioner.find(Job(0, 0.0, int(asked), 1.0)).nodes.tolist() != nodes_of(int(chosen, 16)):
            wrong.append(case)
    assert not wrong


def test_there_are_500_states_of_each_kind():
    states = Counter()
    for machine in RECORDED:
        text = json.dumps(machine["tree"])
        states[machine["select"], len(text) - len(text.lstrip("["))] += len(machine["cases"])
    assert all(states[select, levels] >= 500 for select in ("cons_tres", "linear") for levels in range(3))


def test_the_bare_name_is_cons_tres(tmp_path):
    chosen = {}
    for rule in ("slurm", "slurm:tree", "slurm:cons_tres", "slurm:linear"):
        partitioner = make_partitioner(rule, machine_of([8, 8, 8, 8], tmp_path))
        partitioner.take(Allocation(np.array([0, 2, 4, 5, 6, 8, 12, 13, 23, 24, 26])))
        chosen[rule] = partitioner.find(Job(0, 0.0, 11, 1.0)).nodes.tolist()
    assert chosen["slurm"] == chosen["slurm:tree"] == chosen["slurm:cons_tres"]
    assert chosen["slurm:linear"] == [1, 3, 7, 9, 10, 11, 14, 15, 25, 27, 28]


def choice(machine: str, rule: str, held: list[int], size: int) -> list[int]:
    partitioner = make_partitioner(rule, parse(machine))
    partitioner.take(Allocation(np.array(held)))
    return partitioner.find(Job(0, 0.0, size, 1.0)).nodes.tolist()


def test_groups_of_a_dragonfly_are_switches_above_its_own():
    machine = "dragonfly:a=4,p=2,h=2"
    tree = "xgft:3;2,4,9;1,1,1"
    assert choice(machine, "slurm:tree", [0], 8) == choice(tree, "slurm", [0], 8) == list(range(2, 10))
    assert choice(machine, "slurm:tree", [*range(7)], 8) == list(range(8, 16))
    assert choice(machine, "slurm:tree", [0], 1) == [1]


def test_on_a_dragonfly_jobs_are_spread_over_leaf_switches():
    machine = "dragonfly:a=4,p=2,h=2"
    assert choice(machine, "slurm", [0, 2, 3], 2) == [4, 5]  # the first of those with most free nodes
    assert choice(machine, "slurm", [0, 2, 3], 5) == [1, 4, 6, 8, 10]
    assert len(choice(machine, "slurm", [0, 2, 3], 69)) == 69


def boxes(shapes: str, held: list[int], size: int) -> list[int] | None:
    partitioner = make_partitioner(f"slurm:torus3d={shapes}", parse("torus:4x4x2"))
    if held:
        partitioner.take(Allocation(np.array(held)))
    found = partitioner.find(Job(0, 0.0, size, 1.0))
    return None if found is None else found.nodes.tolist()


def test_boxes_of_a_torus_are_those_of_the_guide():
    assert boxes("2x2x1+2x2x2+4x4x2", [], 4) == [0, 1, 4, 5]
    assert boxes("2x2x1+2x2x2+4x4x2", [], 8) == [0, 1, 4, 5, 16, 17, 20, 21]
    assert boxes("2x2x1+2x2x2+4x4x2", [], 3) == [0, 1, 4, 5]  # the smallest that holds it
    assert boxes("2x2x1+2x2x2+4x4x2", [0], 32) is None
    assert boxes("2x2x1", [], 5) is None


def test_a_box_that_spares_larger_ones_is_taken():
    assert boxes("2x2x1+2x2x2", [0], 4) == [16, 17, 20, 21]  # no free 2x2x2 overlaps it


def test_spacing_and_seed_say_where_boxes_stand_round_the_ring():
    assert boxes("4x2x1@0x1x0", [], 8) == [4, 5, 6, 7, 8, 9, 10, 11]
    held = [*range(4, 12), *range(20, 28)]
    assert boxes("4x2x1@0x1x0", held, 8) == [12, 13, 14, 15, 0, 1, 2, 3]
    assert boxes("4x2x1/4x1x1", [*range(8)], 8) == [*range(16, 24)]  # the next place is one of Z


@pytest.mark.parametrize(
    ("rule", "machine", "said"),
    [
        ("torus3d=2x2", "torus:4x4x2", "2 sides, expected 3"),
        ("torus3d=5x1x1", "torus:4x4x2", "5x1x1: sides of 1 to 4, 1 to 4, 1 to 2 expected"),
        ("torus3d=2x2x1/0x1x1", "torus:4x4x2", "spacing of 1 to 4"),
        ("torus3d=2x2x1@4x0x0", "torus:4x4x2", "seed of 0 to 3"),
        ("torus3d=2x2x1", "mesh:4x4x2", "is defined on tori, not on mesh:4x4x2"),
        ("tree", "torus:4x4", "are not at switches, expected flat"),
    ],
)
def test_mistakes(rule, machine, said):
    with pytest.raises(ValueError, match=said):
        make_partitioner(f"slurm:{rule}", parse(machine))


@pytest.mark.parametrize(
    ("rule", "nodes", "wanted"),
    [
        ("slurm:block", 3, [1, 2, 3]),  # the block with the fewest free nodes that suffice
        ("slurm:block", 4, [28, 29, 30, 31]),  # the last of equals
        ("slurm:block", 5, [8, 12, 13, 14, 15]),  # one pair of blocks, the fullest block first
        ("slurm:block", 20, [*range(12, 32)]),  # three pairs, each whole before the next
        ("slurm:block", 24, None),  # 26 nodes are free, but at most 21 in three pairs of blocks
        ("slurm:block=3", 6, [1, 2, 3, 28, 29, 30]),
        ("slurm:block=8", 3, [1, 2, 3]),  # a segment larger than the job is ignored
        ("slurm:block=4", 6, None),
    ],
)
def test_blocks_by_hand(rule, nodes, wanted, tmp_path):
    blocks = [f"BlockName=b{n} Nodes=n[{4 * n}-{4 * n + 3}]" for n in range(8)]
    (tmp_path / "topology.conf").write_text("\n".join([*blocks, "BlockSizes=4,8"]))
    partitioner = make_partitioner(rule, parse(f"slurm:{tmp_path}/topology.conf"))
    partitioner.take(Allocation(np.array([0, 4, 5, 9, 10, 11])))
    found = partitioner.find(Job(0, 0, nodes, 1))
    assert wanted == (None if found is None else found.nodes.tolist())
