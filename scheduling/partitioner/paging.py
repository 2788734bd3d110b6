"""Paging: a grid is cut into pages of side 2^s, a tree into subtrees, and a job gets the first free pages.

Source: V. Lo, K. Windisch, W. Liu, B. Nitzberg, "Noncontiguous processor allocation algorithms for
mesh-connected multicomputers", IEEE Trans. Parallel and Distributed Systems 8(7), 1997, as it is commonly
described; the details were not checked against the paper. Smaller pages at the
border of a grid are ours.
"""

from __future__ import annotations

import numpy as np

from netplace.checks import check_choice, check_int
from netplace.placement.rule import grid_of
from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Allocation, Keeper, Nodes, refuse_marked
from netplace.scheduling.partitioner.curves.orders import hilbert, row, snake
from netplace.topologies import Topology, hierarchy, mesh

PAGE_ORDERS = {"row": row, "snake": snake, "hilbert": hilbert}


class Paging(Keeper):
    """Gives a job the first free pages that hold it; the rest of the last page stays unused.

    `page`: page of each node; lower ones are taken first. `places`: order of the nodes in a page, by default
    that of their numbers. `free` counts the nodes in pages that are free as a whole.
    """

    _changing = ("_held", "_used")

    def __init__(self, page: Nodes, places: Nodes | None = None):
        self._page = page
        by_page = np.lexsort((np.arange(len(page)) if places is None else places, page))
        self._nodes = np.split(by_page, np.cumsum(np.bincount(page))[:-1])
        self._sizes = np.bincount(page)
        self.by_count = bool(self._sizes.max() == 1)  # a larger page may hold more nodes than a job needs
        self._held = np.zeros(len(page), bool)
        self._used = np.zeros(len(self._sizes), np.int64)  # held nodes of each page
        self.free = len(page)
        # `visited` counts pages.

    def _choice(self, job: Job) -> Allocation | None:
        pages = np.flatnonzero(self._used == 0)
        self.visited += len(pages)
        count = int(np.searchsorted(np.cumsum(self._sizes[pages]), job.nodes)) + 1
        return Allocation(np.concatenate([self._nodes[page] for page in pages[:count]]))

    def _mark(self, nodes: Nodes, free: bool) -> None:
        refuse_marked(nodes[self._held[nodes] != free], free)
        self._held[nodes] = not free
        np.add.at(self._used, self._page[nodes], -1 if free else 1)
        self.free = int(self._sizes[self._used == 0].sum())


def paging(topology: Topology, option: str = "", seed: int = 0) -> Paging:
    """Return Paging(s), with an order of pages on grids; on a tree pages are subtrees of level s."""
    what = f"partitioner paging:{option}" if option else "partitioner paging"
    size, _, order = option.partition(",")
    tree = hierarchy(topology)
    if tree is not None:
        if order:
            raise ValueError(f"{what}: pages of trees have a fixed order, but {order!r} was given")
        starts = tree.starts[check_int(size or 0, f"{what}: level", 0, tree.levels)]
        page = np.empty(topology.nodes, np.int64)
        page[tree.order] = np.searchsorted(starts, np.arange(topology.nodes), side="right") - 1
        return Paging(page, np.argsort(tree.order))
    check_choice(order or "row", PAGE_ORDERS, f"{what}, order of pages")
    grid = grid_of(topology, what)
    most = (max(grid.sizes) - 1).bit_length()  # of a page that is the whole machine
    side = check_int(size or 0, f"{what}: size", 0, most)
    pages = mesh(tuple(-(-of // 2**side) for of in grid.sizes))
    rank = np.argsort(PAGE_ORDERS[order or "row"](pages))
    return Paging(rank[pages.node(grid.coordinates(np.arange(grid.nodes)) >> side)])
