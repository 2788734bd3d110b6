"""Rings and 3-D tori of Slurm's topology.yaml."""

import re
from pathlib import Path

import pytest

from netplace.scheduling import Job, make_partitioner
from netplace.topologies import parse
from netplace.topologies.host_lists import expand, host_list
from netplace.topologies.slurm_grid import listed_placements

TORUS = (Path(__file__).parent / "torus.yaml").read_text()


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "topology.yaml"
    found.write_text(TORUS)
    return found


def test_a_torus_has_its_nodes_with_x_fastest(path):
    torus = parse(f"slurm:{path}")
    assert torus.neighbor.tolist() == parse("torus:4x4x2").neighbor.tolist()
    assert torus.hosts[:6] == ("node01", "node02", "node03", "node04", "node05", "node06")
    assert parse(torus.text).hosts == torus.hosts


def test_its_placements_are_those_that_slurm_gives(path):
    text = f"slurm:{path}"
    assert listed_placements(text) == "2x2x1+4x2x1/2x2x1+4x2x2@1x0x0"
    partitioner = make_partitioner("slurm", parse(text))
    assert partitioner.find(Job(0, 0.0, 4, 1.0)).nodes.tolist() == [0, 1, 4, 5]
    assert partitioner.find(Job(0, 0.0, 16, 1.0)).nodes.tolist()[:4] == [1, 2, 3, 0]
    assert partitioner.find(Job(0, 0.0, 17, 1.0)) is None


def test_regions_leave_places_without_a_node(path):
    torus = parse(f"slurm:{path},topology=regions")
    assert torus.service.tolist() == [12, 13, 14, 15, 28, 29, 30, 31]
    assert [torus.hosts[node] for node in (0, 7, 8, 16, 24)] == [
        "rack1-node01", "rack1-node08", "rack2-node01", "rack1-node09", "rack2-node05",
    ]  # fmt: skip
    assert listed_placements(torus.text) == ""


def test_a_ring_of_several_is_named(path):
    ring = parse(f"slurm:{path},topology=rings,part=ring1")
    assert (ring.nodes, ring.diameter, ring.hosts[-1]) == (6, 3, "node14")
    with pytest.raises(ValueError, match=re.escape("2 separate networks (ring0, ring1), expected part=")):
        parse(f"slurm:{path},topology=rings")
    with pytest.raises(ValueError, match="no ring other, expected part= one of ring0, ring1"):
        parse(f"slurm:{path},topology=rings,part=other")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("node[01-32]", "node[01-31]", "31 named, expected 32, one for each place"),
        ("node[01-32]", "node[01-31],node01", "node node01 appears twice"),
        ("          z: 2\n", "", "dims: {'x': '4', 'y': '4'} found, expected x, y and z"),
        ("{x: 2, y: 2, z: 1}\n          - dims:", "{x: 2, y: 2\n          - dims:", "expected ',' or '}'"),
        ("{x: 0, y: 2, z: 0}", "{x: 0, y: 1, z: 0}", "region 2: place 0,1,0 already has node rack1-node05"),
        ("{x: 0, y: 2, z: 0}", "{x: 2, y: 2, z: 0}", "region 2: is not within the torus of 4x4x2"),
        ("  torus3d:", "  block: {}\n  torus3d:", "block and torus3d, expected one kind of topology"),
    ],
)
def test_tori_that_are_none(path, old, new, said):
    path.write_text(TORUS.replace(old, new, -1 if "region" in said else 1))
    with pytest.raises(ValueError, match=re.escape(said)):
        parse(f"slurm:{path}" + ",topology=regions" * ("region" in said))


def test_options_of_trees_are_refused(path):
    with pytest.raises(ValueError, match="taper= applies to trees and blocks, not to a torus3d"):
        parse(f"slurm:{path},taper=2")


def test_host_lists_are_written_as_they_are_read():
    for names in (["n1", "n2", "n3"], ["a09", "a10", "b", "a11", "a1"], ["x9", "x10"], ["r1-n[", "q"][1:]):
        assert [*expand(host_list(names))] == names


def test_files_in_the_form_of_topograph_are_read(tmp_path):
    tree = tmp_path / "topology.conf"
    tree.write_text(
        "# switch.2.1=core\nSwitchName=switch.2.1 Switches=switch.1.[1-2]\n"
        "# switch.1.1=leaf-1\nSwitchName=switch.1.1 Nodes=srv[1101-1104]\n"
        "# switch.1.2=leaf-2\nSwitchName=switch.1.2 Nodes=srv[1201-1203,1207]\n"
    )
    found = parse(f"slurm:{tree}")
    assert found.hosts == tuple(f"srv{n}" for n in (1101, 1102, 1103, 1104, 1201, 1202, 1203, 1207))
    assert found.distance(0, 3) == 2
    assert found.distance(3, 4) == 4
    blocks = tmp_path / "blocks.conf"
    blocks.write_text(
        "# rack11=nvl-1-1\nBlockName=rack11 Nodes=srv[1101-1104]\n"
        "# rack12=nvl-1-2\nBlockName=rack12 Nodes=srv[1201-1204]\nBlockSizes=4,8\n"
    )
    assert parse(f"slurm:{blocks}").hosts[4:] == ("srv1201", "srv1202", "srv1203", "srv1204")
