"""``netplace check network``: the verdict, cycles link by link, and what would do."""

import json

from answers import refused

from netplace import parse
from netplace.netsim import Config, measure_load


def test_a_routing_free_of_deadlock(netplace):
    shown = netplace("check", "network", "dragonfly:a=4,p=2,h=2", "--routing", "ugal-l").stdout
    assert "needs 3 virtual channels" in shown
    assert "deadlock-free with 3 virtual channels: the dependencies between channels have no cycle" in shown


def test_a_cycle_is_shown_link_by_link(netplace):
    flags = ("check", "network", "torus:5,c=1", "--routing", "dor", "--vc-discipline", "none")
    shown = netplace(*flags).stdout
    assert shown.startswith("can deadlock: 5 channels wait for each other in a cycle\n")
    assert shown.count("-> router") == 5
    assert "2 virtual channels suffice: --vc-discipline hop --vcs 2" in shown
    told = json.loads(netplace(*flags, "--json").stdout)
    assert (told["free_of_deadlock"], told["vcs_that_would_do"], len(told["cycle"])) == (False, 2, 5)


def test_the_routing_of_a_file_is_that_of_a_run(netplace, tmp_path):
    (tmp_path / "net").write_text("a b\nb c\nc a\n")
    lines = netplace("check", "network", f"graph:{tmp_path / 'net'}").stdout
    assert "routing adaptive, VC discipline none: needs 1 virtual channel\n" in lines
    ran = netplace("run", "--network", f"graph:{tmp_path / 'net'}", "--app", "all-to-all").stdout
    assert "mapping consecutive, routing adaptive" in " ".join(ran.split())


def test_mistakes_are_one_sentence(netplace):
    found = netplace("check", "network", "torus:4x4", "--routing", "par")
    assert "no groups, which routing par needs" in found.stderr
    assert "unknown name 'machine'" in netplace("check", "machine", "torus:4x4").stderr


def test_what_can_be_counted_is_told_before_a_refusal(netplace, tmp_path):
    asked = ("check", "network", "torus:4x4", "--routing", "par")
    found = netplace(*asked)
    assert found.exit_code == 2
    whole = netplace("check", "network", "torus:4x4").stdout
    assert whole.startswith("deadlock-free")
    assert whole.endswith(found.stdout)
    assert "torus:4x4: 16 nodes" in found.stdout
    assert found.stderr.count("\n") == 1
    told = netplace(*asked, "--json")
    assert (told.exit_code, json.loads(told.stdout)["cables"]) == (2, {"dimension 1": 16, "dimension 2": 16})
    assert json.loads(told.stdout)["refused"] in told.stderr
    assert netplace(*asked, "-o", str(tmp_path / "a.json")).exit_code == 2
    assert list(tmp_path.iterdir()) == []
    beside = netplace("check", "network", "torus:4x4", "tree:2,2", "--routing", "d-mod-k")
    assert beside.exit_code == 2
    assert "not checked" in beside.stdout
    large = netplace("check", "network", "torus:64x64x64", "--vc-discipline", "hop")
    assert (large.exit_code, "262,144 network interfaces" in large.stdout) == (2, True)
    assert "its table of distances would take" in large.stderr
    assert "each route is computed" in netplace("check", "network", "--fabric", "bluegene-l").stdout


def test_runs_on_a_dragonfly(netplace):
    flags = ("--network", "dragonfly:a=4,p=2,h=2", "--app", "all-to-all", "--tasks", "16", "--json")
    told = json.loads(netplace("run", *flags).stdout)
    other = json.loads(netplace("run", *flags, "--routing", "ugal-l:2", "--vcs", "3").stdout)
    assert told != other
    found = netplace("run", *flags, "--routing", "par")
    assert "2 virtual channels are too few for routing par" in found.stderr


def test_what_networks_are_made_of(netplace):
    shown = netplace("check", "network", "dragonfly:a=4,p=2,h=2").stdout
    assert "36 switches, 7 ports each: 252 used, 0 free; 72 network interfaces" in shown
    assert "cables: 72 node, 54 local, 36 global" in shown
    assert (
        "64 switches, of which 64 are routers of nodes" in netplace("check", "network", "torus:4x4x4").stdout
    )


def test_networks_are_tried_side_by_side(netplace, tmp_path):
    made = tmp_path / "out"
    flags = ("--simulate", "-o", str(made))
    shown = netplace("check", "network", "torus:4x4", "tree:2,3", *flags)
    assert "with 4 virtual channels and adaptive routing" in shown.stdout
    torus, tree = (of["trials"] for of in json.loads((made / "check.json").read_text())["networks"])
    config = Config(vcs=4, routing="adaptive")
    for text, trials in (("torus:4x4", torus), ("tree:2,3", tree)):
        point = measure_load(parse(text), 0.7, config=config, warmup=1000, measure=2000, seed=1)
        assert trials["accepted"][6] == point.accepted
        assert trials["delay"][6] == point.delay.mean
        assert 0 < trials["accepted_with_faults"] < trials["accepted"][-1] * 1.02
        assert 0 < trials["exchange"] <= 1
    assert (torus["exchange_tasks"], tree["training_tasks"]) == (8, 8)  # as many as the smaller one has nodes
    page = (made / "report.html").read_text()
    for text in ("accepts most uniform traffic", "check network torus:4x4 tree:2,3"):
        assert text in page


def test_a_single_network_is_not_compared(netplace):
    alone = netplace("check", "network", "torus:4x4", "--simulate")
    refused(alone, "--simulate: compares several networks, expected at least two")
    assert (
        "torus:1: has a single node"
        in netplace("check", "network", "torus:1", "torus:4", "--simulate").stderr
    )
