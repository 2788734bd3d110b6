"""Means and spreads over runs."""

import pytest

from netplace.report.tables.summary import means, spread


def test_means_go_through_dicts_and_lists():
    one = {"a": 1, "b": [1, 2], "c": {"d": 4.0}, "e": "text", "f": None, "g": True}
    two = {"a": 2, "b": [3, 2], "c": {"d": 6.0}, "e": "text", "f": None, "g": True}
    assert means([one, two]) == {"a": 1.5, "b": [2, 2], "c": {"d": 5.0}, "e": "text", "f": None, "g": True}


def test_what_is_not_always_a_number_is_the_mean_of_those_that_are():
    assert means([{"p95": None}, {"p95": 3}]) == {"p95": 3}
    assert means([[1, 2], [3]]) == [1, 2]


def test_spread_is_that_of_a_sample():
    found = spread([1, 2, 3, 6])
    assert found == {"mean": 3, "std": pytest.approx((14 / 3) ** 0.5), "min": 1, "max": 6}
    assert spread([5])["std"] == 0
