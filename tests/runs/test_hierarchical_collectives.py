"""Hierarchical collectives go by the switches on which the tasks of a run, or of a job, sit."""

from dataclasses import replace

import numpy as np
import pytest

from netplace.apps import APPLICATIONS, application
from netplace.apps.collectives import allreduce, in_groups, selection
from netplace.cosim.work import JobProgram, in_switches, iteration_program
from netplace.netsim import Config
from netplace.runs import resolve
from netplace.runs.execute import run_simulation
from netplace.runs.job_programs import programs_of
from netplace.topologies import parse
from netplace.topologies.switch_grid import switch_groups

HIERARCHICAL = "builtin+allreduce=hierarchical"


def sums(task, bytes=4096):
    """Sum vectors over all tasks."""
    allreduce(task, range(task.tasks), bytes)


@pytest.mark.parametrize(
    ("network", "nodes", "groups"),
    [
        ("tree:4,2", [0, 5, 3, 4], (16, 17, 16, 17)),
        ("nodes:tasks=2,rails=2/torus:2x2", [0, 1, 2, 7], (12, 12, 13, 15)),
        ("torus:4x4", [0, 1], ()),
    ],
)
def test_tasks_share_switches_and_compute_nodes(network, nodes, groups):
    assert switch_groups(parse(network), nodes) == groups


def test_groups_are_part_of_the_text():
    text = in_groups(HIERARCHICAL, (16, 17, 16))
    assert text == f"{HIERARCHICAL}+groups=0.1.0"
    assert selection(text).groups == (0, 1, 0)
    assert in_groups(text, (1, 1, 2)) == text
    assert in_groups("openmpi", (16, 17, 16)) == "openmpi"
    assert in_groups(HIERARCHICAL, ()) == HIERARCHICAL


def test_a_table_may_be_hierarchical(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('bcast = [{ranks = [1, 4], algorithm = "binomial"}, {algorithm = "hierarchical"}]')
    assert selection(str(path)).is_hierarchical
    assert not selection(f"{path}+bcast=binomial").is_hierarchical
    path.write_text('bcast = [{algorithm = "hierarchical", group = 4}]')
    assert not selection(str(path)).is_hierarchical


@pytest.mark.parametrize("mapping", ["consecutive", "random"])
def test_a_run_sends_little_between_switches_wherever_its_tasks_sit(add, mapping):
    add(APPLICATIONS, "sums", sums)
    run = resolve("tree:4,2", {"app": "sums", "mapping": mapping, "collectives": HIERARCHICAL})
    executed = run_simulation(run)
    [nodes] = executed.places
    [program] = programs_of(run, executed.places)
    switch = np.array(switch_groups(parse("tree:4,2"), nodes))
    between = program.traffic().N[switch[:, None] != switch].sum()
    assert between == 2 * 4 * 2  # four leaders, two rounds of halving and two back
    assert executed.result.packets == -(-program.traffic().W // 64).sum()


def test_a_job_of_a_shared_machine_goes_by_its_switches(add):
    add(APPLICATIONS, "sums", sums)
    work = JobProgram(f"sums,collectives={HIERARCHICAL},bytes=64", 4)
    nodes = np.array([0, 5, 3, 4])
    found = in_switches(work, parse("tree:4,2"), nodes)
    assert found == replace(work, groups=(0, 1, 0, 1))
    assert iteration_program(found, Config()).traffic().N[0].tolist() == [0, 2, 1, 0]
    for text in (
        "3d-torus,bytes=64",
        f"3d-torus,bytes=64,collectives={HIERARCHICAL}",
        "ft,collectives=mpich",
    ):
        plain = JobProgram(text, 4)
        assert in_switches(plain, parse("tree:4,2"), nodes) is plain


def test_groups_are_one_for_each_task():
    with pytest.raises(ValueError, match="groups: 2 values, expected one for each of 4 tasks"):
        application(sums, 4, collectives=f"{HIERARCHICAL}+groups=0.1")
    with pytest.raises(ValueError, match="groups: 'x' is not"):
        selection(f"{HIERARCHICAL}+groups=0.x")
