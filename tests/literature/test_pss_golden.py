"""Selections by processor sets of the literature, to the node."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from golden_folder import OWN, folders, listed, rows

from netplace.scheduling.partitioner.pss.derive import box_levels, leveled, levels, tree_levels
from netplace.scheduling.partitioner.pss.language import read_configuration
from netplace.scheduling.partitioner.pss.select import exact, select
from netplace.scheduling.partitioner.pss.sets import ProcessorSets, processor_sets
from netplace.topologies import parse

CASES = rows("pss_golden*.csv")


def figure_6() -> Path:
    here = [path for folder in folders() for path in folder.rglob("pss_fig6.conf")]
    return here[0] if here else OWN / "pss_fig6.conf"


def sets_of(case) -> tuple[ProcessorSets, int]:
    """Return the sets that a row speaks of, and the number of its first element."""
    text = case["machine"]
    if text == "explicit":
        sets = json.loads(case["sets"])
        return processor_sets(1 + max(max(members) for members, _ in sets), sets), 0
    if text.startswith("fig6"):
        configuration = read_configuration(figure_6())
        processors = 4 if "1-4" in text else 5
        return configuration.sets(processors), 1
    machine, *words = text.split(", ")
    costs = next((word for word in words if word.startswith("node cost")), "")
    if machine.startswith("tree"):
        tree = parse(machine.split()[0])
        nodes = np.arange(tree.nodes)
        return leveled(tree_levels(tree), 1 + nodes if costs == "node cost 1+i" else np.ones_like(nodes)), 0
    found = re.fullmatch(r"(\S+)( overlapping)? boxes (.*)", machine)
    grid = parse(f"{'torus' if 'wrapped' in words else 'mesh'}:{found[1]}")
    sides = [[int(side) for side in word.split("x")] for word in found[3].split()]
    preference = np.ones(grid.nodes, int)
    if costs == "node cost 1+offset":
        places = grid.coordinates(np.arange(grid.nodes))
        preference = 1 + np.abs(2 * places - np.array(grid.sizes) + 1).sum(axis=1)
    return leveled(box_levels(grid, sides, bool(found[2])), preference), 0


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["case"])
def test_selections(case):
    sets, first = sets_of(case)
    free = np.zeros(sets.nodes, bool)
    free[np.array(listed(case["free"])) - first] = True
    chosen = select(sets, free, int(case["r"]))
    if case["selected"] == "none":
        assert chosen is None
        return
    assert (chosen + first).tolist() == listed(case["selected"])
    assert sets.cost(chosen) == tuple(int(word) for word in case["cost"].split())
    best = exact(sets, free, int(case["r"]))
    assert len(best) == int(case["r"])
    assert free[best].all()
    assert sets.cost(best) == tuple(int(word) for word in case["optimum"].split())
    assert case["optimal"] == ("yes" if case["cost"] == case["optimum"] else "no")


def test_levels_are_those_of_the_cases():
    for text, made in (
        ("tree:4,3", leveled(tree_levels(parse("tree:4,3")), np.ones(64, int))),
        ("mesh:8x8", leveled(box_levels(parse("mesh:8x8"), [[4, 4], [2, 2]]), np.ones(64, int))),
    ):
        found = levels(parse(text))
        assert (found.vectors == made.vectors).all()
        assert (found.members.values == made.members.values).all()
