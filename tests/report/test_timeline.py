"""Timelines and critical paths of ``netplace run``: trace events as the format demands, and a picture."""

import json
import math
from itertools import product

import pytest
from answers import refused

SMALL = ["run", "--network", "torus:4x4", "--app", "butterfly", "--tasks", "16"]


NUMBER = (int, float)
EVERY = {"name": str, "ph": str, "pid": int}
# By phase, what an event has and may have besides, after the document that defines the Trace Event Format.
PHASES = {
    "X": (EVERY | {"cat": str, "ts": NUMBER, "dur": NUMBER, "tid": int}, {"args": dict}),
    "b": (EVERY | {"cat": str, "ts": NUMBER, "id": (str, int), "tid": int}, {"args": dict}),
    "e": (EVERY | {"cat": str, "ts": NUMBER, "id": (str, int), "tid": int}, {"args": dict}),
    "C": (EVERY | {"ts": NUMBER, "args": dict}, {"id": (str, int)}),
    "M": (EVERY | {"tid": int, "args": dict}, {}),
}
NAMED = {"process_name": "name", "thread_name": "name"}  # of metadata: what their arguments hold


def complaint(event):
    """Return what is wrong with an event by itself."""
    if event.get("ph") not in PHASES:
        return "phase"
    needed, more = PHASES[event["ph"]]
    if not needed.keys() <= event.keys() <= needed.keys() | more.keys():
        return "keys"
    known = needed | more
    if any(isinstance(value, bool) or not isinstance(value, known[key]) for key, value in event.items()):
        return "types"
    if not (event.get("ts", 0) >= 0 and event.get("dur", 0) >= 0 and event["pid"] > 0):
        return "numbers"
    if event["ph"] == "C" and not all(isinstance(value, NUMBER) for value in event["args"].values()):
        return "counters"
    if event["ph"] == "M" and set(event["args"]) != {NAMED.get(event["name"])}:
        return "metadata"
    return ""


def asynchronous(events):
    """Return begin and end by category and identity, each there once and in that order in the file."""
    pairs = {}
    for event in events:
        if event["ph"] == "b":
            assert (event["cat"], event["id"]) not in pairs
            pairs[event["cat"], event["id"]] = [event]
        elif event["ph"] == "e":
            pair = pairs[event["cat"], event["id"]]
            assert len(pair) == 1
            assert all(pair[0][key] == event[key] for key in ("name", "pid", "tid"))
            pair.append(event)
    return pairs


@pytest.mark.parametrize(
    ("network", "jobs"), [("torus:4x4", 1), ("tree:4,2", 2), ("dragonfly:a=4,p=2,h=2", 3)]
)
def test_trace_events_keep_to_the_format(netplace, tmp_path, network, jobs):
    """Every event by its phase, and pairs, tracks and times of all together."""
    path, tasks = tmp_path / "run.json", 16 // 2 ** (jobs - 1)
    words = ["run", "--network", network, "--jobs", f"{jobs}x:butterfly", "--tasks", tasks]
    result = netplace(*words, "--timeline", path, "--window", "20", "--json")
    assert result.exit_code == 0, result.stderr
    cycles = json.loads(result.stdout)["cycles"]
    file = json.loads(path.read_text(), parse_constant=pytest.fail)  # neither NaN nor infinity
    events = file["traceEvents"]
    assert file["displayTimeUnit"] in ("ms", "ns")
    assert file.keys() == {"traceEvents", "displayTimeUnit"}
    assert {event["ph"] for event in events} == set(PHASES)
    assert not {complaint(event) for event in events} - {""}
    slices = [event for event in events if event["ph"] == "X"]
    # One slice a track: none that overlaps another without nesting, which readers drop.
    assert [(one["pid"], one["tid"]) for one in slices] == list(product(range(1, jobs + 1), range(tasks)))
    assert max(one["ts"] + one["dur"] for one in slices) == pytest.approx(cycles * 3.2e-3)
    pairs = asynchronous(events)
    assert all(len(pair) == 2 and pair[0]["ts"] < pair[1]["ts"] for pair in pairs.values())
    assert len(pairs) == jobs * tasks * int(math.log2(tasks))
    named = {(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name"}
    assert named == {(one["pid"], one["tid"]) for one in slices}
    links = {event["pid"] for event in events if event["ph"] == "C"}
    assert links == {jobs + 1}
    assert {e["pid"] for e in events if e["name"] == "process_name"} == {*range(1, jobs + 1), *links}


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
    refused(netplace(*SMALL, "--timeline", tmp_path / "run.txt"), ".json")
