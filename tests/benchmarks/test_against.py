"""Two versions are measured in turn; how fast they are is not for the test suite to judge."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from netplace import _native

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "speed"))
from against import Contest, _unpack, against, contests  # noqa: E402


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
        "against._build", lambda _, folder: shutil.copy(_native.__file__, folder / "netplace")
    )


def test_traffic_and_programs_are_measured(same_version, tmp_path):
    (tmp_path / "pair.trc").write_text("s 0 1 0 4096\nr 0 1 0 4096\n")
    chosen = [
        Contest("traffic", ("saturated", "torus:4x4", "100", "200")),
        Contest("program", ("program", "torus:4x4", str(tmp_path / "pair.trc"), "1")),
    ]
    found = list(against("any", chosen, repeats=3))
    assert [duel.name for duel in found] == ["traffic", "program"]
    for duel in found:
        assert min(duel.before, duel.now, duel.ratio) > 0


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="other versions come out of git")
def test_a_commit_is_unpacked(tmp_path):
    _unpack("HEAD", tmp_path)
    assert (tmp_path / "netsim" / "kernel" / "loop.hpp").exists()


def test_recorded_programs_are_run_in_order_and_at_random():
    names = [contest.name for contest in contests("application")]
    assert names[:2] == [f"NPB LU, class A, torus:8x8, {mapping}" for mapping in ("consecutive", "random")]
    assert len(names) == 6


@pytest.mark.parametrize("commit", ["no-such-commit", "--output=x"])
def test_a_commit_that_is_none_is_a_sentence(commit, tmp_path):
    with pytest.raises(ValueError, match=f"'{commit}' is no commit"):
        _unpack(commit, tmp_path)
