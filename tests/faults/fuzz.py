"""Inputs that no user should give, made from small good ones, and what netplace made of them.

``python fuzz.py FIRST COUNT`` tries the inputs FIRST to FIRST + COUNT - 1 in this process, and prints a line
for each fault: a traceback, a warning, another exit code than 0 or 2, a sentence that is none, a hang. Every
input follows from its number alone, so ``python fuzz.py 1234 1 --show`` shows one again.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from click.testing import CliRunner, Result
from files_to_spoil import COMMANDS, make_files
from flags_to_spoil import command_line
from spoiling import spoil

ROOM = 1 << 30  # bytes that an input may take beyond what the program takes when it begins
PATIENCE = 60  # seconds of an input
LONGEST = 3200  # characters of a sentence


class SlowError(BaseException):
    """An input that takes too long; no Exception, so that nobody turns it into a sentence."""


@dataclass(frozen=True)
class Input:
    """One input: arguments of the command line, and what was done to which file."""

    number: int
    arguments: tuple[str, ...]
    file: str = ""
    how: tuple[str, ...] = ()


def make_input(number: int, good: Path, folder: Path) -> Input:
    """Write the files of an input into `folder`, and return it; two of three spoil a file, one the flags."""
    rng = np.random.default_rng([2026, number])
    for path in good.iterdir():
        shutil.copy(path, folder)
    if number % 3 == 2:
        return Input(number, tuple(command_line(rng)))
    names = sorted(COMMANDS)
    name = names[int(rng.integers(len(names)))]
    commands = COMMANDS[name]
    arguments = commands[int(rng.integers(len(commands)))]
    binary = name.endswith(("npy", "npz", "parquet", "sqlite"))
    content, how = spoil((folder / name).read_bytes(), rng, binary=binary)
    (folder / name).write_bytes(content)
    return Input(number, tuple(arguments), name, how)


def fault_of(result: Result, heard: list[str], arguments: tuple[str, ...]) -> str | None:
    """Return what is wrong with how an input ended; None if nothing is."""
    error = result.exception
    if error is not None and not isinstance(error, SystemExit):
        return f"{type(error).__name__}: {error}"
    if heard:
        return f"warning: {heard[0]}"
    allowed = (0, 1, 2) if arguments[:1] == ("table",) else (0, 2)
    if result.exit_code not in allowed:
        return f"exit code {result.exit_code}"
    said = [line for line in result.stderr.splitlines() if line.strip()]
    if "Traceback" in result.output or any(len(line) > LONGEST for line in said):
        return "what was said is a traceback, or too long"
    if result.exit_code == 2 and not (said and said[-1].startswith("netplace: ") and len(said[-1]) > 20):
        return f"no sentence, but {said[-1:]}"
    if result.exit_code == 0 and "--json" in arguments and "--help" not in arguments:
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
    """Try an input in this process, and return how it ended and what is wrong with that."""
    from netplace.cli import app

    def stop(*_: object) -> None:
        raise SlowError

    signal.signal(signal.SIGALRM, stop)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        signal.alarm(PATIENCE)
        try:
            result = CliRunner().invoke(app, list(made.arguments))
        except SlowError:
            return None, f"takes more than {PATIENCE} s"
        finally:
            signal.alarm(0)
    heard = [f"{one.category.__name__}: {one.message} ({one.filename}:{one.lineno})" for one in caught]
    return result, fault_of(result, heard, made.arguments)


def trials(first: int, count: int) -> Iterator[tuple[Input, Result | None, str | None]]:
    """Try inputs one after the other, each in a folder of its own."""
    home = Path.cwd()
    with tempfile.TemporaryDirectory() as place:
        good = Path(place) / "good"
        good.mkdir()
        make_files(good)
        limit_memory()
        for number in range(first, first + count):
            folder = Path(place) / str(number)
            folder.mkdir()
            made = make_input(number, good, folder)
            say(f"TRIES {number} {json.dumps(made.arguments)}")
            os.chdir(folder)
            try:
                yield made, *attempt(made)
            finally:
                os.chdir(home)
                shutil.rmtree(folder, ignore_errors=True)


def limit_memory() -> None:
    """Let this process have `ROOM` more than it has now."""
    with open("/proc/self/statm") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + ROOM, now + ROOM))


def main() -> int:
    """Try the inputs that the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int, nargs="?", default=1)
    parser.add_argument("--show", action="store_true", help="show how each ended")
    parser.add_argument("--keep", help="a folder in which to leave the files of the last input")
    given = parser.parse_args()
    faults = 0
    for made, result, fault in trials(given.first, given.count):
        if given.keep:
            shutil.copytree(Path.cwd(), given.keep, dirs_exist_ok=True)
        if given.show and result is not None:
            say(f"{made}\n{result.exit_code}\n{result.output[-3000:]}")
        if fault is not None:
            faults += 1
            what = f"{made.file} {'+'.join(made.how)} {list(made.arguments)}"
            say(f"FAULT {made.number} {what}: {fault[:600]}")
            if given.show and result is not None and result.exc_info:
                traceback.print_exception(*result.exc_info)
    say(f"DONE {given.count} {faults}")
    return 1 if faults else 0


def say(line: str) -> None:
    """Print a line at once: nobody knows whether this process lives to print another."""
    sys.stdout.write(ascii(line)[1:-1].replace("\\n", "\n") + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
