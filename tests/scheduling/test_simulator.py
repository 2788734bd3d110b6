"""The simulator: order, memory, run times, estimates, and what it says of jobs that make no sense."""

import math
import re
import tracemalloc

import numpy as np
import pytest
from small_machines import NODES, Row

from netplace.scheduling import (
    ESTIMATES,
    POLICIES,
    RUN_TIMES,
    Allocation,
    Completion,
    Job,
    State,
    make_times,
    schedule,
)
from netplace.scheduling.metrics import measure
from netplace.scheduling.partitioner import PlainPartitioner
from netplace.scheduling.schedule import COLUMNS
from netplace.scheduling.times import LogTimes, PenaltyTimes, ScaledTimes, estimate_rule
from netplace.topologies import kary_ntree, mesh, parse

MACHINE = mesh((NODES,))
TREE = kary_ntree(2, 4)


def stream(count: int, gap: float = 1.0):
    rng = np.random.default_rng(7)
    for number in range(count):
        yield Job(number, number * gap, int(rng.integers(1, 5)), float(rng.integers(1, 4)))


def test_jobs_are_taken_as_their_time_comes():
    taken = []

    def jobs():
        for job in stream(3000):
            taken.append(job.number)
            yield job

    seen = []
    result = schedule(
        MACHINE, jobs(), "fcfs", Row(), tell=lambda done, now: seen.append((done, now, len(taken)))
    )
    assert len(result) == 3000
    assert [done for done, _, _ in seen] == [1000, 2000, 3000]
    # Two are ahead: the one awaited and the one that an instant's arrivals ended with.
    assert all(known <= now + 2 for _, now, known in seen)


@pytest.mark.all
def test_memory_is_that_of_the_rows():
    def peak(count: int) -> int:
        tracemalloc.start()
        schedule(MACHINE, stream(count, gap=2), "easy", Row())
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    row = sum(np.dtype(kind).itemsize for kind, _ in COLUMNS.values())
    # At the end the columns are copied once.
    assert (peak(6_000) - peak(2_000)) / 4_000 < 2.5 * row


def test_the_partitioner_is_left_as_it_is():
    partitioner = Row()
    partitioner.take(Allocation(np.array([0, 1, 2])))  # nodes out of service
    result = schedule(MACHINE, [Job(1, 0, 5, 4), Job(2, 0, 6, 4)], "fcfs", partitioner, keep_nodes=True)
    assert result.allocations[0].tolist() == [3, 4, 5, 6, 7]
    assert [number for number, _, _ in result.rejected] == [2]
    assert partitioner.free == 5
    assert partitioner.searches == 0


def test_times_that_sums_cannot_hold_exactly():
    """No job starts before it is there, though 0.1 + (t - 0.1) may be less than t."""
    submits = np.cumsum(np.random.default_rng(1).exponential(0.1, 2000)) + 1e6 / 3
    jobs = [Job(number, float(when), 1, 0.05) for number, when in enumerate(submits)]
    result = schedule(MACHINE, jobs, "easy", Row())
    assert (result.start >= result.submit).all()


class Cornered(Row):
    """Has no place for jobs of three nodes, and tells why for those of five."""

    by_count = False

    def __init__(self) -> None:
        super().__init__()
        self.by_count = False

    def find(self, job: Job) -> Allocation | None:
        if job.nodes == 5:
            raise ValueError("nodes: 5 has no factors")
        nodes = np.flatnonzero(~self.held)[: job.nodes]
        return Allocation(nodes) if job.nodes != 3 and len(nodes) == job.nodes else None

    def copy(self):
        twin = Cornered()
        twin.held = self.held.copy()
        return twin


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([0], "job 7: Few gives it nodes [0], expected at least 2 different ones"),
        ([0, 1.5], "node: 0.0 is not a whole number"),
    ],
)
def test_a_partitioner_that_gives_wrong_nodes_is_told(given, said):
    class Few(PlainPartitioner):
        def choose(self, job):
            return given

    with pytest.raises(ValueError, match=re.escape(said)):
        schedule(MACHINE, [Job(7, 0, 2, 5)], "fcfs", Few(MACHINE))


@pytest.mark.parametrize("policy", ["fcfs", "sjf", "easy", "conservative"])
def test_jobs_that_could_never_run_are_counted_and_hold_up_nobody(policy):
    jobs = [Job(number, number, nodes, 5) for number, nodes in enumerate([3, 9, 2, 5, 3, 8])]
    result = schedule(MACHINE, jobs, policy, Cornered())
    assert result.number.tolist() == [2, 5]
    assert result.start.tolist() == [2, 7]
    reasons = {number: reason for number, _, reason in result.rejected}
    assert reasons == {
        0: "it does not fit on the empty machine",
        1: "it needs more than the 8 nodes of the machine",
        3: "nodes: 5 has no factors",
        4: "it does not fit on the empty machine",
    }
    assert measure(result).rejected == 4


