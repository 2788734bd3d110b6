"""``netplace plot``: bars relative to one of them."""

from __future__ import annotations

import pandas as pd
import pytest

from netplace.experiments.cli.plot import relative_times
from netplace.runs.tables import ENTRY, write_table

SAME = dict.fromkeys(ENTRY, "") | {"application": "bt", "tasks": 16}


def times(*rows) -> pd.DataFrame:
    made = [
        {**SAME, "network": network, "mapping": mapping, "count": 2, "missing": 0, "failed": 0, "mean": mean}
        | {"std": std, "min": 1, "max": 2}
        for network, mapping, mean, std in rows
    ]
    return pd.DataFrame(made)


TIMES = times(
    ("mesh:4x4", "consecutive", 200.0, 0.0),
    ("mesh:4x4", "random", 300.0, 30.0),
    ("torus:4x4", "consecutive", 100.0, 0.0),
    ("torus:4x4", "random", 110.0, float("nan")),
)


def test_bars_are_divided_by_those_of_one_column():
    means, deviations, label = relative_times(TIMES, "mapping", None)
    assert means["random"].to_dict() == {"mesh:4x4": 1.5, "torus:4x4": 1.1}
    assert means["consecutive"].tolist() == [1, 1]
    assert deviations["random"].to_dict() == {"mesh:4x4": 0.15, "torus:4x4": 0}
    assert label == "run time / mean of consecutive"
    means, _, _ = relative_times(TIMES, "network", "torus:4x4")
    assert means["mesh:4x4"].to_dict() == {"consecutive": 2, "random": pytest.approx(300 / 110)}
    means, _, label = relative_times(TIMES, "mapping", "none")
    assert means["random"].tolist() == [300, 110]
    assert label == "run time (cycles)"


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_a_picture_is_drawn(netplace, tmp_path, ending):
    write_table(TIMES, tmp_path / "t.csv")
    result = netplace("plot", tmp_path / "t.csv", "-o", tmp_path / f"bars.{ending}")
    assert result.exit_code == 0, result.stderr
    start = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[ending]
    assert (tmp_path / f"bars.{ending}").read_bytes().startswith(start)


@pytest.mark.parametrize(
    ("rows", "arguments", "words"),
    [
        (TIMES, ["--bars", "maping"], "did you mean mapping"),
        (TIMES, ["--normal", "randm"], "did you mean random"),
        (TIMES.iloc[1:], [], "--normal consecutive: has no run time for mesh:4x4"),
        (TIMES.assign(count=0), [], "the table has no run times"),
        (times(*((f"torus:{n}x2", "random", 1.0, 0.0) for n in range(2, 70))), [], "68 groups of bars"),
    ],
)
def test_a_mistake_is_one_sentence(netplace, tmp_path, rows, arguments, words):
    write_table(rows, tmp_path / "t.parquet")
    result = netplace("plot", tmp_path / "t.parquet", "-o", tmp_path / "bars.png", *arguments)
    assert result.exit_code == 2
    assert words in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "bars.png").exists()


def test_what_cannot_be_drawn_or_read(netplace, tmp_path):
    assert "ends in .png" in netplace("plot", "t.csv", "-o", tmp_path / "bars.txt").stderr
    assert "cannot be read" in netplace("plot", tmp_path / "no.csv", "-o", tmp_path / "bars.png").stderr
