"""Programs of the jobs of runs, cached so that a worker builds each once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from netplace.apps import APPLICATIONS, Program
from netplace.apps.program import Repeated
from netplace.netsim import Config
from netplace.netsim.lower import created_packets
from netplace.placement.mapping.rules import expected_seconds
from netplace.placement.rule import Nodes
from netplace.runs.digests import UnavailableError, check_digest
from netplace.runs.meter import HOPS_PER_SECOND
from netplace.runs.networks import network_of
from netplace.runs.programs import Reading, application_program, request_of, trace_digest, trace_repeated
from netplace.runs.resolve import job_of
from netplace.runs.spec import Job, Run
from netplace.topologies import Topology
from netplace.topologies.switch_grid import switch_groups


def programs_of(run: Run, places: Sequence[Nodes] | None = None) -> tuple[Program, ...]:
    """Return the programs of a run's jobs; on `places`, hierarchical collectives use the switches there."""
    programs = repeated_of(run)
    if places is not None:
        programs = resolved(run, network_of(run.network), programs, places)
    return tuple(program.written_out() for program in programs)


def on_nodes(run: Run) -> Callable[[Nodes], Program] | None:
    """Return what gives the program of a run's only job on its nodes; None if it is the same on all nodes."""
    [job] = run.jobs
    if not _is_hierarchical(job):
        return None
    return lambda nodes: programs_of(run, [nodes])[0]


def repeated_of(run: Run, progress: Callable[[int], None] | None = None) -> tuple[Repeated, ...]:
    """Return the programs of a run's jobs as they are kept, with the number of repetitions of iterations."""
    return _last(run.jobs, run.config) if progress is None else _programs(run.jobs, run.config, progress)


def _programs(
    jobs: tuple[Job, ...], config: Config, progress: Callable[[int], None] | None = None
) -> tuple[Repeated, ...]:
    return tuple(_program(job, config, progress) for job in map(_only_program, jobs))


_last = lru_cache(maxsize=1)(_programs)  # the runs of one entry come one after the other


def resolved(
    run: Run, topology: Topology, programs: tuple[Repeated, ...], places: Sequence[Nodes]
) -> tuple[Repeated, ...]:
    """Return the programs of a run's jobs on their nodes: hierarchical collectives by the switches there."""
    placed_programs = []
    for job, repeated, nodes in zip(run.jobs, programs, places, strict=True):
        groups = switch_groups(topology, nodes) if _is_hierarchical(job) else ()
        if not groups:
            placed_programs.append(repeated)
            continue
        from netplace.apps.collectives import in_groups

        options = dict(job.options)
        options["collectives"] = in_groups(str(options["collectives"]), groups)
        placed_programs.append(
            _program(_only_program(replace(job, options=tuple(sorted(options.items())))), run.config)
        )
    return tuple(placed_programs)


def _is_hierarchical(job: Job) -> bool:
    """Return whether collectives of a job go by which of its tasks share a switch; the usual ones do not."""
    text = dict(job.options).get("collectives")
    if text is None:
        return False
    from netplace.apps.collectives import selection

    return selection(str(text)).is_hierarchical


def program_of(job: Job, config: Config) -> Program:
    """Return the program of a job, built again."""
    return _repeated(job, config).written_out()


def _repeated(job: Job, config: Config, progress: Callable[[int], None] | None = None) -> Repeated:
    options = dict(job.options)
    if any(config.host_rates):
        rates = ":".join(f"{rate:.12g}" for rate in config.host_rates)
        options["collectives"] = f"{options.get('collectives') or 'builtin'}+host={rates}"
    reading = Reading(
        section=job.section,
        iterations=job.iterations,
        tasks=job.tasks,
        cycles_per_us=job.cpu_scale * 1000 / config.cycle_ns,
        packet_bytes=config.packet_bytes,
        eager_limit=config.eager_limit,
        options=options,
        cycle_ns=config.cycle_ns,
        progress=progress,
    )
    if job.repeats > 1:
        return Repeated(without_iterations(_repeated(replace(job, repeats=1), config)), job.repeats)
    if job.path:
        check_digest(job.path, job.digest, lambda name: trace_digest(Path(name)))
        return trace_repeated(Path(job.path), reading)
    if job.digest:
        source = APPLICATIONS.source(job.program)
        if source is None or source[1] != job.digest:
            raise UnavailableError(f"{job.program}: has changed since the run was specified")
    return Repeated(application_program(job.program, reading, job.tasks or 1))