@pytest.mark.parametrize(
    ("jobs", "options", "words"),
    [
        ([], {}, "jobs: none given"),
        ([Job(1, 5, 1, 1), Job(2, 4, 1, 1)], {}, "job 2: submitted at 4, expected at or after 5"),
        (None, {"policy": "eazy"}, "policy: unknown name 'eazy'; did you mean easy"),
        (None, {"overrun": "requeue"}, "policy fcfs does not backfill"),
        (None, {"estimates": "fixed"}, "estimates 'fixed': expected the form fixed:SECONDS"),
    ],
)
def test_mistakes_are_told(jobs, options, words):
    given = {"policy": "fcfs", "partitioner": Row(), **options}
    jobs = [Job(1, 0, 1, 1)] if jobs is None else jobs
    with pytest.raises(ValueError, match=words):
        schedule(MACHINE, jobs, given.pop("policy"), given.pop("partitioner"), **given)


def test_rules_of_estimates():
    silent, known = Job(1, 0, 2, 30), Job(2, 0, 2, 30, 40)
    values = {"run-time": 30, "infinite": np.inf, "fixed:7": 7, "factor:2": 60}
    assert {text.partition(":")[0] for text in values} == set(ESTIMATES)
    for text, value in values.items():
        assert estimate_rule(text, LogTimes())(silent) == value
        assert estimate_rule(text, LogTimes())(known) == 40
    scaled = ScaledTimes(MACHINE, contiguous=0.5, scattered=1.5)
    assert estimate_rule("run-time", scaled)(silent) == 45


def test_penalties_grow_with_the_level():
    job = Job(1, 0, 3, 100)  # least level 2
    for growth, nodes, seconds in [
        ("linear", [0, 1, 3], 100),
        ("linear", [0, 1, 4], 110),
        ("linear", [0, 1, 8], 120),
        ("quadratic", [0, 1, 4], 110),
        ("quadratic", [0, 1, 8], 140),
        ("linear", [4, 5, 6], 100),
    ]:
        times = PenaltyTimes(TREE, growth, 0.1)
        assert times.seconds(job, Allocation(np.array(nodes))) == pytest.approx(seconds)
    assert times.longest(job) == pytest.approx(120)
    assert PenaltyTimes(TREE, "quadratic", 0.1).longest(job) == pytest.approx(140)
    geometric = PenaltyTimes(TREE, "geometric", 2)
    found = [geometric.seconds(job, Allocation(np.array([0, 1, last]))) for last in (3, 4, 8)]
    assert found == [100, 200, 400]
    assert times.seconds(Job(1, 0, 1, 9), Allocation(np.array([7]))) == times.longest(Job(1, 0, 1, 9)) == 9


def test_penalties_know_trees_of_any_shape():
    tree = parse("xgft:2;3,2;1,2")  # two leaf switches of three nodes
    times = PenaltyTimes(tree, "linear", 0.5)
    found = [times.seconds(Job(1, 0, 2, 100), Allocation(np.array(nodes))) for nodes in ([1, 2], [2, 3])]
    assert found == [100, 150]
    assert times.seconds(Job(1, 0, 4, 100), Allocation(np.arange(4))) == 100


def test_a_job_that_its_penalty_takes_past_the_estimate_fails_there():
    jobs = [Job(1, 0, 1, 50, 50), Job(2, 0, 1, 5, 5), Job(3, 1, 2, 100, 104)]
    row = Row(16)
    result = schedule(TREE, jobs, "fcfs", row, PenaltyTimes(TREE, "linear", 0.1), overrun="kill")
    assert result.state.tolist() == [State.DONE, State.DONE, State.DONE]  # nodes 2 and 3: no penalty
    row.take(Allocation(np.array([2])))
    result = schedule(TREE, jobs, "fcfs", row, PenaltyTimes(TREE, "linear", 0.1), overrun="kill")
    assert result.state.tolist() == [State.DONE, State.DONE, State.FAILED]  # nodes 3 and 4, level 3
    assert result.end[2] - result.start[2] == 104
    assert measure(result).failed == 1
    assert measure(result).useful < measure(result).utilisation


def test_every_rule_of_run_times_has_an_example_that_works():
    for name, kind in RUN_TIMES.items():
        assert kind.example.partition(":")[0] == name
        assert kind.description
        times = make_times(kind.example, TREE)
        assert times.seconds(Job(1, 0, 2, 10), Allocation(np.arange(2))) > 0
        assert times.longest(Job(1, 0, 2, 10)) >= 10


