"""``netplace allocate`` and ``netplace pss``: figures, pictures, sets, and what they say of mistakes."""

import itertools
import json

import pytest
from answers import described, refused

from netplace.scheduling import PARTITIONERS
from netplace.topologies import parse

MACHINE = ("allocate", "--machine", "mesh:8x8")


@pytest.fixture
def held(tmp_path):
    path = tmp_path / "held.txt"
    path.write_text("# two jobs\n0-3,8 9\n\n20-27\n")
    return path


def test_one_allocator_as_json(netplace, held):
    told = described(netplace(*MACHINE, "--occupied", held, "--nodes", 10, "--partition", "mm", "--json"))
    nodes = told["nodes"]
    assert len(set(nodes)) == 10
    assert not set(nodes) & {0, 1, 2, 3, 8, 9, *range(20, 28)}
    grid = parse("mesh:8x8")
    assert told["pairwise_sum"] == sum(int(grid.distance(a, b)) for a, b in itertools.combinations(nodes, 2))
    assert told["allocator_cost"] == told["pairwise_sum"]
    assert (told["request"], told["free"], told["placed"]) == (10, 50, True)


@pytest.mark.parametrize("machine", ["mesh:4x4", "torus:4x2x2", "tree:2,4", "mesh:16"])
@pytest.mark.pictures
def test_all_allocators(netplace, tmp_path, machine):
    picture = tmp_path / "all.png"
    offers = described(
        netplace("allocate", "--machine", machine, "--nodes", 4, "--all", "--json", "-o", picture)
    )["offers"]
    assert {offer["partition"].partition(":")[0] for offer in offers} == set(PARTITIONERS)
    best = next(offer for offer in offers if offer["partition"] == "optimal")["pairwise_sum"]
    for offer in offers:
        assert offer["placed"] == bool(offer["nodes"]) == (offer["pairwise_sum"] is not None)
        if offer["placed"]:
            assert offer["pairwise_sum"] >= (best if len(offer["nodes"]) == 4 else 0)
            assert offer["ring_span"] <= offer["linear_span"]
        else:
            assert offer["reason"]
    assert picture.stat().st_size > 10_000


def test_the_screen_shows_the_closest_first(netplace, held):
    result = netplace(*MACHINE, "--occupied", held, "--nodes", 6, "--all")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    first = next(i for i, line in enumerate(lines) if "optimal" in line)
    assert first < next(i for i, line in enumerate(lines) if line.strip().startswith("random"))


def test_spans_along_an_order(netplace):
    flags = ("--nodes", 4, "--partition", "curve:row,first-fit", "--json")
    assert json.loads(netplace(*MACHINE, *flags).stdout)["linear_span"] == 4
    assert json.loads(netplace(*MACHINE, *flags, "--order", "hilbert").stdout)["linear_span"] > 4


def test_a_job_waits_when_too_few_nodes_are_free(netplace, held):
    result = netplace(*MACHINE, "--occupied", held, "--nodes", 51, "--partition", "mm", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["placed"] is False


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (("--nodes", 65, "--all"), "--nodes: 65 are more than the 64 of mesh:8x8"),
        (("--nodes", 4), "--all or --partition: expected one of them"),
        (("--nodes", 4, "--all", "--occupied", "none.txt"), "none.txt: No such file"),
    ],
)
def test_mistakes(netplace, flags, told):
    refused(netplace(*MACHINE, *flags), told)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("0-3\n64", ":2: node: 64 is too large, expected at most 63"),
        ("3-1", ":1: node: range '3-1' is decreasing"),
    ],
)
def test_mistakes_in_the_file_of_held_nodes(netplace, held, text, told):
    held.write_text(text)
    refused(netplace(*MACHINE, "--occupied", held, "--nodes", 2, "--all"), told)


def test_nodes_that_do_not_compute_are_not_free(netplace):
    flags = ("--machine", "service:nodes=0+5-7/torus:8x8", "--nodes", 6, "--partition", "gen-alg")
    told = json.loads(netplace("allocate", *flags, "--json").stdout)
    assert told["free"] == 60
    assert not set(told["nodes"]) & {0, 5, 6, 7}


def test_a_dragonfly_has_the_allocators_that_need_distances_only(netplace):
    flags = ("--machine", "dragonfly:a=4,p=2,h=2", "--nodes", 6, "--all", "--json")
    offers = {
        offer["partition"]: offer for offer in json.loads(netplace("allocate", *flags).stdout)["offers"]
    }
    assert offers["gen-alg"]["pairwise_sum"] == offers["gen-alg+inc"]["pairwise_sum"] == 42
    assert "meshes and tori" in offers["mm"]["reason"]


