"""The placement that an allocation's list of hosts gives."""

import re

import numpy as np
import pytest

from netplace.placement import map_tasks
from netplace.topologies import compute_nodes, parse

LUMI = "dragonfly:a=32,p=16,h=1,g=24"


def mapped(tmp_path, text, network, tasks):
    """Return the nodes of so many tasks on the hosts in a file of this text."""
    (tmp_path / "alloc.csv").write_text(text)
    topology = parse(network) if isinstance(network, str) else network
    return map_tasks(f"hosts:{tmp_path / 'alloc.csv'}", topology, tasks)


def test_numbers_and_lists_are_nodes(tmp_path):
    assert mapped(tmp_path, "n[8-10],n3\n# a comment\n0\n", "torus:4x4", 5).tolist() == [8, 9, 10, 3, 0]


@pytest.mark.parametrize(
    "text", ["(2,0,1)\n(0,1,0)\n", "2 0 1\n0 1 0\n", "x,y,z\n2,0,1\n0,1,0\n", "X2Y0Z1\nX0Y1Z0"]
)
def test_coordinates_are_those_of_the_grid(tmp_path, text):
    assert mapped(tmp_path, text, "torus:3x4x2", 2).tolist() == [2 + 3 * 4, 3]


def test_ranks_need_not_be_in_order(tmp_path):
    text = "run,rank,host\na,1,n7\na,0,n4\n"
    assert mapped(tmp_path, text, "torus:4x4", 2).tolist() == [4, 7]


def test_xnames_share_switches_and_groups_as_boards_and_cabinets_do(tmp_path):
    names = ["x1302c0s3b0n0", "x1302c0s4b0n0", "x1302c0s3b1n0", "x1302c7s0b1n0", "x1305c0s3b0n0"]
    topology = parse(LUMI)
    nodes = mapped(tmp_path, "\n".join(names), topology, 5)
    switch = topology.home[nodes] - topology.first_switch
    assert topology.group[switch].tolist() == [0, 0, 0, 0, 1]
    # 4 switches a chassis: each has one of the 4 endpoints of all nodes; 2 switches: each has a board.
    assert (switch % 32).tolist() == [0, 0, 0, 28, 0]
    topology = parse("dragonfly:a=16,p=16,h=1,g=2")
    nodes = mapped(tmp_path, "\n".join(names), topology, 5)
    assert ((topology.home[nodes] - topology.first_switch) % 16).tolist() == [0, 0, 1, 15, 0]


def test_racks_are_leaf_switches_and_islands_subtrees(tmp_path):
    names = ["as02r1b10", "as01r10b02", "as01r2b11", "as01r2b10"]
    nodes = mapped(tmp_path, "\n".join(names), "tree:4,3", 4)
    assert nodes.tolist() == [16, 4, 1, 0]


def test_nodes_of_a_tree_file_have_its_names(tmp_path):
    (tmp_path / "machine.tree").write_text("n1 leaf1\nn9 leaf2\nleaf1 top\nleaf2 top\nn3 leaf1\n")
    assert mapped(tmp_path, "n9\nn1\nn3\n", f"tree-file:{tmp_path / 'machine.tree'}", 3).tolist() == [2, 0, 1]


def test_columns_say_group_and_switch_of_any_name(tmp_path):
    text = "rank,host,cell,switch\n0,lrdn0007,3,b\n1,lrdn0003,3,a\n2,lrdn0001,1,z\n"
    nodes = mapped(tmp_path, text, "dragonfly+:leaves=2,spines=2,p=2,h=2", 3)
    assert nodes.tolist() == [6, 4, 0]
    text = text.replace(",switch", "").replace(",b", "").replace(",a", "").replace(",z", "")
    assert mapped(tmp_path, text, "dragonfly+:leaves=2,spines=2,p=2,h=2", 3).tolist() == [5, 4, 0]


def test_ranks_of_a_host_take_its_places(tmp_path):
    machine = compute_nodes(parse("tree:2,2"), 2)
    assert mapped(tmp_path, "n3\nn3\nn0\n", machine, 3).tolist() == [6, 7, 0]
    wrong = "assigned to rank 2 and to 2 ranks, but nodes:tasks=2/tree:2,2 has 2 places there"
    with pytest.raises(ValueError, match=wrong):
        mapped(tmp_path, "n3\nn3\nn3\n", machine, 3)


def test_names_of_the_network_are_found(tmp_path):
    (tmp_path / "m.conf").write_text("SwitchName=a Nodes=cn[1-3]\n")
    network = f"slurm:{tmp_path / 'm.conf'}"
    assert mapped(tmp_path, "cn[3,1]\n", network, 2).tolist() == [2, 0]
    with pytest.raises(ValueError, match=r"alloc.csv:2: host: unknown name 'cn4'; did you mean cn3"):
        mapped(tmp_path, "cn1\ncn4\n", network, 2)


@pytest.mark.parametrize(
    ("text", "network", "wrong"),
    [
        ("rank,host\n0,n1\n0,n2\n", "torus:4x4", "alloc.csv:3: rank 0 has two hosts, the first in line 2"),
        (
            "0,0,0\n0,0,1\n",
            "torus:4x4",
            "alloc.csv:1: host '0,0,0' has 3 coordinates, expected 2 on torus:4x4",
        ),
        ("alpha\nbeta\n", LUMI, "alloc.csv:1: host 'alpha' cannot be located"),
        ("as01r1b1\nas01r2b1\n", "dragonfly:a=1,p=2,h=1", ""),
        (
            "as01r1b1\nas01r1b2\nas01r1b3\n",
            "tree:2,3",
            "alloc.csv:3: .*name 3 nodes at a switch, but tree:2,3 has 2",
        ),
        ("rank,host\n0\n", "torus:4x4", "alloc.csv:2: 1 columns, expected 2: rank,host"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path, text, network, wrong):
    tasks = max(2, text.count("\n") - ("rank" in text))
    if not wrong:
        assert mapped(tmp_path, text, network, tasks).tolist() == [0, 1]
        return
    with pytest.raises(ValueError, match=wrong):
        mapped(tmp_path, text, network, tasks)


def test_the_places_of_many_hosts_are_different_and_keep_switches(tmp_path):
    rng = np.random.default_rng(3)
    every = [f"x{g}c{c}s{s}b{b}n0" for g in range(3) for c in range(8) for s in range(8) for b in range(2)]
    names = rng.permutation(every)[:200]
    topology = parse(LUMI)
    nodes = mapped(tmp_path, "\n".join(names), topology, 200)
    assert len(set(nodes.tolist())) == 200
    switch = topology.home[nodes]
    chassis = [re.sub(r"s\db\d", "", name) for name in names]
    assert (
        len(set(zip(switch.tolist(), chassis, strict=True))) == len(set(chassis)) == len(set(switch.tolist()))
    )


def test_islands_of_a_tree_of_cables_are_what_its_top_joins(tmp_path):
    names = [f"as0{island}r{rack}b{blade}" for island in (1, 2) for rack in (1, 3) for blade in (1, 2)]
    nodes = mapped(tmp_path, "\n".join(names), "xgft:3;4,3,2;1,2,2", 8)  # two islands of three racks of four
    assert nodes.tolist() == [0, 1, 4, 5, 12, 13, 16, 17]