@pytest.mark.parametrize(
    ("text", "machine", "words"),
    [
        ("scaled", "tree:2,4", "'scaled': expected a form such as scaled:0.8"),
        ("penalty:linear,0.1", "torus:4x4", "a penalty by level needs a tree, not torus:4x4"),
    ],
)
def test_mistaken_run_times_are_told(text, machine, words):
    with pytest.raises(ValueError, match=words):
        make_times(text, parse(machine))


@pytest.mark.parametrize("partition", ["non-contiguous", "quasi-contiguous:50", "contiguous", "curve"])
def test_nodes_that_are_not_installed_are_never_given(partition):
    machine = parse("tree:2,3" if "contiguous" in partition else "mesh:8")
    jobs = [Job(1, 0.0, 4, 10.0), Job(2, 0.0, 2, 5.0), Job(3, 0.0, 1, 5.0), Job(4, 0.0, 7, 1.0)]
    made = schedule(machine, jobs, "fcfs", partition, keep_nodes=True, installed=6)
    assert max(nodes.max() for nodes in made.allocations) == 5
    assert made.machine_nodes == 6
    assert [number for number, *_ in made.rejected] == [4]
    assert "more than the 6 nodes" in made.rejected[0][2]


def test_boxes_cannot_leave_nodes_out():
    with pytest.raises(ValueError, match="installed: 6 of the 8 nodes of mesh:8, but the partitioner cannot"):
        schedule(parse("mesh:8"), [Job(1, 0.0, 1, 1.0)], "fcfs", "contiguous", installed=6)
    with pytest.raises(ValueError, match="installed: 9 is too large, expected at most 8"):
        schedule(parse("mesh:8"), [Job(1, 0.0, 1, 1.0)], "fcfs", "non-contiguous", installed=9)


class Unsettled:
    """Tells no run time at the start: each end comes to be known when it is the next."""

    def __init__(self, failing=()):
        self.ends, self.stopped, self.failing = {}, [], failing

    def begin(self, attempt, job, allocation, now):
        self.ends[attempt] = now + job.run_time

    def stop(self, attempt, now):
        self.stopped.append((attempt, now))
        del self.ends[attempt]

    def next_end(self, until):
        first = min(self.ends.values(), default=math.inf)
        if first > until or first == math.inf:
            return None
        told = tuple(attempt for attempt, end in self.ends.items() if end == first)
        for attempt in told:
            del self.ends[attempt]
        return Completion(first, told, failed=any(attempt in self.failing for attempt in told))

    def longest(self, job):
        return job.run_time


def jobs(count=120, seed=3):
    rng = np.random.default_rng(seed)
    submit = 0
    for number in range(count):
        submit += int(rng.integers(0, 3))
        nodes, seconds, estimate = rng.integers([1, 1, 2], [6, 9, 9])
        yield Job(number, submit, int(nodes), float(seconds), float(estimate))


def by_name():
    for policy in POLICIES.values():
        for overrun in ("keep", "kill", *(["requeue"] if policy.requeues else [])):
            yield pytest.param(policy.name, overrun, id=f"{policy.name}-{overrun}")


@pytest.mark.parametrize(("policy", "overrun"), list(by_name()))
def test_what_is_known_later_is_scheduled_alike(policy, overrun):
    settled = schedule(MACHINE, jobs(), policy, Row(), overrun=overrun)
    unsettled = schedule(MACHINE, jobs(), policy, Row(), Unsettled(), overrun=overrun)
    for name in COLUMNS:
        np.testing.assert_array_equal(getattr(settled, name), getattr(unsettled, name), err_msg=name)
    assert settled.busy == unsettled.busy


def test_who_is_killed_is_stopped():
    execution = Unsettled()
    made = schedule(
        MACHINE, [Job(1, 0, 4, 10, 3), Job(2, 0, 4, 2, 3)], "easy", Row(), execution, overrun="kill"
    )
    assert execution.stopped == [(0, 3.0)]
    assert made.state.tolist() == [State.FAILED, State.DONE]
    assert made.end.tolist() == [3, 2]


def test_who_ends_without_result_has_failed():
    made = schedule(MACHINE, [Job(1, 0, 4, 10), Job(2, 0, 4, 2)], "fcfs", Row(), Unsettled(failing=(1,)))
    assert made.state.tolist() == [State.DONE, State.FAILED]


def test_a_run_time_not_in_the_workload_is_that_of_the_schedule():
    class Ten(Unsettled):
        def begin(self, attempt, job, allocation, now):
            self.ends[attempt] = now + 10

    made = schedule(MACHINE, [Job(1, 0, 8, 0), Job(2, 1, 8, 0)], "fcfs", Row(), Ten())
    assert made.nominal.tolist() == [10, 10]
    assert made.end.tolist() == [10, 20]
