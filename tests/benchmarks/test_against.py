"""Two versions are measured in turn; how fast they are is not for the test suite to judge."""

import math
import shutil
import sys
from pathlib import Path

import pytest

from netplace import _native

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "speed"))
import against as measuring  # noqa: E402
from against import HEAD, PROGRAMS, TRAFFIC, Recorded, Traffic, _unpack, against  # noqa: E402

DOCUMENT = ROOT / "docs" / "background" / "kernel.md"


@pytest.fixture
def same_version(monkeypatch):
    """Let any commit be this version where it is, whose kernel is compiled."""

    def link(commit: str, folder: Path) -> None:
        shutil.copytree(ROOT / "netplace", folder / "netplace")
        for inner in ROOT.glob("*/__init__.py"):
            if inner.parent.name != "netplace":
                (folder / inner.parent.name).symlink_to(inner.parent)

    monkeypatch.setattr("against._unpack", link)
    monkeypatch.setattr(
        "against._build", lambda _, folder, python: shutil.copy(_native.__file__, folder / "netplace")
    )


def test_traffic_and_programs_are_measured(same_version, tmp_path):
    (tmp_path / "pair.trc").write_text("s 0 1 0 4096\nr 0 1 0 4096\n")
    deep = Traffic("torus:8x8", 0.5, 100, 200, {"queue_packets": 5}, "deep", small="torus:4x4")
    chosen = [deep, Recorded("program", str(tmp_path / "pair.trc"), "1")]
    found = list(against("any", None, chosen, repeats=3))
    assert [duel.row for duel in found] == chosen
    for duel in found:
        assert min(duel.before, duel.now, duel.ratio) > 0
    assert min(found[0].memory) >= 0
    assert found[0].line().startswith("| torus:8x8, deep | 0.5 | ")
    assert found[1].line().endswith(" |  |  |")


def test_the_table_is_renewed_in_place(tmp_path, monkeypatch):
    path = tmp_path / "kernel.md"
    path.write_text(f"above\n\n{HEAD}\n|---|\n| old | 1 |\n\nbelow\n")
    duel = measuring.Duel(Recorded("NPB LU", "LU.trc"), 1.0, 3.0, 3.0, (math.nan, math.nan))
    monkeypatch.setattr(measuring, "against", lambda *_: iter([duel]))
    monkeypatch.setattr(sys, "argv", ["against", "any", "--table", str(path)])
    measuring.main()
    rule = "|---|---|---|---|---|---|---|"
    assert path.read_text() == f"above\n\n{HEAD}\n{rule}\n| NPB LU |  | 1.0 | 3.0 | 3.00 |  |  |\n\nbelow\n"
    path.write_text("none")
    with pytest.raises(SystemExit, match="no table that begins with"):
        measuring.main()


def test_the_document_has_the_rows_in_their_order():
    table = DOCUMENT.read_text().partition(HEAD)[2].partition("\n\n")[0]
    names = [line.split("|")[1].strip() for line in table.split("\n")[2:]]
    assert names == [row.name for row in (*TRAFFIC, *PROGRAMS)]


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="other versions come out of git")
def test_a_commit_is_unpacked(tmp_path):
    _unpack("HEAD", tmp_path)
    assert (tmp_path / "netsim" / "kernel" / "loop.hpp").exists()


@pytest.mark.parametrize("commit", ["no-such-commit", "--output=x"])
def test_a_commit_that_is_none_is_a_sentence(commit, tmp_path):
    with pytest.raises(ValueError, match=f"'{commit}' is no commit"):
        _unpack(commit, tmp_path)
