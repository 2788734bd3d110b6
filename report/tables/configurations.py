"""Configurations: metrics of jobs placed by one seed, and their correlation with run times."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

import numpy as np
from scipy import stats

from netplace.placement.metrics import OWN, PUBLISHED, link_loads, metrics
from netplace.plain_data import PlainData
from netplace.runs.chance import placement_is_random
from netplace.runs.execute import execute
from netplace.runs.job_programs import programs_of
from netplace.runs.networks import network_of
from netplace.runs.placing import places_of
from netplace.runs.spec import Run


@dataclass(frozen=True, kw_only=True)
class ConfigurationRow(PlainData):
    """Means over a configuration's jobs of `netplace.placement.metrics.Metrics`, and run times."""

    partition: str  # which nodes jobs get, as the user names the rule
    seed: int  # random seed
    # Nodes and links affected.
    NA: float | None = None
    LA: float | None = None
    AD: float  # average distance of two nodes, in hops
    DFC: float  # distance from the center: a sum, in hops
    Diam: float  # diameter, in hops
    TAD: float | None = None
    WTAD: float | None = None
    TAD_AL: float | None = None
    WTAD_AL: float | None = None
    LA_sum: float | None = None  # links affected, as a sum over dimensions
    # Nodes and directed links on minimal routes.
    routed_nodes: float
    routed_links: float
    centroid_distance: float | None = None  # mean distance from the center, in hops
    # Mean distance in hops of pairs that send, and of a byte; with the asymmetry level.
    pair_hops: float | None = None
    byte_hops: float | None = None
    pair_hops_al: float | None = None
    byte_hops_al: float | None = None
    # Bytes on the most loaded link if all jobs send all they have to send and use all minimal routes alike.
    most_link_load: float
    cycles: int | None = None  # run time of the slowest job, in cycles; None where nothing was simulated
    mean_cycles: float | None = None  # mean run time of a job, in cycles; None where nothing was simulated


METRICS = (*PUBLISHED, *OWN, "most_link_load")
TIMES = ("cycles", "mean_cycles")


@dataclass(frozen=True)
class Configuration:
    """Jobs placed by one seed, perhaps to be simulated."""

    run: Run  # the jobs, the network, the rules of placement and the seed
    simulated: bool = False  # whether run times are wanted

    @property
    def key(self) -> str:
        """Content hash: SHA-256, in hexadecimal."""
        return hashlib.sha256(f"configuration {self.simulated} {self.run.key}".encode()).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """Return what it asks for as data for JSON."""
        return {"run": self.run.to_dict(), "simulated": self.simulated}


def seeds_of(run: Run, first: int, count: int) -> range:
    """Return the seeds of `count` configurations, or the first alone if neither rule leaves a choice."""
    return range(first, first + (count if placement_is_random(run) else 1))


def measure(configuration: Configuration) -> ConfigurationRow:
    """Return the metrics of a configuration: means over its jobs, on the nodes that their tasks are on."""
    run, topology = configuration.run, network_of(configuration.run.network)
    programs = programs_of(run)
    result = execute(run) if configuration.simulated else None
    places = [job.nodes for job in result.jobs] if result else places_of(run, programs)
    programs = programs_of(run, places)
    each, load = [], np.zeros(len(topology.links()))
    traffic = {id(program): program.traffic().W for program in programs}
    for program, nodes in zip(programs, places, strict=True):
        W = traffic[id(program)]
        each.append(asdict(metrics(topology, nodes, W)))
        load += link_loads(topology, nodes, W)
    defined = [name for name in METRICS[:-1] if each[0][name] is not None]
    return ConfigurationRow(
        partition=run.partition,
        seed=run.seed,
        most_link_load=float(load.max(initial=0.0)),
        cycles=result.cycles if result else None,
        mean_cycles=fmean(job.cycles for job in result.jobs) if result else None,
        **{name: fmean(values[name] for values in each) for name in defined},
    )


def outcome_of(configuration: Configuration) -> dict[str, Any]:
    """Return the row of a configuration, as it is kept; for workers."""
    return measure(configuration).to_dict()


def known(rows: Sequence[ConfigurationRow]) -> list[str]:
    """Return which of `METRICS` and `TIMES` rows of one network have."""
    return [name for name in (*METRICS, *TIMES) if getattr(rows[0], name) is not None]


def correlations(
    rows: Sequence[ConfigurationRow], time: str = "cycles"
) -> dict[str, dict[str, float] | None]:
    """Return Pearson's ``r`` of each metric with a time, and its p-value ``p``; None where r is undefined."""
    by_metric: dict[str, dict[str, float] | None] = {}
    times = np.array([getattr(row, time) for row in rows], float)
    for name in known(rows):
        if name in TIMES:
            continue
        values = np.array([getattr(row, name) for row in rows], float)
        varied = len(rows) > 2 and np.ptp(values) > 1e-9 * np.abs(values).max() and np.ptp(times) > 0
        pearson = stats.pearsonr(values, times) if varied else None
        by_metric[name] = (
            None if pearson is None else {"r": float(pearson.statistic), "p": float(pearson.pvalue)}
        )
    return by_metric
