"""Plans and what came of them: keys, the store, and stores from before there were schedules."""

import sqlite3
from pathlib import Path

import pytest

from netplace.runs import resolve
from netplace.runs.campaign import outcomes_of
from netplace.runs.outcome_store import StoredOutcomes
from netplace.runs.plan import Plan, make_plan
from netplace.runs.schedules import outcome_of, run_schedule
from netplace.runs.store import Store
from netplace.runs.study_file import read_study

GIVEN = {"machine": "torus:4x4", "workload": "lublin", "jobs": 60, "load": 0.7, "policy": "easy"}


def test_one_key_for_one_plan(tmp_path):
    plan = make_plan(GIVEN)
    assert plan.key == make_plan({**GIVEN, "estimates": "run-time", "mapping": None}).key
    others = [
        make_plan({**GIVEN, name: value})
        for name, value in {
            "machine": "mesh:4x4", "jobs": 61, "load": 0.8, "policy": "fcfs", "partition": "random",
            "times": "scaled:0.8", "estimates": "fixed:60", "overrun": "requeue", "locality": True,
            "kind": "both",
        }.items()
    ]  # fmt: skip
    keys = {plan.key, plan.seeded(1).key, *(other.key for other in others)}
    assert len(keys) == 12
    assert len(plan.key) == 64


def test_a_log_counts_by_its_content(tmp_path):
    line = "1 0 -1 100 8 -1 -1 8 200 -1 1 1 1 1 1 1 -1 -1\n"
    for name, text in {"a.swf": line, "b.swf": line, "c.swf": line.replace("100", "101")}.items():
        (tmp_path / name).write_text(text)

    def key(name: str) -> str:
        return make_plan({"machine": "torus:4x4", "workload": str(tmp_path / name)}).key

    assert key("a.swf") == key("b.swf") != key("c.swf")


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
        ({"load": "high"}, "load: 'high' is not a number"),
        ({"times": "table:"}, "times: 'table:' is incomplete"),
        ({"times": "tabel:x"}, "times: unknown name 'tabel'; did you mean table"),
        ({"estimates": "never"}, "estimates: unknown name 'never'"),
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
