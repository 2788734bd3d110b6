"""Measured times from the files of others, as points that can be simulated."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import isqrt
from pathlib import Path

import numpy as np

from netplace.files import input_file
from netplace.placement.mapping.hosts import Host, nodes_of
from netplace.placement.rule import node_lists
from netplace.runs.fitting import Point
from netplace.topologies import parse

# By operation, the names of the measurements, and the algorithm here if it is called otherwise.
_NAMES = {
    "allgather": "bruck neighbor=neighbor_exchange recursive_doubling ring",
    "allreduce": "recursive_doubling rabenseifner ring bine_lat=bine_doubling bine_bdw_static=bine",
    "alltoall": "pairwise linear linear_sync modified_bruck bine",
    "bcast": "binomial binary=binary_tree binary_tree chain pipeline knomial split_binary=split_binary_tree "
    "scatter_allgather scatter_allgather_ring bine_lat=bine bine_bdw_remap=bine_scatter_allgather",
    "gather": "binomial basic_linear linear=basic_linear linear_synch=linear_sync bine",
    "reduce": "binomial chain linear binary in_order=in_order_binary rabenseifner bine_lat=bine "
    "bine_bdw=bine_reduce_scatter_gather",
    "reduce_scatter": "recursive_halving ring",
    "scatter": "binomial basic_linear linear=basic_linear linear_nb bine",
}
ALGORITHMS = {
    (operation, measured): chosen or measured
    for operation, names in _NAMES.items()
    for measured, _, chosen in (name.partition("=") for name in names.split())
}
MISLABELED = (("bcast", "basic_linear"), ("allgather", "linear"))  # on Fugaku: beyond the links of a node
LUMI, ISLAND = "dragonfly:a=32,p=16,h=14,g=24", "xgft:1;32;1"
ONE_GROUP, GROUP = "dragonfly:a=32,p=16,h=1,g=2", 512  # the least dragonfly with such a group, and its nodes
RUNS = {
    "one group": "2025_04_07___16_22_51",
    "four groups": "2025_04_07___16_33_47",
    "32 nodes": "2025_03_16___15_34_44",
}
DISTURBED = "collectives/topo48a"  # of which halves are slow though their quarters are not: other jobs
THETA = "dragonfly:a=96,p=4,h=1,g=9"


@dataclass(frozen=True)
class Row:
    """A measured time: its labels in tables, and the point that is simulated for it."""

    operation: str
    algorithm: str
    bytes: int
    noise: float  # half of the range from the 10th percentile to the 90th (or of quartiles), over the median
    point: Point


def rows_of(path: Path) -> Iterator[dict[str, str]]:
    """Yield the rows of a CSV file in the folder of `path`, or in one within it."""
    found = [path] if path.exists() else sorted(path.parent.rglob(path.name))
    if not found:
        raise ValueError(f"--data: {path} does not exist")
    with input_file(found[0]).open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def _point(row: dict[str, str], network: str, **more: object) -> Row | None:
    """Return the row of a file of collectives, if its algorithm is one of ours."""
    operation = row["collective"]
    label = row["algorithm"].removeprefix("fjmpi:").removesuffix("_over").removesuffix("_ompi")
    label = label.replace("-", "_")
    chosen = ALGORITHMS.get((operation, label))
    on_fugaku = row["algorithm"].startswith("fjmpi:")
    mislabeled = on_fugaku and (operation, label) in MISLABELED
    if chosen is None or row.get("layer", "") not in ("", "FJMPI") or mislabeled:
        return None
    blocks = operation in ("allgather", "alltoall", "gather", "scatter")
    block, total = (int(float(row[f"{what}_bytes"])) for what in ("block" if blocks else "buffer", "buffer"))
    point = Point(
        f"{operation} {chosen} {total}",
        network,
        f"collective,operation={operation},algorithm={chosen},bytes={block}",
        float(row["median_us"]) * 1e-6,
        block,
        int(row.get("nodes") or row["tasks"]),
        **more,  # type: ignore[arg-type]
    )
    return Row(operation, chosen, total, _noise(row, "p10_us", "p90_us"), point)


def _noise(row: dict[str, str], low: str, high: str) -> float:
    return (float(row[high]) - float(row[low])) / 2 / float(row["median_us"])


def _ring(length: int, columns: int) -> list[tuple[int, int]]:
    """Return a ring through a rectangle of `columns` columns and as many rows as it needs.

    It goes down the first column and back through teeth of two rows each; of an odd number of rows, the last
    tooth is one of three.
    """
    rows = -(-length // columns)
    columns = length if rows == 1 else columns
    back: list[tuple[int, int]] = []
    for row in range(rows):
        tooth = range(1, columns)
        if rows % 2 == 0 and row >= rows - 2:
            tooth = tooth[: columns - 1 - (rows * columns - length) // 2]
        if rows % 2 and row == rows - 2:
            tooth = tooth[-1:]
        back += [(row, column) for column in (tooth[::-1] if back and back[-1][1] == tooth[-1] else tooth)]
    return [*((row, 0) for row in range(rows)), *reversed(back)]


def folded(shape: str) -> tuple[str, str]:
    """Return the network of the blocks of 2x3x2 nodes of a job on Fugaku, and its nodes in order of rank.

    Each side of a job of three sides is a ring through an axis of blocks and an axis within blocks: x and a,
    y and b, z and c (PMIx standard, pull request 165, by Fujitsu). For x and z, there is only one such ring.
    **(ours)**: the ring of y; of two sides, the shorter is this ring, and the longer goes through those of x
    and z. Ranks follow y first, then z, then x.
    """
    sides = [int(side) for side in shape.split("x")]
    if len(sides) == 3:
        x, y, z = (_ring(side, maximum) for side, maximum in zip(sides, (2, 3, 2), strict=True))
        places = [(x[i], y[j], z[k]) for i, k, j in np.ndindex(sides[0], sides[2], sides[1])]
    else:
        longer = int(np.argmax(sides))
        rows = max(n for n in (1, *range(2, isqrt(sides[longer]) + 1, 2)) if sides[longer] % n == 0)
        x, y, z = _ring(rows, 2), _ring(sides[1 - longer], 3), _ring(sides[longer] // rows, 2)
        way = _ring(sides[longer], len(z))
        places = [
            (x[way[at[longer]][0]], y[at[1 - longer]], z[way[at[longer]][1]]) for at in np.ndindex(*sides)
        ]
    lengths = (*(1 + np.array(places)[:, :, 0].max(axis=0)).tolist(), 2, 3, 2)
    at = np.array(places).transpose(2, 1, 0).reshape(6, -1)  # x, y, z, a, b, c
    nodes = np.ravel_multi_index(tuple(at[::-1]), lengths[::-1])
    return f"mesh:{'x'.join(map(str, lengths))}", node_lists([nodes])


def fugaku(folder: Path, shape: str) -> list[Row]:
    """Return the rows of a job of this shape."""
    network, where = folded(shape)
    rows = rows_of(folder / "fugaku_core.csv")
    return _known(_point(row, network, partition=where) for row in rows if row["shape"] == shape)


def _known(rows: Iterable[Row | None]) -> list[Row]:
    return [row for row in rows if row]


def hosts_of(path: Path, run: str) -> tuple[str, str]:
    """Return the network that a run on LUMI-G uses, and the partition of its hosts, in the order of ranks."""
    listed = {
        int(row["rank"]): Host(f"{path}: rank {row['rank']}", (row["xname"],))
        for row in rows_of(path)
        if row["run"] == run
    }
    nodes = nodes_of(parse(LUMI), [listed[rank] for rank in sorted(listed)])
    first = int(nodes.min()) // GROUP
    if int(nodes.max()) // GROUP == first:  # other groups cost time to set up, and carry nothing
        return ONE_GROUP, node_lists([nodes - first * GROUP])
    return LUMI, node_lists([nodes])


def lumi(folder: Path, name: str) -> list[Row]:
    """Return the allreduces of a run, on the nodes where it was."""
    network, where = hosts_of(folder / "lumi_alloc.csv", RUNS[name])
    return _known(
        _point(row, network, partition=where)
        for row in rows_of(folder / "lumi_runs.csv")
        if row["run"] == RUNS[name] and row["algorithm"].endswith("_over")
    )


def marenostrum(folder: Path) -> list[Row]:
    """Return the runs on 32 nodes of an island."""
    return _known(_point(row, ISLAND) for row in rows_of(folder / "mn5_runs.csv"))


TESTS = {
    "pingpong": "operation=bcast,algorithm=linear",
    "pingpong_both_ways": "operation=alltoall,algorithm=pairwise",
}


def pingpongs(folder: Path, machine: str, placement: str, network: str, far: int) -> list[Row]:
    """Return the medians of messages one way and both ways at once, between node 0 and node `far`."""
    made = []
    for row in rows_of(folder / "aries_slingshot10_pingpong.csv"):
        if (row["machine"], row["placement"]) == (machine, placement) and row["test"] in TESTS:
            size = int(row["bytes"])
            point = Point(
                f"{machine} {placement} {size}", network,
                f"collective,{TESTS[row['test']]},bytes={size}",
                float(row["median_us"]) * 1e-6, size, 2, partition=f"nodes:0,{far}",
            )  # fmt: skip
            made.append(Row(row["test"], "-", size, _noise(row, "p25_us", "p75_us"), point))
    return made


# What Cray's MPICH executes is not told; **(ours)**: MPICH's own algorithms for short messages.
_THETA = {
    "barrier": "operation=barrier,algorithm=bruck",
    "broadcast": "operation=bcast,algorithm=in_order_binomial",
    "allreduce": "operation=allreduce,algorithm=recursive_doubling",
}


def theta(folder: Path, part: str, but: str = "-") -> list[Row]:
    """Return the rows of one task a node of quarters (``"4Half"``) or halves of jobs, but for one of them."""
    hosts: dict[str, list[Host]] = defaultdict(list)
    for row in rows_of(folder / "theta_hosts.csv"):
        within = {"group": row["group"], "switch": row["switch"]}
        hosts[row["run"]].append(Host(f"theta_hosts.csv: {row['host']}", (row["host"],), (), within))
    network = parse(THETA)
    nodes = {run: nodes_of(network, listed) for run, listed in hosts.items()}
    made = []
    for row in rows_of(folder / "theta_collectives.csv"):
        own = row["communicator"].startswith(part) and not row["communicator"].startswith(but)
        if row["tasks_per_node"] != "1" or not own:
            continue
        if row["run"] not in nodes or row["run"] == DISTURBED:
            continue
        where = nodes[row["run"]][int(row["first_node"]) : int(row["last_node"]) + 1]
        size, maximum, minimum = int(row["bytes"]), float(row["max_us"]), float(row["min_us"])
        point = Point(
            f"{row['run']} {row['operation']} {size}", THETA,
            f"collective,{_THETA[row['operation']]},bytes={size}",
            maximum * 1e-6, size, len(where), partition=node_lists([where]),
        )  # fmt: skip
        made.append(Row(row["operation"], row["run"], size, (maximum - minimum) / 2 / maximum, point))
    return made
