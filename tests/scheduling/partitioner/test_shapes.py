"""Boxes for jobs that give a number of nodes only."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplace.native import scheduling as native
from netplace.placement.metrics import average_pairwise_distance
from netplace.scheduling.job import Job
from netplace.scheduling.partitioner import Allocation, make_partitioner
from netplace.scheduling.partitioner.shapes import BestShapes, Factors, average_distance, factorisations
from netplace.topologies import parse


def job(nodes, number=7, program=""):
    return Job(number, 0.0, nodes, 1.0, program=program)


@given(st.integers(1, 60), st.lists(st.integers(1, 9), min_size=1, max_size=4))
def test_factorisations_are_all_boxes_of_that_size(nodes, sizes):
    boxes = itertools.product(*(range(1, size + 1) for size in sizes))
    assert factorisations(nodes, sizes) == [shape for shape in boxes if math.prod(shape) == nodes]


@pytest.mark.parametrize("text", ["mesh:7x5x4", "torus:7x5x4", "torus:8x6", "mesh:9"])
def test_average_distance_is_that_of_the_nodes(text):
    grid = parse(text)
    for shape in itertools.product(*(range(1, size + 1) for size in grid.sizes)):
        nodes = native.box_nodes(np.array(grid.sizes), 0, np.array(shape))
        assert average_distance(shape, grid) == pytest.approx(average_pairwise_distance(grid, nodes))


def test_fs_goes_from_close_to_long():
    choices = [shape for shape, _ in Factors(parse("mesh:16x16"))(job(12))]
    assert choices == [(4, 3), (3, 4), (6, 2), (2, 6), (12, 1), (1, 12)]
    grid = parse("torus:16x8x4")
    shapes = [shape for shape, _ in Factors(grid)(job(64))]
    assert sorted(shapes) == factorisations(64, grid.sizes)
    distances = [average_distance(shape, grid) for shape in shapes]
    assert distances == sorted(distances)


def test_cubic_is_the_most_even_box():
    grid = parse("torus:32x32x32")
    assert [shape for shape, _ in Factors(grid, cubic=True)(job(64))] == [(4, 4, 4)]
    turned = [shape for shape, _ in Factors(grid, cubic=True)(job(32))]
    assert sorted(turned) == [(2, 4, 4), (4, 2, 4), (4, 4, 2)]
    assert [shape for shape, _ in Factors(grid, cubic=True, rotations=False)(job(32))] == [(4, 4, 2)]
    # A cube that does not fit the machine is not tried.
    assert [shape for shape, _ in Factors(parse("mesh:8x2"), cubic=True)(job(16))] == [(8, 2)]


# J. A. Pascual, thesis, UPV/EHU 2013: boxes of each size; those with a side of 64 or more do not fit.
PUBLISHED_BOXES = {
    8: "2x2x2 4x2",
    16: "4x2x2 4x4 8x2",
    32: "4x4x2 8x2x2 8x4 16x2",
    64: "4x4x4 8x4x2 16x2x2 8x8 16x4 32x2",
    128: "8x4x4 16x4x2 8x8x2 32x2x2 16x8 32x4",
    256: "8x8x4 16x4x4 16x8x2 32x4x2 16x16 32x8",
    512: "8x8x8 16x8x4 16x16x2 32x4x4 32x8x2 32x16",
}


@pytest.mark.parametrize("nodes", PUBLISHED_BOXES)
def test_without_lines_boxes_are_the_published_ones(nodes):
    rule = Factors(parse("mesh:32x32x32"), rotations=False, lines=False)
    found = ["x".join(str(side) for side in shape if side > 1) for shape, _ in rule(job(nodes))]
    assert sorted(found) == sorted(PUBLISHED_BOXES[nodes].split())
    cubic = Factors(parse("mesh:32x32x32"), cubic=True, rotations=False, lines=False)
    [(best, _)] = cubic(job(nodes))
    assert "x".join(str(side) for side in best) == PUBLISHED_BOXES[nodes].split()[0]


def test_a_prime_has_its_line():
    assert [shape for shape, _ in Factors(parse("mesh:8x8"), lines=False)(job(7))] == [(7, 1), (1, 7)]
    partitioner = make_partitioner("contiguous:fs,no-lines", parse("mesh:8x8"))
    assert partitioner.find(job(6)).shape in ((3, 2), (2, 3))


def test_a_job_waits_for_its_best_box():
    grid = parse("mesh:4x4")
    for option, expected in (("bps", None), ("bps-all", (2, 2))):
        partitioner = make_partitioner(
            f"contiguous:{option},fixed", grid, ranking=lambda job: [((4, 1), "td"), ((2, 2), "")]
        )
        for place in range(4):
            partitioner.take(Allocation(np.array([4 * place]), (1, 1)))
        found = partitioner.find(job(4))
        assert (found and found.shape) == expected


def test_fixed_boxes_keep_the_longest_side_first():
    choices = [shape for shape, _ in Factors(parse("mesh:16x16"), rotations=False)(job(12))]
    assert choices == [(4, 3), (6, 2), (12, 1)]
    choices = [shape for shape, _ in Factors(parse("mesh:4x16"), rotations=False)(job(12))]
    assert choices == [(4, 3), (2, 6), (1, 12)]


def test_counts_without_a_box():
    grid = parse("torus:8x8x8")
    with pytest.raises(ValueError, match="job 7: 31 nodes do not form a box that fits torus:8x8x8"):
        Factors(grid)(job(31))
    shapes = [shape for shape, _ in Factors(grid, round_up=True)(job(31))]
    assert {math.prod(shape) for shape in shapes} == {32}
    with pytest.raises(ValueError, match="job 7: 513 nodes are more than the 512 of torus:8x8x8"):
        Factors(grid, round_up=True)(job(513))


def test_best_shapes_are_those_of_the_ranking():
    grid = parse("mesh:8x4")
    ranking = {"lu": [((8, 1), "td"), ((2, 4), "consecutive")]}
    best = BestShapes(grid, lambda job: ranking.get(job.program, []), rotations=False)
    assert list(best(job(8, program="lu"))) == ranking["lu"][:1]  # the job waits for it
    every = BestShapes(grid, lambda job: ranking["lu"], rotations=False, others=True)
    assert list(every(job(8))) == ranking["lu"]
    turned = BestShapes(grid, lambda job: ranking["lu"], others=True)(job(8))
    assert turned == [((8, 1), "td"), ((2, 4), "consecutive"), ((4, 2), "consecutive")]
    with pytest.raises(ValueError, match="job 7: the ranking names no shape for program 'cg' on 8 nodes"):
        best(job(8, program="cg"))
    with pytest.raises(
        ValueError, match=r"job 7: the ranking names shape \(2, 4\), expected a box of 9 nodes"
    ):
        BestShapes(grid, lambda job: [((2, 4), "")])(job(9))
    with pytest.raises(ValueError, match=r"shape \(1, 8\), expected a box of 8 nodes that fits mesh:8x4"):
        BestShapes(grid, lambda job: [((1, 8), "")])(job(8))


def test_the_next_shape_is_tried_when_the_first_is_not_free():
    partitioner = make_partitioner("contiguous", parse("mesh:4x4"))
    partitioner.take(partitioner.find(job(8, 1)))
    partitioner.take(partitioner.find(job(4, 2)))
    held = partitioner.find(job(4, 3))
    assert held.shape == (2, 2)
    partitioner.take(held)
    assert partitioner.find(job(1, 4)) is None
    narrow = make_partitioner("contiguous", parse("mesh:4x3"))
    narrow.take(narrow.find(job(8, 1)))
    assert narrow.find(job(4, 2)).shape == (4, 1)
    cubic = make_partitioner("contiguous:cubic", parse("mesh:4x3"))
    cubic.take(cubic.find(job(8, 1)))
    assert cubic.find(job(4, 2)) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("contiguous:cubik", "partitioner contiguous:cubik: unknown name 'cubik'; did you mean cubic"),
        ("contiguous:cubic,fs", "partitioner contiguous:cubic,fs: expected one of cubic, fs, bps"),
        ("naive:bps", "partitioner naive:bps: needs a run-time table that ranks shapes"),
        ("zff:bps,round-up", "round-up applies to cubic and fs"),
    ],
)
def test_options_that_are_not_understood(text, words):
    with pytest.raises(ValueError, match=words):
        make_partitioner(text, parse("torus:4x4"))
