"""Readers of networks: files of n hosts, damaged files, hosts of several adapters, and recognition."""

import bz2
import gzip
import io
import json
import lzma
import re

import networkx as nx
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from netplace.apps import APPLICATIONS, Program, TaskWriter
from netplace.netsim import Config, simulate
from netplace.netsim.effects import notes_on, settings_on
from netplace.topologies import Graph, parse
from netplace.topologies.compute_nodes import network_of_hosts
from netplace.topologies.graph_file import FILE_FORMATS
from netplace.topologies.inventory import inventory


def infiniband(hosts, rails=1, spines=0, speed="4xNDR"):
    """Return a fabric with a leaf switch a rail, and spines above the leaves."""
    switches, adapters = [], []
    for r in range(rails):
        switches += [f'Switch 64 "S-{r}" # "leaf{r}"']
        switches += [f'[{h + 1}] "H-{h}-{r}"[1](0c) # "n{h} mlx5_{r}" {speed}' for h in range(hosts)]
        switches += [f'[{hosts + s + 1}] "S-{99 + s}"[{r + 1}] # "spine{s}" {speed}' for s in range(spines)]
        adapters += [f'Ca 1 "H-{h}-{r}" # "n{h} mlx5_{r}"' for h in range(hosts)]
    for s in range(spines):
        switches += [f'Switch 64 "S-{99 + s}" # "spine{s}"']
        switches += [f'[{r + 1}] "S-{r}"[{hosts + s + 1}] # "leaf{r}" {speed}' for r in range(rails)]
    return "\n".join([*switches, *adapters])


def nccl(gpus, link='<nvlink target="0" count="18" tclass="0x068000"/>'):
    inside = "".join(f'<pci busid="{n}"><gpu dev="{n}" sm="90">{link}</gpu></pci>' for n in range(gpus))
    return f'<system version="1"><cpu>{inside}</cpu></system>'


def simgrid(hosts):
    return (
        f'<platform version="4.1"><cluster id="c" prefix="n" radical="0-{hosts - 1}" suffix="" bw="1GBps" '
        'lat="1us"/></platform>'
    )


def written(write):
    """Return the writer of a ring of n vertices by a function of networkx."""

    def of(n):
        file = io.BytesIO()
        write(nx.cycle_graph(n), file)
        return file.getvalue().decode()

    return of


def htsim(hosts):
    tiers = f"Radix_Up 1\nTier 1\nDownlink_speed_Gbps 50\nRadix_Down {hosts // 2}\n"
    return f"Nodes {hosts}\nTiers 2\nTier 0\nDownlink_speed_Gbps 100\nRadix_Down 2\n{tiers}"


def ns3(hosts):
    links = "".join(f"{host} {hosts} 100Gbps 1us 0\n" for host in range(hosts))
    return f"{hosts + 1} 1 {hosts}\n{hosts}\n{links}"


def ring(form, between="\n"):
    """Return the writer of a ring, with a text for each vertex and the next."""
    return lambda n: between.join(form.format(i, (i + 1) % n) for i in range(n))


READERS = {
    "GraphML": written(nx.write_graphml),
    "GEXF": written(nx.write_gexf),
    "GML": written(nx.write_gml),
    "Pajek": written(nx.write_pajek),
    "graph6": written(nx.write_graph6),
    "sparse6": written(nx.write_sparse6),
    "a node-link graph in JSON, adjacency": lambda n: json.dumps(nx.adjacency_data(nx.cycle_graph(n))),
    "a node-link graph in JSON, Cytoscape": lambda n: json.dumps(nx.cytoscape_data(nx.cycle_graph(n))),
    "a node-link graph in JSON": lambda n: json.dumps(nx.node_link_data(nx.cycle_graph(n), edges="links")),
    "Graphviz' DOT": lambda n: f"graph {{{ring('{} -- {} [bandwidth=1]', ';')(n)}}}",
    "a list of cables": ring("a{} a{} bandwidth=1GBps latency=1us"),
    "a list of cables, of networkx": written(nx.write_edgelist),
    "BookSim's anynet": ring("router {0} node {0} router {1} 3"),
    "ibnetdiscover": infiniband,
    "htsim's topology": htsim,
    "Slurm's topology.conf": "SwitchName=s Nodes=n[1-{}]\n".format,
    "Slurm's topology.conf, a ring": "RingName=r Nodes=n[1-{}]\n".format,
    "Slurm's topology.yaml": "- topology: t\n  block: {{blocks: [{{block: b, nodes: 'n[1-{}]'}}]}}\n".format,
    "ASTRA-sim's network.yml": (
        "topology: [ Ring ]\nnpus_count: [ {} ]\nbandwidth: [ 5.0 ]\nlatency: [ 7 ]\n".format
    ),
    "ns-3's topology": ns3,
    "SimGrid's platform": simgrid,
    "NCCL's topology": nccl,
}
FUZZ = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def test_every_format_of_networks_has_a_good_file():
    names = tuple(name.partition(",")[0] for name in READERS)
    assert [kind.name for kind in FILE_FORMATS if kind.read and not kind.name.startswith(names)] == []


