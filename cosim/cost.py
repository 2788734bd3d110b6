"""The choice of the cheapest fidelity, by the number of packets that each would simulate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from netplace.cosim.placed import Placing
from netplace.cosim.work import Work, body_of
from netplace.netsim import Config
from netplace.netsim.lower import created_packets
from netplace.runs.chance import network_draws
from netplace.scheduling import Job

# Chosen by docs/figures/network_time.py, whose table is in docs/background/sampled-time.md.
_LITTLE = 5e6  # packets that are simulated in some seconds
_MUCH = 1e8  # packets that take minutes
_EVENT = 10  # iterations of all jobs in a run of leaps when one comes or goes
_LIFE, _PART, _MOST = 60, 12, 280  # of each job besides: so many, one of so many, that at most
_DRAWS = 3  # of a time alone, at least, where anything is left to chance


def packets_by_fidelity(placing: Placing, jobs: Sequence[Job]) -> dict[str, float]:
    """Return the approximate packets that live and sampled times simulate, including times alone."""
    if not len(jobs):
        raise ValueError("jobs: none given, expected at least one")
    work = [placing.work_of(job) for job in jobs]
    packets = np.array([_packets(placing, each) for each in work], float)
    iterations = np.array([each.iterations for each in work], float)
    draws = _DRAWS if network_draws(placing.machine, placing.config) else 1
    together = min(len(jobs), placing.machine.nodes / float(np.mean([job.nodes for job in jobs])))
    whole = float((packets * iterations).sum())
    looked = np.minimum(iterations, _LIFE + np.minimum(iterations / _PART, _MOST))
    own = float((packets * looked).sum())
    events = 2 * len(jobs) * _EVENT * together * float(packets.mean())
    return {
        "live": whole * (1 + 2 * draws),  # alone and fresh
        "sampled": 2 * min(whole, events + own) + draws * own,
    }


def affordable_draws(placing: Placing, jobs: Sequence[Job], most: float) -> int:
    """Return how many draws, of all jobs together and of each alone, take at most so many packets."""
    packets = sum(_all_packets(placing, placing.work_of(job)) for job in jobs)
    return int(min(most / max(1.0, 2 * packets), 1e9))


def cheaper(placing: Placing, jobs: Sequence[Job]) -> tuple[str, str]:
    """Return the cheapest fidelity that includes sharing, and the reason in a sentence."""
    live, sampled = packets_by_fidelity(placing, jobs).values()
    if live <= max(_LITTLE, sampled):
        few = "few enough" if live <= _LITTLE else f"sampled times would take {sampled:.2g}"
        return "live", f"fidelity live was chosen: about {live:.2g} packets, {few}"
    if sampled <= _MUCH:
        return (
            "sampled",
            f"fidelity sampled was chosen: about {sampled:.2g} packets instead of {live:.2g} live",
        )
    return (
        "mixes",
        f"fidelity mixes was chosen: {live:.2g} packets live and {sampled:.2g} sampled are too many",
    )


def check_affordable(placing: Placing, jobs: Sequence[Job], fidelity: str, most: float) -> None:
    if not jobs:
        return
    live, sampled = packets_by_fidelity(placing, jobs).values()
    if live > most:
        longest = max(jobs, key=lambda job: _all_packets(placing, placing.work_of(job)))
        times = placing.work_of(longest).iterations
        raise ValueError(
            f"fidelity: {fidelity} would simulate about {live:.2g} packets (most of them those of "
            f"job {longest.number}, {times:,} iterations), expected at most {most:.2g}; "
            f"--fidelity sampled takes about {sampled:.2g}, and --max-packets allows more"
        )


def check_block(work: Work, iterations: int, config: Config, most: float) -> None:
    """Check that the simulation of the timed iterations of a job of a log is feasible."""
    packets = iterations * _of_body(work, config)
    if packets > most:
        raise ValueError(
            f"applications: {work.application!r} on {work.tasks} nodes is timed over {iterations} iterations "
            f"of about {packets:.2g} packets, expected at most {most:.2g}; --max-packets allows more"
        )


def _all_packets(placing: Placing, work: Work) -> float:
    return work.iterations * _packets(placing, work)


def _packets(placing: Placing, work: Work) -> float:
    return _of_body(replace(work, iterations=1, compute=0), placing.config) if work.application else 0.0


@lru_cache(maxsize=4096)
def _of_body(work: Work, config: Config) -> float:
    """Return the packets that one iteration creates, message by message."""
    there, back = created_packets(body_of(work, config), config)
    return float(there.sum() + back.sum())
