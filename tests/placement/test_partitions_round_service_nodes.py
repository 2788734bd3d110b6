"""Partitions are placed round nodes that do not compute where there is room, and refuse by name where not."""

import numpy as np
import pytest

from netplace.placement import partition
from netplace.topologies import parse


@pytest.mark.parametrize(
    ("rule", "network", "sizes", "first"),
    [
        ("boxes:2x2", "service:nodes=0/torus:4x4", [4, 3], [2, 1]),
        ("boxes:2x2", "service:nodes=0/torus:4x4", [3, 4], [1, 2]),
        ("quadrants", "service:nodes=0/torus:4x4", [4, 4], [2, 8]),
        ("sub-cubes", "service:nodes=0/mesh:4x4x4", [8, 8], [2, 8]),
        ("bands", "service:nodes=0/torus:4x4", [4, 4], [1, 8]),
        ("boxes:2x2", "service:nodes=0/torus:4x4", [4, 4, 2, 4], [2, 8, 1, 10]),
        ("bands", "service:nodes=0/torus:4x4", [3, 4], [1, 4]),
        ("columns", "service:nodes=4/torus:4x4", [4, 4], [0, 2]),
        ("columns", "service:nodes=2/torus:4x4", [4, 4], [0, 1]),
        ("planes", "service:nodes=0/mesh:2x2x4", [4, 4], [1, 8]),
        ("groups", "service:nodes=0/dragonfly:a=2,p=2,h=1", [4, 4], [1, 8]),
        ("switches", "service:nodes=0/torus:4x4,c=2", [2, 2], [1, 4]),
        ("across-groups", "service:nodes=0/dragonfly:a=2,p=2,h=1", [2, 2], [4, 1]),
    ],
)
def test_what_service_nodes_make_too_small_is_passed_over(rule, network, sizes, first):
    topology = parse(network)
    parts = partition(rule, topology, sizes)
    assert [int(part[0]) for part in parts] == first
    for part, size in zip(parts, sizes, strict=True):
        assert len(part) >= size
        assert not np.isin(part, topology.service).any()


@pytest.mark.parametrize(
    ("rule", "network", "sizes", "words"),
    [
        ("boxes:2x2", "service:every=4/torus:4x4", [4] * 3, r"only 2 boxes of 2x2 with room in addition"),
        ("boxes:2x2@0,0", "service:nodes=0/torus:4x4", [4], r"do not fit its 3 nodes that compute"),
        ("quadrants", "service:every=8/torus:4x4", [4, 4, 4], r"room for the 4 tasks of job 2 in addition"),
        (
            "bands",
            "service:every=4/torus:4x4",
            [4, 4, 4],
            r"but service:every=4/torus:4x4 has 4 of 4 nodes|12 tasks",
        ),
        ("bands:1", "service:nodes=0/torus:4x4", [4], r"do not fit its 3 nodes that compute"),
        (
            "groups",
            "service:nodes=0+4+8/dragonfly:a=2,p=2,h=1",
            [4, 4],
            r"no groups left|do not fit|more than",
        ),
    ],
)
def test_what_has_no_room_is_refused(rule, network, sizes, words):
    with pytest.raises(ValueError, match=words):
        partition(rule, parse(network), sizes)
