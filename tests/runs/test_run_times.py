"""Run times of programs from a table, and from a store that simulates what it lacks."""

import re
from functools import partial

import numpy as np
import pandas as pd
import pytest

from netplace.netsim import Config
from netplace.runs import execute, resolve
from netplace.runs.file_times import BEST_KNOWN
from netplace.runs.places import place_of
from netplace.runs.repetitions import RepeatedTime, is_repeated, with_periods
from netplace.runs.resources import simulators
from netplace.runs.run_times import RunTimeTable, program_text, simulated_times
from netplace.runs.store import Store
from netplace.runs.tables import ENTRY, run_table, time_table, write_table
from netplace.scheduling import Allocation, Job, make_partitioner, schedule
from netplace.topologies import parse

GRID, TREE = parse("torus:8x8"), parse("tree:2,3")
CYCLE = Config().cycle_ns * 1e-9


def job(nodes: int = 8, program: str = "2d-mesh,bytes=256", repeats: int = 1, number: int = 1, **more) -> Job:
    return Job(number, 0, nodes, 0, program=program, repeats=repeats, **more)


def box(*shape: int, mapping: str = "") -> Allocation:
    return Allocation(np.arange(np.prod(shape)), shape, mapping=mapping)


def table(*rows: tuple[str, str, str, float], machine=GRID, **options) -> RunTimeTable:
    """Return a table of rows (program and problem, tasks, place, mapping, cycles)."""
    made = []
    for problem, where, mapping, cycles in rows:
        network, _, place = where.partition(" ")
        rule, _, shape = place.partition(":")
        application, _, rest = problem.partition(",")
        tasks = np.prod([int(side) for side in (shape or network.partition(":")[2]).split("x")])
        values = (application, rest, tasks, network, rule or "whole", shape, mapping, "")
        made.append(dict(zip(ENTRY, values, strict=True)) | {
            "count": 1, "missing": 0, "failed": 0, "mean": cycles, "std": np.nan, "min": cycles,
            "max": cycles,
        })  # fmt: skip
    return RunTimeTable(machine, pd.DataFrame(made), **options)


def simulated(store: Store, machine=GRID, **options) -> RunTimeTable:
    """Return the run times of a store; those that it lacks are simulated when they are needed."""
    supply = partial(simulated_times, store=store, executor=partial(simulators, 1))
    return RunTimeTable(machine, run_table(store.rows()), supply=supply, name=str(store.path), **options)


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "runs.sqlite") as opened:
        yield opened


# By hand: programs A and B in boxes 4x1 and 2x2 under two mappings; A takes 100 and 80 cycles in a row, 60
# and 70 in a square; B 40 and 30, 50 and 20.
_BY_HAND = (
    ("2d-mesh,packets=1", "mesh:4x1", "consecutive", 100), ("2d-mesh,packets=1", "mesh:4x1", "td", 80),
    ("2d-mesh,packets=1", "mesh:2x2", "consecutive", 60), ("2d-mesh,packets=1", "mesh:2x2", "td", 70),
    ("butterfly,packets=1", "mesh:4x1", "consecutive", 40), ("butterfly,packets=1", "mesh:4x1", "td", 30),
    ("butterfly,packets=1", "mesh:2x2", "consecutive", 50), ("butterfly,packets=1", "mesh:2x2", "td", 20),
)  # fmt: skip
_ENDS = {  # of jobs A, A, A and, behind them, B; two squares fit, and on 4 x 3 nodes a row beside them
    ("mesh:4x2", "contiguous:cubic", "consecutive"): [60, 60, 120, 110],
    ("mesh:4x2", "contiguous:cubic", "td"): [70, 70, 140, 90],
    ("mesh:4x2", "contiguous:cubic", BEST_KNOWN): [60, 60, 120, 80],
    ("mesh:4x3", "contiguous:fs", "consecutive"): [60, 60, 100, 110],
    ("mesh:4x3", "contiguous:fs", "td"): [70, 70, 80, 90],
    ("mesh:4x3", "contiguous:fs", BEST_KNOWN): [60, 60, 80, 80],
    ("mesh:4x2", "contiguous:bps", "consecutive"): [60, 60, 120, 160],  # B waits for a row
    ("mesh:4x2", "contiguous:bps", "td"): [70, 70, 140, 90],
    ("mesh:4x2", "contiguous:bps", BEST_KNOWN): [60, 60, 120, 80],
}


