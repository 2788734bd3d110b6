"""Processor sets written as a configuration file."""

from __future__ import annotations

import numpy as np

from netplace.scheduling.partitioner.pss.sets import ProcessorSets

__all__ = ["written"]


def written(sets: ProcessorSets, origin: str) -> str:
    """Return a configuration of one queue with these sets for jobs of all sizes; host ``ni`` is node i."""
    starts, values = sets.members
    lists = [values[a:b].tolist() for a, b in np.lib.stride_tricks.sliding_window_view(starts, 2)]
    slots = ", ".join(f"[n{node}=1]" for node in range(sets.nodes))
    groups = [f"g{i}={{{','.join(f'n{node}' for node in mine)}}}" for i, mine in enumerate(lists)]
    costs = [f"all@g{i}=[{','.join(map(str, vector))}]" for i, vector in enumerate(sets.vectors.tolist())]
    return "\n".join(
        [
            f"# {origin}",
            "queues: all",
            f"slots: {slots}",
            "groups:\n  " + ",\n  ".join(groups),
            "costs:\n  otherwise:\n  " + ",\n  ".join(costs),
            "end-costs",
            "",
        ]
    )
