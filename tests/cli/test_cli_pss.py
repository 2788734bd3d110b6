"""``netplace pss``: derive, check and show, and what it says of mistakes."""

import json

import pytest
from answers import refused


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
        (("chekc", "a.conf"), "did you mean check"),
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
def test_mistakes(netplace, conf, arguments, told):
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
