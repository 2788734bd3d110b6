"""The reference engine gives the cycle counts of INSEE's own simulator."""

import math
import statistics

import pytest
from reference_cases import golden_clock, golden_rows


def _name(row):
    return "-".join((row["trace"], row["network"], row["insee_options"].replace(" ", "-"))).strip("-")


# More than about a second on one core; smaller ones of the same kind and options are not.
_LONG = {
    (f"all_to_all_64_{packets}", network) for packets in (1, 4) for network in ("mesh_8_8", "fattree_4_3")
} | {("halo_8x8_16x10", "torus_8_8")}


def _exact():
    rows = [*golden_rows("exact"), *golden_rows("exact_more")]
    shorter = {row["insee_options"] for row in rows if row["trace"] == "random_25_a"}
    for row in rows:
        twice = row["trace"] == "all_to_all_25_4" and row["insee_options"] in shorter
        long = twice or (row["trace"], row["network"]) in _LONG
        yield pytest.param(row, id=_name(row), marks=pytest.mark.nightly if long else ())


@pytest.mark.parametrize("row", list(_exact()))
def test_exact(row):
    assert golden_clock(row) == int(row["insee_clock"])


@pytest.mark.nightly
@pytest.mark.parametrize("row", golden_rows("exact_npb"), ids=_name)
def test_exact_for_real_programs(row):
    assert golden_clock(row) == int(row["insee_clock"])


def _chance():
    for row in golden_rows("chance"):
        # Ten runs each, of which the kernel, which agrees to the cycle, makes all (test_golden.py).
        long = row["trace"].startswith("all_to_all_64") or row["network"] != "torus_4_4_4"
        yield pytest.param(row, id=_name(row), marks=pytest.mark.nightly if long else ())


@pytest.mark.all
@pytest.mark.parametrize("row", list(_chance()))
def test_mean_and_spread_where_chance_matters(row):
    clocks = [golden_clock(row, seed) for seed in range(10)]
    mean, deviation = float(row["mean"]), float(row["std"])
    error = math.hypot(deviation / math.sqrt(int(row["runs"])), statistics.stdev(clocks) / math.sqrt(10))
    assert abs(statistics.mean(clocks) - mean) < 2 * error
    # Ten values tell the size of a standard deviation, no more.
    assert 1 / 3 < statistics.stdev(clocks) / deviation < 3


# Channels drawn in every cycle: these runs are short, and their mean is known to a cycle or two.
@pytest.mark.all
@pytest.mark.parametrize(
    "row",
    [row for row in golden_rows("chance_more") if row["trace"] in ("g4_03", "g4_11", "g4_40")],
    ids=_name,
)
def test_clock_that_chance_hardly_moves(row):
    clocks = [golden_clock(row, seed) for seed in range(5)]
    assert abs(statistics.mean(clocks) - float(row["mean"])) < 1
