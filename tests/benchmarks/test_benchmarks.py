"""The benchmarks run and report; how fast is not for the test suite to judge."""

from __future__ import annotations

import json

import pytest

from benchmarks import BENCHMARKS, traffic
from benchmarks.figure import figure


def test_a_figure_knows_whether_it_is_met():
    assert figure("speed", "x/s", [1, 5, 3], least=3).met is True
    assert figure("speed", "x/s", [1, 5, 2], least=3).met is False
    assert figure("time", "s", [1, 5, 3], most=2).met is False
    assert figure("time", "s", [2]).met is None
    assert figure("time", "s", [1, 5, 3], most=2).wanted == "at most 2"


def test_the_command_prints_figures(netplace, monkeypatch):
    monkeypatch.setattr(traffic, "SATURATED", {"torus:4x4": (500, 500, 8.0)})
    shown = netplace("bench", "--quick", "--only", "saturated")
    assert shown.exit_code == 0
    assert "uniform traffic, saturated, torus:4x4" in shown.stdout
    assert "at least 8" in shown.stdout


@pytest.mark.parametrize("name", ["memory", "halo", "idle"])
def test_a_benchmark_measures_what_is_possible(netplace, name):
    shown = netplace("bench", "--quick", "--only", name, "--json")
    figures = json.loads(shown.stdout)["figures"]
    assert figures
    for found in figures:
        assert 0 < found["low"] <= found["value"] <= found["high"]


def test_an_unknown_benchmark(netplace):
    shown = netplace("bench", "--only", "satrated")
    assert shown.exit_code == 2
    assert "did you mean saturated" in shown.stderr
    assert list(BENCHMARKS) == ["saturated", "halo", "idle", "application", "memory", "reference", "start"]
