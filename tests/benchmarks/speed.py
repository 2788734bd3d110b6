"""Measures a commit and this version in turn: ``speed.py [COMMIT] [--only REGEX]``.

Without a commit, this version is measured against itself, which shows the noise. A machine's speed changes
within minutes, and both sides' with it: figures of two runs cannot be compared, the median of ratios of
neighboring measurements can.
"""

from __future__ import annotations

import argparse
import io
import re
import runpy
import statistics
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from rows import ROOT, ROWS

HEAD = "| row | unit per CPU second | before | now | ratio | kB per node before | now |"


class Side:
    """A process that measures a row with one version."""

    def __init__(self, row: str, folder: Path | None) -> None:
        command = [
            sys.executable,
            str(Path(__file__).with_name("rows.py")),
            row,
            *map(str, [folder] if folder else []),
        ]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.memory = self._answer()

    def _answer(self) -> float:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self.end()
            raise ValueError("a version could not be measured; what it said is above")
        return float(line)

    def measure(self) -> float:
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return self._answer()

    def end(self) -> None:
        self._process.communicate()


def compare(row: str, before: Path | None, repeats: int) -> list[float]:
    """Return medians of both versions, the median of their ratios, and the kB per node of both."""
    with ExitStack() as stack:
        sides = [Side(row, folder) for folder in (before, None)]
        for side in sides:
            stack.callback(side.end)
        pairs = [[side.measure() for side in sides] for _ in range(repeats)]
    medians = [statistics.median(values) for values in zip(*pairs, strict=True)]
    return [*medians, statistics.median(now / old for old, now in pairs), *(side.memory for side in sides)]


def unpack(commit: str, folder: Path) -> None:
    """Write the files of a commit into a folder, and build its compiled part there."""
    git = ["git", "-C", str(ROOT)]
    asked = [*git, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{commit}}"]
    found = subprocess.run(asked, capture_output=True, text=True, check=False)
    if found.returncode:
        raise ValueError(f"{commit!r} is no commit of the repository in {ROOT}")
    packed = subprocess.run([*git, "archive", found.stdout.strip()], capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")


def build(folder: Path) -> None:
    """Build the compiled part of a version beside its Python code."""
    version = runpy.run_path(str(folder / "netplace" / "version.py"))["__version__"]
    tools = Path(sys.executable).parent
    settings = (f"-DPython_EXECUTABLE={sys.executable}", f"-DSKBUILD_PROJECT_VERSION_FULL={version}")
    make = f"-DCMAKE_MAKE_PROGRAM={tools / 'ninja'}"
    for words in (
        ("-S", folder, "-B", folder / "built", "-G", "Ninja", make, *settings),
        ("--build", folder / "built"),
    ):
        subprocess.run([tools / "cmake", *words], check=True, stdout=subprocess.DEVNULL)
    for module in (folder / "built").glob("_native.*"):
        module.rename(folder / "netplace" / module.name)


def main(arguments: Sequence[str]) -> None:
    """Print a row of the table for each row that is chosen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commit", nargs="?", help="what this version is measured against")
    parser.add_argument("--only", default="", metavar="REGEX", help="rows whose name has this in it")
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        before = Path(name) if given.commit else None
        if before:
            unpack(given.commit, before)
            build(before)
        print(HEAD, "|---" * (HEAD.count("|") - 1) + "|", sep="\n")
        for row, unit in ROWS:
            if re.search(given.only, row):
                *speeds, old, now = compare(row, before, given.repeats)
                kept = ["" if kb != kb else f"{kb:.2f}" for kb in (old, now)]
                print(
                    "|",
                    " | ".join([row, unit, *(f"{value:.4g}" for value in speeds), *kept]),
                    "|",
                    flush=True,
                )


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except ValueError as error:
        sys.exit(str(error))
