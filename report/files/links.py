"""Loads of links as CSV."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from netplace.checks.csv_cells import write_rows
from netplace.topologies import Topology

COLUMNS = ("link", "router", "port", "to", "start", "end", "load")


def write_links(path: Path, network: Topology, links: Mapping[str, Any]) -> None:
    """Write the load (phits per cycle) of each used link: first of the whole run, then of each window."""
    ends = links["ends"]
    windows = [(0, links["cycles"]), *zip([0, *ends], ends, strict=False)]
    rows = (
        (network.link_name(router, port), router, port, int(network.neighbor[router, port]), *window, load)
        for router, port, *loads in links["rows"]
        for window, load in zip(windows, loads, strict=True)
    )
    write_rows(path, COLUMNS, rows)
