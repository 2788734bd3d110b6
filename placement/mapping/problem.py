"""The input of a mapping rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from netplace.apps import Program
from netplace.inputs import check_choice
from netplace.placement.rule import Nodes
from netplace.records import freeze_arrays
from netplace.topologies import Topology

RunTime = Callable[[Nodes, int | None], int | None]


@dataclass(frozen=True)
class MappingProblem:
    """Tasks that need one node each.

    Attributes
    ----------
    nodes : ndarray of int64
        Nodes of the job's partition, at least as many as tasks, in the partition's order.
    option : str
        The user's text after the name of the rule and a colon.
    W : array_like, sparse array or None
        Traffic in bytes, shape (tasks, tasks), instead of the program's own.
    run_time : callable or None
        ``run_time(nodes, limit)`` returns the number of cycles that the program takes alone on the network
        with its tasks on these nodes, or None if this is `limit` or more (a `limit` of None means no limit).
        `run_time` is None if simulation is not possible.
    """

    topology: Topology
    nodes: Nodes
    tasks: int
    rng: np.random.Generator
    option: str = ""
    program: Program | None = None
    W: Any = None
    run_time: RunTime | None = None

    def __post_init__(self) -> None:
        freeze_arrays(self)

    def traffic(self, label: str) -> Any:
        """Return the traffic between tasks in bytes; `label` names the rule in error messages."""
        if self.W is not None:
            shape = np.shape(self.W)
            if shape != (self.tasks, self.tasks):
                raise ValueError(
                    f"{label}: traffic W has shape {shape}, expected {self.tasks} rows and columns, one per "
                    f"task"
                )
            return self.W
        if self.program is None:
            raise ValueError(f"{label}: needs the traffic of a program, and no program was given")
        if self.program.tasks != self.tasks:
            raise ValueError(f"{label}: the program has {self.program.tasks} tasks, expected {self.tasks}")
        return self.program.traffic().W


def read_option(
    option: str, keys: Iterable[str], label: str, first: str, choices: Iterable[str]
) -> dict[str, Any]:
    """Return the settings of an option such as ``"grasp,iterations=50"``.

    `label` names the `keys` in messages. `first` is the name of the one of `choices`, which has no key.
    """
    rule = label.partition(":")[0]
    settings: dict[str, Any] = {}
    for word in option.split(",") if option else []:
        key, equals, value = (part.strip() for part in word.partition("="))
        if equals:
            settings[check_choice(key, keys, label)] = value
        else:
            settings[first] = check_choice(key, choices, f"{rule}: {first}")
    return settings
