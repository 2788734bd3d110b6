"""From a run to its result: here names become programs, networks and places.

Programs and networks are kept for the next run of the same process, so that a worker builds each once.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from netplace.apps import Program
from netplace.apps.catalog import APPLICATION
from netplace.apps.repeated import Repeated
from netplace.checks.calls import checked
from netplace.extensions import blamed, current_digest
from netplace.netsim import Config, Network, Result, SimulationError, simulate
from netplace.netsim.parts import independent_parts
from netplace.netsim.result import versions
from netplace.placement.mapping import QapResult
from netplace.placement.rule import Nodes
from netplace.runs.chance import network_draws, same_place
from netplace.runs.placing import place_jobs, simulates
from netplace.runs.programs import Reading, application_program, trace_digest, trace_repeated
from netplace.runs.spec import Job, Run
from netplace.topologies import Topology, parse

__all__ = [
    "Ended",
    "Executed",
    "UnavailableError",
    "attempt",
    "carry_out",
    "check_packets",
    "check_places",
    "execute",
    "handy_phit_bytes",
    "places_of",
    "program_of",
    "programs_of",
    "warm_up",
]

_LEFT_OUT = ("network", "engine", "seed", "config", "versions", "cpu_seconds")


@dataclass(frozen=True)
class Ended:
    """How a simulation ended.

    Attributes
    ----------
    outcome : dict or None
        What was measured, as JSON can hold it: the same on every machine.
    failure : str or None
        Why there is no outcome.
    cpu_seconds : float
        CPU time of the engine.
    versions : dict
        Versions that the outcome depends on.
    host : str
        Where it was simulated.
    by_machine : bool
        Whether the failure is the doing of the machine (a killed process, no memory, a file that is gone),
        so that the run may end well another time: nothing that is kept.
    """

    outcome: dict[str, Any] | None
    failure: str | None
    cpu_seconds: float
    versions: dict[str, str]
    host: str
    by_machine: bool = False


class UnavailableError(ValueError):
    """What a run needs is not there now: a file has changed, or cannot be read."""


@dataclass(frozen=True)
class Executed:
    """A run, and all that was measured when it was simulated.

    Attributes
    ----------
    run : Run
        The run.
    result : Result
        What was measured.
    methods : tuple of str
        How the mapping of each job was found; for mapping ``best`` the name of the winner.
    window : int or None
        Cycles of the windows in which link loads were counted.
    parts : int
        Parts that could go on side by side; looked for where there were several workers.
    """

    run: Run
    result: Result
    methods: tuple[str, ...]
    window: int | None = None
    parts: int = 1

    def ended(self) -> Ended:
        """Return what of it is kept."""
        outcome = _with_winners(_outcome(self.result), self.run, self.methods)
        return Ended(outcome, None, self.result.cpu_seconds, self.result.versions, platform.node())


def warm_up(network: str = "", config: Config | None = None) -> None:
    """Have the kernel loaded, or compiled, that a network needs: by default that of 2-D meshes and tori.

    Otherwise the workers of a pool would wait for the first of them to compile it.
    """
    kind, _, sizes = network.partition(":")
    small = "tree:2,2" if "tree" in kind else "mesh:2" + "x2" * (sizes.count("x") if sizes else 1)
    _load(small, config or Config())


@lru_cache(maxsize=8)
def _load(network: str, config: Config) -> None:
    with suppress(ValueError):  # told by the run itself
        Network(parse(network), config)


@checked
def attempt(run: Run) -> Ended:
    """Simulate a run; whatever goes wrong becomes the reason of its failure, or of the machine's.

    A run that puts the same programs on the same nodes as one that this process has simulated, or on nodes
    that a symmetry of the network takes there, is not simulated again: see `netplace.runs.chance.same_place`.
    """
    try:
        programs = _repeated_of(run)
        found = _mappings_of(run, programs)
        places = [mapped.mapping for mapped in found]
        same = _signature(run, places)
        cpu_seconds = 0.0
        if same not in _KNOWN:
            result = _simulate(run, programs, places, "kernel")
            cpu_seconds = result.cpu_seconds
            _remember(same, _outcome(result))
        methods = tuple(mapped.method for mapped in found)
        return Ended(
            _with_winners(_KNOWN[same], run, methods), None, cpu_seconds, versions(), platform.node()
        )
    except MemoryError as error:
        return _unable(f"not enough memory: {error}")
    except (OSError, UnavailableError) as error:
        return _unable(" ".join(str(error).split()))
    except (ValueError, SimulationError) as error:
        failure = " ".join(str(error).split())
    except Exception as error:
        failure = blamed(error) or f"{type(error).__name__}: {error}"
    return Ended(None, failure, 0.0, versions(), platform.node())


def _unable(reason: str) -> Ended:
    """Return how a run ended that this machine could not carry out now."""
    return Ended(None, reason, 0.0, {}, platform.node(), by_machine=True)


@checked
def execute(run: Run, engine: str = "kernel") -> Result:
    """Simulate a run.

    Raises
    ------
    ValueError
        If a program cannot be made or placed, or a file is no longer what it was when the run was described.
    SimulationError
        If the run cannot come to its end.
    """
    return carry_out(run, engine).result


def carry_out(
    run: Run,
    engine: str = "kernel",
    *,
    record_messages: bool = False,
    window: int | None = None,
    workers: int = 1,
) -> Executed:
    """Simulate a run, and return how its mappings were found as well.

    Parameters
    ----------
    run : Run
        The run.
    engine : str
        Key of `netplace.netsim.ENGINES`.
    record_messages : bool
        Whether the start and end of every message are kept.
    window : int, optional
        Cycles of a window in which link loads are also counted.
    workers : int
        Processes for parts of the run that share no router, as in `netplace.netsim.simulate`.

    Raises
    ------
    ValueError, SimulationError
        As `execute`.
    """
    programs = _repeated_of(run)
    found = _mappings_of(run, programs)
    places = [mapped.mapping for mapped in found]
    parts = 1
    if workers > 1 and window is None:
        once = [repeated.program for repeated in programs]
        parts = len(independent_parts(_topology(run), run.config, once, places))
    result = _simulate(run, programs, places, engine, record_messages, window, workers)
    return Executed(run, result, tuple(mapped.method for mapped in found), window, parts)


def _simulate(
    run: Run,
    programs: tuple[Repeated, ...],
    places: list[Nodes],
    engine: str,
    record_messages: bool = False,
    window: int | None = None,
    workers: int = 1,
) -> Result:
    if record_messages:
        programs = tuple(Repeated(repeated.written_out()) for repeated in programs)
    return simulate(
        _topology(run),
        [repeated.program for repeated in programs],
        places,
        config=run.config,
        engine=engine,
        seed=_network_seed(run),
        max_cycles=run.max_cycles,
        record_messages=record_messages,
        window=window,
        workers=workers,
        starts=[job.start for job in run.jobs],
        times=[repeated.times for repeated in programs],
    )


def _network_seed(run: Run) -> int:
    return run.seed if run.network_seed is None else run.network_seed


def places_of(run: Run, programs: tuple[Program, ...]) -> list[Nodes]:
    """Return the node of each task of each job.

    Raises
    ------
    ValueError
        If the jobs do not fit the network, a rule refuses, or a file it reads has changed.
    """
    return [found.mapping for found in _mappings_of(run, tuple(map(Repeated, programs)))]


def _mappings_of(run: Run, programs: tuple[Repeated, ...]) -> list[QapResult]:
    for name, digest in run.contents:
        _unchanged(name, digest)
    if run not in _PLACED:
        while len(_PLACED) >= _MOST_PLACED:
            del _PLACED[next(iter(_PLACED))]
        _PLACED[run] = place_jobs(
            _topology(run),
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


def check_places(run: Run, progress: Callable[[int], None] | None = None) -> None:
    """Check that the programs of a run can be made and placed; what would be simulated for it is not tried.

    `progress` is called with the number of bytes of a trace that were read since the last call.

    Raises
    ------
    ValueError
        As `execute`.
    """
    programs = _repeated_of(run, progress)
    if not any(simulates(job.mapping) for job in run.jobs):
        _mappings_of(run, programs)


def programs_of(run: Run) -> tuple[Program, ...]:
    """Return the programs of a run's jobs, built at most once in a process."""
    return tuple(repeated.written_out() for repeated in _repeated_of(run))


