"""Means and spreads over the runs of several seeds, as tables and JSON show them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from netplace.apps.repeated import Repeated
from netplace.netsim import Config, Result
from netplace.netsim.bounds import bounds
from netplace.runs.execute import Executed
from netplace.runs.job_programs import repeated_of, settled
from netplace.runs.networks import network_of
from netplace.runs.placing import simulates
from netplace.topologies import Topology

Described = dict[str, Any]


def describe(executed: Executed) -> Described:
    run, result = executed.run, executed.result
    description = result.figures() | {"partition": run.partition, "mapping": run.jobs[0].mapping}
    description["jobs"] = describe_jobs(executed)
    slowest = max(range(len(result.jobs)), key=lambda job: result.jobs[job].cycles)
    description["slowest_job"] = slowest
    description["slowest_cycles"] = result.jobs[slowest].cycles
    if executed.window is not None:
        description["window"] = executed.window
        description["windows"] = _windows(result, executed.window)
    return description | {"versions": result.versions}


def describe_jobs(executed: Executed) -> list[Described]:
    run, network = executed.run, network_of(executed.run.network)
    programs = settled(run, network, repeated_of(run), executed.places)
    described = []
    for job, asked, method, program in zip(
        executed.result.jobs, run.jobs, executed.methods, programs, strict=True
    ):
        row = {"name": job.name, "start": job.start, "end": job.end, "cycles": job.cycles}
        row |= {"tasks": len(job.nodes), "nodes": job.nodes.tolist()}
        row["bounds"] = _bounds(program, network, run.config)
        described.append(row | ({"winner": method} if simulates(asked.mapping) else {}))
    return described


@lru_cache(maxsize=64)  # the same for all seeds
def _bounds(program: Repeated, topology: Topology, config: Config) -> Described:
    return bounds(program, topology, config).to_dict()


def _windows(result: Result, window: int) -> list[Described]:
    """Return the mean and the largest load of a link in each window."""
    links = max(1, np.count_nonzero(result.link_packets >= 0))
    return [
        {
            "end": (number + 1) * window,
            "mean_link_load": load.sum() / links,
            "most_link_load": load.max(initial=0.0),
        }
        for number, load in enumerate(result.window_load())
    ]


def summarise(runs: Sequence[Described]) -> Described:
    """Return the description of a run, or for several the means, their spread and all descriptions."""
    if len(runs) == 1:
        return runs[0]
    description: Described = means(runs)
    description["seed"] = runs[0]["seed"]
    description["seeds"] = [run["seed"] for run in runs]
    for job, first in zip(description["jobs"], runs[0]["jobs"], strict=True):
        job["nodes"] = first["nodes"]
    description["slowest_job"] = max(
        range(len(description["jobs"])), key=lambda job: description["jobs"][job]["cycles"]
    )
    description["spread"] = {
        key: spread([run[key] for run in runs])
        for key in ("cycles", "drained_cycles", "packet_hops", "cpu_seconds")
    }
    description["runs"] = list(runs)
    return description


def means(values: Sequence[Any]) -> Any:
    first = values[0]
    if isinstance(first, dict):
        return {key: means([value[key] for value in values]) for key in first}
    if isinstance(first, list) and all(len(value) == len(first) for value in values):
        return [means(entries) for entries in zip(*values, strict=True)]
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return first if all(value == first for value in values) else _mean(values)
    return first


def spread(values: Sequence[float]) -> dict[str, float]:
    deviation = 0.0
    if len(values) > 1:
        import statistics  # with exact fractions, which a single run does not need

        deviation = statistics.stdev(values)
    return {"mean": _mean(values), "std": deviation, "min": min(values), "max": max(values)}


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
