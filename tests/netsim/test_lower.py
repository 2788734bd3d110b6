"""Programs as the kernel's words: keys are numbered in the order of source, destination, tag and packets."""

import numpy as np
import pytest

from netplace.apps import Program, TaskWriter
from netplace.netsim import Config
from netplace.netsim.lower import Lowered, lower

TASKS = 5


def _lowered(tags_apart: int, seed: int) -> Lowered:
    """Return the words of random messages, whose tags are multiples of `tags_apart`."""
    draw = np.random.default_rng(seed)
    writers = [TaskWriter(task, TASKS) for task in range(TASKS)]
    for _ in range(200):
        source, target = draw.choice(TASKS, 2, replace=False).tolist()
        size, tag = int(draw.integers(1, 4)) * 512, int(draw.integers(0, 7)) * tags_apart
        writers[source].send(target, size, tag)
        writers[target].recv(source, size, tag)
    return lower(Program.of(writers), Config())


@pytest.mark.parametrize("seed", range(3))
def test_tags_far_apart_come_to_the_words_of_tags_side_by_side(seed: int) -> None:
    near, far = _lowered(1, seed), _lowered(1 << 40, seed)
    for name in ("op", "first", "key", "message"):
        assert np.array_equal(getattr(near, name), getattr(far, name)), name


def test_keys_are_in_order_and_differ() -> None:
    rows = [tuple(row[:3]) for row in _lowered(1, 0).key.tolist()]
    assert [row[:2] for row in rows] == sorted(row[:2] for row in rows)
    assert len(rows) > TASKS * (TASKS - 1)
