"""Replay of applications on a network, from the first cycle to the last."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from netplace.apps import Program
from netplace.inputs import abbreviate
from netplace.netsim.config import Config
from netplace.netsim.errors import DeadlockError
from netplace.netsim.network import Network
from netplace.netsim.result import Result
from netplace.topologies import Topology

# With its first cycle, and how often its iterations stand.
_Start = tuple[Program, ArrayLike | None, int, int]


def simulate(
    topology: Topology,
    programs: Program | Sequence[Program],
    nodes: ArrayLike | Sequence[ArrayLike] | None = None,
    *,
    config: Config | None = None,
    engine: str = "kernel",
    seed: int = 0,
    max_cycles: int | None = None,
    record_messages: bool = False,
    window: int | None = None,
    threads: int | str = 1,
    starts: Sequence[int] | None = None,
    times: Sequence[int] | None = None,
) -> Result:
    """Simulate one or more applications, and return the measurements.

    Parameters
    ----------
    nodes : array, or sequence of arrays, optional
        The node of each task, for each job; consecutive nodes by default.
    engine : str
        ``"kernel"`` or ``"reference"``; both give the same results.
    record_messages : bool
        Whether to record the start and end of every message.
    window : int, optional
        Length, in cycles, of windows in which link loads are also counted.
    threads : int or str
        Number of threads for the network, as in `Network`.
    starts, times : sequence of int, optional
        First cycle of each job (0 by default), and repetitions of its iterations (1 by default; see
        `Network.start`).

    Raises
    ------
    ValueError
        If the placement is wrong, or the number of starts or times differs from the number of jobs.
    DeadlockError, CycleLimitError
        If the run cannot reach its end.
    """
    jobs = _jobs(topology, programs, nodes, starts, times)
    network = Network(
        topology, config, engine=engine, seed=seed, record_messages=record_messages, threads=threads
    )
    _play(network, jobs, max_cycles, window)
    return network.result()


def replay(
    network: Network, jobs: Sequence[_Start], max_cycles: int | None = None, window: int | None = None
) -> Result:
    """Simulate jobs on a new network; parameters as of `simulate`.

    A deadlock of jobs whose packets a fault destroyed is an outcome of these jobs, and no error.
    """
    try:
        _play(network, jobs, max_cycles, window)
    except DeadlockError:
        if not network.lost_packets:
            raise
    return network.result()


def _play(network: Network, jobs: Sequence[_Start], max_cycles: int | None, window: int | None) -> None:
    for program, where, start, rounds in jobs:
        network.start(program, where, at=start, times=rounds)
    network.finish(max_cycles, window)


def _jobs(
    topology: Topology,
    programs: Program | Sequence[Program],
    nodes: ArrayLike | Sequence[ArrayLike] | None,
    starts: Sequence[int] | None,
    times: Sequence[int] | None,
) -> list[_Start]:
    places: Sequence[ArrayLike | None]
    if isinstance(programs, Program):
        programs, places = [programs], [nodes]  # type: ignore[list-item]
    elif nodes is None:
        ends = np.cumsum([program.tasks for program in programs])
        usable = topology.computing
        places = [usable[end - program.tasks : end] for program, end in zip(programs, ends, strict=True)]
    elif isinstance(nodes, list | tuple) or (isinstance(nodes, np.ndarray) and nodes.ndim):
        places = list(nodes)
    else:
        raise ValueError(f"placement: {abbreviate(nodes)} is not a list of nodes for each job")
    count = len(programs)
    begins = [0] * count if starts is None else list(starts)
    rounds = [1] * count if times is None else list(times)
    for name, given in (("placement", places), ("starts", begins), ("times", rounds)):
        if len(given) != count:
            raise ValueError(f"{name}: {len(given)} given for {count} jobs")
    return list(zip(programs, places, begins, rounds, strict=True))
