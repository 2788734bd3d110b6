"""Runs with the same result, whatever the seed or the place, of which only one is simulated.

Two parts use the seed of a run: random placement rules, and the network (the draws of an application follow
from one of its options). `netplace.netsim.chance` lists the draws of the network, and `network_is_random`
checks that list. In doubt, it returns True: a run is then simulated once more than necessary, and never
once too few.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from netplace.netsim import Config
from netplace.placement.mapping import MAPPINGS
from netplace.placement.rule import Nodes, find_rule
from netplace.registry import Registry
from netplace.runs.partitions import partitions_with
from netplace.runs.spec import Run
from netplace.topologies import Grid, Topology, Tree, parse


def simulation_of(run: Run) -> Run:
    """Return the run with the same result as `run`: with seed 0 if there is no randomness, or itself."""
    draws = _draws(run.network, run.config)
    if run.network_seed is not None and not draws:
        run = replace(run, network_seed=None)
    if run.seed == 0 or placement_is_random(run) or (draws and run.network_seed is None):
        return run
    return run.seeded(0)


def network_is_random(topology: Topology, config: Config) -> bool:
    """Return whether anything in a network may be left to chance."""
    if config.arbiter == "random" or config.routing != "default" or config.faults:
        return True
    if isinstance(topology, Tree):  # up ports among equals, or the VC
        return config.vcs > 1 or (config.tree_routing == "adaptive" and topology.up > 1)
    if not isinstance(topology, Grid):
        return True
    if topology.twist or (topology.wraps and any(size % 2 == 0 for size in topology.sizes)):
        return True  # the sign of half a ring, or which of several minimal routes
    if config.vcs == 1:
        return False
    return config.vc_policy in ("random", "oblivious") or (config.vc_policy == "smart" and config.vcs > 2)


def same_place(topology: Topology, places: list[Nodes]) -> list[Nodes]:
    """Return equal places for those that differ by a shift on a torus without randomness; else `places`."""
    if not isinstance(topology, Grid) or not topology.wraps or topology.twist:
        return places
    origin = topology.coordinates(places[0][:1])
    return [
        np.asarray(topology.node((topology.coordinates(nodes) - origin) % topology.sizes), np.int64)
        for nodes in places
    ]


def placement_is_random(run: Run) -> bool:
    """Return whether a rule of placement has randomness."""
    if rule_is_random(run.partition, partitions_with(run.partition)):
        return True
    return any(rule_is_random(job.mapping, MAPPINGS) for job in run.jobs)


def rule_is_random(text: str, choice: Registry[Any]) -> bool:
    """Return whether a rule of placement, by its text form, has randomness; yes in doubt."""
    # Of a package it is not known without loading it, and runs are read from stores too.
    return text.partition(":")[0] not in choice or find_rule(text, choice)[0].is_random


@lru_cache(maxsize=256)
def _draws(network: str, config: Config) -> bool:
    return network_is_random(parse(network), config)
