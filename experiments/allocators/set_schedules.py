"""Scheduling by processor sets: jobs of applications on one live network, and the time of a selection.

N. P. Drakenberg's costs are those of a machine room. Here, they come from the network, with one component for
each level of subtrees or boxes, or one number measured with packets, and jobs pay for the sets that they
share.
"""

from __future__ import annotations

import heapq
import itertools
import json
import tempfile
import time
from functools import lru_cache
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.cosim import cosimulate, make_cosim_plan
from netplace.files import write_atomically
from netplace.netsim import Config
from netplace.placement.compactness import compactness
from netplace.runs import run_or_failure
from netplace.runs.set_costs import level_costs, measurements
from netplace.scheduling.partitioner.pss import (
    ProcessorSets,
    exact,
    levels,
    plain_levels,
    processor_sets,
    select,
    weighted,
    written,
)
from netplace.topologies import Topology, parse

# Choices by processor sets on the machine of the published study, and what they are worth.
#
# N. P. Drakenberg: 256 nodes, ten racks of 25 and six in a center rack; a switch of 22 line cards of 12
# nodes; a control switch for two neighboring racks; power lines that take the nodes of a rack by fours in
# pairs, and eight fuse blocks. What is not told is assumed: positions beyond 13 follow the same pattern on
# two more lines a rack, fuse blocks take lines in order, the center rack has two control switches and one
# line.

NODES, RACK, CARD = 256, 25, 12
MOST_SURPLUS = 12  # free nodes beyond the request up to which the exact choice was compared
_UNEVEN = ("nodes", "nodes and lines")  # costs that are set beside uniform ones
# Of 21,902 printed jobs 6,692 have one node; the printed mean and deviation of all, 5.57 and 3.43 nodes, give
# those of the others. Run times in seconds, by whether a job has one node.
_SINGLE, _SIZES = 6692 / 21902, (7.58, 1.93)
_SECONDS = {True: (243, 390), False: (848, 3170)}
Mask = NDArray[np.bool_]


def published_machine(costs: str = "uniform", processors: int = 1) -> ProcessorSets:
    """Return the 334 sets of the machine: cards, control switches, power lines, fuse blocks, nodes.

    With several `processors` a node, the sets are over processors, and the number of nodes is a component in
    front of the others, as published.

    `costs`: ``"uniform"``: every set costs 1 of its kind; ``"nodes"``: a node costs more the higher it is in
    its rack and the further its rack is from the middle of the room, as in the published example of 42 nodes;
    ``"nodes and lines"``: so does a power line, the further its rack is along the room.
    """
    racks = [np.arange(first, min(first + RACK, NODES)) for first in range(0, NODES, RACK)]
    cards = [np.arange(first, min(first + CARD, NODES)) for first in range(0, NODES, CARD)]
    control = [np.concatenate(racks[pair : pair + 2]) for pair in range(0, 10, 2)]
    control += np.array_split(racks[10], 2)
    lines = [line for rack in racks[:10] for line in _lines(rack)] + [racks[10]]
    ends = [round(len(lines) * block / 8) for block in range(9)]
    fuses = [np.concatenate(lines[low:high]) for low, high in itertools.pairwise(ends)]
    kinds = [cards, control, lines, fuses, [np.array([node]) for node in range(NODES)]]
    weights = [np.ones(len(group), np.int64) for group in kinds]
    if costs != "uniform":
        weights[4] = _heights()
    if costs == "nodes and lines":
        weights[2] = 1 + np.arange(len(lines)) // 4
    sets = []
    for component, (group, mine) in enumerate(zip(kinds, weights, strict=True)):
        for members, weight in zip(group, mine.tolist(), strict=True):
            vector = [0] * 5
            vector[component] = weight
            if processors > 1:
                vector.insert(0, int(component == 4))
            each = members[:, None] * processors + np.arange(processors)
            sets.append((each.ravel().tolist(), vector))
    return processor_sets(NODES * processors, sets)


