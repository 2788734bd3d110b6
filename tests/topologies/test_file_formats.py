"""Files of other programs as networks: told by their content, and meaning what those programs mean."""

import contextlib
import os
import time

import networkx as nx
import numpy as np
import pytest

from netplace.apps import APPLICATIONS
from netplace.netsim import Config, simulate
from netplace.topologies import Graph, parse, xgft

CLUSTER = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<!-- two of them would need part= -->
<platform version="4.1"><zone id="AS0" routing="Full">
<cluster id="c" prefix="n-" radical="{radical}" suffix=".x" speed="1Gf" bw="125MBps" lat="{lat}" {more}/>
</zone></platform>
"""
ANYNET = "router 0 node 0 node 2 router 1 15\nrouter 1 node 1 router 2\nrouter 2 node 3 router 0 3\n"
NETWORK_YML = """# Analytical
topology: [ {blocks} ]  # of each dimension
npus_count: [ {sizes} ]
bandwidth: [ {speeds} ]  # GB/s
latency: [ {times} ]  # ns
"""
NVSWITCHES = """<system version="1"><cpu host_hash="0x1" numaid="0" arch="x86_64">
{gpus}</cpu></system>
"""
GPU = """<pci busid="0000:0{n}:00.0" class="0x030200" link_speed="16.0 GT/s PCIe" link_width="16">
<gpu dev="{n}" sm="80" rank="{n}" gdr="1">{links}</gpu></pci>
"""
TOPOGRAPH = """- topology: default
  cluster_default: true
  flat: true
- topology: topo-block
  cluster_default: false
  block:
    block_sizes:
        - 4
        - 8
    blocks:
        - block: b1
          nodes: n[1-4]
        - block: b2
          nodes: "n[5-8]"
