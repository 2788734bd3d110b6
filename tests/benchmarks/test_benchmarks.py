"""The benchmarks run and report; how fast is not for the test suite to judge."""

import json

import pytest

from netplace.benchmarks import BENCHMARKS, mapping, service, traffic
from netplace.benchmarks.figure import figure


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


@pytest.mark.parametrize("name", ["memory", "halo", "idle", "come-and-go"])
def test_a_benchmark_measures_what_is_possible(netplace, name):
    shown = netplace("bench", "--quick", "--only", name, "--json")
    figures = json.loads(shown.stdout)["figures"]
    assert figures
    for found in figures:
        assert 0 < found["low"] <= found["value"] <= found["high"]


def test_requests_to_the_service(netplace, monkeypatch):
    for name, value in {"MACHINE": "mesh:8x8", "RULES": {"mm": 5.0}, "LARGEST": 9, "REQUESTS": 2000}.items():
        monkeypatch.setattr(service, name, value)
    shown = netplace("bench", "--quick", "--only", "service", "--json")
    cpu, mean, p95, p99 = json.loads(shown.stdout)["figures"]
    assert cpu["name"] == "requests to the service, mm, mesh:8x8, mean of 40"
    assert mean["value"] > 0
    assert 0 < p95["value"] <= p99["value"]


def test_an_unknown_benchmark(netplace):
    shown = netplace("bench", "--only", "satrated")
    assert shown.exit_code == 2
    assert "did you mean saturated" in shown.stderr
    assert list(BENCHMARKS)[:3] == ["saturated", "halo", "idle"]


def test_the_quality_of_mappings(netplace, monkeypatch):
    monkeypatch.setattr(mapping, "NETWORKS", ("torus:8x8",))
    monkeypatch.setattr(mapping, "APPLICATIONS", ["2d-torus", "binary-tree"])
    flags = ("--only", "applications", "--seeds", "2")
    rows = json.loads(netplace("bench", "mapping", *flags, "--json").stdout)["rows"]
    assert [row["problem"] for row in rows[1:]] == ["2d-torus on torus:8x8", "binary-tree on torus:8x8"]
    assert rows[0]["median"] == (rows[1]["median"] + rows[2]["median"]) / 2
    assert rows[0]["met"] == (rows[0]["median"] <= 0.9)
    for row in rows[1:]:
        assert row["cost"] > 0
        assert row["iterations"] >= 1
        assert row["cpu_seconds"] >= 0
    shown = netplace("bench", "mapping", *flags).stdout
    assert "-10.00%" in shown  # the goal
    assert "median of 2 seeds" in shown


def test_an_instance_has_its_goal(netplace, monkeypatch, tmp_path):
    (tmp_path / "tiny.dat").write_text("2 4\n0 1 1 0\n0 2 2 0\n")
    monkeypatch.setattr(mapping, "QAPLIB", tmp_path)
    flags = ("--only", "instances", "--quick", "--seconds", "0.01")
    [row] = json.loads(netplace("bench", "mapping", *flags, "--json").stdout)["rows"]
    assert (row["problem"], row["cost"], row["median"], row["seconds"]) == ("tiny", 4, 0, 0.01)
    assert row["goal"] is None  # only for 1 s and 10 s
    [row] = mapping.instances(seeds=1)
    assert (row.goal, row.met) == (0.0015, True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("maping",), "bench: unknown name 'maping'; did you mean mapping"),
        (("mapping", "--only", "instance"), "did you mean instances"),
        (("mapping", "--seeds", "0"), "--seeds: 0 is too small"),
        (("mapping", "--seconds", "1"), "--seconds: applies only to --only instances"),
        (("mapping", "--only", "instances", "--seconds", "0"), "--seconds: 0.0 is out of range"),
        (("--seeds", "3"), "--seeds: applies only to netplace bench mapping"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_mistake_is_one_sentence(netplace, arguments, words):
    shown = netplace("bench", *arguments)
    assert shown.exit_code == 2
    assert words in shown.stderr
    assert shown.stderr.count("\n") == 1