def program_once(text: str, tasks: int, config: Config) -> Program:
    """Return one repetition of the program that a text names, which has so many tasks."""
    request = request_of(text)
    job = job_of(request if "trace" in request else request | {"tasks": tasks}, config, tasks)
    program = without_iterations(_built(job, config))
    if program.tasks != tasks:
        raise ValueError(f"{text}: is a program of {program.tasks} tasks, but the job has {tasks}")
    return program


def without_iterations(repeated: Repeated) -> Program:
    """Return a program as one piece, which can then run several times as a whole."""
    program = repeated.written_out()
    return replace(program, marks=np.empty((0, 3), np.int64), sections={})


def _program(job: Job, config: Config, progress: Callable[[int], None] | None = None) -> Repeated:
    """Return the program of a job, of no more packets than can be simulated."""
    made = _built(job, config, progress)
    check_packets(made, config)
    return made


def _built(job: Job, config: Config, progress: Callable[[int], None] | None = None) -> Repeated:
    """Return the program of a job; those built last are kept, up to `_MOST_OPERATIONS` in all."""
    key = (job, config.packet_bytes, config.eager_limit, config.cycle_ns, config.host_rates)
    if key not in _PROGRAMS:
        made = _repeated(job, config, progress)
        room = _MOST_OPERATIONS - len(made.program)
        while _PROGRAMS and sum(len(repeated.program) for repeated in _PROGRAMS.values()) > room:
            del _PROGRAMS[next(iter(_PROGRAMS))]
        _PROGRAMS[key] = made
    return _PROGRAMS[key]


def scale_large_run(run: Run, tell: Callable[[str], None]) -> Run:
    """Return a run of training with phits so large that it sends about a million packets, and report it."""
    if not any(job.program.startswith("training") for job in run.jobs):
        return run
    sent = sum(_built(job, run.config).bytes_sent for job in map(_only_program, run.jobs))
    if (phit_bytes := _handy(sent, run.config)) <= run.config.phit_bytes:
        return run
    times = phit_bytes / run.config.phit_bytes
    tell(f"scaled bytes and clock: --bytes-per-phit {phit_bytes}, cycles {times:g} times as long")
    return replace(run, config=run.config.scaled(phit_bytes))


def check_packets(repeated: Repeated, config: Config) -> None:
    """Refuse a run that would take days, and say how to scale its bytes."""
    sent = repeated.bytes_sent
    there, back = created_packets(repeated.program, config)
    packets = repeated.total(there + back)
    if packets > _MOST_PACKETS:
        raise ValueError(
            f"{repeated.program.name}: sends {sent / 1e9:,.0f} GB in {packets / 1e9:,.1f}e9 packets "
            f"of {config.packet_bytes} bytes, expected at most {_MOST_PACKETS / 1e9:.0f}e9; "
            f"--bytes-per-phit {_handy(sent, config)} scales bytes with the clock"
        )


def packets_of_run(run: Run) -> float:
    """Return how many packets the jobs of a run create, about."""
    packets = 0.0
    for repeated in repeated_of(run):
        there, back = created_packets(repeated.program, run.config)
        packets += repeated.total(there + back)
    return packets


def expected_cpu_seconds(runs: Sequence[Run]) -> float:
    """Return roughly what runs take with their searches of mappings, by some of them if there are many."""
    some = runs[:: max(1, len(runs) // _SAMPLED)]
    hops = sum(packets_of_run(run) * (1 + network_of(run.network).diameter / 2) for run in some)
    searches = sum(
        expected_seconds(job.mapping, partial(_flows, _only_program(job), run.config))
        for run in some
        for job in run.jobs
    )
    each = (hops / HOPS_PER_SECOND + searches) / max(1, len(some))
    return (each + _START_SECONDS) * len(runs)


@lru_cache(maxsize=16)  # the same for all mappings
def _flows(job: Job, config: Config) -> Any:
    return _built(job, config).traffic().W


def _handy(sent: int, config: Config) -> int:
    return max(config.phit_bytes, 1 << (sent // (config.packet_phits * USUAL_PACKETS)).bit_length())


def _only_program(job: Job) -> Job:
    """Return `job` without what its program does not depend on."""
    return Job(**vars(job) | {"mapping": "consecutive", "start": 0})


# Programs of this process by what they depend on, the oldest first. An operation of a program takes 25 bytes.
_PROGRAMS: dict[tuple[Any, ...], Repeated] = {}
_MOST_OPERATIONS = 20_000_000
_MOST_PACKETS = 4_000_000_000  # hours at the least, days on a large network
USUAL_PACKETS = 1_000_000
_START_SECONDS, _SAMPLED = 0.002, 50
