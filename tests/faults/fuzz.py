"""Inputs that no user should give, made from small good ones, and what netplace made of them.

``python fuzz.py FIRST COUNT`` tries the inputs FIRST to FIRST + COUNT - 1, each in a folder of its own, and
prints a line for each fault: a traceback, a warning, another exit code than 0 or 2, a sentence that is none,
a value echoed whole, a hang, more than 1 GB, a file half-written. Every input follows from its number, and
from which files there are, so ``python fuzz.py 1234 1 --show`` shows one again. They are tried in children of
this process, which has loaded everything once: one that crashes or hangs takes nothing else with it.
"""

import argparse
import json
import os
import re
import select
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from click.testing import CliRunner, Result
from files_to_spoil import COMMANDS, make_files
from flags_to_spoil import command_line
from limits import SlowError, limit_memory, say, stopped_after
from sealing import seal_anew, seal_rows, unseal
from spoiling import spoil

PATIENCE = 30  # seconds of an input
AT_ONCE = 40  # inputs of a child
LONGEST = 3200  # characters of a sentence
BINARY = ("npy", "npz", "parquet", "sqlite", "et", "calls", "lists", "bin", "otf2", "def", "evt")
SEALED = ("json", "sqlite")  # files with checksums
ROWS = "sched/rows.csv"  # whose digest stands in another file
_ECHOED = re.compile(r"(.)\1{400}")


@dataclass(frozen=True)
class Input:
    """One input: arguments of the command line, and what was done to which file."""

    number: int
    arguments: tuple[str, ...]
    file: str = ""
    how: tuple[str, ...] = ()


def make_input(number: int, folder: Path) -> Input:
    """Spoil one of the files of a folder, in two of three inputs, or the flags of a command line."""
    rng = np.random.default_rng([2029, number])
    if number % 3 == 2:
        return Input(number, tuple(command_line(rng)))
    names = [name for name in sorted(COMMANDS) if (folder / name).exists()]
    name = names[int(rng.integers(len(names)))]
    commands = COMMANDS[name]
    arguments = commands[int(rng.integers(len(commands)))]
    sealed = rng.random() < 0.7
    if name.endswith(SEALED) and sealed:
        return Input(number, tuple(arguments), name, (seal_anew(folder / name, rng),))
    if name.endswith("csv") and sealed:
        unseal(folder / name)
    content, how = spoil((folder / name).read_bytes(), rng, binary=name.endswith(BINARY))
    (folder / name).write_bytes(content)
    if name == ROWS and sealed:
        seal_rows(folder / name)
    return Input(number, tuple(arguments), name, how)


def fault_of(result: Result, heard: list[str], arguments: tuple[str, ...]) -> str | None:
    """Return what is wrong with how an input ended; None if nothing is."""
    error = result.exception
    if error is not None and not isinstance(error, SystemExit):
        place = traceback.extract_tb(error.__traceback__)[-1:]
        where = f" ({place[0].filename}:{place[0].lineno})" if place else ""
        return f"{type(error).__name__}: {error}{where}"
    if heard:
        return f"warning: {heard[0]}"
    allowed = (0, 1, 2) if arguments[:1] in (("table",), ("study",), ("check",), ("pss",)) else (0, 2)
    if result.exit_code not in allowed:
        return f"exit code {result.exit_code}"
    said = [line for line in result.stderr.splitlines() if line.strip()]
    if "Traceback" in result.output or any(len(line) > LONGEST for line in said):
        return "what was said is a traceback, or too long"
    if any(_ECHOED.search(line) for line in said):
        return "a value is echoed whole"
    if result.exit_code == 2 and not (said and said[-1].startswith("netplace: ") and len(said[-1]) > 20):
        return f"no sentence, but {said[-1:]}"
    if result.exit_code == 2 and "not enough memory" in said[-1]:
        return f"more than 1 GB: {said[-1]}"
    if (
        result.exit_code == 0
        and "--json" in arguments
        and "--help" not in arguments
        and "-h" not in arguments
    ):
        return _fault_of_json(result.stdout)
    return None


def _fault_of_json(text: str) -> str | None:
    def refuse(word: str) -> None:
        raise ValueError(word)

    try:
        json.loads(text, parse_constant=refuse)
    except ValueError as error:
        return f"no JSON: {error}"
    return None


def attempt(made: Input) -> tuple[Result | None, str | None]:
    """Try an input in this process and folder, and return how it ended and what is wrong with that."""
    from netplace.cli import app

    before = files_here()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with stopped_after(PATIENCE):
                result = CliRunner().invoke(app, list(made.arguments))
        except SlowError:
            return None, f"takes more than {PATIENCE} s"
    heard = [f"{one.category.__name__}: {one.message} ({one.filename}:{one.lineno})" for one in caught]
    fault = fault_of(result, heard, made.arguments) or _fault_of_files(
        files_here() - before, result.exit_code
    )
    return result, fault


