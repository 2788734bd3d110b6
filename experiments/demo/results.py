"""What the demonstration replays, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from netplace.report.tables.summary import spread

__all__ = ["NETWORKS", "TRACES", "Case", "Outcome", "ratios"]

TRACES = ("BT.W.16", "FT.W.16", "IS.W.16", "LU.W.16", "MG.W.16")
# network: (virtual channels, mappings)
NETWORKS = {
    "torus:4x4": (2, ("consecutive", "column", "random")),
    "tree:4,2": (2, ("consecutive", "shuffle", "random")),
}


@dataclass(frozen=True)
class Case:
    """One run of the demonstration."""

    trace: str
    network: str
    vcs: int
    mapping: str
    seed: int


@dataclass(frozen=True)
class Outcome(Case):
    """What a run took; times in cycles, but `cpu_seconds`."""

    cycles: int
    drained_cycles: int
    packets: int
    packet_hops: int
    mean_packet_delay: float
    cpu_seconds: float


def ratios(outcomes: Sequence[Outcome], trace: str, network: str) -> dict[str, dict[str, float]]:
    """Return, for each mapping, the spread of its cycles divided by the mean of the consecutive mapping's."""
    chosen = [outcome for outcome in outcomes if (outcome.trace, outcome.network) == (trace, network)]
    base = fmean(outcome.cycles for outcome in chosen if outcome.mapping == "consecutive")
    return {
        mapping: spread([outcome.cycles / base for outcome in chosen if outcome.mapping == mapping])
        for mapping in NETWORKS[network][1]
    }
