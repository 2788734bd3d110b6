"""Times by mixes: what need not be simulated is not, and the rest agrees with live runs."""

from dataclasses import replace

import numpy as np
import pytest

from netplace.cosim import Placed, Placing, application_work, cosimulate, make_cosim_plan
from netplace.cosim.interval import MARKED
from netplace.cosim.mixes import MixesExecution, half_width
from netplace.cosim.rates import Rates, waits_for_all
from netplace.cosim.work import Work
from netplace.netsim import Config, Network
from netplace.scheduling import Job
from netplace.topologies import parse

SMALL = {
    "workload": "applications", "jobs": 8, "sizes": "small", "intensity": "low", "repeats": "20:30",
    "mean_interarrival": 1e-6, "policy": "easy",
}  # fmt: skip


def rates_on(text, **more):
    config = Config()
    return Rates(Placing(parse(text), config, application_work(config)), **more)


def placed(nodes, application="2d-torus,packets=4", iterations=40):
    nodes = np.asarray(nodes)
    return Placed(Job(1, 0, len(nodes), 0), Work(application, len(nodes), iterations), nodes)


@pytest.mark.parametrize("machine", ["mesh:8x8", "tree:4,3"])
def test_jobs_on_links_of_their_own_are_looked_up(machine):
    plan = make_cosim_plan({"machine": machine, "partition": "contiguous", "fidelity": "mixes", **SMALL})
    found = cosimulate(plan).outcome
    assert found["figures"]["sources"]["alone"] == 1
    assert found["figures"]["mixes"]["simulated"] == 0
    assert all(job["slowdown"] == pytest.approx(1) for job in found["jobs"])


def test_times_by_mixes_agree_with_live_ones():
    given = {"machine": "tree:4,3", "partition": "random", **SMALL}
    live, sampled = (
        cosimulate(make_cosim_plan(given | {"fidelity": time}, seed=2)).outcome for time in ("live", "mixes")
    )
    assert live["figures"]["sharing"]["mean_slowdown"] > 1.05
    mean = [run["figures"]["sharing"]["mean_slowdown"] for run in (live, sampled)]
    assert mean[1] == pytest.approx(mean[0], rel=0.05)
    ratio = np.array([s["live"] / one["live"] for s, one in zip(sampled["jobs"], live["jobs"], strict=True)])
    assert np.median(np.abs(ratio - 1)) < 0.05
    shares = sampled["figures"]["sources"]
    assert sum(shares.values()) == pytest.approx(1)
    assert shares["sampled"] > 0
    # What a job lost is shared out among the jobs that ran beside it.
    times = {job["job"]: job for job in sampled["jobs"]}
    lost = dict.fromkeys(times, 0.0)
    for row in sampled["lost"]:
        lost[row["job"]] += row["seconds"]
        one, other = times[row["job"]], times[row["by"]]
        assert one["start"] < other["end"]
        assert other["start"] < one["end"]
    for job in sampled["jobs"]:
        if job["slowdown"] > 1.01:
            assert lost[job["job"]] == pytest.approx(job["live"] - job["alone"], abs=0.005 * job["alone"])


def test_a_shifted_mix_is_remembered():
    rates = rates_on("torus:6x6")
    first = [placed([0, 2, 4, 12]), placed([1, 3, 5, 13])]
    factors = rates.of(first).factors
    torus = rates.placing.machine
    shifted = [
        placed(torus.node((torus.coordinates(job.nodes) + np.array([2, 3])) % torus.sizes))
        for job in reversed(first)
    ]
    assert rates.known(shifted)
    assert rates.of(shifted).factors == factors[::-1]
    assert rates.simulated == 1
    assert not rates.known([placed([0, 2, 4, 12]), placed([1, 3, 5, 19])])


def test_a_mix_does_not_depend_on_what_was_measured_before():
    jobs = [placed([0, 2, 4, 12]), placed([1, 3, 5, 13])]
    fresh, used = rates_on("torus:6x6"), rates_on("torus:6x6")
    used.of([placed([0, 7, 9, 30]), placed([1, 2, 3, 8])])
    assert fresh.of(jobs) == used.of(jobs)


def test_precision_that_cannot_be_met_is_counted():
    rates = rates_on("torus:6x6", target_half_width=1e-9, most_windows=4)
    found = rates.of([placed([0, 2, 4, 12], "all-to-all,packets=4"), placed([1, 3, 5, 13], "gups,packets=4")])
    assert found.windows == 4
    assert rates.missed == 1
    assert max(found.half_widths) > 1e-9


@pytest.mark.parametrize("application", ["2d-torus,packets=4", "all-to-one,packets=4", "2d-sweep,packets=4"])
def test_long_jobs_alone_are_short_ones_made_longer(application):
    from netplace.cosim import cycles_alone

    rates = rates_on("mesh:4x4")
    job = placed(range(8), application, iterations=300)
    assert rates.loops.alone(job) == pytest.approx(cycles_alone(rates.placing, job), rel=0.05)


