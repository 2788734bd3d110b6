"""What is odd about a configuration that can be read: sizes without costs, constraints that nobody meets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from netplace.scheduling.partitioner.pss.configuration import Configuration, SizeClass
from netplace.scheduling.partitioner.pss.constraints import Rule
from netplace.scheduling.partitioner.pss.partitioner import Model

__all__ = ["findings"]

_TRIED = 64  # sizes of jobs that are placed on the empty machine


def findings(configuration: Configuration) -> tuple[list[str], list[str]]:
    """Return warnings, and constraints that a job cannot meet even on the empty machine.

    Of large machines, the sizes at the ends of classes and rules and some between are tried.
    """
    slots, nodes = configuration.slots, len(configuration.hosts)
    contradictions = []
    for queue in configuration.queues:
        configuration.whole_hosts(queue)
        model = Model(configuration, queue)
        for size in _sizes(configuration, slots, nodes) if model.constrained else ():
            chosen = model.choose(np.ones(nodes, bool), size)
            rule = configuration.rule_of(size * slots)
            if chosen is not None and rule is not None and not model.accepts(chosen):
                cost = model.sets(size * slots).cost(chosen)
                contradictions.append(
                    f"{configuration.name}:{rule.line}: no job of {_words(size * slots)} in queue {queue} "
                    f"meets this, even on the empty machine, where its cost is {list(cost)}"
                )
    return list(_oddities(configuration, slots * nodes)), contradictions


def _oddities(configuration: Configuration, most: int) -> Iterator[str]:
    """Yield what is sound, and hardly meant."""
    for low, high in _gaps(configuration, most):
        yield f"{configuration.name}: no class of costs holds jobs of {_words(low, high)}: they cost nothing"
    kinds: dict[str, Sequence[SizeClass | Rule]] = {
        "costs": configuration.classes,
        "constraint": configuration.rules,
    }
    for what, ranges in kinds.items():
        for place, size_class in enumerate(ranges):
            before = [(other.low, other.high) for other in ranges[:place]]
            if not _uncovered(before, size_class.low, min(size_class.high, most)):
                reason = "others come first, or the machine is smaller"
                yield f"{configuration.name}:{size_class.line}: {what} of no job: {reason}"
    grouped = {host for members in configuration.groups.values() for host, _ in members}
    lone = [host for place, host in enumerate(configuration.hosts) if place not in grouped]
    if lone:
        yield f"{configuration.name}:{lone[0].line}: host {lone[0].name} is in no group: it costs nothing"


def _words(low: int, high: int | None = None) -> str:
    """Return a number of processors, or from how many to how many."""
    if high is None or low == high:
        return f"{low:,} processor{'s' * (low > 1)}"
    return f"{low:,} to {high:,} processors"


def _gaps(configuration: Configuration, most: int) -> list[tuple[int, int]]:
    """Return the ranges of sizes that no class holds."""
    return _uncovered([(size_class.low, size_class.high) for size_class in configuration.classes], 1, most)


def _uncovered(ranges: Iterable[tuple[int, int]], least: int, most: int) -> list[tuple[int, int]]:
    """Return the parts of ``least..most`` that none of the ranges holds."""
    gaps, at = [], least
    for low, high in sorted(ranges):
        if low > at:
            gaps.append((at, min(low - 1, most)))
        at = max(at, high + 1)
    return [gap for gap in [*gaps, (at, most)] if gap[0] <= gap[1]]


def _sizes(configuration: Configuration, slots: int, nodes: int) -> list[int]:
    """Return the sizes to try, in nodes."""
    ranges = [(size_class.low, size_class.high) for size_class in configuration.classes]
    ranges += [(rule.low, rule.high) for rule in configuration.rules]
    ends = {end for pair in ranges for end in pair}
    tried = {-(-end // slots) for end in ends} | {end // slots for end in ends}
    tried |= set(np.unique(np.linspace(1, nodes, min(nodes, _TRIED)).astype(int)).tolist())
    return sorted(size for size in tried if 1 <= size <= nodes)
