"""The base of partition and mapping rules: a function with an example and a description."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from netplace.files import text_of
from netplace.registry import Registry
from netplace.topologies import Grid, Topology
from netplace.topologies.host_lists import spelled

Nodes = NDArray[np.int64]
_Given = TypeVar("_Given")
_Taken = TypeVar("_Taken")


@dataclass(frozen=True)
class Rule(Generic[_Given, _Taken]):
    """A rule and its name.

    Attributes
    ----------
    choose : callable
        Function that takes a request and returns nodes.
    example : str
        Example of the rule's text form.
    option : str
        Description of the option after the name and a colon; empty if there is none.
    by_chance : bool
        Whether its choice depends on the seed.
    """

    choose: Callable[[_Given], _Taken]
    example: str
    description: str
    option: str = ""
    is_random: bool = False


def find_rule(text: str, choice: Registry[Rule[_Given, _Taken]]) -> tuple[Rule[_Given, _Taken], str]:
    """Return the rule that a text form names, and the option after the colon."""
    rule, option = choice.find(text)
    if option and not rule.option:
        raise ValueError(
            f"{choice.label} {text.partition(':')[0]}: takes no option, but {option!r} was given"
        )
    return rule, option


def own_rule(choose: Callable[[_Given], _Taken], name: str, description: str) -> Rule[_Given, _Taken]:
    """Return a rule that calls a user's function, which can use an option and random numbers."""
    return Rule(choose, name, description, option="OPTION", is_random=True)


def grid_of(topology: Topology, label: str) -> Grid:
    """Return `topology` if it is a mesh or torus; otherwise, raise ValueError."""
    if not isinstance(topology, Grid):
        raise ValueError(f"{label}: is defined on meshes and tori, not on {topology}")
    return topology


def read_lines(path: Path) -> list[tuple[str, str]]:
    """Return where each line of a file stands, and the line without its comment; empty ones are left out."""
    text = text_of(path)
    lines = ((number, line.partition("#")[0].strip()) for number, line in enumerate(text.splitlines(), 1))
    return [(f"{path}:{number}", line) for number, line in lines if line]


@dataclass(frozen=True)
class PartitionRequest:
    """Jobs that need nodes.

    Attributes
    ----------
    sizes : tuple of int
        Number of tasks of each job.
    option : str
        The user's text after the name of the rule and a colon.
    """

    topology: Topology
    sizes: tuple[int, ...]
    rng: np.random.Generator
    option: str = ""


def node_lists(parts: Iterable[Sequence[int] | NDArray[np.int64]]) -> str:
    """Return the partition rule ``nodes:`` that gives each job the given nodes, in the given order.

    Examples
    --------
    >>> node_lists([[0, 1, 2, 8], [5, 4]])
    'nodes:0-2,8/5,4'
    """
    return "nodes:" + "/".join(map(spelled, parts))
