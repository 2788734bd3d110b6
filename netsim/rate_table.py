"""Tables of rates: how much each node sends to which others, from a file.

A table has a row ``source,target,rate`` for each pair of nodes, or is a matrix with sources as rows and
destinations as columns. The first row can name the columns, and the nodes of a matrix. Nodes are numbers, or
names of hosts. Rates are in phits per cycle, or have a unit: in the cells (``10Gbps``) or in the heading of
their column (``rate (Gb/s)``, ``rate_gbps``).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import numpy as np

from netplace.files import text_of
from netplace.inputs import abbreviate, check_choice
from netplace.netsim.config import Config
from netplace.text_tables import PairTable, pair_table, rows_of
from netplace.topologies import Topology
from netplace.topologies.rates import SPEEDS

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_HEADINGS = ("rate", "load", "bandwidth", "bw", "throughput", "demand", "traffic")
_PHITS = "phits/cycle"
_LOWER = {f"{size}{unit}": 125.0 * 1000**power
          for power, size in enumerate("kmgt") for unit in ("bps", "bit/s")}  # fmt: skip
_UNITS = {**_LOWER, **SPEEDS, _PHITS: 0.0}  # bytes per second
_CELL = re.compile(r"(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)\s*([A-Za-z/]*)")
_COLUMN = re.compile(r"([A-Za-z]+)[\s_]*[(\[]?([A-Za-z/]*)[)\]]?")
Rates = dict[tuple[int, int], float]  # by source and destination


def rates_in(path: str, topology: Topology) -> tuple[Rates, bool]:
    """Return the rates in a file, and whether they are in bytes per second rather than phits per cycle.

    Raises
    ------
    ValueError
        If the file is no such table, names a node that does not exist or does not compute, has a node that
        sends to itself, or mixes rates with and without units.
    """
    return _rates_of(text_of(path), path, topology)


@lru_cache(maxsize=1)  # of a table, what it offers, whether it fits, and each load need the rates
def _rates_of(text: str, path: str, topology: Topology) -> tuple[Rates, bool]:
    table = pair_table(rows_of(text, path), path, partial(_unit_of, path=path), {1: [_PHITS]})
    number = {name: node for node, name in enumerate(topology.hosts)}
    number = number if len(number) == topology.nodes else {}  # a host of several nodes is no node
    rates: Rates = {}
    kinds = set()
    for where, *names, cell, column in _entries(table, path):
        match = _CELL.fullmatch(cell)
        unit = (match[2] or column) if match else ""
        if not match or unit not in _UNITS or (rate := float(match[1])) == math.inf:
            raise ValueError(
                f"{where}: rate {abbreviate(cell)}, expected a number of at least 0, or such as 10Gb/s"
            )
        if rate > 0:
            source, target = (_node(name, number, topology, where) for name in names)
            if source == target:
                raise ValueError(
                    f"{where}: node {source} sends to itself, expected two nodes, or a rate of 0"
                )
            kinds.add(_UNITS[unit] > 0)
            rates[source, target] = rates.get((source, target), 0.0) + rate * (_UNITS[unit] or 1.0)
    if len(kinds) != 1:
        raise ValueError(
            f"{path}: {'some rates have a unit and some have none' if kinds else 'all rates are 0'}"
        )
    return rates, kinds.pop()


def own_load(path: str, topology: Topology, config: Config) -> float:
    """Return the mean load of the rates in a file, in phits per node and cycle."""
    rates, per_second = rates_in(path, topology)
    phits = config.cycle_ns * 1e-9 / config.phit_bytes if per_second else 1.0
    return sum(rates.values()) * phits / topology.nodes


def rate_table(path: str, topology: Topology, without: set[int]) -> csr_array:
    """Return the rates in a file, in units of their mean over the nodes; none of the nodes `without`."""
    from scipy.sparse import csr_array

    rates, _ = rates_in(path, topology)
    pairs = sorted(pair for pair in rates if without.isdisjoint(pair))
    scaled = np.array([rates[pair] for pair in pairs]) * (topology.nodes / sum(rates.values()))
    return csr_array((scaled, np.array(pairs, np.int64).reshape(-1, 2).T), shape=[topology.nodes] * 2)


def _entries(table: PairTable, path: str) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield the line, source, target, rate, and the unit of a rate without one."""
    units = [unit for unit in table.names if unit]
    if table.labels is None and len(units) != 1:
        raise ValueError(f"{path}: {len(units)} columns of rates, expected one")
    for place, (line, cells) in enumerate(table.rows):
        where = f"{path}, line {line}"
        if table.labels is None:
            yield where, cells[0], cells[1], cells[2 + table.names.index(units[0])], units[0]
            continue
        for target, cell in zip(table.labels[1], cells, strict=True):
            yield where, table.labels[0][place], target, cell, _PHITS


def _unit_of(heading: str, path: str) -> str:
    """Return the unit in the heading of a column of rates; empty for the index of pandas."""
    if heading in _UNITS or heading.lower() in ("", "index", "unnamed: 0"):
        return heading if heading in _UNITS else ""
    match = _COLUMN.fullmatch(heading)
    if not match or match[1].lower() not in _HEADINGS:
        expected = f"expected {', '.join(_HEADINGS)}, or such as rate (Gb/s)"
        raise ValueError(f"{path}: column {abbreviate(heading)}, {expected}")
    return check_choice(match[2] or _PHITS, _UNITS, f"{path}: unit of {heading}")


def _node(name: str, number: dict[str, int], topology: Topology, where: str) -> int:
    node = number.get(name, int(name) if re.fullmatch(r"\d{1,9}", name, re.ASCII) else -1)
    if not 0 <= node < topology.nodes or node in topology.service:
        expected = f"expected a number below {topology.nodes} or the name of a host, of a node that computes"
        raise ValueError(f"{where}: {abbreviate(name)} is not a node of {topology}, {expected}")
    return node
