"""The text form of cable latencies by kind, see docs/background/model-fabrics.md."""

from __future__ import annotations

import math

from netplace.inputs import check_choice, check_float, check_int
from netplace.topologies.limits import MOST_DELAY

KINDS = {
    "node": "cables between a node and its switch",
    "local": "cables between switches of a group, or all between switches where there are no groups",
    "global": "cables between switches of two groups",
}
NS_PER_METRE = 5.0  # light in a fibre of refractive index 1.5, and a signal in copper nearly so
_FORM = "CYCLES, or values by kind such as node=2m,local=5m,global=250ns, in cycles, m (meters) or ns"
_UNITS = {"ns": 1.0, "m": NS_PER_METRE}


def read_latencies(text: str, cycle_ns: float) -> dict[str, int]:
    """Return the latency of each named kind of cable, in cycles, rounded up."""
    latencies: dict[str, int] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = (word.strip() for word in part.partition("="))
        if not equals:
            name, value = "", name
        where = f"cable_latency {text!r}: {name}" if name else f"cable_latency {text!r}"
        if name:
            check_choice(name, KINDS, "cable_latency: kind of cable")
        cycles = _cycles(value, where, cycle_ns)
        for kind in [name] if name else KINDS:
            if kind in latencies:
                raise ValueError(f"cable_latency {text!r}: {kind} appears twice, expected {_FORM}")
            latencies[kind] = cycles
    return latencies


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
