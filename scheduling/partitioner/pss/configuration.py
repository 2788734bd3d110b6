"""A machine with its processor sets, as a configuration file describes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from netplace.scheduling.partitioner.pss.constraints import Rule
from netplace.scheduling.partitioner.pss.sets import ProcessorSets, processor_sets

Processor = tuple[int, int]  # place of the host, number


@dataclass(frozen=True)
class Host:
    """A host: its name, the queue that may use each of its processors (empty: all), and where it stands."""

    name: str
    queue_of: Mapping[int, str]
    line: int


@dataclass(frozen=True)
class SizeClass:
    """Costs of the groups for jobs of some sizes in processors, by queue and group."""

    low: int
    high: int
    costs: Mapping[tuple[str, str], tuple[int, ...]]
    line: int


@dataclass(frozen=True)
class Configuration:
    name: str  # where it came from
    queues: tuple[str, ...]
    hosts: tuple[Host, ...]  # in the order of slots: host i is node i
    groups: Mapping[str, frozenset[Processor]]  # processors of each group, in order of definition
    classes: tuple[SizeClass, ...]  # the first that holds a size counts
    rules: tuple[Rule, ...]  # the first that holds a size counts
    length: int  # components of a cost

    @property
    def slots(self) -> int:
        first = self.hosts[0]
        for host in self.hosts:
            if len(host.queue_of) != len(first.queue_of):
                raise ValueError(
                    f"{self.name}:{host.line}: host {host.name} has {len(host.queue_of)} processors and "
                    f"{first.name} {len(first.queue_of)}, expected the same number, because jobs get whole "
                    f"nodes"
                )
        return len(first.queue_of)

    def whole_hosts(self, queue: str) -> None:
        for host in self.hosts:
            others = sorted(set(host.queue_of.values()) - {"", queue})
            if others:
                raise ValueError(
                    f"{self.name}:{host.line}: host {host.name} is shared with queue {others[0]}, "
                    "expected hosts with one queue, because jobs get whole nodes"
                )

    def class_of(self, processors: int) -> SizeClass | None:
        """Return the class of a job's size, or None: then no set costs anything."""
        return next(
            (size_class for size_class in self.classes if size_class.low <= processors <= size_class.high),
            None,
        )

    def rule_of(self, processors: int) -> Rule | None:
        """Return the constraint on jobs of a size, or None: then every selection is accepted."""
        return next((rule for rule in self.rules if rule.low <= processors <= rule.high), None)

    def sets(self, processors: int, queue: str = "") -> ProcessorSets:
        assert self.slots
        self.whole_hosts(queue or self.queues[0])
        size_class = self.class_of(processors)
        costs = size_class.costs if size_class else {}
        nothing = (0,) * self.length
        return processor_sets(
            len(self.hosts),
            [
                ({host for host, _ in members}, costs.get((queue or self.queues[0], name), nothing))
                for name, members in self.groups.items()
            ],
        )
