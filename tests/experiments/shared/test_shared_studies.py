"""Studies of shared machines: small, from the command, and kept."""

import numpy as np
import pandas as pd
import pytest

from netplace.experiments.pareto import front
from netplace.experiments.shared import shared_cases
from netplace.experiments.shared.shared_cases import SharedSize

pytestmark = pytest.mark.all  # carries out a study

TINY = SharedSize(jobs=4, seeds=2, repeats="1:1")


def test_a_shared_machine_under_a_table_and_live(tmp_path, monkeypatch, quick):
    monkeypatch.setattr(shared_cases, "QUICK", TINY)
    quick("shared-machine", tmp_path / "study", "--table", "torus")
    frame = pd.read_csv(tmp_path / "study" / "torus.csv")
    assert len(frame) == 8
    boxes = frame[frame["partition"] == "contiguous"]
    assert (boxes[["table / boxes", "live / boxes", "live / table"]] == 1).all(axis=None)
    assert (frame["slowdown"] > 0.9).all()
    first = (tmp_path / "study" / "report.md").read_text()
    quick("shared-machine", tmp_path / "study", "--table", "torus", "--stored")
    assert (tmp_path / "study" / "report.md").read_text() == first


def test_break_even_stands_beside_what_is_suffered(tmp_path, monkeypatch, quick):
    monkeypatch.setattr(shared_cases, "QUICK", TINY)
    quick("break-even-live", tmp_path / "study", "--table", "torus")
    frame = pd.read_csv(tmp_path / "study" / "break-even.csv").set_index("scattered")
    assert list(frame.index) == ["non-contiguous", "random"]
    assert frame["break-even %"].nunique() == 1  # the same jobs
    assert frame.loc["random", "suffered %"] > frame.loc["non-contiguous", "suffered %"] - 5


def test_points_on_the_front_are_beaten_by_none(tmp_path, monkeypatch, quick):
    monkeypatch.setattr(shared_cases, "QUICK", TINY)
    quick("pareto", tmp_path / "study", "--table", "torus")
    frame = pd.read_csv(tmp_path / "study" / "torus.csv")
    best = frame["front"].eq("*")
    assert best.any()
    for _, row in frame[~best].iterrows():
        beaten = (frame["wait µs"] <= row["wait µs"]) & (frame["slowdown"] <= row["slowdown"])
        assert beaten[best].any()


def test_equal_points_are_both_on_the_front():
    assert front(np.array([1.0, 1.0]), np.array([2.0, 2.0])).all()
