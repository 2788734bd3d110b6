"""A commit's version and this one measured in turn: the ratio tells what a change gained on a busy machine.

A machine's speed changes within minutes, and both sides' with it; figures of two runs cannot be compared, the
median of ratios of neighbouring measurements can.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import runpy
import statistics
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from netplace.apps.carried import carried
from netplace.checks.writing import write_atomically

_ROOT = Path(__file__).parents[2]
_FULL, _LOW = 1.0, 0.2
_UGAL = {"routing": "ugal-l", "vcs": 3}


@dataclass(frozen=True)
class Traffic:
    """Uniform traffic on a network, of `offered` phits per node and cycle."""

    network: str
    offered: float
    warmup: int  # cycles
    cycles: int  # of a repeat
    settings: dict[str, object] | None = None
    note: str = ""
    small: str = ""  # a network of the same kind: with it, the memory per node is measured, too

    @property
    def name(self) -> str:
        """As a row of the table is called."""
        return f"{self.network}{', ' * bool(self.note)}{self.note}"

    @property
    def order(self) -> tuple[str, ...]:
        """What contestant.py is told."""
        numbers = (self.offered, self.warmup, self.cycles)
        return ("traffic", self.network, json.dumps(self.settings or {}), *map(str, numbers), self.small)


@dataclass(frozen=True)
class Recorded:
    """A run of a recorded program on torus:8x8, in order or (with a seed) at random."""

    name: str
    path: str
    seed: str = "none"
    offered: None = None

    @property
    def order(self) -> tuple[str, ...]:
        """What contestant.py is told."""
        return ("program", "torus:8x8", self.path, self.seed)


TRAFFIC = (
    Traffic("torus:8x8", _FULL, 5_000, 40_000),
    Traffic("torus:8x8", _LOW, 5_000, 100_000),
    Traffic("torus:16x16x16", _FULL, 1_500, 800, small="torus:4x4x4"),
    Traffic("torus:16x16x16", _LOW, 1_500, 2_000, small="torus:4x4x4"),
    Traffic("torus:32x32x32", _FULL, 1_000, 100, small="torus:4x4x4"),
    Traffic("torus:64x64x64", _FULL, 400, 12, small="torus:4x4x4"),
    Traffic("torus:8x8x8x8x8", _FULL, 400, 60, small="torus:4x4x4x4x4"),
    Traffic("tree:4,6", _FULL, 600, 200, small="tree:4,3"),
    Traffic("tree:4,6", _LOW, 600, 400, small="tree:4,3"),
    Traffic("tree:4,8", _FULL, 400, 15, small="tree:4,3"),
    Traffic("thintree:4,2,6", _FULL, 1_500, 800, small="thintree:4,2,3"),
    Traffic("dragonfly:a=8,p=4,h=4", _FULL, 1_000, 2_000, _UGAL, "`ugal-l`", "dragonfly:a=4,p=2,h=2"),
    Traffic("dragonfly:a=14,p=7,h=7", _FULL, 1_000, 200, _UGAL, "`ugal-l`", "dragonfly:a=4,p=2,h=2"),
    Traffic(
        "dragonfly:a=14,p=7,h=7",
        _FULL,
        1_000,
        200,
        {"routing": "minimal"},
        "`minimal`",
        "dragonfly:a=4,p=2,h=2",
    ),
    Traffic("torus:8x8", _FULL, 5_000, 40_000, {"queue_packets": 5}, "five packets in a FIFO"),
    Traffic("torus:8x8", _FULL, 5_000, 40_000, {"injectors": 2}, "two injectors"),
    Traffic("torus:8x8", _LOW, 5_000, 100_000, {"routing": "adaptive"}, "`--routing adaptive`"),
    Traffic("torus:8x8x8", _LOW, 2_000, 10_000, {"routing": "adaptive"}, "`--routing adaptive`"),
)
PROGRAMS = tuple(
    Recorded(f"NPB {name}, class A, torus:8x8, {mapping}", str(carried(f"{name}.A.64")), seed)
    for name in ("LU", "CG", "FT")
    for mapping, seed in (("consecutive", "none"), ("random", "1"))
)
Row = Traffic | Recorded


@dataclass(frozen=True)
class Duel:
    """Medians of M packet-hops per second of CPU time, the median of their ratios, and kB per node."""

    row: Row
    before: float
    now: float
    ratio: float
    memory: tuple[float, float]  # NaN where it is not measured

    def line(self) -> str:
        """Return the row of the table."""
        offered = "" if self.row.offered is None else f"{self.row.offered:g}"
        kept = ["" if kb != kb else f"{kb:.2f}" for kb in self.memory]
        speeds = f"{self.before:.1f} | {self.now:.1f} | {self.ratio:.2f}"
        return f"| {self.row.name} | {offered} | {speeds} | {kept[0]} | {kept[1]} |"


HEAD = "| network | offered | M packet-hops/s before | now | ratio | kB per node before | now |"


class _Side:
    """A process that measures one version."""

    def __init__(self, python: str, *folder: str) -> None:
        self._process = subprocess.Popen(
            [python, str(Path(__file__).with_name("contestant.py")), *folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def tell(self, *words: str) -> None:
        """Tell it what to do next."""
        assert self._process.stdin is not None
        self._process.stdin.write("\t".join(words) + "\n")
        self._process.stdin.flush()

    def answer(self) -> float:
        """Wait for its answer."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise ValueError("against: a version could not be measured; what it said is above")
        return float(line)

    def measure(self) -> float:
        """Return what it measures."""
        self.tell("measure")
        return self.answer()

    def end(self) -> None:
        """Let it end."""
        self._process.communicate()


