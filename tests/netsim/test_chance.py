"""Draws depend on what they are for and on nothing else, and are as even as they should be."""

import math

import numpy as np
import pytest

from netplace.netsim import chance
from netplace.netsim.chance import GAP, POLICY, TARGET, below, draw, gap


def test_a_draw_repeats():
    assert draw(1, POLICY, 2, 3, 4) == draw(1, POLICY, 2, 3, 4)


def test_each_number_matters():
    base = (1, POLICY, 2, 3, 4)
    others = [tuple(n + (place == i) for i, n in enumerate(base)) for place in range(5)]
    assert len({draw(*numbers) for numbers in (base, *others)}) == 6
    # Neither do they stand for each other.
    assert draw(1, POLICY, 2, 3, 4) != draw(1, POLICY, 3, 2, 4) != draw(1, POLICY, 4, 3, 2)


def test_purposes_differ():
    numbers = [value for name, value in vars(chance).items() if name.isupper() and name[0] != "_"]
    assert len(numbers) == len(set(numbers)) == 18


@pytest.mark.parametrize("n", [1, 2, 3, 7, 1000])
def test_below_is_even(n):
    draws = np.array(
        [below(draw(5, TARGET, place, 0, cycle), n) for place in range(20) for cycle in range(500)]
    )
    assert draws.min() >= 0
    assert draws.max() < n
    counts = np.bincount(draws, minlength=n)
    # Five standard deviations of a count.
    assert np.abs(counts - 10_000 / n).max() <= 5 * math.sqrt(10_000 / n)


@pytest.mark.parametrize("p", [0.5, 0.05, 0.001])
def test_gaps_are_those_of_a_bernoulli_process(p):
    gaps = np.array([gap(draw(7, GAP, place, 0, 0), math.log1p(-p)) for place in range(20_000)])
    assert gaps.min() >= 0
    mean, deviation = (1 - p) / p, math.sqrt(1 - p) / p
    assert abs(gaps.mean() - mean) < 5 * deviation / math.sqrt(len(gaps))
    assert abs((gaps == 0).mean() - p) < 5 * math.sqrt(p / len(gaps))


def test_a_sure_success_comes_at_once():
    assert {gap(draw(7, GAP, place, 0, 0), -math.inf) for place in range(100)} == {0}
