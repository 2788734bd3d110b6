"""Measured times from the files of others, as points that can be simulated."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from netplace.files import input_file
from netplace.placement.mapping.hosts import Host, nodes_of
from netplace.placement.rule import node_lists
from netplace.runs.fitting import Point
from netplace.topologies import parse

# Names of the measurements, and of the algorithm that executes the same messages here.
ALGORITHMS = {
    ("alltoall", "pairwise"): "pairwise",
    ("alltoall", "linear"): "linear",
    ("alltoall", "linear_sync"): "linear_sync",
    ("alltoall", "modified_bruck"): "modified_bruck",
    ("allgather", "bruck"): "bruck",
    ("allgather", "neighbor"): "neighbor_exchange",
    ("allgather", "recursive_doubling"): "recursive_doubling",
    ("allgather", "ring"): "ring",
    ("allreduce", "recursive_doubling"): "recursive_doubling",
    ("allreduce", "rabenseifner"): "rabenseifner",
    ("allreduce", "ring"): "ring",
    ("bcast", "binomial"): "binomial",
    ("bcast", "binary"): "binary_tree",
    ("bcast", "binary_tree"): "binary_tree",
    ("bcast", "chain"): "chain",
    ("bcast", "pipeline"): "pipeline",
    ("gather", "binomial"): "binomial",
    ("scatter", "binomial"): "binomial",
    ("reduce", "binomial"): "binomial",
    ("allreduce", "bine_lat"): "bine_doubling",
    ("allreduce", "bine_bdw_static"): "bine",
    ("alltoall", "bine"): "bine",
    ("bcast", "bine_lat"): "bine",
    ("bcast", "bine_bdw_remap"): "bine_scatter_allgather",
    ("gather", "bine"): "bine",
    ("scatter", "bine"): "bine",
    ("reduce", "bine_lat"): "bine",
    ("reduce", "bine_bdw"): "bine_reduce_scatter_gather",
}
FUGAKU_BYTES = (16384, 131072, 1048576, 8388608, 67108864)
LUMI, ISLAND = "dragonfly:a=32,p=16,h=1,g=24", "xgft:1;32;1"
ONE_GROUP, GROUP = "dragonfly:a=32,p=16,h=1,g=2", 512  # the least dragonfly with such a group, and its nodes
COMPACT, SPREAD = "2025_04_07___16_22_51", "2025_04_07___16_33_47"


@dataclass(frozen=True)
class Row:
    """A measured time: its labels in tables, and the point that is simulated for it."""

    set: str
    operation: str
    algorithm: str
    bytes: int
    point: Point


def rows_of(path: Path) -> Iterator[dict[str, str]]:
    try:
        with input_file(path).open(encoding="utf-8", newline="") as file:
            yield from csv.DictReader(file)
    except FileNotFoundError:
        raise ValueError(f"--data: {path} does not exist") from None


def _point(row: dict[str, str], network: str, size: str, **more: object) -> Row | None:
    """Return the row of a file of collectives, if its algorithm is one of ours."""
    operation = row["collective"]
    name = row["algorithm"].removeprefix("fjmpi:").removesuffix("_over").removesuffix("_ompi")
    chosen = ALGORITHMS.get((operation, name.replace("-", "_")))
    if chosen is None or row.get("layer", "") not in ("", "FJMPI"):
        return None
    blocks = operation in ("allgather", "alltoall", "gather", "scatter")
    block = int(float(row["block_bytes" if blocks else "buffer_bytes"]))
    options = f"operation={operation},algorithm={chosen},bytes={block}"
    total = int(float(row["buffer_bytes"]))
    point = Point(
        f"{operation} {chosen} {total}",
        network,
        f"collective,{options}",
        float(row["median_us"]) * 1e-6,
        _largest(operation, chosen, block, total),
        int(row.get("nodes") or row["tasks"]),
        **more,  # type: ignore[arg-type]
    )
    return Row(size, operation, chosen, total, point)


_HALVES = {
    ("allgather", "bruck"),
    ("allgather", "recursive_doubling"),
    ("alltoall", "modified_bruck"),
    ("alltoall", "bine"),
    ("allreduce", "bine"),
    ("bcast", "bine_scatter_allgather"),
    ("reduce", "bine_reduce_scatter_gather"),
    ("gather", "binomial"),
    ("gather", "bine"),
    ("scatter", "binomial"),
    ("scatter", "bine"),
}


def _largest(operation: str, algorithm: str, block: int, total: int) -> int:
    """Return about the bytes of the largest message."""
    if (operation, algorithm) in _HALVES:
        return total // 2
    return total // 32 if (operation, algorithm) == ("allreduce", "ring") else block


def _ring(side: int, block: int) -> list[tuple[int, int]]:
    """Return the ring of a side: blocks and places in them, around the rim of a rectangle of both."""
    tall = -(-side // block)
    wide = side // 2 + 2 - tall
    there = [(row, 0) for row in range(tall)] + [(tall - 1, column) for column in range(1, wide)]
    back = [(row, wide - 1) for row in range(tall - 2, -1, -1)]
    return [*there, *back, *((0, column) for column in range(wide - 2, 0, -1))] if tall > 1 else there


def folded(shape: str) -> tuple[str, str]:
    """Return the network of the blocks of 2x3x2 nodes of a job on Fugaku, and its nodes in order of rank.

    Each side of a job is a ring through an axis of blocks and an axis within blocks: x and a, y and b, z and
    c (PMIx standard, pull request 165, by Fujitsu). For x and z, there is only one such ring. **(ours)**: for
    y, the ring is the rim of a rectangle of blocks and places.
    """
    sides, within = [int(side) for side in shape.split("x")], (2, 3, 2)
    rings = [_ring(side, most) for side, most in zip(sides, within, strict=True)]
    lengths = [*(-(-side // most) for side, most in zip(sides, within, strict=True)), *within]
    nodes = [
        np.ravel_multi_index((c, b, a, z, y, x), lengths[::-1])
        for (z, c), (y, b), (x, a) in product(*reversed(rings))
    ]
    return f"mesh:{'x'.join(map(str, lengths))}", node_lists([np.array(nodes)])


def fugaku(folder: Path, shapes: tuple[str, ...], bytes_: tuple[int, ...] = FUGAKU_BYTES) -> list[Row]:
    """Return the rows of jobs of these shapes, for vectors of these lengths."""
    places = {shape: folded(shape) for shape in shapes}
    rows = [
        _point(row, places[row["shape"]][0], row["shape"], partition=places[row["shape"]][1])
        for row in rows_of(folder / "fugaku_core.csv")
        if row["shape"] in shapes and int(row["buffer_bytes"]) in bytes_
        and row["collective"] in ("alltoall", "allgather", "bcast")
    ]  # fmt: skip
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


def lumi(folder: Path, run: str, most: int = 1 << 30) -> list[Row]:
    """Return the allreduces of a run on eight nodes, on the nodes where it was."""
    network, where = hosts_of(folder / "lumi_alloc.csv", run)
    rows = [
        _point(row, network, "compact" if run == COMPACT else "four groups", partition=where)
        for row in rows_of(folder / "lumi_runs.csv")
        if row["run"] == run and row["algorithm"].endswith("_over") and int(row["buffer_bytes"]) <= most
    ]
    return [row for row in rows if row]


def marenostrum(folder: Path) -> list[Row]:
    """Return the runs on 32 nodes of an island, up to 8 MiB of a vector."""
    rows = [
        _point(row, ISLAND, "island")
        for row in rows_of(folder / "mn5_runs.csv")
        if int(row["buffer_bytes"]) <= 8 << 20
    ]
    return [row for row in rows if row]


TESTS = {
    "pingpong": "operation=bcast,algorithm=linear",
    "pingpong_both_ways": "operation=alltoall,algorithm=pairwise",
}


def daint_and_alps(folder: Path, machine: str, placement: str, network: str, far: int) -> list[Row]:
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
            made.append(Row(placement, row["test"], row["load"], size, point))
    return made
