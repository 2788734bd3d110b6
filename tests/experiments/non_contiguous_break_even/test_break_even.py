"""The study of the slowdown at which scattered jobs stop paying."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from answers import csv_rows
from click.testing import CliRunner

from netplace.cli import app
from netplace.experiments.non_contiguous_break_even import FULL, QUICK, SATURATED, SHAPES, break_evens, cases
from netplace.report.studies import STUDIES
from netplace.report.studies.schedules import outcomes, turnaround
from netplace.report.studies.study import StudyContext, make_request
from netplace.runs.plan import make_plan
from netplace.runs.schedule_figures import ScheduleFigures
from netplace.runs.store import Store

pytestmark = pytest.mark.all  # carries out a study

STUDY = STUDIES["non-contiguous-break-even"]


def test_every_group_has_all_slowdowns_and_the_same_seeds():
    wanted = cases(make_request(STUDY))
    assert len(set(wanted)) == len(wanted)
    scattered = Counter((c.part, c.policy, c.load, c.kind, c.seed) for c in wanted if not c.shape)
    assert set(scattered.values()) == {len(FULL.slowdowns)}
    boxes = Counter((c.part, c.policy, c.load, c.kind, c.seed) for c in wanted if c.shape)
    assert boxes.keys() == scattered.keys()
    assert {count for key, count in boxes.items() if key[0] == "shapes"} == {len(SHAPES)}
    assert {load for _, _, load, _, _ in scattered} == {*FULL.loads}


def test_plans_differ_in_what_the_study_varies_only():
    wanted = [
        case for case in cases(make_request(STUDY, ["fcfs"])) if case.load == SATURATED and case.seed == 0
    ]
    plans = [case.plan(FULL) for case in wanted]
    assert len({plan.key for plan in plans}) == len(plans)
    assert {(plan.machine, plan.workload, plan.jobs, plan.seed) for plan in plans} == {
        ("mesh:16x16x16", "lublin", FULL.jobs, 0)
    }
    assert [plan.times for plan in plans if plan.partition == "non-contiguous"][:3] == [
        "log",
        "factors:1.05,1.05",
        "factors:1.1,1.1",
    ]
    assert {plan.times for plan in plans if plan.partition != "non-contiguous"} == {"log"}


def test_break_evens_of_made_up_figures():
    rows = []
    for seed, at in ((0, 10.0), (1, 30.0)):
        group = {"policy": "fcfs", "load": SATURATED, "kind": "batch", "seed": seed, "utilisation": 0.5}
        rows.append({**group, "shape": "fs", "slowdown": 0, "turnaround": 100.0, "makespan": 1000.0})
        for slowdown in QUICK.slowdowns:
            reached = 100 * np.exp(0.01 * (slowdown - at))
            figures = {"turnaround": reached, "makespan": 990.0}
            rows.append({**group, "shape": "", "slowdown": slowdown, **figures})
    [found] = break_evens(pd.DataFrame(rows), QUICK).to_dict("records")
    assert found["turnaround"] == pytest.approx(20)
    assert found["turnaround beyond"] == 0
    assert np.isnan(found["makespan"])
    assert found["makespan beyond"] == 2


def test_jobs_of_one_node_need_no_boxes(tmp_path):
    path = tmp_path / "ones.csv"
    path.write_text("number,submit,nodes,run_time\n" + "\n".join(f"{n},{n},1,{60 + n}" for n in range(1, 40)))
    plans = [
        make_plan({"machine": "mesh:4x4", "workload": str(path), "partition": partition, "times": times})
        for partition, times in (("contiguous", "log"), ("non-contiguous", "slowed:1.5"))
    ]
    with Store(tmp_path / "runs.sqlite") as store:
        boxes, scattered = outcomes(plans, StudyContext(store))
        assert turnaround(boxes) == turnaround(scattered)
        told = []
        assert outcomes(plans, StudyContext(store, tell=told.append)) == [boxes, scattered]
        assert not told  # stored schedules are not made again
        assert boxes == ScheduleFigures.from_dict(store.outcome("schedules", plans[0].key))
        assert outcomes([*plans, plans[0]], StudyContext(store)) == [boxes, scattered, boxes]


@pytest.mark.nightly
def test_the_quick_version_finds_break_evens_and_keeps_its_schedules(tmp_path, quick):
    quick(STUDY.name, tmp_path / "out")
    rows = csv_rows(tmp_path / "out" / "fcfs.csv")
    assert [row["load"] for row in rows] == ["0.5", "saturated"]
    assert all(0 < float(row["turnaround"]) < 60 for row in rows)
    assert float(rows[1]["util. contiguous"]) < float(rows[1]["util. scattered"])
    shapes = {
        (row["policy"], row["kind"], row["shapes"]): row for row in csv_rows(tmp_path / "out" / "shapes.csv")
    }
    boxes = [float(shapes["fcfs", "batch", shape]["util. contiguous"]) for shape in SHAPES]
    assert boxes == sorted(boxes, reverse=True)  # the fewer boxes are tried, the more nodes are idle
    text = (tmp_path / "out" / "report.md").read_text()
    assert "within the published 25 to 45 %" in text
    assert (tmp_path / "out" / "fcfs.png").stat().st_size > 10_000
    store = tmp_path / "out" / "runs.sqlite"
    quick(STUDY.name, tmp_path / "new", "--stored", "--store", str(store))
    assert (tmp_path / "new" / "report.md").read_text() == text


def test_without_its_schedules_stored_is_a_mistake(tmp_path):
    Store(tmp_path / "empty.sqlite").close()
    words = ("--quick", "--stored", "--store", f"{tmp_path}/empty.sqlite", "-o", f"{tmp_path}/out")
    done = CliRunner().invoke(app, ["study", STUDY.name, *words])
    assert done.exit_code == 2
    assert "schedules of the study are not stored; without --stored they are made" in done.stderr
