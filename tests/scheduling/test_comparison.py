"""Paired differences: against SciPy, against theory on drawn values, and what is not to be called clear."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import signal, stats

from netplace.scheduling.metrics import Contestant, contests, holm, judged, paired, unpaired
from netplace.scheduling.metrics.comparison import MEANINGS, paired_ratio
from netplace.scheduling.metrics.interval import estimate, quantile

VALUES = st.lists(st.floats(0.1, 1e6), min_size=2, max_size=12)


def test_a_paired_difference_is_students_of_pairs() -> None:
    rng = np.random.default_rng(5)
    first, second = rng.normal(10, 2, 9), rng.normal(11, 2, 9)
    found = paired(first, second)
    known = stats.ttest_rel(second, first)
    low, high = known.confidence_interval(0.95)
    assert found.p_value == pytest.approx(known.pvalue)
    assert found.mean == pytest.approx((low + high) / 2)
    assert found.half_width == pytest.approx((high - low) / 2)


def test_an_unpaired_difference_is_that_of_welch() -> None:
    rng = np.random.default_rng(6)
    first, second = rng.normal(10, 1, 5), rng.normal(12, 3, 8)
    moments = [(float(one.mean()), float(one.std(ddof=1)), len(one)) for one in (first, second)]
    known = stats.ttest_ind(second, first, equal_var=False)
    found = unpaired(*moments)
    low, high = known.confidence_interval(0.95)
    assert found.p_value == pytest.approx(known.pvalue)
    assert found.half_width == pytest.approx((high - low) / 2)


@given(st.floats(2, 1e4), st.floats(0.01, 0.99))
def test_quantiles_are_those_of_scipy(count: float, confidence: float) -> None:
    assert quantile(count, confidence) == pytest.approx(
        stats.t.ppf((1 + confidence) / 2, count - 1), rel=1e-7
    )


def test_holm_as_in_his_paper() -> None:
    # Bonferroni times what is left, never less than a smaller one's, at most 1.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []
    corrected = holm([math.nan, 0.02])
    assert math.isnan(corrected[0])
    assert corrected[1] == 0.02


def test_families_without_a_difference_are_rarely_called_clear() -> None:
    rng = np.random.default_rng(7)
    wrong = 0
    for _ in range(400):
        values = [rng.normal(10, 1, 5) for _ in range(4)]
        wrong += any(one.clear for one in judged([paired(*two) for two in itertools.combinations(values, 2)]))
    assert wrong <= 32  # 5 % of 400 is 20; 32 are 2.7 standard deviations above


def autoregressive(rng: np.random.Generator, size: int, alike: float) -> np.ndarray:
    steps = rng.normal(0, 1, size + 200)
    return signal.lfilter([1], [1, -alike], steps)[200:]


@pytest.mark.parametrize("size", [20, 200])
@pytest.mark.parametrize("alike", [0.0, 0.5, 0.9])
def test_equal_contestants_are_rarely_clear_however_values_in_time_hang_together(
    size: int, alike: float
) -> None:
    rng = np.random.default_rng(8)
    clear = 0
    for _ in range(400):
        gaps = autoregressive(rng, size, alike)
        found = paired(np.full(size, 100.0) + np.arange(size), 100 + np.arange(size) + gaps, "jobs")
        clear += judged([found])[0].clear
    assert clear <= 32  # 5 % of 400 is 20; 32 are 2.7 standard deviations above


def test_values_in_time_have_an_interval_if_they_are_worth_ten() -> None:
    rng = np.random.default_rng(9)
    for size, alike, usual in [(9, 0.0, 0), (200, 0.0, 1), (2000, 0.5, 1), (20, 0.95, 0), (100, 0.99, 0)]:
        drawn = [estimate(autoregressive(rng, size, alike), "jobs").half_width for _ in range(20)]
        assert np.mean(np.isfinite(drawn)) == pytest.approx(usual, abs=0.2), (size, alike)
    independent = estimate(rng.normal(0, 1, 4000), "jobs")
    assert independent.count > 10
    assert independent.half_width == pytest.approx(2.1 / np.sqrt(4000), rel=0.7)


def test_equal_differences_are_as_likely_as_that_all_signs_agree() -> None:
    found = paired([10.0, 12.0], [11.0, 13.0])
    assert found.p_value == 0.5
    assert math.isnan(found.half_width)
    assert judged([found])[0].words == "within chance"
    assert judged([paired(range(8), range(1, 9))])[0].words == "clearly more"


def test_equal_contestants_are_not_of_the_family() -> None:
    differs = paired([10.0, 20.0, 30.0], [12.0, 22.1, 31.9])
    same = paired([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
    assert judged([differs, *[same] * 50])[0] == judged([differs])[0]
    assert judged([same])[0].words == "equal"


def test_contrasts_are_with_the_first_of_each_setting_as_means_over_the_others() -> None:
    rng = np.random.default_rng(3)
    effect = {"fcfs": 0.0, "easy": -4.0, "best": -1.0, "near": 0.0, "far": 2.0}
    jobs = rng.uniform(20, 80, 6)
    cells = {
        (policy, partition): jobs + effect[policy] + effect[partition] + rng.normal(0, 0.1, 6)
        for policy, partition in itertools.product(("fcfs", "easy", "best"), ("near", "far"))
        if (policy, partition) != ("best", "far")
    }
    every = [
        Contestant({"policy": policy, "partition": partition}, {"wait": list(values), "other": [1.0]})
        for (policy, partition), values in cells.items()
    ]
    found = contests(every, ["wait"])
    assert [(one.key, one.first, one.second, one.cases) for one in found] == [
        ("policy", "fcfs", "easy", 2),
        ("policy", "fcfs", "best", 1),
        ("partition", "near", "far", 2),
    ]
    assert [one.case for one in found] == [{}, {"partition": "near"}, {}]
    logs = {words: np.log(values) for words, values in cells.items()}
    easy = (logs["easy", "near"] + logs["easy", "far"] - logs["fcfs", "near"] - logs["fcfs", "far"]) / 2
    known = stats.ttest_1samp(easy, 0.0)
    assert found[0].difference.share == pytest.approx(np.exp(easy.mean()) - 1)
    assert found[0].difference.share_interval == pytest.approx(np.expm1(known.confidence_interval(0.95)))
    assert found[0].difference.p_value == pytest.approx(known.pvalue)
    p_values = [one.difference.p_value for one in found]
    assert [one.judgement.p_value for one in found] == pytest.approx(holm(p_values))
    assert [one.key for one in contests(every, ["wait"], but=("policy",))] == ["partition"]


@given(VALUES, st.sampled_from(["seeds", "jobs"]), st.sampled_from([0.0, 0.2]))
def test_a_ratio_the_other_way_round_is_its_inverse_and_no_loss_is_of_more_than_all(
    first: list[float], unit: str, less: float
) -> None:
    second = [2 * max(value - less, 0.0) for value in reversed(first)]
    one, other = paired_ratio(first, second, unit), paired_ratio(second, first, unit)
    if one.scale == "difference":
        assert one.equal or not sum(second)
        return
    assert one.first == pytest.approx(other.second, rel=1e-6)
    assert one.share_interval is None or one.share_interval[0] >= -1
    assert (1 + one.share) * (1 + other.share) == pytest.approx(1, rel=1e-6)
    if one.scale == "ratio":
        assert one.share == pytest.approx(sum(second) / sum(first) - 1, rel=1e-6, abs=1e-6)


def test_ratios_of_values_in_time_cover_the_true_ratio() -> None:
    rng, covered = np.random.default_rng(8), []
    for _ in range(200):
        jobs, own = (np.exp(size * autoregressive(rng, 400, 0.5)) for size in (0.7, 0.3))
        ends = paired_ratio(jobs, jobs * own, "jobs").share_interval
        true = np.exp(0.09 / 0.75 / 2)  # the mean of a lognormal variable of this variance
        covered += [ends[0] <= true - 1 <= ends[1]] if ends else []
    assert np.mean(covered) > 0.91


def test_nothing_is_clear_that_one_run_says() -> None:
    assert judged([paired([10.0], [20.0])])[0].words == "one run"
    # Seeds that change nothing are one run over again.
    assert judged([paired([10.0] * 5, [20.0] * 5)])[0].words == "one run"
    assert judged([paired([10.0] * 5, [10.0] * 5)])[0].words == "equal"
    assert judged([paired([10.0], [10.0])])[0].words == "equal"


def test_verdicts_are_words_with_a_meaning() -> None:
    less, more = paired([10.0, 20.0, 30.0], [9.0, 18.9, 29.1]), paired([10.0, 20.0, 30.0], [12.0, 22.1, 31.9])
    open_ = paired([10.0, 20.0, 30.0], [15.0, 14.0, 32.0])
    found = [one.words for one in judged([less, more, open_])]
    assert found == ["clearly less", "clearly more", "within chance"]
    assert set(found) < set(MEANINGS)


def test_as_many_of_both_are_asked_for() -> None:
    with pytest.raises(ValueError, match="pairs: 2 and 1 values"):
        paired([1.0, 2.0], [1.0])
    with pytest.raises(ValueError, match="pairs: 0 and 0 values"):
        paired([], [])
