"""Gantt charts, bars, points and schedules side by side: what is drawn, and from what."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from answers import refused
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.container import ErrorbarContainer

from netplace.report.pages.html import _plain_value
from netplace.report.plots import schedules as pictures
from netplace.report.plots.charts import comparison_figure, marked_figure
from netplace.report.plots.drawing import write_figure
from netplace.report.plots.points import line_figure, scatter_figure
from netplace.report.terminal.units import whole_part_kept
from netplace.scheduling.metrics.comparison import clear_best

FLAGS = ("schedule", "--machine", "torus:8x8", "--workload", "lublin", "--jobs", 60, "--policy", "easy")


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
    refused(netplace(*FLAGS, "--from", 5, "--to", 2, "-o", tmp_path / "two"), "--to: 2 is not after --from 5")


def test_several_schedules_leave_a_picture_of_them_side_by_side(drawn, netplace, tmp_path):
    (tmp_path / "s.toml").write_text(
        'machine = "torus:4x4x4"\nworkload = "lublin"\njobs = 60\npolicy = ["fcfs", "easy"]\n'
        'partition = ["contiguous", "non-contiguous"]\nseeds = 2\n'
    )
    result = netplace("schedule", tmp_path / "s.toml", "-o", tmp_path / "out")
    assert result.exit_code == 0, result.stderr
    assert (tmp_path / "out" / "comparison.png").exists()
    axes = drawn[0].axes
    assert [one.get_title() for one in axes] == ["wait (s)", "bounded slowdown", "utilisation (%)"]
    assert "; means\nwhiskers: 95 % intervals over batches of jobs" in drawn[0].get_suptitle()
    assert [text.get_text() for text in axes[0].get_xticklabels()] == ["fcfs", "easy"]
    assert [text.get_text() for text in drawn[0].legends[0].get_texts()] == [
        "contiguous:round-up",
        "non-contiguous",
    ]


def whiskers(axes):
    """Return the half of each bar's interval as it is drawn, NaN where none is."""
    drawn = [container for container in axes.containers if isinstance(container, ErrorbarContainer)]
    segments = [segment for one in drawn for lines in one.lines[2] for segment in lines.get_segments()]
    return [(segment[1][1] - segment[0][1]) / 2 if len(segment) == 2 else np.nan for segment in segments]


def bar_frame(**columns):
    return pd.DataFrame({"group": ["fcfs", "easy"], "series": ["a", "a"]} | columns)


MEASURES = [("wait (h)", "wait", "wait_half_width", 1 / 3600), ("use (%)", "use", "use_half_width", 100.0)]
MEANS = {"wait": [106_560.0, 36_000.0], "wait_half_width": [26_280.0, 3600.0], "use": [0.5, 0.6]}


def test_bars_and_whiskers_are_of_the_same_mean(tmp_path, drawn):
    frame = bar_frame(**MEANS, use_half_width=[0.01, 0.02])
    write_figure(tmp_path / "c.svg", comparison_figure("two", frame, MEASURES))
    waits, use = drawn[0].axes
    assert [bar.get_height() for bar in waits.patches] == pytest.approx([29.6, 10.0])
    assert whiskers(waits) == pytest.approx([7.3, 1.0])
    assert whiskers(use) == pytest.approx([1.0, 2.0])


def test_what_is_not_known_has_no_whisker_and_the_title_says_so(tmp_path, drawn):
    bare = bar_frame(**{**MEANS, "wait_half_width": [np.nan] * 2}, use_half_width=[np.nan] * 2)
    write_figure(tmp_path / "c.svg", comparison_figure("two", bare, MEASURES))
    for axes in drawn[0].axes:
        assert not [half for half in whiskers(axes) if np.isfinite(half)]
    assert "without intervals" in drawn[0].get_suptitle()


