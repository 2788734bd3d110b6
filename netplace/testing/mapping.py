"""The check of a mapping."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from netplace.apps import TaskWriter, application
from netplace.placement.mapping import MAPPINGS, MappingProblem, QapResult
from netplace.placement.partition import PARTITIONS, PartitionRequest
from netplace.placement.rule import Nodes, Rule, find_rule
from netplace.runs.placing import run_time_of
from netplace.testing.demand import NETWORKS, accepted, demand, name_of
from netplace.topologies import Topology, parse

_SIZES = ((1,), (16,), (4, 4), (4, 4, 4, 4), (3, 5), (1, 2, 3))
_PartitionCase = tuple[str, tuple[int, ...]]


def check_partition(rule: str | Callable[..., Any], networks: Sequence[str] = NETWORKS) -> None:
    """Check that a partition reproducibly gives each job its own nodes for all tasks.

    The rule is a function that takes a `netplace.placement.PartitionRequest`.
    """
    label = f"partition {name_of(rule)}"
    cases = [
        (network, sizes) for network in networks for sizes in _SIZES if sum(sizes) <= parse(network).nodes
    ]
    for case, parts in accepted(cases, lambda case: _parts(rule, case, 1), label):
        subject = f"{label}, jobs of {case[1]} tasks on {case[0]}"
        _check_parts(parts, case, subject)
        demand(_same(parts, _parts(rule, case, 1)), f"{subject}: one seed gives two partitions")
        if isinstance(rule, str) and not find_rule(rule, PARTITIONS)[0].is_random:
            demand(_same(parts, _parts(rule, case, 2)), f"{subject}: is random but not marked by_chance")


def _parts(rule: str | Callable[..., Any], case: _PartitionCase, seed: int) -> list[Nodes]:
    known, option = (rule, "") if callable(rule) else find_rule(rule, PARTITIONS)
    request = PartitionRequest(parse(case[0]), case[1], np.random.default_rng([seed, 0]), option)
    parts = list(known.choose(request) if isinstance(known, Rule) else known(request))
    for job, (nodes, size) in enumerate(zip(parts, case[1], strict=False)):
        if len(nodes) < size:  # as `netplace.placement.partition` refuses it
            raise ValueError(f"job {job} has {len(nodes)} nodes for {size} tasks")
    return parts


def _check_parts(parts: list[Nodes], case: _PartitionCase, subject: str) -> None:
    network, sizes = case
    demand(len(parts) == len(sizes), f"{subject}: nodes for {len(parts)} jobs, expected {len(sizes)}")
    every = np.concatenate([np.asarray(nodes) for nodes in parts])
    demand(len(np.unique(every)) == len(every), f"{subject}: a node is assigned twice")
    inside = ((every >= 0) & (every < parse(network).nodes)).all()
    demand(inside, f"{subject}: a node is not in the network")


def _same(first: list[Nodes], other: list[Nodes]) -> bool:
    return len(first) == len(other) and all(map(np.array_equal, first, other))


_Case = tuple[str, int, bool]


def check_mapping(rule: str | Callable[..., Any], networks: Sequence[str] = NETWORKS) -> None:
    """Check that a mapping reproducibly gives each task its own node among the allowed ones.

    The rule is a function that takes a `netplace.placement.MappingProblem`.
    """
    label = f"mapping {name_of(rule)}"
    cases = [
        (network, tasks, part)
        for network in networks
        for tasks in (1, 5, 16)
        for part in (False, True)
        if tasks <= parse(network).nodes
    ]
    for case, nodes in accepted(cases, lambda case: _mapped(rule, case, 1), label):
        again = _mapped(rule, case, 1)
        demand(np.array_equal(nodes, again), f"{label}, {_case_text(case)}: one seed gives two mappings")
        if isinstance(rule, str) and not find_rule(rule, MAPPINGS)[0].is_random:
            other = _mapped(rule, case, 2)
            demand(
                np.array_equal(nodes, other),
                f"{label}, {_case_text(case)}: is random but not marked by_chance",
            )


def _mapped(rule: str | Callable[..., Any], case: _Case, seed: int) -> Nodes:
    network, tasks, part = case
    topology, program = parse(network), application(_ring, tasks)
    known, option = (rule, "") if callable(rule) else find_rule(rule, MAPPINGS)
    usable = _usable(topology, tasks, part)
    before, rng = usable.copy(), np.random.default_rng([seed, 1, 0])
    problem = MappingProblem(
        topology, usable, tasks, rng, option, program, run_time=run_time_of(topology, program)
    )
    chosen = known.choose(problem) if isinstance(known, Rule) else known(problem)
    nodes = np.asarray(chosen.mapping if isinstance(chosen, QapResult) else chosen)
    label = f"mapping {name_of(rule)}, {_case_text(case)}"
    demand(np.array_equal(usable, before), f"{label}: changes its argument nodes")
    demand(nodes.shape == (tasks,), f"{label}: {len(nodes)} nodes, expected one for each task")
    demand(np.isin(nodes, usable).all(), f"{label}: uses a node that is not in the partition")
    demand(len(np.unique(nodes)) == tasks, f"{label}: assigns a node to two tasks")
    return nodes


def _ring(task: TaskWriter) -> None:
    """Send to the next task, and receive from the previous one."""
    task.send((task.task + 1) % task.tasks, 256)
    task.recv((task.task - 1) % task.tasks, 256)


def _usable(topology: Topology, tasks: int, part: bool) -> Nodes:
    every = np.random.default_rng(3).permutation(topology.nodes)
    return np.asarray(
        every[: min(tasks + 3, topology.nodes)] if part else np.arange(topology.nodes), np.int64
    )


def _case_text(case: _Case) -> str:
    network, tasks, part = case
    return f"{tasks} tasks on {'some nodes of ' if part else ''}{network}"
