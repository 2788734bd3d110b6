"""Networks from files: edge lists, GraphML, Slurm's, ibnetdiscover's; the subtrees of trees of any shape."""

from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from netplace.runs.digests import digests_of_wiring
from netplace.topologies import Graph, Topology, hierarchy, parse
from netplace.topologies.host_lists import expand
from netplace.topologies.routing import check, make_routes
from netplace.topologies.yaml_files import read_yaml

CONF = """
SwitchName=top Switches=row[0-1]
SwitchName=row0 Switches=leaf[0-1]
SwitchName=row1 Switches=leaf2 Nodes=login
SwitchName=leaf0 Nodes=n[0-3]
SwitchName=leaf1 Nodes=n[4-9]
SwitchName=leaf2 Nodes=n[10-11]
"""
YAML = (Path(__file__).parent / "hierarchies.yaml").read_text()
FABRIC = (Path(__file__).parent / "fabric.ibnetdiscover").read_text()


def written(folder: Path, name: str, content: str) -> str:
    (folder / name).write_text(content)
    return str(folder / name)


def subtrees(network: Topology) -> list[list[list[int]]]:
    """Return the nodes of all subtrees, level by level."""
    tree = hierarchy(network)
    assert tree is not None
    return [[part.tolist() for part in np.split(tree.order, starts[1:-1])] for starts in tree.starts[1:]]


def cables(network: Graph) -> dict[tuple[str, str], int]:
    """Return how many cables join each pair of switches."""
    found: dict[tuple[str, str], int] = {}
    for row, end in network.links()[:, [0, 2]].tolist():
        if row >= network.first_switch <= end:
            pair = network.names[row - network.first_switch], network.names[end - network.first_switch]
            found[pair] = found.get(pair, 0) + 1
    return found


def test_subtrees_of_an_irregular_tree(tmp_path):
    network = parse(f"slurm:{written(tmp_path, 'topology.conf', CONF)}")
    assert subtrees(network) == [
        [[0], [11, 12], [1, 2, 3, 4], [5, 6, 7, 8, 9, 10]],
        [[0, 11, 12], list(range(1, 11))],
        [[0, 11, 12, *range(1, 11)]],
    ]


@pytest.mark.parametrize("text", ["xgft:3;3,2,4;1,1,1", "xgft:3;3,2,4;1,2,2"])
def test_subtrees_of_fat_trees_are_those_of_their_arities(text):
    sizes = [[len(part) for part in level] for level in subtrees(parse(text))]
    assert sizes == [[3] * 8, [6] * 4, [24]]


@pytest.mark.parametrize("network", ["torus:4x4", "dragonfly:a=2,p=2,h=1", "hyperx:2x2,c=2", "slimfly:3"])
def test_other_networks_have_no_subtrees(network):
    assert hierarchy(parse(network)) is None


def test_widths_by_a_number(tmp_path):
    file = written(tmp_path, "topology.conf", CONF)
    full, half = parse(f"slurm:{file},taper=1"), parse(f"slurm:{file},taper=2")
    assert cables(full)["leaf1", "row0"] == 6
    assert cables(full)["row0", "top"] == 10
    assert cables(half)["leaf1", "row0"] == 3
    assert cables(half)["row0", "top"] == 3  # (2 + 3) / 2, rounded up
    assert half.default_routing == "d-mod-k"
    assert check(*make_routes(half)).free


def test_widths_and_speeds_by_a_file(tmp_path):
    file = written(tmp_path, "topology.conf", CONF)
    links = written(tmp_path, "links.txt", "leaf0 row0 width=2 cycles=4\nrow0 top delay=9\n")
    network = parse(f"slurm:{file},links={links}")
    assert cables(network)["leaf0", "row0"] == 2
    assert sorted(set(network.cycles.ravel().tolist())) == [1, 4]
    assert sorted(set(network.delay.ravel().tolist())) == [0, 9]


