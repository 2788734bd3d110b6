"""Partitions by groups and switches."""

import pytest

from netplace.placement import partition
from netplace.placement.mapping.cost import cost_matrix
from netplace.topologies import parse

MACHINE = parse("dragonfly:a=2,p=2,h=1")  # three groups of four nodes


def test_whole_groups() -> None:
    parts = partition("groups", MACHINE, [3, 5])
    assert [part.tolist() for part in parts] == [[0, 1, 2, 3], [4, 5, 6, 7, 8, 9, 10, 11]]


def test_whole_switches() -> None:
    parts = partition("switches", MACHINE, [3, 1])
    assert [part.tolist() for part in parts] == [[0, 1, 2, 3], [4, 5]]


def test_across_groups() -> None:
    parts = partition("across-groups", MACHINE, [3, 4])
    assert [part.tolist() for part in parts] == [[0, 4, 8], [1, 5, 9, 2]]


@pytest.mark.parametrize(
    ("rule", "network", "sizes", "message"),
    [
        (
            "groups",
            "dragonfly:a=2,p=2,h=1",
            [5, 5],
            r"no groups left for the 5 tasks of job 1",
        ),
        ("groups", "torus:4x4", [4], r"partition groups: needs groups of switches, torus:4x4 has none"),
        ("switches", "torus:4x4", [4], r"partition switches: needs nodes at switches"),
        ("across-groups", "hyperx:4x4,c=2", [4], r"needs groups of switches, hyperx:4x4,c=2 has none"),
    ],
)
def test_what_is_refused(rule: str, network: str, sizes: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        partition(rule, parse(network), sizes)


def test_td_between_switches_of_a_grid() -> None:
    # On 4x4 switches with 2 nodes: node 0 at (0, 0), node 30 at (3, 3); 1 + 1 hops round the rings.
    network = parse("torus:4x4,c=2")
    assert network.distances()[0, 30] == 4
    assert cost_matrix(network, criterion="td")[0, [1, 2, 4, 30]].tolist() == [2, 3 + 1, 4 + 2, 4]
    hyperx = parse("hyperx:4x4,c=2")
    assert cost_matrix(hyperx, criterion="td")[0, [1, 2, 4, 30]].tolist() == [2, 4, 4, 4]
    with pytest.raises(ValueError, match=r"criterion td: is defined on meshes and tori"):
        cost_matrix(MACHINE, criterion="td")
