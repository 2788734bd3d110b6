"""Pictures in print: as wide as a page or a column, nothing cut off, no text too small to read."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from netplace.cosim import JobRow
from netplace.cosim.waiting import LinkWaiting, Waiting
from netplace.report.plots.allocations import draw_allocations
from netplace.report.plots.bars import draw_bars
from netplace.report.plots.comparison import draw_comparison
from netplace.report.plots.cosim import draw_sharing
from netplace.report.plots.dots import draw_dots
from netplace.report.plots.fronts import draw_fronts
from netplace.report.plots.lines import draw_lines
from netplace.report.plots.load import draw_load
from netplace.report.plots.mapping import draw_mapping
from netplace.report.plots.network_map import draw_network
from netplace.report.plots.occupancy import draw_occupancy
from netplace.report.plots.scatter import draw_scatter
from netplace.report.plots.schedule import GANTT_COLOURS, draw_gantt, draw_utilisation
from netplace.report.plots.waiting import draw_waiting
from netplace.report.plots.workload import draw_workload
from netplace.scheduling import schedule
from netplace.scheduling.workload.lublin import lublin
from netplace.topologies import parse

LEAST_POINTS = 6
APPS = ["BT", "LU", "SP", "CG", "MG", "FT", "IS", "2d-torus\npackets=4,rounds=5\nmesh:4x4", "all-to-all"]


@pytest.fixture
def drawn(monkeypatch, tmp_path):
    """Return what draws a picture and tells what is wrong with it."""
    found = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, *_, **__: found.append(misfits(figure)))

    def draw(function, *arguments, **options):
        function(tmp_path / "picture.png", *arguments, **options)
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


def bars(groups, series):
    return {name: [(1.0 + 0.1 * place, 0.05) for place, _ in enumerate(groups)] for name in series}


@pytest.mark.parametrize("column", [False, True])
@pytest.mark.parametrize(("groups", "series"), [(1, 9), (9, 3), (9, 10)])
def test_bars(drawn, groups, series, column):
    names = [f"FS-TDM {number}" for number in range(series)]
    values = bars(APPS[-groups:], names)
    reference = {names[0]: [1.2] * groups}
    assert not drawn(
        draw_bars,
        APPS[-groups:],
        values,
        "Schedules of all classes, medium sizes (J. Supercomput., Table 5)",
        "run time / mean of consecutive",
        reference,
        column=column,
    )


@pytest.mark.parametrize("panels", [1, 2, 6])
def test_curves_points_and_dots(drawn, panels):
    names = [f"LLNL-Thunder-2007, EASY {number}" for number in range(panels)]
    curves = {f"qct {share} %, kept": [4.0, 2.0, 0.5] for share in range(10, 60, 10)}
    assert not drawn(
        draw_lines, dict.fromkeys(names, curves), [0, 10, 20], "speed-up (%)", "turnaround", "Logs"
    )
    x = np.arange(20.0)
    assert not drawn(
        draw_scatter, dict.fromkeys(APPS[:panels], (1e7 * x, x)), "", "run time, 10,000 cycles", "BT"
    )
    table = pd.DataFrame({"name": list(curves) * 2, "series": ["ours"] * 5 + ["published"] * 5, "value": 1.0})
    assert not drawn(draw_dots, dict.fromkeys(names, table.assign(half=0.1)), "needed (%)", "Logs", line=0.0)


def test_curves_of_load_and_fronts_of_energy(drawn):
    rows = [
        {"curve": f"dragonfly:a=4,p=2,h=2, ugal {number}", "offered": load, "accepted": load, "mean": 30.0}
        for number in range(8)
        for load in (0.2, 0.5)
    ]
    frame = pd.DataFrame(rows).assign(accepted_half_width=0.01, mean_half_width=1.0, p95=60.0)
    for column in (False, True):
        assert not drawn(draw_load, frame, "uniform traffic on several networks", column=column)
    rules = [{"rule": rule, "energy %": 50.0, "wait more s": 60.0} for rule in ("always-on", "plan:late=2")]
    energy = pd.concat(pd.DataFrame(rules).assign(load=load, front="*") for load in (0.2, 0.4, 0.8))
    assert not drawn(draw_fronts, energy, "Energy against waiting")


def test_schedules(drawn):
    made = schedule(parse("torus:4x4x4"), lublin(64, 60, seed=1), "easy", "non-contiguous", keep_nodes=True)
    for colour in GANTT_COLOURS:
        assert not drawn(draw_gantt, made, "lublin on torus:4x4x4, easy, non-contiguous", colour=colour)
    assert not drawn(draw_utilisation, made, "lublin")
    rows = [
        {
            "group": policy,
            "series": partition,
            "wait_mean": 1e4,
            "bounded_slowdown_mean": 3.0,
            "utilisation": 0.5,
        }
        for policy in ("fcfs", "easy", "conservative-places")
        for partition in ("contiguous", "curve:hilbert,best-fit", "nearly-contiguous:20")
    ]
    for column in (False, True):
        assert not drawn(
            draw_comparison, pd.DataFrame(rows).assign(bounded_slowdown_mean=3.0), "lublin", column=column
        )


@pytest.mark.parametrize("machine", ["torus:8x8", "mesh:4x4x4", "tree:4,3", "dragonfly:a=4,p=2,h=2"])
def test_machines(drawn, machine):
    topology = parse(machine)
    title = f"4x lu.A.16 on {machine}, partition quadrants, mapping column, a name that goes on " * 2
    assert not drawn(draw_network, topology, np.ones(topology.neighbor.shape), [[0], [1], [2]], title)
    assert not drawn(draw_occupancy, topology, np.arange(topology.nodes) // 9 - 1, title)
    names = ("curve:hilbert,best-fit: 20 nodes, 2.5 hops apart", "mc1x1", "quasi-contiguous:20", "random")
    assert not drawn(draw_allocations, topology, np.arange(5), [(name, [7, 8]) for name in names], title)


def test_a_mapping_and_jobs_that_share_a_machine(drawn):
    topology, W = parse("torus:4x4"), np.ones((16, 16))
    assert not drawn(draw_mapping, W, topology, np.ones(topology.neighbor.shape), [range(16)], "butterfly")
    jobs = [
        JobRow(
            job=job, application="3d-sweep,packets=4", size=2, submit=0.0, wait=job, start=job, end=job + 2.0,
            nodes=(job, job + 1), contiguous=True, state="done", kills=0, start_cycle=0, end_cycle=9,
            alone=2.0, fresh=2.0, live=2 + job / 10, slowdown=1 + job / 20, half_width=0.0,
        )
        for job in range(20)
    ]  # fmt: skip
    assert not drawn(draw_sharing, jobs, "applications on torus:8x8: easy, random, network time live")
    waiting = Waiting(
        window=1000,
        waited=8,
        charged=8,
        jobs=tuple((a, b, 1 + a * b) for a in range(30) for b in range(30)),
        over_time=((0, 1, 2, 5), (1, 1, 1, 3)),
        links=(LinkWaiting(router=0, port=0, own=3, others=5, over_time=(5,)),) * 20,
    )
    names = [f"switch {link} -> switch {link + 1}" for link in range(1000, 1020)]
    assert not drawn(draw_waiting, waiting, names, 3e-9, "dragonfly:a=4,p=2,h=2: waiting")


def test_a_workload(drawn):
    assert not drawn(draw_workload, lublin(64, 200, seed=1), "lublin")
