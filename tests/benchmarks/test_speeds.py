"""The table of speeds is renewed in place; how fast the kernel is, is not for the test suite to judge."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from netplace.benchmarks import speeds
from netplace.benchmarks.figure import figure

DOCUMENT = Path(__file__).parents[2] / "docs" / "background" / "kernel.md"


def test_the_table_is_renewed_in_place(tmp_path, monkeypatch):
    path = tmp_path / "kernel.md"
    path.write_text(f"above\n\n{speeds._HEAD}\n|---|---|---|---|\n| old | 1 | 2 | |\n\nbelow\n")
    rows = (("torus:4x4", {"queue_packets": 5}, "deep", 0.5, 100, 200), ("torus:32x32", {}, "", 1.0, 50, 50))
    monkeypatch.setattr(speeds, "ROWS", rows)
    monkeypatch.setattr(speeds, "application", lambda quick: iter([figure("NPB LU", "", [1.0])]))
    monkeypatch.setattr(sys, "argv", ["speeds", str(path)])
    speeds.main()
    above, head, _, deep, wide, program, _, below = (
        path.read_text().split("\n")[0:1] + path.read_text().split("\n")[2:9]
    )
    assert (above, head, below) == ("above", speeds._HEAD, "below")
    assert deep.startswith("| torus:4x4, deep | 0.5 | ")
    assert deep.endswith(" |  |")
    assert float(wide.split("|")[4]) > 0
    assert program == "| NPB LU | | 1.0 | |"


def test_the_document_has_the_rows_in_their_order():
    table = DOCUMENT.read_text().partition(speeds._HEAD)[2].partition("\n\n")[0]
    names = [f"{network}{', ' * bool(note)}{note}" for network, _, note, *_ in speeds.ROWS]
    assert [line.split("|")[1].strip() for line in table.split("\n")[2:]][: len(names)] == names


def test_a_document_without_a_table_is_told(tmp_path, monkeypatch):
    (tmp_path / "other.md").write_text("none")
    monkeypatch.setattr(sys, "argv", ["speeds", str(tmp_path / "other.md")])
    with pytest.raises(SystemExit, match="no table that begins with"):
        speeds.main()
