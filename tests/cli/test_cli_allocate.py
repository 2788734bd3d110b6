"""``netplace allocate``: figures, pictures, and what it says of mistakes."""

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
        (("--nodes", 4, "--all", "--partition", "mm"), "expected one of them"),
        (("--nodes", 4, "--partition", "gen-alk"), "did you mean gen-alg"),
        (("--nodes", 4, "--all", "--occupied", "none.txt"), "none.txt: No such file"),
        (("--nodes", 4, "--all", "-o", "all.txt"), "unknown kind of file"),
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
