"""The study of allocators: its parts, and what its small version finds."""

import itertools

import numpy as np
import pytest
from answers import csv_rows

from netplace.experiments.allocators.cases import (
    STREAM,
    communication_suite,
    decided,
    makespan,
    stream,
    together,
)
from netplace.experiments.allocators.set_schedules import (
    CONSTRAINED,
    LEAST,
    MEASURED,
    NODES,
    _chosen,
    chosen_sets,
    measured_weights,
    published_machine,
    sets_pay,
)
from netplace.experiments.allocators.study import cases
from netplace.netsim import simulate
from netplace.placement.compactness import pairwise_sum
from netplace.report.studies import STUDIES
from netplace.report.studies.study import make_request
from netplace.scheduling import Job, schedule
from netplace.topologies import parse

pytestmark = pytest.mark.all  # carries out a study

STUDY = STUDIES["allocators"]


def test_every_case_has_a_key_of_its_own():
    for quick in (False, True):
        wanted = cases(make_request(STUDY, quick=quick))
        assert len({case.key for case in wanted}) == len(wanted)
        assert {case.kind for case in wanted} == {
            "choice", "decision", "suites", "hops", "overlaps", "trends", "flows",
            "sets", "sets-pay", "set-times",
        }  # fmt: skip


def test_the_log_is_used_where_it_is(tmp_path, monkeypatch):
    assert not any(dict(case.options)["log"] for case in cases(make_request(STUDY, ["decisions"])))
    (tmp_path / "LLNL-T3D-1996-2.swf").write_text("")
    monkeypatch.setenv("NETPLACE_SWF", str(tmp_path))
    assert {dict(case.options)["log"] for case in cases(make_request(STUDY, ["decisions"]))} == {
        str(tmp_path / "LLNL-T3D-1996-2.swf")
    }


def test_sizes_are_rounded_up_to_powers_of_two(monkeypatch):
    drawn = []
    monkeypatch.setattr(
        "netplace.experiments.allocators.cases.decided", lambda machine, jobs, *_: drawn.append(jobs) or {}
    )
    for part in ("decisions", "decisions-powers"):
        cases(make_request(STUDY, [part], quick=True))[0].run()
    model, powers = (jobs.nodes for jobs in drawn)
    assert (powers & (powers - 1) == 0).all()
    assert ((model <= powers) & (powers < 2 * model)).all()
    assert (model < powers).any()
    assert (drawn[0].run_time == drawn[1].run_time).all()


def test_decisions_are_those_of_the_situation():
    machine = parse("mesh:6x6")
    rng = np.random.default_rng(0)
    jobs = [
        Job(n, float(n), int(size), float(run))
        for n, (size, run) in enumerate(zip(rng.integers(1, 9, 40), rng.integers(1, 20, 40), strict=True), 1)
    ]
    alone = schedule(machine, jobs, "fcfs", "mm", keep_nodes=True)
    found = decided(machine, jobs, "mm", ("mm", "mm+inc", "random"))
    assert found["mm"] == sum(pairwise_sum(machine, nodes) for nodes in alone.allocations) / 40
    assert found["mm+inc"] <= found["mm"] < found["random"]


@pytest.mark.parametrize("tasks", [1, 2, 5, 8])
def test_the_suite_has_all_its_messages(tasks):
    W = np.asarray(communication_suite(tasks, 8).traffic().W)
    expected = np.zeros((tasks, tasks))
    for a, b in itertools.permutations(range(tasks), 2):
        expected[a, b] += 8 + 8  # broadcast, and its half of the ping-pong
    for a in range(tasks if tasks > 1 else 0):
        expected[a, (a + 1) % tasks] += 8
    assert (expected == W).all()
    if tasks > 1:
        assert simulate(parse("torus:4x2"), communication_suite(tasks), np.arange(tasks)).cycles > 0


def test_the_stream_is_the_published_one():
    jobs = stream(3)
    assert len(jobs) == 188
    assert {size: sum(job.nodes == size for job in jobs) for size in STREAM} == STREAM
    assert [job.nodes for job in jobs[:4]] == [30] * 4
    assert jobs[-1].nodes == 2
    assert [job.nodes for job in stream(3)] == [job.nodes for job in jobs] != [job.nodes for job in stream(4)]


def test_live_streams_are_reproducible():
    machine, jobs = parse("mesh:8x4"), stream(0, {2: 5, 8: 6})
    first = makespan(machine, "curve:hilbert", jobs)
    assert first == makespan(machine, "curve:hilbert", jobs)
    assert first["makespan"] > first["run of largest"] > 0
    assert 0 < first["wait of largest"] < first["makespan"]
    assert first["spread of runs"] > 0


