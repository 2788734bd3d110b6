"""Paging: a grid is cut into pages of side 2^s, and a job gets the first free pages.

Source: V. Lo, K. Windisch, W. Liu, B. Nitzberg, "Noncontiguous processor allocation algorithms for
mesh-connected multicomputers", IEEE Trans. Parallel and Distributed Systems 8(7), 1997, as it is commonly
described; the details were not checked against the paper. Smaller pages at the
border of a grid are ours.
"""

from __future__ import annotations

import copy

import numpy as np

from netplace.checks import one_of, whole
from netplace.placement.rule import grid_of
from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Allocation, Nodes
from netplace.scheduling.partitioner.curves.hilbert import hilbert
from netplace.scheduling.partitioner.curves.row import row
from netplace.scheduling.partitioner.curves.snake import snake
from netplace.topologies import Grid, Topology, mesh

__all__ = ["PAGE_ORDERS", "Paging", "paging"]

PAGE_ORDERS = {"row": row, "snake": snake, "hilbert": hilbert}


class Paging:
    """Gives a job the first free pages that hold it; what is left of the last page is lost to others.

    Parameters
    ----------
    grid : Grid
        The machine.
    size : int
        Pages have sides of 2^size nodes.
    order : str
        Order of the pages, a key of `PAGE_ORDERS`.

    Attributes
    ----------
    free : int
        Nodes in pages that are free as a whole.
    """

    def __init__(self, grid: Grid, size: int, order: str = "row"):
        self.by_count = size == 0  # a larger page may hold more nodes than a job needs
        sides = [-(-side // 2**size) for side in grid.sizes]
        pages = mesh(tuple(sides))
        rank = np.argsort(PAGE_ORDERS[order](pages))
        self._page = rank[pages.node(grid.coordinates(np.arange(grid.nodes)) >> size)]  # of each node
        by_page = np.argsort(self._page, kind="stable")
        self._nodes = np.split(by_page, np.cumsum(np.bincount(self._page))[:-1])
        self._sizes = np.bincount(self._page)
        self._held = np.zeros(grid.nodes, bool)
        self._used = np.zeros(pages.nodes, np.int64)  # held nodes of each page
        self.free = grid.nodes
        self.searches = 0
        self.visited = 0  # pages

    def find(self, job: Job) -> Allocation | None:
        """Return the nodes of the first free pages, page by page, or None if there are too few."""
        self.searches += 1
        if job.nodes > self.free:
            return None
        pages = np.flatnonzero(self._used == 0)
        self.visited += len(pages)
        count = int(np.searchsorted(np.cumsum(self._sizes[pages]), job.nodes)) + 1
        return Allocation(np.concatenate([self._nodes[page] for page in pages[:count]]))

    def take(self, allocation: Allocation) -> None:
        """Mark nodes that `find` returned as held."""
        self._mark(allocation.nodes, True)

    def release(self, allocation: Allocation) -> None:
        """Mark nodes that were taken as free."""
        self._mark(allocation.nodes, False)

    def _mark(self, nodes: Nodes, held: bool) -> None:
        """Mark nodes.

        Raises
        ------
        ValueError
            If one is so already.
        """
        wrong = self._held[nodes] == held
        if wrong.any():
            raise ValueError(f"node {nodes[wrong][0]} is {'held' if held else 'free'} already")
        self._held[nodes] = held
        np.add.at(self._used, self._page[nodes], 1 if held else -1)
        self.free = int(self._sizes[self._used == 0].sum())

    def copy(self) -> Paging:
        """Return an independent copy."""
        twin = copy.copy(self)
        twin._held, twin._used = self._held.copy(), self._used.copy()
        return twin


def paging(topology: Topology, option: str = "", seed: int = 0) -> Paging:
    """Return the partitioner Paging(s); the option is s, and after a comma the order of pages.

    Raises
    ------
    ValueError
        If the option has another form, a page is larger than the machine, or the network is no mesh or torus.
    """
    what = f"partitioner paging:{option}" if option else "partitioner paging"
    size, _, order = option.partition(",")
    one_of(order or "row", PAGE_ORDERS, f"{what}, order of pages")
    grid = grid_of(topology, what)
    most = (max(grid.sizes) - 1).bit_length()  # of a page that is the whole machine
    return Paging(grid, whole(size or 0, f"{what}: size", 0, most), order or "row")
