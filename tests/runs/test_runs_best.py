"""The mapping that simulates: the fastest candidate, alone on the job's nodes, kept like any other run."""

import pytest

from netplace.apps import application
from netplace.netsim import simulate
from netplace.placement import map_tasks
from netplace.runs import resolve
from netplace.runs.campaign import complete
from netplace.runs.execute import attempt, execute
from netplace.runs.placing import place_jobs, run_time_of
from netplace.runs.resources import simulators
from netplace.runs.store import Store
from netplace.topologies import parse

JOB = {"app": "butterfly", "tasks": 16, "packets": 2}
OTHERS = ("consecutive", "column", "classic", "td", "link-load")


def cycles(mapping: str, seed: int = 0) -> int:
    return execute(resolve("torus:4x4", {**JOB, "mapping": mapping}, seed=seed)).cycles


def test_best_is_as_fast_as_the_fastest_of_the_others():
    # Rules by chance draw otherwise within best: its own permutations, its own searches.
    assert cycles("best:3") <= min(cycles("consecutive"), cycles("column"))
    torus, program = parse("torus:4x4"), application("butterfly", 16, bytes=128)
    [found] = place_jobs(torus, [program], ["best:3"])
    assert found.cost == simulate(torus, program, found.mapping).cycles
    assert found.iterations <= len(OTHERS) + 3


def test_the_run_time_keeps_a_limit():
    torus, program = parse("torus:4x4"), application("butterfly", 16, bytes=128)
    nodes = map_tasks("consecutive", torus, 16)
    took = simulate(torus, program, nodes).cycles
    assert run_time_of(torus, program)(nodes, None) == took
    assert run_time_of(torus, program)(nodes, took + 1) == took
    assert run_time_of(torus, program)(nodes, took) is None
    assert run_time_of(torus, program, max_cycles=took - 1)(nodes, None) is None


def test_jobs_are_tried_alone_on_their_own_nodes():
    torus, program = parse("torus:8x4"), application("butterfly", 16, bytes=128)
    found = place_jobs(torus, [program] * 2, ["best:2", "consecutive"], partition_rule="boxes:4x4")
    assert set(found[0].mapping % 8) == {0, 1, 2, 3}
    assert found[0].cost == simulate(torus, program, found[0].mapping).cycles
    assert found[1].method == "consecutive"


def test_the_winner_is_told_and_kept(tmp_path):
    run = resolve("torus:4x4", {**JOB, "mapping": "best:2"})
    ended = attempt(run)
    assert ended.failure is None
    winner = ended.outcome["jobs"][0]["winner"]
    assert winner.split()[0] in (*OTHERS, "random")
    plain = attempt(resolve("torus:4x4", {**JOB, "mapping": "consecutive"}))
    assert "winner" not in plain.outcome["jobs"][0]
    with Store(tmp_path / "s.sqlite") as store:
        progress = complete([run, run.seeded(1), resolve("torus:4x4", JOB)], store, simulators(1))
        assert (progress.total, progress.failed) == (3, 0)
        assert complete([run], store, simulators(1)).total == 0  # nothing is left to do


def test_a_run_that_is_too_long_fails_as_it_does_elsewhere():
    told = attempt(resolve("torus:4x4", {**JOB, "mapping": "best:1"}, max_cycles=5)).failure
    assert "not finished after 5 cycles" in told


def test_a_candidate_that_waits_for_ever_is_told(tmp_path):
    path = tmp_path / "stuck.py"
    path.write_text("def stuck(task):\n    task.recv((task.task + 1) % task.tasks, 64)\n")
    with pytest.raises(ValueError, match="stuck"):
        execute(resolve("torus:4x4", {"app": f"{path}:stuck", "mapping": "best:1"}))