def _repeated_of(run: Run, progress: Callable[[int], None] | None = None) -> tuple[Repeated, ...]:
    return tuple(_program(job, run.config, progress) for job in map(_only_program, run.jobs))


def program_of(job: Job, config: Config) -> Program:
    """Return the program of a job, built anew.

    Raises
    ------
    ValueError
        If it cannot be made, cannot run, or its file has changed.
    """
    return _repeated(job, config).written_out()


def _repeated(job: Job, config: Config, progress: Callable[[int], None] | None = None) -> Repeated:
    reading = Reading(
        section=job.section,
        iterations=job.iterations,
        tasks=job.tasks,
        cycles_per_us=job.cpu_scale * 1000 / config.cycle_ns,
        packet_bytes=config.packet_bytes,
        rendezvous=config.rendezvous,
        options=dict(job.options),
        progress=progress,
    )
    if job.path:
        _unchanged(job.path, job.digest, lambda name: trace_digest(Path(name)))
        return trace_repeated(job.path, reading)
    if job.digest:
        source = APPLICATION.source(job.program)
        if source is None or source[1] != job.digest:
            raise UnavailableError(f"{job.program}: has changed since the run was described")
    return Repeated(application_program(job.program, reading, job.tasks or 1))


def _program(job: Job, config: Config, progress: Callable[[int], None] | None = None) -> Repeated:
    """Return the program of a job; those built last are kept, up to `_MOST_OPERATIONS` in all."""
    key = (job, config.packet_bytes, config.rendezvous, config.cycle_ns)
    if key not in _PROGRAMS:
        made = _repeated(job, config, progress)
        check_packets(made, config)
        room = _MOST_OPERATIONS - len(made.program)
        while _PROGRAMS and sum(len(repeated.program) for repeated in _PROGRAMS.values()) > room:
            del _PROGRAMS[next(iter(_PROGRAMS))]
        _PROGRAMS[key] = made
    return _PROGRAMS[key]


