"""Pictures of networks, of traffic and of who holds which nodes: where things stand, and in what colours."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from netplace.report.plots.drawing import draw, write_figure
from netplace.report.plots.figure import Words
from netplace.report.plots.layout import panels
from netplace.report.plots.machines import job_colours, occupancy_figure
from netplace.report.plots.networks import network_figure, traffic_figure
from netplace.topologies import parse

NETWORKS = (
    "torus:4x4", "mesh:5", "twisted:4x2+2", "torus:3x3x3", "tree:4,2", "thintree:4,2,3", "mesh:2x2x2x2",
)  # fmt: skip


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


def test_nothing_that_moves_is_a_picture_too(tmp_path):
    topology = parse("torus:2x2x2")
    write_figure(
        tmp_path / "n.png", network_figure(topology, np.zeros(topology.neighbor.shape), [[0, 1], [3]], "a")
    )
    write_figure(tmp_path / "w.png", traffic_figure(np.zeros((3, 3)), "silence"))
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in tmp_path.iterdir())


def test_a_run_of_several_jobs_is_drawn(netplace, tmp_path):
    flags = ("--jobs", "4x:2d-torus", "--tasks", "16", "--partition", "quadrants", "--mapping", "random")
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


MACHINES = (
    "mesh:7", "torus:5x3", "twisted:4x2", "mesh:3x4x2", "torus:2x3x2x2", "tree:2,3", "tree:5,1",
    "thintree:4,2,3", "torus:40x40x3", "xgft:3;3,2,2;1,1,1",
)  # fmt: skip


def occupancy(machine: str, holder):
    figure = Figure()
    [axes] = draw(figure, occupancy_figure(parse(machine), holder))
    return axes, np.asarray(axes.images[0].get_array())


def named(axes):
    """Return the names in the legend."""
    return [text.get_text() for legend in axes.figure.legends for text in legend.get_texts()]


@pytest.mark.parametrize("machine", MACHINES)
def test_every_node_has_its_pixel(machine):
    nodes = parse(machine).nodes
    holder = np.arange(nodes) - 1
    _, image = occupancy(machine, holder)
    pixels = image.reshape(-1, 3)
    pixels = pixels[(pixels < 1).any(axis=1)]  # what is not background
    assert len(pixels) == nodes
    expected = np.concatenate([[[0.88] * 3], job_colours(holder[1:])])
    assert sorted(map(tuple, pixels.tolist())) == sorted(map(tuple, expected.tolist()))


def test_nodes_stand_where_they_are():
    free, job = [0.88] * 3, job_colours(5).tolist()
    _, image = occupancy("mesh:3x2", [-1, 5, -1, -1, -1, 5])
    assert image.tolist() == [[free, job, free], [free, free, job]]  # Y grows upwards
    # Two slices, a row for its name above each, Y upwards.
    axes, image = occupancy("mesh:2x2x2", [5, -1, -1, -1, -1, -1, 5, -1])
    name = [[1.0] * 3] * 2
    assert image.tolist() == [name, [free, free], [job, free], name, [job, free], [free, free]]
    assert [text.get_text() for text in axes.texts] == ["Z = 0", "Z = 1"]
    # Rows of subtrees of four.
    _, image = occupancy("tree:2,3", [5, -1, -1, -1, -1, -1, 5, -1])
    assert image.tolist() == [[job, free, free, free], [free, free, job, free]]


def test_lines_between_switches():
    axes, _ = occupancy("tree:2,3", np.full(8, -1))
    standing, lying = axes.lines
    assert standing.get_xdata() == [1.5, 1.5]
    assert lying.get_ydata() == [0.5, 0.5]


def test_few_jobs_are_named_and_all_are_counted():
    axes, _ = occupancy("mesh:10", [-1, 3, 3, 7, 7, 7, -1, -1, -1, -1])
    assert named(axes) == ["job 3", "job 7"]
    assert "2 jobs occupy 5 of 10 nodes (50.0 %)" in axes.get_xlabel()
    axes, _ = occupancy("mesh:20", np.arange(20))
    assert named(axes) == []
    axes, _ = occupancy("mesh:20", np.full(20, -1))
    assert named(axes) == []
    assert "0 jobs occupy 0 of 20 nodes (0.0 %)" in axes.get_xlabel()


@pytest.mark.parametrize(
    ("network", "numbered"), [("torus:4x4", True), ("tree:4,2", True), ("mesh:9x9", False)]
)
def test_the_routers_of_small_networks_have_their_numbers(network, numbered):
    topology = parse(network)
    load = np.zeros(topology.neighbor.shape)
    marks = network_figure(topology, load).panels[0].marks
    texts = [list(mark.texts) for mark in marks if isinstance(mark, Words)]
    every = [str(number) for number in range(topology.routers)]
    assert (every in texts) == numbered
