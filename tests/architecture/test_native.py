"""The compiled part: its types, what is told of one that does not fit, and wrong arrays that never crash."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from netplace.native import placement

ROOT = Path(__file__).parents[2]


def started(code: str, **settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, env={**os.environ, **settings}
    )


def test_the_types_are_those_of_the_compiled_part(tmp_path):
    subprocess.run(
        [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "netplace._native", "-r", "-O", str(tmp_path)],
        check=True,
    )
    made = {path.name: path.read_text() for path in (tmp_path / "_native").iterdir()}
    kept = {path.name: path.read_text() for path in (ROOT / "netplace" / "_native").glob("*.pyi")}
    assert made == kept, "scripts/stubs writes them anew"


def test_a_compiled_part_of_another_version_is_refused_in_one_sentence():
    told = started("import netplace; netplace.__version__ = '0.9'; import netplace.native").stderr
    assert "compiled part of netplace is of version" in told.splitlines()[-1]
    assert "its Python code of 0.9: install netplace again" in told.splitlines()[-1]


def test_a_compiled_part_that_is_missing_is_told_in_one_sentence():
    told = started(
        "import importlib.util as util, netplace\n"
        "found = util.find_spec\n"
        "util.find_spec = lambda name, *rest: None if name == 'netplace._native' else found(name, *rest)\n"
        "import netplace.native"
    ).stderr
    assert "the compiled part of netplace is missing: install netplace again" in told.splitlines()[-1]


def test_a_source_that_is_younger_than_the_compiled_part_is_built(tmp_path):
    """What is built is left to CMake; here is asked that it is asked, once, and that the module then counts as new."""
    told = started(
        "import os, netplace.native as native\n"
        "spec = native._found()\n"
        "source = os.path.join(native._CHECKOUT, 'netplace', 'native.cpp')\n"
        "before = os.stat(spec.origin).st_mtime\n"
        "native.os = type('os', (), dict(vars(os), stat=lambda path: type('times', (), dict(st_mtime=1.0 if path == spec.origin else 2.0))))\n"
        "print(native._changed(spec.origin))\n"
    )
    assert told.stdout.strip().endswith("CMakeLists.txt"), told.stderr


def test_arrays_that_do_not_fit_are_refused():
    good = {
        "starts": np.array([[0, 0]]),
        "ends": np.array([[1, 1]]),
        "size": np.ones(1),
        "sides": np.array([2, 2]),
        "wraps": False,
        "factorial": np.array([1.0, 1.0, 2.0]),
        "load": np.zeros((4, 4)),
    }
    placement.add_grid_loads(**good)
    assert good["load"].sum() == 2.0
    wrong = [
        {"starts": np.array([[0, 2]])},
        {"ends": np.array([[-1, 0]])},
        {"ends": np.array([[0, 0], [1, 1]])},
        {"sides": np.array([2, 0])},
        {"sides": np.array([2, 3])},
        {"factorial": np.array([1.0, 1.0])},
        {"load": np.zeros((4, 2))},
    ]
    for change in wrong:
        with pytest.raises(ValueError, match="coordinates|one row|sides|factorial|load"):
            placement.add_grid_loads(**{**good, **change})
    for change in (
        {"load": np.zeros((4, 4), np.float32)},
        {"load": np.zeros((8, 4))[::2]},
        {"starts": "text"},
    ):
        with pytest.raises(TypeError):
            placement.add_grid_loads(**{**good, **change})
