"""The value that all workloads are: columns in order, jobs made when asked for, what is dropped counted."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplace.scheduling.job import Job
from netplace.scheduling.workload import Middle, Workload, describe, load, read, scale_to_load
from netplace.scheduling.workload.summary import hours

TIMES = st.integers(0, 10**7).map(float)
JOBS = st.lists(
    st.builds(
        Job,
        number=st.integers(0, 10**9),
        submit=TIMES,
        nodes=st.integers(1, 10**6),
        run_time=TIMES,
        estimate=st.none() | st.integers(1, 10**7).map(float),
        program=st.sampled_from(["", "lu,class=W", "gups"]),
        tasks=st.integers(0, 5),
        repeats=st.integers(1, 10**6),
    ),
    min_size=1,
    max_size=20,
    unique_by=lambda job: job.number,
)


def evenly(count: int, gap: float = 10.0, nodes: int = 4, run_time: float = 20.0) -> Workload:
    return Workload.of(Job(n, n * gap, nodes, run_time) for n in range(count))


@given(JOBS)
def test_a_workload_holds_its_jobs_in_order_of_submission(jobs):
    workload = Workload.of(jobs)
    ordered = sorted(jobs, key=lambda job: job.submit)
    assert list(workload) == ordered
    assert [workload[place] for place in range(-len(jobs), 0)] == ordered
    assert list(workload[1:3]) == ordered[1:3]
    assert workload.records == len(workload) == len(jobs)


def test_more_jobs_than_are_made_at_once():
    workload = evenly(10_000)
    assert [job.number for job in workload] == list(range(10_000))
    with pytest.raises(IndexError):
        workload[10_000]
    with pytest.raises(ValueError, match="cannot be selected in reverse order"):
        workload[::-1]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"submit": [1.0, 0.0]}, "job 2 is a job submitted before its predecessor"),
        ({"nodes": [0, 1]}, "job 1 is a job on less than one node"),
        ({"run_time": [1.0, -1.0]}, "job 2 is a job whose run time is not a number of at least 0"),
        ({"number": [3, 3]}, "two jobs have the same number"),
    ],
)
def test_columns_are_checked(changed, words):
    columns = {"number": [1, 2], "submit": [0.0, 1.0], "nodes": [1, 1], "run_time": [1.0, 1.0]}
    with pytest.raises(ValueError, match=words):
        Workload(**{name: np.array(values) for name, values in {**columns, **changed}.items()})


def test_jobs_larger_than_the_machine_are_counted():
    workload = Workload.of(Job(n, 0.0, n, 1.0) for n in range(1, 11))
    small = workload.fit(8).fit(6)
    assert [job.nodes for job in small] == [1, 2, 3, 4, 5, 6]
    assert small.dropped == {"larger than the machine of 8 nodes": 2, "larger than the machine of 6 nodes": 2}
    assert small.records == 10
    assert small.notes[0] == "jobs dropped: 2 of 10, larger than the machine of 8 nodes"
    assert workload.fit(10) is workload
    with pytest.raises(ValueError, match="all 9 jobs are dropped"):
        workload[1:].fit(1)
    with pytest.raises(ValueError, match="0 is too small"):
        workload.fit(0)


def test_load_of_jobs_that_follow_each_other():
    """Each job keeps 4 of 8 nodes for 20 s, and one comes every 10 s: the machine is full."""
    assert load(evenly(1000), 8) == pytest.approx(1)
    assert load(list(evenly(1000)), 16) == pytest.approx(0.5)


def test_load_leaves_out_the_first_jobs_and_the_tail():
    jobs = list(evenly(200))
    jobs[1] = Job(1, 10.0, 4, 1e9)
    jobs[199] = Job(199, 1990.0, 4, 1e9)
    assert load(jobs, 8) == pytest.approx(1)
    jobs[2] = Job(2, 20.0, 4, 1e9)
    assert load(jobs, 8) > 1e5


def test_load_at_the_edges():
    assert load([Job(1, 0.0, 1, 1.0), Job(2, 0.0, 1, 1.0)], 4) == math.inf
    assert load([Job(1, 0.0, 1, 0.0)], 4) == 0
    with pytest.raises(ValueError, match="no jobs"):
        load([], 4)
    with pytest.raises(ValueError, match="0 is too small"):
        load(evenly(2), 0)


def test_a_workload_is_stretched_to_a_load():
    stretched = scale_to_load(evenly(1000), 8, 0.4)
    assert load(stretched, 8) == pytest.approx(0.4)
    assert np.diff(stretched.submit) == pytest.approx(25)
    for target in (0, -1, math.nan, math.inf):
        with pytest.raises(ValueError, match="is invalid, expected a number greater than 0"):
            scale_to_load(evenly(3), 8, target)
    with pytest.raises(ValueError, match="cannot be scaled"):
        scale_to_load(evenly(3, gap=0.0), 8, 0.5)


def test_figures_of_a_workload():
    jobs = [
        Job(1, 0.0, 1, 30.0, 60.0),
        Job(2, 3600.0, 4, 0.0, 10.0),
        Job(3, 7200.0, 6, 90.0, 80.0),
        Job(4, 9000.0, 16, 60.0, None, "lu"),
    ]
    figures = describe(
        Workload.of(jobs, machine_nodes=8, header=(" StartTime: Mon Jan  1 23:30:00 CET 2001",))
    )
    assert figures.jobs == figures.records == 4
    assert figures.machine_nodes == 8
    assert figures.larger_than_machine == 1
    assert figures.load == pytest.approx((30 + 6 * 90) / (8 * 9000))
    assert figures.nodes == Middle(6.75, 5.0, 16.0)
    assert figures.gap_seconds == Middle(3000.0, 3600.0, 3600.0)
    assert figures.serial == 0.25
    assert figures.power_of_two == pytest.approx(2 / 3)
    assert figures.with_estimate == 0.75
    assert figures.over_estimate == pytest.approx(1 / 3)
    assert figures.without_run_time == 0.25
    assert figures.programs == {"lu": 1}
    assert {hour: count for hour, count in enumerate(figures.jobs_by_hour) if count} == {
        23: 1,
        0: 1,
        1: 1,
        2: 1,
    }


def test_figures_that_are_not_known():
    figures = describe(Workload.of([Job(1, 5.0, 1, 3.0)]))
    for name in ("machine_nodes", "load", "larger_than_machine", "gap_seconds", "power_of_two"):
        assert getattr(figures, name) is None
    assert describe(Workload.of([Job(1, 5.0, 1, 3.0)]), 4).load is None
    assert hours(Workload.of([Job(1, 25 * 3600.0, 1, 3.0)])).tolist() == [1]


@given(JOBS, st.integers(1, 4), st.integers(0, 3))
def test_replicated_jobs_are_those_that_were_and_late_copies_of_them(jobs, copies, seed):
    workload = Workload.of(jobs)
    made = workload.replicated(copies, 50.0, seed)
    assert list(workload.replicated(1, 50.0, seed)) == list(workload)
    kept = {job.number: job for job in made}
    behind = int(workload.number.max()) + 1
    assert len(kept) == len(made) == copies * len(workload)
    for job in workload:
        assert kept[job.number] == job
        for copy in range(1, copies):
            other = kept[job.number + copy * behind]
            assert 0 <= other.submit - job.submit <= 50
            assert (other.nodes, other.run_time, other.estimate) == (job.nodes, job.run_time, job.estimate)


def test_copies_wait_for_copies():
    made = Workload.of([Job(1, 0, 1, 5), Job(2, 1, 1, 5, after=1)]).replicated(2, 0.0)
    assert [(job.number, job.after) for job in made] == [(1, -1), (4, -1), (2, 1), (5, 4)]
    with pytest.raises(ValueError, match="replication factor"):
        made.replicated(0, 1.0)
    with pytest.raises(ValueError, match="seconds between copies"):
        made.replicated(2, -1.0)


BATSIM = {
    "nb_res": 4,
    "jobs": [
        {"id": "1", "subtime": 0, "walltime": 100, "res": 2, "profile": "d"},
        {"id": "2", "subtime": 5, "res": 4, "profile": "d"},
    ],
    "profiles": {"d": {"type": "delay", "delay": 10}},
}
OF_5 = {
    "d": {"type": "SequentialCompositionProfile", "repeat": 2, "seq": ["e", "f"]},
    "e": {"type": "DelayProfile", "delay": 3.5},
    "f": {"type": "SequentialCompositionProfile", "seq": ["g"]},
    "g": {"type": "DelayProfile", "delay": 1.5},
}


@pytest.mark.parametrize("profiles", [BATSIM["profiles"], OF_5], ids=["delays", "sequences of version 5"])
def test_a_workload_of_batsim_has_jobs_with_delays(tmp_path, profiles):
    path = tmp_path / "w.json"
    path.write_text(json.dumps(BATSIM | {"profiles": profiles}))
    workload = read(path)
    assert workload.machine_nodes == 4
    assert list(workload) == [Job(1, 0.0, 2, 10.0, 100.0), Job(2, 5.0, 4, 10.0)]


def test_a_profile_without_run_time_is_named(tmp_path):
    path = tmp_path / "w.json"
    path.write_text(json.dumps(BATSIM | {"profiles": {"d": {"type": "parallel_homogeneous", "cpu": 1e9}}}))
    with pytest.raises(
        ValueError, match="job 1 has profile 'd' of type 'parallel_homogeneous', expected delay"
    ):
        read(path)


OTHERS = {
    "01/02/2024 03:04:05;E;12.host;user=a": "is an accounting log of PBS, which netplace does not read",
    "job_id,user,gpu_num,cpu_num,node_num,state": "Helios",
    '[\n {\n  "status": "Pass",\n  "vc": "a"': "Philly",
    "name,cpu_milli,memory_mib": "Alibaba",
    '{"jobs": [{"id": 1, "t_submit": 1.0}]}': "Flux",
    "q:host:" + "0:" * 43: "Grid Engine",
    '{"nodes": {' + '"10.0.0.1:80": 2, ' * 40: "is JSON, but neither output of sacct --json nor",
    "a text of no table": "is no log of jobs that netplace reads, expected SWF",
}


@pytest.mark.parametrize("content", OTHERS)
def test_logs_of_others_are_named(tmp_path, content):
    for name in ("log", "log.csv") if "table" not in content else ("log",):
        (tmp_path / name).write_text(content)
        with pytest.raises(ValueError, match=OTHERS[content]):
            read(tmp_path / name)


def test_spreadsheets_write_a_byte_order_mark(tmp_path):
    path = tmp_path / "w.csv"
    path.write_text("\ufeffnumber,submit,nodes,run_time\n1,0,2,10\n", encoding="utf-8")
    assert list(read(path)) == [Job(1, 0.0, 2, 10.0)]
