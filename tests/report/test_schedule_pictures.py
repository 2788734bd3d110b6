"""Gantt charts and schedules side by side: what is drawn, and from what."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from netplace.report.plots import schedule as pictures
from netplace.report.plots.comparison import draw_comparison, estimates

FLAGS = ("schedule", "--machine", "torus:8x8", "--workload", "lublin", "--jobs", 60, "--policy", "easy")


@pytest.fixture
def drawn(monkeypatch):
    """Collect the figures that are written."""
    figures = []
    save = Figure.savefig

    def savefig(figure, *arguments, **options):
        figures.append(figure)
        save(figure, *arguments, **options)

    monkeypatch.setattr(Figure, "savefig", savefig)
    return figures


@pytest.mark.parametrize(
    ("begin", "end", "first", "covered"),
    [
        (0, 10, 0, [1] * 5),
        (1, 5, 0, [0.5, 1, 0.5]),
        (2.5, 3.0, 1, [0.25]),
        (-5, 1, 0, [0.5]),
        (9, 99, 4, [0.5]),
    ],
)
def test_cells_are_covered_by_as_much_as_an_interval_has_of_them(begin, end, first, covered):
    found = pictures._covered(begin, end, 10, 5)
    assert found[0] == first
    np.testing.assert_allclose(found[1], covered)


def test_density_keeps_node_hours(monkeypatch, drawn, netplace, tmp_path):
    monkeypatch.setattr(pictures, "_MOST_BOXES", 0)
    result = netplace(*FLAGS, "-o", tmp_path / "out")
    assert result.exit_code == 0, result.stderr
    rows = pd.read_csv(tmp_path / "out" / "rows.csv")
    held = ((rows["end"] - rows["start"]) * rows["nodes"]).sum() / 3600
    [image] = drawn[0].axes[0].images
    share = image.get_array()[..., 3]
    left, right, low, high = image.get_extent()
    assert share.max() <= 1 + 1e-9
    assert share.mean() * (right - left) * (high - low) == pytest.approx(held, rel=1e-6)


def test_a_window_is_drawn_and_an_empty_one_refused(drawn, netplace, tmp_path):
    assert netplace(*FLAGS, "-o", tmp_path / "out", "--from", 2, "--to", 5).exit_code == 0
    assert drawn[0].axes[0].get_xlim() == (2, 5)
    assert drawn[0].axes[1].get_ylabel() == "jobs waiting"
    for flags, words in (
        (["--from", 5, "--to", 2, "-o", tmp_path / "two"], "--to: 2 is not after --from 5"),
        (["--from", 5], "--from: 5 given, but without -o"),
    ):
        found = netplace(*FLAGS, *flags)
        assert found.exit_code == 2
        assert words in found.stderr


def test_several_schedules_leave_a_picture_of_them_side_by_side(drawn, netplace, tmp_path):
    (tmp_path / "s.toml").write_text(
        'machine = "torus:4x4x4"\nworkload = "lublin"\njobs = 60\npolicy = ["fcfs", "easy"]\n'
        'partition = ["contiguous", "non-contiguous"]\nseeds = 2\n'
    )
    result = netplace("schedule", tmp_path / "s.toml", "-o", tmp_path / "out")
    assert result.exit_code == 0, result.stderr
    assert (tmp_path / "out" / "comparison.png").exists()
    axes = drawn[0].axes
    assert [one.get_title() for one in axes] == ["wait (h)", "bounded slowdown", "utilisation (%)"]
    assert [text.get_text() for text in axes[0].get_xticklabels()] == ["fcfs", "easy"]
    assert [text.get_text() for text in drawn[0].legends[0].get_texts()] == [
        "contiguous:round-up",
        "non-contiguous",
    ]


def test_intervals_are_over_seeds_or_within_one_schedule():
    seeds = pd.DataFrame({"wait_mean": [1.0, 2.0, 3.0]})
    mean, half = estimates(seeds, "wait_mean", "wait_half_width")
    assert (mean, half) == (2.0, pytest.approx(4.302653 / np.sqrt(3), rel=1e-5))
    one = pd.DataFrame({"wait_mean": [5.0], "wait_half_width": [0.5]})
    assert estimates(one, "wait_mean", "wait_half_width") == (5.0, 0.5)
    assert np.isnan(estimates(one, "wait_mean", "")[1])


def test_a_column_of_a_paper_holds_the_panels_below_each_other(tmp_path, drawn):
    frame = pd.DataFrame(
        {"group": ["fcfs", "easy"], "series": ["", ""], "wait_mean": [1.0, 2.0]}
        | {"bounded_slowdown_mean": [3.0, 4.0], "utilisation": [0.5, 0.6]}
    )
    draw_comparison(tmp_path / "c.pdf", frame, "title", column=True)
    assert drawn[0].get_figwidth() == 3.5
    assert b"/Type3" not in (tmp_path / "c.pdf").read_bytes()