def handy_phit_bytes(run: Run) -> int:
    """Return the bytes of a phit, a power of two, with which a run sends about a million packets."""
    sent = sum(_repeated(job, run.config).bytes_sent for job in run.jobs)
    return _handy(sent, run.config)


def check_packets(repeated: Repeated, config: Config) -> None:
    """Refuse what would take days, and say how bytes can be scaled."""
    sent = repeated.bytes_sent
    if sent > _MOST_PACKETS * config.packet_bytes:
        packets = sent / config.packet_bytes / 1e9
        raise ValueError(
            f"{repeated.program.name}: sends {sent / 1e9:,.0f} GB in {packets:,.1f}e9 packets "
            f"of {config.packet_bytes} bytes, expected at most {_MOST_PACKETS / 1e9:.0f}e9; "
            f"--bytes-per-phit {_handy(sent, config)} scales bytes with the clock"
        )


def _handy(sent: int, config: Config) -> int:
    return max(config.phit_bytes, 1 << (sent // (config.packet_phits * _USUAL_PACKETS)).bit_length())


def _topology(run: Run) -> Topology:
    return _parsed(run.network, run.contents)


@lru_cache(maxsize=16)
def _parsed(text: str, contents: tuple[tuple[str, str], ...]) -> Topology:
    return parse(text)


# Programs of this process by what they depend on, the oldest first. An operation takes 25 bytes.
_PROGRAMS: dict[tuple[Any, ...], Repeated] = {}
_MOST_OPERATIONS = 20_000_000
_MOST_PACKETS = 4_000_000_000  # hours at the least, days on a large network
_USUAL_PACKETS = 1_000_000

# Mappings of this process by their runs, the oldest first: a search that took seconds is not made again.
_PLACED: dict[Run, list[QapResult]] = {}
_MOST_PLACED = 4

# Outcomes of this process by all that they depend on, the oldest first.
_KNOWN: dict[bytes, dict[str, Any]] = {}
_MOST_KNOWN = 2000


def _remember(signature: bytes, outcome: dict[str, Any]) -> None:
    while len(_KNOWN) >= _MOST_KNOWN:
        del _KNOWN[next(iter(_KNOWN))]
    _KNOWN[signature] = outcome


def _signature(run: Run, places: list[Nodes]) -> bytes:
    """Return a digest of all that the outcome of a run depends on."""
    topology = _topology(run)
    draws = network_draws(topology, run.config)
    nodes = places if draws else same_place(topology, places)
    jobs = tuple(Job(**vars(job) | {"mapping": "", "path": ""}) for job in run.jobs)
    seed = _network_seed(run) if draws else 0
    plain = replace(run, jobs=jobs, partition="", contents=(), revisions=(), seed=seed, network_seed=None)
    lists = [where.tolist() for where in nodes]
    return hashlib.sha256(f"{plain.canonical()} {lists}".encode()).digest()


def _with_winners(outcome: dict[str, Any], run: Run, methods: tuple[str, ...]) -> dict[str, Any]:
    """Return `outcome` with the names of the mappings that jobs which asked for the best one were given."""
    jobs = [
        {**told, "winner": method} if simulates(job.mapping) else told
        for told, job, method in zip(outcome["jobs"], run.jobs, methods, strict=True)
    ]
    return {**outcome, "jobs": jobs}


def _only_program(job: Job) -> Job:
    """Return `job` without what its program does not depend on."""
    return Job(**vars(job) | {"mapping": "consecutive", "start": 0})


def _unchanged(name: str, digest: str, now: Callable[[str], str] = current_digest) -> None:
    try:
        found = now(name)
    except ValueError as error:
        raise UnavailableError(str(error)) from None
    if found != digest:
        raise UnavailableError(f"{name}: has changed since the run was described")


def _outcome(result: Result) -> dict[str, Any]:
    """Return what was measured, without what the run itself says and what differs from time to time."""
    found = {name: value for name, value in result.to_dict().items() if name not in _LEFT_OUT}
    for job, measured in zip(found["jobs"], result.jobs, strict=True):
        job["tasks"] = len(measured.nodes)
    return found
