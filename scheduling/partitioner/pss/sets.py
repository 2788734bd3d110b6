"""Sets of nodes that jobs should stay inside, and the cost of touching each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netplace.files import text_of
from netplace.inputs import abbreviate, check_ranges

Level = list[tuple[list[int], int]]


def given_sets(text: str, nodes: int) -> Level:
    """Return sets of weight 1: ``cards:12`` (nodes a set), or from a file with lines like ``0-11, 24``."""
    name, _, option = text.partition(":")
    if name == "cards" and not Path(text).exists():
        if not re.fullmatch(r"0*[1-9]\d{0,8}", option):
            raise ValueError(f"processor sets {abbreviate(text)}: expected a form such as cards:12")
        size = int(option)
        return [(list(range(first, min(first + size, nodes))), 1) for first in range(0, nodes, size)]
    lines = text_of(text).splitlines()
    sets = []
    for number, line in enumerate(lines, 1):
        if words := line.partition("#")[0].replace(",", " ").split():
            sets.append((_members(words, nodes, f"{text}:{number}"), 1))
    if not sets:
        raise ValueError(f"{text}: has no sets, expected lines such as 0-11, 24")
    return sets


def _members(words: list[str], nodes: int, where: str) -> list[int]:
    members: set[int] = set()
    for part in check_ranges(",".join(words), f"{where}: node", nodes - 1):
        if twice := members.intersection(part):
            raise ValueError(f"{where}: node {min(twice)} appears twice")
        members.update(part)
    return sorted(members)


Integers = NDArray[np.int64]
_MOST = 2**62


class Members(NamedTuple):
    """Lists of lists in two arrays: list i is ``values[starts[i]:starts[i + 1]]``."""

    starts: Integers
    values: Integers

    def inverted(self, count: int) -> Members:
        """Return the lists that each of `count` values is in."""
        owner = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        sizes = np.bincount(self.values, minlength=count)
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        return Members(starts, owner[np.argsort(self.values, kind="stable")])


@dataclass(frozen=True, eq=False)
class ProcessorSets:
    """Sets over nodes with their cost vectors; a job pays the vector of every set that it touches.

    Vectors are compared from their first component on, the most important one.
    """

    nodes: int  # nodes of the machine
    members: Members  # nodes of each set, in increasing order
    vectors: Integers  # shape (sets, components): cost of each set

    @cached_property
    def sets_of(self) -> Members:
        return self.members.inverted(self.nodes)

    @cached_property
    def worth(self) -> Integers:
        """Vectors whose sums compare as those of costs do, shape (sets, 1) where one number can hold all."""
        maximum = [int(total) + 1 for total in self.vectors.sum(axis=0)]
        weights = [1]
        for bound in maximum[:0:-1]:
            weights.insert(0, weights[0] * bound)
        if sum(weight * bound for weight, bound in zip(weights, maximum, strict=True)) >= _MOST:
            return self.vectors
        return (self.vectors @ np.array(weights, np.int64))[:, None]

    def cost(self, nodes: ArrayLike) -> tuple[int, ...]:
        starts, values = self.sets_of
        touched = np.zeros(len(self.vectors), bool)
        for node in np.asarray(nodes).tolist():
            touched[values[starts[node] : starts[node + 1]]] = True
        return tuple(self.vectors[touched].sum(axis=0).tolist())


def processor_sets(nodes: int, sets: Iterable[tuple[Iterable[int], Sequence[int]]]) -> ProcessorSets:
    """Return sets given as pairs of nodes and cost vector."""
    listed = [(sorted(set(members)), list(vector)) for members, vector in sets]
    if not listed:
        raise ValueError("processor sets: none given, expected at least one")
    length = len(listed[0][1])
    for place, (members, vector) in enumerate(listed):
        if not members or members[0] < 0 or members[-1] >= nodes:
            raise ValueError(
                f"processor set {place}: {members} are not nodes in 0..{nodes - 1}, at least one"
            )
        if len(vector) != length or not length or min(vector) < 0:
            raise ValueError(
                f"processor set {place}: cost {vector} is not {length} whole numbers of at least 0"
            )
    for component in range(length):
        if (total := sum(vector[component] for _, vector in listed)) > _MOST:
            raise ValueError(f"processor sets: component {component + 1} sums up to {total}, more than 2^62")
    starts = np.concatenate([[0], np.cumsum([len(members) for members, _ in listed])]).astype(np.int64)
    values = np.array([node for members, _ in listed for node in members], np.int64)
    vectors = np.array([vector for _, vector in listed], np.int64)
    return ProcessorSets(nodes, Members(starts, values), vectors)
