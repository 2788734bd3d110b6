"""The text forms of settings of a fabric, see docs/background/model-fabrics.md.

Examples are ``"node=2m,local=5m,global=250ns"`` for latencies of cables, ``"count=2,weights=3+1"`` for
traffic classes, and ``"window=16,ack=200"``, ``"rate=0.5"`` or ``"dcqcn=3,timer=500"`` for congestion.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from netplace.inputs import check_choice, check_float, check_int
from netplace.topologies.limits import MOST_DELAY


def _pairs(text: str, setting: str, names: Collection[str], form: str) -> dict[str, str]:
    """Return the values of a text ``NAME=VALUE,NAME=VALUE`` by name."""
    values: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = (word.strip() for word in part.partition("="))
        if not equals:
            raise ValueError(f"{setting} {text!r}: {part!r} does not match {form}")
        if check_choice(name, names, f"{setting}: key") in values:
            raise ValueError(f"{setting} {text!r}: {name}: appears twice")
        values[name] = value
    return values


# --- cables ---

KINDS = {
    "node": "cables between a node and its switch",
    "local": "cables between switches of a group, or all between switches where there are no groups",
    "global": "cables between switches of two groups",
}
NS_PER_METRE = 5.0  # light in a fibre of refractive index 1.5, and a signal in copper nearly so
_LATENCIES = "CYCLES, or values by kind such as node=2m,local=5m,global=250ns, in cycles, m (meters) or ns"
_UNITS = {"ns": 1.0, "m": NS_PER_METRE}


def read_latencies(text: str, cycle_ns: float) -> dict[str, int]:
    """Return the latency of each named kind of cable, in cycles, rounded up; a single value is for all."""
    setting = f"cable_latency {text!r}"
    if text and "=" not in text:
        return dict.fromkeys(KINDS, _cycles(text.strip(), setting, cycle_ns))
    values = _pairs(text, "cable_latency", KINDS, _LATENCIES)
    return {kind: _cycles(value, f"{setting}: {kind}", cycle_ns) for kind, value in values.items()}


def _cycles(value: str, where: str, cycle_ns: float) -> int:
    """Return a latency in cycles, at least 0 and at most `MOST_DELAY`."""
    unit = next((unit for unit in _UNITS if value.endswith(unit)), None)
    if unit is None:
        return check_int(value, where, 0, MOST_DELAY)
    ns = check_float(value.removesuffix(unit).strip(), where, 0.0) * _UNITS[unit]
    cycles = ns / cycle_ns
    if cycles > MOST_DELAY:
        raise ValueError(f"{where}: {value} is {cycles:.0f} cycles of {cycle_ns} ns, more than {MOST_DELAY}")
    return math.ceil(cycles - 1e-9)


# --- traffic classes ---

_CLASSES = "count=CLASSES,bytes=BYTES,weights=W+W"
_MOST_CLASSES = 8
_MOST_WEIGHT = 16


@dataclass(frozen=True)
class Classes:
    count: int = 1  # number of classes; class 0 has the highest priority
    # Messages of at most this many bytes belong to class 0, and others to the last class. If None, all
    # messages of a job with identity n (by default the n-th job that is started) belong to class n mod
    # `count`. Open-loop traffic belongs to the last class.
    bytes: int | None = None
    # Number of packets of each class per turn on a link. If empty, a link serves classes by strict priority.
    weights: tuple[int, ...] = ()

    @property
    def schedule(self) -> tuple[int, ...]:
        """The class of each turn of a link with weights; empty for strict priority."""
        return tuple(number for number, weight in enumerate(self.weights) for _ in range(weight))

    def of_message(self, identity: int, packets: int, packet_bytes: int) -> int:
        if self.count == 1:
            return 0
        if self.bytes is None:
            return identity % self.count
        return 0 if packets <= max(1, -(-self.bytes // packet_bytes)) else self.count - 1


def read_classes(text: str) -> Classes:
    """Return the classes of a text such as ``"count=2,weights=3+1"``; an empty text gives a single class."""
    setting, settings = f"traffic_classes {text!r}", dict[str, Any]()
    for name, value in _pairs(text, "traffic_classes", ("count", "bytes", "weights"), _CLASSES).items():
        where = f"{setting}: {name}"
        if name == "weights":
            settings[name] = tuple(check_int(word, where, 1, _MOST_WEIGHT) for word in value.split("+"))
        else:
            settings[name] = check_int(value, where, *((2, _MOST_CLASSES) if name == "count" else (0,)))
    if not settings:
        return Classes()
    classes = Classes(**{"count": len(settings.get("weights", (1, 1)))} | settings)
    if classes.weights and len(classes.weights) != classes.count:
        raise ValueError(f"{setting}: weights: {len(classes.weights)} are given, expected {classes.count}")
    return classes


# --- congestion control ---

LINE_BITS = 16
LINE_RATE = 1 << LINE_BITS  # a phit a cycle
LEAST_RATE = LINE_RATE >> 10  # below which no notification reduces a rate
FAST_RECOVERY = 5  # steps without additive increase, as published

_CONTROL = (
    "window=PACKETS, rate=SHARE, dcqcn=PACKETS, with optional ack=, every=, timer=CYCLES, gain=NUMBER, "
    "step=SHARE"
)
_MOST = (1 << 15) - 1  # packets of a pair; the kernel counts them in 16 bits
_MOST_CYCLES = 1 << 20

_WHOLE = {  # least and most of each
    "window": (1, _MOST),
    "dcqcn": (1, _MOST),
    "ack": (0, _MOST_CYCLES),
    "every": (1, _MOST_CYCLES),
    "timer": (1, _MOST_CYCLES),
    "gain": (1, LINE_RATE),
}
_SHARES = {"rate": (0.001, 1.0), "step": (0.0, 1.0)}  # of the line rate
_OF_DCQCN = ("every", "timer", "gain", "step")


@dataclass(frozen=True)
class Control:
    window: int = 0  # largest number of packets under way; 0 means no limit
    rate: int = 0  # highest rate of their creation, in units of `LINE_RATE`; 0 means no limit
    # Number of packets in a buffer from which packets that leave it for a contended output are marked; 0
    # means never.
    marks: int = 0
    ack: int = 0  # cycles from the consumption of a packet's tail until its source knows about it or its mark
    every: int = 100  # minimum number of cycles between two notifications from one node to another
    timer: int = 110  # cycles without a notification after which a rate increases
    gain: int = 256
    # Increase of its target after fast recovery, in units of `LINE_RATE`.
    step: int = LINE_RATE // 50

    @property
    def by_pair(self) -> bool:
        """Whether it keeps state per pair of nodes."""
        return self.window > 0 or self.rate > 0


def read_congestion(text: str) -> Control:
    """Return the congestion control of such a text; an empty text gives none."""
    settings = _pairs(text, "congestion_control", (*_WHOLE, *_SHARES), _CONTROL)
    _check_belonging(text, settings)
    given: dict[str, int] = {"rate": LINE_RATE} if "dcqcn" in settings else {}
    for name, value in settings.items():
        where = f"congestion_control {text!r}: {name}"
        if name in _WHOLE:
            given["marks" if name == "dcqcn" else name] = check_int(value, where, *_WHOLE[name])
        else:
            given[name] = round(check_float(value, where, *_SHARES[name]) * LINE_RATE)
    return Control(**given)


def _check_belonging(text: str, settings: dict[str, str]) -> None:
    """Raise ``ValueError`` if a part is given without the part that it refines."""
    for name in settings:
        owners = ("dcqcn",) if name in _OF_DCQCN else ("window", "dcqcn") if name == "ack" else ()
        if owners and not any(owner in settings for owner in owners):
            missing = " or ".join(f"{owner}=" for owner in owners)
            raise ValueError(f"congestion_control {text!r}: {missing} is missing, which {name}= needs")
