"""Which nodes a job gets on a machine that others share: partitioners, by name.

A new one is a class with the members of `Partitioner` in a file of its own, and a line in `PARTITIONERS`.
"""

from __future__ import annotations

from checks import one_of, whole
from scheduling.partitioner.allocation import Allocation, Nodes, Partitioner
from scheduling.partitioner.curves import along_curve
from scheduling.partitioner.kind import PartitionerKind
from scheduling.partitioner.scattered import first_free, random_free
from scheduling.partitioner.tree import quasi_contiguous
from topologies import Topology

__all__ = ["PARTITIONERS", "Allocation", "Nodes", "Partitioner", "PartitionerKind", "make_partitioner"]

PARTITIONERS: dict[str, PartitionerKind] = {
    "curve": PartitionerKind(
        along_curve,
        "curve:hilbert,best-fit",
        "an interval of free nodes along a curve through a grid, or the pieces of least span",
        "ORDER,CHOICE",
    ),
    "non-contiguous": PartitionerKind(first_free, "non-contiguous", "the first free nodes in node order"),
    "quasi-contiguous": PartitionerKind(
        quasi_contiguous,
        "quasi-contiguous:20",
        "one subtree of the job's level, but for up to QCT percent of its nodes",
        "QCT",
    ),
    "random": PartitionerKind(random_free, "random", "free nodes drawn at random, by seed", by_chance=True),
}


def make_partitioner(text: str, topology: Topology, seed: int = 0) -> Partitioner:
    """Return a partitioner of an empty machine.

    Parameters
    ----------
    text : str
        A key of `PARTITIONERS`, with a colon and an option where the partitioner takes one.
    topology : Topology
        The machine.
    seed : int
        Seed of partitioners by chance.

    Raises
    ------
    ValueError
        If there is no such partitioner, its option is not understood, or it is not for such a machine.
    """
    name, colon, option = str(text).partition(":")
    kind = PARTITIONERS[one_of(name, PARTITIONERS, "partitioner")]
    if option and not kind.option:
        raise ValueError(f"partitioner {name}: takes no option, but {option!r} was given")
    if colon and not option:
        raise ValueError(f"partitioner {text}: nothing after the colon, expected {kind.option or 'no colon'}")
    return kind.make(topology, option, whole(seed, "seed", 0))
