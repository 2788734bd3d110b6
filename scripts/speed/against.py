"""A commit's version and this one measured in turn: the ratio tells what a change gained on a busy machine.

A machine's speed changes within minutes, and both sides' with it; figures of two runs cannot be compared, the
median of ratios of neighbouring measurements can.
"""

from __future__ import annotations

import argparse
import io
import runpy
import statistics
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from netplace.apps.carried import carried
from netplace.benchmarks.traffic import SATURATED

_ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Contest:
    """What both versions measure: its name, and the words of the order (see contestant.py)."""

    name: str
    order: tuple[str, ...]


@dataclass(frozen=True)
class Duel:
    """Medians of millions of packet-hops in a second of CPU time, and the median of the ratios."""

    name: str
    before: float
    now: float
    ratio: float


def _programs() -> list[Contest]:
    """Return runs of recorded programs, in order and at random."""
    made = []
    for name in ("LU", "CG", "FT"):
        for mapping, seed in (("consecutive", "none"), ("random", "1")):
            order = ("program", "torus:8x8", str(carried(f"{name}.A.64")), seed)
            made.append(Contest(f"NPB {name}, class A, torus:8x8, {mapping}", order))
    return made


def contests(name: str) -> list[Contest]:
    """Return the contests of a benchmark: ``"saturated"`` or ``"application"``."""
    if name == "application":
        return _programs()
    return [
        Contest(f"uniform traffic, saturated, {network}", ("saturated", network, str(warmup), str(cycles)))
        for network, (warmup, cycles, _) in SATURATED.items()
    ]


class _Side:
    """A process that measures one version."""

    def __init__(self, *folder: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("contestant.py")), *folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def tell(self, *words: str) -> None:
        """Tell it what to do next."""
        assert self._process.stdin is not None
        self._process.stdin.write("\t".join(words) + "\n")
        self._process.stdin.flush()

    def answer(self) -> str:
        """Wait for its answer."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise ValueError("against: a version could not be measured; what it said is above")
        return line.strip()

    def measure(self) -> float:
        """Return what it measures."""
        self.tell("measure")
        return float(self.answer())

    def end(self) -> None:
        """Let it end."""
        self._process.communicate()


def against(commit: str, chosen: Sequence[Contest], repeats: int) -> Iterator[Duel]:
    """Measure a commit of this repository and the installed version in turn."""
    with tempfile.TemporaryDirectory() as folder:
        _unpack(commit, Path(folder))
        _build(commit, Path(folder))
        sides = _Side(folder), _Side()
        try:
            for contest in chosen:
                yield _duel(contest, sides, repeats)
        finally:
            for side in sides:
                side.end()


def _duel(contest: Contest, sides: tuple[_Side, _Side], repeats: int) -> Duel:
    for side in sides:
        side.tell(*contest.order)
    for side in sides:
        side.answer()
    pairs = [(sides[0].measure(), sides[1].measure()) for _ in range(repeats)]
    before, now = (statistics.median(values) for values in zip(*pairs, strict=True))
    return Duel(contest.name, before, now, statistics.median(b / a for a, b in pairs))


def _unpack(commit: str, folder: Path) -> None:
    """Write the files of a commit into a folder."""
    git = ["git", "-C", str(_ROOT)]
    shown = subprocess.run(
        [*git, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{commit}}"],
        capture_output=True,
        text=True,
        check=False,
    )
    if shown.returncode:
        raise ValueError(f"{commit!r} is no commit of a repository in {_ROOT}")
    packed = subprocess.run([*git, "archive", shown.stdout.strip()], capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")


def _build(commit: str, folder: Path) -> None:
    """Build the compiled part of a commit beside its Python code."""
    if not (folder / "CMakeLists.txt").exists():
        raise ValueError(
            f"{commit}: has no compiled part in C++, and what compiled its kernel is not installed"
        )
    version = runpy.run_path(str(folder / "netplace" / "version.py"))["__version__"]
    built, tools = folder / "built", Path(sys.executable).parent
    settings = (f"-DPython_EXECUTABLE={sys.executable}", f"-DSKBUILD_PROJECT_VERSION_FULL={version}")
    make = f"-DCMAKE_MAKE_PROGRAM={tools / 'ninja'}"
    for words in (("-S", folder, "-B", built, "-G", "Ninja", make, *settings), ("--build", built)):
        subprocess.run([tools / "cmake", *words], check=True, stdout=subprocess.DEVNULL)
    for module in built.glob("_native.*"):
        module.rename(folder / "netplace" / module.name)


def main() -> None:
    """Measure and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commit", help="what this version is measured against")
    parser.add_argument("--only", choices=("saturated", "application"), help="one of the two benchmarks")
    parser.add_argument("--repeats", type=int, default=7)
    given = parser.parse_args()
    names = (given.only,) if given.only else ("saturated", "application")
    chosen = [contest for name in names for contest in contests(name)]
    try:
        for duel in against(given.commit, chosen, given.repeats):
            print(
                f"{duel.name}: {duel.before:.2f} then, {duel.now:.2f} now, ratio {duel.ratio:.2f}", flush=True
            )
    except ValueError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
