"""Which algorithm of a collective wins, by ranks, bytes, network, mapping and neighbors.

Thakur, Rabenseifner and Gropp (IJHPCA 19(1), 2005) and the tables of libraries choose by ranks and bytes
alone. Here every algorithm of each operation is simulated on three kinds of networks of 64 to 544 nodes,
with its ranks in order, shuffled over the same nodes, and scattered, alone and beside a job on all other
nodes that never ends, and once with overheads of messages as processors have them.
"""

from __future__ import annotations

from functools import partial

import pandas as pd

from netplace.experiments.collectives.cells import Cell
from netplace.experiments.collectives.choices import choice_table
from netplace.experiments.collectives.picture import draw_winners
from netplace.experiments.collectives.winners import by_ranks, findings, winner_table, winners_of
from netplace.studies.report import Report
from netplace.studies.schedules import kept_outcomes
from netplace.studies.study import Asked, Bench, Study

__all__ = ["STUDY", "cells"]

SMALL = ("torus:4x4x4", "tree:4,3", "dragonfly:a=4,p=2,h=2")
LARGE = ("torus:8x8x4", "tree:4,4", "dragonfly:a=8,p=2,h=2")
LARGEST = ("torus:8x8x8", "tree:8,3", "dragonfly:a=8,p=4,h=2")
BYTES = (256, 8192, 131072, 1048576)
MACHINES = {8: SMALL, 24: SMALL, 64: LARGE, 128: LARGE, 256: LARGEST}  # by ranks
MANY = 128  # ranks from which on only these operations and bytes are simulated, for time's sake
OF_MANY = (("allreduce", "bcast", "allgather", "alltoall"), BYTES[1::2])
DRAWS = 3
PARTS = {
    "allreduce": "sum with the result everywhere",
    "bcast": "broadcast",
    "allgather": "all blocks to all",
    "alltoall": "a block from each to each",
    "reduce": "sum at one rank",
    "reduce_scatter": "sum, a block of it for each",
    "gather": "all blocks to one rank",
    "scatter": "a block for each from one rank",
    "scan": "sums of all ranks before",
    "barrier": "wait for all",
}


def cells(asked: Asked) -> list[Cell]:
    """Return the cells that are requested."""
    draws = asked.partitions or (2 if asked.quick else DRAWS)
    if asked.quick:
        return [
            Cell(operation, network, 8, bytes, draws)
            for operation in asked.parts
            for network in SMALL[:2]
            for bytes in _sizes(operation, 8)[:2]
        ]
    return [
        Cell(operation, network, ranks, bytes, draws)
        for ranks, networks in MACHINES.items()
        for operation in asked.parts
        for network in networks
        for bytes in _sizes(operation, ranks)
    ]


def _sizes(operation: str, ranks: int) -> tuple[int, ...]:
    """Return the bytes of the vectors of so many ranks; a barrier has none, and so counts once."""
    operations, sizes = OF_MANY if ranks >= MANY else (tuple(PARTS), BYTES)
    if operation not in operations:
        return ()
    return sizes[:1] if operation == "barrier" else sizes


def conduct(asked: Asked, bench: Bench) -> Report:
    """Simulate what is missing, and report."""
    wanted = {cell.key: cell for cell in cells(asked)}
    kept = kept_outcomes(wanted, Cell.run, Cell.describe, bench)
    outcomes = [(cell, kept[key]) for key, cell in wanted.items()]
    winners = winners_of(outcomes)
    tables, figures = [findings(winners), by_ranks(winners), choice_table(outcomes)], {}
    for operation in asked.parts:
        own = winners[winners["operation"] == operation]
        tables.append(winner_table(operation, own))
        title = f"{operation}: {PARTS[operation]} (+n: n others do as well)"
        figures[operation] = partial(draw_winners, winners=own, title=title)
    return Report(tuple(tables), _summary(tables[0].frame, tables[2].frame), figures)


def _summary(frame: pd.DataFrame, chosen: pd.DataFrame) -> tuple[str, ...]:
    others = frame[frame["setting"] != "in order"].set_index("setting")["another wins %"]
    best = chosen[chosen["operation"] == "all"]
    said = ", ".join(
        f"{row.table} {row.alone:.2f} alone and {row.shared:.2f} beside others"
        for row in best.rename(columns={"in order": "alone", "scattered, beside": "shared"}).itertuples()
    )
    return (
        f"Of {frame['cells'].iloc[0]} cells another algorithm than in order and alone wins beyond chance in "
        + ", ".join(f"{share:.0f} % {setting}" for setting, share in others.items())
        + ".",
        f"Time of the algorithm that a table chooses over that of the best one, geometric mean: {said}.",
    )


STUDY = Study(
    name="collectives",
    title="Which algorithm of a collective wins, by ranks, bytes, network, mapping and neighbours?",
    source="this project; nothing of the kind is published",
    parts=PARTS,
    usual=tuple(PARTS),
    conduct=conduct,
    options=("partitions",),
)
