"""Laws of the live network: what sharing is, and what it is not."""

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netplace.cosim import (
    JobPlacer,
    LiveExecution,
    application_work,
    cosimulate,
    cycles_alone,
    make_cosim_plan,
    program_of,
)
from netplace.cosim.alone import draw_times, mean_time
from netplace.cosim.cost import affordable_draws
from netplace.cosim.fidelities import MOST_DRAWS, PILOT, enough_draws, over_draws
from netplace.cosim.job_row import Measured
from netplace.cosim.placing import placing_of
from netplace.cosim.work import JobProgram
from netplace.netsim import ENGINES, Config, simulate
from netplace.runs.schedules import workload_of
from netplace.scheduling import Allocation, Job, schedule
from netplace.topologies import parse

SMALL = {
    "workload": "applications",
    "jobs": 6,
    "sizes": "small",
    "intensity": "low",
    "mean_interarrival": 2e-6,
}
APPS = ("2d-torus", "butterfly", "all-to-all", "binary-tree", "2d-sweep", "gups")


def placing_on(text, config=None, seed=0, mapping="consecutive"):
    config = config or Config()
    return JobPlacer(parse(text), config, application_work(config), mapping, seed)


class Fixed:
    """Gives each job nodes that were chosen before."""

    by_count = False
    searches = visited = 0

    def __init__(self, nodes, machine_nodes):
        self.nodes, self.free, self.held = nodes, machine_nodes, set()

    def find(self, job):
        wanted = self.nodes[job.number]
        return None if self.held & set(wanted.tolist()) else Allocation(wanted)

    def take(self, allocation):
        self.held |= set(allocation.nodes.tolist())

    def release(self, allocation):
        self.held -= set(allocation.nodes.tolist())

    def copy(self):
        made = Fixed(self.nodes, self.free)
        made.held = set(self.held)
        return made


def live(placing, jobs, nodes, engine="kernel"):
    """Let jobs run, each as it is submitted, on given nodes; return what became of each."""
    ended = {}
    execution = LiveExecution(
        placing, lambda job: 1.0, engine, lambda attempt: ended.update({attempt.placed.job.number: attempt})
    )
    schedule(placing.machine, jobs, "fcfs", Fixed(nodes, placing.machine.nodes), execution)
    return ended


def drawn(data, network, count, box=None):
    """Draw jobs with nodes of their own, submitted at any cycle."""
    machine = parse(network)
    free = data.draw(st.permutations(range(machine.nodes)))
    jobs, nodes, submit = [], {}, 0
    for number in range(count):
        size = data.draw(st.sampled_from([2, 4]))
        nodes[number] = np.array(free[:size])
        free = free[size:]
        submit += data.draw(st.integers(0, 200))
        program = data.draw(st.sampled_from(APPS)) + data.draw(st.sampled_from([",bytes=256", ",bytes=1024"]))
        jobs.append(Job(number, submit * 3.2e-9, size, 0, None, program))
    return jobs, nodes


@given(st.data())
def test_fixed_starts_are_simulate_of_the_same_jobs(data):
    network = data.draw(st.sampled_from(["torus:4x4", "mesh:5x4", "tree:4,2", "torus:3x3x3"]))
    placing = placing_on(network, seed=data.draw(st.integers(0, 3)))
    jobs, nodes = drawn(data, network, 3)
    jobs = [Job(j.number, 0.0, j.nodes, 0, None, j.program, j.tasks) for j in jobs]
    ended = live(placing, jobs, nodes)
    work = [placing.program_for(job) for job in jobs]
    programs = [program_of(each, placing.config) for each in work]
    result = simulate(
        placing.machine,
        programs,
        [nodes[job.number] for job in jobs],
        config=placing.config,
        seed=placing.seed,
    )
    assert [ended[job.number].end for job in jobs] == [one.end for one in result.jobs]


