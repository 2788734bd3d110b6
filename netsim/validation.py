"""Checks of all inputs of the engines, in one place, so that no call can crash the kernel.

The kernel is compiled without bounds checks. The sources of its arrays are checked before: programs by
`Program.check_columns`, and networks, nodes of tasks, open-loop traffic and pointers here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netplace.apps import Program
from netplace.netsim.engine import Traffic
from netplace.records import array_of
from netplace.topologies import Graph, Grid, Topology, Tree
from netplace.topologies.graph_arrays import check_wiring

_SOUND = "_is_sound"  # set on a network whose wiring was checked; its arrays cannot be written


def check_topology(topology: Topology) -> None:
    """Check that each link of a network leads to an input of its own, as its kind of network is wired."""
    if topology.__dict__.get(_SOUND):
        return
    if not isinstance(topology, Graph):  # which was checked when it was made
        check_wiring(topology)
    if isinstance(topology, Grid | Tree):
        made = topology.rebuilt()
        same = np.array_equal(made.neighbor, topology.neighbor)
        if not same or not np.array_equal(made.entry, topology.entry):
            raise ValueError(f"network {topology}: its links do not match its description")
    object.__setattr__(topology, _SOUND, True)


def check_traffic(traffic: Traffic, nodes: int) -> None:
    if not 0 <= traffic.chance <= 1:
        raise ValueError(f"traffic chance: {traffic.chance} is not a probability, expected 0 to 1")
    _check_nodes(traffic.target, "target", nodes, -1)
    if len(traffic.target) != nodes:
        raise ValueError(
            f"traffic target: {len(traffic.target)} entries, expected one for each of {nodes} nodes"
        )
    if traffic.among is not None:
        _check_nodes(traffic.among, "among", nodes, 0)
    if not 0 <= traffic.hot_share <= 1:
        raise ValueError(f"traffic hot_share: {traffic.hot_share} is not a share, expected 0 to 1")
    if traffic.hot_share > 0 and not 0 <= traffic.hot_node < nodes:
        raise ValueError(f"traffic hot_node: {traffic.hot_node} is not a node, expected 0 to {nodes - 1}")


def _check_nodes(given: NDArray[Any], label: str, nodes: int, minimum: int) -> None:
    wrong = given[(given < minimum) | (given >= nodes)]
    if len(wrong):
        uniform = ", or -1 for uniform" if minimum < 0 else ""
        raise ValueError(f"traffic {label}: {wrong[0]} is not a node, expected 0 to {nodes - 1}{uniform}")


def check_pointers(given: Sequence[NDArray[Any]], own: Sequence[NDArray[Any]], inputs: int) -> None:
    """Check that pointers of arbiters and links belong to a network of the same kind."""
    if len(given) != len(own):
        raise ValueError(f"residue: {len(given)} arrays of pointers, expected {len(own)}")
    for values, mine in zip(given, own, strict=True):
        if not isinstance(values, np.ndarray) or values.dtype.kind not in "iu":
            raise ValueError("residue: pointers must be arrays of whole numbers")
        if values.shape != mine.shape:
            raise ValueError(f"residue: pointers of shape {values.shape}, expected {mine.shape}")
        if values.size and not 0 <= int(values.min()) <= int(values.max()) <= inputs:
            raise ValueError(f"residue: a pointer is not in 0..{inputs}")


def place(program: Program, nodes: ArrayLike | None, topology: Topology) -> NDArray[np.int64]:
    """Return the node of each task after a check: one node per task, all in the network, none twice."""
    if program.tasks > topology.nodes:
        raise ValueError(
            f"{program.name or 'program'}: {program.tasks} tasks are more than "
            f"the {topology.nodes} nodes of {topology}"
        )
    if nodes is None:
        nodes = topology.computing[: program.tasks]
    given = array_of(nodes, "placement")
    if given.ndim != 1 or len(given) != program.tasks:
        raise ValueError(
            f"placement: {given.shape} nodes given for {program.tasks} tasks, expected one per task"
        )
    if not np.issubdtype(given.dtype, np.integer):
        raise ValueError(f"placement: nodes are whole numbers, not {given.dtype}")
    wrong = given[(given < 0) | (given >= topology.nodes)]
    if len(wrong):
        raise ValueError(f"placement: node {wrong[0]} is not in 0..{topology.nodes - 1} of {topology}")
    service = given[np.isin(given, topology.service)]
    if len(service):
        raise ValueError(f"placement: node {service[0]} of {topology} does not compute")
    values, count = np.unique(given, return_counts=True)
    if (count > 1).any():
        raise ValueError(f"placement: node {values[count > 1][0]} is assigned to more than one task")
    return given.astype(np.int64)
