"""The benchmark of allocators: what it prints, and that the machine is half held."""

import json

import pytest

from netplace.benchmarks import allocators, schedules
from netplace.scheduling import PARTITIONERS
from netplace.topologies import parse


@pytest.mark.parametrize("text", allocators.ALGORITHMS)
def test_half_of_the_machine_is_held(text):
    partitioner = allocators.half_held(text, parse("torus:4x4x4"), 1)
    assert partitioner.free == 32
    assert (
        partitioner.choose(9).nodes.tolist()
        != allocators.half_held(text, parse("torus:4x4x4"), 2).choose(9).nodes.tolist()
    )


def test_its_lines(netplace, monkeypatch):
    monkeypatch.setattr(allocators, "MACHINES", {"mesh:8x8": 1000.0})
    monkeypatch.setattr(allocators, "SIZE", 12)
    shown = netplace("bench", "--quick", "--only", "allocators", "--json")
    figures = json.loads(shown.stdout)["figures"]
    assert [figure["name"] for figure in figures] == [
        "12 nodes by mm, half held, mesh:8x8",
        "12 nodes by mc1x1, half held, mesh:8x8",
    ]
    assert all(figure["value"] > 0 and figure["met"] for figure in figures)


def test_every_partitioner_is_served(netplace, monkeypatch):
    """Those of boxes are asked for boxes: 5 nodes are none on a torus of sides 4."""
    monkeypatch.setattr(allocators, "USUAL", "torus:4x4x4")
    meshes = {text: "mesh:8x8" for text, machine in allocators.ELSEWHERE.items() if "mesh" in machine}
    monkeypatch.setattr(allocators, "ELSEWHERE", allocators.ELSEWHERE | meshes)
    monkeypatch.setattr(allocators, "SMALL", {"line": "mesh:64", "optimal": "mesh:4x4"})
    shown = netplace("bench", "--quick", "--only", "jobs", "--json")
    assert shown.exit_code == 0, shown.stderr
    figures = json.loads(shown.stdout)["figures"]
    assert [figure["name"].split()[3].rstrip(",") for figure in figures] == list(PARTITIONERS)


def test_every_partitioner_schedules_a_stream(netplace, monkeypatch):
    monkeypatch.setattr(schedules, "USUAL", "torus:4x4x4")
    elsewhere = dict.fromkeys(("adaptive-scan", "buddy", "frame-sliding", "rbs"), "mesh:8x8")
    trees = dict.fromkeys(("nearly-contiguous", "quasi-contiguous"), "tree:4,6")
    monkeypatch.setattr(schedules, "ELSEWHERE", elsewhere | trees)
    shown = netplace("bench", "--quick", "--only", "schedules", "--json")
    assert shown.exit_code == 0, shown.stderr
    figures = json.loads(shown.stdout)["figures"]
    left_out = (*schedules.NO_GOAL, *schedules.SMALL)
    assert len(figures) == 3 * (len(PARTITIONERS) - len(left_out))
    assert all(figure["value"] > 0 for figure in figures)


def test_the_beginning_of_a_stream_is_not_counted(monkeypatch):
    """The clock is read as each part begins and ends: five parts, of which the first is left out."""
    ticks = iter([0.0, 100.0, 101.0, 103.0, 106.0, 110.0])
    monkeypatch.setattr(schedules, "schedule", lambda machine, jobs, policy, partitioner: list(jobs))
    monkeypatch.setattr(schedules.time, "process_time", lambda: next(ticks))
    found = schedules.job_microseconds("random", "mesh:4x4", "fcfs", 0.7, 1000)
    assert found == [1000.0, 2000.0, 3000.0, 4000.0]
