"""The study of contiguity on shared networks: streams, partitioners, comparisons; small."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from netplace.experiments.contiguity.cases import LOAD, Cell, steady_weeks, stream_of
from netplace.experiments.contiguity.study import MACHINES, cells, longer_cells, longer_table
from netplace.experiments.contiguity.tables import compared, figures_of, points, turned
from netplace.experiments.shared.archive_logs import ArchiveLog, asked_logs
from netplace.scheduling import Contiguity, Job
from netplace.scheduling.partitioner import make_partitioner
from netplace.scheduling.workload.summary import load
from netplace.studies import STUDIES
from netplace.studies.study import ask
from netplace.topologies import parse

MODEL = ArchiveLog("model")


def test_a_stream_has_the_load_and_the_mean_run_time_that_are_asked_for():
    (week,) = steady_weeks(MODEL, 256, 1)
    jobs = stream_of(MODEL, 256, week, 30, 1e-5).jobs
    assert len(jobs) == 30
    assert jobs.nodes.min() > 1
    assert jobs.nodes.max() <= 128
    assert load(jobs, 256) == pytest.approx(LOAD)
    assert np.average(jobs.run_time, weights=jobs.nodes * jobs.run_time) == pytest.approx(1e-5)


def test_jobs_fill_as_much_of_a_machine_as_they_did_of_their_own():
    (week,) = steady_weeks(MODEL, 256, 1)
    sizes = []
    for nodes in (256, 1024):
        stream = stream_of(MODEL, nodes, week, 300, 1e-5)
        seconds = np.round(stream.jobs.run_time * stream.faster, 3)
        sizes.append(dict(zip(seconds.tolist(), stream.jobs.nodes.tolist(), strict=True)))
    both = sizes[0].keys() & sizes[1].keys()
    assert len(both) > 100
    assert all(sizes[1][one] == 4 * sizes[0][one] for one in both)


def test_fewer_weeks_are_the_first_of_more():
    assert steady_weeks(MODEL, 72, 2)[:1] == steady_weeks(MODEL, 72, 1)


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
    found = []
    for week in steady_weeks(MODEL, 256, 2):
        for name in ("boxes", "random"):
            partition = MACHINES["tree"].partitions[name]
            cell = Cell("thintree:16,8,2", MODEL, week, 20, 1e-5, "0.3", "easy", partition)
            found.append(("tree", name, cell, cell.run()))
    return found


def test_all_contestants_have_the_same_jobs_and_the_table_what_they_take_alone(made):
    for first, second in ((made[0], made[1]), (made[2], made[3])):
        assert first[3]["jobs"]["size"] == second[3]["jobs"]["size"]
        assert np.allclose(first[3]["kinds"]["logged"]["run"], second[3]["kinds"]["logged"]["run"], atol=0)
    for *_, outcome in made:
        assert outcome["rejected"] == 0
        assert np.allclose(outcome["kinds"]["table"]["run"], outcome["jobs"]["alone"], atol=0)
        assert np.allclose(outcome["kinds"]["live"]["run"], outcome["jobs"]["live"], rtol=0, atol=4e-9)


def test_verdicts_are_a_family_a_kind_of_times(made):
    frame = figures_of(made)
    beside = compared(frame)
    assert beside.groupby("times").size().to_dict() == {"live": 1, "logged": 1, "table": 1}
    assert (beside["from"] <= beside["to boxes"]).all()
    live = frame[frame["times"] == "live"].pivot(index="week", columns="contestant", values="turnaround")
    ratio = np.exp(np.log(live["random"] / live["boxes"]).mean())
    assert beside.set_index("times").loc["live", "to boxes"] == pytest.approx(ratio)
    assert set(points(frame)["front"]) <= {"", "*"}


def test_what_turns():
    row = {"machine": "tree", "communication": "0.3", "policy": "easy", "contestant": "random"}
    beside = pd.DataFrame(
        [
            row | {"times": "logged", "to boxes": 0.9, "verdict": "clearly less"},
            row | {"times": "table", "to boxes": 1.0, "verdict": "within chance"},
            row | {"times": "live", "to boxes": 1.2, "verdict": "clearly more"},
        ]
    )
    assert turned(beside)["becomes"].tolist() == ["turns", "new"]


def test_weeks_of_a_log_can_be_asked_for_and_run_slowest():
    study = STUDIES["contiguity"]
    asked = ask(study, ("tree",), logs=("model,weeks=2",))
    found = cells(asked)
    assert len(found) == 2 * 3 * 2 * 5
    assert len({cell.week for *_, cell in found[:30]}) == 1


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
        asked_logs(ask(STUDIES["contiguity"], logs=(text,)))


def test_a_study_that_reads_no_log_refuses_one():
    with pytest.raises(ValueError, match="study pareto: takes no --log"):
        ask(STUDIES["pareto"], logs=("model",))


def test_longer_jobs_are_sampled_beside_live_ones():
    (week,) = steady_weeks(MODEL, 256, 1)
    cells_of_a_week = [
        ("tree", name, Cell("thintree:16,8,2", MODEL, week, 6, 1e-6, "0.3", "easy", partition))
        for name, partition in (("boxes", "contiguous"), ("random", "random"))
    ]
    wanted = longer_cells(cells_of_a_week)
    assert [(what, cell.mean_run, cell.sampled) for what, _, cell in wanted[:3]] == [
        ("study", 1e-6, False),
        ("live", pytest.approx(1e-5), False),
        ("sampled", pytest.approx(1e-5), True),
    ]
    frame = longer_table([(*one, one[2].run()) for one in wanted]).frame
    assert frame["contestant"].tolist() == ["boxes", "random"]
    assert (frame["longer, live"] >= 0.99).all()