@pytest.mark.parametrize("application", ["2d-torus,packets=4", "all-to-one,packets=4", "2d-sweep,packets=4"])
def test_jobs_that_mostly_compute_are_timed_by_few_iterations(application, monkeypatch):
    from netplace.cosim import cycles_alone, loop_times

    rates = rates_on("tree:4,2", target_half_width=0.05)
    job = placed(range(8), application, iterations=150)
    job = replace(job, work=replace(job.work, compute=9 * cycles_alone(rates.placing, job) // 150))
    truth, runs = cycles_alone(rates.placing, job), []

    def counted(placing, block):
        runs.append(block.work.iterations)
        return cycles_alone(placing, block)

    monkeypatch.setattr(loop_times, "cycles_alone", counted)
    assert rates.loops.alone(job) == pytest.approx(truth, rel=0.02)
    assert max(runs) <= 16


def test_loops_that_go_on_and_on_agree_with_live_ones():
    rates = rates_on("mesh:8x8", target_half_width=0.05)
    nodes = np.random.default_rng(2).permutation(64)
    jobs = [
        Placed(Job(number, 0, work.tasks, 0), work, where)
        for number, (work, where) in enumerate(
            [
                (Work("all-to-one,packets=4", 8, 1000, 340), nodes[:8]),
                (Work("2d-t-torus,packets=4", 16, 300, 400), nodes[8:24]),
            ]
        )
    ]
    network = Network(rates.placing.machine, rates.placing.config)
    _, second = (rates.placing.start(network, job) for job in jobs)
    assert network.advance() == [second]  # while the other goes on
    slowed = network.job(second).end / rates.loops.alone(jobs[1])
    assert slowed > 1.03
    assert rates.of(jobs).factors[1] == pytest.approx(slowed, rel=0.02)


def test_senders_that_nobody_holds_up_do_not_keep_the_network_full_for_ever(tmp_path):
    log, mix = tmp_path / "log.csv", tmp_path / "mix.toml"
    starts, times = (0, 9.7e-6, 1.27e-5, 2.55e-5), (2.18e-4, 2.10e-4, 2.11e-4, 2.36e-4)
    rows = [f"{n},{start},8,{time}" for n, (start, time) in enumerate(zip(starts, times, strict=True), 1)]
    log.write_text("\n".join(["number,submit,nodes,run_time", *rows]))
    kinds = ("butterfly,packets=8", "2d-torus,packets=8", "all-to-one,packets=4")
    classes = [f'[[class]]\napplication = "{kind}"\n' for kind in kinds]
    mix.write_text("\n".join(["communication = 0.5", *classes]))
    given = {
        "machine": "mesh:6x6", "workload": str(log), "applications": str(mix), "partition": "random",
        "policy": "fcfs",
    }  # fmt: skip
    live, made = (
        cosimulate(make_cosim_plan(given | {"fidelity": time}, seed=4)).outcome for time in ("live", "mixes")
    )
    half_widths = [job["half_width"] for job in made["jobs"]]
    for job, true in zip(made["jobs"], live["jobs"], strict=True):
        assert job["live"] < 1.5 * true["live"]
        assert abs(true["live"] / job["live"] - 1) <= job["half_width"]
    assert max(half_widths) > MARKED  # it is said that this is hardly known
    assert made["figures"]["marked"] == sum(width > MARKED for width in half_widths)


@pytest.mark.parametrize(("compute", "seed"), [(80, 21), (95, 3)])
def test_slowdowns_that_build_up_slowly_are_seen(compute, seed):
    """Senders run ahead, and what they make of a network takes hundreds of iterations to build up.

    Blocks of 32 iterations saw none of it: jobs slowed by half were given their time alone, to within 2 %.
    """
    config, machine = Config(), parse("mesh:5x7")
    nodes = np.random.default_rng(seed).permutation(machine.nodes)[:30].reshape(5, 6)
    nodes = np.sort(nodes) if seed % 2 else nodes
    placing = Placing(machine, config, application_work(config), seed=seed)
    work = Work("all-to-one,packets=1", 6, 500, compute)
    jobs = [Placed(Job(number, 0, 6, 0), work, own) for number, own in enumerate(nodes, 1)]
    network = placing.network()
    numbers = [placing.start(network, job) for job in jobs]
    network.finish()
    live = np.array([network.job(number).end for number in numbers], float)
    rates, ended = Rates(placing), []
    execution = MixesExecution(placing, rates, lambda job: 1.0, ended.append)
    for job in jobs:
        execution.begin_placed(job.job.number, job, 0.0)
    while execution.next_end(np.inf):
        pass
    ended.sort(key=lambda done: done.placed.job.number)
    made = np.array([done.end - done.begin for done in ended])
    half = np.array([half_width(done, rates.loops) for done in ended])
    assert (live / [rates.loops.alone(job) for job in jobs]).max() > 1.3
    assert (np.abs(live / made - 1) <= np.maximum(half, 0.05)).all(), np.stack([live, made, half])


def test_only_programs_whose_tasks_all_wait_for_each_other_get_on_steadily():
    placing = rates_on("mesh:4x4").placing
    steady = {
        name: waits_for_all(placing.body(placed(range(8), f"{name},packets=2")))
        for name in ("2d-torus", "butterfly", "all-to-all", "all-to-one", "2d-sweep", "waterfall")
    }
    assert [name for name, all_wait in steady.items() if all_wait] == ["2d-torus", "butterfly", "all-to-all"]


def test_a_job_that_others_starve_ends_its_window():
    rates = rates_on("mesh:4x4", target_half_width=0.5)
    crowd = [placed(range(first, 16, 3), "all-to-one,packets=8", 500) for first in (0, 1)]
    starved = placed([2, 5, 8, 11], "waterfall,packets=4", 7)
    found = rates.of([starved, *crowd], 1)
    assert found.factors[0] > 1
    assert found.deviations[0] > 0.01


def test_iterations_are_counted():
    placing = rates_on("torus:4x4").placing
    network = Network(placing.machine, placing.config)
    job = placing.start(network, placed(range(8), iterations=50))
    last = np.zeros(8)
    while not network.advance(network.now + 100):
        rounds = network.rounds(job)
        assert (rounds >= last).all()
        assert np.ptp(rounds) < 5  # neighbours hold each other up
        last = rounds
    assert last.min() > 40
    with pytest.raises(ValueError, match="does not run"):
        network.rounds(job)
