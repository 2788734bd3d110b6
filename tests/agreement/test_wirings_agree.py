"""Kernel and reference tell the same story on networks of any wiring, under every routing."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from playing import Player, difference
from strategies import Step, Story, configs, stories
from wirings import RANDOM, wired

from netplace.netsim import Config, Network, Traffic
from netplace.topologies import TOPOLOGIES, parse

pytestmark = pytest.mark.all  # seconds each

# The same examples in every run; the slow tests draw more of them.
FEW = settings(
    derandomize=True, deadline=None, database=None, max_examples=10, suppress_health_check=list(HealthCheck)
)
MANY = settings(FEW, max_examples=1300)

EAGER = wired(configs(eager_limit=(None,)))
EITHER = wired(configs(eager_limit=(None, 100)))
INTERLEAVED = configs(eager_limit=(None, 0, 100), sends=("interleaved",))
STORIES = {
    "eager": stories(where=EAGER),
    "rendezvous": stories(where=wired(configs(eager_limit=(0, 100, 500)))),
    "messages-missing": stories(where=EAGER, complete=False),
    "open-loop": stories(where=EAGER, jobs=False, traffic=True),
    "jobs-in-open-loop": stories(where=wired(), traffic=True),
    "stopped-and-repeated": stories(where=EITHER, stops=True, repeats=(1, 2, 3)),
    "explained": stories(where=EAGER, explain=True, stops=True),
    "explained-in-open-loop": stories(where=wired(), traffic=True, explain=True),
    "explained-under-faults": stories(where=wired(failing=True), traffic=True, explain=True),
    "faults": stories(where=wired(failing=True), stops=True, repeats=(1, 2)),
    "faults-in-open-loop": stories(where=wired(failing=True), traffic=True),
    "fabrics": stories(where=wired(fabric=True), stops=True, repeats=(1, 2)),
    "fabrics-in-open-loop": stories(where=wired(fabric=True), traffic=True, explain=True),
    "flows-in-order": stories(where=wired(fabric=True, ordered=(True,)), traffic=True, stops=True),
    "interleaved": stories(where=wired(INTERLEAVED), traffic=True, stops=True, repeats=(1, 3), explain=True),
    "interleaved-on-fabrics": stories(where=wired(INTERLEAVED, fabric=True), traffic=True, stops=True),
    "interleaved-under-faults": stories(where=wired(INTERLEAVED, failing=True), traffic=True, stops=True),
    "fabrics-under-faults": stories(where=wired(fabric=True, failing=True), traffic=True, stops=True),
}


@pytest.fixture(autouse=True)
def random_networks(monkeypatch):
    monkeypatch.setitem(TOPOLOGIES._entries, "random", RANDOM)


def agree(story):
    kernel, reference = (Player(story, engine).play(story.steps) for engine in ("kernel", "reference"))
    assert difference(kernel, reference) == ""


@pytest.mark.parametrize("kind", STORIES)
def test_engines_agree_on_any_wiring(kind):
    FEW(given(STORIES[kind])(agree))()


@pytest.mark.nightly
@pytest.mark.parametrize("kind", STORIES)
def test_engines_agree_on_any_wiring_in_many_stories(kind):
    MANY(given(STORIES[kind])(agree))()


def test_a_head_is_charged_where_it_would_go_and_not_at_the_escape_channel():
    config = Config(queue_packets=1, nic_buffer=1, vcs=2, bubble=0, routing="adaptive")
    traffic = Traffic(0.05625, np.array([0, 1, 2, 0, 2, 0], np.int32))
    steps = (Step(wait=0, kind="generate", traffic=traffic),)
    agree(Story("dragonfly+:leaves=2,spines=2,p=1,h=1,g=3", config=config, seed=1, steps=steps, explain=True))


def test_what_heads_wait_is_what_is_charged_also_at_routers_of_many_inputs(engine):
    network = Network(parse("mesh:2x1,c=40"), Config(vcs=2, queue_packets=5), engine=engine, explain=True)
    network.generate(Traffic(0.05, np.zeros(80, np.int32)))
    for cycle in range(50, 201, 50):
        network.advance(cycle)
        waiting = network.waiting()
        assert waiting.total == waiting.waited > 0