@pytest.mark.parametrize(("network", "partition", "mapping"), list(_ENDS))
def test_starts_and_ends_as_worked_out_by_hand(network, partition, mapping):
    machine = parse(network)
    times = table(*_BY_HAND, machine=machine, mapping=mapping)
    jobs = [job(4, "2d-mesh,bytes=64", number=number) for number in (1, 2, 3)]
    jobs.append(job(4, "butterfly,bytes=64", number=4))
    made = schedule(machine, jobs, "fcfs", make_partitioner(partition, machine, ranking=times.ranking), times)
    ends = dict(zip(made.number.tolist(), (made.end / CYCLE).round().tolist(), strict=True))
    assert [ends[number] for number in (1, 2, 3, 4)] == _ENDS[network, partition, mapping]


def test_the_best_shapes_are_those_of_the_fastest_mapping():
    times = table(*_BY_HAND, mapping=BEST_KNOWN)
    assert times.ranking(job(4, "2d-mesh,bytes=64"))[:2] == [((2, 2), "consecutive"), ((4, 1), "td")]
    assert times.ranking(job(4, "butterfly,bytes=64"))[:2] == [((2, 2), "td"), ((4, 1), "td")]
    consecutive = table(*_BY_HAND, mapping="consecutive")
    assert consecutive.ranking(job(4, "butterfly,bytes=64"))[0] == ((4, 1), "consecutive")


def test_a_job_takes_as_long_as_its_run_alone(store):
    times = simulated(store)
    run = resolve("mesh:4x2", {"app": "2d-mesh", "tasks": 8, "packets": 4})
    assert times.seconds(job(), box(4, 2)) == pytest.approx(execute(run).cycles * CYCLE)
    assert times.seconds(Job(1, 0, 4, 12.5), box(2, 2)) == 12.5, "no program: its own run time"


@pytest.mark.parametrize(
    "program", ["lu,class=S,iterations=1", "waterfall,bytes=256", "binary-tree,bytes=256"]
)
@pytest.mark.parametrize("repeats", [3, 50])
def test_repetitions_follow_each_other_as_in_one_long_run(store, program, repeats):
    name, *options = program.split(",")
    request = {"app": name, "tasks": 8} | dict(option.split("=") for option in options)
    request |= {"bytes": 256} if "bytes" in request else {"iterations": 1}
    long = execute(resolve("mesh:4x2", request | {"repeats": repeats})).cycles * CYCLE
    times = simulated(store)
    assert times.seconds(job(8, program, repeats), box(4, 2)) == pytest.approx(long, rel=0.005)
    apart = simulated(store, separate=True)
    once = simulated(store).seconds(job(8, program), box(4, 2))
    assert apart.seconds(job(8, program, 1000), box(4, 2)) == pytest.approx(1000 * once)


def test_total_times_of_repetitions():
    time = RepeatedTime({1: 100, 2: 160, 4: 280})
    assert [time.total(n) for n in (1, 2, 3, 4, 10)] == [100, 160, 220, 280, 640]
    assert RepeatedTime({1: 100}).total(3) is None
    assert RepeatedTime({1: 100}).total(3, separate=True) == 300
    assert (time.next_repeats, RepeatedTime({1: 100, 2: 160, 4: 300}).next_repeats) == (None, 8)


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (("mesh:4x2", "whole"), ("torus:8x8", "boxes:4x2"), True),
        (("torus:8x8", "boxes:4x2@0,0"), ("torus:8x8", "boxes:4x2@4,3"), True),
        (("torus:8x8", "quadrants"), ("mesh:16x16", "boxes:4x4@3,2"), True),
        (("mesh:4x2", "whole"), ("mesh:2x4", "whole"), False),
        (("mesh:5x1", "whole"), ("torus:8x8", "boxes:5x1"), False),  # half round a ring there are two ways
        (("mesh:5x1", "whole"), ("mesh:8x8", "boxes:5x1"), True),
        (("torus:8x8", "whole"), ("mesh:8x8", "whole"), False),
        (("tree:2,3", "nodes:0-1"), ("tree:2,3", "nodes:6-7"), True),
        (("tree:2,3", "nodes:0-1"), ("tree:2,3", "nodes:1-2"), False),
        (("torus:5x5", "nodes:0,2,11"), ("torus:5x5", "nodes:6,8,17"), True),
    ],
)
def test_places_that_are_alike(first, second, same):
    tasks = 2
    assert (place_of(*first, tasks, Config()) == place_of(*second, tasks, Config())) is same


