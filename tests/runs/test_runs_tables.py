"""Tables: what is in them, written and read back, compared, and looked up."""

import math
import statistics

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from netplace.netsim import Config
from netplace.runs import execute, resolve, run_or_failure
from netplace.runs.campaign import complete
from netplace.runs.job_tables import job_table, job_time_table
from netplace.runs.resources import simulators
from netplace.runs.store import Store
from netplace.runs.tables import ENTRY, read_table, run_table, time_table, times_of, write_table

JOB = {"app": "2d-torus", "packets": 4, "rounds": 3, "mapping": "random"}
RUNS = [resolve("torus:4x4", JOB, seed=seed) for seed in range(4)]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with Store(tmp_path_factory.mktemp("tables") / "s.sqlite") as store:
        complete(RUNS, store, simulators(1))
        yield store


def row(run, cycles=None, failure=None):
    if cycles is None:
        return run, None, failure
    return run, {**run_or_failure(RUNS[0]).outcome, "cycles": cycles}, None


def test_a_row_says_what_ran_and_what_came_of_it(store):
    frame = run_table(store.rows(RUNS))
    result = execute(RUNS[2])
    found = frame.iloc[2]
    assert found[ENTRY].to_dict() == {
        "application": "2d-torus",
        "problem": "packets=4,rounds=3",
        "tasks": 16,
        "network": "torus:4x4",
        "partition": "whole",
        "shape": "",
        "mapping": "random",
        "settings": "",
    }
    assert (found["seed"], found["key"]) == (2, RUNS[2].key)
    assert (found["cycles"], found["packet_hops"]) == (result.cycles, result.packet_hops)
    assert found["mean_packet_delay"] == result.packet_delay.mean
    assert pd.isna(found["failure"])


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (resolve("torus:4x4", {"app": "lu,class=s"}), {"application": "lu", "problem": "S"}),
        (resolve("torus:4x4", {"trace": "is.w.16"}), {"application": "IS.W.16", "problem": ""}),
        (
            resolve("torus:4x4", {"trace": "is.w.16", "iterations": "1:2", "cpu_scale": 0.5}),
            {"problem": "1:2,cpu=0.5"},
        ),
        (
            resolve("torus:8x8", {**JOB, "tasks": 16}, partition="boxes:4x4@2,2"),
            {"partition": "boxes", "shape": "4x4@2,2", "tasks": 16},
        ),
        (
            resolve("torus:8x8", JOB, config=Config(vcs=3, vc_policy="random"), max_cycles=9000),
            {"settings": "vcs=3,vc_policy=random,max_cycles=9000"},
        ),
        (
            resolve(
                "torus:8x8",
                [{"app": "lu,class=S", "tasks": 4}] * 2 + [{"app": "bt,class=S", "tasks": 9, "start": 7}],
            ),
            {"application": "2x lu + 1x bt@7", "problem": "3x S", "tasks": 17, "mapping": "3x consecutive"},
        ),
    ],
)
def test_entries(run, expected):
    [entry] = run_table([(run, None, None)])[ENTRY].to_dict("records")
    assert {name: entry[name] for name in expected} == expected


def test_times_by_job_are_told_apart_by_what_ran_beside():
    small = {"app": "butterfly", "packets": 2, "tasks": 4}
    runs = [
        resolve("torus:4x4", [small, {**small, "app": other}], partition="quadrants", seed=seed)
        for other in ("butterfly", "gups,updates=5", "all-to-all")
        for seed in range(2)
    ]
    rows = [(run, run_or_failure(run).outcome, None) for run in runs[:4]] + [
        (run, None, "no") for run in runs[4:]
    ]
    frame = job_table(rows)
    assert len(frame) == 12
    assert frame["key"].drop_duplicates().tolist() == run_table(rows)["key"].tolist()
    by_run = {run.key: outcome for run, outcome, _ in rows if outcome}
    for key, cycles in frame.dropna(subset="cycles").groupby("key")["cycles"]:
        assert cycles.tolist() == [job["cycles"] for job in by_run[key]["jobs"]]
    times = job_time_table(frame)
    named = [text.split()[0] for text in times["beside"]]
    assert list(zip(times["application"], named, times["count"], times["failed"], strict=True)) == [
        ("butterfly", "all-to-all", 0, 2),
        ("all-to-all", "butterfly", 0, 2),
        ("butterfly", "gups", 2, 0),
        ("gups", "butterfly", 2, 0),
        ("butterfly", "butterfly", 2, 0),
        ("butterfly", "butterfly", 2, 0),
    ]
    with pytest.raises(ValueError, match="t: holds times by job"):
        times_of(times, "t")


def test_a_trace_tells_its_tasks_once_it_has_run():
    runs = [resolve("torus:4x4", {"trace": "is.w.16", "iterations": "1:1"}, seed=seed) for seed in range(2)]
    ended = run_or_failure(runs[0])
    frame = run_table([(runs[0], ended.outcome, None), (runs[1], None, None)])
    assert frame["tasks"].tolist() == [16, 16]


def test_run_times_count_what_ended_failed_and_is_missing():
    runs = [resolve("torus:4x4", JOB, seed=seed) for seed in range(6)]
    other = resolve("mesh:4x4", JOB)
    rows = [row(runs[0], 100), row(runs[1], 110), row(runs[2], 126), row(runs[3], failure="no"), row(runs[4])]
    [mesh, torus] = time_table(run_table([*rows, row(other)])).to_dict("records")
    assert (torus["count"], torus["failed"], torus["missing"]) == (3, 1, 1)
    assert torus["mean"] == pytest.approx(112)
    assert torus["std"] == pytest.approx(statistics.stdev([100, 110, 126]))
    assert (torus["min"], torus["max"]) == (100, 126)
    assert (mesh["count"], mesh["failed"], mesh["missing"]) == (0, 0, 1)
    assert math.isnan(mesh["mean"])
    assert pd.isna(mesh["min"])


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
@pytest.mark.parametrize("make", [lambda runs: runs, time_table])
def test_a_table_is_read_back_as_it_was_written(tmp_path, store, ending, make):
    missing = resolve("torus:4x4", {"trace": "is.w.16"})
    failed = resolve("torus:4x4", {**JOB, "mapping": "shuffle"})
    frame = make(
        run_table([*store.rows(RUNS), (missing, None, None), (failed, None, "text, with\n a line and 007")])
    )
    path = tmp_path / f"t{ending}"
    write_table(frame, path)
    found = read_table(path)
    assert_frame_equal(found, frame, check_dtype=False)
    assert_frame_equal(times_of(found, path), times_of(frame, path), check_dtype=False)
    again = tmp_path / f"again{ending}"
    write_table(frame, again)
    assert again.read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("t.csv", "a,b\n1,2\n", "is not a table of runs or run times: it lacks the columns application"),
        (
            "t.csv",
            ",".join([*ENTRY, "seed", "cycles", "failure"]) + "\n" + "x," * 10,
            "row 1, tasks: .x. is not a whole number",
        ),
    ],
)
def test_a_file_that_is_no_table(tmp_path, name, content, words):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(ValueError, match=words) as caught:
        times_of(read_table(path), path)
    assert str(path) in str(caught.value)


def test_a_table_that_is_not_there(tmp_path):
    for name in ("t.csv", "t.parquet"):
        with pytest.raises(ValueError, match=f"{name}: cannot be read"):
            read_table(tmp_path / name)