def files_here() -> set[str]:
    """Return all files of this folder and those below, by path."""
    return {str(path) for path in Path().rglob("*") if path.is_file()}


def _fault_of_files(new: set[str], status: int) -> str | None:
    """Return what is wrong with files that an input has left: those under other names, and half results."""
    left = sorted(name for name in new if Path(name).name.startswith(".") or name.endswith((".tmp", ".part")))
    if left:
        return f"leaves {left}"
    kept = sorted(name for name in new if not Path(name).read_bytes().startswith(b"SQLite format 3"))
    if status == 2 and [name for name in kept if not name.endswith(("-wal", "-shm"))]:
        return f"a mistake that leaves {kept}"
    return None


def try_inputs(numbers: list[int], good: Path, place: Path, show: bool) -> None:
    """Try inputs one after the other, in folders of their own below a place, and say how each ended."""
    limit_memory()
    for number in numbers:
        folder = place / str(number)
        shutil.copytree(good, folder)
        os.chdir(folder)
        made = make_input(number, folder)
        say(f"TRIES {number} {json.dumps(made.arguments)}")
        begun = time.process_time()
        result, fault = attempt(made)
        if show and result is not None:
            say(f"{made}\n{result.exit_code}\n{result.output[-3000:]}")
            if result.exc_info and fault is not None:
                traceback.print_exception(*result.exc_info)
        if fault is not None:
            what = f"{made.file} {'+'.join(made.how)[:100]} {list(made.arguments)}"
            say(f"FAULT {number} {what[:700]}: {fault[:600]}".replace("\n", " "))
        status = "none" if result is None else result.exit_code
        say(f"TRIED {number} {status} {time.process_time() - begun:.2f}")
        os.chdir(place)
        if not show:
            shutil.rmtree(folder, ignore_errors=True)


def in_a_child(numbers: list[int], work: Callable[[list[int]], None]) -> tuple[list[str], list[int]]:
    """Try inputs in a child, and return the lines that it said and the inputs that it did not come to."""
    reading, writing = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(reading)
            os.dup2(writing, 1)
            work(numbers)
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(status)
    os.close(writing)
    text, ready = b"", True
    while ready:
        ready = bool(select.select([reading], [], [], 20 * PATIENCE)[0])
        part = os.read(reading, 1 << 16) if ready else b""
        text += part
        ready = bool(part)
    os.close(reading)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    lines = text.decode(errors="replace").splitlines()
    tried = {int(line.split()[1]) for line in lines if line.startswith("TRIED ")}
    left = [number for number in numbers if number not in tried]
    if left:
        last = [line for line in lines if line.startswith("TRIES ")][-1:]
        lines.append(f"FAULT {left[0]} {last}: the process ended with {status}, or said nothing for long")
    return lines, left[1:]


def summary(ended: list[list[str]]) -> str:
    """Return how many inputs ended how, and in what time, of numbers, exit codes and CPU seconds."""
    codes = Counter(status for _, status, _ in ended)
    slowest = max(ended, key=lambda words: float(words[2]), default=["none", "", "0"])
    seconds = sum(float(words[2]) for words in ended)
    return f"exit codes {dict(codes)}; {seconds:.0f} CPU s, most {slowest[2]} in {slowest[0]}"


def main() -> int:
    """Try the inputs that the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int, nargs="?", default=1)
    parser.add_argument("--show", action="store_true", help="show how each ended, and leave its folder")
    parser.add_argument("--soon", action="store_true", help="without files of results that take long to make")
    parser.add_argument("--good", type=Path, help="folder of the good files, made if it is not there")
    given = parser.parse_args()
    place = Path(tempfile.mkdtemp(prefix="netplace-fuzz-"))
    good = given.good or place / "good"
    if not good.is_dir():
        good.mkdir()
        make_files(good, results=not given.soon)
    good = good.absolute()
    waiting = list(range(given.first, given.first + given.count))
    lines: list[str] = []
    while waiting:
        now, waiting = waiting[:AT_ONCE], waiting[AT_ONCE:]
        said, left = in_a_child(now, lambda numbers: try_inputs(numbers, good, place, given.show))
        waiting = left + waiting
        lines += said
        for line in said:
            if given.show or line.startswith("FAULT "):
                say(line)
    if given.show:
        say(f"its files are in {place}")
    else:
        shutil.rmtree(place, ignore_errors=True)
    faults = sum(line.startswith("FAULT ") for line in lines)
    say(summary([line.split()[1:] for line in lines if line.startswith("TRIED ")]))
    say(f"DONE {given.count} {faults}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
