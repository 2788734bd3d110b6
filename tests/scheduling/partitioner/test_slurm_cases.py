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
