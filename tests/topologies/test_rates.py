"""Networks from files with speeds: a message takes its bytes by the slowest rate, and the latencies."""

import json

import networkx as nx
import numpy as np
import pytest

from netplace.apps import Program, TaskWriter
from netplace.netsim import Config, simulate
from netplace.netsim.effects import notes_on, settings_on
from netplace.topologies import parse

ASTRA = "topology: [ Ring ]\nnpus_count: [ 8 ]\nbandwidth: [ 25.0 ]\nlatency: [ 700.0 ]\n"
SIMGRID = """<?xml version='1.0'?><platform version="4.1"><zone id="w" routing="Full">
<cluster id="c" prefix="n" radical="0-3" suffix="" speed="1Gf" bw="12.5GBps" lat="1us"/></zone></platform>"""
GRAPHML = """<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d0" for="edge" attr.name="bandwidth" attr.type="string"/>
<key id="d1" for="edge" attr.name="latency" attr.type="string"/>
<key id="d2" for="edge" attr.name="colour" attr.type="string"/><graph edgedefault="undirected">
<node id="a"/><node id="b"/><node id="c"/>
<edge source="a" target="b"><data key="d0">100Gbps</data><data key="d1">1us</data>
<data key="d2">x</data></edge>
<edge source="b" target="c"><data key="d0">25Gbps</data><data key="d1">5us</data></edge></graph></graphml>"""
DOT = 'graph { a -- b [bandwidth="100Gbps" latency="1us"]; b -- c [bandwidth="3.125GBps" latency="5us"] }'
TABLE = "source,target,bandwidth,latency\na,b,100Gbit/s,1us\nb,c,25Gbit/s,5000ns\n"
HTSIM = """Nodes 8
Tiers 2
Podsize 8
Tier 0
Downlink_speed_Gbps 200
Radix_Down 4
Radix_Up 2
Downlink_Latency_ns 600
Switch_Latency_ns 300
Tier 1
Downlink_speed_Gbps 100
Radix_Down 2
Downlink_Latency_ns 900
"""
UNIT = "Mellanox Technologies Aggregation Node"
FABRIC = "\n".join(
    ['Switch 8 "S-1" # "leaf0"', '[1] "H-1"[1] # "n0" 4xNDR', '[4] "H-3"[1] # "n1" 4xNDR',
     '[2] "S-2"[1] # "leaf1" 4xHDR', f'[3] "H-9"[1] # "{UNIT}" 4xNDR', 'Switch 8 "S-2" # "leaf1"',
     '[1] "S-1"[2] # "leaf0" 4xHDR', '[2] "H-2"[1] # "n2" 4xNDR', 'Ca 1 "H-1" # "n0"', 'Ca 1 "H-3" # "n1"',
     'Ca 1 "H-2" # "n2"', f'Ca 1 "H-9" # "{UNIT}"']
)  # fmt: skip
NCCL = """<system version="1"><pci busid="a"><gpu dev="0" sm="80">
<nvlink target="b" count="2" tclass="0x0302"/><nvlink target="c" count="1" tclass="0x0302"/></gpu></pci>
<pci busid="b"><gpu dev="1" sm="80"><nvlink target="a" count="2" tclass="0x0302"/></gpu></pci>
<pci busid="c"><gpu dev="2" sm="80"/></pci></system>"""
NET = {
    # content; ends of a short path, its latency and rate; the same of the longest path
    "astra": (ASTRA, (0, 1), 700e-9, 25e9, (0, 4), 4 * 700e-9, 25e9),
    "simgrid": (SIMGRID, (0, 1), 2e-6, 12.5e9, (0, 3), 2e-6, 12.5e9),
    "graphml": (GRAPHML, (0, 1), 1e-6, 12.5e9, (0, 2), 6e-6, 3.125e9),
    "dot": (DOT, (0, 1), 1e-6, 12.5e9, (0, 2), 6e-6, 3.125e9),
    "table": (TABLE, (0, 1), 1e-6, 12.5e9, (0, 2), 6e-6, 3.125e9),
    "ibnetdiscover": (FABRIC, (0, 1), 0.0, 50e9, (0, 2), 0.0, 25e9),
    "nccl": (NCCL, (0, 1), 0.0, 50e9, (0, 2), 0.0, 25e9),
    "htsim": (HTSIM, (0, 1), 1.5e-6, 25e9, (0, 7), 3.9e-6, 12.5e9),
}
LINE = nx.Graph([
    ("a", "b", {"bandwidth": "100Gbps", "latency": "1us"}),
    ("b", "c", {"bandwidth": "3.125GB/s", "latency": "0.005ms"}),
])  # fmt: skip
NET["gexf"] = ("\n".join(nx.generate_gexf(LINE)), *NET["dot"][1:])
NET["gml"] = ("\n".join(nx.generate_gml(LINE)), *NET["dot"][1:])
NET["node-link"] = (json.dumps(nx.node_link_data(LINE, edges="links")), *NET["dot"][1:])
# Two servers of two GPUs, each with an NVSwitch (4, 5), on two rails (6, 7).
SIMAI = """8 2 2 2 8 H100\n4 5 6 7
0 4 2880Gbps 0.000025ms 0\n1 4 2880Gbps 0.000025ms 0\n2 5 2880Gbps 25ns 0\n3 5 2880Gbps 25ns 0
0 6 400Gbps 0.0005ms 0\n1 7 400Gbps 0.0005ms 0\n2 6 400Gbps 500ns 0\n3 7 400Gbps 500ns 0\n"""
LINK = '<pci busid="{0}"><gpu dev="{0}" sm="80"><nvlink target="s" count="{1}" tclass="0x0680"/></gpu></pci>'
SERVER = LINK.format(0, 4) + LINK.format(1, 4) + LINK.format(2, 2)
NET["nvswitch"] = (f"<system>{SERVER}</system>", (0, 1), 0.0, 100e9, (0, 2), 0.0, 50e9)
NET["simgrid with two levels"] = (
    SIMGRID.replace("0-3", "0-299"),
    *NET["simgrid"][1:4],
    (0, 299),
    2e-6,
    12.5e9,
)
CARD = '<pci busid="{0}" link_speed="{1} GT/s" link_width="{2}"><gpu dev="{0}"/></pci>'
BRIDGE = f'<pci link_speed="16.0 GT/s PCIe">{CARD.format(0, 16, 16)}{CARD.format(1, 8, 8)}</pci>'
HOST = "".join(f'<cpu vendor="AuthenticAMD">{pci}</cpu>' for pci in (BRIDGE, CARD.format(2, 32, 16)))
NET["pci express"] = (f"<system>{HOST}</system>", (0, 1), 0.0, 8 * 1e9 * 128 / 130, (0, 2), 0.0, 16e9)
XGMI = '<pci busid="{0}"><gpu dev="{0}" gcn="gfx950">{1}</gpu></pci>'
PEER = '<xgmi target="{}" count="1" tclass="0x120000"/>'
RING = "".join(XGMI.format(n, PEER.format((n + 1) % 3)) for n in range(3))
NET["xgmi"] = (f"<system><cpu>{RING}</cpu></system>", (0, 1), 0.0, 76.8e9, (0, 2), 0.0, 76.8e9)
POWER = LINK.replace("0x0680", "0x068001").replace("busid", 'link_speed="Unknown speed" busid')
SOCKETS = [f'<cpu arch="ppc64">{POWER.format(n, 3)}{POWER.format(n + 1, 3)}</cpu>' for n in (0, 2)]
NET["nvlink to processors"] = (f"<system>{''.join(SOCKETS)}</system>", (0, 1), 0.0, 75e9, (0, 2), 0.0, 32e9)
NET["ns3"] = (SIMAI, (0, 1), 50e-9, 360e9, (0, 2), 1e-6, 50e9)
BYTES = 1_000_000