def test_terminal_picture_and_tables_have_the_same_means_and_intervals(drawn, netplace, tmp_path):
    (tmp_path / "s.toml").write_text(
        'machine = "torus:4x4x4"\nworkload = "lublin"\njobs = 200\nload = 0.3\n'
        'policy = ["fcfs", "easy"]\nseeds = 5\n'
    )
    shown = netplace("schedule", tmp_path / "s.toml", "-o", tmp_path / "out", "--figure", "wait")
    assert shown.exit_code == 0, shown.stderr
    means = pd.read_csv(tmp_path / "out" / "means.csv")
    assert set(means["unit"]) == {"seeds"}
    wait = drawn[0].axes[0]
    factor = 3600 if "(h)" in wait.get_title() else 60 if "(min)" in wait.get_title() else 1
    assert [bar.get_height() for bar in wait.patches] == pytest.approx(means["wait"] / factor)
    assert whiskers(wait) == pytest.approx(means["wait_half_width"] / factor)
    differences = pd.read_csv(tmp_path / "out" / "differences.csv").set_index("measure")
    change = differences.loc["wait"]
    assert change["scale"] == "geometric"
    told = f"{100 * change['share']:+,.1f} % (95 % interval {100 * change['share_low']:+,.1f} to"
    assert told in shown.stdout
    assert f"{means['wait'][0] / factor:,.1f} ± {means['wait_half_width'][0] / factor:,.1f}" in shown.stdout


@pytest.mark.parametrize(
    ("value", "text"),
    [(831914.0, "831,914"), (831914.4, "831,914"), (1234567.5, "1,234,568"), (0.12345678, "0.123457")],
)
def test_whole_numbers_are_not_rounded_on_pages(value, text):
    assert whole_part_kept(value) == text
    assert _plain_value(value) == pytest.approx(value, abs=0.5, rel=1e-6 if value < 1 else 0)


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


def test_every_row_of_bars_names_its_own_groups(drawn, tmp_path):
    groups = [f"g{number}" for number in range(40)]
    series = {name: [1.0] * 40 for name in "abcd"}
    write_figure(tmp_path / "c.png", marked_figure("rows", groups, series))
    assert len(drawn[0].axes) > 1
    shown = [tick.label1 for axes in drawn[0].axes for tick in axes.xaxis.get_major_ticks()]
    assert [label.get_text() for label in shown if label.get_visible()] == groups


@pytest.mark.parametrize(
    ("mean", "std", "count", "place"),
    [
        ([1, 2, 3], [0.1, 0.1, 0.1], [5, 5, 5], 0),
        ([1, 1.05, 3], [0.1, 0.1, 0.1], [5, 5, 5], None),  # no more than chance
        ([1, 1, 3], [0, 0, 0], [1, 1, 1], None),  # a tie
        ([3, 2, 1.9], [np.nan] * 3, [1, 1, 1], None),  # single runs may be luck
        ([3, 2, 1.9], [0, 0, 0], [2, 2, 2], 2),  # chance had no part
        ([2, 1], [0.5, np.nan], [5, 1], None),  # the single run may be luck
        ([2, 1], [0.01, np.nan], [5, 1], 1),
        ([1, np.nan], [0, np.nan], [5, 0], None),  # nothing to compare with
    ],
)
def test_best_is_what_is_less_by_more_than_chance(mean, std, count, place):
    assert clear_best(mean, std, count) == place


def test_a_panel_for_each_metric(tmp_path, drawn):
    x = np.arange(10.0)
    panels = {"NA": (x, 2 * x + 1), "LA": (x, np.ones(10)), "AD": ([1, 2, np.nan], [2, 1, 5])}
    write_figure(tmp_path / "s.png", scatter_figure("metrics", panels, "run time (cycles)"))
    assert (tmp_path / "s.png").exists()
    assert [axes.get_title() for axes in drawn[0].axes] == ["NA   r = 1.00*", "LA", "AD"]
    assert [axes.get_xlabel() for axes in drawn[0].axes] == ["NA", "LA", "AD"]
    line = drawn[0].axes[0].lines[1]
    np.testing.assert_allclose(line.get_ydata(), [1, 19])


def test_panels_of_curves(tmp_path):
    panels = {"a": {"one": [0.5, 1, 2], "two": [0.1, 1, 9]}, "b": {"one": [1, 1, 1]}}
    write_figure(tmp_path / "lines.png", line_figure("title", panels, [0, 10, 20], "x", "y", band=(5, 10)))
    assert (tmp_path / "lines.png").stat().st_size > 10_000
