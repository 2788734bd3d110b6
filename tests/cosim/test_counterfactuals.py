"""A run made again, and what it tells of a job."""

import sys
from pathlib import Path

import pytest

from netplace.cosim import cosimulate, make_cosim_plan, placing_of, reasons, replay, started_jobs, what_if
from netplace.netsim import ENGINES

sys.path.insert(0, str(Path(__file__).parents[2] / "docs/figures"))

import blame as foreign

GIVEN = {
    "machine": "torus:8x8", "workload": "applications", "jobs": 8, "sizes": "small", "intensity": "medium",
    "policy": "easy", "partition": "random", "classes": "2d,3d",
}  # fmt: skip


@pytest.fixture(scope="module")
def run():
    plan = make_cosim_plan(GIVEN, seed=3)
    return plan, cosimulate(plan).outcome["jobs"]


@pytest.mark.parametrize("engine", ENGINES)
def test_the_same_run_again(run, engine):
    plan, rows = run
    jobs = started_jobs(plan, rows)
    if engine == "reference":
        jobs, rows = jobs[:2], [row for row in rows if row["job"] in {job.number for job in jobs[:2]}]
        rows = sorted(rows, key=lambda row: row["start_cycle"])
        first = replay(placing_of(plan), jobs).cycles  # of the kernel
        assert replay(placing_of(plan), jobs, engine=engine).cycles == first
        return
    found = replay(placing_of(plan), jobs)
    assert found.cycles == {row["job"]: row["end_cycle"] - row["start_cycle"] for row in rows}
    assert not found.late


def test_alone_on_the_network_a_job_is_nearly_as_fast_as_alone(run):
    plan, rows = run
    job = max(rows, key=lambda row: row["slowdown"])
    others = [row["job"] for row in rows if row["job"] != job["job"]]
    (left,) = what_if(plan, rows, without=others)
    assert job["slowdown"] > 1.05
    assert left.what_if == pytest.approx(job["alone"], rel=0.05)


def test_reasons_are_neighbours_in_time_and_on_links(run):
    plan, rows = run
    job = max(rows, key=lambda row: row["slowdown"])
    found = reasons(plan, rows, job["job"], suspects=1)
    times = {row["job"]: (row["start_cycle"], row["end_cycle"]) for row in rows}
    begin, end = times[job["job"]]
    for one in found.neighbours:
        assert times[one.job][0] < end
        assert times[one.job][1] > begin
        assert 0 < one.overlap <= 1
    scores = [one.amount for one in found.neighbours]
    assert scores == sorted(scores, reverse=True)
    ranked = reasons(plan, rows, job["job"], suspects=3).neighbours
    tested = [one.without for one in ranked[:3]]
    assert tested == sorted(tested)  # the first saves most
    assert {one.job for one in ranked[:3]} == {one.job for one in found.neighbours[:3]}
    assert [one.job for one in ranked[3:]] == [one.job for one in found.neighbours[3:]]
    neighbours = {one.job for one in found.neighbours}
    assert found.links
    assert all(set(link.others) <= neighbours for link in found.links)


def test_who_is_said_to_slow_a_job_most_does_by_removal(tmp_path):
    plan = foreign.case(5, tmp_path)
    rows = cosimulate(plan).outcome["jobs"]
    job = foreign.asked(rows)
    found = reasons(plan, rows, job)
    saved = foreign.saved_by_removal(plan, started_jobs(plan, rows), job)
    assert found.verdict == "first"
    assert found.neighbours[0].job == max(saved, key=lambda other: saved[other].mean())
    first = found.neighbours[0]
    share = saved[first.job].mean() / (first.without / plan.config.cycle_ns * 1e9 + saved[first.job].mean())
    assert first.saved == pytest.approx(share, abs=3 * first.half_width)
    assert reasons(plan, rows, job, draws=1).verdict == "not known"  # a draw tells nothing of chance


def test_a_table_has_no_reasons():
    plan = make_cosim_plan(GIVEN | {"fidelity": "table"})
    with pytest.raises(ValueError, match="jobs affect each other only with fidelity live"):
        what_if(plan, cosimulate(plan).outcome["jobs"])


def test_a_job_is_not_moved_onto_another(run):
    plan, rows = run
    first = min(rows, key=lambda row: row["start_cycle"])
    other = next(row for row in rows if row is not first and row["start_cycle"] < first["end_cycle"])
    size = first["size"]
    nodes = [*other["nodes"], *(n for n in range(64) if n not in other["nodes"])][:size]
    with pytest.raises(ValueError, match="expected free nodes"):
        what_if(plan, rows, move={first["job"]: "nodes:" + ",".join(map(str, nodes))})


def test_a_job_is_not_moved_to_fewer_nodes_than_it_has(run):
    plan, rows = run
    job = next(row["job"] for row in rows if row["size"] > 2)
    with pytest.raises(
        ValueError, match=f"move: partition nodes:0-1: the .* tasks of job {job} do not fit its 2"
    ):
        what_if(plan, rows, move={job: "nodes:0-1"})
