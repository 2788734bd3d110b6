"""Sampled times: steady stretches are skipped, and what comes of it agrees with live runs."""

import math
from dataclasses import replace

import numpy as np
import pytest

from netplace.cosim import (
    JobPlacer,
    PlacedJob,
    application_work,
    cosimulate,
    cycles_alone,
    make_cosim_plan,
    replay,
)
from netplace.cosim.cost import packets_of
from netplace.cosim.fast_forward import LOOK, FastForwarder
from netplace.cosim.fast_forward_execution import fast_forward
from netplace.cosim.placed import Started
from netplace.cosim.sampled import AloneByFastForward, with_intervals
from netplace.cosim.work import JobProgram
from netplace.netsim import Config
from netplace.scheduling import Job
from netplace.topologies import parse


@pytest.fixture(autouse=True)
def looks_are_free(monkeypatch):
    """Looks at jobs cost nothing, so that iterations are skipped on small networks too."""
    monkeypatch.setattr("netplace.cosim.fast_forward.LOOK", 0.0)


def placing_on(text, seed=0):
    config = Config()
    return JobPlacer(parse(text), config, application_work(config), seed=seed)


def sampled_again(placing, jobs, half_width):
    """Return the sampled times of jobs with the given starts and nodes, by job number."""
    stays = {job.number: job for job in jobs}
    made = fast_forward(placing, stays.items(), half_width)
    return with_intervals(placing, stays, made, AloneByFastForward(placing, half_width), half_width)


def started(jobs):
    """Return jobs of (application, nodes, iterations, cycles of computation, start)."""
    made = []
    for number, (application, nodes, iterations, compute, start) in enumerate(jobs, 1):
        work = JobProgram(application, len(nodes), iterations, compute)
        made.append(Started(PlacedJob(Job(number, 0, len(nodes), 0), work, np.asarray(nodes)), start))
    return sorted(made, key=lambda job: job.start)


def loops(seed, machine_nodes, names, iterations):
    """Return jobs of 8 tasks on random nodes."""
    rng = np.random.default_rng(seed)
    nodes = rng.permutation(machine_nodes).reshape(-1, 8)
    return started(
        (f"{names[n % len(names)]},packets=4", some, int(rng.integers(*iterations)), 300, 500 * n)
        for n, some in enumerate(nodes)
    )


@pytest.mark.parametrize(
    ("machine", "nodes", "names"),
    [
        ("tree:4,2", 16, ("all-to-one", "2d-torus")),
        ("mesh:4x4", 16, ("butterfly", "waterfall")),
        ("torus:4x4x2", 32, ("all-to-all", "2d-sweep", "gups")),
        ("dragonfly:a=4,p=1,h=1", 16, ("binary-tree", "2d-torus")),
    ],
)
def test_long_loops_agree_with_live_ones(machine, nodes, names):
    placing = placing_on(machine, seed=3)
    jobs = loops(3, nodes, names, (300, 500))
    live = replay(placing, jobs).cycles
    leaped = fast_forward(placing, [(job.number, job) for job in jobs], 0.02)
    stated = sampled_again(placing, jobs, 0.02)
    for job in jobs:
        made = leaped[job.number]
        # A tree in which jobs hold each other up or do not, from draw to draw, has an interval that is wider.
        assert made.cycles == pytest.approx(live[job.number], rel=max(0.05, stated[job.number].half_width))
        assert stated[job.number].half_width < 0.15
        assert made.leaps > 0.1 * made.cycles
        assert not made.counted


def test_short_loops_are_live_to_the_cycle():
    placing = placing_on("mesh:4x4", seed=1)
    jobs = loops(1, 16, ("2d-torus", "all-to-one"), (4, 8))
    live = replay(placing, jobs).cycles
    found = sampled_again(placing, jobs, 0.02)
    assert {number: one.cycles for number, one in found.items()} == live
    assert all(one.half_width == 0 for one in found.values())


def test_senders_that_run_ahead_do_not_fill_the_network_for_ever():
    """Eager senders of two all-to-one jobs hold each other up until they have sent their messages."""
    first, second = [0, 1, 2, 5, 9, 10, 11, 13], [3, 4, 6, 7, 8, 12, 14, 15]
    jobs = started(
        [("all-to-one,packets=4", first, 550, 299, 0), ("all-to-one,packets=4", second, 530, 299, 17_323)]
    )
    placing = placing_on("tree:4,2")
    live, found = replay(placing, jobs).cycles, sampled_again(placing, jobs, 0.02)
    for number, cycles in live.items():
        one = found[number]
        assert one.cycles == pytest.approx(cycles, rel=0.05)
        assert abs(one.cycles / cycles - 1) <= one.half_width
        assert min(one.cycles, cycles) > 1.02 * one.alone.time.mean


def test_a_time_alone_with_chance_in_it_is_a_mean_with_an_interval():
    """A butterfly on scattered nodes of a tree takes 8 % more or less from draw to draw."""
    jobs = started([("butterfly,packets=8", [0, 2, 14, 15], 96, 150, 0)])
    (one,) = sampled_again(placing_on("tree:4,2", seed=4), jobs, 0.02).values()
    assert one.alone.time.count > 5
    assert one.alone.deviation > 0.02
    assert one.half_width > one.alone.deviation


