"""A network comes to rest in the same cycle on all engines, also where news is under way last."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import programs

from netplace.apps import application
from netplace.netsim import Config, Network
from netplace.netsim.engine import Traffic
from netplace.topologies import parse

NEWS = {
    "credits": st.fixed_dictionaries({"credit_delay": st.integers(0, 60)}),
    "cables": st.fixed_dictionaries({"cable_latency": st.integers(1, 40).map(str)}),
    "both": st.fixed_dictionaries(
        {"credit_delay": st.integers(0, 60), "cable_latency": st.integers(1, 40).map(str)}
    ),
    "windows": st.integers(0, 200).map(lambda ack: {"congestion_control": f"window=1,ack={ack}"}),
}


FEW = settings(max_examples=12)  # small networks that differ in one or two numbers


@FEW
@pytest.mark.parametrize("news", NEWS)
@given(data=st.data())
def test_engines_come_to_rest_in_the_same_cycle(news, data):
    network = data.draw(st.sampled_from(["mesh:3", "torus:3x2", "tree:2,2", "hyperx:2x2,c=2"]))
    more = data.draw(NEWS[news])
    topology = parse(network)
    jobs = [data.draw(programs(3)) for _ in range(2)]
    stands = []
    for engine in ("kernel", "reference"):
        made = Network(topology, Config(vcs=4, **more), engine=engine, seed=3)
        for job in jobs:  # the second begins at rest, so that it would tell a state that is not the same
            made.start(job)
            made.finish()
            stands.append((engine, made.now, made.result().drained_cycles))
    assert [stand[1:] for stand in stands[:2]] == [stand[1:] for stand in stands[2:]]


@FEW
@given(data=st.data())
def test_engines_come_to_rest_in_the_same_cycle_after_a_stop(data):
    """Nobody learns of what a stopped job has sent, so that the last cycles are those of packets alone."""
    topology = parse(data.draw(st.sampled_from(["mesh:3", "torus:3x2", "tree:2,2", "hyperx:2x2,c=2"])))
    more = data.draw(st.one_of(st.just({}), *NEWS.values()))
    job = data.draw(st.none() | programs(3))
    chance = (
        data.draw(st.sampled_from([0.01, 0.05])) if job is None else data.draw(st.sampled_from([0, 0.02]))
    )
    before, until, after = (data.draw(st.integers(1, 60)) for _ in range(3))
    stands = []
    for engine, threads in (("reference", 1), ("kernel", 1), ("kernel", 2)):
        made = Network(topology, Config(vcs=4, **more), engine=engine, seed=3, threads=threads)
        if chance:
            made.generate(Traffic(chance, np.full(topology.nodes, -1, np.int32)))
        made.advance(before)
        if job is not None:
            number = made.start(job)
            if number not in made.advance(made.now + until):
                made.stop(number)
        stands.append([made.now])
        made.generate(None)
        made.finish()
        stands[-1] += [made.now, made.counters().last_delivery]
        made.advance(made.now + after)
        stands[-1].append(made.now)
    assert stands[0] == stands[1] == stands[2]


def test_the_cycle_in_which_the_last_credit_becomes_known_is_simulated(engine):
    network = Network(parse("mesh:3"), Config(credit_delay=6), engine=engine)
    network.start(application("all-to-all", 3))
    network.finish()
    # The last tail leaves its FIFO in cycle 33; its room becomes known in cycle 33 + 1 + 6.
    assert (network.now, network.counters().last_delivery) == (41, 33)