@pytest.mark.parametrize("name", READERS)
@FUZZ
@given(data=st.data())
def test_a_file_of_n_hosts_has_n_hosts_and_a_damaged_one_none_that_is_wrong(name, data, tmp_path):
    """A damaged file gives a sentence, or a network whose rates and latencies are numbers above zero."""
    n = 2 * data.draw(st.integers(2, 12))
    content, path = READERS[name](n), tmp_path / "net"
    path.write_text(content)
    read = parse(f"graph:{path}")
    assert (read.nodes, read.origin.partition(",")[0].startswith(name.partition(",")[0])) == (n, True)
    begin = data.draw(st.integers(0, len(content)))
    end = begin + data.draw(st.integers(0, 12))
    put = st.sampled_from(
        ["", "nan", "-1", "1e999", "0", "inf", '"', "<", "\n", "]", ",", "99999999999", "\x00", "é"]
    )
    path.write_text(content[:begin] + data.draw(put) + content[end:])
    try:
        made = parse(f"graph:{path}")
    except ValueError:
        return
    wired = made.neighbor >= 0
    if isinstance(made, Graph):
        assert (made.cycles[wired] >= 1).all()
        assert (made.delay[wired] >= 0).all()
        assert made.rates is None or 0 < made.rates.byte_ns < np.inf


PACKED = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": lambda content: pa.compress(content, "zstd", asbytes=True),
    "CRLF": lambda content: content.replace(b"\n", b"\r\n"),
    "BOM": lambda content: b"\xef\xbb\xbf" + content,
    "UTF-16": lambda content: content.decode().encode("utf-16"),
}


AS_WRITTEN = {  # what tools write before, between and after what a reader needs
    "ASTRA-sim's network.yml": lambda content: "---\n" + re.sub(r" \[ (.+) \]", r"\n- \1", content),
    "Slurm's topology.yaml": lambda content: f"---\n# of a site\n{content}",
    "SimGrid's platform": lambda content: f"\n<?xml version='1.0'?>\n{content}",
    "ns-3's topology": lambda content: f"{content}0 99 1Gbps 1us 0\n",
}


@pytest.mark.parametrize("name", AS_WRITTEN)
def test_what_tools_write_beside_is_passed_over(name, tmp_path):
    (tmp_path / "net").write_text(AS_WRITTEN[name](READERS[name](6)))
    assert parse(f"graph:{tmp_path / 'net'}").nodes == 6


@pytest.mark.parametrize("packed", PACKED)
def test_text_may_be_packed_and_in_other_encodings(packed, tmp_path):
    for name in ("GEXF", "ibnetdiscover", "Slurm's topology.conf", "a list of cables"):
        (tmp_path / "net").write_bytes(PACKED[packed](READERS[name](6).encode()))
        assert parse(f"graph:{tmp_path / 'net'}").nodes == 6


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("three words here\nand four words more\n", "3 names, .*; read as a list of cables"),
        ("a\nb\n", "1 names, expected the two ends of a cable"),
        ("a nodes=2\nb nodes=2\n", "no cable, expected lines with two names"),
        ("npus 8\nTopology_ [Ring\nNodes 4 x Tiers 2\n", "; nearest: htsim's topology"),
        ("a -->{b}\n", "'-->{b}' is not the name of a switch"),
    ],
)
def test_no_reader_takes_what_it_does_not_know(content, sentence, tmp_path):
    (tmp_path / "net").write_text(content)
    with pytest.raises(ValueError, match=sentence):
        parse(f"graph:{tmp_path / 'net'}")


