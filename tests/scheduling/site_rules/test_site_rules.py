"""The rules of a site: each by a case that can be followed by hand, and what must hold whatever the jobs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplace.scheduling import Job, schedule
from netplace.scheduling.site_rules import (
    BACKFILLS,
    ORDERS,
    Failures,
    JobQueue,
    Outage,
    Site,
    Window,
    check_dependencies,
    read_outages,
    run,
    run_site,
)
from netplace.topologies import parse

MACHINE = parse("mesh:8")


def starts(jobs, site, **more):
    return run_site(MACHINE, jobs, site, **more).schedule.start.tolist()


@st.composite
def workloads(draw, most=15):
    gaps = draw(st.lists(st.integers(0, 4), min_size=1, max_size=most))
    jobs, now = [], 0
    for number, gap in enumerate(gaps, 1):
        now += gap
        estimate = draw(st.integers(1, 12))
        run = draw(st.integers(1, estimate))
        user, nodes = draw(st.integers(1, 3)), draw(st.integers(1, 8))
        jobs.append(Job(number, now, nodes, run, estimate, user=user, queue=draw(st.integers(0, 2))))
    return jobs


@given(workloads())
def test_without_rules_it_is_easy_and_fcfs(jobs):
    for backfill, policy in (("easy", "easy"), ("none", "fcfs")):
        plain = schedule(MACHINE, jobs, policy, "non-contiguous")
        assert starts(jobs, Site(backfill=backfill)) == plain.start.tolist()


@given(workloads(), st.sampled_from(list(ORDERS)), st.sampled_from(list(BACKFILLS)), st.booleans())
def test_rules_hold_whatever_the_jobs(jobs, order, backfill, prediction):
    windows = (Window("all", 20, 25), Window("some", 30, 50, 3))
    queues = (JobQueue("zero", (0,), most_running=1, priority=1), JobQueue("rest", most_per_user=2))
    site = Site(order, 30, backfill, queues, windows, prediction=prediction)
    made = run_site(MACHINE, jobs, site).schedule
    assert (made.end - made.start).tolist() == [job.run_time for job in jobs]
    for now in sorted({*made.start.tolist(), *(window.begin for window in windows)}):
        running = [row for row in range(len(jobs)) if made.start[row] <= now < made.end[row]]
        assert sum(jobs[row].nodes for row in running) <= 8
        kept = sum(window.nodes or 8 for window in windows if window.begin <= now < window.end)
        if not prediction:  # a prediction that is too short may run into a window
            assert sum(jobs[row].nodes for row in running) <= 8 - kept
        assert sum(jobs[row].queue == 0 for row in running) <= 1
        for user in (1, 2, 3):
            assert sum(jobs[row].queue != 0 and jobs[row].user == user for row in running) <= 2


def test_the_largest_job_first():
    jobs = [Job(1, 0, 8, 10, 10), Job(2, 1, 2, 5, 5), Job(3, 2, 8, 5, 5)]
    assert starts(jobs, Site("largest")) == [0, 15, 10]
    assert starts(jobs, Site("submission")) == [0, 10, 15]


def test_the_shortest_job_first():
    jobs = [Job(1, 0, 8, 10, 10), Job(2, 1, 8, 5, 7), Job(3, 2, 8, 5, 5)]
    assert starts(jobs, Site("shortest")) == [0, 15, 10]


def test_fair_share_halves_with_its_half_life():
    jobs = [Job(1, 0, 8, 10, 10, user=1), Job(2, 10, 8, 10, 10, user=2), Job(3, 11, 8, 5, 5, user=2)]
    jobs.append(Job(4, 12, 8, 5, 5, user=1))
    # At 20 user 1 has 80 node-seconds of 10 s ago, user 2 as many just now.
    assert starts(jobs, Site("fair-share", half_life=100)) == [0, 10, 25, 20]
    assert starts(jobs, Site("submission")) == [0, 10, 20, 25]


def test_queues_with_priorities_and_limits():
    jobs = [Job(n, 0, 1, 10, 10, user=n % 2, queue=n % 2) for n in range(1, 7)]
    site = Site(queues=(JobQueue("odd", (1,), most_running=1), JobQueue("even", (0,), most_per_user=2)))
    assert starts(jobs, site) == [0, 0, 10, 0, 20, 10]
    first = Site(queues=(JobQueue("low", (0,)), JobQueue("high", (1,), priority=5)))
    assert starts([Job(1, 0, 8, 5, 5, queue=0), Job(2, 0, 8, 5, 5, queue=1)], first) == [5, 0]


def test_jobs_that_no_queue_admits_are_refused():
    site = Site(queues=(JobQueue("small", most_nodes=2, most_seconds=100),))
    made = run_site(MACHINE, [Job(1, 0, 2, 5, 5), Job(2, 0, 3, 5, 5), Job(3, 0, 1, 5, 101)], site)
    assert made.refused == (2, 3)
    assert made.schedule.number.tolist() == [1]
    with pytest.raises(ValueError, match="no queue accepts any of 1"):
        run_site(MACHINE, [Job(2, 0, 3, 5, 5)], site)


def test_a_maintenance_window_is_kept_free():
    jobs = [Job(1, 0, 8, 10, 10), Job(2, 1, 4, 30, 30), Job(3, 2, 4, 8, 8)]
    assert starts(jobs, Site(windows=(Window("cooling", 20, 40),))) == [0, 40, 10]
    assert starts(jobs, Site(windows=(Window("guests", 20, 40, 4),))) == [0, 10, 10]


def test_a_failed_node_takes_its_job_with_it():
    jobs = [Job(1, 0, 6, 10, 10), Job(2, 0, 2, 10, 10)]
    made = run_site(MACHINE, jobs, Site(failures=Failures((Outage(4, 30, 0),))))
    # Two nodes are free and five are left of job 1's: one short until the other job ends.
    assert made.schedule.start.tolist() == [10, 0]
    assert made.schedule.kills.tolist() == [1, 0]
    assert made.failures == 1
    assert made.schedule.killed.end.tolist() == [4]
    whole = run_site(MACHINE, [Job(1, 0, 8, 10, 10)], Site(failures=Failures((Outage(4, 30, 0),))))
    assert whole.schedule.start.tolist() == [30]


def test_drawn_failures_come_from_the_seed():
    jobs = [Job(n, n, 2, 50, 50) for n in range(1, 40)]
    made = [run_site(MACHINE, jobs, Site(failures=Failures((), 400, 20, seed))) for seed in (1, 1, 2)]
    assert made[0].schedule.start.tolist() == made[1].schedule.start.tolist()
    assert made[0].failures == made[1].failures > 0
    assert made[0].schedule.start.tolist() != made[2].schedule.start.tolist()
    assert made[0].schedule.kills.sum() > 0
    ran = made[0].schedule
    assert ran.end - ran.start == pytest.approx(np.full(39, 50.0))


def test_failures_without_end_are_told():
    with pytest.raises(ValueError, match="lost its nodes 1000 times"):
        run_site(MACHINE, [Job(1, 0, 8, 1e6, 1e6)], Site(failures=Failures((), 10, 1e-3)))


def test_failures_among_which_no_job_ends_are_told(monkeypatch):
    monkeypatch.setattr(run, "_MOST_IN_VAIN", 500)
    with pytest.raises(ValueError, match="failed 500 times before any job ended"):
        run_site(MACHINE, [Job(1, 0, 8, 1000, 1000)], Site(failures=Failures((), 10, 1e6)))


def test_failures_while_the_machine_is_empty_are_bounded(monkeypatch):
    jobs, rules = [Job(1, 0, 1, 0.01), Job(2, 5000, 1, 0.01)], Site(failures=Failures((), 80, 1e-6))
    assert run_site(MACHINE, jobs, rules).schedule.start.tolist() == [0, 5000]
    monkeypatch.setattr(run, "_MOST_AT_ONCE", 100)
    with pytest.raises(ValueError, match="failed 100 times before any job ended"):
        run_site(MACHINE, jobs, rules)


def test_dependencies_and_think_time():
    jobs = [Job(1, 0, 1, 10, 10), Job(2, 1, 1, 5, 5, after=1, think=7), Job(3, 2, 1, 5, 5, after=99)]
    made = run_site(MACHINE, jobs, Site(dependencies=True))
    assert made.schedule.start.tolist() == [0, 17, 2]
    assert made.unknown_before == 1
    assert starts(jobs, Site()) == [0, 1, 2]


@pytest.mark.parametrize(
    ("pairs", "told"), [([(1, 1)], "1 after 1"), ([(1, 2), (2, 1)], "1 after 2 after 1")]
)
def test_circles_are_refused(pairs, told):
    jobs = [Job(number, 0, 1, 1, 1, after=after) for number, after in pairs]
    with pytest.raises(ValueError, match=told):
        check_dependencies(jobs)
    with pytest.raises(ValueError, match=f"jobs: depend on each other in a cycle, {told}"):
        run_site(MACHINE, jobs, Site(dependencies=True))


def test_long_chains_are_no_circles():
    jobs = [Job(n, 0, 1, 1, 1, after=n + 1 if n < 5000 else -1) for n in range(1, 5001)]
    assert check_dependencies(jobs) == 0


def test_predictions_are_the_mean_of_the_last_two():
    short = [Job(n, 20 * (n - 1), 8, 10, 1000, user=1) for n in (1, 2)]
    # Job 3 is expected to take 10 s, not 1000: job 5, which needs 15, may not pass job 4, job 6 may.
    more = [
        Job(3, 40, 4, 10, 1000, user=1),
        Job(4, 41, 8, 5, 5, user=2),
        Job(5, 42, 4, 15, 15, user=3),
        Job(6, 43, 4, 5, 5, user=3),
    ]
    predicted = run_site(MACHINE, short + more, Site(prediction=True)).schedule
    assert predicted.start.tolist() == [0, 20, 40, 50, 55, 43]
    assert predicted.promised[3] == 50
    assert starts(short + more, Site())[4] == 42


def test_a_prediction_that_was_too_short_is_corrected():
    jobs = [Job(1, 0, 8, 5, 500, user=1), Job(2, 10, 8, 5, 500, user=1), Job(3, 20, 8, 100, 500, user=1)]
    jobs.append(Job(4, 21, 8, 5, 5, user=2))
    made = run_site(MACHINE, jobs, Site(prediction=True)).schedule
    assert made.start.tolist() == [0, 10, 20, 120]
    assert made.promised[3] == 25


def test_overruns_end_at_the_estimate_not_at_the_prediction():
    jobs = [Job(1, 0, 8, 5, 50, user=1), Job(2, 10, 8, 5, 50, user=1), Job(3, 20, 8, 100, 50, user=1)]
    made = run_site(MACHINE, jobs, Site(prediction=True), overrun="kill").schedule
    assert made.end.tolist() == [5, 15, 70]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("node,begin\n1,2\n", "has no column end"),
        ("node,begin,end\nx,1,2\n", "line 2: expected the number of a node"),
        ("node,begin,end\n1,2,2\n", "line 2: node 1 from 2 to 2 s"),
    ],
)
def test_bad_lists_of_outages(tmp_path, text, told):
    path = tmp_path / "outages.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=told):
        read_outages(path)


def test_mistakes_are_sentences():
    job = [Job(1, 0, 1, 1, 1)]
    for call, told in [
        (lambda: Site("biggest"), "unknown name 'biggest'"),
        (lambda: Site(queues=(JobQueue("a", (1,)), JobQueue("b", (1,)))), "number 1 belongs to two queues"),
        (lambda: run_site(MACHINE, job, Site(windows=(Window("w", 0, 1, 9),))), "the machine has 8"),
        (lambda: run_site(MACHINE, job, Site(failures=Failures((Outage(0, 1, 8),)))), "one of 0 to 7"),
        (lambda: run_site(parse("torus:4x4"), job, Site(), "contiguous"), "chooses specific nodes"),
    ]:
        with pytest.raises(ValueError, match=told):
            call()


def test_outages_of_a_file(tmp_path):
    path = tmp_path / "outages.csv"
    path.write_text("node,begin,end\n3,5,9.5\n")
    assert read_outages(path) == (Outage(5, 9.5, 3),)
    drawn = Failures((Outage(5, 9.5, 3),), 10, 1, 3).events(8, 0.0)
    begins = [next(drawn).begin for _ in range(20)]
    assert begins == sorted(begins)
    assert 5 in begins
    assert np.isfinite(begins).all()


SERVICE = parse("service:nodes=4+5+6+7/mesh:8")


def test_service_nodes_are_not_planned_with():
    jobs = [Job(1, 0, 3, 10, 10), Job(2, 1, 4, 10, 10), Job(3, 2, 1, 100, 100)]
    assert run_site(SERVICE, jobs, Site()).schedule.start.tolist() == [0, 10, 20]
    with pytest.raises(ValueError, match="window all: 5 nodes, but the machine has 4 for jobs"):
        run_site(SERVICE, jobs, Site(windows=(Window("all", 5, 9, 5),)))


@given(workloads())
def test_with_service_nodes_it_is_the_policy_too(jobs):
    for backfill, policy in (("easy", "easy"), ("none", "fcfs")):
        small = [job for job in jobs if job.nodes <= 4]
        if small:
            plain = schedule(SERVICE, small, policy, "non-contiguous")
            assert run_site(SERVICE, small, Site(backfill=backfill)).schedule.start.tolist() == list(
                plain.start
            )


def test_failures_of_service_nodes_hurt_nobody():
    outages = Failures((Outage(3, 8, 6), Outage(4, 8, 0)))
    made = run_site(SERVICE, [Job(1, 0, 4, 10, 10)], Site(failures=outages))
    assert (made.failures, made.schedule.start.tolist()) == (1, [8])
    drawn = Site(failures=Failures(mean_between=200, mean_repair=5, seed=1))
    assert run_site(SERVICE, [Job(1, 0, 2, 10, 10), Job(2, 1, 4, 10, 10)], drawn).schedule.kills.min() >= 0


def test_outages_while_nobody_is_there_are_not_counted():
    outages = Failures((Outage(20, 30, 0), Outage(45, 60, 1), Outage(90, 99, 2)))
    jobs = [Job(1, 0, 1, 10, 25), Job(2, 50, 8, 5, 5)]
    made = run_site(MACHINE, jobs, Site(failures=outages))
    assert made.failures == 0
    assert made.schedule.start.tolist() == [0, 60]  # node 1 is down all the same


def test_seconds_of_running_jobs_count_less_and_less():
    # At 100 user 1 has held a node since 0, user 2 seven nodes since 90: old seconds weigh little.
    jobs = [
        Job(1, 0, 1, 200, 200, user=1),
        Job(2, 90, 7, 10, 10, user=2),
        Job(3, 91, 7, 5, 5, user=2),
        Job(4, 92, 7, 5, 5, user=1),
    ]
    assert starts(jobs, Site("fair-share", half_life=4, backfill="none"))[2:] == [105, 100]
    assert starts(jobs, Site("fair-share", half_life=1e6, backfill="none"))[2:] == [100, 105]