def test_a_place_that_is_drawn_is_none():
    assert place_of("torus:8x8", "random", 4, Config()) is None
    faulty = Config(faults="at=9,router=5")
    assert place_of("torus:8x8", "boxes:4x2", 8, faulty) == ("torus:8x8", "nodes:0-3,8-11")


def test_a_table_of_the_machine_itself_serves_its_boxes(store):
    run = resolve("torus:8x8", {"app": "2d-mesh", "tasks": 8, "packets": 4}, partition="boxes:4x2")
    simulated(store).supply([run])
    times = RunTimeTable(GRID, run_table(store.rows()))
    assert times.missing([job()], {1: [box(4, 2)]}) == []
    assert times.seconds(job(), box(4, 2)) == pytest.approx(execute(run).cycles * CYCLE)


def test_what_was_simulated_is_kept_and_a_table_of_it_says_the_same(store, tmp_path):
    times = simulated(store)
    jobs = [job(), job(4), job(6)]
    places = [box(4, 2), box(2, 2), box(3, 2)]
    asked = [times.seconds(one, place) for one, place in zip(jobs, places, strict=True)]
    frame = time_table(run_table(store.rows()))
    assert len(frame) == 3
    for name in ("times.csv", "times.parquet"):
        write_table(frame, tmp_path / name)
        read = RunTimeTable.read(tmp_path / name, GRID)
        assert [read.seconds(one, at) for one, at in zip(jobs, places, strict=True)] == asked


def test_what_is_missing_is_what_is_then_simulated(store):
    jobs = [job(8, "lu,class=S,iterations=1", 9), job(8, number=2)]
    places = {number: [box(4, 2), box(2, 4), box(8, 1)] for number in (1, 2)}
    mappings = ("consecutive", "column")
    times = simulated(store, mapping=BEST_KNOWN, mappings=mappings)
    while runs := times.missing(jobs, places):
        times.add(times.supply(runs))
    again = RunTimeTable(GRID, run_table(store.rows()), mapping=BEST_KNOWN, mappings=mappings)
    assert again.missing(jobs, places) == []
    frame = time_table(run_table(store.rows()))
    for shape in ((4, 2), (2, 4)):
        rows = frame[
            (frame["network"] == "mesh:" + "x".join(map(str, shape))) & (frame["application"] == "2d-mesh")
        ]
        assert again.seconds(jobs[1], box(*shape)) == pytest.approx(rows["mean"].min() * CYCLE)


@pytest.mark.parametrize("known", [[], ["consecutive"], ["consecutive", "random"]])
def test_the_best_of_the_mappings_does_not_depend_on_which_are_known(store, known):
    nodes = [0, 9, 18, 27, 36, 45, 54, 63]
    for mapping in known:
        simulated(store, mapping=mapping).seconds(job(), Allocation(np.array(nodes)))
    mappings = ("consecutive", "random", "td:iterations=50")
    times = simulated(store, mapping=BEST_KNOWN, mappings=mappings)
    best = times.seconds(job(), Allocation(np.array(nodes)))
    each = [execute(times.run_of(job(), Allocation(np.array(nodes)), one)).cycles for one in mappings]
    assert best == pytest.approx(min(each) * CYCLE)
    assert min(each) < each[0]


def test_an_entry_of_other_settings_is_named():
    values = ("lu", "W", 16, "mesh:4x4", "whole", "", "consecutive", "vcs=3")
    row = dict(zip(ENTRY, values, strict=True))
    row |= {"count": 1, "missing": 0, "failed": 0, "mean": 1.0, "std": 0.0}
    times = RunTimeTable(GRID, pd.DataFrame([row | {"min": 1, "max": 1}]), name="times.csv")
    said = (
        "times.csv: lacks the run time of lu,W with 16 tasks on mesh:4x4, mapping consecutive. The nearest "
        "entry has other settings: vcs=3, expected default"
    )
    with pytest.raises(LookupError, match=re.escape(said)):
        times.seconds(job(16, "lu,class=W"), box(4, 4))
    enough = row | {"min": 1, "max": 1, "count": 3}  # with three VCs the network draws
    three = RunTimeTable(GRID, pd.DataFrame([enough]), Config(vcs=3))
    assert three.seconds(job(16, "lu,class=W"), box(4, 4)) == pytest.approx(CYCLE)