def test_a_full_machine_of_suites():
    rows = together(parse("mesh:6x4"), "curve:row", 5, "row", 1)
    assert len(rows) == 4  # two of 24 nodes are held
    for row in rows:
        assert row["hops"] >= 1.6  # of the closest five nodes
        assert 5 <= row["ring span"] <= row["linear span"] <= 24


def test_the_machine_of_the_sets():
    for costs in ("uniform", "nodes", "nodes and lines"):
        sets = published_machine(costs)
        assert len(sets.vectors) == 22 + 7 + 41 + 8 + 256  # as published
        assert sets.nodes == NODES
    found = chosen_sets("quality", 60, 1)
    assert found["equal"] >= 0.9 * found["compared"] > 0
    assert found["cards"] < chosen_sets("random", 60, 1)["cards"]


def test_sets_of_processors_keep_jobs_on_few_nodes():
    """Parts of nodes: costs as those of nodes, with the number of nodes in front of them."""
    nodes, parts = published_machine(), published_machine(processors=8)
    assert parts.cost(range(3, 90)) == (12, *nodes.cost(range(12)))
    found = {rule: chosen_sets(rule, 60, 1, processors=8) for rule in ("sets", "least-loaded", "first-free")}
    shares = [of["on fewest nodes"] for of in found.values()]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0.9
    assert found["sets"]["cards"] < found["least-loaded"]["cards"]


def test_the_least_loaded_nodes_come_first():
    """Of hosts with 4, 5 and 8 free processors, the last; ties by number."""
    free = np.zeros(8 * NODES, bool)
    free[4:8] = free[11:16] = free[80:88] = True
    chosen = _chosen("least-loaded", published_machine(), free, 15, np.random.default_rng(0), None)
    assert chosen.tolist() == [*range(80, 88), *range(11, 16), 4, 5]


def test_costs_of_nodes_cost_no_card_line_or_switch():
    uniform, nodes = published_machine(), published_machine("nodes")
    assert (uniform.vectors[:, :4] == nodes.vectors[:, :4]).all()
    heights = nodes.vectors[-256:, 4]
    assert heights[24] - heights[0] == 24 * 6  # up the first rack
    bottoms = heights[:250:25].tolist()
    assert bottoms == [157, 143, 129, 115, 101, 102, 116, 130, 144, 158]  # no two alike, the middle cheapest
    assert heights[250] == 103
    for tie in ("first", "coin"):
        found = chosen_sets("nodes", 60, 1, tie)
        assert found["equal"] >= found["compared"] - 2
        assert found == chosen_sets("nodes", 60, 1, tie)


def test_sets_schedule_live_with_measured_weights_and_under_a_constraint():
    machine = parse("mesh:4x4")
    [weight] = measured_weights("mesh:4x4")
    assert weight > 0
    found = {name: sets_pay(machine, name, 6, 0.5, 1) for name in ("random", MEASURED, CONSTRAINED, LEAST)}
    assert found[MEASURED]["mean hops"] < found["random"]["mean hops"]
    assert all(one["slowdown"] >= 0.9 and one["turnaround"] >= one["run"] for one in found.values())


@pytest.fixture(scope="module")
def folder(tmp_path_factory, quick):
    return quick(STUDY.name, tmp_path_factory.mktemp("allocators") / "out")


def test_the_small_version_has_every_table(folder):
    for part in STUDY.default:
        assert csv_rows(folder / f"{part}.csv")
    assert (folder / "choice.png").is_file()
    chosen = {(row["machine"], row["partition"]): row for row in csv_rows(folder / "choice.csv")}
    assert float(chosen["mesh:8x8", "gen-alg"]["mean hops"]) < 1
    assert float(chosen["mesh:8x8", "random"]["live makespan"]) == 1


def test_decisions_rank_as_printed(folder):
    report = (folder / "report.md").read_text()
    assert "in 4 of 4 rows (printed: all)" in report
    for row in csv_rows(folder / "decisions.csv"):
        assert 0.9 < float(row["ratio"]) < 1.1


def test_scattered_suites_take_longer(folder):
    rows = {(row["machine"], row["partition"]): row for row in csv_rows(folder / "stream.csv")}
    assert float(rows["torus:8x8,c=4, every other row", "curve:hilbert,best-fit"]["ratio"]) < 1
    [apart, alternate, compact] = csv_rows(folder / "overlap.csv")
    assert 1.9 < float(alternate["first"]) < 2.2
    assert float(apart["first"]) > 1.3
    assert float(compact["first"]) == 1
