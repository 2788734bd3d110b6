"""The check of an application."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.apps import Program, application
from netplace.netsim import ENGINES, simulate
from netplace.netsim.traffic import PATTERNS
from netplace.testing.demand import NETWORKS, accepted, demand, name_of
from netplace.topologies import parse


def check_traffic(rule: str | Callable[..., Any], networks: Sequence[str] = NETWORKS) -> None:
    """Check that a traffic pattern gives each node a destination and is reproducible.

    The rule is a function that takes a `netplace.topologies.Topology` and returns the destination of each
    node's packets, or -1 if each packet goes to a random other node.
    """
    label = f"traffic {name_of(rule)}"

    def targets(network: str) -> NDArray[np.int64]:
        function = rule if callable(rule) else PATTERNS.find(rule, "traffic")[0]
        return np.asarray(function(parse(network)))

    for network, destinations in accepted(networks, targets, label):
        nodes = parse(network).nodes
        demand(
            destinations.shape == (nodes,),
            f"{label} on {network}: shape {destinations.shape}, expected ({nodes},)",
        )
        inside = (
            np.issubdtype(destinations.dtype, np.integer)
            and ((destinations >= -1) & (destinations < nodes)).all()
        )
        demand(inside, f"{label} on {network}: returns values other than nodes and -1")
        demand(
            np.array_equal(destinations, targets(network)),
            f"{label} on {network}: a second call returns a different result",
        )


def check_application(
    rule: str | Callable[..., Any],
    tasks: Sequence[int] = (1, 2, 4, 6, 8, 16),
    *,
    engines: Sequence[str] = tuple(ENGINES),
    **options: Any,
) -> None:
    """Check that an application can run, is reproducible, and gives the same result on both engines.

    The rule is a function that writes the program of one task.

    Parameters
    ----------
    engines : sequence of str
        Engines that must agree. For a long program, use only ``("kernel",)``.
    **options
        Options of the application.
    """
    label = f"application {name_of(rule)}"

    def program(count: int) -> Program:
        return application(rule, count, **options)

    for count, made in accepted(tasks, program, label):
        subject = f"{label}, {count} tasks"
        demand(made.tasks == count, f"{subject}: the program has {made.tasks}")
        demand(made.equals(program(count)), f"{subject}: a second call returns a different program")
        try:
            made.check()
        except ValueError as error:
            raise AssertionError(f"{subject}: cannot run, {error}") from error
        torus = parse("torus:4x4")
        cycles = {engine: simulate(torus, made, engine=engine).cycles for engine in engines}
        demand(len(set(cycles.values())) == 1, f"{subject}: engines disagree on its cycles, {cycles}")