@settings(derandomize=True, deadline=None, database=None, max_examples=15)
@given(st.data())
def test_both_engines_agree(data):
    network = data.draw(st.sampled_from(["torus:4x4", "mesh:4x3", "tree:2,3"]))
    placing = placing_on(network, Config(vcs=data.draw(st.integers(1, 3))), seed=2)
    jobs, nodes = drawn(data, network, 2)
    found = []
    for engine in ENGINES:
        ended = live(placing, jobs, nodes, engine)
        alone = {n: cycles_alone(placing, one.placed, engine, one.since) for n, one in ended.items()}
        found.append([(n, one.start, one.end, alone[n]) for n, one in sorted(ended.items())])
    assert found[0] == found[1]


# Boxes of a mesh whose minimal routes stay inside: no link is possible for two of them.
QUARTERS = [np.array([x + 6 * y + 3 * dx + 18 * dy for y in range(3) for x in range(3)])
            for dx in (0, 1) for dy in (0, 1)]  # fmt: skip


@given(st.data())
def test_jobs_on_links_of_their_own_disturb_nobody(data):
    """Taking out a job whose links nobody shares changes no cycle of the others."""
    network = data.draw(st.sampled_from(["mesh:6x6", "torus:6x6"]))
    config = Config(
        vcs=data.draw(st.integers(1, 3)), vc_policy=data.draw(st.sampled_from(["smart", "random"]))
    )
    placing = placing_on(network, config, seed=1)
    jobs, nodes, submit = [], {}, 0
    for number in range(8):
        size = data.draw(st.sampled_from([4, 8]))
        box = QUARTERS[number % 4]
        nodes[number] = np.array(data.draw(st.permutations(box.tolist()))[:size])
        submit += data.draw(st.integers(0, 2000)) * 3.2e-9
        jobs.append(Job(number, submit, size, 0, None, data.draw(st.sampled_from(APPS)) + ",bytes=256"))
    everybody = live(placing, jobs, nodes)
    quarter = data.draw(st.integers(0, 3))
    left = [job for job in jobs if job.number % 4 != quarter]
    without = live(placing, left, nodes)
    # Starts are the same too unless a job waited for its nodes, which are its quarter's.
    for job in left:
        if everybody[job.number].start == without[job.number].start:
            assert everybody[job.number].end == without[job.number].end
    for attempt in everybody.values():
        if all(
            other is attempt
            or other.placed.job.number % 4 != attempt.placed.job.number % 4
            or other.end + 1000 < attempt.start
            or other.start > attempt.end
            for other in everybody.values()
        ):
            assert attempt.cycles == cycles_alone(placing, attempt.placed, since=attempt.since)


def test_starts_and_ends_are_cycles():
    """A job that is submitted between two cycles begins in the next."""
    placing = placing_on("torus:4x4", Config(cycle_ns=10.0))
    nodes = {1: np.arange(4), 2: np.arange(4)}
    jobs = [Job(1, 0.0, 4, 0, None, "butterfly,bytes=256"), Job(2, 1.5e-8, 4, 0, None, "butterfly,bytes=256")]
    ended = live(placing, jobs, nodes)
    assert ended[1].start == 0
    assert ended[2].start == ended[1].end
    alone = {1: np.arange(4), 2: np.arange(4, 8)}
    assert live(placing, jobs, alone)[2].start == 2


@pytest.mark.parametrize("machine", ["torus:8x8", "mesh:8x8", "tree:4,3"])
def test_contiguous_jobs_share_nothing(machine):
    """Boxes of the machine on a mesh, and subtrees, keep their messages to themselves."""
    plan = make_cosim_plan({"machine": machine, "partition": "contiguous", "policy": "easy", **SMALL})
    rows = cosimulate(plan).outcome["jobs"]
    if machine != "torus:8x8":  # there a side of more than half a ring may go round it
        assert [row["slowdown"] for row in rows] == [1.0] * 6


