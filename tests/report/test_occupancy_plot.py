"""Pictures of who holds which nodes."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from netplace.report.plots.drawing import draw, write_figure
from netplace.report.plots.machines import job_colours, occupancy_figure
from netplace.topologies import parse

MACHINES = (
    "mesh:7", "torus:5x3", "twisted:4x2", "mesh:3x4x2", "torus:2x3x2x2", "tree:2,3", "tree:5,1",
    "thintree:4,2,3", "torus:40x40x3", "xgft:3;3,2,2;1,1,1",
)  # fmt: skip


def drawn(machine: str, holder):
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
    _, image = drawn(machine, holder)
    pixels = image.reshape(-1, 3)
    pixels = pixels[(pixels < 1).any(axis=1)]  # what is not background
    assert len(pixels) == nodes
    expected = np.concatenate([[[0.88] * 3], job_colours(holder[1:])])
    assert sorted(map(tuple, pixels.tolist())) == sorted(map(tuple, expected.tolist()))


def test_nodes_stand_where_they_are():
    free, job = [0.88] * 3, job_colours(5).tolist()
    _, image = drawn("mesh:3x2", [-1, 5, -1, -1, -1, 5])
    assert image.tolist() == [[free, job, free], [free, free, job]]  # Y grows upwards
    # Two slices, a row for its name above each, Y upwards.
    axes, image = drawn("mesh:2x2x2", [5, -1, -1, -1, -1, -1, 5, -1])
    name = [[1.0] * 3] * 2
    assert image.tolist() == [name, [free, free], [job, free], name, [job, free], [free, free]]
    assert [text.get_text() for text in axes.texts] == ["Z = 0", "Z = 1"]
    # Rows of subtrees of four.
    _, image = drawn("tree:2,3", [5, -1, -1, -1, -1, -1, 5, -1])
    assert image.tolist() == [[job, free, free, free], [free, free, job, free]]


def test_lines_between_switches():
    axes, _ = drawn("tree:2,3", np.full(8, -1))
    standing, lying = axes.lines
    assert standing.get_xdata() == [1.5, 1.5]
    assert lying.get_ydata() == [0.5, 0.5]


def test_few_jobs_are_named_and_all_are_counted():
    axes, _ = drawn("mesh:10", [-1, 3, 3, 7, 7, 7, -1, -1, -1, -1])
    assert named(axes) == ["job 3", "job 7"]
    assert "2 jobs occupy 5 of 10 nodes (50.0 %)" in axes.get_xlabel()
    axes, _ = drawn("mesh:20", np.arange(20))
    assert named(axes) == []
    axes, _ = drawn("mesh:20", np.full(20, -1))
    assert named(axes) == []
    assert "0 jobs occupy 0 of 20 nodes (0.0 %)" in axes.get_xlabel()


def test_neighbouring_numbers_have_different_colours():
    colours = job_colours(np.arange(2000))
    assert ((colours >= 0) & (colours <= 1)).all()
    for apart in range(1, 8):
        assert np.abs(colours[apart:] - colours[:-apart]).max(axis=1).min() > 0.1


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_a_picture_is_written(tmp_path, ending):
    path = tmp_path / f"machine.{ending}"
    write_figure(path, occupancy_figure(parse("tree:4,3"), np.arange(64) // 9 - 1, "a tree"))
    start = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[ending]
    assert path.read_bytes().startswith(start)


def test_another_machine_s_holders():
    with pytest.raises(ValueError, match=r"holder: has shape \(5,\), expected one job for each of the 64"):
        occupancy_figure(parse("tree:4,3"), np.zeros(5, int), "a tree")
