"""What allocators choose for one job on a machine as it stands, side by side."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.placement.compactness import compactness
from netplace.quantities import LESS, quantity
from netplace.scheduling import PARTITIONERS, Allocation, Job, make_partitioner
from netplace.scheduling.partitioner.centres import Centred
from netplace.scheduling.partitioner.curves import LISTINGS, ORDERS, SELECTIONS, order_of
from netplace.scheduling.partitioner.curves.along import Along, linear_span, ranks_along, ring_span
from netplace.topologies import Grid, Topology, switch_grid

_FEW = 64  # nodes of a machine on which searched orders are compared too: each takes a second


@dataclass(frozen=True, kw_only=True)
class Offer:
    """What one allocator chooses, as ``netplace allocate --json`` prints it."""

    partition: str = quantity("Text form of the partitioner.", name="allocator")
    nodes: list[int] = quantity(
        "Nodes in the allocator's order; empty if the job must wait or the allocator does not support it.",
        shown=False,
    )
    placed: bool = quantity("Whether the job gets nodes.", shown=False)
    # How close together they lie; see `netplace.placement.compactness.Compactness`.
    pairwise_sum: int | None = quantity(
        "Sum of the distances between all pairs of nodes.", "hops", default=None, better=LESS
    )
    mean_hops: float | None = quantity(
        "Mean distance between two nodes.", "hops", name="mean distance", digits=3, default=None, better=LESS
    )
    components: int | None = quantity("Number of connected parts.", default=None, better=LESS)
    box: tuple[int, ...] | None = quantity("Sides of the bounding box.", default=None)
    box_ratio: float | None = quantity(
        "Nodes in this box, divided by those of the job.", default=None, shown=False
    )
    cube_ratio: float | None = quantity(
        "Nodes in the enclosing cube, divided by those in the smallest sufficient one.",
        digits=2,
        default=None,
    )
    order: str = quantity("Node order along which spans are measured.", default="", shown=False)
    linear_span: int | None = quantity(
        "Span from the first to the last node in this order.", default=None, better=LESS
    )
    ring_span: int | None = quantity("The same if the order is a ring.", default=None, better=LESS)
    # Of algorithms that look at distances.
    centre: int | None = quantity("Node at the center.", default=None, shown=False)
    allocator_cost: int | None = quantity("Cost that the algorithm minimizes.", default=None, shown=False)
    cpu_seconds: float | None = quantity("CPU time of the choice.", "s", name="CPU", digits=2, default=None)
    reason: str = quantity("Why the job gets no nodes; empty if it does.", default="")

    def to_dict(self) -> dict[str, Any]:
        if not self.placed:
            names: tuple[str, ...] = ("partition", "nodes", "placed", "reason", "pairwise_sum")
            return {name: getattr(self, name) for name in names}
        left_out = ("reason", *(("centre", "allocator_cost") if self.allocator_cost is None else ()))
        return {name: value for name, value in asdict(self).items() if name not in left_out}


def usual_partitioners(topology: Topology) -> list[str]:
    """Return every partitioner in its usual form, and every choice along every order."""
    slow = {"optimal"} if topology.nodes <= _FEW else {"optimal", "searched"}
    orders = [name for name in ORDERS if name not in slow]
    choices = [name for name in (*LISTINGS, *SELECTIONS) if name != "minimum-span"]  # as first fit
    curves = [f"curve:{order},{choice}" for order in orders for choice in choices]
    return [_usual(name, topology) for name in PARTITIONERS if name != "curve"] + curves


def _usual(name: str, topology: Topology) -> str:
    """Return the example of a partitioner, or its bare name where only that is for the machine."""
    example = PARTITIONERS[name].example
    for text in (example, name):
        try:
            make_partitioner(text, topology)
        except ValueError:
            continue
        return text
    return example


def offer_of(
    topology: Topology, held: NDArray[np.int64], size: int, text: str, order: str, seed: int
) -> Offer:
    """Return the choice of a partitioner; `order` is the curve along which spans are counted."""
    try:
        partitioner = make_partitioner(text, topology, seed)
        # One by one: each is a box of its own, so that partitioners of boxes can hold it too.
        shape = (1,) * topology.dims if isinstance(topology, Grid) else None
        for node in np.setdiff1d(held, topology.service):
            partitioner.take(Allocation(np.array([node]), shape))
        partitioner.copy().find(Job(0, 0.0, size, 1.0))  # compiled before the clock is started
        began = time.process_time()
        allocation = partitioner.find(Job(0, 0.0, size, 1.0))
        seconds = time.process_time() - began
    except ValueError as error:
        return _refusal(text, str(error).removeprefix("job 0: "))  # there is but the one that is asked for
    if allocation is None:
        free = topology.nodes - len(held) - len(topology.service)
        if size <= free and make_partitioner(text, topology, seed).find(Job(0, 0.0, size, 1.0)) is None:
            return _refusal(text, f"partitioner {text}: finds no {size} nodes, not even on the empty machine")
        return _refusal(text, f"waits: {size} nodes requested, {free} free")
    if isinstance(partitioner, Along) and not order:
        order, ranks = (
            text.partition(":")[2].partition(",")[0] or "hilbert",
            partitioner.ranks(allocation.nodes),
        )
    else:
        order = order or ("hilbert" if switch_grid(topology) else "row")
        ranks = ranks_along(order_of(topology, order))[allocation.nodes]
    choice = partitioner.choose(size) if isinstance(partitioner, Centred) else None
    return Offer(
        partition=text,
        nodes=allocation.nodes.tolist(),
        placed=True,
        **asdict(compactness(topology, allocation.nodes)),
        order=order,
        linear_span=linear_span(ranks),
        ring_span=ring_span(ranks, len(topology.computing)),
        centre=choice.centre if choice else None,
        allocator_cost=choice.cost if choice else None,
        cpu_seconds=seconds,
    )


def _refusal(text: str, reason: str) -> Offer:
    return Offer(partition=text, nodes=[], placed=False, reason=reason)
