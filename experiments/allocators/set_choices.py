"""Choices by processor sets on the machine of the published study, and what they are worth.

N. P. Drakenberg: 256 nodes, ten racks of 25 and six in a center rack; a switch of 22 line cards of 12 nodes;
a control switch for two neighboring racks; power lines that take the nodes of a rack by fours in pairs, and
eight fuse blocks. What is not told is assumed: positions beyond 13 follow the same pattern on two more lines
a rack, fuse blocks take lines in order, the center rack has two control switches and one line.
"""

from __future__ import annotations

import heapq
import itertools

import numpy as np
from numpy.typing import NDArray

from netplace.scheduling.partitioner.pss.exact import exact
from netplace.scheduling.partitioner.pss.select import select
from netplace.scheduling.partitioner.pss.sets import ProcessorSets, processor_sets

__all__ = ["NODES", "chosen_sets", "published_machine"]

NODES, RACK, CARD = 256, 25, 12
MOST_SURPLUS = 12  # free nodes beyond the request up to which the exact choice was compared
_UNEVEN = ("nodes", "nodes and lines")  # costs that are set beside uniform ones
# Of 21,902 printed jobs 6,692 have one node; the printed mean and deviation of all, 5.57 and 3.43 nodes, give
# those of the others. Run times in seconds, by whether a job has one node.
_SINGLE, _SIZES = 6692 / 21902, (7.58, 1.93)
_SECONDS = {True: (243, 390), False: (848, 3170)}

Mask = NDArray[np.bool_]


def published_machine(costs: str = "uniform") -> ProcessorSets:
    """Return the 334 sets of the machine: cards, control switches, power lines, fuse blocks, nodes.

    Parameters
    ----------
    costs : str
        ``"uniform"``: every set costs 1 of its kind; ``"nodes"``: a node costs more the higher it is in its
        rack and the further its rack is from the middle of the room, as in the published example of 42 nodes;
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
            sets.append((members.tolist(), vector))
    return processor_sets(NODES, sets)


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


def chosen_sets(name: str, requests: int, seed: int, tie: str = "first") -> dict[str, float]:
    """Return what a rule makes of a stream of requests on the machine, first come, first served.

    There is always a next one, which waits until enough nodes are free. Sizes and run times are drawn by the
    printed means and deviations.

    Parameters
    ----------
    name : str
        ``"quality"``: the heuristic beside the exact choice where few nodes are over; ``"nodes"``, ``"nodes
        and lines"``: such costs beside uniform ones, both judged by the uniform; otherwise a rule whose line
        cards a job are counted: ``"sets"``, ``"first-free"`` or ``"random"``. Uneven costs are compared for
        jobs of several nodes, as printed.
    requests : int
        How many.
    seed : int
        Seed of sizes, run times and coins.
    tie : str
        What decides between removals of the same worth: ``"first"`` or ``"coin"``.
    """
    rng = np.random.default_rng(seed)
    coins = np.random.default_rng([seed, 1]) if tie == "coin" else None
    sets = published_machine()
    costly = published_machine(name) if name in _UNEVEN else sets
    free = np.ones(NODES, bool)
    running: list[tuple[float, int, NDArray[np.int64]]] = []  # by their ends
    now = 0.0
    counts = dict.fromkeys(("requests", "compared", "equal", "first better", "second better"), 0)
    cards: list[tuple[int, int]] = []
    while counts["requests"] < requests:
        size, seconds = _drawn(rng)
        while free.sum() < size:
            now, _, ended = heapq.heappop(running)
            free[ended] = True
        chosen = _chosen(name, costly, free, size, rng, coins)
        counts["requests"] += 1
        cards.append((size, len(np.unique(chosen // CARD))))
        _compare(name, sets, free, size, chosen, counts, coins)
        free[chosen] = False
        heapq.heappush(running, (now + seconds, counts["requests"], chosen))
    table = np.array(cards)
    return counts | {
        "cards": float(table[:, 1].mean()),
        "deviation": float(table[:, 1].std()),
        "least cards": float(np.ceil(table[:, 0] / CARD).mean()),
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
    """Count whether the second choice is as good as the first, by the uniform costs."""
    if name == "quality" and free.sum() - size <= MOST_SURPLUS:
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
