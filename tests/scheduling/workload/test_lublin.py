"""The Lublin-Feitelson model against its own formulas."""

import numpy as np
import pytest
from scipy.special import gammainc

from netplace.scheduling.workload import describe, load, lublin
from netplace.scheduling.workload.lublin import (
    KINDS,
    arrival_times,
    day_weights,
    hyper_gamma_share,
    size_range,
)

JOBS = 60_000
SINGLE = [name for name, streams in KINDS.items() if len(streams) == 1]


@pytest.fixture(scope="module")
def made():
    return {kind: lublin(128, JOBS, seed=1, kind=kind) for kind in KINDS}


def within(share: float, expected: float, count: int, errors: float = 4.5) -> bool:
    """Tell whether a share of `count` draws is the expected one but for chance."""
    return abs(share - expected) <= errors * np.sqrt(expected * (1 - expected) / count)


def test_sizes_range_as_fitted():
    """Of the reference program: ulow, umed, uhi on 128 nodes."""
    ranges = {kind: size_range(KINDS[kind][0], 128) for kind in SINGLE}
    assert ranges == {"batch": (1.2, 5, 7), "interactive": (1, 3, 5.5), "whole": (0.8, 4.5, 7)}
    assert size_range(KINDS["batch"][0], 8) == pytest.approx((0.8, 1.5, 3))  # as the program advises


@pytest.mark.parametrize("kind", SINGLE)
def test_shares_of_serial_jobs_and_powers_of_two(made, kind):
    [parameters] = KINDS[kind]
    size = made[kind].nodes
    ulow, umed, uhi = size_range(parameters, 128)
    # Sizes of the remaining jobs are rounded, to one node or a power of two where they come near.
    others = 1 - parameters.serial - parameters.power_of_two
    serial = np.mean(size == 1)
    assert within(serial, parameters.serial, JOBS)
    powers = np.mean((size > 1) & (size & (size - 1) == 0))
    near = sum(
        _share_of(np.log2(2**k - 0.5), np.log2(2**k + 0.5), parameters, ulow, umed, uhi) for k in range(1, 8)
    )
    assert within(powers, parameters.power_of_two + others * near, JOBS)
    assert size.max() <= 2**uhi + 1


def _share_of(low, high, parameters, ulow, umed, uhi):
    """Return the share of the two-stage uniform distribution between two points."""

    def below(u):
        if u <= umed:
            return parameters.uprob * max(0.0, u - ulow) / (umed - ulow)
        return parameters.uprob + (1 - parameters.uprob) * min(u - umed, uhi - umed) / (uhi - umed)

    return below(high) - below(low)


@pytest.mark.parametrize("kind", SINGLE)
def test_mean_log_of_the_sizes(made, kind):
    """Of the two-stage uniform distribution; rounding to a power of two moves it by little."""
    [parameters] = KINDS[kind]
    ulow, umed, uhi = size_range(parameters, 128)
    mean = (parameters.uprob * (ulow + umed) + (1 - parameters.uprob) * (umed + uhi)) / 2
    found = np.log2(made[kind].nodes[made[kind].nodes > 1]).mean()
    assert found == pytest.approx(mean, abs=0.05)


@pytest.mark.parametrize("kind", SINGLE)
def test_run_times_are_hyper_gamma_given_the_size(made, kind):
    """The distribution function of ln(run time), for small and for large jobs; it is cut off at 12."""
    [parameters] = KINDS[kind]
    workload = made[kind]
    for which in (workload.nodes == 1, workload.nodes >= 16):
        share = hyper_gamma_share(parameters, workload.nodes[which])
        count = np.count_nonzero(which)

        def below(x, share=share):
            first = gammainc(parameters.a1, x / parameters.b1)
            return share * first + (1 - share) * gammainc(parameters.a2, x / parameters.b2)

        for seconds in (50, 1000, 10_000, 20_000):
            expected = np.mean(below(np.log(seconds)) / below(12))
            assert within(np.mean(workload.run_time[which] < seconds), expected, count), seconds


