"""Fat trees of htsim's ``.topo`` files.

Source: csg-htsim, ``sim/datacenter/fat_tree_topology.cpp`` (github.com/Broadcom/csg-htsim).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from netplace.inputs import check_choice, check_float, check_int
from netplace.topologies.fat_trees import xgft
from netplace.topologies.graph import Graph
from netplace.topologies.rates import paces_of

_OF_TREE = ("nodes", "tiers", "podsize")
_OF_TIER = (
    "radix_down", "radix_up", "bundle", "downlink_speed_gbps", "downlink_latency_ns", "switch_latency_ns",
)  # fmt: skip
_IGNORED = ("queue_up", "queue_down", "oversubscribed")


def htsim(content: str, text: str, phit: int) -> Graph:
    """Return the fat tree of two or three tiers that a file describes: tier 0 are the switches of hosts.

    Latencies of switches are added to those of the cables above hosts. Sizes of queues are ignored.
    """
    tree, tiers = _read(content, text)
    rows = [tiers.get(tier, {}) for tier in range(tree["tiers"])]
    for tier, row in enumerate(rows):
        for name in ("radix_down", "downlink_speed_gbps", *(("radix_up",) if tier + 1 < len(rows) else ())):
            if name not in row:
                raise ValueError(f"{text}: tier {tier} has no {name}, expected a number")
    radix = [int(row["radix_down"]) for row in rows]
    bundle = [int(row.get("bundle", 1)) for row in rows]
    pod = tree.get("podsize", tree["nodes"])
    down = [radix[0], pod // radix[0], *([tree["nodes"] // pod] if len(rows) == 3 else [])]
    up = [1]
    for tier, row in enumerate(rows[:-1]):
        ways = int(row["radix_up"]) // bundle[tier + 1]
        up.append(ways)
        if radix[tier + 1] != down[tier + 1] * bundle[tier + 1]:
            raise ValueError(
                f"{text}: a switch of tier {tier + 1} has {radix[tier + 1]} links down, expected "
                f"{down[tier + 1] * bundle[tier + 1]}: {bundle[tier + 1]} to each of {down[tier + 1]} below"
            )
    made = xgft(down, up, [1, *bundle[1:]])
    if made.nodes != tree["nodes"]:
        raise ValueError(f"{text}: its tiers have {made.nodes} hosts, expected Nodes {tree['nodes']}")
    paces = paces_of(text, [row["downlink_speed_gbps"] * 1e9 / 8 for row in rows], phit)
    level = np.zeros(made.routers, np.int64)
    assert made.places is not None
    level[made.first_switch :] = made.places[:, 0]
    above = np.maximum(level[:, None], level[made.neighbor]) - 1  # tier of the switch above the link
    latency = [row.get("downlink_latency_ns", 0.0) * 1e-9 for row in rows]
    through = [row.get("switch_latency_ns", 0.0) * 1e-9 for row in rows]
    into = np.array([0.0, *through])[level[made.neighbor]]  # of the switch at the end of the link
    delay = np.round((np.array(latency)[above] + into) / paces.cycle)
    there = made.neighbor >= 0
    return replace(
        made, text=text, cycles=np.where(there, paces.cycles[above], 1).astype(np.int32),
        delay=np.where(there, delay, 0).astype(np.int32),
        rates=paces.rates("htsim's topology", "sizes of queues are ignored"),
    )  # fmt: skip


def _read(content: str, text: str) -> tuple[dict[str, int], Mapping[int, dict[str, float]]]:
    """Return the numbers of the tree, and those of each tier."""
    tree: dict[str, int] = {}
    tiers: dict[int, dict[str, float]] = {}
    own: dict[str, float] | None = None
    for line, row in enumerate(content.splitlines(), 1):
        words: Sequence[str] = row.split("#", 1)[0].split()
        where = f"{text} line {line}"
        if not words:
            continue
        if len(words) != 2:
            raise ValueError(f"{where}: {len(words)} words, expected a name and a number")
        name = words[0].lower()
        if name == "tier":
            own = tiers.setdefault(check_int(words[1], f"{where}: Tier", 0, 2), {})
        elif name not in _IGNORED:
            check_choice(name, _OF_TREE if own is None else _OF_TIER, f"{where}: name")
            if own is None:
                tree[name] = check_int(words[1], f"{where}: {words[0]}")
            elif name.startswith("radix") or name == "bundle":
                own[name] = check_int(words[1], f"{where}: {words[0]}", 1, 1 << 16)
            else:
                own[name] = check_float(words[1], f"{where}: {words[0]}", 0.0, 1e12)
    for name in ("nodes", "tiers"):
        if name not in tree:
            raise ValueError(f"{text}: has no {name}, expected it before Tier 0")
    if tree["tiers"] not in (2, 3):
        raise ValueError(f"{text}: Tiers {tree['tiers']}, expected 2 or 3")
    return tree, tiers