def test_scattered_jobs_share_and_a_table_is_wrong():
    given = {"machine": "torus:8x8", "partition": "random"}
    given |= SMALL | {"intensity": "high", "mean_interarrival": None}
    found = cosimulate(make_cosim_plan(given)).outcome
    assert found["figures"]["sharing"]["most_slowdown"] > 1.05
    assert found["figures"]["table_error"]["all"]["most"] > 0.05
    for row in found["jobs"]:
        assert row["live"] / row["alone"] == pytest.approx(row["slowdown"])
        assert row["end"] - row["start"] == pytest.approx(row["live"], abs=4e-9)


def test_a_table_knows_no_sharing():
    given = {"machine": "torus:8x8", "partition": "random", "fidelity": "table", **SMALL}
    found = cosimulate(make_cosim_plan(given)).outcome
    assert found["figures"]["table_error"] is None
    assert all(row["slowdown"] == 1 for row in found["jobs"])


def test_the_same_plan_gives_the_same_jobs():
    plan = make_cosim_plan({"machine": "torus:8x8", "partition": "random", "policy": "easy", **SMALL}, seed=4)
    assert cosimulate(plan).outcome["jobs"] == cosimulate(plan).outcome["jobs"]


def test_work_computes_before_each_iteration():
    program = program_of(JobProgram("butterfly,packets=1", 4, iterations=3, compute=50), Config())
    cycles = simulate(parse("torus:4x4"), program).cycles
    once = simulate(parse("torus:4x4"), program_of(JobProgram("butterfly,packets=1", 4), Config())).cycles
    assert 150 + once <= cycles <= 3 * (50 + once)


def without_times(outcome):
    """Return what came of a plan, but for the processor time that it took."""
    if isinstance(outcome, list):
        return [without_times(part) for part in outcome]
    if not isinstance(outcome, dict):
        return outcome
    return {name: without_times(part) for name, part in outcome.items() if name != "cpu_seconds"}


@pytest.mark.parametrize("fidelity", ["live", "sampled"])
def test_a_co_simulation_does_not_depend_on_the_number_of_threads(fidelity):
    given = SMALL | {"machine": "torus:4x4", "vcs": 1, "bubble": 1, "fidelity": fidelity}
    plan = make_cosim_plan(given, seed=3)
    alone, together = (without_times(cosimulate(plan, threads=count).outcome) for count in (1, 3))
    assert together == alone


def test_intervals_of_slowdowns_come_from_several_draws():
    """Each draw is the same jobs with other random numbers; the slowdown is the ratio of the means."""
    given = {"machine": "torus:4x4", "workload": "applications", "jobs": 6, "sizes": "small"}
    given |= {"policy": "easy", "partition": "random"}
    one, several = (cosimulate(make_cosim_plan(given | {"draws": draws}, 3)) for draws in (1, 4))
    varying = 0
    for single, row in zip(one.jobs, several.jobs, strict=True):
        same = ("start_cycle", "end_cycle", "nodes")
        assert [getattr(row, name) for name in same] == [getattr(single, name) for name in same]
        assert row.slowdown == pytest.approx(row.live / row.alone)
        varying += row.slowdown_half_width > 0
        assert single.half_width is single.slowdown_half_width is None
    assert varying
    assert one.figures.half_width is one.figures.sharing.within_chance is None
    assert several.figures.half_width.most > 0
    assert any(single.live != row.live for single, row in zip(one.jobs, several.jobs, strict=True))


def test_the_number_of_draws_follows_from_the_precision_and_the_budget():
    given = {"machine": "torus:4x4", "workload": "applications", "jobs": 6, "sizes": "small"}
    given |= {"policy": "easy", "partition": "random", "draws": "auto", "target_half_width": 0.015}
    plan = make_cosim_plan(given, 3)
    fine = cosimulate(plan).outcome
    assert 10 < fine["draws"] < MOST_DRAWS
    halves = [job["slowdown_half_width"] / job["slowdown"] for job in fine["jobs"]]
    assert np.mean(halves) < 0.0225
    assert cosimulate(make_cosim_plan(given | {"target_half_width": 0.5}, 3)).outcome["draws"] == PILOT
    a_draw = 1e9 / affordable_draws(placing_of(plan), workload_of(plan.jobs), 1e9)
    assert cosimulate(msgspec.structs.replace(plan, max_packets=8.5 * a_draw)).outcome["draws"] == 8


