"""What documents name in Python, and what they promise of pictures."""

import time

import numpy as np
import pytest

from netplace.apps import application
from netplace.netsim import simulate
from netplace.report import plots
from netplace.report.files.held import read_held
from netplace.report.files.timeline import run_figure
from netplace.report.pages import page_of
from netplace.report.plots.machines import occupancy_figure
from netplace.report.plots.networks import network_figure, traffic_figure
from netplace.report.plots.schedules import gantt_figure, holders, workload_figure
from netplace.scheduling import schedule
from netplace.scheduling.workload.lublin import lublin
from netplace.topologies import parse


def test_figures_are_drawn_from_what_the_api_returns():
    from matplotlib import pyplot

    pyplot.close("all")  # what other tests have left open
    machine, program = parse("torus:4x4"), application("2d-torus", 16)
    run = simulate(machine, program, record_messages=True, window=50)
    made = schedule(machine, lublin(16, 30, seed=1), "easy", "non-contiguous", keep_nodes=True)
    jobs = [job.nodes for job in run.jobs]
    drawn = {
        "network": plots.axes_of(network_figure(machine, run.link_load, jobs)),
        "traffic": plots.axes_of(traffic_figure(program.traffic().W)),
        "timeline": plots.axes_of(run_figure(run, [program], 50))[0],
        "gantt": plots.axes_of(gantt_figure(made))[0],
        "occupancy": plots.axes_of(occupancy_figure(machine, holders(made, float(made.start[3])))),
        "workload": plots.axes_of(workload_figure(lublin(16, 30, seed=1)))[0],
    }
    assert len(pyplot.get_fignums()) == len(drawn)  # which a notebook shows
    assert all(axes.has_data() for axes in drawn.values())
    assert drawn["timeline"].get_ylim() == (15.5, -0.5)
    assert drawn["network"].figure.get_suptitle() == "torus:4x4"
    pyplot.close("all")


def test_other_names_are_not():
    with pytest.raises(AttributeError, match="has no attribute 'draw_nothing'"):
        _ = plots.draw_nothing


@pytest.mark.parametrize("ending", ["svg", "pdf", "png"])
def test_the_same_picture_is_the_same_bytes(tmp_path, ending, monkeypatch):
    machine = parse("torus:4x4")
    load = np.arange(machine.neighbor.size).reshape(machine.neighbor.shape) * 1.0
    made = []
    for seconds in (0, 90_000):
        now = 1.7e9 + seconds
        monkeypatch.setattr(time, "time", lambda now=now: now)
        path = tmp_path / f"{seconds}.{ending}"
        plots.write_figure(path, network_figure(machine, load, [np.arange(4)], "a network"))
        made.append((tmp_path / f"{seconds}.{ending}").read_bytes())
    assert made[0] == made[1]
    assert b"CreationDate" not in made[0]
    assert b"dc:date" not in made[0]


def test_a_page_is_of_a_path_or_its_text(netplace, tmp_path):
    written = tmp_path / "x.json"
    assert (
        netplace("run", "--network", "torus:4x4", "--app", "2d-torus", "--json", "-o", written).exit_code == 0
    )
    assert page_of(str(written)).question == page_of(written).question


HOSTS = ("tux0", "tux1", "tux2", "tux3", "login")


@pytest.mark.parametrize(
    ("text", "holder"),
    [
        ("tux[0-1]\nlogin # one\n", [0, 0, -1, -1, 1]),
        ("tux[0,3],tux2\n\n1\n", [0, 1, 0, 0, -1]),
        ("0-2\n4\n", [0, 0, 0, -1, 1]),
    ],
)
def test_held_nodes_are_numbers_or_hosts(tmp_path, text, holder):
    (tmp_path / "held").write_text(text)
    assert read_held(tmp_path / "held", 5, HOSTS).tolist() == holder


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tux[0-4]\n", r":1: 'tux4' is not a host of the machine, expected a host such as tux0"),
        ("tux0\ntux[0-1]\n", ":2: node tux0 appears twice"),
    ],
)
def test_mistakes_in_held_hosts_are_told(tmp_path, text, words):
    (tmp_path / "held").write_text(text)
    with pytest.raises(ValueError, match=words):
        read_held(tmp_path / "held", 5, HOSTS)
