"""Policies keep their promises, whatever the jobs."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from small_machines import NODES, Row, brute_easy, workloads

from netplace.scheduling import POLICIES, Job, State, schedule
from netplace.scheduling.policy import easy
from netplace.scheduling.workload import lublin
from netplace.topologies import mesh, parse

MACHINE = mesh((NODES,))
KINDS = pytest.mark.parametrize("contiguous", [False, True], ids=["count", "place"])


def run(jobs, policy, contiguous=False, **options):
    return schedule(MACHINE, jobs, policy, Row(NODES, contiguous), keep_nodes=True, **options)


def check_nodes(result) -> None:
    """No node is held twice at a time; every job holds what it asked for while it runs."""
    changes = [
        (time, order, node)
        for row, nodes in enumerate(result.allocations)
        for node in nodes.tolist()
        for time, order in ((result.start[row], 1), (result.end[row], 0))
        if result.start[row] < result.end[row]
    ]
    held = set()
    for _, taken, node in sorted(changes):
        if taken:
            assert node not in held
            held.add(node)
        else:
            held.remove(node)
    assert [len(nodes) for nodes in result.allocations] == result.nodes.tolist()


@KINDS
@pytest.mark.parametrize("policy", POLICIES)
@given(jobs=workloads(late=True), overrun=st.sampled_from(["keep", "kill"]))
def test_every_job_runs_once_on_nodes_of_its_own(policy, contiguous, jobs, overrun):
    result = run(jobs, policy, contiguous, overrun=overrun)
    check_nodes(result)
    assert result.number.tolist() == [job.number for job in jobs]
    lasting = [job.run_time if overrun == "keep" else min(job.run_time, job.estimate) for job in jobs]
    assert (result.end - result.start).tolist() == lasting
    assert (result.start >= result.submit).all()
    failed = [overrun == "kill" and job.run_time > job.estimate for job in jobs]
    assert (result.state == State.FAILED).tolist() == failed
    assert (result.state != State.OPEN).all()


@KINDS
@given(jobs=workloads(late=True))
def test_fcfs_never_reorders_and_never_idles(contiguous, jobs):
    result = run(jobs, "fcfs", contiguous)
    assert (np.diff(result.start) >= 0).all()
    # A job starts as it comes, as the one before it starts, or as another one ends.
    instants = {*result.submit, *result.end}
    assert set(result.start) <= instants


SORTED = {
    "largest-first": lambda result, row: (-result.nodes[row], -result.estimate[row]),
    "lpt": lambda result, row: -result.estimate[row],
    "sjf": lambda result, row: result.estimate[row],
}


@pytest.mark.parametrize("policy", SORTED)
@given(jobs=workloads())
def test_sorted_queues_start_the_first_that_waits(policy, jobs):
    result = run(jobs, policy)
    key = [(SORTED[policy](result, row), row) for row in range(len(result))]
    for row in range(len(result)):
        start = result.start[row]
        overtaken = [
            other
            for other in range(len(result))
            if result.submit[other] <= start < result.start[other] and key[other] < key[row]
        ]
        assert not overtaken


@given(times=st.lists(st.integers(1, 12), min_size=1, max_size=7), nodes=st.integers(1, 3))
@example(times=[5, 5, 4, 4, 3, 3, 3], nodes=3)  # as bad as the bound allows: 11 of 9
def test_lpt_is_within_its_bound_of_the_optimum(times, nodes):
    jobs = [Job(number, 0, 1, time) for number, time in enumerate(times)]
    made = schedule(mesh((nodes,)), jobs, "lpt", "non-contiguous").makespan
    loads = {tuple([0] * nodes)}
    for time in times:
        loads = {
            tuple(sorted((*load[:node], load[node] + time, *load[node + 1 :])))
            for load in loads
            for node in range(nodes)
        }
    least = min(map(max, loads))
    assert least <= made <= least * (4 / 3 - 1 / (3 * nodes)) + 1e-9
    if (times, nodes) == ([5, 5, 4, 4, 3, 3, 3], 3):
        assert (made, least) == (11, 9)


@KINDS
@given(jobs=workloads())
def test_easy_is_what_a_brute_force_scheduler_does(contiguous, jobs):
    starts, promises = brute_easy(jobs, NODES, contiguous)
    result = run(jobs, "easy", contiguous)
    assert dict(zip(result.number.tolist(), result.start.tolist(), strict=True)) == starts
    promised = {
        int(number): time
        for number, time in zip(result.number, result.promised, strict=True)
        if not np.isnan(time)
    }
    assert promised == promises
    assert all(starts[number] <= time for number, time in promises.items())


@KINDS
@pytest.mark.parametrize("policy", ["easy", "conservative", "conservative-full"])
@given(jobs=workloads(late=True, most=20))
def test_no_promise_is_broken_where_jobs_end_at_their_estimates(policy, contiguous, jobs):
    result = run(jobs, policy, contiguous, overrun="kill")
    promised = ~np.isnan(result.promised)
    assert (result.start[promised] <= result.promised[promised]).all()
    if policy != "easy":
        assert promised.all()


@given(jobs=workloads(most=20))
def test_conservative_books_as_early_as_no_one_before_is_disturbed(jobs):
    """With exact estimates nothing ever moves, and starts are those of a greedy filling in of the profile."""
    exact = [Job(job.number, job.submit, job.nodes, max(job.run_time, 1)) for job in jobs]
    busy: dict[int, int] = {}
    expected = []
    for job in exact:
        start = int(job.submit)
        while any(busy.get(time, 0) + job.nodes > NODES for time in range(start, start + job.run_time)):
            start += 1
        for time in range(start, start + job.run_time):
            busy[time] = busy.get(time, 0) + job.nodes
        expected.append(start)
    assert run(exact, "conservative").start.tolist() == expected
    assert run(exact, "conservative-full").start.tolist() == expected


MOVED_UP_AT_A_FORESEEN_END = [
    Job(number, 0, nodes, run_time, estimate)
    for number, (nodes, run_time, estimate) in enumerate(
        [(4, 0, 5), (6, 0, 1), (5, 0, 8), (6, 0, 1), (4, 0, 7), (5, 4, 4), (1, 0, 1), (3, 0, 8)]
    )
]


@given(jobs=workloads(most=12))
@example(jobs=MOVED_UP_AT_A_FORESEEN_END)
def test_full_compression_books_all_again_after_every_early_end(jobs):
    """Second by second: after an early end, whoever waits is booked in order of submission."""
    jobs = [
        Job(job.number, job.submit, job.nodes, max(job.run_time, 1), max(job.estimate, 1)) for job in jobs
    ]
    running: dict[int, int] = {}
    waiting: dict[int, int] = {}
    start: dict[int, int] = {}
    now = 0

    def free(at: int) -> int:
        held = [row for row, begin in running.items() if at < begin + jobs[row].estimate]
        held += [row for row, begin in waiting.items() if begin <= at < begin + jobs[row].estimate]
        return NODES - sum(jobs[row].nodes for row in held)

    def book(row: int) -> None:
        waiting.pop(row, None)
        at = now
        while any(free(time) < jobs[row].nodes for time in range(at, at + int(jobs[row].estimate))):
            at += 1
        place = waiting | {row: at}
        waiting.clear()
        waiting.update({key: place[key] for key in sorted(place)})

    while len(start) < len(jobs):
        over = [row for row, begin in running.items() if begin + jobs[row].run_time == now]
        early = any(now < running[row] + jobs[row].estimate for row in over)
        for row in over:
            del running[row]
        for row in list(waiting) if over else ():
            at = waiting[row]
            book(row)
            if not early and waiting[row] > now:  # at an end that was foreseen only what can start now moves
                waiting[row] = at
        for row, job in enumerate(jobs):
            if job.submit == now:
                book(row)
        for row in [row for row, begin in waiting.items() if begin == now]:
            running[row] = start[row] = waiting.pop(row)
        now += 1
    assert run(jobs, "conservative-full").start.tolist() == [start[row] for row in range(len(jobs))]


def test_conservative_moves_a_job_up_only_if_it_can_start_now():
    jobs = [
        Job(1, 0, 8, 10, 20),  # ends 10 s early
        Job(2, 0, 6, 10, 10),  # booked for 20, moves to 10
        Job(3, 0, 8, 10, 10),  # booked for 30, stays there though 20 would do
        Job(4, 0, 2, 30, 30),  # booked for 40, as it would disturb job 3 at 10
    ]
    result = run(jobs, "conservative")
    assert result.promised.tolist() == [0, 20, 30, 40]
    assert result.start.tolist() == [0, 10, 20, 30]


@KINDS
@given(jobs=workloads(late=True, most=20))
def test_put_back_jobs_run_in_the_end_and_kills_are_counted(contiguous, jobs):
    result = run(jobs, "easy", contiguous, overrun="requeue")
    check_nodes(result)
    assert (result.end - result.start).tolist() == [job.run_time for job in jobs]
    counted = np.bincount(result.killed.row, minlength=len(jobs))
    assert counted.tolist() == result.kills.tolist()
    for row, start, end in zip(result.killed.row, result.killed.start, result.killed.end, strict=True):
        assert end - start >= jobs[row].estimate, "killed before it outran its estimate"
        assert result.start[row] >= end


def test_a_backfilled_job_past_its_estimate_is_put_back_for_the_head():
    jobs = [Job(1, 0, 6, 10, 10), Job(2, 1, 8, 10, 10), Job(3, 2, 2, 30, 5)]
    kept = run(jobs, "easy")
    assert kept.start.tolist() == [0, 32, 2]
    put_back = run(jobs, "easy", overrun="requeue")
    assert put_back.start.tolist() == [0, 10, 20]
    assert put_back.kills.tolist() == [0, 0, 1]
    assert put_back.end.tolist() == [10, 20, 50]
    cut = run(jobs, "easy", overrun="kill")
    assert cut.start.tolist() == [0, 10, 2]
    assert cut.end.tolist() == [10, 20, 7]
    assert cut.state.tolist() == [State.DONE, State.DONE, State.FAILED]


def test_estimates_of_jobs_that_say_nothing():
    jobs = [Job(1, 0, 6, 10), Job(2, 1, 8, 10), Job(3, 2, 2, 8), Job(4, 3, 2, 3, 3)]
    assert run(jobs, "easy", estimates="run-time").start.tolist() == [0, 10, 2, 20]
    assert run(jobs, "easy", estimates="infinite").start.tolist() == [0, 10, 20, 20]
    assert run(jobs, "easy", estimates="factor:2").start.tolist() == [0, 10, 2, 20]
    assert run(jobs, "easy", estimates="fixed:20").start.tolist() == [0, 10, 20, 3]
    assert run(jobs, "easy", estimates="fixed:20").estimate.tolist() == [20, 20, 20, 3]
    assert run(jobs, "easy", estimates="fixed:20").without_estimate == 3
    endless = run(jobs, "conservative", estimates="infinite")
    assert endless.start.tolist() == [0, 10, 20, 20]
    assert endless.promised.tolist() == [0, 10, 20, 20], "promised when it could be said"


@pytest.mark.parametrize(("partitioner", "machine"), [("buddy", "mesh:8x8"), ("non-contiguous", "mesh:8x8")])
def test_easy_passes_over_jobs_alike_together(partitioner, machine, monkeypatch):
    """In long queues jobs of a kind that cannot start are taken out at once; the schedule is the same."""
    topology = parse(machine)
    jobs = list(lublin(topology.nodes, 300, 5, load=1.3))
    made = []
    for many in (0, 10**9):
        monkeypatch.setattr(easy, "_MANY", many)
        made.append(schedule(topology, jobs, "easy", partitioner, estimates="factor:2"))
    assert (made[0].start == made[1].start).all()
    assert made[0].cost == made[1].cost
    assert made[0].backfilled.any()
