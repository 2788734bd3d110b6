"""Two versions are measured in turn; how fast they are is not for the test suite to judge."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from netplace.benchmarks.against import Contest, _unpack, against, contests

ROOT = Path(__file__).parents[2]


@pytest.fixture
def same_version(monkeypatch):
    """Let any commit be this version where it is, whose kernel is compiled."""

    def link(commit: str, folder: Path) -> None:
        shutil.copytree(ROOT / "netplace", folder / "netplace")
        for inner in ROOT.glob("*/__init__.py"):
            if inner.parent.name != "netplace":
                (folder / inner.parent.name).symlink_to(inner.parent)

    monkeypatch.setattr("netplace.benchmarks.against._unpack", link)


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


def test_the_command_prints_ratios(netplace, monkeypatch, same_version):
    monkeypatch.setattr("netplace.benchmarks.against.SATURATED", {"torus:4x4": (50, 50, 8.0)})
    flags = ("--quick", "--only", "saturated", "--against", "any")
    [row] = json.loads(netplace("bench", *flags, "--json").stdout)["rows"]
    assert row["name"] == "uniform traffic, saturated, torus:4x4"
    assert row["ratio"] > 0
    assert "this version" in netplace("bench", *flags).stdout


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="other versions come out of git")
def test_a_commit_is_unpacked(tmp_path):
    _unpack("HEAD", tmp_path)
    assert (tmp_path / "netsim" / "kernel" / "loop.py").exists()


def test_recorded_programs_are_run_in_order_and_at_random():
    names = [contest.name for contest in contests("application")]
    assert names[:2] == [f"NPB LU, class A, torus:8x8, {mapping}" for mapping in ("consecutive", "random")]
    assert len(names) == 6


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--against", "no-such-commit"), "--against: 'no-such-commit' is no commit"),
        (("--against", "--output=x"), "--against: '--output=x' is no commit"),
        (("--against", "HEAD", "--only", "memory"), "--only: unknown name 'memory'"),
        (("mapping", "--against", "HEAD"), "--against: is an option of netplace bench speed"),
    ],
    ids=["commit", "option", "benchmark", "mapping"],
)
def test_a_mistake_is_one_sentence(netplace, arguments, words):
    shown = netplace("bench", *arguments)
    assert shown.exit_code == 2
    assert words in shown.stderr
