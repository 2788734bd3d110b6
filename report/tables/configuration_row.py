"""What is known of a configuration of jobs: a row of the table that ``netplace metrics`` shows and writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from netplace.checks.plain import from_plain, to_plain

__all__ = ["ConfigurationRow", "Correlation"]


@dataclass(frozen=True, kw_only=True)
class ConfigurationRow:
    """Metrics of a configuration, and its run times. Formulas: `netplace.placement.metrics.Metrics`.

    Metrics are means over the jobs, of the nodes that have a task; None where the network does not define
    them.

    Attributes
    ----------
    partition : str
        Which nodes jobs get, as the user names the rule.
    seed : int
        Random seed.
    NA, LA : float or None
        Nodes and links affected.
    AD : float
        Average distance of two nodes, in hops.
    DFC : float
        Distance from the center: a sum, in hops.
    Diam : float
        Diameter, in hops.
    TAD, TAD_AL : float or None
        Task distance in hops a pair of tasks; with the asymmetry level.
    WTAD, WTAD_AL : float or None
        The same, weighted: in bytes times hops a pair of tasks.
    LA_sum : float or None
        Links affected, as a sum over dimensions.
    routed_nodes, routed_links : float
        Nodes and directed links on minimal routes.
    centroid_distance : float or None
        Mean distance from the center, in hops.
    pair_hops, byte_hops, pair_hops_al, byte_hops_al : float or None
        Mean distance in hops of pairs that send, and of a byte; with the asymmetry level.
    most_link_load : float
        Bytes on the most loaded link if all jobs send all they have to send and use all minimal routes alike.
    cycles : int or None
        Run time of the slowest job, in cycles; None where nothing was simulated.
    mean_cycles : float or None
        Mean run time of a job, in cycles; None where nothing was simulated.
    """

    partition: str
    seed: int
    NA: float | None = None
    LA: float | None = None
    AD: float
    DFC: float
    Diam: float
    TAD: float | None = None
    WTAD: float | None = None
    TAD_AL: float | None = None
    WTAD_AL: float | None = None
    LA_sum: float | None = None
    routed_nodes: float
    routed_links: float
    centroid_distance: float | None = None
    pair_hops: float | None = None
    byte_hops: float | None = None
    pair_hops_al: float | None = None
    byte_hops_al: float | None = None
    most_link_load: float
    cycles: int | None = None
    mean_cycles: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the row as JSON and CSV hold it: what is None is omitted."""
        return to_plain(self)

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> ConfigurationRow:
        """Return the row that `to_dict` described, of a store, which has been checked."""
        return from_plain(cls, plain)


@dataclass(frozen=True)
class Correlation:
    """How a metric goes with run time.

    Attributes
    ----------
    r : float
        Pearson's coefficient, from -1 to 1.
    p : float
        Its p-value: how likely one so far from 0 is where metric and run time are independent.
    """

    r: float
    p: float