def test_run_times_are_whole_and_bounded(made):
    for workload in made.values():
        assert workload.run_time.min() >= 1
        assert workload.run_time.max() <= np.exp(12)
        assert np.array_equal(workload.run_time, np.floor(workload.run_time))
        assert np.isnan(workload.estimate).all()


@pytest.mark.parametrize("kind", SINGLE)
def test_weights_are_those_of_the_gamma_distribution(kind):
    own = KINDS[kind][0]
    shares = np.diff(gammainc(own.anum, (np.arange(11, 60) - 0.5) / own.bnum))
    assert day_weights(own) == pytest.approx(np.roll(shares / shares.mean(), 10), rel=1e-9)


@pytest.mark.parametrize("kind", SINGLE)
def test_arrivals_are_those_of_a_walk_through_the_half_hours(kind):
    """As the model is described: points are paid for each half-hour that passes, one job after the other."""
    weights = day_weights(KINDS[kind][0])
    gaps = np.random.default_rng(1).exponential(5000, 2000)
    slot, points, expected = 0, 0.0, []
    for gap in gaps:
        points += gap / 1800
        while points > weights[slot % 48]:
            points -= weights[slot % 48]
            slot += 1
        expected.append(1800 * (slot + points / weights[slot % 48]))
    assert arrival_times(np.cumsum(gaps), weights) == pytest.approx(np.array(expected), rel=1e-6)


def test_gaps_in_seconds_of_average_activity():
    """Days pass as the sum of the gaps says, whose mean is that of exp(gamma), cut off at 13."""
    [parameters] = KINDS["whole"]
    shape, scale = parameters.aarr * parameters.arar, parameters.barr
    # E[exp(g) | g <= 13] of a gamma distribution: its density times exp(x) is again one, of another scale.
    tilted = scale / (1 - scale)
    mean = (1 - scale) ** -shape * gammainc(shape, 13 / tilted) / gammainc(shape, 13 / scale)
    workload = lublin(128, 400_000, seed=5, kind="whole")
    assert workload.submit[-1] / len(workload) == pytest.approx(mean, rel=0.05)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("nodes", [2, 100, 4096])
@pytest.mark.parametrize("target", [0.05, 0.7, 1.3])
def test_the_load_asked_for_is_hit(kind, nodes, target):
    workload = lublin(nodes, 2000, seed=2, load=target, kind=kind)
    assert load(workload, nodes) == pytest.approx(target, rel=0.01)
    assert workload.nodes.max() <= nodes


def test_load_changes_only_when_jobs_come():
    plain, full = lublin(64, 500, seed=4), lublin(64, 500, seed=4, load=0.9)
    assert np.array_equal(plain.nodes, full.nodes)
    assert np.array_equal(plain.run_time, full.run_time)
    assert not np.array_equal(plain.submit, full.submit)


def test_both_kinds_come_as_often_as_each_alone(made):
    """Two streams side by side: their rates add, and sizes are a mixture of theirs."""
    rate = {kind: JOBS / workload.submit[-1] for kind, workload in made.items()}
    assert rate["both"] == pytest.approx(rate["batch"] + rate["interactive"], rel=0.15)
    share = rate["batch"] / (rate["batch"] + rate["interactive"])
    expected = share * 0.2927 + (1 - share) * 0.1541
    assert describe(made["both"]).serial == pytest.approx(expected, abs=0.01)


def test_the_seed_decides(made):
    again, other = lublin(128, JOBS, seed=1), lublin(128, JOBS, seed=2)
    assert np.array_equal(made["batch"].submit, again.submit)
    assert np.array_equal(made["batch"].run_time, again.run_time)
    assert not np.array_equal(made["batch"].run_time, other.run_time)


@pytest.mark.parametrize(("given", "words"), [({"kind": "bach"}, "did you mean batch")])
def test_what_the_model_refuses(given, words):
    with pytest.raises(ValueError, match=words):
        lublin(**{"nodes": 64, "jobs": 10, **given})
