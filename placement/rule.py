"""What a partition and a mapping rule have in common: a function with an example and a line for people."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from netplace.extensions import Registry
from netplace.topologies import Grid, Topology

__all__ = ["Nodes", "Rule", "find_rule", "grid_of", "own_rule"]

Nodes = NDArray[np.int64]
_Given = TypeVar("_Given")
_Taken = TypeVar("_Taken")


@dataclass(frozen=True)
class Rule(Generic[_Given, _Taken]):
    """One rule under a name.

    Attributes
    ----------
    choose : callable
        Takes a request and returns nodes.
    example : str
        How a user asks for it.
    description : str
        One line for people.
    option : str
        What may follow its name and a colon, for people; empty: nothing.
    by_chance : bool
        Whether its choice depends on the seed.
    """

    choose: Callable[[_Given], _Taken]
    example: str
    description: str
    option: str = ""
    by_chance: bool = False


def find_rule(text: str, choice: Registry[Rule[_Given, _Taken]]) -> tuple[Rule[_Given, _Taken], str]:
    """Return the rule that a text form names, and the option after the colon."""
    rule, option = choice.find(text)
    if option and not rule.option:
        raise ValueError(f"{choice.what} {text.partition(':')[0]}: takes no option, but {option!r} was given")
    return rule, option


def own_rule(choose: Callable[[_Given], _Taken], name: str, description: str) -> Rule[_Given, _Taken]:
    """Return the rule that a function of one's own makes; it may look at an option, and draw."""
    return Rule(choose, name, description, option="OPTION", by_chance=True)


def grid_of(topology: Topology, what: str) -> Grid:
    """Return `topology` if it is a mesh or torus."""
    if not isinstance(topology, Grid):
        raise ValueError(f"{what}: is defined on meshes and tori, not on {topology}")
    return topology
