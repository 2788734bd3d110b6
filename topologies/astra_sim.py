"""Networks of ASTRA-sim's analytical backend (astra-sim.github.io/astra-network-analytical-docs)."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import msgspec

from netplace.inputs import check_choice
from netplace.topologies.dimensional import Dimension, dimensional
from netplace.topologies.graph import Graph
from netplace.topologies.rates import paces_of

_BUILDING_BLOCKS = {"ring": "ring", "fullyconnected": "full", "switch": "switch"}


class _Network(msgspec.Struct):
    """The keys of a network, one value for each dimension."""

    topology: Annotated[list[str], msgspec.Meta(min_length=1)]
    npus_count: list[Annotated[int, msgspec.Meta(ge=1)]]
    bandwidth: list[Annotated[float, msgspec.Meta(ge=1e-9, le=1e9)]]  # GB/s
    latency: list[Annotated[float, msgspec.Meta(ge=0, le=1e12)]]  # ns


def astra_sim(given: Any, text: str, phit: int) -> Graph:
    """Return the network of a ``network.yml``.

    Each dimension is a ``Ring``, ``FullyConnected`` or ``Switch`` of ``npus_count`` NPUs, its links of
    ``bandwidth`` GB/s and ``latency`` ns. The fastest links take the smallest number of cycles per phit for
    which all links take whole numbers.
    """
    try:
        rows = msgspec.convert(given, _Network, strict=False)
    except msgspec.ValidationError as error:
        raise ValueError(f"{text}: ASTRA-sim's network: {error}") from None
    if not len(rows.topology) == len(rows.npus_count) == len(rows.bandwidth) == len(rows.latency):
        raise ValueError(f"{text}: ASTRA-sim's network: expected as many values of each key as of topology")
    paces = paces_of(text, [1e9 * speed for speed in rows.bandwidth], phit)
    kinds = [
        _BUILDING_BLOCKS[check_choice(kind.lower(), _BUILDING_BLOCKS, f"{text}: topology")]
        for kind in rows.topology
    ]
    delays = [paces.delay(1e-9 * time) for time in rows.latency]
    made = dimensional(text, list(map(Dimension, kinds, rows.npus_count, map(int, paces.cycles), delays)))
    return replace(made, rates=paces.rates("ASTRA-sim's network.yml"))