"""
FOREST = "SwitchName=s1 Nodes=a[0-3]\nSwitchName=s2 Nodes=b[0-2]\nSwitchName=t Switches=s2\n"
ALONE = ["a.txt", "b.csv", "c.xml", "d"]  # names that tell nothing


@pytest.fixture
def read(tmp_path):
    def of(content: str, options: str = "", name: str = "machine", kind: str = "graph") -> Graph:
        (tmp_path / name).write_text(content)
        network = parse(f"{kind}:{tmp_path / name}{options}")
        assert str(parse(str(network))) == str(network)
        program = APPLICATIONS["all-to-all"].make(tasks=min(network.nodes, 12))
        assert simulate(network, program, config=Config(), engine="reference").cycles > 0
        return network

    return of


def cables(network: Graph) -> nx.MultiGraph:
    """Return the cables between switches, by name or number, with cycles and delay."""
    made = nx.MultiGraph()
    for router, port, end, _ in network.links().tolist():
        if network.first_switch <= router < end:
            ends = (router - network.first_switch, end - network.first_switch)
            a, b = (network.names[n] if network.names else n for n in ends)
            made.add_edge(a, b, cycles=network.cycles[router, port], delay=network.delay[router, port])
    return made


def simgrid(read, radical, lat="0us", more="", options=""):
    return read(CLUSTER.format(radical=radical, lat=lat, more=more), options)


@pytest.mark.parametrize("name", ALONE)
def test_a_file_alone_is_a_network_whatever_its_name(tmp_path, name, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for content, nodes in ((ANYNET, 4), (TOPOGRAPH, 8), ("a,b\nb,c\n", 3)):
        (tmp_path / name).write_text(content)
        assert parse(name).nodes == nodes


def test_anynet_joins_what_booksim_joins(read):
    network = read(ANYNET)
    assert network.names == ("0", "1", "2")
    assert network.hosts == ("0", "2", "1", "3")
    assert sorted(cables(network).edges()) == [("0", "1"), ("0", "2"), ("1", "2")]
    first = network.first_switch
    latency = {
        (int(network.names[router - first]), int(network.names[end - first])): 1 + network.delay[router, port]
        for router, port, end, _ in network.links().tolist()
        if min(router, end) >= first
    }
    assert latency == {(0, 1): 15, (1, 0): 1, (1, 2): 1, (2, 1): 1, (2, 0): 3, (0, 2): 1}


def test_commas_and_columns_say_what_blanks_say(read):
    plain = read("hub nodes=0\nhub b width=2\nb c delay=5\nc hub cycles=3\n", name="plain")
    for other in (
        "hub,nodes=0\nhub,b,width=2\nb, c ,delay=5\nc,hub,cycles=3,\n",
        "hub;nodes=0\nhub;b;width=2\nb;c;delay=5\nc;hub;cycles=3\n",
        'hub nodes=0\nhub "b" width=2\nb c delay=5\nc hub cycles=3\n'.replace('"', ""),
        "strict graph m { hub [nodes=0]; hub -- b [width=2]; b -- c [delay=5]; c -- hub [cycles=3] }",
    ):
        network = read(other, name="other")
        assert np.array_equal(network.neighbor, plain.neighbor)
        assert np.array_equal(network.cycles, plain.cycles)
        assert np.array_equal(network.delay, plain.delay)
        assert network.names == plain.names
    columns = read("Source,Target,width,delay\nhub,b,2,\nb,c,,5\nc,hub,1,0\n", name="columns")
    ends = sorted(map(sorted, cables(columns).edges()))
    assert ends == [["b", "c"], ["b", "hub"], ["b", "hub"], ["c", "hub"]]


def test_dot_with_layout_subgraphs_and_chains(read):
    network = read(
        'graph "a b" { node [shape=box]; rankdir=LR; // picture\n a [nodes=2, label="A"]; a -- b -- c;'
        ' subgraph cluster_0 { c -- d; label="x" } /* y */ "e f" -- a:p0 }'
    )
    assert sorted(map(sorted, cables(network).edges())) == [["a", "b"], ["a", "e f"], ["b", "c"], ["c", "d"]]
    assert network.nodes == 6


@pytest.mark.parametrize("sides", [(3, 2, 2), (4, 5), (7,)])
def test_a_simgrid_torus_is_the_torus_with_latency(read, sides):
    hosts = int(np.prod(sides))
    more = f'topology="TORUS" topo_parameters="{",".join(map(str, sides))}"'
    network = simgrid(read, f"0-{hosts - 1}", "32us", more)
    torus = parse("torus:" + "x".join(map(str, sides)))
    assert np.array_equal(network.distances(), torus.distances())
    assert set(network.delay[network.neighbor >= 0]) == {
        1000
    }  # 32 us of 125 MB/s are 4,000 bytes, 1,000 phits
    assert network.hosts[1] == "n-1.x"


def test_a_flat_simgrid_cluster_is_a_switch(read):
    network = simgrid(read, "0-3,7,10-11", "8ns")
    assert (network.nodes, network.switches, network.diameter) == (7, 1, 2)
    assert network.hosts == tuple(f"n-{n}.x" for n in (0, 1, 2, 3, 7, 10, 11))
    assert network.delay.max() == 0  # a quarter of a phit
    wide = simgrid(read, "0-3", more='bb_bw="500MBps" bb_lat="0us"')
    assert wide.nodes == 4


@pytest.mark.parametrize("phit", [4, 16])
def test_a_simgrid_fat_tree_is_that_of_its_numbers(read, phit):
    more = 'topology="FAT_TREE" topo_parameters="2;4,3;1,2;1,2"'
    network = simgrid(read, "0-11", "320ns", more, f",phit={phit}")
    assert np.array_equal(network.neighbor, xgft((4, 3), (1, 2), (1, 2)).neighbor)
    assert len(cables(network).edges()) == 3 * 2 * 2  # leaves, parents of each, cables to each
    assert set(network.delay[network.neighbor >= 0]) == {40 // phit}  # 320 ns are 40 bytes
    assert network.default_routing == "d-mod-k"


def test_a_simgrid_dragonfly_has_chassis_and_groups(read):
    network = simgrid(read, "0-107", more='topology="DRAGONFLY" topo_parameters="3,4;3,2;6,1;2"')
    made = cables(network)
    assert network.nodes == 3 * 3 * 6 * 2
    of_group = 3 * 6
    for a, b in {tuple(sorted(edge[:2])) for edge in made.edges()}:
        same_group, same_chassis = a // of_group == b // of_group, a // 6 == b // 6
        count = made.number_of_edges(a, b)
        if same_chassis:
            assert count == 1
        elif same_group:
            assert count == 2
            assert a % 6 == b % 6
        else:
            assert count == 4
            assert (a % of_group, b % of_group) == (b // of_group, a // of_group)
    assert made.number_of_edges() == 9 * 15 * 1 + 3 * 6 * 3 * 2 + 3 * 4


@pytest.mark.parametrize(
    ("blocks", "sizes", "speeds", "times", "like"),
    [
        ("Ring", "8", "50", "500", "torus:8"),
        ("Ring, Ring", "4, 4", "50, 50", "0, 0", "torus:4x4"),
        ("FullyConnected, FullyConnected", "3, 4", "50, 25", "0, 0", "hyperx:3x4,c=1"),
        ("Switch", "6", "400.0", "936.25", "tree:6,1"),
    ],
)
def test_dimensions_of_astra_sim(read, blocks, sizes, speeds, times, like):
    given = {"blocks": blocks, "sizes": sizes, "speeds": speeds, "times": times}
    network = read(NETWORK_YML.format(**given))
    other = parse(like)
    ends = other.ends if isinstance(other, Graph) else 0
    between = other.distances() - ends * (other.distances() > 0)
    assert np.array_equal(network.distances(), between)


def test_paces_of_astra_sim(read):
    given = {
        "blocks": "Ring, Switch, FullyConnected",
        "sizes": "4, 3, 2",
        "speeds": "50, 100, 30",
        "times": "8,0,4",
    }
    network = read(NETWORK_YML.format(**given))
    assert network.nodes == 24
    found = {
        (int(network.cycles[router, port]), int(network.delay[router, port]))
        for router, port, _, _ in network.links().tolist()
    }
    # 100 GB/s as 3 cycles a phit of 4 bytes: 75 cycles a ns; 50 GB/s takes 6, 30 GB/s 10.
    assert found == {(6, 600), (3, 0), (10, 300)}
    # Two in another place of each dimension: half round a ring, past a switch, and a link.
    assert network.distance(0, 2 + 4 * 1 + 12 * 1) == 2 + 2 + 1


def test_nvlinks_of_nccl(read):
    link = '<nvlink target="{}" count="{}" tclass="0x068000"/>'
    links = link.format("0000:c4:00.0", 2) + link.format("0000:C5:00.0", 3)
    network = read(NVSWITCHES.format(gpus="".join(GPU.format(n=n, links=links) for n in (2, 0, 1))))
    assert (network.nodes, network.routers, network.diameter) == (3, 4, 2)  # NVSwitches are one switch
    assert network.hosts == ("gpu0", "gpu1", "gpu2")
    assert network.rates.byte_ns == pytest.approx(1 / (5 * 25))
    pair = '<nvlink target="0000:0{}:00.0" count="4" tclass="0x030200"/>'
    gpus = [
        GPU.format(n=n, links=pair.format(1 - n) + '<nvlink target="x" count="2" tclass="0x060000"/>')
        for n in (0, 1)
    ]
    joined = read(NVSWITCHES.format(gpus="".join(gpus)))
    assert (len(cables(joined).edges()), joined.rates.byte_ns) == (1, pytest.approx(1 / (4 * 25)))


def test_topograph_without_choosing(read):
    blocks = read(TOPOGRAPH)
    assert str(blocks).startswith("slurm:")
    assert (blocks.nodes, blocks.diameter) == (8, 4)
    both = TOPOGRAPH + "- topology: more\n  tree:\n    switches:\n        - switch: s\n          nodes: n1\n"
    with pytest.raises(ValueError, match=r"topology is flat, expected topology= one of topo-block, more"):
        read(both)


def test_forests(read):
    with pytest.raises(ValueError, match=r"2 separate trees below s1, t; expected part="):
        read(FOREST, kind="slurm")
    assert read(FOREST, ",part=t", kind="slurm").hosts == ("b0", "b1", "b2")
    assert read(FOREST, ",part=s1").hosts == ("a0", "a1", "a2", "a3")
    whole = read(FOREST, ",top=core,taper=1", kind="slurm")
    assert (whole.nodes, whole.names[-1]) == (7, "core")
    assert whole.distance(0, 4) == 5  # node, s1, core, t, s2, node
    assert cables(whole).number_of_edges("s1", "core") == 4
    for options, words in {
        ",part=s2": "part=s2, expected one of s1, t",
        ",top=t": "top=t is a switch of the file",
        ",part=t,top=x": "expected one of the two",
    }.items():
        with pytest.raises(ValueError, match=words):
            read(FOREST, options, kind="slurm")


REFUSED = {
    '{\n  "scheduling-policy": "LIFO",\n "endpoint-delay": 10}': "ASTRA-sim's system file describes",
    '<!DOCTYPE topology SYSTEM "hwloc2.dtd">\n<topology version="2.0"/>': "hwloc's XML",
    'CA: node1 HCA-1:\n  0x1 2 1[ ] ==( 4X 10 Gbps)==> 3 36[ ] "leaf"\n': "iblinkinfo is read in",
    "<platform><host id='a'/></platform>": "1 hosts with routes, expected 2 to 2048",
    NVSWITCHES.format(
        gpus="".join(GPU.format(n=n, links="").replace("16.0", "99") for n in (0, 1))
    ): "link_speed in GT.s: unknown name '99'; valid: 2.5, 5",
    "&AG\n": "digraph6 has cables of one direction",
    "switches:\n  S1:\n    switches: [S2]\nblocks:\n- {switch: S2}\n": "topograph's model is simulated by",
    CLUSTER.format(
        radical="0-9", lat="1us", more='topology="TORUS" topo_parameters="3,3"'
    ): "3,3 are for 9 hosts, .* 10",
    CLUSTER.format(
        radical="0-9", lat="1us", more='topology="HYPERCUBE"'
    ): "topology: unknown name 'HYPERCUBE'",
    "router 0 node 0 5 router 1\n": "a latency of 5 for the link of node 0",
    "router 0 node 0\nrouter 1 node 0\n": "line 2: node 0 is already at router 0",
    "graph { a -- {b c} }": "an edge of DOT leads to a subgraph",
    "source,target,colour\na,b,red\n": "line 1: column: unknown 'colour'",
    "source,target,width\na,b\n": "line 2: 2 words, expected two names, width",
    NETWORK_YML.format(
        blocks="Ring", sizes="4, 4", speeds="50", times="1"
    ): "expected as many values of each key as of topology",
    NETWORK_YML.format(blocks="Mesh", sizes="4", speeds="50", times="1"): "topology: unknown name 'mesh'",
}


@pytest.mark.parametrize(("content", "words"), REFUSED.items(), ids=list(REFUSED.values()))
def test_what_is_refused_is_named(tmp_path, content, words):
    (tmp_path / "x").write_text(content)
    with pytest.raises(ValueError, match=words) as refused:
        parse(f"graph:{tmp_path / 'x'}")
    assert str(refused.value).startswith(f"graph:{tmp_path / 'x'}")


def test_options_without_effect_are_refused(tmp_path):
    for name, content in (("a", ANYNET), ("c", TOPOGRAPH)):
        (tmp_path / name).write_text(content)
        with pytest.raises(ValueError, match="phit= does not apply to"):
            parse(f"graph:{tmp_path / name},phit=8")


def test_a_comma_in_the_name_of_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a,b.txt").write_text("a b\n")
    assert parse("graph:a,b.txt").nodes == 2


@pytest.mark.parametrize("kind", ["graph", "tree-file", "slurm", "ibnetdiscover"])
def test_files_that_are_no_text(tmp_path, kind):
    for name, content, words in (
        ("latin", "n\xe9 b\n".encode("latin-1"), "not a text file"),
        ("zip", b"PK\x03\x04\xff\xfe", "not a text file"),
        ("empty", b"", r"empty: "),
        ("blank.yaml", b"\n \n", r"blank.yaml: "),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ValueError, match=words):
            parse(f"{kind}:{tmp_path / name}")
    with pytest.raises(ValueError, match="is a folder"):
        parse(f"{kind}:{tmp_path}")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="is a pipe"):
        parse(f"{kind}:{tmp_path / 'pipe'}")


@pytest.mark.parametrize("ends", ["", "<graphml>"])
def test_no_content_takes_long_to_tell(tmp_path, ends):
    for part in ("<!-- -->\n", "<!-- ", "a=b ", "key: value\n", "# x\n", "{ ", "[", '{"a":', "router 0 "):
        (tmp_path / "x").write_text(part * 20000 + ends)
        begin = time.process_time()
        with contextlib.suppress(ValueError):
            parse(f"graph:{tmp_path / 'x'}")
        assert time.process_time() - begin < 10, part
