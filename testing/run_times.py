"""The check of a rule of run times."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from netplace.scheduling import Job, make_partitioner
from netplace.scheduling.times import RunTimes, make_times
from netplace.testing.demand import NETWORKS, accepted, demand, name_of
from netplace.topologies import parse

__all__ = ["check_run_times"]


def check_run_times(rule: str | Callable[..., Any], networks: Sequence[str] = NETWORKS) -> None:
    """Check that run times are not negative, reproducible, and at most the longest run time.

    The rule is a class that takes a machine and a list of words.
    """
    what = f"run times {name_of(rule)}"

    def made(network: str) -> RunTimes:
        machine = parse(network)
        return make_times(rule, machine) if isinstance(rule, str) else rule(machine, [])

    for network, times in accepted(networks, made, what):
        for nodes in (1, 3, parse(network).nodes):
            for partition in ("non-contiguous", "random"):
                job = Job(1, 0.0, nodes, 100.0, 120.0)
                allocation = make_partitioner(partition, parse(network)).find(job)
                assert allocation is not None
                seconds, subject = times.seconds(job, allocation), f"{what}, {nodes} nodes on {network}"
                demand(0 <= seconds < math.inf, f"{subject}: {seconds} seconds, expected 0 or more")
                demand(
                    seconds == times.seconds(job, allocation),
                    f"{subject}: a second call returns a different result",
                )
                longest = times.longest(job)
                demand(
                    seconds <= longest, f"{subject}: {seconds} seconds, longer than the longest, {longest}"
                )
