"""Plans and what came of them: the store, those from before there were schedules, figures that were kept."""

import json
import math
import sqlite3
from pathlib import Path

import pytest

from netplace.runs import resolve
from netplace.runs.campaign import outcomes_of
from netplace.runs.outcome_store import StoredOutcomes
from netplace.runs.plan import Plan, make_plan
from netplace.runs.schedule_figures import ScheduleFigures
from netplace.runs.schedules import outcome_of, run_schedule
from netplace.runs.store import Store
from netplace.runs.study_file import read_study

GIVEN = {"machine": "torus:4x4", "workload": "lublin", "jobs": 60, "load": 0.7, "policy": "easy"}


def test_what_is_the_default_may_be_said():
    assert make_plan(GIVEN).key == make_plan({**GIVEN, "estimates": "run-time", "mapping": None}).key


def test_outcomes_are_kept_and_not_made_again(tmp_path, monkeypatch):
    plans = [
        make_plan({**GIVEN, "policy": policy}).seeded(seed) for policy in ("fcfs", "sjf") for seed in (0, 1)
    ]
    with Store(tmp_path / "runs.sqlite") as store:
        found = outcomes_of(plans, outcome_of, StoredOutcomes(store, "schedules"))
        assert [run_schedule(plan).outcome["metrics"]["per_job"] for plan in plans] == [
            {name: dict(spread) for name, spread in one["metrics"]["per_job"].items()} for one in found
        ]

        def never(plan: Plan) -> None:
            raise AssertionError("made again")

        monkeypatch.setattr("netplace.runs.schedules.run_schedule", never)
        kept = [store.outcome("schedules", plan.key) for plan in plans]
        assert outcomes_of(plans, outcome_of, StoredOutcomes(store, "schedules")) == kept
        assert {plan["policy"] for plan, _ in store.outcomes("schedules")} == {"fcfs", "sjf"}
        assert len(list(store.outcomes("schedules"))) == 4


def test_a_store_of_runs_takes_schedules_and_one_without_has_none(tmp_path):
    path = tmp_path / "runs.sqlite"
    run = resolve("torus:4x4", {"app": "2d-torus"})
    with Store(path) as store:
        store.ask([run])
    with sqlite3.connect(path) as database:
        tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert "schedules" not in tables, "made when the first is kept"
    with Store(path, read_only=True) as store:
        assert store.outcome("schedules", "0" * 64) is None
        assert list(store.outcomes("schedules")) == []
    plan = make_plan(GIVEN)
    with Store(path) as store:
        store.keep_outcome("schedules", plan.key, plan.to_dict(), {"figure": 1})
        store.keep_outcome("schedules", plan.key, plan.to_dict(), {"figure": 2})
    with Store(path, read_only=True) as store:
        assert store.outcome("schedules", plan.key) == {"figure": 1}, "what is there stays"
        assert [asked for asked, *_ in store.rows()] == [run]


def test_study_files_expand_to_plans(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(
        'machine = ["torus:4x4", "tree:4,2"]\nworkload = "lublin"\njobs = 50\nload = [0.5, 0.9]\n'
        'policy = "easy"\noverrun = "requeue"\nseeds = [3, 5]\n'
    )
    plans = read_study(path)
    assert [(plan.machine, plan.options["load"], plan.seed) for plan in plans] == [
        (machine, load, seed)
        for machine in ("torus:4x4", "tree:4,2")
        for load in (0.5, 0.9)
        for seed in (3, 5)
    ]
    assert all((plan.policy, plan.overrun, plan.jobs) == ("easy", "requeue", 50) for plan in plans)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"polcy": "easy"}, "key: unknown name 'polcy'; did you mean policy"),
        ({"repeats": "3"}, "repeats: '3' given, but workload lublin is a model"),
    ],
)
def test_mistakes_are_told(given, words):
    with pytest.raises(ValueError, match=words):
        make_plan({**GIVEN, **given})


def test_jobs_of_a_table_of_applications_need_run_times(tmp_path):
    path: Path = tmp_path / "jobs.csv"
    from netplace.scheduling.workload import make_workload, write

    write(make_workload("applications", 64, 5, 0), path)
    with pytest.raises(ValueError, match=r"times 'log': jobs of .*jobs.csv have none but those of a table"):
        run_schedule(make_plan({"machine": "torus:8x8", "workload": str(path)}))


@pytest.mark.parametrize("more", [{}, {"power": "taurus", "switching": "timeout:300"}])
def test_what_was_kept_is_what_was_measured(more: dict[str, str]) -> None:
    figures = run_schedule(make_plan(GIVEN | more)).figures
    kept = json.loads(json.dumps(figures.to_dict()))
    assert repr(ScheduleFigures.from_dict(kept)) == repr(figures)  # half-widths that are not known are nan
    assert json.dumps(kept) == json.dumps(figures.to_dict())
    assert ("power" in kept, "site" in kept) == (bool(more), False)


def test_a_figure_that_is_not_defined_is_no_number() -> None:
    kept = run_schedule(make_plan(GIVEN)).outcome
    kept["metrics"]["run_factor"] = None
    del kept["failed"], kept["versions"]
    figures = ScheduleFigures.from_dict(kept | {"of another version": 1})
    assert math.isnan(figures.metrics.run_factor)
    assert (figures.failed, figures.versions) == ((), {})
