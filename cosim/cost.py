"""Limits on the number of packets that a co-simulation simulates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from netplace.cosim.placed import JobPlacer
from netplace.cosim.work import JobProgram, iteration_program
from netplace.netsim import Config
from netplace.netsim.lower import created_packets
from netplace.runs.chance import network_is_random
from netplace.runs.job_programs import USUAL_PACKETS
from netplace.runs.meter import HOPS_PER_SECOND
from netplace.scheduling import Job

_SIMULATED = 500  # iterations of a sampled job, after which most are skipped
_DRAWS = 3  # of a time alone, at least, where anything is left to chance


def affordable_draws(placing: JobPlacer, jobs: Sequence[Job], maximum: float) -> int:
    """Return how many draws, of all jobs together and of each alone, take at most so many packets."""
    packets = sum(_all_packets(placing, placing.program_for(job)) for job in jobs)
    return int(min(maximum / max(1.0, 2 * packets), 1e9))


def check_affordable(placing: JobPlacer, jobs: Sequence[Job], fidelity: str, maximum: float) -> float:
    """Return the packets of a run of jobs, each also alone and on a new network; so many at most.

    A training job whose packets take hours is refused unless its bytes are scaled.
    """
    packets = [_all_packets(placing, placing.program_for(job)) for job in jobs]
    alone = _DRAWS if network_is_random(placing.machine, placing.config) else 1
    live = sum(packets) * (1 + 2 * alone)
    if live > maximum:
        longest = jobs[packets.index(max(packets))]
        times = placing.program_for(longest).iterations
        raise ValueError(
            f"fidelity: {fidelity} would simulate about {live:.2g} packets (most of them those of "
            f"job {longest.number}, {times:,} iterations), expected at most {maximum:.2g}; "
            "--fidelity sampled takes fewer, and --max-packets allows more"
        )
    hours = live * (1 + placing.machine.diameter / 2) / HOPS_PER_SECOND / 3600
    for job, own in zip(jobs, packets, strict=True):
        text, phit_bytes = placing.program_for(job).application, placing.config.phit_bytes
        if hours > 1 and text.startswith("training") and phit_bytes == Config.phit_bytes:
            scale = 1 << math.ceil(math.log2(max(1, phit_bytes * own / USUAL_PACKETS)))
            raise ValueError(
                f"job {job.number}: {text} sends {own:.2g} packets of {placing.config.packet_bytes} bytes, "
                f"{hours:,.0f} hours with all jobs; --bytes-per-phit {scale} scales bytes with the clock"
            )
    return live


def sampled_packets(placing: JobPlacer, jobs: Sequence[Job]) -> float:
    """Return about how many packets a sampled run of jobs simulates: two runs of all, and each alone."""
    works = map(placing.program_for, jobs)
    return 3 * sum(min(work.iterations, _SIMULATED) * packets_of(placing, work) for work in works)


def check_block(work: JobProgram, iterations: int, config: Config, maximum: float) -> None:
    """Check that the simulation of the timed iterations of a job of a log is feasible."""
    packets = iterations * _of_body(work, config)
    if packets > maximum:
        raise ValueError(
            f"applications: {work.application!r} on {work.tasks} nodes is timed over {iterations} iterations "
            f"of about {packets:.2g} packets, expected at most {maximum:.2g}; --max-packets allows more"
        )


def _all_packets(placing: JobPlacer, work: JobProgram) -> float:
    return work.iterations * packets_of(placing, work)


def packets_of(placing: JobPlacer, work: JobProgram) -> float:
    """Return the packets of one iteration of a job."""
    return _of_body(replace(work, iterations=1, compute=0), placing.config) if work.application else 0.0


@lru_cache(maxsize=4096)
def _of_body(work: JobProgram, config: Config) -> float:
    """Return the packets that one iteration creates, message by message."""
    there, back = created_packets(iteration_program(work, config), config)
    return float(there.sum() + back.sum())
