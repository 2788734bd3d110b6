"""Where curves cross, and what several seeds say of it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from netplace.experiments.shared.statistics import crossing, point_of


@pytest.mark.parametrize(
    ("ratio", "where"),
    [
        ([0.25, 0.5, 2.0], 15.0),
        ([1.0, 2.0, 3.0], 0.0),
        ([1.2, 0.5, 3.0], 0.0),
        ([0.5, 1.0, 1.0], 10.0),
        ([0.5, 2.0, 0.5], 5.0),
        ([0.5, 0.9, 0.99], math.inf),
    ],
)
def test_the_first_crossing_counts(ratio, where):
    assert crossing([0, 10, 20], ratio) == pytest.approx(where)


@given(rate=st.floats(0.001, 0.2), start=st.floats(-3, -0.001))
def test_an_exponential_is_met_exactly(rate, start):
    x = np.arange(0, 65, 5)
    expected = -start / rate
    found = crossing(x.tolist(), np.exp(start + rate * x))
    if expected > 60.001:
        assert math.isinf(found)
    elif expected < 59.999:
        assert found == pytest.approx(expected, abs=1e-6)


def test_the_interval_is_that_of_students_t():
    sample = [10.0, 12.0, 17.0, 0.0]
    point = point_of(sample)
    low, high = stats.t.interval(0.95, 3, np.mean(sample), stats.sem(sample))
    assert (point.mean - point.half_width, point.mean + point.half_width) == pytest.approx((low, high))
    assert (point.at_start, point.beyond) == (1, 0)


def test_without_a_crossing_there_is_no_mean():
    point = point_of([10.0, math.inf, 12.0])
    assert math.isnan(point.mean)
    assert math.isnan(point.half_width)
    assert point.beyond == 1
    alone = point_of([10.0])
    assert alone.mean == 10
    assert math.isnan(alone.half_width)
