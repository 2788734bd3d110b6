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
from netplace.apps.collectives import ALGORITHMS, algorithms_of, schedule
from netplace.netsim import Config, Network
from netplace.report.studies.schedules import CachedCase
from netplace.topologies import Topology, parse
from netplace.topologies.switch_grid import switch_groups

Nodes = NDArray[np.int64]

SEGMENT = 8192  # bytes, for algorithms that cut vectors up
HOPELESS = 2  # times the shortest time so far, after which a run is given up
WARM_UP = 2000  # cycles that neighbours run before
CONFIG = Config(phit_bytes=16)  # packets of 256 bytes, links of 5 GB/s
COSTLY = Config(phit_bytes=16, o_send=500, o_recv=500, o_byte=0.05)
LONG, LONG_PHIT = 1 << 20, 128  # vectors from which on bytes are scaled with the clock, and their phits
NEIGHBOURS = "all-to-all"
BLOCKS = ("allgather", "alltoall", "gather", "scatter")  # whose calls give the bytes of one block


@dataclass(frozen=True)
class Setting:
    """Where the ranks are, and who else is there."""

    # ``"in order"``: the first nodes; ``"shuffled"``: the same nodes, ranks in any order; ``"scattered"``:
    # nodes anywhere, in any order.
    placement: str = "in order"
    beside: bool = False  # whether the other nodes run a job as well, an all-to-all without end
    config: Config = CONFIG  # settings of the network

    @property
    def is_random(self) -> bool:
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
class Cell(CachedCase):
    study: ClassVar[str] = "collectives"

    operation: str
    network: str
    ranks: int
    bytes: int
    draws: int

    def run(self) -> dict[str, Any]:
        """Return the cycles of each algorithm by setting, one for each draw; None: given up.

        Algorithms that send the same in the same order count once; ``same`` has the others' names.
        """
        programs, same = _distinct(self._programs())
        programs = dict(sorted(programs.items(), key=lambda item: _most_bytes(item[1])))
        by_setting: dict[str, dict[str, list[int | None]]] = {}
        for name, setting in SETTINGS.items():
            times: dict[str, list[int | None]] = {algorithm: [] for algorithm in programs}
            for draw in range(self.draws if setting.is_random else 1):
                raced = self._raced(programs, setting, draw)
                for algorithm, cycles in raced.items():
                    times[algorithm].append(cycles)
                # The quick ones first: the others are then given up the sooner.
                programs = {name: programs[name] for name in sorted(programs, key=_pace(raced))}
            by_setting[name] = times
        return {"cycles": by_setting, "same": same}

    def _raced(self, programs: Mapping[str, Program], setting: Setting, draw: int) -> dict[str, int | None]:
        """Return the cycles of each algorithm on the same nodes; hierarchical ones by the switches there."""
        machine = _machine(self.network)
        own, others = _places(machine.nodes, self.ranks, setting.placement, draw)
        config = setting.config.scaled(LONG_PHIT) if self.bytes >= LONG else setting.config
        groups = switch_groups(machine, own)
        by_algorithm: dict[str, int | None] = {}
        for algorithm, program in programs.items():
            by_switch = groups and ALGORITHMS[self.operation, algorithm].grouped
            known = [cycles for cycles in by_algorithm.values() if cycles is not None]
            limit = HOPELESS * min(known) if known else None
            neighbours = others if setting.beside else None
            placed = self._program(algorithm, groups) if by_switch else program
            by_algorithm[algorithm] = _cycles(machine, config, placed, own, neighbours, limit)
        return by_algorithm

    def _programs(self) -> Iterator[tuple[str, Program]]:
        for name, algorithm in algorithms_of(self.operation).items():
            if not algorithm.needs(self.ranks):
                yield name, self._program(name)

    def _program(self, algorithm: str, groups: tuple[int, ...] = ()) -> Program:
        """Return what the ranks do; they share switches as `groups` say."""
        block = self.bytes // self.ranks if self.operation in BLOCKS else self.bytes
        messages = schedule(
            self.operation, self.ranks, block, algorithm=algorithm, segment=SEGMENT, groups=groups
        )
        writers = [TaskWriter(rank, self.ranks) for rank in range(self.ranks)]
        for rank, writer in enumerate(writers):
            messages.write(writer, range(self.ranks), rank)
        return Program.of(writers)


def _most_bytes(program: Program) -> int:
    """Return the bytes that the busiest rank sends and gets; few of them are likely to take little time."""
    sent = program.traffic().W
    return int((sent.sum(axis=0) + sent.sum(axis=1)).max())


def _pace(raced: Mapping[str, int | None]) -> Callable[[str], float]:
    """Return the cycles of an algorithm by its name, infinitely many if it was given up."""
    return lambda name: math.inf if (cycles := raced[name]) is None else cycles


def _distinct(programs: Iterable[tuple[str, Program]]) -> tuple[dict[str, Program], dict[str, str]]:
    """Return the programs that differ, and for the names of others which one they are the same as."""
    different: dict[str, Program] = {}
    same: dict[str, str] = {}
    for name, program in programs:
        twin = next((other for other, known in different.items() if known.equals(program)), None)
        if twin is None:
            different[name] = program
        else:
            same[name] = twin
    return different, same


def _places(nodes: int, ranks: int, placement: str, draw: int) -> tuple[Nodes, Nodes]:
    rng = np.random.default_rng([draw, ranks])
    order = np.arange(nodes)
    if placement == "scattered":
        order = rng.permutation(order)
    own = rng.permutation(order[:ranks]) if placement == "shuffled" else order[:ranks]
    return own, order[ranks:]


def _cycles(
    machine: Topology, config: Config, program: Program, own: Nodes, others: Nodes | None, limit: int | None
) -> int | None:
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


_machine = lru_cache(parse)
