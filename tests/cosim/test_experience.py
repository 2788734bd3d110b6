"""Slowdowns foretold from those of mixes that were simulated lie in their intervals."""

import numpy as np
import pytest

from netplace.cosim import cosimulate, experience, make_cosim_plan
from netplace.cosim.experience import Experience


def taught(target_half_width, jobs, spread=0.2, seed=0):
    """Return what is known of jobs that take a sixth of what is foretold, more or less."""
    rng = np.random.default_rng(seed)
    known = Experience(target_half_width)
    for foretold in rng.uniform(0.02, 0.4, jobs):
        known.note(foretold, 1 + foretold * rng.normal(1 / 6, spread))
    return known


def test_nothing_is_foretold_before_there_is_experience():
    known = taught(0.05, 39)
    assert known.drawn()
    assert known.factor(0.1) is None
    known.note(0.1, 1.01)
    assert known.factor(0.1) is not None


def test_as_many_jobs_as_nominal_lie_in_their_intervals():
    rng = np.random.default_rng(5)
    known = taught(1.0, 200)
    inside = []
    for foretold in rng.uniform(0.02, 0.3, 2000):
        factor, half = known.factor(foretold)
        inside.append(abs(1 + foretold * rng.normal(1 / 6, 0.2) - factor) <= half * factor)
    assert np.mean(inside) == pytest.approx(0.95, abs=0.02)


def test_what_is_too_wide_or_beyond_experience_is_simulated():
    known = taught(0.05, 100)
    assert known.factor(0.05) is not None
    assert known.factor(0.39) is None  # its interval is too wide
    assert taught(1.0, 100).factor(0.5) is None  # nothing like it was simulated


def test_what_is_foretold_is_as_much_left_to_chance_as_what_was_simulated():
    known = Experience(0.05)
    known.note(0.1, 1.01, 0.003)
    known.note(0.2, 1.02, 0.008)
    assert known.deviation(0.1) == pytest.approx(0.1 * np.sqrt((0.03**2 + 0.04**2) / 2))


def test_some_jobs_are_simulated_all_the_same():
    known = taught(0.05, 100)
    assert 0.03 < np.mean([known.drawn() for _ in range(2000)]) < 0.07


def test_a_run_that_foretells_agrees_with_one_that_simulates(tmp_path, monkeypatch):
    log, mix = tmp_path / "log.csv", tmp_path / "mix.toml"
    rows = [f"{n},{2e-4 * n},{4 + 4 * (n % 2)},{1.5e-3 + 1e-4 * (n % 5)}" for n in range(1, 61)]
    log.write_text("\n".join(["number,submit,nodes,run_time", *rows]))
    mix.write_text(
        'communication = 0.1\n[[class]]\napplication = "2d-torus,packets=2"\n'
        '[[class]]\napplication = "butterfly,packets=2"\n'
    )
    given = {
        "machine": "tree:4,3", "workload": str(log), "applications": str(mix), "partition": "random",
        "fidelity": "mixes", "target_half_width": 0.03,
    }  # fmt: skip
    plan = make_cosim_plan(given, seed=1)
    runs = []
    for least in (15, 10_000):
        monkeypatch.setattr(experience, "_LEAST", least)
        runs.append(cosimulate(plan).outcome)
    figures = [run["figures"] for run in runs]
    assert figures[0]["sources"]["foretold"] > 0.2
    assert 2 * figures[0]["mixes"]["simulated"] < figures[1]["mixes"]["simulated"]
    assert figures[0]["half_width"]["mean"] < 1.4 * figures[1]["half_width"]["mean"]
    inside = [
        abs(one["live"] / other["live"] - 1) <= one["half_width"] + other["half_width"]
        for one, other in zip(*(run["jobs"] for run in runs), strict=True)
    ]
    assert np.mean(inside) > 0.95
