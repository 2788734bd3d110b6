"""Which fidelity is the cheaper one: by the packets that each would simulate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from netplace.cosim.placed import Placing
from netplace.cosim.work import Work, body_of
from netplace.scheduling import Job

__all__ = ["cheaper"]

_LITTLE = 2e6  # packets that are simulated in seconds
_MUCH = 1e8  # packets that take longer than some minutes
_EVENT = 10  # iterations of all jobs that are simulated when one comes or goes
_LIFE = 100  # and of each job besides
_TWICE = 2


def cheaper(placing: Placing, jobs: Sequence[Job]) -> tuple[str, str]:
    """Return the cheapest fidelity that tells what sharing costs, and why it is, in a sentence."""
    work = [placing.work_of(job) for job in jobs]
    packets = np.array([_packets(placing, each) for each in work], float)
    iterations = np.array([each.iterations for each in work], float)
    live = float((packets * iterations).sum())
    nodes = float(np.mean([job.nodes for job in jobs]))
    together = min(len(jobs), placing.machine.nodes / nodes)
    events = 2 * len(jobs) * _EVENT * together * float(packets.mean())
    sampled = _TWICE * float(min(live, events + (packets * np.minimum(iterations, _LIFE)).sum()))
    if live <= max(_LITTLE, sampled):
        return "live", f"network time live was chosen: {live:.2g} packets, about as few as sampled times need"
    if sampled <= _MUCH:
        return (
            "sampled",
            f"network time sampled was chosen: about {sampled:.2g} packets instead of {live:.2g} live",
        )
    return (
        "mixes",
        f"network time mixes was chosen: {live:.2g} packets live and {sampled:.2g} sampled are too many",
    )


def _packets(placing: Placing, work: Work) -> float:
    """Return the packets of an iteration."""
    if not work.application:
        return 0.0
    body = body_of(replace(work, iterations=1, compute=0), placing.config)
    traffic = body.traffic().W
    return float(np.ceil(np.asarray(traffic[traffic > 0], float) / placing.config.packet_bytes).sum())
