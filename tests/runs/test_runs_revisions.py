"""What older code made of a rule that has changed is kept, told apart, and not taken for what it gives."""

from dataclasses import replace

import msgspec
import pytest

from netplace.netsim import Config
from netplace.netsim.config import ARBITERS
from netplace.placement.mapping import MAPPINGS
from netplace.placement.partition import PARTITIONS
from netplace.runs import Run, resolve
from netplace.runs.campaign import complete, missing
from netplace.runs.job_tables import job_table
from netplace.runs.loads import make_load_plan
from netplace.runs.plan import make_plan
from netplace.runs.resources import simulators
from netplace.runs.revisions import REVISIONS, revisions_of
from netplace.runs.store import Store
from netplace.runs.tables import run_table, time_table
from netplace.scheduling.partitioner import PARTITIONERS
from netplace.topologies.routing import ROUTINGS

JOB = {"app": "2d-torus", "tasks": 16, "mapping": "td:grasp,iterations=2"}


@pytest.fixture
def td_revised(monkeypatch):
    monkeypatch.setitem(REVISIONS["mapping"], "td", 2)


def test_revisions_are_of_rules_that_there_are():
    assert set(REVISIONS["mapping"]) <= set(MAPPINGS)
    assert set(REVISIONS["partition"]) <= set(PARTITIONS)
    assert set(REVISIONS["partitioner"]) <= set(PARTITIONERS)
    assert set(REVISIONS["arbiter"]) <= set(ARBITERS)
    assert set(REVISIONS["routing"]) <= set(ROUTINGS)
    assert all(number > 1 for kind in REVISIONS.values() for number in kind.values())


def test_a_revised_rule_is_part_of_the_key_and_no_other(td_revised, monkeypatch):
    monkeypatch.setitem(REVISIONS["routing"], "ugal-l", 2)
    plain = resolve("torus:4x4", JOB | {"mapping": "random"})
    assert plain.revisions == ()
    revised = resolve("torus:4x4", JOB)
    assert revised.revisions == (("mapping td", 2),)
    assert replace(revised, revisions=()).key != revised.key
    assert Run.from_dict(revised.to_dict()) == revised
    assert revisions_of(config=Config(arbiter="fifo")) == ()
    assert revisions_of(config=Config(routing="ugal-l:4")) == (("routing ugal-l", 2),)


def test_a_store_of_older_code_opens_and_its_result_is_not_reused(tmp_path, td_revised):
    now = resolve("torus:4x4", JOB)
    old = replace(now, revisions=())
    with Store(tmp_path / "old.sqlite") as store:
        complete([old], store, simulators(1))
        assert not missing([old], store)
        assert missing([now], store) == [now]
        complete([now], store, simulators(1))
        assert not store.verify().faults
        table = run_table(store.rows())
    assert sorted(table["settings"]) == ["", "older mapping td"]
    assert len(time_table(table)) == 2  # not averaged with what is made now


def test_versions_of_a_file_are_not_averaged():
    now = resolve("torus:4x4", JOB)
    one, two = (
        replace(now, jobs=(replace(now.jobs[0], program="a.py:f", digest=9 * digit),)) for digit in "12"
    )
    rows = [(run, None, None) for run in (one, two, one.seeded(1), replace(one, contents=(("b.csv", "3"),)))]
    assert [*run_table(rows)["settings"]] == [f"a.py:f={8 * digit}" for digit in "1112"]
    assert [*job_table(rows)["settings"]] == [f"a.py:f={8 * digit}" for digit in "1112"]
    assert {*run_table(rows[2:])["settings"]} == {""}


@pytest.mark.parametrize("times", ["table:runs.sqlite", "log"])
def test_plans_follow_where_their_run_times_are_simulated(times, monkeypatch):
    given = {"machine": "torus:4x4", "workload": "applications", "times": times, "mapping": "td"}
    given["simulate"] = True
    if times == "log":
        given = {"machine": "torus:4x4", "workload": "lublin", "times": times}
    before = make_plan(given).key
    monkeypatch.setitem(REVISIONS["mapping"], "td", 9)
    assert (make_plan(given).key == before) == (times == "log")


def test_points_of_load_follow_their_arbiter(monkeypatch):
    given = {"network": "torus:4x4", "offered": 0.1, "arbiter": "fifo"}
    before = make_load_plan(given).key
    monkeypatch.setitem(REVISIONS["arbiter"], "fifo", 9)
    assert make_load_plan(given).key != before


def test_a_revised_partitioner_is_part_of_the_key_of_schedules(monkeypatch):
    monkeypatch.setitem(REVISIONS["partitioner"], "pss", 2)
    plain = make_plan({"machine": "hypercube:4", "workload": "lublin", "partition": "non-contiguous"}, 0)
    revised = msgspec.structs.replace(plain, partition="pss:levels")
    assert revisions_of(partitioner="pss:levels,io:3") == (("partitioner pss", 2),)
    assert revisions_of(partitioner=plain.partition) == ()
    assert revised.key != plain.key


def test_plans_on_hosts_of_several_slots_have_keys_of_their_own_since_hosts_count(monkeypatch):
    plans = [{"machine": f"{nodes}torus:4x4", "workload": "lublin"} for nodes in ("", "nodes:tasks=2/")]
    plain, hosts = (make_plan(plan).key for plan in plans)
    monkeypatch.setitem(REVISIONS, "machine", {})
    assert plain == make_plan(plans[0]).key
    assert hosts != make_plan(plans[1]).key
