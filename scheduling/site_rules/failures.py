"""When nodes fail and come back: from a list, or drawn."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from netplace.checks.inputs import input_file

__all__ = ["Failures", "Outage", "read_outages"]


@dataclass(frozen=True, order=True)
class Outage:
    """A node that is down.

    Attributes
    ----------
    begin, end : float
        Seconds on the workload's clock.
    node : int
        Which.
    """

    begin: float
    end: float
    node: int


@dataclass(frozen=True)
class Failures:
    """When nodes fail; by default never.

    Attributes
    ----------
    outages : tuple of Outage
        Those that are known.
    mean_between : float
        Mean seconds between failures of one node, exponentially distributed; infinity: none are drawn.
    mean_repair : float
        Mean seconds until it is back, exponentially distributed.
    seed : int
        Seed of the draw.
    """

    outages: tuple[Outage, ...] = ()
    mean_between: float = math.inf
    mean_repair: float = 3600.0
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.mean_between > 0 or not 0 < self.mean_repair < math.inf:
            raise ValueError(
                f"failures: every {self.mean_between:g} s for {self.mean_repair:g} s, expected numbers over 0"
            )

    def events(self, nodes: int, begin: float) -> Iterator[Outage]:
        """Yield outages in the order of their beginnings, those drawn from `begin` on without an end."""
        for outage in self.outages:
            if not 0 <= outage.node < nodes:
                raise ValueError(f"failures: node {outage.node}, expected one of 0 to {nodes - 1}")
        drawn = self._drawn(nodes, begin)
        following = next(drawn, None)
        for outage in sorted(self.outages):
            while following is not None and following < outage:
                yield following
                following = next(drawn, None)
            yield outage
        while following is not None:
            yield following
            following = next(drawn, None)

    def _drawn(self, nodes: int, begin: float) -> Iterator[Outage]:
        if self.mean_between == math.inf:
            return
        rng, now = np.random.default_rng(self.seed), begin
        while True:
            now += float(rng.exponential(self.mean_between / nodes))
            yield Outage(now, now + float(rng.exponential(self.mean_repair)), int(rng.integers(nodes)))


def read_outages(path: str | Path) -> tuple[Outage, ...]:
    """Read outages from a CSV file with the columns ``node``, ``begin`` and ``end``."""
    path, outages = Path(path), []
    try:
        with input_file(path).open(newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            for column in ("node", "begin", "end"):
                if column not in (reader.fieldnames or ()):
                    raise ValueError(f"{path}: has no column {column}, expected node, begin, end")
            for row in reader:
                outages.append(_outage(row, f"{path}, line {reader.line_num}"))
    except (csv.Error, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: is no CSV file ({error})") from None
    return tuple(outages)


def _outage(row: dict[str, str], where: str) -> Outage:
    try:
        node, begin, end = int(row["node"]), float(row["begin"]), float(row["end"])
    except (TypeError, ValueError):
        raise ValueError(f"{where}: expected the number of a node and two times in seconds") from None
    if node < 0 or not -math.inf < begin < end < math.inf:
        raise ValueError(f"{where}: node {node} from {begin:g} to {end:g} s, expected a later end")
    return Outage(begin, end, node)
