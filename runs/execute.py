"""The execution of a run, which converts names to programs, networks and places.

Programs and networks are cached for the next run of the same process, so that a worker builds each once.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from netplace.apps.program import Repeated
from netplace.netsim import Config, Network, Result, SimulationError
from netplace.netsim.effects import notes_on
from netplace.netsim.result import versions
from netplace.netsim.simulation import replay
from netplace.placement.rule import Nodes
from netplace.plugins import describe_rule_error
from netplace.runs.chance import network_is_random, same_place
from netplace.runs.digests import UnavailableError
from netplace.runs.job_programs import repeated_of, resolved
from netplace.runs.networks import network_of
from netplace.runs.placing import mappings_of, simulates
from netplace.runs.run_figures import RunFigures
from netplace.runs.spec import Job, Run
from netplace.topologies import Topology

_Signature = tuple[bytes, int | None, int, tuple[bytes, ...]]


@dataclass(frozen=True)
class Ended:
    """The outcome of a simulation."""

    # Measurements as data for JSON; see `netplace.runs.run_figures.RunFigures`.
    outcome: dict[str, Any] | None
    failure: str | None  # reason for the missing outcome
    cpu_seconds: float  # CPU time of the engine
    versions: dict[str, str]  # versions on which the outcome depends
    host: str
    # Whether the machine caused the failure (a killed process, no memory, a missing file), so that the
    # run may succeed another time; such failures are not stored.
    by_machine: bool = False


@dataclass(frozen=True)
class Executed:
    """A run with all measurements of its simulation."""

    run: Run
    result: Result
    # Method of the mapping of each job; for mapping ``best``, the name of the winner.
    methods: tuple[str, ...]
    window: int | None = None  # cycles of the windows for link loads, after any merging of windows

    @property
    def places(self) -> list[Nodes]:
        return [job.nodes for job in self.result.jobs]

    def ended(self) -> Ended:
        """Return the part that is stored: a run in which a job was lost is a failure."""
        if not self.result.finished:
            result = self.result
            return Ended(None, result.lost, result.cpu_seconds, result.versions, platform.node())
        figures = _with_winners(RunFigures.of(self.result), self.run, self.methods)
        return Ended(figures.to_dict(), None, self.result.cpu_seconds, self.result.versions, platform.node())


def run_or_failure(run: Run, threads: int | str = 1) -> Ended:
    """Simulate a run; if it fails, the result contains the reason.

    A run with the same programs as an earlier run of this process, on the same nodes or symmetric ones, is
    not simulated again; see `netplace.runs.chance.same_place`.
    """
    try:
        topology, programs = network_of(run.network), repeated_of(run)
        mapped_jobs = mappings_of(run, topology, programs)
        places = [mapped.mapping for mapped in mapped_jobs]
        same = _signature(run, topology, places)
        cpu_seconds = 0.0
        if same not in _KNOWN:
            result = _simulated(run, topology, programs, places, threads=threads)
            cpu_seconds = result.cpu_seconds
            _remember(same, RunFigures.of(result) if result.finished else result.lost)
        known = _KNOWN[same]
        if isinstance(known, str):
            return Ended(None, known, cpu_seconds, versions(), platform.node())
        methods = tuple(mapped.method for mapped in mapped_jobs)
        outcome = _with_winners(known, run, methods).to_dict()
        return Ended(outcome, None, cpu_seconds, versions(), platform.node())
    except MemoryError as error:
        return unable(f"not enough memory: {error}")
    except (OSError, UnavailableError) as error:
        return unable(" ".join(str(error).split()))
    except (ValueError, SimulationError) as error:
        failure = describe_rule_error(error) or " ".join(str(error).split())
    except Exception as error:
        failure = describe_rule_error(error) or f"{type(error).__name__}: {error}"
    return Ended(None, failure, 0.0, versions(), platform.node())


def unable(reason: str) -> Ended:
    """Return how a run ended that the machine could not execute now."""
    return Ended(None, reason, 0.0, {}, platform.node(), by_machine=True)


def execute(run: Run, engine: str = "kernel") -> Result:
    """Simulate a run.

    Raises
    ------
    ValueError
        If a program cannot be made or placed, or a file has changed since the run was described.
    SimulationError
        If the run cannot reach its end. Jobs that a fault ended are in the result (`JobResult.outcome`).
    """
    return run_simulation(run, engine).result


def run_simulation(
    run: Run,
    engine: str = "kernel",
    *,
    record_messages: bool = False,
    window: int | None = None,
    threads: int | str = 1,
    watch: Callable[[Network], object] = lambda _: None,
) -> Executed:
    """Simulate a run, and also return how its mappings were found; `watch` is called with the network."""
    topology, programs = network_of(run.network), repeated_of(run)
    mapped_jobs = mappings_of(run, topology, programs)
    places = [mapped.mapping for mapped in mapped_jobs]
    result = _simulated(run, topology, programs, places, engine, threads, record_messages, window, watch)
    return Executed(run, result, tuple(mapped.method for mapped in mapped_jobs), result.window or None)


def _simulated(
    run: Run,
    topology: Topology,
    programs: tuple[Repeated, ...],
    places: list[Nodes],
    engine: str = "kernel",
    threads: int | str = 1,
    record_messages: bool = False,
    window: int | None = None,
    watch: Callable[[Network], object] = lambda _: None,
) -> Result:
    """Simulate a run whose tasks have their nodes."""
    programs = resolved(run, topology, programs, places)
    if record_messages:
        programs = tuple(Repeated(repeated.written_out()) for repeated in programs)
    jobs = [
        (repeated.program, nodes, job.start, repeated.times)
        for repeated, nodes, job in zip(programs, places, run.jobs, strict=True)
    ]
    network = Network(
        topology,
        run.config,
        engine=engine,
        seed=_network_seed(run),
        record_messages=record_messages,
        threads=threads,
    )
    watch(network)
    return replay(network, jobs, run.max_cycles, window)


def _network_seed(run: Run) -> int:
    return run.seed if run.network_seed is None else run.network_seed


# What came of the simulations of this process, by all that it depends on, the oldest first: the figures, or
# which jobs were lost.
_KNOWN: dict[_Signature, RunFigures | str] = {}
_MOST_KNOWN = 2000


def _remember(signature: _Signature, figures: RunFigures | str) -> None:
    while len(_KNOWN) >= _MOST_KNOWN:
        del _KNOWN[next(iter(_KNOWN))]
    _KNOWN[signature] = figures


def _signature(run: Run, topology: Topology, places: list[Nodes]) -> _Signature:
    """Return all that the outcome of a run depends on, the same for places that differ by a shift."""
    draws = network_is_random(topology, run.config)
    nodes = tuple(where.tobytes() for where in (places if draws else same_place(topology, places)))
    seed = _network_seed(run) if draws else 0
    return _common(run.network, run.jobs, run.config), run.max_cycles, seed, nodes


@lru_cache(maxsize=1)  # the runs of one entry come one after the other
def _common(network: str, jobs: tuple[Job, ...], config: Config) -> bytes:
    """Return a digest of what runs with these jobs on other nodes have in common."""
    alike = tuple(Job(**vars(job) | {"mapping": "", "path": ""}) for job in jobs)
    return hashlib.sha256(Run(network, alike, config=config).key.encode()).digest()


def _with_winners(figures: RunFigures, run: Run, methods: tuple[str, ...]) -> RunFigures:
    """Return figures with the mappings that won where jobs asked for the best, and with ignored settings."""
    pairs = zip(run.jobs, methods, strict=True)
    winners = [method if simulates(job.mapping) else None for job, method in pairs]
    notes = _notes(run.network, run.config)
    figures = replace(figures, notes=notes) if notes else figures
    return figures.with_winners(winners) if any(winners) else figures


@lru_cache(maxsize=1)
def _notes(network: str, config: Config) -> tuple[str, ...]:
    return tuple(notes_on(network_of(network), config))
