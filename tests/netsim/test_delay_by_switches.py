"""Empty networks of the comparison with BookSim 2: every switch costs its stages and a cycle."""

import pytest

from netplace.apps import Program, TaskWriter
from netplace.netsim import Config, simulate
from netplace.topologies import parse

NETWORKS = {
    "dragonfly:a=4,p=2,h=2": ("minimal", 2),
    "hyperx:4x4,c=4": ("dor", 4),
    "mesh:4x4,c=4": ("dor", 4),
    "torus:8x8,c=1": ("dor", 4),
    "tree:4,3": ("ecmp", 4),
}


@pytest.mark.parametrize("text", NETWORKS)
@pytest.mark.parametrize("stages", [2, 4])
def test_a_switch_costs_its_stages_and_a_cycle(text, stages):
    """The formula of docs/background/booksim.md: channels, stages of switches, 15 phits behind the header."""
    network, (routing, vcs) = parse(text), NETWORKS[text]
    config = Config(vcs=vcs, routing=routing, pipeline=stages, credit_delay=1, crossbar_speedup=1)
    writers = [TaskWriter(task, 2) for task in range(2)]
    writers[0].send(1, 64, 0)
    packet = Program.of(writers, "packet")
    for ends in ((0, 1), (0, network.nodes // 2), (3, network.nodes - 1)):
        switches = int(network.distance(*ends)) - 1
        delay = simulate(network, packet, ends, config=config).packet_delay.mean
        assert delay == (stages + 1) * switches + 1 + 15
