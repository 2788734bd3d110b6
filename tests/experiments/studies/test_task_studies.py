"""Studies of backfilling with places, redirection and two kinds of workers: small, from the command."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from netplace.experiments.cli import app
from netplace.experiments.studies import STUDIES
from netplace.experiments.studies.archive_logs import FOLDER, MODEL, archive_logs
from netplace.experiments.studies.claims import verdict
from netplace.experiments.studies.local_backfilling import cases
from netplace.experiments.studies.study import ask
from netplace.scheduling.workload import lublin, write


def run(name, folder, *more):
    words = ["study", name, "--quick", "--workers", "1", "-o", str(folder), *more]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    return done


def test_two_kinds_stand_beside_the_measured_seconds(tmp_path):
    run("two-kinds", tmp_path / "study")
    frame = pd.read_csv(tmp_path / "study" / "workers.csv")
    assert frame["published"].tolist() == [543.28, 271.98, 266.69, 142.98]
    assert (frame[["greedy", "knapsack"]].min(axis=1) >= frame["no loss"]).all()
    assert (frame["knapsack"] <= 1.5 * frame["greedy"]).all()
    assert len(pd.read_csv(tmp_path / "study" / "databases.csv")) == 14


def test_redirection_keeps_its_outcomes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run("redirection", tmp_path / "study")
    frame = pd.read_csv(tmp_path / "study" / "policies_model.csv").set_index("policy")
    assert frame.loc["SPT", "sum_flow"] == 1
    assert frame.loc["SRPT", "sum_flow"] < 1
    assert (frame.loc[["SPT-RD", "GSPT-RD", "SPT-RR", "GSPT-RR"], "redirected"] > 0).all()
    first = (tmp_path / "study" / "report.md").read_text()
    run("redirection", tmp_path / "study", "--stored")
    assert (tmp_path / "study" / "report.md").read_text() == first


def test_local_backfilling_on_the_model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run("local-backfilling", tmp_path / "study", "--table", "drawn")
    frame = pd.read_csv(tmp_path / "study" / "drawn_model.csv").set_index(["rule", "figure"])
    assert frame.loc[("loc", "locality_ratio"), "greatest"] < 1
    assert frame.loc[("cont", "contiguous_jobs"), "least"] > 1
    claims = pd.read_csv(tmp_path / "study" / "claims_drawn.csv")
    assert set(claims["verdict"]) <= {"held", "not held", "not tried"}
    assert len(claims) == 10


def test_logs_of_the_folder_are_those_the_thesis_used(tmp_path, monkeypatch):
    write(lublin(60, 50, seed=3, load=0.8), tmp_path / "HPC2N-2002-2.2-cln.swf.gz")
    write(lublin(60, 50, seed=3, load=0.8), tmp_path / "other.swf.gz")
    monkeypatch.setenv(FOLDER, str(tmp_path))
    (log,) = archive_logs(False)
    assert log.name == "HPC2N"
    assert len(log.read()) == 50
    assert [one.name for one in archive_logs(True)] == [MODEL]
    found = cases(ask(STUDIES["local-backfilling"], ("weeks",)))
    assert len(found) == 30 * 8
    assert {case.platform for case in found} == {"1-2-10-240"}
    assert str(tmp_path) not in str(found[0].describe())
    monkeypatch.setenv(FOLDER, str(tmp_path / "none"))
    with pytest.raises(ValueError, match="there is no such folder"):
        archive_logs(False)


@pytest.mark.parametrize(
    ("relation", "expected"),
    [
        ("below", ("held", 3, 1)),
        ("above", ("not held", 1, 3)),
        ("at or below", ("held", 3, 1)),
        ("like", ("not held", 3, 1)),
        ("lowest of", ("held", 3, 1)),
        ("highest of", ("not held", 1, 3)),
    ],
)
def test_verdicts(relation, expected):
    figures = {"a": np.array([1.0, 2, 3, 4]), "b": np.array([2.0, 3, 4, 3])}
    assert verdict(relation, ["a"], ["b"], figures) == expected
