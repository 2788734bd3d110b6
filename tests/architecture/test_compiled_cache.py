"""Compiled code is kept until anything in it changes; where nothing can be written, it is compiled anew."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import numpy as np
import pytest

from netplace.compiled import digest

ROOT = Path(__file__).parents[2]
CALLER = """
from netplace.compiled import njit
from prices import SCALE, price

@njit(cache=True)
def total(n):
    return SCALE * price(n)
"""
PRICES = """
from netplace.compiled import njit

SCALE = {scale}

@njit()
def price(n):
    return n + {more}
"""
ASK = "from caller import total; print(total(10), sum(total.stats.cache_misses.values()))"

NOTHING_CAN_BE_WRITTEN = """
import os, tempfile
def refuse(*_, **__):
    raise OSError(30, "Read-only file system")
os.access = lambda *_, **__: False
os.makedirs = tempfile.TemporaryFile = refuse
"""
DRAW = "from netplace.netsim.chance import below, draw; print(below(draw(1, 2, 3, 4, 5), 100))"


def python(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **environment}
    )


@pytest.fixture
def two_files(tmp_path):
    """Return what writes the file of a function called and tells what its caller in another file finds."""
    (tmp_path / "caller.py").write_text(CALLER)

    def ask(scale, more):
        (tmp_path / "prices.py").write_text(PRICES.format(scale=scale, more=more))
        found = python(ASK, PYTHONPATH=str(tmp_path), PYTHONDONTWRITEBYTECODE="1")
        assert found.returncode == 0, found.stderr
        return [int(word) for word in found.stdout.split()]

    return ask


def test_kept_code_is_renewed_when_what_it_calls_or_a_constant_in_it_changes(two_files):
    assert two_files(1, 1) == [11, 1]
    assert two_files(1, 1) == [11, 0]  # kept
    assert two_files(1, 2) == [12, 1]  # Numba alone would tell 11
    assert two_files(3, 2) == [36, 1]
    assert two_files(1, 2) == [12, 0]  # as before


def test_digests_are_the_same_in_every_process():
    ask = (
        "from netplace.compiled import digest\n"
        "from netplace.netsim import chance as kept\n"
        "print(*(digest(one.py_func) for one in vars(kept).values() if hasattr(one, 'py_func')))"
    )
    first, second = (python(ask, PYTHONHASHSEED=seed) for seed in "12")
    assert first.stdout == second.stdout
    assert len(first.stdout) > 64


CONSTANTS = {
    "number": (1, 2),
    "NumPy's": (np.float64(1), np.float32(1)),
    "tuple": ((1, (2, 3)), (1, (2, 4))),
    "array": (np.arange(2), np.arange(2)[::-1]),
    "long array": (np.zeros(10_000), np.eye(1, 10_000, 5_000)[0]),
    "fields": (namedtuple("Pair", "a b"), namedtuple("Pair", "b a")),
}


@pytest.mark.parametrize("pair", CONSTANTS.values(), ids=CONSTANTS)
def test_a_digest_covers_constants(pair):
    def of(constant):
        return digest(lambda: constant)

    one, other = pair
    assert of(one) == of(one) != of(other)


def test_all_functions_that_are_kept_know_what_is_in_them():
    files = [file for file in ROOT.rglob("*.py") if not {".venv", ".tree", "tests"} & set(file.parts)]
    own = [
        file for file in files if "cache=True" in file.read_text() and "from numba import" in file.read_text()
    ]
    assert [file.name for file in own] == []


def test_it_runs_where_nothing_can_be_written():
    usual = python(DRAW)
    without = python(NOTHING_CAN_BE_WRITTEN + DRAW)
    assert (without.returncode, without.stdout) == (0, usual.stdout)
    assert usual.stderr == ""
    assert without.stderr.count("set NUMBA_CACHE_DIR") == 1


def test_workers_do_not_say_it_again():
    without = python(NOTHING_CAN_BE_WRITTEN + DRAW, NETPLACE_COMPILES_WITHOUT_CACHE="1")
    assert (without.returncode, without.stderr) == (0, "")
