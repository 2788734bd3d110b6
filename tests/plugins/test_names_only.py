"""Names are looked up: nothing that a value of a flag, a file or a request says is imported or executed."""

import json
import sys
from pathlib import Path

import pytest

from netplace.live.cluster import Cluster
from netplace.live.service import Service
from netplace.topologies import parse

RAN = "import pathlib\npathlib.Path({!r}).write_text('yes')\n\n\ndef f(*_):\n    return None\n"
CODE = ("{here}/trap.py:f", "trap.inner:f", "trap")


@pytest.fixture
def trap(tmp_path, monkeypatch):
    """A file, a package and a module that can be imported, each of which tells that it was executed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    ran = str(tmp_path / "ran")
    Path("trap").mkdir()
    for file in ("trap.py", "trap/__init__.py", "trap/inner.py"):
        Path(file).write_text(RAN.format(ran))
    yield
    assert not Path(ran).exists()
    assert not [name for name in sys.modules if name.split(".")[0] == "trap"]


FLAGS = [
    ("run", {"--network": "torus:4x4", "--app": "2d-torus"}, "--network"),
    ("run", {"--network": "torus:4x4", "--app": "2d-torus"}, "--app"),
    ("run", {"--network": "torus:4x4", "--app": "2d-torus"}, "--mapping"),
    ("run", {"--network": "torus:4x4", "--app": "2d-torus"}, "--partition"),
    ("run", {"--network": "torus:4x4", "--app": "2d-torus"}, "--routing"),
    ("run", {"--network": "torus:4x4", "--app": "2d-torus"}, "--collectives"),
    ("load", {"--network": "torus:4x4", "--offered": "0.1"}, "--traffic"),
    ("schedule", {"--machine": "torus:4x4", "--workload": "lublin"}, "--policy"),
    ("schedule", {"--machine": "torus:4x4", "--workload": "lublin"}, "--partition"),
    ("schedule", {"--machine": "torus:4x4", "--workload": "lublin"}, "--times"),
    ("schedule", {"--machine": "torus:4x4", "--workload": "lublin"}, "--site"),
    ("map", {"--network": "torus:4x4", "--app": "2d-torus"}, "--mapping"),
    ("collective", {"": "bcast", "--ranks": "4", "--bytes": "64"}, "--algorithm"),
    ("serve", {"--machine": "torus:4x4"}, "--partition"),
    ("list", {}, ""),
    ("study", {}, ""),
    ("app", {"--tasks": "4"}, ""),
]


@pytest.mark.usefixtures("trap")
@pytest.mark.parametrize("code", CODE)
@pytest.mark.parametrize(("command", "given", "flag"), FLAGS)
def test_of_a_flag(netplace, tmp_path, command, given, flag, code):
    given = given | {flag: code.format(here=tmp_path)}
    told = netplace(command, *(word for pair in given.items() for word in pair if word))
    assert told.exit_code == 2, told.output
    assert told.stderr.count("\n") == 1


SWEEP = {"network": "torus:4x4", "app": "2d-torus"}
SCHEDULES = {"machine": "torus:4x4", "workload": "lublin", "jobs": 9}


@pytest.mark.usefixtures("trap")
@pytest.mark.parametrize("code", CODE[:-1])
@pytest.mark.parametrize(
    ("table", "key"),
    [
        *((SWEEP, key) for key in ("network", "app", "mapping", "partition", "routing", "collectives")),
        *((SCHEDULES, key) for key in ("machine", "policy", "partition", "times")),
    ],
)
def test_of_a_sweep_file(netplace, tmp_path, table, key, code):
    table = table | {key: code.format(here=tmp_path)}
    Path("sweep.toml").write_text("".join(f"{name} = {json.dumps(value)}\n" for name, value in table.items()))
    assert netplace("table", "sweep.toml", "--workers", "1").exit_code == 2


@pytest.mark.usefixtures("trap")
@pytest.mark.parametrize("code", CODE)
@pytest.mark.parametrize("key", ["partition", "mapping", "app"])
def test_of_a_request(tmp_path, key, code):
    service = Service(Cluster(parse("torus:4x4")))
    request = {"verb": "place", "job": "a", "nodes": 4, "mapping": "link-load", "app": "all-to-all"}
    answer = service.answer(json.dumps(request | {key: code.format(here=tmp_path)}).encode())
    assert not json.loads(answer)["ok"]


@pytest.mark.usefixtures("trap")
@pytest.mark.parametrize("code", CODE[:-1])
def test_of_the_applications_of_a_cosimulation(netplace, tmp_path, code):
    code = code.format(here=tmp_path)
    Path("mix.toml").write_text(f'[[class]]\nprogram = "{code}"\nnodes = [4, 4]\nrun_time = [9, 9]\n')
    flags = ("--machine", "torus:4x4", "--workload", "lublin", "--jobs", "5", "--applications", "mix.toml")
    assert netplace("cosim", *flags).exit_code == 2