def _heights() -> NDArray[np.int64]:
    """Return what nodes cost: 6 a place up the rack, 14 for each rack away from the middle of the room."""
    # One side of the room costs 1 more, as in the published example, so that no two racks cost the same; the
    # six nodes of the centre rack, of which nothing is told, 2 more.
    rack, height = np.divmod(np.arange(NODES), RACK)
    away = np.where(rack < 10, np.abs(2 * rack - 9) // 2, 0)
    side = np.select([rack < 5, rack < 10], [0, 1], 2)
    return np.asarray(101 + 6 * height + 14 * away + side)


def _lines(rack: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Return the power lines of a rack: two for the lower 13 places, two for those above."""
    place = np.arange(len(rack))
    odd = np.isin((place + 1) % 4, (0, 1))  # places 1, 4, 5, 8, 9, .. counted from 1
    low = place < 13
    return [rack[low & odd], rack[low & ~odd], rack[~low & odd], rack[~low & ~odd]]


def chosen_sets(
    name: str, requests: int, seed: int, tie: str = "first", processors: int = 1
) -> dict[str, float]:
    """Return the figures of a rule on a stream of requests to the machine, first come, first served.

    A next request always waits until enough nodes are free; sizes and run times follow the printed means and
    deviations. `name`, for jobs of several nodes, as printed: ``"quality"``: with costs of nodes, the
    heuristic beside the exact choice where few nodes remain; ``"nodes"``, ``"nodes and lines"``: such costs
    beside uniform ones, both judged by the uniform; otherwise the rule whose line cards a job are counted:
    ``"sets"``, ``"first-free"``, ``"random"``, ``"least-loaded"``. `tie`: how equal removals are decided.
    `processors`: of each node, if jobs get parts of nodes; a job of one node asks for any number of them.
    """
    rng = np.random.default_rng(seed)
    coins = np.random.default_rng([seed, 1]) if tie == "coin" else None
    sets = published_machine("nodes" if name == "quality" else "uniform", processors)
    costly = published_machine(name) if name in _UNEVEN else sets
    free = np.ones(NODES * processors, bool)
    running: list[tuple[float, int, NDArray[np.int64]]] = []  # by their ends
    now = 0.0
    counts = dict.fromkeys(("requests", "compared", "equal", "first better", "second better"), 0)
    cards: list[tuple[int, int, int]] = []
    while counts["requests"] < requests:
        size, seconds = _drawn(rng)
        if processors > 1:
            size = size * processors if size > 1 else int(rng.integers(1, processors + 1))
        while free.sum() < size:
            now, _, ended = heapq.heappop(running)
            free[ended] = True
        chosen = _chosen(name, costly, free, size, rng, coins)
        counts["requests"] += 1
        nodes = np.unique(chosen // processors)
        cards.append((size, len(np.unique(nodes // CARD)), len(nodes)))
        _compare(name, sets, free, size, chosen, counts, coins)
        free[chosen] = False
        heapq.heappush(running, (now + seconds, counts["requests"], chosen))
    table = np.array(cards)
    return counts | {
        "cards": float(table[:, 1].mean()),
        "deviation": float(table[:, 1].std()),
        "least cards": float(np.ceil(table[:, 0] / (CARD * processors)).mean()),
        "on fewest nodes": float((table[:, 2] == np.ceil(table[:, 0] / processors)).mean()),
    }


def _drawn(rng: np.random.Generator) -> tuple[int, float]:
    """Return the nodes of a job, and its run time: log-normal, as those of few jobs are long."""
    single = bool(rng.random() < _SINGLE)
    size = 1 if single else int(np.clip(round(rng.normal(*_SIZES)), 2, 32))
    mean, deviation = _SECONDS[single]
    variance = np.log(1 + (deviation / mean) ** 2)
    return size, float(rng.lognormal(np.log(mean) - variance / 2, np.sqrt(variance)))


def _chosen(
    name: str,
    sets: ProcessorSets,
    free: Mask,
    size: int,
    rng: np.random.Generator,
    coins: np.random.Generator | None,
) -> NDArray[np.int64]:
    usable = np.flatnonzero(free)
    if name == "first-free":
        return usable[:size]
    if name == "random":
        return np.sort(rng.permutation(usable)[:size])
    if name == "least-loaded":
        node = usable // (len(free) // NODES)
        return usable[np.argsort(-np.bincount(node)[node], kind="stable")][:size]
    nodes = select(sets, free, size, _thrown(coins))
    assert nodes is not None, "enough are free"
    return nodes


def _thrown(coins: np.random.Generator | None) -> int | None:
    return None if coins is None else int(coins.integers(2**60))


def _compare(
    name: str,
    sets: ProcessorSets,
    free: Mask,
    size: int,
    chosen: NDArray[np.int64],
    counts: dict[str, int],
    coins: np.random.Generator | None,
) -> None:
    """Count whether the second choice is as good as the first, by the costs of `sets`."""
    if name == "quality" and size > 1 and free.sum() - size <= MOST_SURPLUS:
        other = exact(sets, free, size)
    elif name in _UNEVEN and size > 1:
        other = select(sets, free, size, _thrown(coins))
    else:
        return
    assert other is not None, "enough are free"
    first, second = sets.cost(chosen), sets.cost(other)
    counts["compared"] += 1
    counts["equal"] += first == second
    counts["first better"] += first < second
    counts["second better"] += second < first


MEASURED, CONSTRAINED, LEAST = "pss:measured", "pss:levels, constrained", "pss:levels, least"
_RUNNING = ("all-to-all", "butterfly", "gups")  # what weights are measured with
_CONSTRAINTS = {CONSTRAINED: "cost <= ceil(1.5*MINCOST(PEs))", LEAST: "cost <= MINCOST(PEs)"}


def sets_pay(machine: Topology, partition: str, jobs: int, load: float, seed: int) -> dict[str, float]:
    """Return how jobs of applications gain from a partitioner, with every packet on one live network.

    `partition`: `MEASURED` for sets with measured weights; for sets of levels and a constraint `CONSTRAINED`,
    no component may cost more than half as much again as on the empty machine, or `LEAST`, none may cost more
    at all. `load`: node time of the jobs alone, over that of the machine, while they arrive; 0: all at once.
    """
    given: dict[str, Any] = {
        "machine": machine.text,
        "workload": "applications",
        "jobs": jobs,
        "classes": "2d,3d",  # of others one all-to-all job may hold most of the work
        "sizes": "small",
        "intensity": "low",
        "repeats": "5:20",
    }
    if load:
        given["mean_interarrival"] = _work(json.dumps(given), seed) / (load * machine.nodes * jobs)
    with tempfile.TemporaryDirectory() as folder:
        given["partition"] = _text(machine, partition, Path(folder) / "sets.conf")
        outcome = cosimulate(make_cosim_plan(given, seed)).outcome
    done = [job for job in outcome["jobs"] if job["state"] == "done"]
    return figures_of(machine, done) | {
        "wait": float(np.mean([job["wait"] for job in done])) / (Config().cycle_ns * 1e-9),
        "stretch": float(np.mean([(job["end"] - job["submit"]) / job["alone"] for job in done])),
        "slowdown": float(np.mean([job["slowdown"] for job in done])),
    }


def figures_of(machine: Topology, done: list[dict[str, Any]]) -> dict[str, float]:
    """Return figures of the jobs that are done on a machine: times in cycles, and hops."""
    cycle = Config().cycle_ns * 1e-9
    near = [compactness(machine, job["nodes"]).mean_hops for job in done if job["size"] > 1]
    return {
        "makespan": (max(job["end"] for job in done) - min(job["submit"] for job in done)) / cycle,
        "turnaround": float(np.mean([job["end"] - job["submit"] for job in done])) / cycle,
        "run": float(np.mean([job["end"] - job["start"] for job in done])) / cycle,
        "mean hops": float(np.mean(near)),
    }


@lru_cache(maxsize=8)
def _work(given: str, seed: int) -> float:
    alone = cosimulate(make_cosim_plan(json.loads(given) | {"fidelity": "table"}, seed)).outcome["jobs"]
    return float(sum(job["size"] * job["alone"] for job in alone))


def _text(machine: Topology, partition: str, file: Path) -> str:
    """Return the text form of a partitioner, with its file written if it needs one."""
    if partition == MEASURED:
        sets = weighted(machine, measured_weights(machine.text), "uniform", apart=False)
        write_atomically(file, written(sets, "measured"))
    elif partition in _CONSTRAINTS:
        rule = f"constraints:\n  otherwise: {_CONSTRAINTS[partition]}\n"
        write_atomically(file, written(levels(machine), "levels") + rule)
    else:
        return partition
    return f"pss:{file}"


@lru_cache(maxsize=8)
def measured_weights(machine: str) -> tuple[int, ...]:
    """Return by how many percent jobs that straddle a border of each level take longer on a full machine."""
    topology = parse(machine)
    sets_by_level = [[members for members, _ in level] for level in plain_levels(topology)]
    made = measurements(topology, sets_by_level, _RUNNING)
    times = []
    for measurement in made:
        outcome = run_or_failure(measurement.run).outcome
        assert outcome is not None, "applications of known sizes run"
        times.append(float(np.mean([job["cycles"] for job in outcome["jobs"]])))
    return tuple(cost.weight for cost in level_costs(sets_by_level, made, times))


def selection_times(
    machine: Topology, surplus: int, overlap: bool, times: int, seed: int
) -> dict[str, float]:
    """Return the median CPU time of a selection with a surplus of free nodes over the request.

    A request is a sixteenth of the machine. `overlap`: boxes overlap, so that sets are not nested.
    """
    sets, size = levels(machine, overlap=overlap), machine.nodes // 16
    rng = np.random.default_rng(seed)
    spent = []
    for _ in range(times):
        free = np.zeros(machine.nodes, bool)
        free[rng.permutation(machine.nodes)[: size + surplus]] = True
        begun = time.process_time()
        select(sets, free, size)
        spent.append(1e3 * (time.process_time() - begun))
    return {"sets": float(len(sets.vectors)), "ms": median(spent)}
