"""One network on several threads tells the same story as on one, however its routers are dealt out."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playing import Player, difference
from strategies import configs, stories
from wirings import RANDOM, wired

from netplace.netsim import threads as domains
from netplace.topologies import TOPOLOGIES, parse

FEW = settings(
    derandomize=True, deadline=None, database=None, max_examples=8, suppress_health_check=list(HealthCheck)
)
MANY = settings(FEW, max_examples=1000)


@st.composite
def narrow(draw, **limits):
    """Return a network and settings for which one kernel is compiled: routers with at most 15 inputs."""
    network = draw(
        st.sampled_from(["torus:4x3", "mesh:3x5", "torus:2x3x2", "torus:7", "tree:2,3", "thintree:3,2,2"])
    )
    config = draw(configs(**limits))
    phits = 4 if config.packet_phits == 16 else config.packet_phits
    return network, replace(config, packet_phits=phits, vcs=min(config.vcs, 2))


EAGER = narrow(bubbles=(1, 3), eager_limit=(None,))
INTERLEAVED = narrow(bubbles=(1, 3), eager_limit=(None, 0, 100), sends=("interleaved",))
ANY = narrow(bubbles=(0, 3), eager_limit=(None, 0, 100, 500))


def told(**more):
    """Return the kinds of stories, on networks and settings that `more` narrows down."""
    eager, every = (more or {"where": where} for where in (EAGER, ANY))
    return {
        "rendezvous": stories(complete=False, stops=True, **every),
        "open-loop": stories(jobs=False, traffic=True, **eager),
        "repeated": stories(repeats=(1, 2, 3, 7), **every),
        "jobs-in-open-loop": stories(traffic=True, stops=True, **every),
    }


FABRICS = wired(fabric=True).map(lambda where: (where[0], replace(where[1], pipeline=1)))
FAILING = wired(fabric=True, failing=True).map(lambda where: (where[0], replace(where[1], pipeline=2)))
STORIES = told() | {
    "any-wiring": stories(where=wired(configs(eager_limit=(None, 100))), traffic=True, stops=True),
    "explained": stories(where=EAGER, traffic=True, stops=True, explain=True),
    "faults": stories(where=wired(failing=True), traffic=True, stops=True, repeats=(1, 2)),
    "interleaved": stories(where=INTERLEAVED, traffic=True, stops=True, repeats=(1, 3)),
    "fabrics": stories(where=FABRICS, traffic=True, stops=True, explain=True),
    "fabrics-under-faults": stories(where=FAILING, traffic=True, stops=True, explain=True),
}
WIDE_STORIES = (
    STORIES
    | told(settings=configs())
    | {
        "any-wiring-open-loop": stories(where=wired(), jobs=False, traffic=True),
        "explained-on-grids-and-trees": stories(traffic=True, stops=True, explain=True),
        "explained-on-any-wiring": stories(where=wired(), traffic=True, stops=True, explain=True),
        "fabrics-open-loop": stories(where=wired(fabric=True), jobs=False, traffic=True),
        "flows-in-order": stories(where=wired(fabric=True, ordered=(True,)), traffic=True, stops=True),
        "faults-explained": stories(where=wired(failing=True), traffic=True, explain=True),
    }
)
THREADS = st.sampled_from((2, 2, 3, 7))
LOTS = st.integers(0, 1000)


def agree(story, threads, lot):
    """Play a story on one thread and on several, the routers dealt out by slabs, or (odd lots) at random."""
    threads = min(threads, parse(story.network).nodes)
    alone = Player(story, "kernel")
    expected = alone.play(story.steps)
    with pytest.MonkeyPatch.context() as patch:
        if lot % 2:
            patch.setattr(domains, "cut", lambda topology, count: _at_random(topology, count, lot))
        together = Player(story, "kernel", threads=threads)
        assert difference(expected, together.play(story.steps)) == ""
    if story.config.packet_phits > 1:
        assert together.network.counters().events == alone.network.counters().events


def _at_random(topology, count, seed):
    return np.random.default_rng(seed).integers(0, count, topology.routers, np.int8)


@pytest.fixture(autouse=True)
def random_networks(monkeypatch):
    monkeypatch.setitem(TOPOLOGIES._entries, "random", RANDOM)


@pytest.mark.parametrize("kind", STORIES)
def test_threads_agree(kind):
    FEW(given(STORIES[kind], THREADS, LOTS)(agree))()


@pytest.mark.nightly
@pytest.mark.parametrize("kind", STORIES)
def test_nothing_depends_on_who_is_first(kind, monkeypatch):
    """Threads lose time by chance, before and after meetings and between the parts of a phase."""
    monkeypatch.setattr(domains, "DAWDLE", 1)
    MANY(given(STORIES[kind], THREADS, LOTS)(agree))()


@pytest.mark.nightly
@pytest.mark.parametrize("kind", WIDE_STORIES)
def test_threads_agree_in_many_stories(kind):
    MANY(given(WIDE_STORIES[kind], THREADS, LOTS)(agree))()