def test_chance_is_averaged_over_seeds(store):
    run = resolve("mesh:4x2", {"app": "2d-mesh", "tasks": 8, "packets": 4, "mapping": "random"})
    cycles = [execute(run.seeded(seed)).cycles for seed in range(3)]
    times = simulated(store, mapping="random", seeds=3)
    assert times.seconds(job(), box(4, 2)) == pytest.approx(np.mean(cycles) * CYCLE)


def test_boxes_are_ranked_by_time_and_the_longest_is_the_estimate(store):
    times = simulated(store)
    ranked = times.ranking(job(12))
    asked = [times.seconds(job(12), box(*shape)) for shape, _ in ranked]
    assert len(asked) > 2
    assert asked == sorted(asked)
    assert {mapping for _, mapping in ranked} == {"consecutive"}
    assert times.longest(job(12)) == max(asked)
    assert times.longest(Job(1, 0, 4, 12.5)) == 12.5


def test_rotated_boxes_take_the_time_of_the_one_with_the_longest_side_first(store):
    grid, turned = parse("torus:8x8x8"), [(4, 2, 1), (1, 2, 4), (2, 4, 1)]
    times = simulated(store, grid, equal_rotations=True, inside=True)
    alone = execute(resolve("mesh:4x2", {"app": "2d-mesh", "tasks": 8, "packets": 4})).cycles
    assert [times.seconds(job(), box(*shape)) for shape in turned] == [pytest.approx(alone * CYCLE)] * 3
    assert {max(shape) for shape, _ in times.ranking(job())} == {2, 4}, "no row of 8, which would be a ring"
    assert len(store.simulated()) == 2, "one box of each kind"


def test_nodes_outside_any_box_take_a_factor_longer():
    times = table(*_BY_HAND, scattered_factor=1.5)
    nodes = Allocation(np.array([0, 9, 18, 27]))
    assert times.seconds(job(4, "2d-mesh,bytes=64"), nodes) == pytest.approx(1.5 * 100 * CYCLE)


def test_programs_have_one_form():
    forms = [
        program_text(text, 16, "torus:8x8", Config()) for text in ("lu,class=W", "lu:class=W", "lu,class=w")
    ]
    assert set(forms) == {"lu,W"}
    assert program_text("CG.W.16,section=timed", 16, "torus:8x8", Config()) == "CG.W.16,timed"
    with pytest.raises(ValueError, match="'class' is not of the form option=value"):
        program_text("lu,class", 16, "torus:8x8", Config())
    with pytest.raises(ValueError, match="unknown name 'luu'"):
        program_text("luu", 16, "torus:8x8", Config())


def test_a_job_of_a_log_takes_its_run_time_in_a_compact_place():
    times = table(*_BY_HAND, mapping="td")
    logged = job(4, "2d-mesh,bytes=64")
    logged = Job(1, 0, 4, 1000.0, program=logged.program, communication=0.3)
    # Alone in a square with the consecutive mapping the program takes 60 cycles, in a row under td 80.
    assert times.seconds(logged, box(2, 2)) == pytest.approx(1000 * (0.7 + 0.3 * 70 / 60))
    assert times.seconds(logged, box(4, 1)) == pytest.approx(1000 * (0.7 + 0.3 * 80 / 60))
    assert times.seconds(logged, box(2, 2, mapping="consecutive")) == pytest.approx(1000)


def test_a_table_for_people_has_the_cycles_of_one_more_repetition():
    rows = [("lu", f"S{count}", "mesh:4x2", 100 + 60 * n) for n, count in enumerate(("", ",repeats=2"))]
    rows += [("lu", "S,repeats=4", "mesh:4x2", 282), ("cg", "S", "mesh:4x2", 70)]
    frame = pd.DataFrame(
        dict(zip(ENTRY, (name, problem, 8, network, "whole", "", "td", ""), strict=True)) | {"mean": cycles}
        for name, problem, network, cycles in rows
    )
    shown = with_periods(frame)
    assert is_repeated(frame)
    assert not is_repeated(shown)
    assert shown["application"].tolist() == ["cg", "lu"]
    assert shown["mean"].tolist() == [70, 100]
    assert shown["period"].isna().tolist() == [True, False]
    assert shown["period"].iloc[1] == (282 - 160) / 2
