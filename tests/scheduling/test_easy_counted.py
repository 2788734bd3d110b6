"""EASY that counts nodes, beside a slow scheduler; EASY on trees, with partitioners that foresee."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_machines import NODES, Row, workloads

from netplace.scheduling import Job, schedule
from netplace.scheduling.partitioner import make_partitioner
from netplace.scheduling.partitioner.allocation import Allocation, Foreseeing
from netplace.topologies import mesh, parse

MACHINE = mesh((NODES,))


def run(jobs, policy="easy-counted", contiguous=True):
    return schedule(MACHINE, jobs, policy, Row(NODES, contiguous), keep_nodes=True)


def place(job: Job, held: set[int]) -> set[int] | None:
    for base in range(NODES - job.nodes + 1):
        wanted = set(range(base, base + job.nodes))
        if not wanted & held:
            return wanted
    return None


class Slow:
    """Second by second; jobs run at least a second and end by their estimates."""

    def __init__(self, jobs: list[Job], force: bool):
        self.forces = force
        self.waiting = list(jobs)
        self.running: list[tuple[Job, int, set[int], bool]] = []  # in the order of their starts
        self.refused: set[int] = set()
        self.starts: dict[int, int] = {}
        self.kills = 0
        for now in range(1000):
            self.second(now)
        assert not self.waiting

    def held(self) -> set[int]:
        return {node for *_, where, _ in self.running for node in where}

    def start(self, job: Job, now: int, where: set[int], passing: bool) -> None:
        self.running.append((job, now, where, passing))
        self.waiting.remove(job)
        self.starts[job.number] = now

    def second(self, now: int) -> None:
        left = [one for one in self.running if one[1] + one[0].run_time > now]
        if len(left) < len(self.running):
            self.running = left
            self.refused.clear()
        here = [job for job in self.waiting if job.submit <= now]
        while here:
            head = here[0]
            where = place(head, self.held())
            if where is None and self.forces and self.time_of(head, now) <= now:
                where = self.force(head)
                here = [job for job in self.waiting if job.submit <= now]
            if where is None:
                break
            self.start(here.pop(0), now, where, False)
        if here:
            self.backfill(here, now)

    def time_of(self, head: Job, now: int) -> int:
        free, time = NODES - len(self.held()), now
        for end, size in sorted((at + job.estimate, len(where)) for job, at, where, _ in self.running):
            if free >= head.nodes:
                break
            free, time = free + size, end
        return time

    def force(self, head: Job) -> set[int] | None:
        behind = [one for one in self.running if one[3] and one[0].number > head.number]
        for count in range(1, len(behind) + 1):
            kept = [one for one in self.running if one not in behind[-count:]]
            where = place(head, {node for one in kept for node in one[2]})
            if where is not None:
                for one in behind:
                    if one[2] & where:
                        self.running.remove(one)
                        self.waiting.append(one[0])
                        self.kills += 1
                self.waiting.sort(key=lambda job: job.number)
                self.refused.clear()
                return where
        return None

    def backfill(self, here: list[Job], now: int) -> None:
        head, *others = here
        time = self.time_of(head, now)
        ending = sum(len(where) for job, at, where, _ in self.running if at + job.estimate <= time)
        spare = NODES - len(self.held()) + ending - head.nodes
        for job in others:
            where = place(job, self.held())
            if job.number in self.refused or where is None:
                self.refused.add(job.number)
                continue
            if now + job.estimate > time:
                if job.nodes > spare:
                    self.refused.add(job.number)
                    continue
                spare -= job.nodes
            self.start(job, now, where, True)


POLICIES = pytest.mark.parametrize("policy", ["easy-counted", "easy-patient"])


@POLICIES
@given(jobs=workloads())
def test_as_worked_out_second_by_second(policy, jobs):
    jobs = [Job(job.number, job.submit, job.nodes, max(job.run_time, 1), job.estimate) for job in jobs]
    expected, made = Slow(jobs, policy == "easy-counted"), run(jobs, policy)
    assert dict(zip(made.number.tolist(), made.start.tolist(), strict=True)) == expected.starts
    assert made.kills.sum() == expected.kills


@POLICIES
@given(jobs=workloads())
def test_where_counting_is_enough_it_is_easy(policy, jobs):
    made = run(jobs, policy, contiguous=False)
    plain = schedule(MACHINE, jobs, "easy", Row(NODES), keep_nodes=True)
    assert made.start.tolist() == plain.start.tolist()
    assert not made.kills.any()


@pytest.mark.parametrize(
    ("policy", "kills"), [("easy", [0, 0, 0]), ("easy-counted", [0, 0, 1]), ("easy-patient", [0, 0, 0])]
)
def test_what_stands_in_the_way_is_put_back(policy, kills):
    # Job 3 fits beside job 1, on 4 and 5. It leaves the head six nodes at 10, but not in one place.
    jobs = [Job(1, 0, 4, 10, 10), Job(2, 0, 6, 5, 5), Job(3, 0, 2, 30, 30)]
    made = schedule(MACHINE, jobs, policy, Row(NODES, True))
    assert made.start.tolist() == ([0, 30, 0] if policy == "easy-patient" else [0, 10, 10])
    assert made.kills.tolist() == kills


TREE = parse("tree:2,4")
RULES = ("contiguous", "quasi-contiguous:10", "quasi-contiguous:40", "nearly-contiguous:20")


class StepByStep:
    """A partitioner with the six members alone, so that reservations release job by job and search."""

    def __init__(self, inner):
        self._inner = inner

    def __getattr__(self, name):
        if name in ("free", "by_count", "searches", "visited", "find", "take", "release"):
            return getattr(self._inner, name)
        raise AttributeError(name)

    def copy(self):
        return StepByStep(self._inner.copy())


@pytest.mark.parametrize("policy", ["easy", "easy-counted", "easy-patient"])
@pytest.mark.parametrize("rule", RULES)
@given(jobs=workloads(late=True, most=24, nodes=TREE.nodes), overrun=st.sampled_from(["keep", "requeue"]))
def test_the_same_schedule_as_step_by_step(policy, rule, jobs, overrun):
    quick = make_partitioner(rule, TREE)
    slow = StepByStep(quick.copy())
    assert isinstance(quick, Foreseeing)
    assert not isinstance(slow, Foreseeing)
    found, expected = (
        schedule(TREE, jobs, policy, partitioner, overrun=overrun, keep_nodes=True)
        for partitioner in (quick, slow)
    )
    for column in ("start", "end", "promised", "kills", "backfilled"):
        assert np.array_equal(getattr(found, column), getattr(expected, column), equal_nan=True)
    for ours, theirs in zip(found.allocations, expected.allocations, strict=True):
        assert ours.tolist() == theirs.tolist()


@pytest.mark.parametrize("rule", RULES)
@given(
    held=st.lists(st.integers(0, TREE.nodes - 1), unique=True, min_size=1),
    cuts=st.sets(st.integers(1, TREE.nodes - 1)),
    size=st.integers(1, TREE.nodes),
)
def test_release_until_it_fits(rule, held, cuts, size):
    quick = make_partitioner(rule, TREE)
    quick.take(Allocation(np.array(held)))
    slow, job = quick.copy(), Job(1, 0, size, 1)
    parts = [part for part in np.split(np.array(held), sorted(cuts)) if len(part)]
    expected = None
    for count, part in enumerate(parts, 1):
        slow.release(Allocation(part))
        if slow.find(job) is not None:
            expected = count
            break
    assert quick.release_until(job, [[Allocation(part)] for part in parts]) == expected
    assert quick.free == slow.free


def test_what_is_free_is_not_released():
    partitioner = make_partitioner("contiguous", TREE)
    with pytest.raises(ValueError, match="node 3 is free already"):
        partitioner.release_until(Job(1, 0, 1, 1), [[Allocation(np.array([3]))]])
    assert partitioner.release_until(Job(1, 0, 1, 1), []) is None
