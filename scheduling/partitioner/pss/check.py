"""What is odd about a configuration that can be read: sizes without costs, constraints that nobody meets."""

from __future__ import annotations

import numpy as np

from netplace.scheduling.partitioner.pss.configuration import Configuration
from netplace.scheduling.partitioner.pss.partitioner import Model

__all__ = ["findings"]

_TRIED = 64  # sizes of jobs that are placed on the empty machine


def findings(configuration: Configuration) -> tuple[list[str], list[str]]:
    """Return warnings, and constraints that a job cannot meet even on the empty machine.

    Of large machines, the sizes at the ends of classes and rules and some between are tried.

    Raises
    ------
    ValueError
        If hosts differ in processors or are shared among queues.
    """
    slots, nodes = configuration.slots, len(configuration.hosts)
    warnings = [
        f"{configuration.name}: no class of costs holds jobs of {low} to {high} processors: they cost nothing"
        for low, high in _gaps(configuration, slots * nodes)
    ]
    contradictions = []
    for queue in configuration.queues:
        model = Model(configuration, queue)
        for size in _sizes(configuration, slots, nodes) if model.constrained else ():
            chosen = model.choose(np.ones(nodes, bool), size)
            rule = configuration.rule_of(size * slots)
            if chosen is not None and rule is not None and not model.accepts(chosen):
                cost = model.sets(size * slots).cost(chosen)
                contradictions.append(
                    f"{configuration.name}:{rule.line}: no job of {size * slots} processors in queue {queue} "
                    f"meets this, even on the empty machine, where its cost is {list(cost)}"
                )
    return warnings, contradictions


def _gaps(configuration: Configuration, most: int) -> list[tuple[int, int]]:
    """Return the ranges of sizes that no class holds."""
    gaps, at = [], 1
    for low, high in sorted((one.low, one.high) for one in configuration.classes):
        if low > at:
            gaps.append((at, min(low - 1, most)))
        at = max(at, high + 1)
    if at <= most:
        gaps.append((at, most))
    return [gap for gap in gaps if gap[0] <= gap[1]]


def _sizes(configuration: Configuration, slots: int, nodes: int) -> list[int]:
    """Return the sizes to try, in nodes."""
    ranges = [(one.low, one.high) for one in configuration.classes]
    ranges += [(rule.low, rule.high) for rule in configuration.rules]
    ends = {end for pair in ranges for end in pair}
    tried = {-(-end // slots) for end in ends} | {end // slots for end in ends}
    tried |= set(np.unique(np.linspace(1, nodes, min(nodes, _TRIED)).astype(int)).tolist())
    return sorted(size for size in tried if 1 <= size <= nodes)
