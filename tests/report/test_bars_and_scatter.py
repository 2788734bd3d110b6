"""Pictures of bars and of points: what is drawn, and what is refused."""

from itertools import pairwise

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from netplace.report.plots.charts import marked_figure
from netplace.report.plots.comparisons import clear_best
from netplace.report.plots.drawing import write_figure
from netplace.report.plots.points import line_figure, scatter_figure

SERIES = {"consecutive": [1.0, 1.0], "td": [0.8, float("nan")]}
HALF = {"consecutive": [0.0, 0.0], "td": [0.1, 0.0]}


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_a_bar_for_each_series_in_each_group(tmp_path, drawn, ending):
    path = tmp_path / f"bars.{ending}"
    marks = {"best": {"BT": "td"}, "failed": {"td": [0, 2]}}
    figure = marked_figure(
        "a $title", ["BT", "LU"], SERIES, half=HALF, published={"td": [0.81, 0.9]}, **marks
    )
    write_figure(path, figure)
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


@pytest.mark.parametrize("narrow", [False, True])
def test_bars_lie_where_names_would_overlap(tmp_path, drawn, narrow):
    groups = [f"{app}\n{network}\n{way} of the queue" for app in "abc" for network in "xyz" for way in "12"]
    bars = [float(n) for n in range(1, 19)]
    marks = {"best": {groups[4]: "td"}, "failed": {"td": [2] + [0] * 17}}
    series = {"td": bars, "consecutive": bars}
    half = dict.fromkeys(series, [0.1] * 18)
    figure = marked_figure(
        "title", groups, series, half=half, unit="time", published={"td": [1.0] * 18}, **marks, narrow=narrow
    )
    write_figure(tmp_path / "bars.png", figure)
    [axes] = drawn[0].axes
    widths = [bar.get_width() for container in axes.containers for bar in getattr(container, "patches", [])]
    assert widths == bars * 2
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


def test_bars_at_fault():
    with pytest.raises(ValueError, match="series 'td' has 1 entries, expected 2"):
        marked_figure("", ["BT", "LU"], {"td": [1]})
    with pytest.raises(ValueError, match="published 'td' has 1 entries, expected 2"):
        marked_figure("", ["BT", "LU"], SERIES, published={"td": [1]})
    with pytest.raises(ValueError, match="nothing to draw"):
        marked_figure("", [], {})


def test_a_panel_for_each_metric(tmp_path, drawn):
    x = np.arange(10.0)
    panels = {"NA": (x, 2 * x + 1), "LA": (x, np.ones(10)), "AD": ([1, 2, np.nan], [2, 1, 5])}
    write_figure(tmp_path / "s.png", scatter_figure("metrics", panels, "", "run time (cycles)"))
    assert (tmp_path / "s.png").exists()
    assert [axes.get_title() for axes in drawn[0].axes] == ["NA   r = 1.00*", "LA", "AD"]
    assert [axes.get_xlabel() for axes in drawn[0].axes] == ["NA", "LA", "AD"]
    line = drawn[0].axes[0].lines[1]
    np.testing.assert_allclose(line.get_ydata(), [1, 19])


def test_points_at_fault():
    with pytest.raises(ValueError, match="expected at least one panel"):
        scatter_figure("", {}, "", "")
    with pytest.raises(ValueError, match="panel 'NA' has x of shape"):
        scatter_figure("", {"NA": ([1, 2], [1])}, "", "")
    with pytest.raises(ValueError, match="'NA' has 2 points, but there are 1 groups"):
        scatter_figure("", {"NA": ([1, 2], [1, 3])}, "", "", ["boxes"])


def test_panels_of_curves(tmp_path):
    panels = {"a": {"one": [0.5, 1, 2], "two": [0.1, 1, 9]}, "b": {"one": [1, 1, 1]}}
    write_figure(tmp_path / "lines.png", line_figure("title", panels, [0, 10, 20], "x", "y", band=(5, 10)))
    assert (tmp_path / "lines.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("panels", "sentence"),
    [({}, "nothing to draw"), ({"a": {"one": [1, 2]}}, "'one' has 2 values, expected 3")],
)
def test_curves_at_fault(panels, sentence):
    with pytest.raises(ValueError, match=sentence):
        line_figure("title", panels, [0, 10, 20], "x", "y")
