"""EASY that reserves a number of nodes, beside a scheduler that works everything out anew each second."""

import pytest
from hypothesis import given, settings
from small_machines import NODES, Row, workloads

from netplace.scheduling import Job, schedule
from netplace.topologies import mesh

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
@settings(deadline=None, max_examples=60)
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