def test_topology_yaml(tmp_path):
    file = written(tmp_path, "topology.yaml", YAML)
    network = parse(f"slurm:{file}")
    assert (network.nodes, network.names) == (6, ("top", "leaf0", "leaf1"))
    blocks = parse(f"slurm:{file},topology=wide")
    assert (blocks.nodes, blocks.names) == (8, ("b1", "b2", "above-b1"))
    assert subtrees(blocks)[0] == [[0, 1, 2, 3], [4, 5, 6, 7]]


def test_fabric_of_ibnetdiscover(tmp_path):
    network = parse(f"ibnetdiscover:{written(tmp_path, 'fabric.txt', FABRIC)}")
    assert (network.nodes, network.default_routing) == (3, "d-mod-k")
    assert network.names == ("leaf S-00000000000000a1", "leaf S-00000000000000a2", "spine")
    assert cables(network)["leaf S-00000000000000a1", "spine"] == 2
    assert subtrees(network) == [[[0, 1], [2]], [[0, 1, 2]]]


def test_a_fabric_with_a_cable_between_leaves_is_no_tree(tmp_path):
    tail = FABRIC.index("Ca\t1")
    cable = '[9]\t"S-00000000000000{}"[9]\t\t# "leaf" lid 1 4xQDR\n'
    text = FABRIC[:tail]
    for port, leaf in ((2, "a2"), (3, "a1")):
        up = f'[36]\t"S-00000000000000b1"[{port}]'
        text = text.replace(up, cable.format(leaf) + up)
    network = parse(f"ibnetdiscover:{written(tmp_path, 'fabric.txt', text + FABRIC[tail:])}")
    assert hierarchy(network) is None
    assert check(*make_routes(network)).free


@pytest.mark.parametrize(
    ("name", "content", "options", "message"),
    [
        ("t.conf", "SwitchName=a Switches=b\nSwitchName=b Switches=a Nodes=n0\n", "", r"a cycle: a, b$"),
        ("t.conf", "SwitchName=a Switches=b Nodes=n0\n", "", r"a is above b, which is not in the file"),
        ("t.conf", CONF, ",taper=0", r"taper"),
        ("t.conf", CONF, ",topology=x", r"applies only to a \.yaml file"),
        ("t.conf", CONF, ",links={links}", r"a cable from leaf0 to top, which are not connected in slurm:"),
        ("t.yaml", YAML, ",topology=x", r"no topology x in the file"),
    ],
)
def test_files_of_slurm_that_are_none(tmp_path, name, content, options, message):
    links = written(tmp_path, "links.txt", "leaf0 top width=2\n")
    file = written(tmp_path, name, content)
    with pytest.raises(ValueError, match=message):
        parse(f"slurm:{file}{options.format(links=links)}")


@pytest.mark.parametrize(
    ("links", "message"),
    [
        ("leaf0 row0 breadth=1\n", r"line 1: unknown 'breadth', expected width, cycles or delay"),
        ("leaf0\n", r"line 1: expected SWITCH ABOVE"),
    ],
)
def test_files_of_cables_that_are_none(tmp_path, links, message):
    file = written(tmp_path, "topology.conf", CONF)
    with pytest.raises(ValueError, match=message):
        parse(f"slurm:{file},links={written(tmp_path, 'links.txt', links)}")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('b1"[1]', 'b9"[1]'), r"a cable to S-00000000000000b9, which is not in the file"),
        (('a1"[35]', 'a1"[34]'), r"port 1 of S-00000000000000b1 does not lead back to port 35"),
    ],
)
def test_fabrics_that_contradict_themselves(tmp_path, change, message):
    file = written(tmp_path, "fabric.txt", FABRIC.replace(*change))
    with pytest.raises(ValueError, match=message):
        parse(f"ibnetdiscover:{file}")


def test_a_loop_in_a_tree_file(tmp_path):
    file = written(tmp_path, "machine.tree", "n0 a\na b\nb a\n")
    with pytest.raises(ValueError, match=r"not a tree, switches form a cycle: a, b"):
        parse(f"tree-file:{file}")


