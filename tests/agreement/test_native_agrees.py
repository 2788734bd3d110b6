"""The engine in C++ tells the same stories as the reference, on every network that both simulate."""

from __future__ import annotations

import pytest
import test_agreement
import test_wirings_agree
from hypothesis import HealthCheck, given, settings
from playing import Player, difference
from wirings import RANDOM

from netplace.topologies import TOPOLOGIES

FEW = settings(
    derandomize=True, deadline=None, database=None, max_examples=12, suppress_health_check=list(HealthCheck)
)
STORIES = {
    f"{where} {kind}": story
    for where, stories in (("usual", test_agreement.STORIES), ("any", test_wirings_agree.STORIES))
    for kind, story in stories.items()
}


@pytest.fixture(autouse=True)
def random_wirings(monkeypatch):
    monkeypatch.setitem(TOPOLOGIES, "random", RANDOM)


def agree(story):
    native, reference = (Player(story, engine).play(story.steps) for engine in ("native", "reference"))
    assert difference(native, reference) == ""


@pytest.mark.parametrize("kind", STORIES)
def test_engines_agree(kind):
    FEW(given(STORIES[kind])(agree))()
