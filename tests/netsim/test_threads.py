"""How many threads a network gets, and what is said where it cannot get them."""

import re
import subprocess
import sys

import numpy as np
import pytest

from netplace.netsim import Config, Network, pattern, threads
from netplace.netsim.engine import Exit
from netplace.netsim.kernel_engine import KernelEngine
from netplace.topologies import parse

SEVERAL = Config(vcs=1)


@pytest.mark.parametrize(
    ("given", "more", "said"),
    [
        (0, {}, "threads: 0 is too small, expected at least 1"),
        ("two", {}, "threads: 'two' is not a number from 1 to 64, or auto"),
        (
            2,
            {"engine": "reference"},
            "threads: 2 given, but engine reference uses one thread; expected 1 or auto",
        ),
        (17, {}, "threads: 17 given, more than the 16 nodes of torus:4x4"),
    ],
)
def test_what_cannot_be_is_said(given, more, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        Network(parse("torus:4x4"), threads=given, **more)


@pytest.mark.parametrize(("busy", "chosen"), [(0, 4), (1, 3), (3, 1), (9, 1)])
def test_auto_leaves_busy_cores_to_others(monkeypatch, busy, chosen):
    monkeypatch.setattr(threads, "cores", lambda: 4)
    monkeypatch.setattr(threads, "busy_cores", lambda: busy)
    assert threads.usable_threads(parse("torus:32x32x32"), "auto", engine="kernel") == chosen


def test_auto_is_by_size(monkeypatch):
    monkeypatch.setattr(threads, "cores", lambda: 4)
    monkeypatch.setattr(threads, "busy_cores", lambda: 0)

    def chosen(name, engine="kernel"):
        return threads.usable_threads(parse(name), "auto", engine=engine)

    assert [chosen(name) for name in ("torus:8x8x8", "torus:16x16x16", "torus:32x32x32")] == [1, 2, 4]
    assert chosen("torus:32x32x32", engine="reference") == 1


def test_processes_times_threads_are_no_more_than_the_cores(monkeypatch):
    monkeypatch.setattr(threads, "cores", lambda: 4)
    assert threads.threads_beside(2, 2) == 2
    assert threads.threads_beside("auto", 2) == 1
    with pytest.raises(
        ValueError, match="threads: 2 given in each of 3 processes, more than the 4 available cores"
    ):
        threads.threads_beside(2, 3)


@pytest.mark.parametrize(
    "name", ["torus:5x7", "mesh:9", "tree:3,3", "thintree:4,2,3", "dragonfly:a=4,p=2,h=2"]
)
@pytest.mark.parametrize("count", [2, 3])
def test_every_domain_has_a_fair_share_of_nodes(name, count):
    topology = parse(name)
    owner = threads.cut(topology, count)
    share = np.bincount(owner[: topology.nodes], minlength=count) / topology.nodes
    assert owner.shape == (topology.routers,)
    assert (share > 0.5 / count).all()


@pytest.mark.skipif(sys.platform != "linux", reason="limits the address space")
def test_threads_that_the_system_does_not_begin_are_told():
    code = """
import resource
from netplace.apps import APPLICATIONS
from netplace.netsim import Network
from netplace.topologies import parse

network = Network(parse("torus:8x8"), threads=16)
network.start(APPLICATIONS["butterfly"].make(tasks=64))
used = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmSize"))
resource.setrlimit(resource.RLIMIT_AS, ((used + 30_000) * 1024,) * 2)
try:
    network.advance()
except ValueError as error:
    print(error)
"""
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert re.fullmatch(r"threads: 16 given, but the system begins no more than \d+\n", said.stdout), (
        said.stdout
    )


def test_domains_come_back_no_more_often_than_one_thread(monkeypatch):
    """Each return to Python starts the threads anew, which costs more than hundreds of meetings."""
    returns, usual = {1: [], 2: []}, KernelEngine.run
    for count, outcomes in returns.items():

        def counted(engine, until, outcomes=outcomes):
            outcomes.append(usual(engine, until))
            return outcomes[-1]

        monkeypatch.setattr(KernelEngine, "run", counted)
        network = Network(parse("torus:8x8"), SEVERAL, threads=count)
        network.generate(pattern("uniform", network.topology, 0.05))
        for until in range(100, 1100, 100):
            network.advance(until)
    assert returns[2] == returns[1]
    assert returns[1].count(Exit.REACHED) == 10
