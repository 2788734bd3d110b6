"""What packets leave behind: a job runs on a network so restored as on one that others have left."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import configs, networks, placements, programs

from netplace.apps import APPLICATIONS
from netplace.netsim import ENGINES, Config, Network
from netplace.topologies import parse


def story(network, job):
    return {name: np.asarray(value).tolist() for name, value in vars(network.job(job)).items()}


@given(st.data())
def test_a_job_runs_as_after_the_others(data):
    topology = parse(data.draw(networks()))
    config = data.draw(configs(bubbles=(2, 3), eager_limit=(None, 0, 100)))
    engine = data.draw(st.sampled_from([*ENGINES]))
    most = min(6, topology.nodes)
    before, program = (data.draw(programs(data.draw(st.integers(1, most)))) for _ in range(2))
    explain = data.draw(st.booleans())  # by another router, which leaves the same behind
    used = Network(topology, config, engine=engine, seed=5, record_messages=True, explain=explain)
    used.start(before, data.draw(placements(before.tasks, range(topology.nodes))))
    used.finish()
    used.advance(used.now + data.draw(st.integers(0, 40)))
    restored = Network(topology, config, engine=engine, seed=5, record_messages=True)
    restored.restore(used.residue())
    assert restored.now == used.now
    nodes = data.draw(placements(program.tasks, range(topology.nodes)))
    jobs = [network.start(program, nodes) for network in (used, restored)]
    for network in (used, restored):
        network.finish()
    assert story(used, jobs[0]) == story(restored, jobs[1])


@pytest.mark.parametrize("engine", ENGINES)
def test_pointers_matter(engine):
    """A used network is another than a new one, or there would be nothing to restore."""
    topology, program = parse("torus:4x4"), APPLICATIONS["all-to-all"].make(tasks=16)
    used, new = (Network(topology, engine=engine, seed=1) for _ in range(2))
    used.start(program)
    used.finish()
    assert any((a != b).any() for a, b in zip(used.residue().pointers, new.residue().pointers, strict=True))


@pytest.mark.parametrize("engine", ENGINES)
def test_only_a_new_network_is_restored(engine):
    network = Network(parse("torus:4x4"), engine=engine)
    network.start(APPLICATIONS["butterfly"].make(tasks=4))
    with pytest.raises(ValueError, match="at cycle 0, expected a new one"):
        network.restore(network.residue())


KINDS = (
    "torus:4x4",
    "mesh:3x3",
    "twisted:4x2",
    "tree:2,3",
    "thintree:3,2,2",
    "dragonfly:a=2,p=2,h=1",
    "hyperx:3x2,c=2",
)


@pytest.mark.parametrize("vcs", [2, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_states_in_mid_packet_are_the_same_on_both_engines(kind, vcs):
    topology = parse(kind)
    config = Config(vcs=max(vcs, 3 if "dragonfly" in kind else vcs))
    program = APPLICATIONS["all-to-all"].make(tasks=topology.nodes, bytes=150)
    for cycle in (37, 61, 90):
        ends = []
        for engine in ENGINES:
            used, restored = (Network(topology, config, engine=engine, seed=5) for _ in range(2))
            used.start(program)
            used.advance(cycle)
            assert used.in_flight > 0
            restored.restore(used.residue())
            job = restored.start(program)
            restored.finish()
            ends.append((restored.job(job).task_end.tolist(), restored.counters().link_packets.tolist()))
        assert ends[0] == ends[1]