def test_yaml_gives_strings():
    text = "a:\n  - 1\n  - two: [x, 'y']\n    three:\nb: \"c\" # comment\n"
    assert read_yaml(text, "here") == {"a": ["1", {"two": ["x", "y"], "three": ""}], "b": "c"}
    with pytest.raises(ValueError, match=r"here line 1: a key appears twice"):
        read_yaml("a: 1\na: 2\n", "here")
    with pytest.raises(ValueError, match=r"here line 2: expected '<document start>'"):
        read_yaml("  a: 1\n b: 2\n", "here")


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
        ("graph", "a b fast=1\n", r"line 1: unknown 'fast', expected bandwidth, capacity, cycles"),
        ("graph", "\n", r"the graph has no vertices"),
        ("tree-file", "n0 a\nn0 b\n", r"line 2: node n0 already has a parent, in line 1"),
        ("slurm", "SwitchName=s0 Nodes=n0\nSwitchName=s0 Nodes=n1\n", r"line 2: switch s0 appears twice"),
        ("slurm", "SwitchName=s0 Nodes=n[3-1]\n", r"'3-1' in 'n\[3-1\]' is not a range"),
        ("slurm", "SwitchName=s0 Nodes=n0\nSwitchName=s1 Nodes=n0\n", r"line 2: node n0 is already at s0"),
        ("slurm", "SwitchName=s0\n Nodes=n0\n", r"line 2: Nodes=n0, expected SwitchName= or BlockName="),
        (
            "slurm",
            "SwitchName=s0 Nodes=n0\nInclude rest.conf\n",
            r"line 2: include .*rest.conf, which does not exist",
        ),
    ],
)
def test_files_that_are_none(tmp_path: Path, kind: str, content: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse(f"{kind}:{written(tmp_path, 'f', content)}")


def test_slurm_conf_with_continued_lines_blanks_and_quotes(tmp_path: Path) -> None:
    first = "SwitchName=s0 \\\n  Nodes=n[0-1],\\\nn2 \n"
    content = first + 'SwitchName = s1 Nodes = "n[3-4]"\nSwitchName=s2 Switches=s[0-1]\\'
    plain = "SwitchName=s0 Nodes=n[0-2]\nSwitchName=s1 Nodes=n[3-4]\nSwitchName=s2 Switches=s0,s1\n"
    found, wanted = (parse(f"slurm:{written(tmp_path, 'topology.conf', text)}") for text in (content, plain))
    assert (found.names, found.hosts) == (wanted.names, wanted.hosts)
    assert found.neighbor.tolist() == wanted.neighbor.tolist()


def test_slurm_blocks(tmp_path: Path) -> None:
    lines = [f"BlockName=b{n} BlockIndex={n} Nodes=n[{4 * n}-{4 * n + 3}] BlockSize=4" for n in range(4)]
    shown = "AggregatedBlock=b0,b1 BlockIndex=4 Nodes=n[0-7] BlockSize=8"  # by scontrol
    for last in ("BlockSizes=4,8", shown):
        file = written(tmp_path, "topology.conf", "\n".join([*lines, last]))
        network = parse(f"slurm:{file}")
        assert network.distance(0, [1, 4, 8, 15]).tolist() == [2, 4, 6, 6]


def test_lists_of_hosts() -> None:
    assert list(expand("a[08-10],b,c[1,3]x")) == ["a08", "a09", "a10", "b", "c1x", "c3x"]


def test_included_files_are_relative_to_the_including_one(tmp_path):
    (tmp_path / "rows").mkdir()
    top, row, leaves = (tmp_path / name for name in ("t.conf", "rows/row.conf", "rows/leaves.conf"))
    top.write_text("include rows/row.conf\nSwitchName=s2 Switches=s[0-1]\n")
    row.write_text("Include leaves.conf\nSwitchName=s1 Nodes=a[5-8]\n")
    leaves.write_text("SwitchName=s0 Nodes=a[1-4]\n")
    for form in ("slurm", "graph"):
        machine = parse(f"{form}:{top}")
        assert (machine.nodes, len(machine.names)) == (8, 3)
        files = {name for name, _ in digests_of_wiring(f"{form}:{top}")}
        assert files == {str(top), str(row), str(leaves)}
    leaves.write_text("include row.conf\n")
    with pytest.raises(ValueError, match=r"leaves.conf line 1: include .*row.conf, which includes this one"):
        parse(f"slurm:{top}")