@pytest.fixture
def network(tmp_path):
    def read(content, option=""):
        (tmp_path / "net").write_text(content)
        return parse(f"graph:{tmp_path / 'net'}{option}")

    return read


def seconds(topology, source, target, config=None):
    """Return how long a message takes alone."""
    first, second = TaskWriter(0, 2), TaskWriter(1, 2)
    first.send(1, BYTES)
    second.recv(0, BYTES)
    program = Program.of([first, second])
    result = simulate(topology, program, np.array([source, target]), config=config)
    return result.cycles * result.config.cycle_ns * 1e-9


@pytest.mark.parametrize("name", NET)
@pytest.mark.parametrize("config", [None, Config(phit_bytes=64)], ids=["phits of 4", "phits of 64"])
def test_a_message_takes_its_bytes_by_the_rate_and_the_latency(name, config, network):
    content, near, latency, rate, far, longest, slowest = NET[name]
    topology = network(content)
    assert seconds(topology, *near, config) == pytest.approx(BYTES / rate + latency, rel=0.02)
    assert seconds(topology, *far, config) == pytest.approx(BYTES / slowest + longest, rel=0.02)


def test_what_was_read_is_told(network):
    topology = network(GRAPHML)
    config = settings_on(topology, Config())
    assert config == settings_on(topology, config)
    told, *more = notes_on(topology, config)
    assert "a cycle is the 0.32 ns of a phit on the fastest link" in told
    assert more[0] == "colour of edges is ignored"


def test_flags_override_and_are_told(network):
    topology = network(ASTRA)
    config = settings_on(topology, Config(cycle_ns=1.0, queue_packets=5))
    assert (config.cycle_ns, config.queue_packets) == (1.0, 5)
    told, limit = notes_on(topology, config)
    assert "but cycle_ns is 1; FIFOs hold 5 packets" in told
    assert "cables cannot carry more than" in limit


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("a b bandwidth=fast\n", "edge a - b: 'fast', expected a number with a unit such as 100Gbps"),
        ("a b bandwidth=1Gbps latency=1s\n", "a latency of 1 s is 31250000 cycles of 32 ns"),
        ("a b bandwidth=1Gbps cycles=2\n", "edges have cycles, and bandwidth or latency with units"),
        ("a b bandwidth=1Gbps\nb c bandwidth=100000Gbps\n", "no ratios of whole numbers"),
        (SIMAI.replace("8 H100", "9 H100"), "4 switches and 8 links, expected 4 and 9 as line 1"),
        (HTSIM.replace("Radix_Down 2", "Radix_Down 3"), "tier 1 has 3 links down, expected 2"),
        (HTSIM.replace("Nodes 8", "Nodes 9"), "its tiers have 8 hosts, expected Nodes 9"),
        (HTSIM.replace("Radix_Up", "Radix_Upward"), "unknown name 'radix_upward'; did you mean radix_up"),
    ],
)  # fmt: skip
def test_mistakes_are_a_sentence(content, sentence, network):
    with pytest.raises(ValueError, match=sentence):
        network(content)
