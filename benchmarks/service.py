"""How long the service takes for a request, on a mesh of 10,800 nodes of which about 85 % are held."""

from __future__ import annotations

import json
import random
import socket
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from netplace.benchmarks.figure import Figure, figure
from netplace.live import Cluster, Service
from netplace.live.journal import Journal
from netplace.topologies import parse

__all__ = ["serve_requests"]

MACHINE = "mesh:24x18x25"
RULES = {"curve:hilbert,best-fit": 0.5, "mm": 5.0, "pss:levels": 5.0}  # most milliseconds
REQUESTS = 100_000
HELD = 0.85
LARGEST = 64  # nodes of a job


def serve_requests(quick: bool) -> Iterator[Figure]:
    """Measure CPU time of the service with its journal, and the time that a client on its socket waits."""
    for rule, most in RULES.items():
        with tempfile.TemporaryDirectory() as folder:
            cluster = Cluster(parse(MACHINE), partition=rule)
            service = Service(cluster, Journal(Path(folder), cluster))
            service.listen(Path(folder) / "socket")
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(f"{folder}/socket")
                waits, cpu = _ask(client, cluster, REQUESTS // 50 if quick else REQUESTS)
            service.close()
        name = f"requests to the service, {rule}, {MACHINE}"
        yield figure(f"{name}, mean of {len(waits):,}", "CPU ms", [1e3 * cpu], most=most)
        for what, wait in (("mean", waits.mean()), *((f"p{q}", np.percentile(waits, q)) for q in (95, 99))):
            yield figure(f"{name}, {what} wait of the client", "ms", [1e3 * float(wait)])


def _ask(client: socket.socket, cluster: Cluster, requests: int) -> tuple[NDArray[np.float64], float]:
    """Return how long each request took, and the mean CPU seconds of the service, without the client's.

    Jobs come and go on a machine that was filled before.
    """
    answers, draw = client.makefile("rb"), random.Random(0)
    jobs = list[tuple[str, int]]()
    left, made = int(HELD * cluster.topology.nodes), 0

    def ask() -> float:
        nonlocal left, made
        size = draw.randint(1, LARGEST)
        if size <= left:
            made += 1
            jobs.append((f"job{made}", size))
            request = {"verb": "place", "job": f"job{made}", "nodes": size}
        else:
            place = draw.randrange(len(jobs))
            jobs[place], jobs[-1] = jobs[-1], jobs[place]
            name, size = jobs.pop()
            request = {"verb": "release", "job": name}
        left += size if request["verb"] == "release" else -size
        began = time.perf_counter()
        client.sendall(json.dumps(request).encode() + b"\n")
        line = answers.readline()
        wait = time.perf_counter() - began
        assert json.loads(line)["ok"], line
        return wait

    while left > LARGEST:
        ask()
    before = time.process_time() - time.thread_time()
    waits = [ask() for _ in range(requests)]
    return np.array(waits), (time.process_time() - time.thread_time() - before) / requests
