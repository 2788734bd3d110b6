"""Jobs on a shared machine whose links and routers fail: those hit fail by name, the others go on."""

import pytest

from netplace.cosim import cosimulate, make_cosim_plan

JOBS = {"machine": "torus:4x6", "workload": "applications", "jobs": 8, "sizes": "small"}


def run(engine="kernel", **given):
    plan = make_cosim_plan(JOBS | {"partition": "random", "policy": "easy"} | given, seed=3)
    return cosimulate(plan, engine=engine).outcome


def by_state(outcome, state):
    return [row for row in outcome["jobs"] if row["state"] == state]


def test_faults_from_the_start_keep_nodes_from_jobs():
    outcome = run(faults="at=0,router=3,router=12")
    assert len(by_state(outcome, "done")) == 8
    assert not {3, 12} & {node for row in outcome["jobs"] for node in row["nodes"]}


def test_jobs_that_a_fault_cuts_off_fail_and_the_others_go_on():
    outcome = run(faults="at=400,router=5,packets=again")
    failed = by_state(outcome, "failed")
    assert [one["job"] for one in outcome["failures"]] == [row["job"] for row in failed] == [1]
    assert outcome["failures"][0]["why"] == "a fault in cycle 400 cut off its nodes 5"
    assert failed[0]["end"] == pytest.approx(400 * 3.2e-9)
    later = [row for row in by_state(outcome, "done") if row["start_cycle"] > 400]
    assert len(by_state(outcome, "done")) == 7
    assert later
    assert not any(5 in row["nodes"] for row in later)


def test_jobs_that_lose_packets_fail_unless_they_are_sent_again():
    lost = run(faults="at=400,links=0.3,seed=1")
    assert any("lost some of its packets" in one["why"] for one in lost["failures"])
    assert len(by_state(lost, "done")) + len(lost["failures"]) == 8
    again = run(faults="at=400,links=0.3,seed=1,packets=again")
    assert not again["failures"]
    assert len(by_state(again, "done")) == 8


def test_a_job_that_finds_no_place_any_more_is_turned_away_by_name():
    outcome = run(faults="at=400,router=0,packets=again", machine="torus:4x4", policy="fcfs")
    away = [
        one for one in outcome["failures"] if "does not fit on the nodes that faults have left" in one["why"]
    ]
    assert away
    assert len(by_state(outcome, "done")) + len(outcome["failures"]) + len(outcome["rejected"]) == 8


def test_slow_links_make_jobs_slower():
    slow = run(faults="at=0,slow=1,cycles=4")
    assert not slow["failures"]
    for row in slow["jobs"]:
        assert row["alone"] > 3 * row["fresh"]


def test_what_a_job_takes_alone_knows_no_later_fault():
    """A job alone has what had failed when it started; slowdown is also what failed later."""
    outcome = run(jobs=1, faults="at=50,slow=1,cycles=8")
    (job,) = outcome["jobs"]
    assert job["alone"] == job["fresh"]
    assert job["slowdown"] > 1.5


@pytest.mark.parametrize(
    "faults",
    ["at=400,links=0.3,seed=1", pytest.param("at=0,slow=0.5;at=300,router=5", marks=pytest.mark.nightly)],
)
def test_engines_agree_on_jobs_and_failures(faults):
    small = {"machine": "torus:4x4", "jobs": 3, "intensity": "low"}
    one, other = run(faults=faults, **small), run("reference", faults=faults, **small)
    assert one["failures"]
    assert one["jobs"] == other["jobs"]
    assert one["failures"] == other["failures"]


@pytest.mark.parametrize(
    ("partition", "policy"),
    [("contiguous", "fcfs"), ("mbs", "sjf"), ("curve", "conservative"), ("non-contiguous", "sjf")],
)
def test_rules_leave_out_what_is_cut_off(partition, policy):
    outcome = run(faults="at=0,router=3;at=300,router=5,packets=again", partition=partition, policy=policy)
    for row in outcome["jobs"]:
        assert 3 not in row["nodes"]
        if row["state"] == "done" and row["start_cycle"] >= 300:
            assert 5 not in row["nodes"]
    assert len(outcome["jobs"]) + len(outcome["rejected"]) == 8


@pytest.mark.parametrize(("given", "words"), [({"fidelity": "table"}, r"need fidelity live, not table")])
def test_what_faults_do_not_go_with(given, words):
    with pytest.raises(ValueError, match=words):
        make_cosim_plan(JOBS | {"faults": "at=5,links=0.1"} | given)
