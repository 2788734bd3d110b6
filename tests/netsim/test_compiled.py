"""The compiled kernel: the same without compiling, compiled once for all processes, and its limits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from netplace.netsim import Config, Network
from netplace.topologies import parse

ROOT = Path(__file__).parents[2]

RUN = """
import json, sys
from netplace.apps import APPLICATIONS
from netplace.netsim import Config, measure_load, simulate
from netplace.topologies import parse

found = []
for text, name, options in json.loads(sys.argv[1]):
    result = simulate(parse(text), APPLICATIONS[name].make(tasks=8), config=Config(**options), seed=2)
    found.append([result.cycles, result.events, result.link_packets.tolist()])
point = measure_load(parse("torus:4x4"), 0.4, warmup=50, measure=100)
print(json.dumps([found, point.packets, point.delay.mean]))
"""
ONE_CYCLE = """
import sys
from netplace.netsim import Config, Network
from netplace.topologies import parse

for network, config in (("torus:4", Config()), ("tree:2,2", Config()), ("torus:4", Config(packet_phits=4))):
    Network(parse(network), config).advance(1)
print("numba" in sys.modules)
"""
CASES = [
    ("torus:4x2", "all-to-all", {}),
    ("mesh:3x3", "all-to-all", {"policy": "shortest", "arbiter": "longest", "injectors": 2}),
    ("torus:9", "all-to-all", {"policy": "oblivious", "arbiter": "age", "consumption": "single"}),
    ("torus:5x2", "2d-mesh", {"policy": "oblivious", "router_delay": 2}),
    ("twisted:4x2", "all-to-all", {"policy": "random", "vcs": 3, "arbiter": "random"}),
    ("tree:4,3", "binary-tree", {"rendezvous": 0, "arbiter": "fifo"}),  # more routers than bits of a word
    ("thintree:4,2,2", "all-to-all", {"tree_routing": "static"}),
]


def in_a_new_process(code, *arguments, **environment):
    """Return what a program prints in a process of its own, with more variables in its environment."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_same_without_compiling():
    cases = json.dumps(CASES)
    assert json.loads(in_a_new_process(RUN, cases)) == json.loads(
        in_a_new_process(RUN, cases, NUMBA_DISABLE_JIT="1")
    )


def test_another_process_compiles_nothing():
    in_a_new_process(ONE_CYCLE)  # compiles if nothing has done so before
    assert in_a_new_process(ONE_CYCLE).split() == ["False"]


@pytest.mark.slow
def test_damaged_machine_code_is_compiled_anew(tmp_path):
    code = ONE_CYCLE.replace('("tree:2,2", Config()), ', "").replace(
        ', ("torus:4", Config(packet_phits=4))', ","
    )
    in_a_new_process(code, NUMBA_CACHE_DIR=str(tmp_path))
    [kept] = tmp_path.glob("*.kernel")
    whole = kept.read_bytes()
    for damaged in (whole[:-100], whole[:5000] + b"?" + whole[5001:], b""):
        kept.write_bytes(damaged)
        assert in_a_new_process(code, NUMBA_CACHE_DIR=str(tmp_path)).split() == ["True"]
    assert in_a_new_process(code, NUMBA_CACHE_DIR=str(tmp_path)).split() == ["False"]


@pytest.mark.slow
def test_an_empty_cache_is_filled_once(tmp_path):
    def compiled():
        in_a_new_process(RUN, json.dumps(CASES), NUMBA_CACHE_DIR=str(tmp_path))
        return {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.kernel")}

    first = compiled()
    assert any("grids-and-trees" in path.name for path in first)
    assert compiled() == first


@pytest.mark.parametrize(
    ("network", "options", "message"),
    [
        ("torus:2x2x2x2", {"vcs": 8}, "8 ports with 8 virtual channels and 1 injectors are more inputs than"),
        ("torus:4", {"queue_packets": 40_000}, "queue_packets .* injection_packets: 40004 is too large"),
    ],
)
def test_what_the_kernel_cannot_hold(network, options, message):
    with pytest.raises(ValueError, match=message):
        Network(parse(network), Config(**options))
    Network(parse(network), Config(**options), engine="reference")
