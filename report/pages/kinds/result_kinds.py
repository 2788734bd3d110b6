"""The keys that results of --json need to be shown again, by kind of result."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from netplace.checks import MOST
from netplace.checks.schema import (
    Kind,
    amount,
    anything,
    choice,
    kind_of,
    listed,
    maybe,
    number,
    row,
    table,
    table_of,
    text,
    truth,
)
from netplace.netsim import Config
from netplace.netsim.bounds import Bounds
from netplace.netsim.critical_path import COMPONENTS
from netplace.runs.outcomes import LOAD_POINT

_COUNT = amount(0, MOST)  # the mean of several runs is no whole number
_NODES = listed(number(most=2**40))
_CONFIG = kind_of(Config)
_ANY_TABLE = table({}, others=True)

_DELAYS = table({"mean": maybe(_COUNT)}, dict.fromkeys(("count", "p50", "p95", "p99", "most"), maybe(_COUNT)))
_BOUND_NAMES = tuple(item.name for item in fields(Bounds))
_BOUNDS = table(
    {
        **dict.fromkeys(_BOUND_NAMES, table({"cycles": _COUNT, "task": _COUNT})),
        "least": _COUNT,
        "binding": choice(*_BOUND_NAMES),
    }
)
_JOB = table(
    {"name": text, "tasks": number(1), "start": _COUNT, "end": _COUNT, "cycles": _COUNT},
    {"nodes": _NODES, "winner": maybe(text), "bounds": _BOUNDS},
)
_WINDOW = table(dict.fromkeys(("end", "mean_link_load", "most_link_load"), _COUNT))
_SPREAD = table_of(table(dict.fromkeys(("mean", "min", "max"), _COUNT), {"std": maybe(_COUNT)}))
_RUN: dict[str, Kind] = {
    **dict.fromkeys(("cycles", "seconds", "packets", "packet_hops", "most_link_load"), _COUNT),
    "packet_delay": _DELAYS,
    "message_delay": _DELAYS,
    "jobs": listed(_JOB, 1),
    "network": text,
    "seed": number(),
    "config": _CONFIG,
}
_LINKS = table({"cycles": _COUNT, "ends": listed(_COUNT), "rows": listed(listed(_COUNT, 3))})
_TIMELINE = table(
    {
        "name": text,
        "start": _COUNT,
        "ends": listed(_COUNT),
        "sent": _COUNT,
        "messages": listed(row(*[_COUNT] * 6)),
        "spent": maybe(table(dict.fromkeys(COMPONENTS, _COUNT))),
        "path": maybe(listed(row(text, _COUNT, _COUNT, _COUNT))),
    }
)
_RUN_OPTIONS: dict[str, Kind] = {
    **dict.fromkeys(("drained_cycles", "phits", "injection_blocked", "events", "cpu_seconds"), _COUNT),
    **dict.fromkeys(("engine", "partition", "mapping"), text),
    "faults": listed(_ANY_TABLE),
    "versions": table_of(text),
    "slowest_job": number(),
    "slowest_cycles": _COUNT,
    "window": number(1),
    "windows": listed(_WINDOW),
    "critical_paths": anything,
    "links": _LINKS,
    "timeline": listed(_TIMELINE),
}

_SATURATION = table(
    {"curve": text, **dict.fromkeys(("accepted", "highest"), _COUNT)}
    | dict.fromkeys(("load", "half_width", "low", "high"), maybe(_COUNT))
    | dict.fromkeys(("seeds", "saturated_seeds"), number())
)

# What was asked for a load point stands beside all points, where it is the same, or in each.
_LOAD_ASKED: dict[str, Kind] = {
    "network": text,
    "traffic": text,
    "offered": _COUNT,
    "config": _CONFIG,
    "engine": text,
    "warmup": number(),
    "measure": maybe(number()),
    "hot_node": maybe(number()),
    "hot_share": amount(0, 1),
    "seed": number(),
}
_ASKED_POINT = table(
    {"offered": _COUNT, "network": text}, {**_LOAD_ASKED, "versions": table_of(text)}, others=True
)

_HOPS = maybe(_COUNT)
_OFFER: dict[str, Kind] = {"partition": text, "nodes": _NODES, "placed": truth}
_OFFER_OPTIONS: dict[str, Kind] = {
    **dict.fromkeys(
        (
            "pairwise_sum",
            "mean_hops",
            "components",
            "box_ratio",
            "cube_ratio",
            "linear_span",
            "ring_span",
            "allocator_cost",
            "cpu_seconds",
        ),
        _HOPS,
    ),
    "reason": text,
    "order": text,
    "centre": maybe(number()),
    "box": maybe(listed(number())),
}


def _run(value: Any, where: str) -> None:
    several: dict[str, Kind] = {
        "seeds": listed(number()),
        "spread": _SPREAD,
        "runs": listed(table(_RUN, _RUN_OPTIONS), 1),
    }
    if isinstance(value, dict) and several.keys() & value.keys():
        table({**_RUN, **several}, _RUN_OPTIONS)(value, where)
    else:
        table(_RUN, _RUN_OPTIONS)(value, where)


def _load(value: Any, where: str) -> None:
    table({"points": listed(LOAD_POINT, 1)}, _LOAD_ASKED | {"saturation": listed(_SATURATION)})(value, where)
    same = {name: member for name, member in value.items() if name not in ("points", "saturation")}
    for place, point in enumerate(value["points"]):
        _ASKED_POINT(same | point, f"{where}: points[{place}]")


def _allocation(value: Any, where: str) -> None:
    """Check what allocators offer, or what the only one that was asked did."""
    asked: dict[str, Kind] = {"machine": text, "request": number(1), "free": number()}
    more = {"occupied": listed(number())}  # came later
    if isinstance(value, dict) and "offers" in value:
        table({**asked, "offers": listed(table(_OFFER, _OFFER_OPTIONS), 1)}, more)(value, where)
    else:
        table({**asked, **_OFFER}, {**_OFFER_OPTIONS, **more})(value, where)


RESULT_KINDS: dict[str, Kind] = {"run": _run, "load": _load, "allocation": _allocation}
