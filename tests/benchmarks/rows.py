"""What is measured: rows of work, in units per second of CPU time.

``python rows.py ROW [FOLDER]`` prepares a row with the netplace that is installed, or with that in the files
of `FOLDER`, prints the kB of memory per node (nan where it is not measured), and measures whenever it reads a
line. A row uses names that older versions have, too.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import math
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

Measure = Callable[[], float]  # returns the units per second of CPU time
ROOT = Path(__file__).parents[2]
UGAL, MINIMAL, ADAPTIVE = {"routing": "ugal-l", "vcs": 3}, {"routing": "minimal"}, {"routing": "adaptive"}
FLY = "dragonfly:a=4,p=2,h=2"
# Network, offered load, cycles of warm-up and of a repeat, settings, and a smaller network of the same kind:
# with it, memory is measured.
TRAFFIC: tuple[tuple[str, float, int, int, dict[str, Any], str], ...] = (
    ("torus:8x8", 1.0, 5_000, 40_000, {}, ""),
    ("torus:8x8", 0.2, 5_000, 100_000, {}, ""),
    ("torus:16x16x16", 1.0, 1_500, 800, {}, "torus:4x4x4"),
    ("torus:16x16x16", 0.2, 1_500, 2_000, {}, "torus:4x4x4"),
    ("torus:32x32x32", 1.0, 1_000, 100, {}, "torus:4x4x4"),
    ("torus:64x64x64", 1.0, 400, 12, {}, "torus:4x4x4"),
    ("torus:8x8x8x8x8", 1.0, 400, 60, {}, "torus:4x4x4x4x4"),
    ("tree:4,6", 1.0, 600, 200, {}, "tree:4,3"),
    ("tree:4,6", 0.2, 600, 400, {}, "tree:4,3"),
    ("tree:4,8", 1.0, 400, 15, {}, "tree:4,3"),
    ("thintree:4,2,6", 1.0, 1_500, 800, {}, "thintree:4,2,3"),
    ("dragonfly:a=8,p=4,h=4", 1.0, 1_000, 2_000, UGAL, FLY),
    ("dragonfly:a=14,p=7,h=7", 1.0, 1_000, 200, UGAL, FLY),
    ("dragonfly:a=14,p=7,h=7", 1.0, 1_000, 200, MINIMAL, FLY),
    ("torus:8x8", 1.0, 5_000, 40_000, {"queue_packets": 5}, ""),
    ("torus:8x8", 1.0, 5_000, 40_000, {"injectors": 2}, ""),
    ("torus:8x8", 0.2, 5_000, 100_000, ADAPTIVE, ""),
    ("torus:8x8x8", 0.2, 2_000, 10_000, ADAPTIVE, ""),
)
MACHINES = {"buddy": "mesh:64x64", "gen-alg": "tree:4,6", "quasi-contiguous:20": "tree:4,6"}  # else a torus
ALLOCATORS = (
    "non-contiguous",
    "curve",
    "mbs",
    "paging",
    "contiguous",
    "pss:levels",
    "mc",
    "mm",
    "mc1x1",
    *MACHINES,
)
STREAMS = (("fcfs", 0.7), ("easy", 0.7), ("easy", 0.95))
SERVICE = ("curve:hilbert,best-fit", "mm", "pss:levels")


def cpu_seconds() -> float:
    """Return the CPU time of this process and of those that it waited for."""
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def per_second(work: Callable[[], float]) -> Measure:
    """Return what measures work that returns how much it has done."""

    def measure() -> float:
        began = cpu_seconds()
        return work() / (cpu_seconds() - began)

    return measure


def traffic(
    name: str, offered: float, warmup: int, cycles: int, settings: dict[str, Any], small: str
) -> tuple[Measure, float]:
    """Warm up a network under uniform traffic of `offered` phits per node and cycle."""
    from netplace.netsim import Config, Network, pattern
    from netplace.topologies import parse

    def warm(name: str, cycles: int) -> Network:
        network = Network(parse(name), Config(**settings))
        network.generate(pattern("uniform", network.topology, offered / network.config.packet_phits))
        network.advance(cycles)
        return network

    def work() -> float:
        network.reset_counters()
        network.advance(network.now + cycles)
        return float(network.counters().link_packets.sum()) / 1e6

    if small:
        warm(small, 50)  # the code is in memory now, so that what grows belongs to nodes
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")  # the peak is that of what follows
    before = resident("VmRSS")
    network = warm(name, warmup)
    return per_second(work), (resident("VmHWM") - before) / network.topology.nodes if small else math.nan


def resident(what: str) -> float:
    """Return the resident memory, now (``VmRSS``) or at its peak (``VmHWM``), in kB."""
    status = Path("/proc/self/status")
    return (
        int(re.findall(rf"{what}:\s+(\d+)", status.read_text())[0]) * 1.024 if status.exists() else math.nan
    )


def program(name: str, seed: int | None) -> Measure:
    """Read a recorded program of 64 tasks, for a torus, in order or at random."""
    import numpy as np

    from netplace.apps.formats import read
    from netplace.netsim import simulate
    from netplace.topologies import parse

    topology, recorded = parse("torus:8x8"), read(ROOT / "apps" / "traces" / f"{name}.trace.gz")
    nodes = None if seed is None else np.random.default_rng(seed).permutation(64)
    return per_second(lambda: float(simulate(topology, recorded, nodes).packet_hops) / 1e6)


def short_jobs() -> Measure:
    """Prepare jobs of 64 tasks that come to a network, compute for a cycle and leave."""
    from netplace.apps import Program, TaskWriter
    from netplace.netsim import Network
    from netplace.topologies import parse

    network, writers = Network(parse("torus:8x8")), [TaskWriter(task, 64) for task in range(64)]
    for writer in writers:
        writer.compute(1)
    short = Program.of(writers)

    def work() -> float:
        for _ in range(500):
            job = network.start(short)
            network.advance()
            network.job(job)
            network.forget(job)
        return 500.0

    return per_second(work)


def mapping() -> Measure:
    """Prepare the halo exchange of a torus, its tasks in random order."""
    import numpy as np
    from scipy import sparse

    from netplace.placement.mapping import optimise
    from netplace.topologies import parse

    torus = parse("torus:8x8x8")
    links, names = torus.links(), np.random.default_rng(1).permutation(torus.nodes)
    halo = sparse.csr_array((np.ones(len(links), int), (names[links[:, 0]], names[links[:, 2]])))
    return per_second(lambda: float(optimise(halo, torus, iterations=1_000).iterations))


def schedules(allocator: str, policy: str, load: float, jobs: int = 2_500) -> Measure:
    """Prepare a stream of jobs; the first fifth, during which the machine fills up, is not counted."""
    from netplace.scheduling import schedule
    from netplace.scheduling.workload import lublin
    from netplace.topologies import parse

    topology = parse(MACHINES.get(allocator, "torus:16x16x16"))
    stream = list(lublin(topology.nodes, jobs, 1, load=load))

    def measure() -> float:
        began = 0.0

        def arriving() -> Iterator[Any]:
            nonlocal began
            for place, job in enumerate(stream):
                if place == jobs // 5:
                    began = cpu_seconds()
                yield job

        schedule(topology, arriving(), policy, allocator)
        return (jobs - jobs // 5) / (cpu_seconds() - began)

    return measure


def service(allocator: str) -> Measure:
    """Fill a mesh of 10,800 nodes to 85 % with jobs of up to 64 nodes, which then come and go."""
    from netplace.live import Cluster, Service
    from netplace.live.journal import Journal
    from netplace.topologies import parse

    cluster = Cluster(parse("mesh:24x18x25"), partition=allocator)
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder)
    server, draw = Service(cluster, Journal(Path(folder), cluster)), random.Random(0)
    running: list[tuple[str, int]] = []
    free, count = int(0.85 * cluster.topology.nodes), 0

    def answer(requests: int) -> float:
        nonlocal free, count
        for _ in range(requests):
            count, size = count + 1, draw.randint(1, 64)
            request = {"verb": "place", "job": f"job{count}", "nodes": size}
            if size > free:
                name, released = running.pop(draw.randrange(len(running)))
                request, size = {"verb": "release", "job": name}, -released
            else:
                running.append((request["job"], size))
            free -= size
            assert json.loads(server.answer(json.dumps(request).encode()))["ok"]
        return float(requests)

    answer(400)
    return per_second(partial(answer, 2_000))


def asleep(run: Any) -> Any:
    """Return what a run of 16 tasks gives, after the millisecond that its simulation would take."""
    from netplace.runs.execute import run_or_failure

    if not _ONCE:
        _ONCE.append(run_or_failure(run))
    time.sleep(0.001)
    return _ONCE[0]


_ONCE: list[Any] = []


def client() -> Measure:
    """Prepare a table of runs for eight workers of Dask that sleep; only the client's CPU time counts."""
    from netplace.runs import resolve
    from netplace.runs.campaign import complete
    from netplace.runs.resources import Resources
    from netplace.runs.store import Store

    command = [sys.executable, __file__, "--workers", *sys.argv[2:]]
    cluster = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(cluster.communicate)
    assert cluster.stdout is not None
    resources = Resources(dask=cluster.stdout.readline().strip())
    job = {"app": "2d-mesh", "tasks": 16, "mapping": "random"}
    runs = [resolve("torus:8x8", job, partition="boxes:4x4", seed=seed) for seed in range(10_000)]

    def work() -> float:
        with tempfile.TemporaryDirectory() as folder, Store(Path(folder, "runs.sqlite")) as store:
            return float(complete(runs, store, resources.executor(asleep, RuntimeError)).done)

    return per_second(work)


