"""Calls of the public API with arguments that no user should give, and what came of them.

``python calls.py FIRST COUNT`` makes the calls FIRST to FIRST + COUNT - 1 in this process and prints a line
for each fault: an error that is not a sentence of ours, a warning, a call without end. Every call follows
from its number alone, so ``python calls.py 1234 1 --show`` makes one again. A crash ends the list.
"""

import argparse
import ast
import faulthandler
import inspect
import os
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from calls_of_everything import make_any_call, pool
from calls_that_work import Call, calls, harmless
from limits import SlowError, limit_memory, say, stopped_after

from netplace.checks.calls import ArgumentError

PATIENCE = 40  # seconds of a call
BAD: tuple[Any, ...] = (
    None, True, False, -1, 0, 1, 2, 3, 7, 64, 2**31 - 1, 2**31, 2**60, 2**62, 2**63, 2**64, -(2**63), 10**30,
    0.0, 0.5, 2.5, -1.0, 1e308, -1e308, 1e-320, float("nan"), float("inf"), -float("inf"), 1j,
    "", "4", "x", "torus:4x4", "torus:0", "nope", "random", "a" * 5000, "\0", "[/x]", "../..", "é",
    b"", b"4", (), (1,), (1, 2), (4, 4), (-1, -1), (0,), (2**40,), ("a",), (None,), ((1, 2), (3,)), [], [0],
    [[]], [1, 1], [0.5], [float("nan")], ["4"], {}, {"a": 1}, {1: 2}, {0: "nodes:0-3"}, set(), object(), bool,
    int, np.int8(-1), np.int64(3), np.uint64(2**64 - 1), np.float32("nan"), np.bool_(True), np.array(3),
    np.zeros(0), np.zeros(3), np.zeros((2, 2)), np.arange(4), np.arange(16), -np.arange(16),
    np.arange(16) * 2**40, np.full(16, np.nan), np.array(["a"]), np.array([None]), np.zeros((2, 3, 4), int),
    np.full(16, 2**63, np.uint64), np.zeros(16, bool), np.ones((16, 16)), np.full((16, 16), -1),
    np.datetime64("2020-01-01"), range(4), range(0), slice(3), np.random.default_rng(0), Path("nope"),
    lambda *_: None, lambda *_: "x", lambda *_: -1,
)  # fmt: skip


def make_call(number: int, known: dict[str, Callable[[], Call]]) -> tuple[str, Call]:
    """Return a call by its number: one that works, with one or two arguments spoilt."""
    rng = np.random.default_rng([2027, number])
    name = sorted(known)[int(rng.integers(len(known)))]
    call = known[name]()
    for argument in rng.permutation(sorted(call.arguments))[: int(rng.integers(1, 3))]:
        call.arguments[str(argument)] = spoilt(call.arguments[str(argument)], rng)
    return name, call


def spoilt(value: Any, rng: np.random.Generator) -> Any:
    """Return something else in place of `value`; of an array one number may be another."""
    if isinstance(value, np.ndarray) and value.size and rng.random() < 0.7:
        return _spoilt_array(value.copy(), rng)
    return BAD[int(rng.integers(len(BAD)))]


