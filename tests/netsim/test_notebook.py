"""What notebooks show of results."""

from netplace.apps import application
from netplace.netsim import simulate
from netplace.notebook import html_table
from netplace.placement.metrics import metrics
from netplace.report.pages.html import DataTable, Page
from netplace.report.plots.charts import bar_figure
from netplace.scheduling import Job, schedule
from netplace.topologies import parse


def test_names_are_escaped_and_numbers_read():
    text = html_table("<b>", [("a & b", 1234567), ("c", 0.125), ("d", float("nan")), ("e", "<i>")])
    assert "&lt;b&gt;" in text
    assert "a &amp; b" in text
    assert "1,234,567" in text
    assert ">-<" in text
    assert "<i>" not in text


def test_a_run_shows_what_it_took():
    found = simulate(parse("torus:4x4"), application("2d-torus", 16))
    text = found._repr_html_()
    assert f"{found.cycles:,}" in text
    assert "2d-torus on torus:4x4" in text


def test_a_program_shows_who_writes_to_whom():
    text = application("butterfly", 8)._repr_html_()
    assert text.count("<title>") == 24  # three partners of each of eight tasks
    assert "0 to 1: " in text
    assert application("2d-torus", 4096)._repr_html_().count("<title>") > 64  # of many tasks, blocks
    assert application("all-to-all", 100)._repr_html_().count("<title>") <= 64 * 64


def test_metrics_are_shown():
    text = metrics(parse("torus:4x4"), range(4))._repr_html_()
    assert ">AD<" in text
    assert "TAD" not in text  # nothing is known of traffic


def test_a_page_shows_its_pictures_and_tables():
    bars = bar_figure("<times>", ["a"], {"x": [1.0]})
    text = Page("LU", ["It holds."], [("seed", "1")], [bars, DataTable("t", ["v"], [[3]])])._repr_html_()
    assert "<svg" in text
    assert "&lt;times&gt;" in text
    assert "It holds." in text
    assert "<td>3</td>" in text


def test_a_schedule_shows_its_figures():
    made = schedule(parse("torus:4x4"), [Job(1, 0, 16, 3600), Job(2, 0, 16, 3600)], "fcfs", "non-contiguous")
    text = made._repr_html_()
    assert "2 jobs on torus:4x4, fcfs" in text
    assert ">1,800<" in text  # mean wait
    assert ">100<" in text  # held