def test_jobs_of_a_log_have_intervals(tmp_path):
    log, mix = tmp_path / "log.csv", tmp_path / "mix.toml"
    rows = [f"{n},{4e-5 * n},{4 + 4 * (n % 2)},{3e-4 + 5e-5 * (n % 3)}" for n in range(1, 9)]
    log.write_text("\n".join(["number,submit,nodes,run_time", *rows]))
    mix.write_text(
        'communication = 0.4\n[[class]]\nprogram = "2d-torus,packets=4"\n'
        '[[class]]\nprogram = "all-to-all,packets=2"\n'
    )
    given = {"machine": "mesh:4x4", "workload": str(log), "applications": str(mix), "partition": "random"}
    live, sampled = (
        cosimulate(make_cosim_plan(given | {"fidelity": time}, seed=2)).outcome
        for time in ("live", "sampled")
    )
    assert sampled["figures"]["simulated"] < 0.9
    assert sampled["figures"]["half_width"]["most"] > 0
    slow = [run["figures"]["sharing"]["mean_slowdown"] for run in (live, sampled)]
    assert slow[1] == pytest.approx(slow[0], rel=0.05)
    for job in sampled["jobs"]:
        assert 0 <= job["half_width"] < 0.3
        assert job["slowdown_half_width"] >= 0


def test_a_stopped_job_makes_room_once_more_too():
    placing = placing_on("mesh:4x4")
    long, short = (
        PlacedJob(Job(n, 0, 8, 0), JobProgram("2d-torus,packets=4", 8, times, 300), np.arange(8))
        for n, times in ((1, 4000), (2, 400))
    )
    made = fast_forward(placing, [(0, Started(long, 0, stop=60_000)), (1, Started(short, 60_000))], 0.02)
    assert [*made] == [1]
    assert made[1].cycles == pytest.approx(cycles_alone(placing, short), rel=0.02)


def test_a_loop_alone_of_a_million_iterations_takes_seconds():
    placing = placing_on("mesh:4x4")
    job = PlacedJob(Job(1, 0, 8, 0), JobProgram("2d-torus,packets=4", 8, 10**6, 300), np.arange(8))
    made = fast_forward(placing, [(0, Started(job, 0))], 0.02)[0]
    few = cycles_alone(placing, PlacedJob(job.job, JobProgram("2d-torus,packets=4", 8, 500, 300), job.nodes))
    assert made.cycles == pytest.approx(2000 * few, rel=0.02)
    assert math.isfinite(made.variance)


@pytest.mark.parametrize(("packets", "times", "skips"), [(1, 200, False), (8, 400, True)])
def test_looks_at_jobs_of_unlike_periods_cost_a_part_of_the_packets(monkeypatch, packets, times, skips):
    """Small jobs beside one of long iterations run live; where that takes long, iterations are skipped."""
    monkeypatch.setattr("netplace.cosim.fast_forward.LOOK", LOOK)
    looked = []
    look = FastForwarder.look

    def counted(self, *given):
        looked.append(len(self.paces))
        return look(self, *given)

    monkeypatch.setattr(FastForwarder, "look", counted)
    placing = placing_on("mesh:4x4")
    every = [
        (f"2d-torus,packets={packets}", range(4), times, 20_000, 0),
        *((f"2d-torus,packets={packets}", range(n, n + 4), 10 * times, 200, 0) for n in (4, 8, 12)),
    ]
    made = fast_forward(placing, [(job.number, job) for job in started(every)], 0.02)
    created = sum(packets_of(placing, job.placed.work) * job.placed.work.iterations for job in started(every))
    assert any(one.leaps for one in made.values()) == skips
    assert LOOK * sum(looked) < 0.5 * created


def test_iterations_that_the_network_does_not_know_change_nothing(monkeypatch):
    """A network counts to 2^31; of longer loops the rest is skipped first, to the same cycle."""
    placing = JobPlacer(parse("torus:4x4"), Config(), lambda job: JobProgram("", 1))
    works = [
        JobProgram("butterfly,packets=2", 8, 20_000, 400),
        JobProgram("all-to-one,packets=2", 8, 20_000, 400),
    ]
    stays = [
        (place, Started(PlacedJob(Job(place, 0, 8, 1.0), work, np.arange(8) * 2 + place), 0))
        for place, work in enumerate(works)
    ]
    whole = fast_forward(placing, stays, 0.02)
    monkeypatch.setattr("netplace.cosim.fast_forward._KNOWN", 1000)
    known = fast_forward(placing, stays, 0.02)
    assert [one.cycles for one in known.values()] == [one.cycles for one in whole.values()]
    monkeypatch.undo()
    endless = replace(stays[0][1].placed, work=replace(works[0], iterations=20_000_000_000))
    [found] = fast_forward(placing, [(0, Started(endless, 0))], 0.02).values()
    assert found.cycles == pytest.approx(1e6 * fast_forward(placing, stays[:1], 0.02)[0].cycles, rel=0.02)
