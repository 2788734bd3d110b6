"""Partitions by processor sets: groups of nodes that it is desirable to stay inside, each with a cost.

Source: N. P. Drakenberg, "Increased model-realism can make processor-selection easier", Deutsches
Klimarechenzentrum, Hamburg (JSSPP).
"""

from __future__ import annotations

from pathlib import Path

from netplace.inputs import check_choice
from netplace.scheduling.partitioner.pss.derive import PREFERENCES, levels, plain_levels, weighted
from netplace.scheduling.partitioner.pss.language import read_configuration, written
from netplace.scheduling.partitioner.pss.partitioner import Model, PlacedBySets
from netplace.scheduling.partitioner.pss.select import exact, select
from netplace.scheduling.partitioner.pss.sets import ProcessorSets, processor_sets
from netplace.topologies import Topology

__all__ = [
    "ProcessorSets",
    "by_processor_sets",
    "exact",
    "levels",
    "plain_levels",
    "processor_sets",
    "select",
    "weighted",
    "written",
]

_LEVELS, _EXACT, _OVERLAP, _QUEUES = "levels", "exact", "overlap", "queues"


def by_processor_sets(topology: Topology, option: str = "", seed: int = 0) -> PlacedBySets:
    """Return the partitioner that places jobs by processor sets.

    Option: ``levels`` for the sets of the topology, and after commas a cost of nodes (`PREFERENCES`) or
    ``overlap``; or the path of a configuration, and one of its queues, or ``queues``: job by job, that with
    the number of the job's queue. ``exact`` at the end requests choices of least cost.
    """
    label = f"partitioner pss:{option}"
    source, *words = option.split(",") if option else [_LEVELS]
    exactly = bool(words) and words[-1] == _EXACT
    words = words[:-1] if exactly else words
    if source == _LEVELS:
        for word in words:
            check_choice(word.partition(":")[0], [*PREFERENCES, _OVERLAP, _EXACT], label)
        costs = [word for word in words if word != _OVERLAP] or ["uniform"]
        if len(costs) > 1:
            raise ValueError(f"{label}: two costs of a node, expected one of {', '.join(PREFERENCES)}")
        return PlacedBySets(topology, {"": Model(levels(topology, costs[0], _OVERLAP in words), "", exactly)})
    configuration = read_configuration(Path(source))
    if len(words) > 1:
        raise ValueError(f"{label}: {words[1]!r} is not the word {_EXACT}, expected FILE,QUEUE,{_EXACT}")
    by_queue = words == [_QUEUES]
    queues = configuration.queues if by_queue else words or configuration.queues[:1]
    check_choice(queues[0], [*configuration.queues, _QUEUES], f"{label}, queue")
    if len(configuration.hosts) != topology.nodes:
        raise ValueError(
            f"{source}: describes {len(configuration.hosts)} hosts, expected the {topology.nodes} nodes of "
            f"{topology}"
        )
    models = {queue: Model(configuration, queue, exactly) for queue in queues}
    configuration.sets(1)
    return PlacedBySets(topology, models, by_queue)
