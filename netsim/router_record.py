"""How the kernel lays the state of a router of a grid or tree out: a record of whole cache lines."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from netplace.netsim.config import Config
from netplace.netsim.kernel import state as k
from netplace.netsim.memory import LINE
from netplace.topologies import Grid, Topology

__all__ = ["RouterRecord", "router_record", "settings_of"]

_SETS = {15: np.int16, 31: np.int32, 62: np.int64}  # words of routers with at most so many inputs
_NARROW_BITS = 5  # of the fields of a FIFO's word of 16 bits, and of 64
_WIDE_BITS = 16


@dataclass(frozen=True)
class RouterRecord:
    """Where the parts of a router's record are, in words of the array that they belong to."""

    sets: type[np.signedinteger[Any]]
    counts: type[np.signedinteger[Any]]
    parts: dict[str, int]
    size: int  # bytes, whole lines of cache


def router_record(topology: Topology, config: Config, loads: bool) -> RouterRecord:
    """Lay out the record of a router in the narrowest words that hold it, what is touched most first."""
    dims = len(topology.sizes) if isinstance(topology, Grid) else 0
    ports = topology.ports
    outputs = ports * config.vcs
    fifos = outputs + config.injectors
    packets = config.queue_packets + config.injection_packets
    narrow = packets < 1 << _NARROW_BITS and config.queue_packets * config.packet_phits < 1 << 16
    sets: Any = next(word for most, word in _SETS.items() if fifos <= most or most == k.MOST_INPUTS)
    counts: Any = np.int16
    if not narrow:
        sets = counts = np.int64
    record = RouterRecord(sets, counts, {}, 0)
    parts = {
        "sets": (sets, k.SETS - (dims > 0)),
        "want": (sets, ports),
        "next": (sets, dims),
        "slope": (sets, 2 * loads),
        "fifo": (counts, fifos),
        "time": (np.int32, 1),
        "place": (np.int32, dims == 0),
        "link": (np.int32, ports),
        "crossed": (counts, ports),
        "load": (counts, outputs * loads),
        "turn": (np.int8, outputs),
        "turn_link": (np.int8, ports),
    }
    end = 0
    for name, (kind, number) in parts.items():
        item = np.dtype(kind).itemsize
        begin = -(-end // item)
        record.parts[name] = begin
        end = (begin + number) * item
    return replace(record, size=-(-end // LINE) * LINE)


def settings_of(record: RouterRecord) -> dict[str, int]:
    """Return what the kernel must know of a record."""
    narrow = record.counts == np.int16
    bits = _NARROW_BITS if narrow else _WIDE_BITS
    size = record.size
    parts = {name: place for name, place in record.parts.items() if name != "sets"}
    return parts | {
        "row": size // np.dtype(record.sets).itemsize,
        "row_counts": size // np.dtype(record.counts).itemsize,
        "row_names": size // 4,
        "row_bytes": size,
        "bits": bits,
        "field": (1 << bits) - 1,
        "modulus": 0xFFFF if narrow else 0xFFFFFFFF,
        "fifo_far": int(record.parts["time"] * 4 > LINE),
    }
