"""Bounds on run time hold under every mapping, and are met where nothing else delays a program."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import configs, networks, programs

from netplace.apps import Program, TaskWriter, application
from netplace.apps.program import Repeated
from netplace.netsim import Config, simulate
from netplace.netsim.bounds import bounds
from netplace.placement import map_tasks
from netplace.topologies import parse


@given(st.data())
def test_no_mapping_is_faster(data):
    topology = parse(data.draw(networks()))
    program = data.draw(programs(tasks=min(topology.nodes, 6)))
    config = data.draw(configs(bubbles=(2, 3), queues=(4, 8)))
    nodes = data.draw(st.permutations(range(topology.nodes)))[: program.tasks]
    least = bounds(program, topology, config).least
    assert simulate(topology, program, nodes, config=config).cycles >= least


@pytest.mark.parametrize("network", ["dragonfly:a=4,p=2,h=2", "hyperx:4x4,c=2", "torus:3x3,c=2"])
@pytest.mark.parametrize("name", ["butterfly", "2d-torus", "all-to-all", "waterfall"])
def test_no_mapping_is_faster_at_switches(network, name):
    topology, program = parse(network), application(name, 8, bytes=1000)
    for seed in range(3):
        nodes = map_tasks("random", topology, 8, seed=seed)
        cycles = simulate(topology, program, nodes, config=Config(vcs=3)).cycles
        assert cycles >= bounds(program, topology, Config(vcs=3)).least


@pytest.mark.parametrize(
    ("name", "binding"),
    [
        ("one-to-all", "injection"),
        ("all-to-one", "ejection"),
        ("2d-sweep", "dependencies"),
    ],
)
def test_what_binds_a_pattern(name, binding):
    program = application(name, 64, bytes=6400)
    assert bounds(program, parse("tree:4,3")).binding == binding


def _two(*steps):
    """Return a program of two tasks that each `steps` function writes in turn."""
    writers = [TaskWriter(task, 2) for task in range(2)]
    for step in steps:
        step(*writers)
    return Program.of(writers, "two")


def test_a_bound_is_met_where_nothing_else_delays():
    def there_and_back(a, b):
        a.send(1, 640)
        b.recv(0, 640)
        b.compute(10_000)
        b.send(0, 640)
        a.recv(1, 640)

    program = _two(*[there_and_back] * 5)
    found = bounds(program, parse("torus:4x4"))
    took = simulate(parse("torus:4x4"), program, [0, 1]).cycles
    assert found.binding == "computation"
    assert found.computation.cycles == 50_000
    assert found.dependencies.cycles == 5 * (10_000 + 2 * 160)
    assert found.least <= took <= found.least + 5 * 6


def test_iterations_that_are_repeated_count_every_time():
    once = application("is", 16, problem_class="S", iterations=1)
    several = bounds(Repeated(once, 10), parse("torus:4x4"))
    written = bounds(once.repeat(10), parse("torus:4x4"))
    for name in ("injection", "ejection", "computation"):
        assert getattr(several, name) == getattr(written, name)
    assert several.dependencies.cycles <= written.dependencies.cycles
