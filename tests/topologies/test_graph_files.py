"""Networks from files: edge lists, GraphML, trees, Slurm's topology.conf."""

from pathlib import Path

import networkx as nx
import pytest

from netplace.topologies import Graph, parse
from netplace.topologies.host_lists import expand


def written(path: Path, name: str, content: str) -> str:
    (path / name).write_text(content)
    return str(path / name)


def test_edge_list(tmp_path: Path) -> None:
    file = written(tmp_path, "ring.txt", "# a ring\na b width=2\nb c cycles=2\nc a delay=5\na nodes=2\n")
    network = parse(f"graph:{file}")
    assert isinstance(network, Graph)
    assert (network.nodes, network.switches, network.names) == (4, 3, ("a", "b", "c"))
    a, b, c = (network.first_switch + n for n in range(3))
    assert network.neighbor[a, :5].tolist() == [b, b, c, 0, 1]
    assert network.cycles[b, 2] == network.cycles[c, 1] == 2
    assert network.delay[a, 2] == network.delay[c, 0] == 5


def test_graphml(tmp_path: Path) -> None:
    graph = nx.cycle_graph(5)
    nx.set_node_attributes(graph, {0: 0}, "nodes")
    nx.write_graphml(graph, tmp_path / "ring.graphml")
    network = parse(f"graph:{tmp_path / 'ring.graphml'}")
    assert isinstance(network, Graph)
    assert (network.nodes, network.routers, network.first_switch) == (4, 5, 0)
    assert network.distance(0, 3) == 2  # past the switch without a node


def test_tree_file(tmp_path: Path) -> None:
    file = written(tmp_path, "t", "n0 leaf1\nn1 leaf1\nn2 leaf2\nleaf1 top 2\nleaf2 top\nn3 top\n")
    network = parse(f"tree-file:{file}")
    assert network.nodes == 4
    assert network.distance(0, [1, 2, 3]).tolist() == [2, 4, 3]


@pytest.mark.parametrize(
    ("kind", "content", "message"),
    [
        ("graph", "a b\na b c\n", r"line 2: 3 names"),
        ("graph", "a b fast=1\n", r"line 1: unknown 'fast', expected cycles, delay, width"),
        ("graph", "a b width=x\n", r"edge a - b: width: 'x' is not a whole number"),
        ("graph", "", r"the graph has no vertices"),
        ("graph", "a,b\n" + "c" * 200_000 + ",d\n", r"line 2: field larger than field limit"),
        ("tree-file", "n0 a\nn0 b\n", r"line 2: node n0 already has a parent, in line 1"),
        ("tree-file", "n0\n", r"line 1: 1 words"),
        ("tree-file", "a b\nb a\n", r"no node"),
        ("tree-file", "n0 a 2\n", r"node n0 has a width of 2"),
        ("slurm", "Something=1\n", r"neither SwitchName= nor BlockName="),
        ("slurm", "SwitchName=s0 Nodes=n0\nSwitchName=s0 Nodes=n1\n", r"line 2: switch s0 appears twice"),
        ("slurm", "SwitchName=s0 Nodes=n[3-1]\n", r"'3-1' in 'n\[3-1\]' is not a range"),
        ("slurm", "SwitchName=s0 Nodes=n0\nSwitchName=s1 Nodes=n0\n", r"line 2: node n0 is already at s0"),
        (
            "slurm",
            "SwitchName=s0 Nodes=n0\nSwitchName=s1 Switches=s[0-1],s2\n",
            r"s1 is above s2, which is not",
        ),
        ("slurm", "SwitchName=s0 Nodes=n0\nSwitchName=s1 Nodes=n1\n", r"2 separate trees"),
        ("slurm", "SwitchName=s0\n Nodes=n0\n", r"line 2: Nodes=n0, expected SwitchName= or BlockName="),
        ("slurm", "SwitchName=s0 Nodes=n0\nInclude rest.conf\n", r"line 2: Include rest.conf, expected all"),
    ],
)
def test_files_that_are_none(tmp_path: Path, kind: str, content: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse(f"{kind}:{written(tmp_path, 'f', content)}")


def test_slurm_tree(tmp_path: Path) -> None:
    content = "SwitchName=s0 Nodes=n[0-3]\nSwitchName=s1 Nodes=n[4-5]\nSwitchName=s2 Switches=s[0-1]\n"
    network = parse(f"slurm:{written(tmp_path, 'topology.conf', content)}")
    assert isinstance(network, Graph)
    assert (network.nodes, network.diameter) == (6, 4)
    assert network.names == ("s0", "s1", "s2")
    assert network.hosts == ("n0", "n1", "n2", "n3", "n4", "n5")
    assert network.distance(0, [3, 4]).tolist() == [2, 4]


def test_slurm_conf_with_continued_lines_blanks_and_quotes(tmp_path: Path) -> None:
    first = "SwitchName=s0 \\\n  Nodes=n[0-1],\\\nn2 \n"
    content = first + 'SwitchName = s1 Nodes = "n[3-4]"\nSwitchName=s2 Switches=s[0-1]\\'
    plain = "SwitchName=s0 Nodes=n[0-2]\nSwitchName=s1 Nodes=n[3-4]\nSwitchName=s2 Switches=s0,s1\n"
    found, wanted = (parse(f"slurm:{written(tmp_path, 'topology.conf', text)}") for text in (content, plain))
    assert (found.names, found.hosts) == (wanted.names, wanted.hosts)
    assert found.neighbor.tolist() == wanted.neighbor.tolist()


def test_slurm_blocks(tmp_path: Path) -> None:
    lines = [f"BlockName=b{n} Nodes=n[{4 * n}-{4 * n + 3}]" for n in range(4)]
    file = written(tmp_path, "topology.conf", "\n".join([*lines, "BlockSizes=4,8"]))
    network = parse(f"slurm:{file}")
    assert network.nodes == 16
    assert network.distance(0, [1, 4, 8]).tolist() == [2, 4, 6]


def test_lists_of_hosts() -> None:
    assert list(expand("a[08-10],b,c[1,3]x")) == ["a08", "a09", "a10", "b", "c1x", "c3x"]
