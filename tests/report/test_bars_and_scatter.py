"""Pictures of bars and of points: what is drawn, and what is refused."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from netplace.report.plots.bars import draw_bars
from netplace.report.plots.best import clear_best
from netplace.report.plots.scatter import draw_scatter

SERIES = {"consecutive": [(1.0, 0.0), (1.0, 0.0)], "td": [(0.8, 0.1), (float("nan"), 0.0)]}


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


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_a_bar_for_each_series_in_each_group(tmp_path, drawn, ending):
    path = tmp_path / f"bars.{ending}"
    marks = {"best": {"BT": "td"}, "failed": {"td": [0, 2]}}
    draw_bars(path, ["BT", "LU"], SERIES, "a $title", "run time / consecutive", {"td": [0.81, 0.9]}, **marks)
    assert path.stat().st_size > 5000
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    [axes] = drawn[0].axes
    heights = [bar.get_height() for container in axes.containers for bar in getattr(container, "patches", [])]
    np.testing.assert_equal(heights, [1.0, 1.0, 0.8, np.nan])
    [legend] = drawn[0].legends
    named = [text.get_text() for text in legend.get_texts()]
    assert sorted(named) == ["best", "consecutive", "failed", "published", "td"]
    [stars] = [line for line in axes.lines if line.get_label() == "best"]
    assert np.round(stars.get_xdata(), 2).tolist() == [0.21]  # td of BT
    [crosses] = [line for line in axes.lines if line.get_label() == "failed"]
    assert np.round(crosses.get_xdata(), 2).tolist() == [1.21]  # td of LU


@pytest.mark.parametrize("column", [False, True])
def test_bars_lie_where_names_would_overlap(tmp_path, drawn, column):
    groups = [f"{app}\n{network}\n{way} of the queue" for app in "abc" for network in "xyz" for way in "12"]
    bars = [(float(n), 0.1) for n in range(1, 19)]
    marks = {"best": {groups[4]: "td"}, "failed": {"td": [2] + [0] * 17}}
    series = {"td": bars, "consecutive": bars}
    draw_bars(
        tmp_path / "bars.png", groups, series, "title", "time", {"td": [1.0] * 18}, **marks, column=column
    )
    [axes] = drawn[0].axes
    widths = [bar.get_width() for container in axes.containers for bar in getattr(container, "patches", [])]
    assert widths == [mean for mean, _ in bars] * 2
    names = [text.get_text() for text in axes.get_yticklabels()]
    assert names[:4] == ["a, x, 1 of the queue", "2 of the queue", "y, 1 of the queue", "2 of the queue"]
    assert names[6] == "b, x, 1 of the queue"
    [stars] = [line for line in axes.lines if line.get_label() == "best"]
    assert np.round(stars.get_ydata(), 2).tolist() == [3.79]
    renderer = FigureCanvasAgg(drawn[0]).get_renderer()  # not that of the file, which has more dots
    boxes = [text.get_window_extent(renderer) for text in axes.get_yticklabels()]
    assert min(above.y0 - below.y1 for above, below in pairwise(boxes)) >= 0


@pytest.mark.parametrize(
    ("mean", "std", "count", "place"),
    [
        ([1, 2, 3], [0.1, 0.1, 0.1], [5, 5, 5], 0),
        ([1, 1.05, 3], [0.1, 0.1, 0.1], [5, 5, 5], None),  # no more than chance
        ([1, 1, 3], [0, 0, 0], [1, 1, 1], None),  # a tie
        ([3, 2, 1.9], [np.nan] * 3, [1, 1, 1], 2),  # chance had no part
        ([2, 1], [0.5, np.nan], [5, 1], None),  # the single run may be luck
        ([2, 1], [0.01, np.nan], [5, 1], 1),
        ([1, np.nan], [0, np.nan], [5, 0], None),  # nothing to compare with
    ],
)
def test_best_is_what_is_less_by_more_than_chance(mean, std, count, place):
    assert clear_best(mean, std, count) == place


def test_bars_at_fault(tmp_path):
    with pytest.raises(ValueError, match="series 'td' has 1 entries, expected 2"):
        draw_bars(tmp_path / "b.png", ["BT", "LU"], {"td": [(1, 0)]}, "", "")
    with pytest.raises(ValueError, match="reference 'td' has 1 entries, expected 2"):
        draw_bars(tmp_path / "b.png", ["BT", "LU"], SERIES, "", "", {"td": [1]})
    with pytest.raises(ValueError, match="nothing to draw"):
        draw_bars(tmp_path / "b.png", [], {}, "", "")
    assert list(tmp_path.iterdir()) == []


def test_a_panel_for_each_metric(tmp_path, drawn):
    x = np.arange(10.0)
    panels = {"NA": (x, 2 * x + 1), "LA": (x, np.ones(10)), "AD": ([1, 2, np.nan], [2, 1, 5])}
    draw_scatter(tmp_path / "s.png", panels, "", "run time (cycles)", "metrics")
    assert (tmp_path / "s.png").exists()
    assert [axes.get_title() for axes in drawn[0].axes] == ["NA   r = 1.00*", "LA", "AD"]
    assert [axes.get_xlabel() for axes in drawn[0].axes] == ["NA", "LA", "AD"]
    line = drawn[0].axes[0].lines[1]
    np.testing.assert_allclose(line.get_ydata(), [1, 19])


def test_points_at_fault(tmp_path):
    with pytest.raises(ValueError, match="expected a panel"):
        draw_scatter(tmp_path / "s.png", {}, "", "", "")
    with pytest.raises(ValueError, match="panel 'NA' has x of shape"):
        draw_scatter(tmp_path / "s.png", {"NA": ([1, 2], [1])}, "", "", "")
    with pytest.raises(ValueError, match="'NA' has 2 points, and there are 1 groups"):
        draw_scatter(tmp_path / "s.png", {"NA": ([1, 2], [1, 3])}, "", "", "", ["boxes"])
    assert list(tmp_path.iterdir()) == []
