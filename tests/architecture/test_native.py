"""The compiled part: its types, what is told of one that does not fit, and wrong arrays that never crash."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from netplace import native
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
    told = started("import netplace.version as now; now.__version__ = '0.9'; import netplace.native").stderr
    assert "compiled part of netplace has version" in told.splitlines()[-1]
    assert "but the Python code has version 0.9: install netplace again" in told.splitlines()[-1]


def test_a_compiled_part_that_is_missing_is_told_in_one_sentence():
    told = started(
        "import importlib.util as util, netplace\n"
        "found = util.find_spec\n"
        "util.find_spec = lambda name, *rest: None if name == 'netplace._native' else found(name, *rest)\n"
        "import netplace.native"
    ).stderr
    assert "the compiled part of netplace is missing: install netplace again" in told.splitlines()[-1]


def test_the_command_tells_in_one_sentence_that_the_compiled_part_is_missing():
    told = started(
        "import importlib.util as util, netplace, sys\n"
        "found = util.find_spec\n"
        "util.find_spec = lambda name, *rest: None if name == 'netplace._native' else found(name, *rest)\n"
        "from netplace.__main__ import main\n"
        "sys.argv = ['netplace', 'run', '--network', 'torus:4x4']\n"
        "main()"
    )
    assert told.returncode == 2
    assert told.stderr.startswith("netplace: the compiled part of netplace is missing: install netplace")
    assert told.stderr.count("\n") == 1


def test_no_compiler_and_none_from_pypi_is_told_in_one_sentence(tmp_path):
    """As where pip has no network: the package with a compiler is not there."""
    told = started(
        "import sys; sys.path.insert(0, 'scripts'); sys.modules['ziglang'] = None; import backend\n"
        "backend.build_wheel('never')",
        PATH=str(tmp_path),
        CXX="",
    )
    assert told.returncode == 1
    assert told.stdout == ""
    assert len(told.stderr.splitlines()) == 1
    assert "found no C++ compiler: install one" in told.stderr


def test_a_source_that_is_younger_than_the_compiled_part_is_seen(tmp_path, monkeypatch):
    source = tmp_path / "part.cpp"
    source.write_text("")
    (tmp_path / "sources.txt").write_text(f"{source}\n")
    monkeypatch.setattr(native, "_BUILD", tmp_path)
    built = tmp_path / "extension"
    built.write_text("")
    os.utime(source, (1, 1))
    assert native._changed(str(built)) is None
    os.utime(built, (0, 0))
    assert native._changed(str(built)) == str(source)
    source.unlink()
    assert native._changed(str(built)) == str(source)


def test_arrays_that_do_not_fit_are_refused():
    good = {
        "first": np.array([0, 0, 1, 2, 2]),
        "link": np.array([0, 1]),
        "share": np.ones(2),
        "switches": 2,
        "pair": np.array([1]),
        "size": np.array([3.0]),
        "loads": np.zeros(2),
    }
    placement.add_loads(**good)
    assert good["loads"].tolist() == [3.0, 0.0]
    wrong = [
        {"first": np.array([0, 0, 2, 1, 2])},
        {"first": np.array([0, 0, 1, 2, 3])},
        {"link": np.array([0, 2])},
        {"link": np.array([-1, 1])},
        {"share": np.ones(3)},
        {"switches": 3},
        {"pair": np.array([4])},
        {"size": np.ones(2)},
    ]
    for change in wrong:
        with pytest.raises(ValueError, match=r"ways|pair"):
            placement.add_loads(**{**good, **change})
    for change in ({"loads": np.zeros(2, np.float32)}, {"loads": np.zeros(4)[::2]}, {"link": "text"}):
        with pytest.raises(TypeError):
            placement.add_loads(**{**good, **change})
