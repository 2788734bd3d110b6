"""What can take long, in worker processes with a deadline, so that one search holds up no other client."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from netplace.live.power import Decision, PowerState, decide
from netplace.live.sharing import Shared, shared_links
from netplace.netsim import Config
from netplace.placement import map_tasks
from netplace.placement.rule import Nodes
from netplace.plugins import Portable
from netplace.runs.executors import answer_of
from netplace.runs.job_programs import program_once
from netplace.runs.processes import leave_signals_to_parent, start_method, starting
from netplace.runs.programs import Reading, application_program, is_trace
from netplace.scheduling import Allocation, Job, Partitioner, make_partitioner
from netplace.scheduling.power import PowerModel
from netplace.topologies import Grid, Topology
from netplace.topologies.compute_nodes import network_of_hosts, slots_a_host, slots_of

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


class LateError(Exception):
    """A search has not ended by its deadline, or its process has died; the text says which."""


# Functions that a worker can be asked for: each gets the machine first.


def free_nodes(topology: Topology, rule: str, free: NDArray[np.bool_], seed: int, job: Job) -> Nodes | None:
    """Return the hosts that a rule chooses of the free ones; None if it has none for the job."""
    network = network_of_hosts(topology)
    partitioner = make_partitioner(rule, network, seed)
    occupy(partitioner, network, free)
    found = partitioner.find(job)
    return None if found is None else found.nodes


def rank_order(topology: Topology, mapping: str, app: str, nodes: Nodes, size: int, seed: int) -> list[int]:
    """Return the host of each rank of a job on hosts, so many of which its ranks fill."""
    text, each = app or "all-to-all", slots_a_host(topology)
    tasks = size * each
    if is_trace(text.partition(",")[0]):
        program = program_once(text, tasks, Config())
    else:
        program = application_program(text, Reading(), tasks)
    made = map_tasks(mapping, topology, tasks, nodes=slots_of(topology, nodes), program=program, seed=seed)
    return (made // each).tolist()  # type: ignore[no-any-return]


def sharing(topology: Topology, nodes: dict[str, list[int]], job: str) -> list[Shared]:
    """Return the jobs that share links with a job."""
    return shared_links(network_of_hosts(topology), nodes, of=job)


def switching(topology: Topology, rule: str, model: PowerModel, state: PowerState) -> Decision:
    """Return the nodes that a rule switches."""
    return decide(rule, model, state)


def occupy(partitioner: Partitioner, topology: Topology, free: NDArray[np.bool_]) -> None:
    """Take all computing nodes of an empty machine that are not free."""
    computing = np.zeros(len(free), bool)
    computing[topology.computing] = True
    change(partitioner, topology, np.flatnonzero(computing & ~free), False)


def change(partitioner: Partitioner, topology: Topology, nodes: Nodes, free: bool) -> None:
    """Release or take nodes; rules of boxes on grids see each as a box of its own."""
    step = partitioner.release if free else partitioner.take
    if isinstance(topology, Grid) and not partitioner.by_count:
        for node in nodes:
            step(Allocation(np.array([node]), (1,) * topology.dims))
    elif len(nodes):
        step(Allocation(nodes))


def here(topology: Topology) -> Callable[..., Any]:
    """Return what searches in this process, without a deadline."""
    return lambda function, *arguments: function(topology, *arguments)


class Searches:
    """Worker processes, which start when they are needed; one that misses its deadline is killed.

    `seconds` limit a search, and the wait for a process that is free; `count` searches run at a time.
    """

    def __init__(self, topology: Topology, seconds: float = 10.0, count: int = 2) -> None:
        self.seconds = seconds
        self._topology = topology
        # Linux ends a worker with the thread that started it, so no thread of a client can be that.
        self._starter = ThreadPoolExecutor(1)
        self._idle: queue.LifoQueue[_Worker | None] = queue.LifoQueue()  # None: a process to be started
        for _ in range(count):
            self._idle.put(None)

    def __call__(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return ``function(topology, *arguments)``, or raise `LateError` if there is no result in time."""
        late = LateError(f"took longer than {self.seconds:g} s")
        end = time.monotonic() + self.seconds
        try:
            worker = self._idle.get(timeout=self.seconds)
        except queue.Empty:
            raise late from None
        try:
            if worker is None or not worker.is_alive:
                worker = self._starter.submit(_Worker, self._topology).result()
                end = time.monotonic() + self.seconds  # its start is not the search's
            worker.pipe.send(Portable((function, arguments)))
            if not worker.pipe.poll(max(0.0, end - time.monotonic())):
                raise late
            value, error = worker.pipe.recv()
        except (LateError, EOFError, OSError) as problem:
            if worker is not None:
                worker.kill()
                worker = None
            if isinstance(problem, LateError):
                raise
            raise LateError("was lost with its process, possibly for lack of memory") from None
        finally:
            self._idle.put(worker)
        if error is not None:
            raise error
        return value

    def close(self) -> None:
        """End the processes that search nothing; the others end with this one."""
        with suppress(queue.Empty):
            while True:
                worker = self._idle.get_nowait()
                if worker is not None:
                    worker.kill()
        self._starter.shutdown(wait=False)


class _Worker:
    """A process and the pipe to it; made when the process can work."""

    def __init__(self, topology: Topology) -> None:
        context: Any = start_method()
        self.pipe, there = context.Pipe()
        inherited = [self.pipe] if context.get_start_method() == "fork" else []
        self._process = context.Process(target=_work, args=(there, topology, inherited), daemon=True)
        with starting():
            self._process.start()
        there.close()
        self.pipe.recv()

    @property
    def is_alive(self) -> bool:
        return bool(self._process.is_alive())

    def kill(self) -> None:
        self._process.kill()
        self._process.join()
        self.pipe.close()


def _work(pipe: Connection, topology: Topology, inherited: list[Connection]) -> None:
    """Search until the pipe is closed; `inherited` ends of pipes are closed."""
    for other in inherited:
        other.close()
    leave_signals_to_parent()
    run = Portable(lambda search: search[0](topology, *search[1]))
    with suppress(EOFError, OSError):
        pipe.send(None)
        while True:
            pipe.send(answer_of(run, pipe.recv()))
