"""How many seeds show a difference: the number has the power that it promises."""

import json

import numpy as np
import pytest
from answers import refused
from scipy import stats

from netplace.cli.plan_study import _rows as rows_of
from netplace.report.comparison import Entry, Outcome, Result, Sample, compare
from netplace.scheduling.metrics.comparison import draws_needed

RUN = ["run", "--network", "torus:4x4", "--app", "2d-torus", "--tasks", "16", "--vc-policy", "random"]
RUN += ["--mapping", "random"]


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize(
    ("spread", "difference", "power"), [(1.0, 0.5, 0.8), (2.0, 1.5, 0.9), (0.3, 0.6, 0.5)]
)
def test_studies_of_so_many_draws_show_the_difference(spread, difference, power, apart):
    draws, studies = draws_needed(spread, difference, power, apart=apart), 4000
    rng = np.random.default_rng(11)

    def shown(count):
        values = rng.normal(difference, spread, (studies, count))
        if not apart:
            return (stats.ttest_1samp(values, 0, axis=1).pvalue < 0.05).mean()
        return (stats.ttest_ind(values, rng.normal(0, spread, (studies, count)), axis=1).pvalue < 0.05).mean()

    chance = 3 * (power * (1 - power) / studies) ** 0.5
    assert shown(draws) >= power - chance
    if draws > 3:
        assert shown(draws - 2) < power + chance


def test_the_number_is_that_of_textbooks():
    assert draws_needed(1.0, 0.5) == 34  # J. Cohen, 1988: d = .5, power .8
    assert draws_needed(1.0, 0.5, apart=True) == 64
    assert draws_needed(0.0, 0.5) == 2
    wide = draws_needed(1.0, 1e-3)
    assert wide == pytest.approx((1.959964 + 0.841621) ** 2 * 1e6, rel=1e-4)  # the normal distribution


def pair_of_outcomes(rng, seeds, more, figures=9, spread=0.1):
    """Return two outcomes with common seeds; figures of the second are `more` larger, apart from chance."""
    base = rng.lognormal(0, 0.3, seeds) * np.ones((figures, 1))
    other = base.mean() * (more + rng.normal(0, spread, (figures, seeds))) + base
    made = []
    for name, rows in (("a", base.tolist()), ("b", other.tolist())):
        samples = [Sample.of(dict(enumerate(row)), "seeds") for row in rows]
        results = [Result(f"figure {place}", sample, -1) for place, sample in enumerate(samples)]
        made.append(Outcome("schedule", name, [Entry({"rule": name}, results)]))
    return made


@pytest.mark.all
@pytest.mark.parametrize("pilot", [6, 10])
def test_compare_finds_what_was_planned_for_in_four_of_five_studies(pilot):
    """A difference of 10 % in the main one of nine figures, planned from pilots without it."""
    rng, clear = np.random.default_rng(7), []
    for _ in range(200):
        (row,) = rows_of(*pair_of_outcomes(rng, pilot, 0.0), 0.1, 0.8, ())
        found = compare(*pair_of_outcomes(rng, row["seeds"], 0.1))
        clear.append(found.differences[0].verdict == "worse")
    assert 0.74 < np.mean(clear) < 0.86


@pytest.mark.parametrize(
    ("words", "said"), [((-1.0, 0.5), "spread"), ((1.0, 0.0), "difference"), ((1.0, 1e-6), "too small")]
)
def test_what_cannot_be_planned_is_refused(words, said):
    with pytest.raises(ValueError, match=said):
        draws_needed(*words)


@pytest.fixture
def pilots(netplace, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, mapping in (("a", "random"), ("b", "column")):
        words = [*RUN[:-1], mapping, "--seeds", "5", "-o", name]
        assert netplace(*words).exit_code == 0
    return tmp_path


def test_a_pilot_tells_how_many_seeds_a_study_needs(netplace, pilots):
    one, two = (json.loads(netplace("plan-study", *words, "--json").stdout) for words in (["a"], ["a", "b"]))
    times = [run["cycles"] for run in json.loads((pilots / "a" / "run.json").read_text())["runs"]]
    first = one["results"][0]
    assert (one["paired"], two["paired"], first["name"], first["pilot"]) == (
        False,
        True,
        "run time (cycles)",
        5,
    )
    assert first["spread"] == pytest.approx(np.std(times, ddof=1) / np.mean(times))
    known = draws_needed(first["spread"], 0.03, apart=True)
    assert first["seeds"] == draws_needed(first["spread"], 0.03, apart=True, pilot=5) > known
    assert [row["name"] for row in one["results"]] == ["run time (cycles)"]
    wide = ["--figure", "run time", "--figure", "packet-hops", "--json"]
    both = json.loads(netplace("plan-study", "a", *wide).stdout)["results"]
    assert [row["name"] for row in both] == ["run time (cycles)", "packet-hops"]
    assert both[0]["seeds"] > first["seeds"]
    others = [run["cycles"] for run in json.loads((pilots / "b" / "run.json").read_text())["runs"]]
    gaps = np.subtract(others, times)
    assert two["results"][0]["spread"] == pytest.approx(np.std(gaps, ddof=1) / np.mean(times))
    more = json.loads(netplace("plan-study", "a", "--difference", 6, "--json").stdout)["results"][0]
    assert more["seeds"] < first["seeds"]
    shown = netplace("plan-study", "a")
    assert "run time (cycles)" in shown.stdout
    assert f"{first['seeds']}" in shown.stdout


def test_a_pilot_of_one_seed_is_refused(netplace, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert netplace(*RUN, "-o", "one").exit_code == 0
    refused(netplace("plan-study", "one"), "one: no result has at least 3 seeds")
