"""The demonstration, on less."""

from __future__ import annotations

import csv
import sys

from experiments import demo


def test_it_leaves_table_csv_and_picture(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(demo, "TRACES", ("LU.W.16",))
    monkeypatch.setattr(sys, "argv", ["demo", "--seeds", "2", "--output", str(tmp_path / "out put")])
    monkeypatch.setattr(demo.os, "cpu_count", lambda: 1)
    demo.main()
    shown = capsys.readouterr()
    assert "torus:4x4" in shown.out
    assert "tree:4,2" in shown.out
    with (tmp_path / "out put" / "runs.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * 6
    torus = [
        int(row["cycles"]) for row in rows if (row["network"], row["mapping"]) == ("torus:4x4", "consecutive")
    ]
    assert all(740_000 < cycles < 760_000 for cycles in torus)  # a consecutive LU.W.16 on a mesh of its shape
    assert (tmp_path / "out put" / "mappings.png").stat().st_size > 10_000
    assert "mappings.png" in shown.err
