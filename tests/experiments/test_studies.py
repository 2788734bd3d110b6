"""What all studies share: how they are request for, their statistics, and how mistakes are told."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from netplace.cli import app
from netplace.experiments.shared.statistics import best, p_value, relative, spread
from netplace.experiments.td_vs_classic import effect
from netplace.report.studies import STUDIES
from netplace.report.studies.study import make_request

STORED = Path(__file__).parents[2] / "docs/studies"


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_says_what_it_is(name):
    study = STUDIES[name]
    assert study.name == name
    assert study.title
    assert study.source
    assert set(study.default) <= set(study.parts)
    assert study.default


@pytest.mark.parametrize("path", sorted(STORED.glob("*/report.md")), ids=lambda path: path.parent.name)
def test_a_report_opens_with_an_effect_and_its_unit(path):
    first = next(line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("* "))
    assert re.search(r"\d ?%|\d times|\d of \d|r on average .* \d\.\d", first.partition(". ")[0])
    assert "`*`" not in first


@pytest.mark.parametrize("name", ["td-vs-classic", "td-vs-classic-shared"])
def test_td_against_classic_follows_from_the_stored_tables(name):
    tables = [pd.read_csv(path).assign(table=path.stem) for path in (STORED / name).glob("*.csv")]
    text = (STORED / name / "report.md").read_text(encoding="utf-8")
    assert f"\n\n* {effect(pd.concat(tables))}\n" in text


def test_the_size_of_an_effect():
    assert relative([0.5, 2.0, 1.0], "seeds") == "+0.0 % (95 % interval -82.1 to +459.5 %, 3 seeds)"
    assert relative([0.9], "seeds") == "-10.0 % (from one alone, without an interval)"


def test_the_list_names_every_study_and_table():
    done = CliRunner().invoke(app, ["study", "list"])
    assert done.exit_code == 0
    for name, study in STUDIES.items():
        assert name in done.stdout
        assert all(part in done.stdout for part in study.parts)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["td-vs-classic", "--table", "9"], "study td-vs-classic: --table: unknown name '9'; valid: 1a, 1b"),
        (["td-vs-classic", "--stored"], "the store does not exist; without --stored, netplace creates it"),
    ],
)
def test_mistakes_are_told_in_a_sentence(words, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["study", *words])
    assert done.exit_code == 2
    assert sentence in done.stderr
    assert not list(tmp_path.rglob("report.md"))


def test_a_store_without_the_runs_is_told(tmp_path, monkeypatch):
    from netplace.runs.store import Store

    monkeypatch.chdir(tmp_path)
    with Store("empty.sqlite"):
        pass
    done = CliRunner().invoke(
        app, ["study", "td-vs-classic", "--table", "1a", "--stored", "--store", "empty.sqlite"]
    )
    assert done.exit_code == 2
    assert "empty.sqlite: 217 runs of the study are not stored" in done.stderr


def test_an_option_that_a_study_does_not_take_is_told():
    from dataclasses import replace

    study = replace(STUDIES["td-vs-classic"], options=())
    with pytest.raises(ValueError, match=r"takes no --sim-seeds, but 2 was given"):
        make_request(study, sim_seeds=2)


def test_all_tables_and_the_usual_ones():
    study = STUDIES["td-vs-classic"]
    assert make_request(study).parts == ("1a", "1b", "2")
    assert make_request(study, ["all"]).parts == tuple(study.parts)
    assert make_request(study, ["2", "1a"]).parts == ("1a", "2")


def test_the_test_follows_what_varies():
    rng = np.random.default_rng(1)
    low, high = rng.normal(10, 1, 50), rng.normal(12, 1, 50)
    assert p_value(low, high) < 1e-6
    assert p_value(low, rng.normal(10, 1, 50)) > 0.05
    assert p_value(low, [12.0]) < 1e-6
    assert p_value([12.0], low) == p_value(low, [12.0])
    assert p_value([1.0], [1.0]) == 1
    assert p_value([1.0], [2.0, 2.0]) == 0


def test_best_names_the_least_then_those_that_do_as_well():
    samples = {"a": [2.0, 2.1, 2.2, 2.3], "b": [1.0, 1.1, 1.2, 1.05], "c": [1.05, 1.1, 1.2], "d": [1.1]}
    assert best({name: samples[name] for name in "ab"}) == ["b"]  # p is 0.021
    assert best(samples) == ["b", "a", "c", "d"]  # as one of three tests it is 0.063
    samples = {name: sample * 3 for name, sample in samples.items()}
    assert best(samples) == ["b", "c", "d"]
    assert best({"a": [1.0], "b": [1.0005], "c": [1.01]}, tie=0.001) == ["a", "b"]
    assert spread([1.0, 3.0]) == (2.0, pytest.approx(2**0.5))
    assert spread([4.0]) == (4.0, 0.0)


def test_all_executes_every_study_and_names_those_that_fail(tmp_path, monkeypatch):
    chosen = {name: STUDIES[name] for name in ("redirection", "reality", "two-kinds")}
    monkeypatch.setattr("netplace.report.studies.STUDIES", chosen)
    monkeypatch.setenv("NETPLACE_SWF", str(tmp_path))
    done = CliRunner().invoke(app, ["study", "all", "-o", str(tmp_path / "all"), "--workers", "1"])
    assert done.exit_code == 2
    assert "study all: 1 of 3 were not made: redirection" in done.stderr
    assert [path.parent.name for path in (tmp_path / "all").rglob("report.md")] == ["two-kinds"]