def start() -> Measure:
    """Prepare a small run of the command line, in a process of its own."""
    command = [sys.executable, __file__, "--run", *sys.argv[2:]]
    return per_second(lambda: 1.0 - subprocess.run(command, stdout=subprocess.DEVNULL, check=True).returncode)


def _name(network: str, settings: dict[str, Any]) -> str:
    return ", ".join([network, *(f"{key}={value}" for key, value in settings.items())])


# Name of the row and its unit: what prepares it.
ROWS: dict[tuple[str, str], Callable[[], Measure | tuple[Measure, float]]] = {
    **{
        (f"{_name(row[0], row[4])}, load {row[1]:g}", "M packet-hops"): partial(traffic, *row)
        for row in TRAFFIC
    },
    **{
        (f"NPB {name}, {order}", "M packet-hops"): partial(program, f"{name}.A.64", seed)
        for name in ("LU", "CG", "FT")
        for order, seed in (("consecutive", None), ("random", 1))
    },
    ("jobs that come and go", "jobs"): short_jobs,
    ("mapping of a halo", "iterations"): mapping,
    **{
        (f"{allocator}, {policy}, load {load}", "jobs"): partial(schedules, allocator, policy, load)
        for allocator in ALLOCATORS
        for policy, load in STREAMS
    },
    **{(f"service, {allocator}", "requests"): partial(service, allocator) for allocator in SERVICE},
    ("client of eight workers", "runs"): client,
    ("netplace run", "starts"): start,
}  # fmt: skip


def prepare(folder: Path) -> None:
    """Let `netplace` be that in the files of a folder."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in type(finder).__module__]
    sys.path.insert(0, str(folder))
    package = folder / "netplace"
    for inner in sorted(folder.iterdir()):
        if (inner / "__init__.py").exists() and inner != package and not (package / inner.name).exists():
            (package / inner.name).symlink_to(inner)


def main(row: str, *folder: str) -> None:
    """Prepare a row, and measure as often as a line is read."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.path.pop(0)  # the folder of this file
    if folder:
        prepare(Path(folder[0]))
    if row == "--run":
        from netplace.cli import app

        app(["run", "--network", "torus:4x4", "--app", "all-to-all"])
    if row == "--workers":
        import distributed

        address = {"dashboard_address": None, "protocol": "tcp", "processes": False}
        with distributed.LocalCluster(n_workers=8, threads_per_worker=1, **address) as cluster:
            print(cluster.scheduler_address, flush=True)
            sys.stdin.read()
        return
    prepared = next(made for (name, _), made in ROWS.items() if name == row)()
    measure, memory = prepared if isinstance(prepared, tuple) else (prepared, math.nan)
    print(memory, flush=True)
    for _ in sys.stdin:
        print(measure(), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
