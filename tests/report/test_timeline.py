"""Timelines and critical paths of ``netplace run``: trace events as the format demands, and a picture."""

from __future__ import annotations

import json

import pytest

SMALL = ["run", "--network", "torus:4x4", "--app", "butterfly", "--tasks", "16"]


def test_trace_events_keep_to_the_format(netplace, tmp_path):
    """Phases, and what each must have, after the Trace Event Format (its document, and Perfetto's reader)."""
    path = tmp_path / "run.json"
    result = netplace(*SMALL, "--timeline", path, "--window", "20", "--json")
    assert result.exit_code == 0, result.stderr
    cycles = json.loads(result.stdout)["cycles"]
    events = json.loads(path.read_text())["traceEvents"]
    assert {event["ph"] for event in events} == {"M", "X", "b", "e", "C"}
    for event in events:
        assert isinstance(event["name"], str)
        assert isinstance(event["pid"], int)
        if event["ph"] == "M":
            assert event["name"] in ("process_name", "thread_name")
            assert event["args"]["name"]
        else:
            assert event["ts"] >= 0
    slices = [event for event in events if event["ph"] == "X"]
    assert {event["tid"] for event in slices} == set(range(16))
    assert max(event["ts"] + event["dur"] for event in slices) == pytest.approx(cycles * 3.2e-3)
    begun = {(e["cat"], e["id"]): e for e in events if e["ph"] == "b"}
    ended = {(e["cat"], e["id"]): e for e in events if e["ph"] == "e"}
    assert begun.keys() == ended.keys()
    assert len(begun) == 16 * 4
    assert all(ended[name]["ts"] > begun[name]["ts"] for name in begun)


def test_a_picture(netplace, tmp_path):
    path = tmp_path / "run.png"
    assert netplace(*SMALL, "--timeline", path).exit_code == 0
    assert path.stat().st_size > 5_000


def test_the_critical_path_adds_up(netplace):
    told = json.loads(netplace(*SMALL, "--critical-path", "--json", "--seeds", "2").stdout)
    assert len(told["critical_paths"]) == 2
    for path in told["critical_paths"]:
        assert sum(path["components"].values()) == path["cycles"]
    shown = netplace(*SMALL, "--critical-path")
    assert "critical path" in shown.stdout


def test_mistakes(netplace, tmp_path):
    shown = netplace(*SMALL, "--timeline", tmp_path / "run.txt")
    assert shown.exit_code == 2
    assert ".json" in shown.stderr
