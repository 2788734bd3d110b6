"""Platforms of SimGrid: times of messages alone and side by side, by hand, and refusals."""

import numpy as np
import pytest

from netplace.apps import Program, TaskWriter
from netplace.netsim import simulate
from netplace.netsim.config import Config
from netplace.netsim.effects import notes_on, settings_on
from netplace.topologies import parse
from netplace.topologies.inventory import inventory

BYTES = 1_000_000
HOSTS = "".join(f'<host id="h{n}" speed="1Gf"/>' for n in range(4))
LINK = '<link id="{0}" bandwidth="{1}" latency="{2}"{3}/>'
ROUTE = '<route src="{0}" dst="{1}">{2}</route>'


def links(*names):
    return "".join(f'<link_ctn id="{name}"/>' for name in names)


def line(routing, ends="h0 a r b h1"):
    """Return a zone with a host, a link, a router, a slower link, and a host."""
    h0, a, r, b, h1 = ends.split()
    return (
        f'<zone id="z{h0}" routing="{routing}"><host id="{h0}" speed="1"/><host id="{h1}" speed="1"/>'
        f'<router id="{r}"/>{LINK.format(a, "100MBps", "1ms", "")}{LINK.format(b, "50MBps", "2ms", "")}'
        f"{ROUTE.format(h0, r, links(a))}{ROUTE.format(r, h1, links(b))}</zone>"
    )


CLUSTER = '<cluster id="{0}" prefix="{0}" suffix="" radical="0-{1}" speed="1" bw="100MBps" lat="1ms" {2}/>'
BACKBONE = CLUSTER.format("c", 3, 'bb_bw="100MBps" bb_lat="3ms"')
TWO = (
    f'<AS id="top" routing="Full">{line("Floyd")}{CLUSTER.format("c", 99, "")}'
    f'{LINK.format("wan", "25MBps", "10ms", "")}<ASroute src="zh0" dst="c" gw_src="r" gw_dst="cc_router">'
    f"{links('wan')}</ASroute></AS>"
)
PLATFORMS = {
    # content; ends of pairs that send at the same time; latencies and megabytes by their rate
    "a line": (line("Floyd"), [("h0", "h1")], 3e-3 + 1 / 50),
    "a line, back": (line("Dijkstra"), [("h1", "h0")], 3e-3 + 1 / 50),
    "both directions of a shared link": (line("Floyd"), [("h0", "h1"), ("h1", "h0")], 2e-3 + 2 / 50),
    "a backbone": (BACKBONE, [("c0", "c1")], 5e-3 + 1 / 100),
    "two messages on a backbone": (BACKBONE, [("c0", "c1"), ("c2", "c3")], 5e-3 + 2 / 100),
    "both directions of a backbone": (BACKBONE, [("c0", "c1"), ("c1", "c0")], 5e-3 + 2 / 100),
    "zones": (TWO, [("h1", "c99")], 2e-3 + 10e-3 + 1e-3 + 1 / 25),
    "in one of the zones": (TWO, [("c3", "c98"), ("c98", "c3")], 2e-3 + 1 / 100),
    "a limiter of hosts": (
        CLUSTER.format("c", 3, 'limiter_link="100MBps"'), [("c0", "c1"), ("c1", "c0")], 2 / 100
    ),
    "links of hosts": (
        f'<zone id="z" routing="Cluster">{HOSTS[: len(HOSTS) // 2]}{LINK.format("a", "50MBps", "1ms", "")}'
        f'{LINK.format("b", "100MBps", "2ms", "")}<host_link id="h0" up="a" down="a"/>'
        '<host_link id="h1" up="b" down="b"/></zone>', [("h0", "h1")], 3e-3 + 1 / 50
    ),
    "half-duplex hosts": (
        CLUSTER.format("c", 3, 'sharing_policy="SHARED"'), [("c0", "c1"), ("c1", "c0")], 1e-3 + 2 / 100
    ),
}  # fmt: skip


@pytest.fixture
def read(tmp_path):
    def network(content):
        (tmp_path / "net").write_text(f"<platform version='4.1'>{content}</platform>")
        return parse(f"graph:{tmp_path / 'net'}")

    return network


@pytest.mark.parametrize("name", PLATFORMS)
def test_messages_take_the_time_of_their_links(name, read):
    content, pairs, seconds = PLATFORMS[name]
    network = read(content)
    hosts = list(dict.fromkeys(host for pair in pairs for host in pair))
    tasks = [TaskWriter(task, len(hosts)) for task in range(len(hosts))]
    for a, b in pairs:
        tasks[hosts.index(a)].isend(hosts.index(b), BYTES)
    for a, b in pairs:
        tasks[hosts.index(b)].recv(hosts.index(a), BYTES)
    result = simulate(network, Program.of(tasks), np.array([network.hosts.index(host) for host in hosts]))
    assert result.cycles * result.config.cycle_ns * 1e-9 == pytest.approx(seconds, rel=0.02)


def test_what_is_ignored_is_told_and_channels_suffice(read):
    network = read(line("Floyd"))
    config = settings_on(network, Config())
    assert (network.default_routing, config.vcs) == ("given", 6)
    assert "speeds and cores of hosts are ignored" in notes_on(network, config)


REFUSED = {
    HOSTS: "zone platform: no route from h0 to h1",
    line("Floyd").replace("/><link ", ' sharing_policy="FATPIPE"/><link '): "link a: FATPIPE gives every",
    line("Floyd") + "<bypassRoute/>": "element bypassRoute gives a route",
    HOSTS + "<peer/>": "element peer has coordinates",
    line("Vivaldi"): "zone zh0: routing vivaldi gives hosts coordinates",
    line("Floyd").replace('latency="1ms"', 'latency_file="x"'): "link a: latency_file changes",
    line("Floyd").replace('id="a"/>', 'id="q"/>', 1): "link: unknown name 'q'",
    line("Floyd").replace("<router", "<wire"): "element: unknown name 'wire'",
    line("Floyd").replace('id="r"', 'id="h0"'): "h0 is given twice",
    line("Floyd").replace(' dst="r"', ""): "<route> has no 'dst'",
    CLUSTER.format("c", 3, 'topology="TORUS" topo_parameters="2,2"') + HOSTS: "part=c",
}  # fmt: skip


@pytest.mark.parametrize("content", REFUSED)
def test_what_has_no_counterpart_is_a_sentence(content, read):
    with pytest.raises(ValueError, match=REFUSED[content]):
        read(content)


def test_networks_of_given_routes_are_counted_and_not_changed(read, tmp_path):
    network = read(line("Floyd"))
    counted = inventory(network)
    assert [cables.kind for cables in counted.cables] == ["one-way"]
    assert counted.bisection.cables is None
    for change in ("faulty:links=0.1,seed=1", "nodes:tasks=4"):
        with pytest.raises(ValueError, match=r"routes .*are given, and none"):
            parse(f"{change}/graph:{tmp_path / 'net'}")
