"""k-ary n-trees and thin trees: wiring, stages, levels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplace.topologies import Tree, kary_ntree, thin_tree


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """Return a small k-ary n-tree or thin tree."""
    down, stages = draw(st.integers(2, 5)), draw(st.integers(1, 4))
    stages = min(stages, 3) if down > 3 else stages
    up = draw(st.integers(1, down))
    return kary_ntree(down, stages) if up == down else thin_tree(down, up, stages)


def test_a_two_ary_two_tree_by_hand() -> None:
    # Nodes 0..3, leaf switches 4 and 5, top switches 6 and 7; ports: two up, two down.
    network = kary_ntree(2, 2)
    assert network.neighbor.tolist() == [
        [4, -1, -1, -1],
        [4, -1, -1, -1],
        [5, -1, -1, -1],
        [5, -1, -1, -1],
        [6, 7, 0, 1],
        [6, 7, 2, 3],
        [-1, -1, 4, 5],
        [-1, -1, 4, 5],
    ]
    assert network.entry.tolist() == [
        [2, -1, -1, -1],
        [3, -1, -1, -1],
        [2, -1, -1, -1],
        [3, -1, -1, -1],
        [2, 2, 0, 0],
        [3, 3, 0, 0],
        [-1, -1, 0, 0],
        [-1, -1, 1, 1],
    ]


@given(trees())
def test_links_join_the_switches_that_the_rule_names(network: Tree) -> None:
    D, U = network.down, network.up
    first = network.first_switches
    for i in range(network.nodes):
        assert network.neighbor[i].tolist() == [first[0] + i // D] + [-1] * (D + U - 1)
        assert network.entry[i, 0] == U + i % D
    for s in range(network.stages):
        for r in range(network.switches_per_stage[s]):
            for p in range(U):
                end, entry = network.neighbor[first[s] + r, p], network.entry[first[s] + r, p]
                if s == network.stages - 1:
                    assert end == entry == -1
                    continue
                assert end == first[s + 1] + U ** (s + 1) * (r // (D * U**s)) + p * U**s + r % U**s
                assert entry == U + (r // U**s) % D


@given(trees())
def test_following_a_link_and_its_reverse_leads_back(network: Tree) -> None:
    router, port, end, entry = network.links().T
    assert np.array_equal(network.neighbor[end, entry], router)
    assert np.array_equal(network.entry[end, entry], port)
    wired = network.nodes * 2 + 2 * network.up * sum(network.switches_per_stage[:-1])
    assert len(router) == wired


@given(trees(), st.data())
def test_any_way_up_to_the_common_level_and_the_forced_ports_lead_down(
    network: Tree, data: st.DataObject
) -> None:
    a = data.draw(st.integers(0, network.nodes - 1))
    b = data.draw(st.integers(0, network.nodes - 1))
    level = int(network.level(a, b))
    assert int(network.distance(a, b)) == 2 * level
    place = a
    for stage in range(level):
        place = int(network.neighbor[place, data.draw(st.integers(0, network.up - 1)) if stage else 0])
        assert int(network.stage_of(place)) == stage
    for stage in reversed(range(level)):
        place = int(network.neighbor[place, network.up + b // network.down**stage % network.down])
    assert place == b


def test_levels() -> None:
    network = kary_ntree(4, 3)
    assert network.level(0, [0, 3, 4, 15, 16, 63]).tolist() == [0, 1, 2, 2, 3, 3]
    assert network.distance(0, [0, 3, 4, 16]).tolist() == [0, 2, 4, 6]


def test_stages_of_routers() -> None:
    network = thin_tree(4, 2, 3)
    stages = network.stage_of(np.arange(network.routers))
    assert np.bincount(stages + 1).tolist() == [64, 16, 8, 4]
    assert (np.diff(stages) >= 0).all()


def test_one_stage_is_a_single_switch() -> None:
    network = kary_ntree(5, 1)
    assert (network.nodes, network.routers, network.diameter) == (5, 6, 2)
    assert network.neighbor[5].tolist() == [-1] * 5 + [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        (
            (4, 4, 3),
            r"thintree:4,4,3: 4 ports up are too many, .* fewer than the 4 down \(as many: tree:4,3\)",
        ),
        ((2, 4, 3), r"thintree:2,4,3: 4 ports up are too many"),
    ],
)
def test_wrong_numbers_of_a_thin_tree(numbers: tuple[int, int, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        thin_tree(*numbers)