def test_a_network_without_chance_has_intervals_over_starts_that_are_moved():
    given = SMALL | {"machine": "mesh:4x4", "policy": "easy", "partition": "random", "vcs": 1}
    one, drawn = (cosimulate(make_cosim_plan(given | {"draws": draws}, 3)).jobs for draws in (1, 4))
    for single, row in zip(one, drawn, strict=True):
        assert single.half_width is single.alone_half_width is single.slowdown_half_width is None
        assert (single.start_cycle, single.end_cycle) == (row.start_cycle, row.end_cycle)
        assert 0 < row.half_width < 0.3
        assert 0 < row.slowdown_half_width < 0.3
    assert [row.live for row in one] != [row.live for row in drawn]


def test_intervals_of_means_of_few_draws_hold():
    """Draws end as soon as they agree, which few do by chance."""
    rng, held = np.random.default_rng(5), []
    for deviation in rng.uniform(0.005, 0.04, 2000):
        one = mean_time(draw_times(lambda _, deviation=deviation: float(rng.normal(1e4, 1e4 * deviation))))
        held.append(abs(one.mean - 1e4) <= one.half_width)
    assert 0.93 < np.mean(held) < 0.98


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"draws": "some"}, "draws: 'some'"),
        ({"draws": 2}, "draws: 2 are too few for an interval, expected 1 or at least 3"),
        ({"draws": 3, "fidelity": "sampled"}, "draws: 3 given, but only fidelity live has several draws"),
        ({"draws": 3, "explain": True}, "draws: 3 given, but explain"),
        (
            {"draws": 3, "faults": "at=3000,links=0.1,seed=1"},
            "draws: 3 given, but jobs that fail because of faults",
        ),
        ({"draws": 3, "overrun": "kill"}, "draws: 3 given, but jobs that are stopped early"),
    ],
)
def test_draws_without_effect_are_refused(more, words):
    given = {"machine": "torus:4x4", "workload": "applications", "policy": "easy", "partition": "random"}
    with pytest.raises(ValueError, match=words):
        make_cosim_plan(given | more)


def test_a_ratio_of_means_has_the_interval_of_its_differences():
    rng = np.random.default_rng(4)
    alone = rng.normal(100, 10, (2000, 5))
    live = 1.2 * alone + rng.normal(0, 3, (2000, 5))
    job = Job(1, 0.0, 2, 1.0, program="butterfly,bytes=256")
    placed = placing_on("mesh:2x2").put(job, Allocation(np.array([0, 1])))
    jobs = [Measured(placed, 0, 1.0, 1.0, 1.0)] * len(live)
    made = over_draws(jobs, live, alone)
    held = [abs(one.live / one.alone - 1.2) <= one.chance * one.live / one.alone for one in made]
    assert 0.93 < np.mean(held) < 0.97
    # A job that no other touched in five draws may be touched in a sixth, even if no job ever was.
    first = over_draws(jobs[:2], np.stack([alone[0], live[1]]), alone[:2])[0]
    assert first.live == first.alone
    assert first.chance > 0
    never = over_draws(jobs[:2], alone[:2], alone[:2])
    assert all(one.live == one.alone and 0 < one.chance < 0.015 for one in never)
    # Times have the same treatment.
    alone_held = [abs(one.alone - 100) <= one.alone_half_width * one.alone for one in made]
    live_held = [abs(one.live - 120) <= one.half_width * one.live for one in made]
    assert all(0.93 < np.mean(held) < 0.97 for held in (alone_held, live_held))
    # The half-width of a mean shrinks with the root of the draws.
    many = enough_draws(made, 5, 0.5 * np.mean([one.chance for one in made]), 1000)
    assert 15 <= many <= 22
    assert enough_draws(made, 5, 1e-9, 30) == 30
