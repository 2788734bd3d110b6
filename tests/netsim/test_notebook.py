"""What notebooks show of results."""

from __future__ import annotations

from netplace.apps import application
from netplace.checks.notebook import html_table
from netplace.netsim import simulate
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


def test_a_schedule_shows_its_figures():
    made = schedule(parse("torus:4x4"), [Job(1, 0, 16, 3600), Job(2, 0, 16, 3600)], "fcfs", "non-contiguous")
    text = made._repr_html_()
    assert "2 jobs on torus:4x4, fcfs" in text
    assert ">1,800<" in text  # mean wait
    assert ">100<" in text  # held
