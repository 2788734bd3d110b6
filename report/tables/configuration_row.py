"""What is known of a configuration of jobs: a row of the table that ``netplace metrics`` shows and writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from netplace.checks.plain import from_plain, to_plain


@dataclass(frozen=True, kw_only=True)
class ConfigurationRow:
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

    def to_dict(self) -> dict[str, Any]:
        """Return the row as JSON and CSV hold it: what is None is omitted."""
        return to_plain(self)

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> ConfigurationRow:
        """Return the row that `to_dict` described, of a store, which has been checked."""
        return from_plain(cls, plain)


@dataclass(frozen=True)
class Correlation:
    """How a metric goes with run time."""

    r: float  # pearson's coefficient, from -1 to 1
    p: float  # its p-value: how likely one so far from 0 is where metric and run time are independent
