"""The study of contiguity on shared networks: streams, partitioners, comparisons; small."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from netplace.experiments.contiguity.cases import LEAST_SHARE, LOAD, Cell, steady_weeks, stream_of
from netplace.experiments.contiguity.study import cells
from netplace.experiments.contiguity.tables import PARTS, compared, misled, report_of, values_of
from netplace.experiments.shared.archive_logs import ArchiveLog, logs_of
from netplace.report.studies import STUDIES
from netplace.report.studies.study import make_request
from netplace.scheduling import Contiguity, Job
from netplace.scheduling.partitioner import make_partitioner
from netplace.scheduling.workload.summary import load
from netplace.topologies import parse

MODEL = ArchiveLog("model")


def test_a_stream_has_the_load_and_no_short_jobs():
    (week,) = steady_weeks(MODEL, 256, 1)
    jobs = stream_of(MODEL, 256, week, 30, 1e-5)
    assert len(jobs) == 30
    assert jobs.nodes.min() > 1
    assert jobs.nodes.max() <= 128
    assert load(jobs, 256) == pytest.approx(LOAD)
    assert jobs.run_time.min() >= LEAST_SHARE * 1e-5


def test_the_mean_run_time_is_that_of_the_log():
    jobs = stream_of(MODEL, 256, 0, 1_000_000, 1e-5)
    mean = np.average(jobs.run_time, weights=jobs.nodes * jobs.run_time)
    assert 1e-5 <= mean <= (1 + LEAST_SHARE) * 1e-5  # the divisor counts the short jobs, too


def test_jobs_fill_as_much_of_a_machine_as_they_did_of_their_own():
    (week,) = steady_weeks(MODEL, 256, 1)
    small, large = (stream_of(MODEL, nodes, week, 300, 1e-5) for nodes in (256, 1024))
    assert np.array_equal(small.run_time, large.run_time)
    assert np.array_equal(4 * small.nodes, large.nodes)


def test_fewer_weeks_are_the_first_of_more():
    assert steady_weeks(MODEL, 256, 2)[:1] == steady_weeks(MODEL, 256, 1)


def test_a_log_of_too_few_steady_weeks_is_refused():
    with pytest.raises(ValueError, match=r"log model: has \d+ steady weeks .* expected 500"):
        steady_weeks(MODEL, 72, 500)


def test_groups_of_a_dragonfly_are_held_as_a_tree_holds_its_subtrees():
    machine = parse("dragonfly:a=4,p=2,h=2")
    groups = make_partitioner("groups", machine)
    held = [groups.find(Job(number, 0.0, 5, 1.0)) for number in range(3)]
    groups.take(held[0])
    assert set(held[0].nodes // 8) == {0}
    second = groups.find(Job(3, 0.0, 5, 1.0))
    assert set(second.nodes // 8) == {1}  # three nodes are left in the first group
    assert groups.find(Job(4, 0.0, 2, 1.0)).nodes.tolist() == [6, 7]  # one switch
    outside = make_partitioner("groups:50", machine)
    assert Contiguity(machine).of(outside.find(Job(5, 0.0, 5, 1.0)).nodes)


def test_pages_of_a_dragonfly_are_its_switches():
    machine = parse("dragonfly:a=4,p=2,h=2")
    assert make_partitioner("switches", machine).find(Job(0, 0.0, 3, 1.0)).nodes.tolist() == [0, 1, 2, 3]
    with pytest.raises(ValueError, match="networks of groups, not on torus:4x4"):
        make_partitioner("switches", parse("torus:4x4"))


@pytest.fixture(scope="module")
def made():
    """Return cells of two contestants and two weeks on a small tree."""
    return [
        ("tree", name, cell, cell.run())
        for week in steady_weeks(MODEL, 256, 2)
        for name, rule in (("boxes", "contiguous"), ("random", "random"))
        for cell in [Cell("thintree:16,8,2", MODEL, week, 20, 1e-5, "0.3", "easy", rule)]
    ]


def test_all_contestants_have_the_same_jobs_and_the_table_what_they_take_alone(made):
    for first, second in ((made[0], made[1]), (made[2], made[3])):
        assert first[3]["jobs"]["size"] == second[3]["jobs"]["size"]
        assert np.allclose(first[3]["kinds"]["compact"]["run"], second[3]["kinds"]["compact"]["run"], atol=0)
    for *_, outcome in made:
        assert outcome["rejected"] == 0
        assert np.allclose(outcome["kinds"]["table"]["run"], outcome["jobs"]["alone"], atol=0)
        assert np.allclose(outcome["kinds"]["live"]["run"], outcome["jobs"]["live"], rtol=0, atol=4e-9)


def test_the_parts_add_up_to_all_node_seconds(made):
    for (*_, outcome), row in zip(made, values_of(made).to_dict("records"), strict=True):
        live, compact = (
            {name: np.array(values) for name, values in outcome["kinds"][kind].items()}
            for kind in ("live", "compact")
        )
        size = np.array(outcome["jobs"]["size"])
        spent = float(
            (live["held"] * live["run"] + size * live["wait"]).sum() / (size * compact["run"]).sum()
        )
        assert 1 + sum(row[part] for part in PARTS) == pytest.approx(spent, rel=1e-3)


def values(live: list[float], table: list[float]) -> pd.DataFrame:
    """Return values of four streams of two logs in boxes, and elsewhere the turnarounds that are given."""
    rows = [
        {
            "machine": "tree",
            "communication": "0.3",
            "contestant": name,
            "log": log,
            "week": week,
            "rejected": 0,
            "cpu": 1.0,
        }
        | dict.fromkeys((*PARTS, "queued", "slowdown", "slowed", "compact"), 1.0)
        | {
            "live": live[place] if name == "random" else 1.0,
            "table": table[place] if name == "random" else 1.0,
        }
        for name in ("boxes", "random")
        for place, (log, week) in enumerate((log, week) for log in "AB" for week in (1, 2))
    ]
    return pd.DataFrame(rows)


def test_logs_are_blocks():
    """The values are 10 % and 30 % above boxes; they vary by 1 % within logs, with two degrees of freedom."""
    gaps = np.array([0.09, 0.11, 0.29, 0.31])
    found = compared(values(np.exp(gaps).tolist(), [1.0] * 4), "live").iloc[0]
    error = np.sqrt(4 * 0.01**2 / 2 / 4)
    assert found["to boxes"] == pytest.approx(np.exp(0.2))
    assert np.log(found["to"]) == pytest.approx(0.2 + stats.t.ppf(0.975, 2) * error)
    assert found["p"] == pytest.approx(2 * stats.t.sf(0.2 / error, 2))
    assert found["verdict"] == "clearly more"


def test_equal_turnarounds_are_equal_and_one_stream_a_log_says_nothing():
    frame = values([1.0] * 4, [1.1] * 4)
    assert compared(frame, "live")["verdict"].tolist() == ["equal"]
    one = frame[frame["week"] == 1].assign(live=[1.0, 1.0, 1.2, 1.3])
    assert compared(one, "live")["verdict"].tolist() == ["one run"]


@pytest.mark.parametrize(
    ("live", "table", "verdicts"),
    [
        ([1.19, 1.21, 1.19, 1.21], [0.99, 1.01, 0.98, 1.03], [("within chance", "clearly more")]),
        ([1.0, 1.02, 1.01, 1.03], [1.0, 1.03, 1.0, 1.015], []),  # neither is clear
        # Clear against not clear, but no clear difference between the two.
        ([1.05, 1.06, 1.05, 1.06], [0.9, 1.2, 0.9, 1.2], [("within chance", "within chance")]),
    ],
)
def test_a_table_misleads_only_if_the_interaction_is_clear(live, table, verdicts):
    frame = values(live, table)
    found = misled(frame, compared(frame, "live"))
    found = found[found["times"] == "table"]
    assert list(zip(found["verdict before"], found["verdict"], strict=True)) == verdicts


@pytest.mark.all
def test_all_published_tables_follow_from_the_published_values():
    folder = Path(__file__).parents[2] / "docs/studies/contiguity"
    report = report_of(pd.read_csv(folder / "values.csv"))
    for made in report.tables:
        kept = pd.read_csv(folder / f"{made.name}.csv", keep_default_na=False)
        pd.testing.assert_frame_equal(made.frame.reset_index(drop=True), kept, rtol=1e-9, check_dtype=False)
    text = (folder / "report.md").read_text(encoding="utf-8")
    assert all(sentence in text for sentence in report.summary)


def test_weeks_of_a_log_can_be_asked_for_and_run_slowest():
    study = STUDIES["contiguity"]
    request = make_request(study, ("tree",), logs=("model,weeks=2",))
    found = cells(request)
    assert len(found) == 2 * 2 * 5
    assert len({cell.week for *_, cell in found[:10]}) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("none.swf", "there is no file none.swf"),
        ("model,colour=2", "'colour=2' is not understood"),
        ("model,weeks=0", "weeks: 0 is too small"),
    ],
)
def test_a_log_that_cannot_be_used_is_refused(text, said):
    with pytest.raises(ValueError, match=said):
        logs_of(make_request(STUDIES["contiguity"], logs=(text,)))


def test_a_study_that_reads_no_log_refuses_one():
    with pytest.raises(ValueError, match="study fabrics: takes no --log"):
        make_request(STUDIES["fabrics"], logs=("model",))
