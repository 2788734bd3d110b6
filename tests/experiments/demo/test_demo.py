"""The demonstration, on less."""

import pytest
from answers import csv_rows

from netplace.experiments.demo import runs as demo

pytestmark = pytest.mark.all  # carries out a study


def test_it_leaves_table_csv_and_picture(tmp_path, monkeypatch, netplace, sketches):
    monkeypatch.setattr(demo, "TRACES", ("LU.W.16",))
    monkeypatch.setattr(demo, "cores", lambda: 1)
    networks = {"torus:4x4": (2, ("consecutive", "classic", "td")), "tree:4,2": (2, ("consecutive",))}
    monkeypatch.setattr(demo, "NETWORKS", networks)
    shorter = demo.STUDY.replace('"LU.W.16"', '"lu,class=S,iterations=1"\ntasks = 16')
    monkeypatch.setattr(demo, "STUDY", shorter)
    shown = netplace("demo", "--seeds", 2, "--output", tmp_path / "out put")
    assert shown.exit_code == 0, shown.stderr
    assert "torus:4x4" in shown.stdout
    assert "tree:4,2" in shown.stdout
    rows = csv_rows(tmp_path / "out put" / "runs.csv")
    assert len(rows) == 2 * 4
    torus = [
        int(row["cycles"]) for row in rows if (row["network"], row["mapping"]) == ("torus:4x4", "consecutive")
    ]
    assert all(740_000 < cycles < 760_000 for cycles in torus)  # a consecutive LU.W.16 on a mesh of its shape
    assert (tmp_path / "out put" / "mappings.png").is_file()
    assert "mappings.png" in shown.stderr
    assert "best-known" in shown.stdout
    assert "td takes" in (tmp_path / "out put" / "report.html").read_text()
    assert (tmp_path / "out put" / "times.sqlite").is_file()
    assert (tmp_path / "out put" / "provenance.json").is_file()
    assert [path.name for path in tmp_path.iterdir()] == ["out put"]
