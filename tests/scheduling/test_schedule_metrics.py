"""Figures of schedules: recomputed from the rows, and against schedules made by hand."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_machines import NODES, Row, workloads

from netplace.scheduling import Allocation, Job, schedule
from netplace.scheduling.metrics import (
    OVER_JOBS,
    PER_JOB,
    Locality,
    allocated_nodes,
    batch_means,
    measure,
    per_job,
    steady_mean,
    time_batches,
    waiting_jobs,
)
from netplace.scheduling.metrics.locality import compact_nodes
from netplace.topologies import kary_ntree, mesh, parse, torus

MACHINE = mesh((NODES,))


class Pairs(Row):
    """Gives whole pairs of nodes: one more than asked for where that is odd."""

    def find(self, job: Job) -> Allocation | None:
        return super().find(dataclasses.replace(job, nodes=job.nodes + job.nodes % 2))

    def copy(self) -> "Pairs":
        twin = Pairs(len(self.held), not self.by_count)
        twin.held = self.held.copy()
        return twin


@pytest.mark.parametrize("policy", ["fcfs", "easy", "conservative"])
@given(jobs=workloads(late=True), overrun=st.sampled_from(["keep", "requeue"]))
def test_utilisation_is_that_of_the_rows(policy, jobs, overrun):
    overrun = overrun if policy == "easy" else "keep"
    result = schedule(MACHINE, jobs, policy, Row(), overrun=overrun)
    killed = result.killed
    work = (result.held * (result.end - result.start)).sum() + (
        killed.held * (killed.end - killed.start)
    ).sum()
    capacity = NODES * (result.end.max() - result.submit.min())
    expected = work / capacity if capacity else 0
    assert measure(result).utilisation == pytest.approx(expected, abs=1e-12)
    held = allocated_nodes(result)
    assert held.value.max() <= NODES
    assert held.value[-1] == 0
    assert held.until(held.time)[-1] == pytest.approx(work)
    waiting = waiting_jobs(result)
    assert waiting.until(waiting.time)[-1] == pytest.approx((result.start - result.submit).sum())


def test_figures_of_a_schedule_made_by_hand():
    jobs = [Job(1, 0, 8, 10, 10), Job(2, 2, 4, 20, 20), Job(3, 4, 6, 4, 4), Job(4, 5, 1, 5, 5)]
    result = schedule(MACHINE, jobs, "fcfs", Row())
    assert result.start.tolist() == [0, 10, 30, 30]
    assert per_job(result, "wait").tolist() == [0, 8, 26, 25]
    # Job 2 heads the queue from its submission on, job 3 from 10 on, job 4 never waits as the first.
    assert per_job(result, "head_wait").tolist() == [0, 8, 20, 0]
    assert per_job(result, "turnaround").tolist() == [10, 28, 30, 30]
    assert per_job(result, "bounded_slowdown").tolist() == [1, 1.4, 3, 3]
    assert per_job(result, "stretch").tolist() == [1, 1.4, 7.5, 6]
    figures = measure(result)
    assert figures.makespan == 35
    assert figures.throughput == pytest.approx(3600 * 4 / 35)
    assert figures.total_flow == 98
    assert figures.utilisation == pytest.approx((80 + 80 + 24 + 5) / (8 * 35))
    assert figures.useful == figures.utilisation
    assert figures.per_job["wait"].mean == 14.75
    assert figures.per_job["wait"].most == 26
    assert (figures.jobs, figures.failed, figures.kills, figures.rejected) == (4, 0, 0, 0)
    assert (figures.internal_fragmentation, figures.external_fragmentation) == (0, 0)
    assert figures.run_factor == 1
    assert set(figures.per_job) == set(PER_JOB)
    assert figures.locality is None


def test_jobs_of_no_time_have_ratios_too():
    result = schedule(MACHINE, [Job(1, 0, 8, 0), Job(2, 0, 8, 5), Job(3, 0, 8, 0)], "fcfs", Row())
    assert result.start.tolist() == [0, 0, 5]
    assert per_job(result, "stretch").tolist() == [1, 1, 5]
    assert per_job(result, "bounded_slowdown").tolist() == [1, 1, 1]


def test_external_fragmentation_is_what_lies_idle_though_the_head_would_fit_by_count():
    # Nodes 0-2 and 3-5 are taken, then 0-2 come free: 5 nodes in two pieces, and the head wants 4.
    jobs = [Job(1, 0, 3, 5), Job(2, 0, 3, 15), Job(3, 1, 4, 10)]
    result = schedule(MACHINE, jobs, "fcfs", Row(NODES, contiguous=True))
    assert result.start.tolist() == [0, 0, 15]
    assert measure(result).external_fragmentation == pytest.approx(5 * 10 / (8 * 25))
    assert measure(result).contiguous == 1
    scattered = measure(schedule(MACHINE, jobs, "fcfs", Row()))
    assert scattered.external_fragmentation == 0
    assert scattered.contiguous == pytest.approx(2 / 3)  # the last job has nodes 0-2 and 6


def test_internal_fragmentation_is_what_is_held_beyond_need():
    result = schedule(MACHINE, [Job(1, 0, 3, 10), Job(2, 0, 4, 10)], "fcfs", Pairs())
    assert result.held.tolist() == [4, 4]
    assert measure(result).internal_fragmentation == pytest.approx(1 / 8)
    assert measure(result).utilisation == 1
    assert measure(result).useful == pytest.approx(7 / 8)


def test_killed_attempts_count_as_lost():
    jobs = [Job(1, 0, 6, 10, 10), Job(2, 1, 8, 10, 10), Job(3, 2, 2, 30, 5)]
    figures = measure(schedule(MACHINE, jobs, "easy", Row(), overrun="requeue"))
    assert figures.kills == 1
    assert figures.lost == pytest.approx(16 / (60 + 80 + 60 + 16))
    figures = measure(schedule(MACHINE, jobs, "easy", Row()))
    assert (figures.kills, figures.promises_broken) == (0, 1)
    figures = measure(schedule(MACHINE, jobs, "easy", Row(), overrun="kill"))
    assert (figures.failed, figures.promises_broken) == (1, 0)


def test_nothing_to_measure_is_told():
    result = schedule(MACHINE, [Job(1, 0, 9, 10)], "fcfs", Row())
    assert result.rejected == ((1, 9, "it needs more than the 8 nodes of the machine"),)
    with pytest.raises(ValueError, match="none of 1 jobs could run"):
        measure(result)


def stream(count: int, seed: int) -> list[Job]:
    rng = np.random.default_rng(seed)
    submit = np.cumsum(rng.exponential(3, count))
    return [
        Job(number, float(when), int(nodes), float(run))
        for number, (when, nodes, run) in enumerate(
            zip(submit, rng.integers(1, 5, count), rng.exponential(5, count), strict=True)
        )
    ]


def test_batch_means_and_their_interval():
    result = schedule(MACHINE, stream(1000, 1), "fcfs", Row())
    means = batch_means(result, "wait", warmup=0.1, batches=20)
    waits = (result.start - result.submit)[100:]
    assert means == pytest.approx(waits.reshape(20, 45).mean(axis=1))
    found = steady_mean(result, "wait", 0.1, 20, 0.95)
    # Of independent batches it is Student's t of 19 degrees of freedom, from a printed table; in doubt
    # of that, the interval is wider.
    assert 1 <= found.half_width / (2.093 * means.std(ddof=1) / math.sqrt(20)) < 1.5
    assert found.mean == pytest.approx(waits.mean())
    busy = batch_means(result, "utilisation")
    assert ((busy > 0.3) & (busy <= 1)).all()
    work = result.nodes * (result.end - result.start)
    assert busy.mean() == pytest.approx(work[100:].sum() / NODES / np.ptp(result.submit[100:]), rel=0.03)


def test_mistakes_are_told():
    result = schedule(MACHINE, stream(10, 1), "fcfs", Row())
    with pytest.raises(ValueError, match="more than the 9 jobs"):
        batch_means(result, batches=20)


def test_locality_is_one_for_compact_jobs_and_more_for_others():
    machine = torus((8, 8, 8))
    cube = machine.node(np.stack(np.meshgrid(*[range(2)] * 3), -1).reshape(-1, 3))
    assert Locality(machine).of(cube) == 1
    line = np.arange(8)
    assert Locality(machine).of(line) == pytest.approx((16 / 7) / (12 / 7))
    assert Locality(machine).of(np.array([5])) == 1
    far = np.random.default_rng(0).permutation(512)[:100]
    assert Locality(machine).of(far) == pytest.approx(6.0 / 4.7, rel=0.1)
    tree = kary_ntree(4, 3)
    assert Locality(tree).of(np.arange(4, 8)) == 1
    assert Locality(tree).of(np.array([0, 16, 32, 48])) == 3


@pytest.mark.parametrize("size", [1, 7, 8, 30, 64, 100, 512])
def test_compact_sets_are_compact(size):
    machine = mesh((8, 8, 8))
    nodes = compact_nodes(machine, size)
    assert len(np.unique(nodes)) == size
    spans = np.ptp(machine.coordinates(nodes), axis=0) + 1
    assert spans.prod() < 2 * size + 8
    assert spans.max() - spans.min() <= 1


def test_locality_is_measured_if_asked_for():
    jobs = stream(50, 5)
    result = schedule(torus((4, 2)), jobs, "fcfs", Row(), locality=True)
    assert (result.locality >= 0.5).all()
    assert measure(result).locality == pytest.approx(result.locality[result.nodes > 1].mean())


def test_figures_over_jobs():
    values, weights = np.array([1.0, 3.0, 8.0]), np.array([2.0, 1.0, 1.0])
    found = {name: over(values, weights) for name, (over, _) in OVER_JOBS.items()}
    assert found == {"mean": 4.0, "most": 8.0, "squares": 74.0, "by weight": 13 / 4}
    assert OVER_JOBS["by weight"][0](values, 0 * weights) == 4.0


def test_a_saturated_machine_of_one_node():
    jobs = [Job(number, 0.0, 1, 4.0) for number in range(1, 60)]
    made = schedule(parse("mesh:1"), jobs, "fcfs", "non-contiguous")
    found = time_batches(made, 20.0, 5)
    assert found.started.tolist() == [5] * 5
    assert found.utilisation.tolist() == [1] * 5
    assert found.run.tolist() == [4] * 5
    # Jobs processed times the waiting of the head are the length of a batch.
    assert (found.started * found.head_wait).tolist() == [20] * 5
    assert found.wait[0] == pytest.approx(28)  # starts at 20, 24, .. 36
    assert found.mean("started") == 5


def test_bounds_of_batches():
    jobs = [Job(number, 0.0, 1, 4.0) for number in range(1, 11)]
    made = schedule(parse("mesh:2"), jobs, "fcfs", "non-contiguous")
    assert time_batches(made, 4.0, 2, warmup=0.0).started.tolist() == [2, 2]
    with pytest.raises(
        ValueError, match="batches: 9 of 4 end at 40, after the last start at 16, expected more"
    ):
        time_batches(made, 4.0, 9)
    with pytest.raises(ValueError, match="length of batches: 0 is invalid, expected a time greater than 0"):
        time_batches(made, 0.0)
    with pytest.raises(ValueError, match="warmup of batches: -1 is invalid, expected a time of at least 0"):
        time_batches(made, 1.0, warmup=-1)
