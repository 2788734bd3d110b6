"""The language of configurations: ``queues``, ``slots``, ``groups``, ``costs``, ``constraints``.

Source: N. P. Drakenberg, "Increased model-realism can make processor-selection easier", Figure 6,
which shows it by an example. Comments (``#``), parts of a host (``/``), pools of a queue and ``and``,
``or``, ``not`` are ours.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from netplace.files import text_of
from netplace.inputs import check_choice
from netplace.scheduling.partitioner.pss.constraints import Rule, Tokens, read_rules, read_vector
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

    def hosts_of(self, queue: str) -> NDArray[np.bool_]:
        """Return whether a queue may use each host, shape (hosts,)."""
        pools = [set(host.queue_of.values()) - {""} for host in self.hosts]
        for host, names in zip(self.hosts, pools, strict=True):
            if len(names) > 1:
                raise ValueError(
                    f"{self.name}:{host.line}: host {host.name} is shared by the queues "
                    f"{' and '.join(sorted(names))}, expected one, because jobs get whole nodes"
                )
        return np.array([names <= {queue} for names in pools])

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


def written(sets: ProcessorSets, origin: str) -> str:
    """Return a configuration of one queue with these sets for jobs of all sizes; host ``ni`` is node i."""
    starts, values = sets.members
    lists = [values[a:b].tolist() for a, b in np.lib.stride_tricks.sliding_window_view(starts, 2)]
    slots = ", ".join(f"[n{node}=1]" for node in range(sets.nodes))
    groups = [f"g{i}={{{','.join(f'n{node}' for node in mine)}}}" for i, mine in enumerate(lists)]
    costs = [f"all@g{i}=[{','.join(map(str, vector))}]" for i, vector in enumerate(sets.vectors.tolist())]
    return "\n".join(
        [
            f"# {origin}",
            "queues: all",
            f"slots: {slots}",
            "groups:\n  " + ",\n  ".join(groups),
            "costs:\n  otherwise:\n  " + ",\n  ".join(costs),
            "end-costs",
            "",
        ]
    )


_EVERY = 2**62
Groups = dict[str, frozenset[Processor]]


def read_configuration(path: Path) -> Configuration:
    text = text_of(path)
    tokens = Tokens(path, text)
    queues = _queues(tokens)
    hosts = _hosts(tokens, queues)
    groups = _groups(tokens, hosts)
    classes, length = _classes(tokens, queues, groups)
    rules = []
    if tokens.accept("constraints"):
        tokens.expect(":")
        rules = read_rules(tokens, _sizes, length)
    if tokens.next:
        raise tokens.error("',' or the end of the file" if rules else "'constraints' or the end of the file")
    total = sum(len(host.queue_of) for host in hosts)
    for rule in rules:
        if rule.maximum > total:
            raise tokens.wrong(f"MINCOST({rule.maximum}): the machine has {total} processors", rule.line)
    return Configuration(str(path), tuple(queues), tuple(hosts), groups, tuple(classes), tuple(rules), length)


def _queues(tokens: Tokens) -> list[str]:
    tokens.expect("queues", ":")
    names: list[str] = []
    for line in tokens.items():
        name = tokens.name("the name of a queue")
        if name in names:
            raise tokens.wrong(f"queue {name} is defined twice", line)
        names.append(name)
    return names


def _hosts(tokens: Tokens, queues: list[str]) -> list[Host]:
    tokens.expect("slots", ":", instead="','")
    hosts: dict[str, Host] = {}
    for line in tokens.items():
        tokens.expect("[")
        name = tokens.name("the name of a host")
        if name in hosts:
            raise tokens.wrong(
                f"host {name} is defined twice, the first time in line {hosts[name].line}", line
            )
        tokens.expect("=")
        hosts[name] = Host(name, _pools(tokens, queues, name), line)
        tokens.expect("]")
    return list(hosts.values())


def _pools(tokens: Tokens, queues: list[str], host: str) -> dict[int, str]:
    queue_of: dict[int, str] = {}
    while True:
        queue, line = "", tokens.line
        if not tokens.next.isdecimal():
            queue = tokens.name("a range of processors or the name of a queue")
            if queue not in queues:
                raise tokens.wrong(_unknown(queue, queues, "queue"), line)
            tokens.expect(":")
        for number in itertools.chain.from_iterable(_numbers(tokens) for _ in tokens.items()):
            if number in queue_of:
                raise tokens.wrong(f"processor {number} of host {host} is defined twice", line)
            queue_of[number] = queue
        if not tokens.accept(";"):
            return queue_of


def _numbers(tokens: Tokens) -> range:
    line = tokens.line
    low = tokens.number("the number of a processor", 1)
    high = tokens.number("the number of a processor", 1) if tokens.accept("..") else low
    if high < low or high - low > 1_000_000:
        raise tokens.wrong(f"range {low}..{high} is decreasing or too long", line)
    return range(low, high + 1)


def _groups(tokens: Tokens, hosts: list[Host]) -> Groups:
    tokens.expect("groups", ":", instead="','")
    place = {host.name: i for i, host in enumerate(hosts)}
    groups: Groups = {}
    for line in tokens.items():
        name = tokens.name("the name of a group")
        if name in groups or name in place:
            raise tokens.wrong(f"group {name} is defined twice, or is a host", line)
        tokens.expect("=", "{")
        if tokens.next == "}":
            raise tokens.wrong(f"group {name} is empty", line)
        groups[name] = frozenset().union(*(_members(tokens, hosts, place, groups) for _ in tokens.items()))
        tokens.expect("}")
    return groups


def _members(tokens: Tokens, hosts: list[Host], place: dict[str, int], groups: Groups) -> set[Processor]:
    """Return the processors of a host, of a part of it, or of a group defined before."""
    line = tokens.line
    name = tokens.name("a host or a group")
    if name in groups:
        return set(groups[name])
    if name not in place:
        problem = _unknown(name, [*place, *groups], "host or group")
        raise tokens.wrong(f"{problem}; a group must be defined before it is used", line)
    host = place[name]
    numbers = set(hosts[host].queue_of)
    if tokens.accept("/"):
        wanted = set(_numbers(tokens))
        if not wanted <= numbers:
            raise tokens.wrong(f"host {name} has no processor {min(wanted - numbers)}", line)
        numbers = wanted
    return {(host, number) for number in numbers}


def _classes(tokens: Tokens, queues: list[str], groups: Groups) -> tuple[list[SizeClass], int]:
    tokens.expect("costs", ":", instead="','")
    classes: list[SizeClass] = []
    length = 0
    while not tokens.accept("end-costs"):
        line = tokens.line
        if tokens.next not in ("when", "otherwise"):
            comma = "',', " if classes else ""
            raise tokens.error(f"{comma}'when', 'otherwise' or 'end-costs'")
        low, high = _sizes(tokens)
        tokens.expect(":")
        costs: dict[tuple[str, str], tuple[int, ...]] = {}
        for at in tokens.items():
            queue = tokens.name("the name of a queue")
            tokens.expect("@")
            group = tokens.name("the name of a group")
            if queue not in queues:
                raise tokens.wrong(_unknown(queue, queues, "queue"), at)
            if group not in groups:
                raise tokens.wrong(_unknown(group, list(groups), "group"), at)
            if (queue, group) in costs:
                raise tokens.wrong(f"{queue}@{group} has two costs", at)
            tokens.expect("=", "[")
            costs[queue, group] = tuple(read_vector(tokens, length))
            length = length or len(costs[queue, group])
        classes.append(SizeClass(low, high, costs, line))
    if not length:
        raise tokens.wrong("costs: no group has a cost, expected at least one")
    for size_class in classes:
        for component in range(length):
            if sum(cost[component] for cost in size_class.costs.values()) > _EVERY:
                raise tokens.wrong(f"component {component + 1} sums up to more than 2^62", size_class.line)
    return classes, length


def _sizes(tokens: Tokens) -> tuple[int, int]:
    if tokens.accept("otherwise"):
        return 1, _EVERY
    line = tokens.line
    tokens.expect("when", "PEs", "in", "[", instead="'otherwise'")
    low = tokens.number("a number of processors", 1)
    tokens.expect(",")
    high = tokens.number("a number of processors", 1)
    tokens.expect("]")
    if high < low:
        raise tokens.wrong(f"sizes [{low},{high}] are decreasing", line)
    return low, high


def _unknown(name: str, known: list[str], label: str) -> str:
    try:
        check_choice(name, known, label)
    except ValueError as error:
        return str(error)
    return ""
