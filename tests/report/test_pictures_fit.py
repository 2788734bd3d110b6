"""Pictures in print: as wide as a page or a column, nothing cut off, no text too small to read."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Drawing
from matplotlib.text import Text
from sample_pages import FIGURES

from netplace.cosim import JobRow
from netplace.cosim.waiting import LinkWaiting, Waiting
from netplace.report.plots.charts import comparison_figure, marked_figure
from netplace.report.plots.drawing import axes_of, draw, still, write_figure
from netplace.report.plots.figure import Curve, Figure, Panel
from netplace.report.plots.jobs import sharing_figure, waiting_figure
from netplace.report.plots.machines import allocation_figure, occupancy_figure
from netplace.report.plots.networks import mapping_figure, network_figure
from netplace.report.plots.points import (
    dot_figure,
    front_figure,
    line_figure,
    load_figure,
    scatter_figure,
    trade_off_figure,
)
from netplace.report.plots.schedules import gantt_figure, utilisation_figure, workload_figure
from netplace.scheduling import schedule
from netplace.scheduling.workload.lublin import lublin
from netplace.topologies import parse

pytestmark = pytest.mark.all

LEAST_POINTS = 6
APPS = ["BT", "LU", "SP", "CG", "MG", "FT", "IS", "2d-torus\npackets=4,rounds=5\nmesh:4x4", "all-to-all"]


@pytest.fixture
def drawn(monkeypatch, tmp_path):
    """Return what draws a picture and tells what is wrong with it."""
    found = []
    monkeypatch.setattr(Drawing, "savefig", lambda figure, *_, **__: found.append(misfits(figure)))

    def draw(figure):
        write_figure(tmp_path / "picture.png", figure)
        return found.pop()

    return draw


def misfits(figure):
    width, height = figure.get_size_inches()
    found = [] if round(width, 3) in (3.5, 7.0) else [f"{width} inches wide"]
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    box = figure.get_tightbbox(canvas.get_renderer())
    if min(box.x0, box.y0, width - box.x1, height - box.y1) < -0.02:
        found.append(f"something from {box.min} to {box.max} on {width} x {height}")
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
    return found + [text.get_text() for text in texts if text.get_fontsize() < LEAST_POINTS]


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize(("groups", "series"), [(1, 9), (9, 10)])
def test_bars(drawn, groups, series, narrow):
    names = [f"FS-TDM {number}" for number in range(series)]
    bars = {name: [1.0 + 0.1 * place for place in range(groups)] for name in names}
    title = "Schedules of all classes, medium sizes (J. Supercomput., Table 5)"
    figure = marked_figure(
        title, APPS[-groups:], bars, half=dict.fromkeys(names, [0.05] * groups),
        unit="run time / mean of consecutive", published={names[0]: [1.2] * groups}, narrow=narrow,
    )  # fmt: skip
    assert not drawn(figure)


@pytest.mark.parametrize("panels", [1, 6])
def test_curves_points_and_dots(drawn, panels):
    names = [f"LLNL-Thunder-2007, EASY {number}" for number in range(panels)]
    curves = {f"qct {share} %, kept": [4.0, 2.0, 0.5] for share in range(10, 60, 10)}
    assert not drawn(
        line_figure("Logs", dict.fromkeys(names, curves), [0, 10, 20], "speed-up (%)", "turnaround")
    )
    x = np.arange(20.0)
    points = dict.fromkeys(APPS[:panels], (1e7 * x, x))
    assert not drawn(scatter_figure("BT", points, "run time, 10,000 cycles"))
    table = pd.DataFrame({"name": list(curves) * 2, "series": ["ours"] * 5 + ["published"] * 5, "value": 1.0})
    assert not drawn(dot_figure("Logs", dict.fromkeys(names, table.assign(half=0.1)), "needed (%)", line=0.0))


def test_curves_of_load_and_fronts_of_energy(drawn):
    rows = [
        {"curve": f"dragonfly:a=4,p=2,h=2, ugal {number}", "offered": load, "accepted": load, "mean": 30.0}
        | {"accepted_half_width": 0.01, "mean_half_width": 1.0, "p95": 60.0}
        for number in range(8)
        for load in (0.2, 0.5)
    ]
    for narrow in (False, True):
        assert not drawn(load_figure(rows, "uniform traffic on several networks", narrow=narrow))
    rules = [{"rule": rule, "energy %": 50.0, "wait more s": 60.0} for rule in ("always-on", "plan:late=2")]
    energy = pd.concat(pd.DataFrame(rules).assign(load=load, front="*") for load in (0.2, 0.4, 0.8))
    assert not drawn(front_figure("Energy against waiting", energy))
    names = [f"curve:hilbert,minimum-span:{number}" for number in range(12)]
    table = pd.DataFrame({"name": names, "look": range(12), "x": 1.0, "y": 2.0, "half": 0.5, "front": "*"})
    assert not drawn(trade_off_figure("torus:8x8", {"a": table, "b": table}, "wait", "slowdown"))


def test_panels_that_share_an_axis_show_all_of_each():
    table = pd.DataFrame({"name": ["a"], "series": ["ours"], "value": [1.0], "half": [0.1]})
    picture = Drawing()
    figure = dot_figure("Two", {"low": table, "high": table.assign(value=90.0)}, "cycles")
    for axes in draw(picture, figure):
        low, high = axes.get_xlim()
        assert low < 0.9
        assert high > 90.1


def test_intervals_may_be_longer_on_one_side():
    table = pd.DataFrame({"name": ["a"], "series": ["ours"], "value": [2.0], "low": [1.5], "high": [4.0]})
    (axes,) = draw(Drawing(), dot_figure("One", {"": table}, "slowdown", scale="log"))
    (segments,) = (mark.get_segments() for mark in axes.collections)
    assert segments[0][:, 0].tolist() == [1.5, 4.0]


def test_schedules(drawn):
    made = schedule(parse("torus:4x4x4"), lublin(64, 60, seed=1), "easy", "non-contiguous", keep_nodes=True)
    assert not drawn(gantt_figure(made, "lublin on torus:4x4x4, easy, non-contiguous"))
    assert not drawn(utilisation_figure(made, "lublin"))
    rows = [
        {"group": policy, "series": partition, "wait": 1e4, "wait_half_width": 1e3}
        for policy in ("fcfs", "easy", "conservative-places")
        for partition in ("contiguous", "curve:hilbert,best-fit", "nearly-contiguous:20")
    ]
    measures = [("wait (h)", "wait", "wait_half_width", 1 / 3600)] * 3
    assert not drawn(comparison_figure("lublin", pd.DataFrame(rows), measures))


@pytest.mark.parametrize("machine", ["mesh:4x4x4", "tree:4,3", "dragonfly:a=4,p=2,h=2"])
def test_machines(drawn, machine):
    topology = parse(machine)
    title = f"4x lu.A.16 on {machine}, partition quadrants, mapping column, a name that goes on " * 2
    assert not drawn(network_figure(topology, np.ones(topology.neighbor.shape), [[0], [1], [2]], title))
    assert not drawn(occupancy_figure(topology, np.arange(topology.nodes) // 9 - 1, title))
    names = ("curve:hilbert,best-fit: 20 nodes, 2.5 hops apart", "mc1x1", "quasi-contiguous:20", "random")
    assert not drawn(allocation_figure(topology, np.arange(5), [(name, [7, 8]) for name in names], title))


def test_a_mapping_and_jobs_that_share_a_machine(drawn):
    topology, W = parse("torus:4x4"), np.ones((16, 16))
    assert not drawn(mapping_figure(W, topology, np.ones(topology.neighbor.shape), [range(16)], "butterfly"))
    jobs = [
        JobRow(
            job=job, application="3d-sweep,packets=4", size=2, submit=0.0, wait=job, start=job, end=job + 2.0,
            nodes=(job, job + 1), contiguous=True, state="done", kills=0, start_cycle=0, end_cycle=9,
            alone=2.0, fresh=2.0, live=2 + job / 10, slowdown=1 + job / 20, half_width=0.0,
        )
        for job in range(20)
    ]  # fmt: skip
    assert not drawn(sharing_figure(jobs, "applications on torus:8x8: easy, random, fidelity live"))
    waiting = Waiting(
        window=1000,
        waited=8,
        charged=8,
        jobs=tuple((a, b, 1 + a * b) for a in range(30) for b in range(30)),
        over_time=((0, 1, 2, 5), (1, 1, 1, 3)),
        links=(LinkWaiting(router=0, port=0, own=3, others=5, over_time=(5,)),) * 20,
    )
    names = [f"switch {link} -> switch {link + 1}" for link in range(1000, 1020)]
    assert not drawn(waiting_figure(waiting, names, 3e-9, "dragonfly:a=4,p=2,h=2: waiting"))


def test_a_workload(drawn):
    assert not drawn(workload_figure(lublin(64, 200, seed=1), "lublin"))


ENDINGS = ("png", "pdf", "svg")  # figures take turns; the other two of each are slow


@pytest.mark.all
@pytest.mark.parametrize(
    ("figure", "ending"),
    [
        pytest.param(
            figure,
            ending,
            id=f"{figure.title[:12]}-{ending}",
            marks=() if ending == ENDINGS[number % 3] else pytest.mark.nightly,
        )
        for number, figure in enumerate(FIGURES)
        for ending in ENDINGS
    ],
)
def test_what_a_page_has_both_back_ends_draw_alike_each_time(tmp_path, figure, ending):
    drawn = [still(figure) for _ in range(2)]
    assert drawn[0] == drawn[1]
    paths = [tmp_path / f"{number}.{ending}" for number in range(2)]
    for path in paths:
        write_figure(path, figure)
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_intervals_without_a_word_on_what_they_are_are_refused():
    marks = [Curve(x=[0, 1], y=[1, 2], half=[None, 0.5])]
    with pytest.raises(ValueError, match="has intervals, expected `whiskers` with their meaning"):
        Figure(title="a", panels=[Panel(marks=marks)])
    figure = Figure(title="a", panels=[Panel(marks=marks)], whiskers="95 % intervals", caption="A curve.")
    assert figure.explained == "A curve. Whiskers: 95 % intervals."
    assert "whiskers: 95 % intervals" in still(figure)
    bare = Figure(title="a", panels=[Panel(marks=[Curve(x=[0], y=[1], half=[None])])], whiskers="no")
    assert not bare.explained


def test_a_notebook_gets_axes_that_it_shows():
    from matplotlib import pyplot

    pyplot.close("all")
    axes = axes_of(network_figure(parse("torus:4x4"), np.ones((16, 4)), title="a network"))
    assert pyplot.get_fignums() == [axes.figure.number]
    assert axes.figure.get_suptitle() == "a network"
    both = axes_of(utilisation_figure(schedule(parse("mesh:4"), lublin(4, 9, seed=1), "fcfs", "random")))
    assert [one.get_ylabel() for one in both] == ["share of the nodes", "jobs waiting"]
    pyplot.close("all")
