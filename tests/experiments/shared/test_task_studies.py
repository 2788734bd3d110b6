"""Studies of tasks and power: small, from the command, and kept."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from netplace.experiments.local_backfilling.study import cases
from netplace.experiments.shared.archive_logs import FOLDER, MODEL, logs_of
from netplace.experiments.shared.statistics import front
from netplace.report.studies import STUDIES
from netplace.report.studies.study import make_request
from netplace.scheduling.workload import lublin, write

pytestmark = pytest.mark.all  # carries out a study


def test_two_kinds_stand_beside_the_measured_seconds(tmp_path, quick):
    quick("two-kinds", tmp_path / "study")
    frame = pd.read_csv(tmp_path / "study" / "workers.csv")
    assert frame["published"].tolist() == [543.28, 271.98, 266.69, 142.98]
    assert (frame[["greedy", "knapsack"]].min(axis=1) >= frame["no loss"]).all()
    assert (frame["knapsack"] <= 1.5 * frame["greedy"]).all()
    ratio = (frame["no loss"] / frame["published"]).tolist()
    assert ratio == pytest.approx([1.085, 0.867, 0.680, 1.031], abs=1e-3)  # of the printed workers
    assert frame[["CPUs", "GPUs"]].to_numpy().tolist() == [[1, 1], [1, 3], [1, 4], [4, 4]]
    assert len(pd.read_csv(tmp_path / "study" / "databases.csv")) == 14


def test_redirection_keeps_its_outcomes(tmp_path, monkeypatch, quick):
    monkeypatch.chdir(tmp_path)
    quick("redirection", tmp_path / "study")
    frame = pd.read_csv(tmp_path / "study" / "policies_windows_model.csv").set_index("policy")
    assert frame.loc["SPT", "sum_flow"] == 1
    assert frame.loc["SRPT", "sum_flow"] < 1
    assert (frame.loc[["SPT-RD", "GSPT-RD", "SPT-RR", "GSPT-RR"], "redirected"] > 0).all()
    first = (tmp_path / "study" / "report.md").read_text()
    quick("redirection", tmp_path / "study", "--stored")
    assert (tmp_path / "study" / "report.md").read_text() == first


def test_local_backfilling_on_the_model(tmp_path, monkeypatch, quick):
    monkeypatch.chdir(tmp_path)
    quick("local-backfilling", tmp_path / "study", "--table", "drawn")
    frame = pd.read_csv(tmp_path / "study" / "drawn_model.csv").set_index(["rule", "figure"])
    assert frame.loc[("loc", "locality_ratio"), "greatest"] < 1
    assert frame.loc[("cont", "contiguous_jobs"), "least"] > 1


def test_logs_of_the_folder_are_those_the_thesis_used(tmp_path, monkeypatch):
    write(lublin(60, 50, seed=3, load=0.8), tmp_path / "HPC2N-2002-2.2-cln.swf.gz")
    write(lublin(60, 50, seed=3, load=0.8), tmp_path / "other.swf.gz")
    monkeypatch.setenv(FOLDER, str(tmp_path))
    study = STUDIES["local-backfilling"]
    (log,) = logs_of(make_request(study))
    assert log.name == "HPC2N"
    assert len(log.read()) == 50
    (named,) = logs_of(make_request(study, logs=[f"{Path(log.path).name},weeks=2"]))
    assert (named.path, named.weeks) == (log.path, 2)
    assert [one.name for one in logs_of(make_request(study, quick=True))] == [MODEL]
    found = cases(make_request(STUDIES["local-backfilling"], ("weeks",)))
    assert len(found) == 30 * 8
    assert {case.platform for case in found} == {"1-2-10-240"}
    assert str(tmp_path) not in str(found[0].to_dict())
    other = str(tmp_path / "other.swf.gz")
    with pytest.raises(ValueError, match="level vector of its machine is not known, expected levels="):
        cases(make_request(STUDIES["local-backfilling"], ("weeks",), logs=(other,)))
    given = cases(
        make_request(STUDIES["local-backfilling"], ("weeks",), logs=(f"{other},levels=1-2-8-64,weeks=2",))
    )
    assert {(case.log.name, case.platform, case.weeks) for case in given} == {("other", "1-2-8-64", 2)}
    monkeypatch.setenv(FOLDER, str(tmp_path / "none"))
    with pytest.raises(ValueError, match="there is no such folder"):
        logs_of(make_request(study))
    (tmp_path / "none").mkdir()
    with pytest.raises(ValueError, match=r"has none of the logs of the study, expected files .* HPC2N"):
        logs_of(make_request(study))


def test_power_in_the_small(tmp_path, quick):
    quick("power", tmp_path / "study")
    known = pd.read_csv(tmp_path / "study" / "instances.csv").set_index(["instance", "quantity"])
    assert known.loc[("one pending", "energy"), ["published", "ours"]].tolist() == [248, 248]
    assert known.loc[("test 2", "energy"), ["published", "ours"]].tolist() == [4, 8]
    front = pd.read_csv(tmp_path / "study" / "front.csv").set_index("rule")
    assert front.loc["always-on", "energy %"] == 100
    assert (front["energy %"] >= front["hindsight %"] - 1e-6).all()
    assert front.loc["always-on", "front"] == "*"
    assert (pd.read_csv(tmp_path / "study" / "window.csv")["least"] >= 0).all()
    assert (tmp_path / "study" / "front.png").is_file()
    quick("power", tmp_path / "study", "--stored", "--table", "front")
    assert (
        pd.read_csv(tmp_path / "study" / "front.csv").set_index("rule")["energy %"].equals(front["energy %"])
    )


def test_points_on_the_front_are_beaten_by_none():
    points = np.random.default_rng(1).integers(0, 6, (40, 2)).tolist()
    beaten = [any(a <= c and b <= d and (a, b) != (c, d) for a, b in points) for c, d in points]
    cost, other = np.array(points, float).T
    assert (front(cost, other) == ~np.array(beaten)).all()
    assert 1 < (~np.array(beaten)).sum() < 40  # equal points are both on it