def _spoilt_array(value: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    how = int(rng.integers(6))
    if how == 0:
        return value[:-1]
    if how == 1:
        return value.astype(rng.choice(["float64", "uint64", "int8", "object", "str", "complex128"]))
    if how == 2:
        return value[None]
    if how == 3:
        return np.concatenate([value, value])
    with np.errstate(all="ignore"):
        number = rng.choice([-(2**63), -(2**31), -2, -1, 0, 1, 5, 15, 16, 99, 2**31 - 1, 2**62, 2**63 - 1])
        value.flat[int(rng.integers(value.size))] = number.astype(value.dtype)
    return value


def fault_of(error: BaseException) -> str | None:
    """Return what is wrong with an error; None if it is a sentence of ours."""
    from netplace.netsim import SimulationError

    known = (ValueError, TypeError, SimulationError, OSError, LookupError)
    text = str(error)
    what = f"{type(error).__name__}: {text[:300]}"
    frames = traceback.extract_tb(error.__traceback__)
    if isinstance(error, AssertionError) and frames and "/testing/" in frames[-1].filename:
        return None  # what a rule is found to lack
    if not isinstance(error, known) or isinstance(error, KeyError | IndexError):
        return what
    if not frames or isinstance(error, OSError):
        return None
    if Path(frames[-1].filename) == Path(__file__) and "argument" in text:
        return None  # Python's own sentence on the number of arguments
    last = frames[-1]
    if len(text) < 12 or len(text) > 3000:
        return f"no sentence: {what}"
    if isinstance(error, ArgumentError):
        return None  # a sentence of netplace's own, whoever passed it on
    if "netplace" not in last.filename and not _ours(last.filename):
        return f"{what} (at {last.filename}:{last.lineno})"
    if last.lineno is None or not any(a <= last.lineno <= b for a, b in _raises(last.filename)):
        return f"{what} (at {last.filename}:{last.lineno})"
    return None


def _ours(filename: str) -> bool:
    import netplace.checks

    return Path(filename).is_relative_to(Path(netplace.checks.__file__).resolve().parent.parent)


@cache
def _raises(filename: str) -> list[tuple[int, int]]:
    """Return first and last line of every raise statement of a file."""
    tree = ast.parse(Path(filename).read_text())
    return [(one.lineno, one.end_lineno or 0) for one in ast.walk(tree) if isinstance(one, ast.Raise)]


def attempt(call: Call) -> tuple[BaseException | None, str | None]:
    """Make a call, and return its error and what is wrong with how it ended."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with stopped_after(PATIENCE):
                result = call.function(**call.arguments)
                if inspect.isgenerator(result):
                    list(result)
        except SlowError:
            return None, f"takes more than {PATIENCE} s"
        except Exception as error:
            return error, fault_of(error)
    heard = [f"{one.category.__name__}: {one.message} ({one.filename}:{one.lineno})" for one in caught]
    return None, f"warning: {heard[0]}" if heard else None


def trials(
    first: int, count: int, only: str = "", every: bool = False
) -> Iterator[tuple[int, str, Call, Any, str | None]]:
    """Make calls one after the other."""
    if every:
        pool()
        limit_memory()
        for number in range(first, first + count):
            name, call = make_any_call(number, BAD)
            say(f"TRIES {number} {name} {shown(call)}")
            yield number, name, call, *attempt(call)
        return
    known = {name: make for name, make in calls().items() if name.startswith(only)}
    for make in known.values():
        made = make()
        if not only:
            continue
        made.function(**made.arguments)  # they work as they are
    limit_memory()
    for number in range(first, first + count):
        name, call = make_call(number, known)
        say(f"TRIES {number} {name} {shown(call)}")
        yield number, name, call, *attempt(call)


def shown(call: Call) -> str:
    """Return the arguments of a call that are not as they were, short."""
    parts = (f"{key}={repr(value)[:60]}" for key, value in sorted(call.arguments.items()))
    return " ".join(" ".join(parts).split())[:400]


def main() -> int:
    """Make the calls that the arguments name."""
    faulthandler.enable()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int, nargs="?", default=1)
    parser.add_argument("--only", default="", help="calls whose name begins so")
    parser.add_argument("--every", action="store_true", help="anything public, all of it spoilt")
    parser.add_argument("--show", action="store_true", help="show how each ended")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as above:
        below = Path(above, "a/b/c")  # what climbs stays within
        below.mkdir(parents=True)
        with harmless(str(below)):
            faults = made_and_told(given)
    say(f"DONE {given.count} {faults}")
    return 1 if faults else 0


def made_and_told(given: argparse.Namespace) -> int:
    """Make the calls, print what is wrong, and return how many were."""
    faults = 0
    for number, name, call, error, fault in trials(given.first, given.count, given.only, given.every):
        if given.show:
            say(f"{name} {shown(call)}\n{type(error).__name__}: {error}")
        if fault is not None:
            faults += 1
            say(f"FAULT {number} {name} {shown(call)}: {fault}")
            if given.show and error is not None:
                traceback.print_exception(error)
    return faults


if __name__ == "__main__":
    sys.exit(main())
