"""The life of a packet: without gaps, as long as the message records of the kernel say, over real links."""

import re
from itertools import pairwise

import pytest

from netplace.netsim import Config
from netplace.runs.execute import run_simulation
from netplace.runs.packet_life import packet_life, read_packet
from netplace.runs.spec import Job, Run
from netplace.topologies import parse


def run_on(network, **settings):
    return Run(network, (Job("all-to-all", tasks=16),), config=Config(**settings))


@pytest.mark.parametrize(
    ("network", "settings"),
    [
        ("torus:4x4", {}),
        ("mesh:4x4", {"injectors": 2, "vcs": 1}),
        ("tree:4,2", {}),
        ("torus:4x4", {"ejection": "single", "arbiter": "random"}),
        ("dragonfly:a=4,p=2,h=2", {}),
    ],
)
@pytest.mark.parametrize("packet", [(3, 9, 0), (15, 0, 0)])
def test_a_life_is_as_long_as_the_kernel_says(network, settings, packet):
    run = run_on(network, **settings)
    known = run_simulation(run, record_messages=True)
    life = packet_life(run, packet, known.result)
    job = known.result.jobs[0]
    records = zip(job.message_start.tolist(), job.message_end.tolist(), strict=True)
    assert (life.created, life.consumed) in list(records)  # messages are of one packet
    assert life.steps[0].begin == life.created
    assert life.steps[-1].end == life.consumed
    for one, two in pairwise(life.steps):
        assert two.begin == one.end + 1
    links = [place for place in dict.fromkeys(step.place for step in life.steps) if " -> " in place]
    assert len(links) == parse(network).distance(packet[0], packet[1])
    ends = [re.search(r"FIFO of (?:\w+ )?(\d+) -> (?:\w+ )?(\d+)", link).groups() for link in links]
    assert ends[0][0] == str(packet[0])
    assert all(one[1] == two[0] for one, two in pairwise(ends))


@pytest.mark.parametrize("text", ["3:9", "3:x:0", "3:9:-1", ""])
def test_a_packet_is_two_nodes_and_a_number(text):
    with pytest.raises(ValueError, match="expected SOURCE:DESTINATION:N"):
        read_packet(text)


def test_a_packet_that_is_not_sent_is_a_sentence():
    run = run_on("torus:4x4")
    with pytest.raises(ValueError, match="node 3 sent 1 packets to node 9; the first is number 0"):
        packet_life(run, (3, 9, 1), run_simulation(run).result)
    with pytest.raises(ValueError, match="--trace-packet 3:99:0: node: 99"):
        packet_life(run, (3, 99, 0), run_simulation(run).result)


def test_a_page_and_json_have_the_way_of_the_packet(netplace, tmp_path):
    words = ("run", "--network", "torus:4x4", "--app", "all-to-all", "--trace-packet", "3:9:0")
    shown = netplace(*words, "-o", tmp_path / "page.html")
    assert "Packet 0 from node 3 to node 9 was created in cycle" in shown.stdout
    assert "Way of the packet" in (tmp_path / "page.html").read_text()
