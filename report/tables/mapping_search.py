"""What a mapping makes of the traffic of a job, beside the consecutive one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from netplace.netsim.bounds import bounds
from netplace.placement.mapping import QapResult, cost_between, map_tasks
from netplace.placement.mapping.cost import has_dimensions
from netplace.placement.metrics import link_loads
from netplace.placement.rule import Nodes
from netplace.quantities import quantity
from netplace.runs.job_programs import repeated_of, resolved
from netplace.runs.mapping_search import Search
from netplace.runs.placing import simulates
from netplace.topologies import Topology

_BESIDE = ("consecutive", "random")  # mappings beside which the best is shown
_MOST_TASKS = 256  # of which a page draws the traffic


@dataclass(frozen=True)
class Traits:
    """What a mapping makes of traffic.

    Asymmetry levels take dimensions; for the others see `netplace.placement.metrics.Metrics`.
    """

    cost: float = quantity("Sum of bytes times the cost of the criterion.", "bytes x criterion")
    pair_hops: float = quantity(
        "Mean distance between pairs of tasks with traffic.", "hops", name="distance of a pair of tasks"
    )
    byte_hops: float = quantity("Mean distance that a byte travels.", "hops", name="distance of a byte")
    pair_hops_al: float | None = quantity(
        "Mean distance of a pair with the asymmetry level.", name="distance with asymmetry, of a pair"
    )
    byte_hops_al: float | None = quantity(
        "Mean distance of a byte with the asymmetry level.", name="distance with asymmetry, of a byte"
    )
    TAD: float = quantity(
        "Sum of the distances of these pairs, divided by the number of all pairs.", shown=False
    )
    WTAD: float = quantity("Sum of bytes times distances, divided by the number of all pairs.", shown=False)
    TAD_AL: float | None = quantity("TAD with the asymmetry level.", shown=False)
    WTAD_AL: float | None = quantity("WTAD with the asymmetry level.", shown=False)
    most_link_load: float = quantity(
        "Load of the most loaded link if every minimal route is equally likely.", "bytes",
        name="largest link load",
    )  # fmt: skip


def traits(
    topology: Topology, nodes: Nodes, W: Any, criterion: str = "classic"
) -> tuple[Traits, NDArray[np.float64]]:
    """Return the traits of a mapping, and the bytes expected on each link, shape (routers, ports)."""
    flows = sparse.coo_array(W)
    flows.eliminate_zeros()
    sent, total = flows.data, max(flows.data.sum(), 1)
    pairs = max(1, len(nodes) * (len(nodes) - 1))
    wanted = {criterion, "classic", *(["td"] if has_dimensions(topology) else [])}
    senders, receivers = (nodes[end] for end in flows.coords)
    costs = {name: cost_between(topology, senders, receivers, name) for name in wanted}
    talking = {name: float(C.sum()) for name, C in costs.items()}
    bytes_ = {name: float(C @ sent) for name, C in costs.items()}
    load = np.zeros(topology.neighbor.shape)
    load[topology.neighbor >= 0] = link_loads(topology, nodes, W)
    measured = Traits(
        cost=float(costs[criterion].astype(sent.dtype) @ sent),
        pair_hops=talking["classic"] / max(1, len(sent)),
        byte_hops=bytes_["classic"] / total,
        pair_hops_al=talking["td"] / max(1, len(sent)) if "td" in costs else None,
        byte_hops_al=bytes_["td"] / total if "td" in costs else None,
        TAD=talking["classic"] / pairs,
        WTAD=bytes_["classic"] / pairs,
        TAD_AL=talking["td"] / pairs if "td" in costs else None,
        WTAD_AL=bytes_["td"] / pairs if "td" in costs else None,
        most_link_load=float(load.max(initial=0.0)),
    )
    return measured, load


def search_results(
    search: Search, rule: str, criterion: str, seeds: Sequence[int], mappings: Sequence[QapResult]
) -> tuple[dict[str, Any], Nodes]:
    """Return the best of the mappings of several seeds beside others, in JSON-compatible form, and its nodes.

    The best is that by its own cost if that is a time or a load, else by `criterion`.
    """
    topology = search.topology
    costs = [_cost(search.traffic, topology, mapping.mapping, criterion) for mapping in mappings]
    by_own = simulates(rule) or rule.partition(":")[0] == "link-load"
    place = int(np.argmin([mapping.cost for mapping in mappings] if by_own else costs))
    kept, seed = mappings[place], seeds[place]
    mine, _ = traits(topology, kept.mapping, search.traffic, criterion)
    others = {}
    for name in _BESIDE:
        nodes = map_tasks(name, topology, search.tasks, nodes=search.nodes, seed=seed)
        others[name], _ = traits(topology, nodes, search.traffic, criterion)
    default = others["consecutive"].cost
    results = {
        "title": f"{name_of(search)} ({search.tasks} tasks) on {topology}, partition {search.partition}, "
        f"mapping {rule}",
        "network": str(topology),
        "partition": search.partition,
        "mapping": rule,
        "criterion": criterion,
        "tasks": search.tasks,
        "seed": seed,
        "method": kept.method,
        "iterations": kept.iterations,
        "seconds": kept.seconds,
        "cycles": int(kept.cost) if simulates(rule) and np.isfinite(kept.cost) else None,
        **asdict(mine),
        "ratio": mine.cost / default if default else None,
        **{name: asdict(theirs) for name, theirs in others.items()},
        "traffic": pairs_of(search.traffic),
        **bounds_of(search, kept.mapping, mine.most_link_load),
        "costs": costs,
        "nodes": kept.mapping.tolist(),
    }
    return results, kept.mapping


def name_of(search: Search) -> str:
    return search.program.name if search.program else "traffic matrix"


def pairs_of(W: Any) -> list[list[float]]:
    """Return sender, receiver and bytes of each pair, or nothing of more than can be seen."""
    flows = sparse.coo_array(W)
    if flows.shape[0] > _MOST_TASKS:
        return []
    columns = zip(*(ends.tolist() for ends in flows.coords), flows.data.tolist(), strict=True)
    return [[*pair] for pair in columns]


def bounds_of(search: Search, nodes: Nodes, most_link_load: float) -> dict[str, Any]:
    """Return what bounds the run time under every mapping, where the program is known."""
    if search.run is None:
        return {}
    [job] = resolved(search.run, search.topology, repeated_of(search.run), [nodes])
    return {
        "bounds": bounds(job, search.topology, search.config).to_dict(),
        "link_cycles": most_link_load / search.config.phit_bytes,
    }


def _cost(W: Any, topology: Topology, nodes: Nodes, criterion: str) -> float:
    """Return bytes times costs, for dense and sparse traffic alike."""
    flows = sparse.coo_array(W)
    sender, receiver = (nodes[end] for end in flows.coords)
    return float(cost_between(topology, sender, receiver, criterion) @ flows.data)
