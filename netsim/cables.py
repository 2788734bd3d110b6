"""Latency of cables by kind, as it is written and by link, and how late room is known.

See "Fabrics" in docs/background/model.md.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from netplace.checks import one_of, real, whole
from netplace.topologies import Graph, Topology, Tree
from netplace.topologies.limits import MOST_DELAY

if TYPE_CHECKING:
    from netplace.netsim.config import Config

__all__ = [
    "KINDS",
    "NS_PER_METRE",
    "check_kinds",
    "credit_lags",
    "first_switch",
    "further_cycles",
    "kinds_of_links",
    "pipeline_cycles",
    "read_latencies",
]

KINDS = {
    "node": "cables between a node and its switch",
    "local": "cables between switches of a group, or all between switches where there are no groups",
    "global": "cables between switches of two groups",
}
NS_PER_METRE = 5.0  # light in a fibre of refractive index 1.5, and a signal in copper nearly so
_FORM = "CYCLES, or such as node=2m,local=5m,global=250ns, each in cycles, m (metres) or ns"
_UNITS = {"ns": 1.0, "m": NS_PER_METRE}

Int = NDArray[np.int64]


def read_latencies(text: str, cycle_ns: float) -> dict[str, int]:
    """Return the latency of each kind of cable that is named, in cycles, rounded up.

    Parameters
    ----------
    text : str
        Such as ``"10"`` (all kinds) or ``"local=5m,global=50m"``.
    cycle_ns : float
        Length of a cycle in nanoseconds.

    Raises
    ------
    ValueError
        If a kind is unknown or named twice, or a latency is out of range.
    """
    found: dict[str, int] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = (word.strip() for word in part.partition("="))
        if not equals:
            name, value = "", name
        where = f"cable_latency {text!r}: {name}" if name else f"cable_latency {text!r}"
        if name:
            one_of(name, KINDS, "cable_latency: kind of cable")
        cycles = _cycles(value, where, cycle_ns)
        for kind in [name] if name else KINDS:
            if kind in found:
                raise ValueError(f"cable_latency {text!r}: {kind} is given twice, expected {_FORM}")
            found[kind] = cycles
    return found


def _cycles(value: str, where: str, cycle_ns: float) -> int:
    """Return a latency in cycles, at least 0 and at most `MOST_DELAY`."""
    unit = next((unit for unit in _UNITS if value.endswith(unit)), None)
    if unit is None:
        return whole(value, where, 0, MOST_DELAY)
    ns = real(value.removesuffix(unit).strip(), where, 0.0) * _UNITS[unit]
    cycles = ns / cycle_ns
    if cycles > MOST_DELAY:
        raise ValueError(f"{where}: {value} is {cycles:.0f} cycles of {cycle_ns} ns, more than {MOST_DELAY}")
    return math.ceil(cycles - 1e-9)


def first_switch(topology: Topology) -> int:
    """Return the number of the first router that is no mere end of a link."""
    if isinstance(topology, Graph):
        return topology.first_switch
    return topology.nodes if isinstance(topology, Tree) else 0


def _first_compute_node(topology: Topology) -> int:
    """Return the number of the first switch that is a compute node of several tasks."""
    return topology.routers - (topology.compute_nodes if isinstance(topology, Graph) else 0)


def kinds_of_links(topology: Topology) -> dict[str, NDArray[np.bool_]]:
    """Return by kind of cable the links that it makes, shape (routers, ports).

    Links inside a compute node of several tasks are no cables.
    """
    first, last = first_switch(topology), _first_compute_node(topology)
    here = np.arange(topology.routers)[:, None]
    there = topology.neighbor.astype(np.int64)
    wired = there >= 0
    between = wired & (here >= first) & (there >= first) & (here < last) & (there < last)
    inside = wired & ((here < first) | (there < first)) if last < topology.routers else np.zeros_like(wired)
    away = np.zeros_like(wired)
    group = topology.group if isinstance(topology, Graph) else None
    if group is not None:
        number = np.concatenate((np.full(first, -1), group))
        away = between & (number[here] != number[np.maximum(there, 0)])
    return {"node": wired & ~between & ~inside, "local": between & ~away, "global": away}


def check_kinds(topology: Topology, config: Config) -> None:
    """Raise ``ValueError`` if a latency is named of a kind of cable that a network does not have.

    A fabric that is named may have kinds of cables that are not used.
    """
    if "=" not in config.cable_latency or (config.fabric and "cable_latency" not in config.overridden):
        return
    groups = isinstance(topology, Graph) and topology.group is not None
    has = {
        "node": first_switch(topology) > 0 or _first_compute_node(topology) < topology.routers,
        "local": True,
        "global": groups,
    }
    there = [kind for kind in KINDS if has[kind]]
    for kind in read_latencies(config.cable_latency, config.cycle_ns):
        if kind not in there:
            raise ValueError(
                f"cable_latency {config.cable_latency!r}: {kind}: {topology} has no {KINDS[kind]}, "
                f"expected {' or '.join(there)}"
            )


def further_cycles(topology: Topology, config: Config) -> Int:
    """Return the cycles that a phit is on each link beyond `Config.link_delay`, shape (routers, ports)."""
    own = topology.delay if isinstance(topology, Graph) else 0
    cycles = np.zeros(topology.neighbor.shape, np.int64) + own
    if config.cable_latency:
        links = kinds_of_links(topology)
        for kind, latency in read_latencies(config.cable_latency, config.cycle_ns).items():
            cycles += latency * links[kind]
    return cycles


def pipeline_cycles(topology: Topology, config: Config) -> Int:
    """Return the cycles of the pipeline of the router behind each link, shape (routers, ports)."""
    there = topology.neighbor
    switch = (there >= first_switch(topology)) & (there < _first_compute_node(topology))
    return np.where(switch, config.pipeline, 0)


def credit_lags(topology: Topology, config: Config) -> Int:
    """Return how many cycles later than at once room beyond each link is known, shape (routers, ports)."""
    if config.credit_delay is None and not config.cable_latency:
        return np.zeros(topology.neighbor.shape, np.int64)
    wire = config.link_delay - 1 + further_cycles(topology, config)
    return np.where(topology.neighbor >= 0, wire + (config.credit_delay or 0), 0)
