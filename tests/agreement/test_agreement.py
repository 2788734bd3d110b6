"""Kernel and reference tell the same story: ends, messages, counters, and the FIFOs of a standstill."""

import json
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playing import Player, difference
from strategies import configs, stories

from netplace.netsim import ENGINES, measure_load
from netplace.topologies import parse

# The same examples in every run; the slow tests draw more of them.
FEW = settings(
    derandomize=True, deadline=None, database=None, max_examples=15, suppress_health_check=list(HealthCheck)
)
MANY = settings(FEW, max_examples=600)

EAGER = configs(bubbles=(1, 3), eager_limit=(None,))
RENDEZVOUS = configs(bubbles=(1, 3), eager_limit=(0, 100, 500))
INTERLEAVED = configs(bubbles=(1, 3), eager_limit=(None, None, 0, 100, 500), sends=("interleaved",))
NANOSECONDS, RATES = st.sampled_from([0.0, 3.2, 41.5, 700.0]), st.sampled_from([0.0, 0.04, 1.7])
HOSTS = st.builds(  # processors that need time for messages
    replace,
    RENDEZVOUS | INTERLEAVED,
    **dict.fromkeys(("o_send", "o_recv", "o_rendezvous"), NANOSECONDS),
    **dict.fromkeys(("o_byte", "o_copy"), RATES),
)
NO_BUBBLE = configs(bubbles=(0, 0), eager_limit=(None, 100))

STORIES = {
    "eager": stories(EAGER),
    "rendezvous": stories(RENDEZVOUS),
    "no-bubble": stories(NO_BUBBLE),
    "messages-missing": stories(EAGER, complete=False),
    "open-loop": stories(EAGER, jobs=False, traffic=True),
    "repeated": stories(EAGER, repeats=(1, 2, 3, 7)),
    "repeated-by-rendezvous": stories(RENDEZVOUS, complete=False, stops=True, repeats=(1, 2, 3, 7)),
    "stopped": stories(RENDEZVOUS, complete=False, stops=True),
    "stopped-in-open-loop": stories(RENDEZVOUS, traffic=True, stops=True, repeats=(1, 4)),
    "explained": stories(EAGER, explain=True),
    "explained-in-open-loop": stories(RENDEZVOUS, traffic=True, stops=True, explain=True),
    "jobs-in-open-loop": stories(RENDEZVOUS, traffic=True),
    "interleaved": stories(INTERLEAVED),
    "interleaved-in-open-loop": stories(INTERLEAVED, traffic=True),
    "interleaved-repeated": stories(INTERLEAVED, repeats=(1, 2, 3, 7)),
    "interleaved-stopped": stories(INTERLEAVED, complete=False, stops=True, repeats=(1, 4)),
    "interleaved-explained": stories(INTERLEAVED, traffic=True, stops=True, explain=True),
    "hosts": stories(HOSTS, traffic=True, stops=True, repeats=(1, 3)),
}


def agree(story):
    kernel, reference = (Player(story, engine).play(story.steps) for engine in ("kernel", "reference"))
    assert difference(kernel, reference) == ""


@pytest.mark.parametrize("kind", STORIES)
def test_engines_agree(kind):
    FEW(given(STORIES[kind])(agree))()


@pytest.mark.nightly
@pytest.mark.parametrize("kind", STORIES)
def test_engines_agree_in_many_stories(kind):
    settings(MANY, max_examples=5000 if kind == "hosts" else 600)(given(STORIES[kind])(agree))()


def test_engines_measure_the_same():
    points = []
    for engine in ENGINES:
        point = measure_load(parse("torus:4x4"), 0.5, engine=engine, seed=2, warmup=300, measure=500)
        told = json.loads(json.dumps(point.to_dict(), allow_nan=False))
        points.append(
            {name: told[name] for name in ("accepted", "delay", "packets", "packet_hops", "mean_delay")}
        )
    assert points[0] == points[1]