def test_a_contradiction_is_told_where_the_machine_is_empty(netplace, tmp_path):
    file = tmp_path / "never.conf"
    file.write_text(
        "queues: all\nslots: [n0=1],[n1=1],[n2=1],[n3=1]\ngroups: g0={n0,n1}, g1={n2,n3}\n"
        "costs:\n  otherwise: all@g0=[1], all@g1=[1]\nend-costs\n"
        "constraints: otherwise: cost[1] <= 1 and cost[1] >= 2\n"
    )
    refused(
        netplace("allocate", "--machine", "mesh:2x2", "--nodes", "3", "--partition", f"pss:{file}"),
        "finds no 3 nodes, not even on the empty machine",
    )


@pytest.fixture
def conf(netplace, tmp_path):
    path = tmp_path / "tree.conf"
    result = netplace("pss", "derive", "--machine", "tree:2,3", "-o", path)
    assert result.exit_code == 0
    assert "14 sets, costs of 3 components" in result.stdout
    return path


def test_what_is_derived_is_sound_and_can_be_used(netplace, conf):
    assert "8 hosts, 14 groups: valid" in netplace("pss", "check", conf, "--machine", "tree:2,3").stdout
    flags = ("--machine", "tree:2,3", "--nodes", 4, "--partition", f"pss:{conf}", "--json")
    assert json.loads(netplace("allocate", *flags).stdout)["pairwise_sum"] == 2 * 2 + 4 * 4


def test_it_is_shown(netplace, conf):
    told = json.loads(netplace("pss", "show", conf, "--json").stdout)
    assert told["groups"][0] == {
        "queue": "all",
        "group": "g0",
        "hosts": ["n0", "n1", "n2", "n3"],
        "costs": {"otherwise": [1, 0, 0]},
    }
    assert "all@g13" in netplace("pss", "show", conf).stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("check", "CONF", "--machine", "tree:4,3"), "describes 8 hosts, expected the 64 nodes"),
        (("check", "CONF", "--overlap"), "--overlap applies only to derive"),
        (("derive", "--machine", "tree:4,3"), "expected --machine NETWORK and -o FILE"),
        (
            ("derive", "--machine", "tree:4,3", "--pieces", "4", "-o", "new.conf"),
            "applies only with --measured",
        ),
        (
            ("derive", "--machine", "mesh:8x8", "--overlap", "--measured", "gups", "-o", "new.conf"),
            "--overlap conflicts with --measured",
        ),
        (("derive", "--machine", "tree:4,1", "--measured", "gups", "-o", "new.conf"), "has no levels"),
    ],
)
def test_mistakes_in_sets(netplace, conf, arguments, told):
    refused(netplace("pss", *(str(conf) if word == "CONF" else word for word in arguments)), told)


def test_racks_and_input_and_output_beside_the_levels(netplace, tmp_path):
    racks, path = tmp_path / "racks.txt", tmp_path / "new.conf"
    racks.write_text("0-4\n5-7\n")
    given = ("--cost", "io:7", "--front", racks, "--behind", "cards:8")
    made = netplace("pss", "derive", "--machine", "tree:2,3", *given, "-o", path)
    assert "17 sets, costs of 5 components" in made.stdout
    assert netplace("pss", "check", path).exit_code == 0
    place = ("allocate", "--machine", "tree:2,3", "--nodes", 3, "--partition", f"pss:{path}", "--json")
    assert json.loads(netplace(*place).stdout)["nodes"] == [5, 6, 7]


def test_a_contradiction_is_a_mistake(netplace, conf):
    conf.write_text(conf.read_text() + "constraints: otherwise: cost < [1,1,1]\n")
    refused(netplace("pss", "check", conf), "no job of 1 processor in queue all can meet this")


def test_measured_costs_are_those_of_jobs_that_straddle_borders(netplace, tmp_path):
    flags = ("--machine", "mesh:8x8", "--pieces", 4, "--workers", 1, "--store", tmp_path / "runs.sqlite")
    made = ("pss", "derive", *flags, "--measured", "lu,class=W,iterations=1", "-o", tmp_path / "m.conf")
    told = json.loads(netplace(*made, "--json").stdout)
    [quadrants, squares] = told["levels"]
    # Recorded runs of 16 tasks: 1.38 alone, 2.16 with three others.
    assert quadrants["alone"]["lu,class=W,iterations=1"] == pytest.approx(1.38, rel=0.05)
    assert quadrants["full"]["lu,class=W,iterations=1"] == pytest.approx(2.16, rel=0.05)
    assert quadrants["weight"] > squares["weight"] > 0
    again = netplace(*made)
    assert "of jobs split over blocks" in again.stdout  # from the store
    assert "84 groups: valid" in netplace("pss", "check", tmp_path / "m.conf", "--machine", "mesh:8x8").stdout
    place = ("allocate", "--machine", "mesh:8x8", "--nodes", 16, "--partition", f"pss:{tmp_path / 'm.conf'}")
    assert json.loads(netplace(*place, "--json").stdout)["pairwise_sum"] == 320  # a 4x4 square
