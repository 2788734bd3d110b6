"""``netplace plot``: bars relative to one of them."""

import pandas as pd
import pytest
from answers import refused

from netplace.cli.plot import relative_times
from netplace.cli.table import load_frame
from netplace.runs.tables import ENTRY, times_of, write_table

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
    found = relative_times(TIMES, "mapping", None)
    assert found.mean["random"].to_dict() == {"mesh:4x4": 1.5, "torus:4x4": 1.1}
    assert found.mean["consecutive"].tolist() == [1, 1]
    assert found.std["random"].to_dict() == {"mesh:4x4": 0.15, "torus:4x4": 0}
    assert found.unit == "run time / mean of consecutive"
    by_network = relative_times(TIMES, "network", "torus:4x4")
    assert by_network.mean["mesh:4x4"].to_dict() == {"consecutive": 2, "random": pytest.approx(300 / 110)}
    found = relative_times(TIMES, "mapping", "none")
    assert found.mean["random"].tolist() == [300, 110]
    assert found.unit == "run time (cycles)"


def test_partitions_are_divided_by_the_same_time():
    scattered = TIMES.assign(partition="random", mean=TIMES["mean"] * 2)
    found = relative_times(pd.concat([TIMES.assign(partition="boxes"), scattered]), "mapping", None)
    assert found.mean["consecutive"].tolist() == [1, 1, 2, 2]
    assert found.mean["random"].tolist() == [1.5, 1.1, 3, 2.2]
    assert found.unit == "run time / mean of consecutive in boxes"


def test_bars_keep_the_order_of_the_file_and_failed_ones_their_place():
    turned = TIMES.iloc[::-1].reset_index(drop=True)
    turned.loc[0, ["count", "failed", "mean", "std"]] = [0, 2, float("nan"), float("nan")]
    found = relative_times(turned, "mapping", "consecutive")
    assert found.mean.index.tolist() == ["torus:4x4", "mesh:4x4"]
    assert found.mean.columns.tolist() == ["random", "consecutive"]
    assert found.failed["random"].tolist() == [2, 0]
    assert found.count["random"].tolist() == [0, 2]


SWEEP = """network = ["torus:4x4", "mesh:4x4"]
app = "butterfly"
tasks = 16
mapping = ["random", "consecutive"]
seeds = 2
"""


def test_bars_of_a_sweep_are_in_the_order_of_its_file(netplace, tmp_path):
    (tmp_path / "s.toml").write_text(SWEEP)
    assert netplace("table", tmp_path / "s.toml", "--workers", 1).exit_code == 0
    found = relative_times(times_of(load_frame(tmp_path / "s.toml"), "s"), "mapping", None)
    assert found.mean.columns.tolist() == ["random", "consecutive"]
    assert found.mean.index.tolist() == ["torus:4x4", "mesh:4x4"]


@pytest.mark.all
@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
@pytest.mark.pictures
def test_a_picture_is_drawn(netplace, tmp_path, ending):
    write_table(TIMES, tmp_path / "t.csv")
    result = netplace("plot", tmp_path / "t.csv", "-o", tmp_path / f"bars.{ending}")
    assert result.exit_code == 0, result.stderr
    start = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[ending]
    assert (tmp_path / f"bars.{ending}").read_bytes().startswith(start)


@pytest.mark.pictures
def test_vector_pictures_hold_text_and_real_fonts(netplace, tmp_path):
    write_table(TIMES, tmp_path / "t.csv")
    for ending in ("svg", "pdf"):
        assert (
            netplace("plot", tmp_path / "t.csv", "-o", tmp_path / f"bars.{ending}", "--column").exit_code == 0
        )
    assert "run time by mapping" in (tmp_path / "bars.svg").read_text(encoding="utf-8")
    assert b"/Type3" not in (tmp_path / "bars.pdf").read_bytes()


@pytest.mark.parametrize(
    ("rows", "arguments", "words"),
    [
        (TIMES.iloc[1:], [], "--normal consecutive: has no run time for mesh:4x4"),
        (times(*((f"torus:{n}x2", "random", 1.0, 0.0) for n in range(2, 70))), [], "68 groups of bars"),
    ],
)
def test_a_mistake_is_one_sentence(netplace, tmp_path, rows, arguments, words):
    write_table(rows, tmp_path / "t.parquet")
    refused(netplace("plot", tmp_path / "t.parquet", "-o", tmp_path / "bars.png", *arguments), words)
    assert not (tmp_path / "bars.png").exists()


def test_what_cannot_be_drawn_or_read(netplace, tmp_path):
    assert "ends in .png" in netplace("plot", "t.csv", "-o", tmp_path / "bars.txt").stderr
    assert "cannot be read" in netplace("plot", tmp_path / "no.csv", "-o", tmp_path / "bars.png").stderr
