"""Run times of application jobs from a table, and from a store that simulates what it lacks."""

import numpy as np
import pytest

from netplace.netsim import Config
from netplace.runs import execute, resolve
from netplace.runs.file_times import BEST_KNOWN
from netplace.runs.store import Store
from netplace.runs.table_times import JobRuns, TableTimes
from netplace.runs.tables import run_table, time_table, write_table
from netplace.scheduling import Allocation, Job, make_partitioner, schedule
from netplace.topologies import parse

GRID, TREE = parse("torus:8x8"), parse("tree:2,3")
CYCLE = Config().cycle_ns * 1e-9


def job(nodes: int = 8, application: str = "2d-mesh", repeats: int = 1) -> Job:
    return Job(1, 0, nodes, 0, application=application, intensity="low", repeats=repeats)


def box(*shape: int, mapping: str = "") -> Allocation:
    return Allocation(np.arange(np.prod(shape)), shape, mapping=mapping)


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "runs.sqlite") as opened:
        yield opened


def test_a_job_takes_as_long_as_its_run_alone(store):
    times = TableTimes.simulated(store, GRID)
    run = resolve("mesh:4x2", {"app": "2d-mesh", "tasks": 8, "packets": 4})
    assert times.seconds(job(), box(4, 2)) == pytest.approx(execute(run).cycles * CYCLE)
    assert times.seconds(job(repeats=7), box(4, 2)) == pytest.approx(7 * times.seconds(job(), box(4, 2)))
    assert times.seconds(Job(1, 0, 4, 12.5), box(2, 2)) == 12.5, "no application: its own run time"


def test_boxes_that_routes_leave_are_run_on_the_machine_itself():
    runs = JobRuns(GRID, Config())
    assert runs.of(job(), box(4, 2), "consecutive").network == "mesh:4x2"
    # Half round a ring of 8, there are two ways from end to end.
    around = runs.of(job(5), box(5, 1), "consecutive")
    assert (around.network, around.partition) == ("torus:8x8", "boxes:5x1")
    assert JobRuns(parse("mesh:8x8"), Config()).of(job(5), box(5, 1), "consecutive").network == "mesh:5x1"
    scattered = runs.of(job(4), Allocation(np.array([9, 3, 4, 5])), "consecutive")
    assert scattered.partition == "nodes:9,3-5"


def test_subtrees_are_alike():
    runs = JobRuns(TREE, Config())
    first = runs.of(job(2), Allocation(np.array([0, 1])), "consecutive")
    assert runs.of(job(2), Allocation(np.array([6, 7])), "consecutive") == first
    assert runs.of(job(2), Allocation(np.array([5, 6])), "consecutive").partition == "nodes:1-2"
    assert runs.of(job(2), Allocation(np.array([1, 2])), "consecutive").partition == "nodes:1-2"


def test_what_was_simulated_is_kept_and_a_table_of_it_says_the_same(store, tmp_path):
    times = TableTimes.simulated(store, GRID)
    jobs = [job(), job(4), job(6)]
    places = [box(4, 2), box(2, 2), box(3, 2)]
    asked = [times.seconds(one, place) for one, place in zip(jobs, places, strict=True)]
    frame = time_table(run_table(store.rows()))
    assert len(frame) == 3
    for name in ("times.csv", "times.parquet"):
        write_table(frame, tmp_path / name)
        table = TableTimes.read(tmp_path / name, GRID)
        assert [table.seconds(one, at) for one, at in zip(jobs, places, strict=True)] == asked
        table.check(jobs)
    with pytest.raises(LookupError, match=r"no entry of application 2d-mesh, .* network mesh:2x4"):
        table.seconds(job(), box(2, 4))
    with pytest.raises(LookupError, match="the table lacks 1 kinds of jobs: 2d-torus low on 8 nodes"):
        table.check([*jobs, job(application="2d-torus")])


def test_the_best_known_mapping_is_the_fastest(store):
    each = [
        TableTimes.simulated(store, GRID, mapping=name).seconds(job(), box(4, 2))
        for name in ("consecutive", "column")
    ]
    best = TableTimes.simulated(store, GRID, mapping=BEST_KNOWN, candidates=("consecutive", "column"))
    assert best.seconds(job(), box(4, 2)) == min(each)
    assert best.seconds(job(), box(4, 2, mapping="column")) == each[1]


def test_chance_is_averaged_over_seeds(store):
    run = resolve("mesh:4x2", {"app": "2d-mesh", "tasks": 8, "packets": 4, "mapping": "random"})
    cycles = [execute(run.seeded(seed)).cycles for seed in range(3)]
    times = TableTimes.simulated(store, GRID, mapping="random", seeds=3)
    assert times.seconds(job(), box(4, 2)) == pytest.approx(np.mean(cycles) * CYCLE)


def test_boxes_are_ranked_by_time_and_the_longest_is_the_estimate(store):
    times = TableTimes.simulated(store, GRID)
    ranked = times.ranking(job(12))
    asked = [times.seconds(job(12), box(*shape)) for shape, _ in ranked]
    assert len(asked) > 2
    assert asked == sorted(asked)
    assert {mapping for _, mapping in ranked} == {"consecutive"}
    assert times.longest(job(12)) == max(asked)
    assert times.longest(Job(1, 0, 4, 12.5)) == 12.5


def test_schedules_of_applications_use_the_shapes_that_they_got(store):
    times = TableTimes.simulated(store, GRID)
    partitioner = make_partitioner("contiguous:bps", GRID, ranking=times.ranking)
    jobs = [Job(number, 0, 12, 0, application="2d-mesh", intensity="low") for number in range(3)]
    made = schedule(GRID, jobs, "fcfs", partitioner, times)
    shortest = times.seconds(jobs[0], box(*times.ranking(jobs[0])[0][0]))
    assert (made.end - made.start)[0] == pytest.approx(shortest)
    assert (made.nominal == made.end - made.start).all()


def test_an_unknown_intensity_is_told(store):
    strange = Job(4, 0, 4, 0, application="2d-mesh", intensity="hihg")
    with pytest.raises(ValueError, match="intensity of job 4: unknown name 'hihg'; did you mean high"):
        TableTimes.simulated(store, GRID).seconds(strange, box(2, 2))
