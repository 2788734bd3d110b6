"""Backfilling with places against a slow program of its own, and what every rule promises."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from slow_backfilling import SlowBackfilling, choose

from netplace.experiments.local_backfilling.simulator import (
    RULES,
    Platform,
    backfill,
    place,
    place_figures,
    read_penalty,
    shelves,
)
from netplace.native import experiments as native
from netplace.scheduling import Job, make_partitioner, make_times, schedule
from netplace.scheduling.metrics import measure
from netplace.topologies import parse

LEVELS = [(1, 2, 4, 8), (1, 2, 8, 16), (1, 2, 4, 16), (1, 3, 6, 12), (1, 8), (1, 2, 10, 70)]
BEST_EFFORT = [name for name, rule in RULES.items() if not rule.forced]


@st.composite
def workloads(draw: st.DrawFn) -> tuple[tuple[int, ...], list[Job]]:
    levels = draw(st.sampled_from(LEVELS))
    gaps = draw(st.lists(st.integers(0, 3), min_size=1, max_size=14))
    sizes = st.integers(1, levels[-1]) | st.integers(1, max(levels[-1] // 4, 1))
    jobs, now = [], 0
    for number, gap in enumerate(gaps, 1):
        now += gap
        wall, size = draw(st.integers(1, 12)), draw(sizes)
        jobs.append(Job(number, float(now), size, float(draw(st.integers(0, wall))), float(wall)))
    return levels, jobs


@pytest.mark.parametrize("rule", RULES)
@given(st.data())
def test_rules_take_what_a_slow_program_takes(rule: str, data: st.DataObject) -> None:
    levels = data.draw(st.sampled_from(LEVELS))
    free = data.draw(st.sets(st.integers(0, levels[-1] - 1)))
    size = data.draw(st.integers(1, levels[-1]))
    found = place(rule, Platform(levels), sorted(free), size)
    expected = choose(rule, levels, free, size)
    assert (None if found is None else found.tolist()) == (sorted(expected) if expected else None)


@pytest.mark.parametrize("rule", RULES)
@given(workloads(), st.sampled_from(["none", "geometric:2", "geometric:1"]))
def test_schedules_are_those_of_a_slow_program(
    rule: str, workload: tuple[tuple[int, ...], list[Job]], penalty: str
) -> None:
    levels, jobs = workload
    made = backfill(Platform(levels), jobs, rule, penalty)
    factor = read_penalty(penalty).factor
    slow = SlowBackfilling(levels, jobs, rule, factor)
    slow.run()
    rows = range(len(jobs))
    assert made.start.tolist() == [slow.start[row] for row in rows]
    assert made.end.tolist() == [slow.end[row] for row in rows]
    assert made.allocations is not None
    assert [nodes.tolist() for nodes in made.allocations] == [sorted(slow.places[row]) for row in rows]
    assert np.flatnonzero(made.state == 2).tolist() == sorted(slow.failed)


@pytest.mark.parametrize(("rule", "partitioner"), [("basic", "non-contiguous"), ("cont", "contiguous")])
@given(workloads())
def test_rules_on_a_line_are_partitioners_under_a_policy_of_the_scheduler(
    rule: str, partitioner: str, workload: tuple[tuple[int, ...], list[Job]]
) -> None:
    levels, jobs = workload
    made = backfill(Platform(levels), jobs, rule)
    line = parse(f"mesh:{levels[-1]}")
    same = schedule(
        line,
        jobs,
        "conservative-places",
        make_partitioner(partitioner, line),
        make_times("log", line),
        overrun="kill",
        keep_nodes=True,
    )
    assert same.start.tolist() == made.start.tolist()
    assert same.end.tolist() == made.end.tolist()
    assert made.allocations is not None
    assert same.allocations is not None
    assert [nodes.tolist() for nodes in same.allocations] == [nodes.tolist() for nodes in made.allocations]


@pytest.mark.parametrize("reassign", [True, False])
@pytest.mark.parametrize("rule", RULES)
@given(workloads())
def test_promises_of_rules_and_schedules(
    rule: str, reassign: bool, workload: tuple[tuple[int, ...], list[Job]]
) -> None:
    levels, jobs = workload
    platform = Platform(levels)
    made = backfill(platform, jobs, rule, "linear:0.5", reassign=reassign)
    assert made.allocations is not None
    assert (made.start <= made.promised).all()
    for first in range(len(jobs)):
        for second in range(first):
            if made.start[first] < made.end[second] and made.start[second] < made.end[first]:
                shared = np.intersect1d(made.allocations[first], made.allocations[second])
                assert not len(shared)
    for nodes in made.allocations:
        clusters, fewest = len(np.unique(nodes // platform.cluster)), -(-len(nodes) // platform.cluster)
        if rule.startswith("cont"):
            assert nodes[-1] - nodes[0] + 1 == len(nodes)
            assert clusters <= fewest + 1
        if rule.startswith("loc"):
            assert clusters == fewest
        if rule.startswith("plat"):
            assert platform.above_least(nodes) == 0
    assert measure(made).jobs == len(jobs)


@given(workloads(), st.data())
def test_best_effort_rules_start_a_job_at_the_same_time_in_the_same_state(
    workload: tuple[tuple[int, ...], list[Job]], data: st.DataObject
) -> None:
    levels, _ = workload
    free = sorted(data.draw(st.sets(st.integers(0, levels[-1] - 1))))
    size = data.draw(st.integers(1, levels[-1]))
    assert len({place(rule, Platform(levels), free, size) is None for rule in BEST_EFFORT}) == 1


def test_platforms_of_uneven_fan_out() -> None:
    platform = Platform.read("1-2-10-240")
    assert platform.blocks == (24, 120, 240)
    assert [platform.level(nodes) for nodes in ([5], [0, 23], [23, 24], [0, 119], [119, 120])] == [
        1,
        1,
        2,
        2,
        3,
    ]
    assert [platform.least_level(size) for size in (1, 24, 25, 120, 121, 240)] == [1, 1, 2, 2, 3, 3]


def test_two_pieces_at_both_ends_count_as_one_and_local_is_not_its_level() -> None:
    platform = Platform.read("1-2-4-8")
    jobs = [Job(1, 0, 1, 9, 9), Job(2, 0, 6, 9, 9), Job(3, 0, 1, 9, 9)]
    made = backfill(platform, jobs, "basic")
    assert place_figures(made, platform).contiguity == 1
    ends = backfill(platform, [Job(1, 0, 1, 2, 2), *jobs[1:2], Job(3, 3, 2, 9, 9)], "basic")
    assert ends.allocations is not None
    assert ends.allocations[2].tolist() == [0, 7]
    figures = place_figures(ends, platform)
    assert (figures.contiguity, figures.contiguous_jobs, figures.local_jobs) == (1, 3, 1)


def test_large_jobs_are_rejected_and_missing_wall_times_counted() -> None:
    made = backfill(Platform.read("1-2-4"), [Job(1, 0, 9, 5), Job(2, 0, 4, 5)], "plat")
    assert [number for number, *_ in made.rejected] == [1]
    assert (made.without_estimate, made.estimate.tolist()) == (1, [5.0])


@pytest.mark.parametrize(
    ("text", "told"), [("2-4", "from the root"), ("1-2-5", "cannot be spread"), ("1-x", "whole numbers")]
)
def test_platforms_that_contradict_themselves(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        Platform.read(text)


@given(st.integers(1, 4), st.lists(st.tuples(st.integers(1, 5), st.integers(1, 20)), min_size=1, max_size=25))
def test_shelves_keep_their_bound(clusters: int, jobs: list[tuple[int, int]]) -> None:
    sizes, times = [size for size, _ in jobs], [seconds for _, seconds in jobs]
    made = shelves(clusters, 5, sizes, times)
    assert sorted(job for shelf in made for job in shelf.jobs) == list(range(len(jobs)))
    load = sum(size * seconds for size, seconds in jobs) / (5 * clusters)
    length = max(shelf.start + shelf.height for shelf in made)
    assert length <= 2 * load + max(times) <= 3 * max(load, max(times))
    for shelf in made:
        held = np.concatenate(shelf.processors)
        assert len(np.unique(held)) == len(held)
        assert (held // 5 == shelf.cluster).all()


def test_what_reaches_beyond_a_timeline_is_refused() -> None:
    good = np.arange(3)
    timeline = native.Timeline([2, 8], 0, False, 5.0)
    for wrong in (
        lambda: native.Timeline([], 0, False, 0.0),
        lambda: native.Timeline([2, 7], 0, False, 0.0),
        lambda: native.Timeline([2, 8], 8, False, 0.0),
        lambda: timeline.change(4.0, 6.0, good, release=False),
        lambda: timeline.change(5.0, 6.0, np.array([8]), release=False),
        lambda: timeline.earliest(9, 1.0, 5.0),
        lambda: timeline.at_once(0, 1.0, 5.0),
        lambda: native.choose(0, False, np.zeros(8, bool), np.array([8]), 1),
    ):
        with pytest.raises(ValueError, match=r"blocks|rule|begin|held|size"):
            wrong()
