"""The check of a partition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from netplace.placement.partition import PARTITION, PartitionRequest
from netplace.placement.rule import Nodes, Rule, find_rule
from netplace.testing.demand import NETWORKS, accepted, demand, name_of
from netplace.topologies import parse

__all__ = ["check_partition"]

_SIZES = ((1,), (16,), (4, 4), (4, 4, 4, 4), (3, 5), (1, 2, 3))

_Case = tuple[str, tuple[int, ...]]


def check_partition(rule: str | Callable[..., Any], networks: Sequence[str] = NETWORKS) -> None:
    """Check that a partition gives each job its own nodes for all tasks, reproducibly.

    Parameters
    ----------
    rule : str or callable
        A function that takes a `netplace.placement.PartitionRequest`, or the text by which a user selects it.
    networks : sequence of str
        Networks to try; the rule can refuse some with a ValueError.

    Raises
    ------
    AssertionError
        If the rule violates a requirement.
    """
    what = f"partition {name_of(rule)}"
    cases = [
        (network, sizes) for network in networks for sizes in _SIZES if sum(sizes) <= parse(network).nodes
    ]
    for case, parts in accepted(cases, lambda case: _parts(rule, case, 1), what):
        subject = f"{what}, jobs of {case[1]} tasks on {case[0]}"
        _check_parts(parts, case, subject)
        demand(_same(parts, _parts(rule, case, 1)), f"{subject}: one seed gives two partitions")
        if isinstance(rule, str) and not find_rule(rule, PARTITION)[0].by_chance:
            demand(_same(parts, _parts(rule, case, 2)), f"{subject}: draws, and is not marked by_chance")


def _parts(rule: str | Callable[..., Any], case: _Case, seed: int) -> list[Nodes]:
    known, option = (rule, "") if callable(rule) else find_rule(rule, PARTITION)
    request = PartitionRequest(parse(case[0]), case[1], np.random.default_rng([seed, 0]), option)
    parts = list(known.choose(request) if isinstance(known, Rule) else known(request))
    for job, (nodes, size) in enumerate(zip(parts, case[1], strict=False)):
        if len(nodes) < size:  # as `netplace.placement.partition` refuses it
            raise ValueError(f"job {job} has {len(nodes)} nodes for {size} tasks")
    return parts


def _check_parts(parts: list[Nodes], case: _Case, subject: str) -> None:
    network, sizes = case
    demand(len(parts) == len(sizes), f"{subject}: nodes for {len(parts)} jobs, expected {len(sizes)}")
    every = np.concatenate([np.asarray(nodes) for nodes in parts])
    demand(len(np.unique(every)) == len(every), f"{subject}: a node is given away twice")
    inside = ((every >= 0) & (every < parse(network).nodes)).all()
    demand(inside, f"{subject}: a node is not in the network")


def _same(first: list[Nodes], other: list[Nodes]) -> bool:
    return len(first) == len(other) and all(map(np.array_equal, first, other))
