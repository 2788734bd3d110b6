"""Pictures of networks and of traffic: where things stand, and that files are whole."""

import numpy as np
import pytest

from netplace.apps import application
from netplace.report.plots.drawing import write_figure
from netplace.report.plots.layout import panels
from netplace.report.plots.networks import mapping_figure, network_figure, traffic_figure
from netplace.topologies import parse

NETWORKS = (
    "torus:4x4",
    "mesh:5",
    "twisted:4x2+2",
    "torus:3x3x3",
    "tree:4,2",
    "thintree:4,2,3",
    "mesh:2x2x2x2",
)


@pytest.mark.parametrize("network", NETWORKS)
def test_every_router_and_link_stands_in_one_panel(network):
    topology = parse(network)
    drawn = panels(topology)
    if network == "mesh:2x2x2x2":
        assert len(drawn) == 4  # a panel for each place in the two further dimensions
        return
    assert sorted(np.concatenate([panel.drawn for panel in drawn])) == list(range(topology.routers))
    links = {pair for panel in drawn for pair in zip(panel.router.tolist(), panel.port.tolist(), strict=True)}
    assert links == set(zip(*(x.tolist() for x in np.nonzero(topology.neighbor >= 0)), strict=True))
    for panel in drawn:
        assert len(np.unique(panel.place, axis=0)) == len(panel.drawn)
        assert panel.lines.shape == (len(panel.router), 2, 2)


def test_a_link_leads_to_its_neighbour_or_is_a_stub():
    [panel] = panels(parse("torus:4x4"))
    length = np.abs(panel.lines[:, 1] - panel.lines[:, 0]).sum(axis=1)
    assert np.isclose(length, 0.8).sum() == 48  # within the mesh
    assert np.isclose(length, 0.4).sum() == 16  # round the rings
    up, down = (
        panel.lines[(panel.router == router) & (panel.port == port)][0] for router, port in ((0, 0), (1, 1))
    )
    assert up[0, 1] == -down[0, 1] < 0  # 0 to 1 runs to the right, below 1 to 0


def test_slices_of_three_dimensions():
    drawn = panels(parse("mesh:2x3x4"))
    assert [panel.title for panel in drawn] == ["Z = 0", "Z = 1", "Z = 2", "Z = 3"]
    assert drawn[2].drawn.tolist() == list(range(12, 18))


def test_grids_of_too_many_slices_are_not_laid_out():
    assert panels(parse("mesh:2x2x8x16")) == []


def test_rows_of_a_tree():
    [panel] = panels(parse("tree:2,2"))
    assert panel.rows == ("nodes", "stage 0", "stage 1")
    assert panel.place.tolist() == [[0.5, 0], [1.5, 0], [2.5, 0], [3.5, 0], [1, 1], [3, 1], [1, 2], [3, 2]]


@pytest.mark.parametrize("network", NETWORKS)
def test_a_picture_of_each_network(tmp_path, network):
    topology = parse(network)
    load = np.zeros(topology.neighbor.shape)
    write_figure(tmp_path / "n.png", network_figure(topology, load, [[0, 1], [3]], "nothing moves"))
    load[0, 0] = 0.5
    write_figure(tmp_path / "m.svg", network_figure(topology, load, [[2]], "one link"))
    assert (tmp_path / "n.png").read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.svg", "n.png"]


def test_traffic_beside_the_network(tmp_path):
    topology, W = parse("torus:2x2x2"), application("butterfly", 8).traffic().W
    load = np.ones(topology.neighbor.shape)
    write_figure(tmp_path / "m.png", mapping_figure(W, topology, load, [range(8)], "butterfly"))
    write_figure(tmp_path / "w.png", traffic_figure(W, "butterfly"))
    write_figure(tmp_path / "none.png", traffic_figure(np.zeros((3, 3)), "silence"))
    assert len(list(tmp_path.iterdir())) == 3


def test_a_run_of_several_jobs_is_drawn(netplace, tmp_path):
    flags = (
        "--jobs",
        "4x:2d-torus",
        "--tasks",
        "16",
        "--partition",
        "quadrants",
        "--mapping",
        "td:iterations=50",
    )
    path = tmp_path / "n.png"
    result = netplace("run", "--network", "torus:8x8", *flags, "--seeds", "2", "-o", path)
    assert result.exit_code == 0, result.stderr
    assert path.exists()
    assert all(f"{job} 2d-torus" in result.stdout for job in range(4))
    assert "slowest" in result.stdout


@pytest.mark.parametrize("text", ["dragonfly:a=4,p=2,h=2", "hyperx:3x3,c=2", "faulty:links=0.1/torus:4x4"])
def test_networks_of_any_wiring_stand_on_a_circle(text, tmp_path):
    topology = parse(text)
    (panel,) = panels(topology)
    assert len(panel.place) == topology.routers
    assert len(np.unique(panel.place.round(6), axis=0)) == topology.routers
    assert len(panel.lines) == (topology.neighbor >= 0).sum()
    picture = tmp_path / "loads.png"
    load = np.ones(topology.neighbor.shape)
    write_figure(picture, network_figure(topology, load, [range(4)], title=text, label="load"))
    assert picture.stat().st_size > 10_000


@pytest.mark.parametrize(
    ("lines", "rows"),
    [
        ("a0 s0;a1 s0;b0 s1;s0 top;s1 top", ("nodes", "level 0", "level 1")),
        ("a0 s0;a1 s0;b0 m;s0 m;m top 2;c0 s2;s2 top", ("nodes", "level 0", "level 1", "level 2")),
    ],
)
def test_trees_of_any_shape_stand_by_level(tmp_path, lines, rows):
    path = tmp_path / "machine.tree"
    path.write_text(lines.replace(";", "\n") + "\n")
    tree = parse(f"tree-file:{path}")
    (panel,) = panels(tree)
    assert len(panel.rows) <= len(rows)
    assert (panel.place[: tree.nodes, 1] == 0).all()
    height = panel.place[:, 1]
    below = height[panel.router] < height[tree.neighbor[panel.router, panel.port]]
    assert below.sum() * 2 == len(panel.router)  # every link leads to another row
    assert len(np.unique(panel.place, axis=0)) == tree.routers


def test_fat_trees_stand_by_level_and_other_graphs_on_a_circle():
    (panel,) = panels(parse("xgft:3;2,2,2;1,2,2"))
    assert panel.rows == ("nodes", "stage 0", "stage 1", "stage 2")
    (panel,) = panels(parse("slimfly:3,p=1"))
    assert panel.rows == ("",)