def exchange(k):
    """Return a program in which each of k tasks of one host sends to all k of the other, at the same time."""
    tasks = [TaskWriter(task, 2 * k) for task in range(2 * k)]
    other = [[(1 - task // k) * k + (task + step) % k for step in range(k)] for task in range(2 * k)]
    for task, peers in zip(tasks, other, strict=True):
        for peer in peers:
            task.isend(peer, 100_000)
        for peer in peers:
            task.recv(peer, 100_000)
    return Program.of(tasks)


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("kind", ["ibnetdiscover", "rail-optimized", "rail-optimized with spines"])
def test_k_rails_take_a_kth_of_the_time(kind, k, tmp_path):
    def seconds(rails):
        path = tmp_path / "net"
        path.write_text(infiniband(2, rails, spines=1))
        spines = ",leaves=2,spines=4" if "spines" in kind else ""
        machine = parse(
            f"ibnetdiscover:{path},slots={k}" if kind == "ibnetdiscover" else
            f"rail-optimized:hosts=2,gpus={k},rails={rails},nic={k}{spines}"
        )  # fmt: skip
        result = simulate(machine, exchange(k))
        return result.cycles * result.config.cycle_ns

    assert seconds(k) == pytest.approx(seconds(1) / k, rel=0.02)


def test_hosts_of_several_adapters_are_hosts(tmp_path):
    (tmp_path / "net").write_text(infiniband(3, rails=2, spines=2))
    fabric = parse(f"graph:{tmp_path / 'net'}")
    assert (fabric.nodes, fabric.tasks, fabric.hosts) == (6, 2, ("n0", "n0", "n1", "n1", "n2", "n2"))
    made = inventory(fabric)
    assert (made.nodes, made.switches, made.interfaces) == (3, 4, 6)
    hosts = network_of_hosts(fabric)
    assert (hosts.nodes, hosts.hosts) == (3, ("n0", "n1", "n2"))
    assert hosts.distance(0, 2) == fabric.distance(0, 5)
    (tmp_path / "net").write_text(
        infiniband(3, rails=2).replace('"n0 mlx5_1" 4xNDR', '"n0 mlx5_1" 4xNDR\n[9] "S-0"[9] # "leaf0" 4xNDR')
        .replace('Switch 64 "S-1"', '[9] "S-1"[9] # "leaf1" 4xNDR\nSwitch 64 "S-1"')
    )  # fmt: skip
    joined = parse(f"ibnetdiscover:{tmp_path / 'net'}")  # leaves are joined to each other: no tree
    assert (joined.nodes, joined.tasks) == (6, 1)
    assert "every adapter of a host is a node" in joined.rates.notes[0]


def test_a_message_keeps_its_rail_under_d_mod_k():
    machine = parse("rail-optimized:hosts=8,gpus=4,leaves=2,spines=8,nic=4")
    assert inventory(machine).switches == 4 * 2 + 8

    def cycles(gpus):
        tasks = [TaskWriter(task, 2 * gpus) for task in range(2 * gpus)]
        for gpu in range(gpus):
            tasks[gpu].send(gpus + gpu, 100_000)
            tasks[gpus + gpu].recv(gpu, 100_000)
        where = np.array([*range(gpus), *range(28, 28 + gpus)])  # the first and the last host
        return simulate(machine, Program.of(tasks), where, config=Config(routing="d-mod-k")).cycles

    assert cycles(4) == cycles(1)


@pytest.mark.parametrize(
    ("given", "vcs", "routing", "discipline"),
    [
        (nx.grid_graph((4, 4), periodic=True), 2, "adaptive", "default"),
        (nx.grid_graph((4, 4), periodic=True), 1, "default", "default"),
        (nx.balanced_tree(2, 3), 1, "adaptive", "none"),
    ],
)
def test_the_routing_of_an_unknown_graph_is_the_best_without_deadlock(
    given, vcs, routing, discipline, tmp_path
):
    nx.write_gml(nx.convert_node_labels_to_integers(given), tmp_path / "net")
    machine = parse(f"graph:{tmp_path / 'net'}")
    config = settings_on(machine, Config(vcs=vcs))
    assert (config.routing, config.vc_discipline) == (routing, discipline)
    name = "up-down" if routing == "default" else routing
    assert f"the file tells no routing: it is {name}" in notes_on(machine, config)[1]
    assert settings_on(machine, Config(routing="up-down")).routing == "up-down"
    if vcs == 2:  # as good as the routing of a network whose kind is known
        program = APPLICATIONS["all-to-all"].make(tasks=16, bytes=4096)
        known = simulate(parse("torus:4x4"), program).cycles
        assert simulate(machine, program).cycles < 1.1 * known
