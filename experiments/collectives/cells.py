"""A cell of the study: every algorithm of one operation, on one network, in every setting."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from netplace.apps import Program, TaskWriter, application
from netplace.apps.collectives import algorithms_of, schedule
from netplace.netsim import Config, Network
from netplace.studies.cases import KeptCase
from netplace.topologies import Topology, parse

__all__ = ["SETTINGS", "Cell"]

Nodes = NDArray[np.int64]

SEGMENT = 8192  # bytes, for algorithms that cut vectors up
HOPELESS = 2  # times the shortest time so far, after which a run is given up
WARM_UP = 2000  # cycles that neighbours run before
CONFIG = Config(phit_bytes=16)  # packets of 256 bytes, links of 5 GB/s
COSTLY = Config(phit_bytes=16, o_send=500, o_recv=500, o_byte=0.05)
NEIGHBOURS = "all-to-all"
BLOCKS = ("allgather", "alltoall", "gather", "scatter")  # whose calls give the bytes of one block


@dataclass(frozen=True)
class Setting:
    """Where the ranks are, and who else is there.

    Attributes
    ----------
    placement : str
        ``"in order"``: the first nodes; ``"shuffled"``: the same nodes, ranks in any order; ``"scattered"``:
        nodes anywhere, in any order.
    beside : bool
        Whether the other nodes run a job as well, an all-to-all without end.
    config : Config
        Settings of the network.
    """

    placement: str = "in order"
    beside: bool = False
    config: Config = CONFIG

    @property
    def by_chance(self) -> bool:
        """Whether there is something to draw."""
        return self.placement != "in order"


SETTINGS = {
    "in order": Setting(),
    "with overheads": Setting(config=COSTLY),
    "in order, beside": Setting(beside=True),
    "shuffled": Setting("shuffled"),
    "scattered": Setting("scattered"),
    "scattered, beside": Setting("scattered", beside=True),
}


@dataclass(frozen=True)
class Cell(KeptCase):
    """An operation of so many ranks and bytes on a network; `draws` placements where there is chance."""

    study: ClassVar[str] = "collectives"

    operation: str
    network: str
    ranks: int
    bytes: int
    draws: int

    def carry_out(self) -> dict[str, Any]:
        """Return the cycles of each algorithm by setting, one for each draw; None: given up.

        Algorithms that send the same in the same order count once; ``same`` has the others' names.
        """
        programs, same = _distinct(_programs(self.operation, self.ranks, self.bytes))
        found: dict[str, dict[str, list[int | None]]] = {}
        for name, setting in SETTINGS.items():
            times: dict[str, list[int | None]] = {algorithm: [] for algorithm in programs}
            for draw in range(self.draws if setting.by_chance else 1):
                raced = self._raced(programs, setting, draw)
                for algorithm, cycles in raced.items():
                    times[algorithm].append(cycles)
                # The quick ones first: the others are then given up the sooner.
                programs = {name: programs[name] for name in sorted(programs, key=_pace(raced))}
            found[name] = times
        return {"cycles": found, "same": same}

    def _raced(self, programs: Mapping[str, Program], setting: Setting, draw: int) -> dict[str, int | None]:
        """Return the cycles of each algorithm on the same nodes."""
        machine = _machine(self.network)
        own, others = _places(machine.nodes, self.ranks, setting.placement, draw)
        found: dict[str, int | None] = {}
        for algorithm, program in programs.items():
            known = [cycles for cycles in found.values() if cycles is not None]
            limit = HOPELESS * min(known) if known else None
            neighbours = others if setting.beside else None
            found[algorithm] = _cycles(machine, setting.config, program, own, neighbours, limit)
        return found


def _pace(raced: Mapping[str, int | None]) -> Callable[[str], float]:
    """Return the cycles of an algorithm by its name, infinitely many if it was given up."""
    return lambda name: math.inf if (cycles := raced[name]) is None else cycles


def _distinct(programs: Iterable[tuple[str, Program]]) -> tuple[dict[str, Program], dict[str, str]]:
    """Return the programs that differ, and for the names of others which one they are the same as."""
    found: dict[str, Program] = {}
    same: dict[str, str] = {}
    for name, program in programs:
        twin = next((other for other, known in found.items() if known.equals(program)), None)
        if twin is None:
            found[name] = program
        else:
            same[name] = twin
    return found, same


def _programs(operation: str, ranks: int, bytes: int) -> Iterator[tuple[str, Program]]:
    """Yield every algorithm that so many ranks allow, and what it does; `bytes` are of the whole vector."""
    block = bytes // ranks if operation in BLOCKS else bytes
    for name, algorithm in algorithms_of(operation).items():
        if algorithm.needs(ranks):
            continue
        messages = schedule(operation, ranks, block, algorithm=name, segment=SEGMENT)
        writers = [TaskWriter(rank, ranks) for rank in range(ranks)]
        for rank, writer in enumerate(writers):
            messages.write(writer, range(ranks), rank)
        yield name, Program.of(writers)


def _places(nodes: int, ranks: int, placement: str, draw: int) -> tuple[Nodes, Nodes]:
    """Return the node of each rank, and the other nodes."""
    rng = np.random.default_rng([draw, ranks])
    order = np.arange(nodes)
    if placement == "scattered":
        order = rng.permutation(order)
    own = rng.permutation(order[:ranks]) if placement == "shuffled" else order[:ranks]
    return own, order[ranks:]


def _cycles(
    machine: Topology,
    config: Config,
    program: Program,
    own: Nodes,
    others: Nodes | None,
    limit: int | None,
) -> int | None:
    """Return the cycles that a program takes; None if they are more than `limit`."""
    network, begin = Network(machine, config), 0
    if others is not None:
        begin = WARM_UP
        network.start(_neighbour(len(others)), others, times=1 << 20)
    job = network.start(program, own, at=begin)
    if job not in network.advance(None if limit is None else begin + limit):
        return None
    return int(network.job(job).end) - begin


@lru_cache
def _neighbour(tasks: int) -> Program:
    """Return what runs on all other nodes, once."""
    return application(NEIGHBOURS, tasks, bytes=4096)


@lru_cache
def _machine(text: str) -> Topology:
    return parse(text)
