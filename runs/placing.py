"""The placement of the tasks of several jobs, with a simulator for mappings that simulate candidates.

The mappings of the last runs are cached, so that a search of some seconds is not repeated.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from netplace.apps import Program
from netplace.apps.program import Repeated
from netplace.netsim import Config, CycleLimitError, DeadlockError, Network
from netplace.placement.mapping import QapResult, RunTime, find_mapping
from netplace.placement.rule import Nodes
from netplace.runs.chance import rule_is_random
from netplace.runs.digests import check_digest
from netplace.runs.networks import network_of
from netplace.runs.partitions import nodes_of_jobs, partitions_with
from netplace.runs.spec import Run
from netplace.topologies import Topology


def simulates(mapping: str) -> bool:
    """Return whether a mapping rule simulates candidates, so that there is a winner to report."""
    return mapping.partition(":")[0] == "best"


def place_jobs(
    topology: Topology,
    programs: Sequence[Program],
    mappings: Sequence[str],
    *,
    partition_rule: str = "whole",
    config: Config | None = None,
    seed: int = 0,
    network_seed: int | None = None,
    max_cycles: int | None = None,
    times: Sequence[int] | None = None,
) -> list[QapResult]:
    """Return the mapping of each job; `times` is how often the iterations of each program repeat."""
    drawn = seed if rule_is_random(partition_rule, partitions_with(partition_rule)) else 0
    parts = _parts(partition_rule, topology, tuple(program.tasks for program in programs), drawn)
    draws = seed if network_seed is None else network_seed
    rounds = [1] * len(programs) if times is None else times
    return [
        find_mapping(
            mapping,
            topology,
            program.tasks,
            nodes=part,
            program=program,
            W=None if often == 1 else Repeated(program, often).traffic().W,
            run_time=run_time_of(topology, program, config, draws, max_cycles, often),
            seed=seed,
            job=job,
        )
        for job, (program, often, mapping, part) in enumerate(
            zip(programs, rounds, mappings, parts, strict=True)
        )
    ]


@lru_cache(maxsize=1)  # the runs of one entry come one after the other
def _parts(rule: str, topology: Topology, tasks: tuple[int, ...], seed: int) -> list[Nodes]:
    return nodes_of_jobs(rule, topology, tasks, seed)


def places_of(run: Run, programs: tuple[Program, ...]) -> list[Nodes]:
    repeated = tuple(map(Repeated, programs))
    return [mapped.mapping for mapped in mappings_of(run, network_of(run.network), repeated)]


def mappings_of(run: Run, topology: Topology, programs: tuple[Repeated, ...]) -> list[QapResult]:
    """Return the mapping of each job on the network of the run, and how it was found."""
    for name, digest in run.contents:
        check_digest(name, digest)
    if run not in _PLACED:
        while len(_PLACED) >= _MOST_PLACED:
            del _PLACED[next(iter(_PLACED))]
        _PLACED[run] = place_jobs(
            topology,
            [repeated.program for repeated in programs],
            [job.mapping for job in run.jobs],
            partition_rule=run.partition,
            config=run.config,
            seed=run.seed,
            network_seed=run.network_seed,
            max_cycles=run.max_cycles,
            times=[repeated.times for repeated in programs],
        )
    return _PLACED[run]


# The oldest first.
_PLACED: dict[Run, list[QapResult]] = {}
_MOST_PLACED = 4


def run_time_of(
    topology: Topology,
    program: Program,
    config: Config | None = None,
    seed: int = 0,
    max_cycles: int | None = None,
    times: int = 1,
) -> RunTime:
    """Return the function that simulates `program` alone on given nodes."""

    def run_time(nodes: Nodes, limit: int | None) -> int | None:
        maximum = min((cycles for cycles in (limit, max_cycles) if cycles is not None), default=None)
        network = Network(topology, config, seed=seed)
        network.start(program, nodes, times=times)
        try:
            network.finish(maximum)
        except CycleLimitError:
            return None
        except DeadlockError:
            if not network.lost_packets:
                raise
        result = network.result()
        if not result.finished:  # a fault ended the job: it is not fast
            return None
        cycles = result.cycles
        return cycles if limit is None or cycles < limit else None

    return run_time
