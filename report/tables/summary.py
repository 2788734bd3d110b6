"""Means and spreads over the runs of several seeds, as tables and JSON show them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from netplace.apps.program import Repeated
from netplace.netsim import Config, Result
from netplace.netsim.bounds import bounds
from netplace.netsim.effects import notes_on
from netplace.netsim.outcome import Finished
from netplace.netsim.result import job_figures
from netplace.runs.execute import Executed
from netplace.runs.job_programs import repeated_of, resolved
from netplace.runs.networks import network_of
from netplace.runs.placing import simulates
from netplace.topologies import Topology

Described = dict[str, Any]


def describe(executed: Executed) -> Described:
    run, result = executed.run, executed.result
    description = result.figures() | {"partition": run.partition, "mapping": run.jobs[0].mapping}
    description["jobs"] = describe_jobs(executed)
    description |= _slowest([job.cycles if job.finished else None for job in result.jobs])
    if executed.window is not None:
        description["window"] = executed.window
        description["windows"] = _windows(result, executed.window)
    if notes := notes_on(network_of(run.network), run.config):
        description["notes"] = notes
    return description | {"versions": result.versions}


def describe_jobs(executed: Executed) -> list[Described]:
    run, network = executed.run, network_of(executed.run.network)
    programs = resolved(run, network, repeated_of(run), executed.places)
    described = []
    for job, partition, method, program in zip(
        executed.result.jobs, run.jobs, executed.methods, programs, strict=True
    ):
        row = job_figures(job)
        row |= {"tasks": len(job.nodes), "nodes": job.nodes.tolist()}
        row["bounds"] = _bounds(program, network, run.config)
        described.append(row | ({"winner": method} if simulates(partition.mapping) else {}))
    return described


def _slowest(cycles: Sequence[float | None]) -> Described:
    """Return the number and the cycles of the job that took longest of those that finished, if any did."""
    known = [job for job, value in enumerate(cycles) if value is not None]
    slowest = max(known, key=lambda job: cycles[job] or 0, default=None)
    return {"slowest_job": slowest, "slowest_cycles": None if slowest is None else cycles[slowest]}


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
    """Return the description of a run, or for several the means, their spread and all descriptions.

    Run times are means over the runs in which the job, or every job, finished; ``failed`` counts the others.
    """
    if len(runs) == 1:
        return runs[0]
    description: Described = means(runs)
    description["seed"] = runs[0]["seed"]
    description["seeds"] = [run["seed"] for run in runs]
    for place, job in enumerate(description["jobs"]):
        each = [run["jobs"][place] for run in runs]
        lost = [own for own in each if own["outcome"] != Finished.name]
        job["nodes"], job["failed"] = each[0]["nodes"], len(lost)
        job |= {name: (lost or each)[0][name] for name in ("outcome", "reason")}
    description["failed"] = sum(run["cycles"] is None for run in runs)
    description["slowest_job"] = _slowest([job["cycles"] for job in description["jobs"]])["slowest_job"]
    known = {
        key: [run[key] for run in runs if run[key] is not None]
        for key in ("cycles", "drained_cycles", "packet_hops", "cpu_seconds")
    }
    description["spread"] = {key: spread(values) for key, values in known.items() if values}
    description["runs"] = list(runs)
    return description


def means(values: Sequence[Any]) -> Any:
    first = values[0]
    numbers = [value for value in values if value is not None]
    if 0 < len(numbers) < len(values) and all(isinstance(value, int | float) for value in numbers):
        return means(numbers)  # of the runs that have it
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