def against(commit: str, python: str | None, chosen: Sequence[Row], repeats: int) -> Iterator[Duel]:
    """Measure a commit of this repository, run by `python`, and the installed version in turn."""
    with tempfile.TemporaryDirectory() as folder:
        _unpack(commit, Path(folder))
        _build(commit, Path(folder), python)
        before, now = (python or sys.executable, folder), (sys.executable,)
        for row in chosen:
            if not (Path(folder) / "CMakeLists.txt").exists():  # compiles its kernel when that is first used
                first = _Side(*before)
                first.tell(*row.order)
                first.end()
            yield _duel(row, (before, now), repeats)


def _duel(row: Row, versions: Sequence[tuple[str, ...]], repeats: int) -> Duel:
    with ExitStack() as stack:
        sides = [_Side(*version) for version in versions]
        for side in sides:
            stack.callback(side.end)
            side.tell(*row.order)
        memory = (sides[0].answer(), sides[1].answer())
        pairs = [(sides[0].measure(), sides[1].measure()) for _ in range(repeats)]
    before, now = (statistics.median(values) for values in zip(*pairs, strict=True))
    return Duel(row, before, now, statistics.median(b / a for a, b in pairs), memory)


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


def _build(commit: str, folder: Path, python: str | None) -> None:
    """Build the compiled part of a commit, if it has one, beside its Python code."""
    if not (folder / "CMakeLists.txt").exists():
        if python is None:
            raise ValueError(
                f"{commit}: its kernel is not C++; name a Python that has what compiled it with --python"
            )
        return
    version = runpy.run_path(str(folder / "netplace" / "version.py"))["__version__"]
    built, tools = folder / "built", Path(sys.executable).parent
    settings = (f"-DPython_EXECUTABLE={sys.executable}", f"-DSKBUILD_PROJECT_VERSION_FULL={version}")
    make = f"-DCMAKE_MAKE_PROGRAM={tools / 'ninja'}"
    for words in (("-S", folder, "-B", built, "-G", "Ninja", make, *settings), ("--build", built)):
        subprocess.run([tools / "cmake", *words], check=True, stdout=subprocess.DEVNULL)
    for module in built.glob("_native.*"):
        module.rename(folder / "netplace" / module.name)


def _renew(path: Path, duels: Iterator[Duel]) -> None:
    """Replace the table in a document."""
    above, head, rest = path.read_text(encoding="utf-8").partition(HEAD)
    if not head:
        raise ValueError(f"{path}: no table that begins with {HEAD}")
    rule = "|" + "---|" * (HEAD.count("|") - 1)
    lines = [HEAD, rule]
    for duel in duels:
        lines.append(duel.line())
        print(lines[-1], flush=True)
    write_atomically(path, f"{above}{chr(10).join(lines)}\n\n{rest.partition(chr(10) * 2)[2]}")


def main() -> None:
    """Measure and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commit", help="what this version is measured against")
    parser.add_argument("--only", default="", metavar="REGEX", help="rows whose name has this in it")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--python", help="what runs the commit, if it needs other packages")
    parser.add_argument("--table", type=Path, metavar="FILE", help="a document whose table is renewed")
    given = parser.parse_args()
    chosen = [row for row in (*TRAFFIC, *PROGRAMS) if re.search(given.only, row.name)]
    duels = against(given.commit, given.python, chosen, given.repeats)
    try:
        if given.table is not None:
            _renew(given.table, duels)
            return
        print(HEAD)
        for duel in duels:
            print(duel.line(), flush=True)
    except ValueError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
