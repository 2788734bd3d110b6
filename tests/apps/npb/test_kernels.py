"""The kernels of NPB: CG, FT, IS, LU and MG, beside numbers counted by hand."""

import sys

import numpy as np
import pytest

from netplace.apps.npb import cg, ft, is_, lu, mg
from netplace.apps.npb.cg import Part
from netplace.apps.npb.classes import IS_CLASSES
from netplace.apps.npb.is_ import _bucket_counts, _redistribute
from netplace.apps.npb.lu import Block
from netplace.apps.npb.mg import _levels


@pytest.mark.parametrize(
    ("tasks", "count", "kilobytes", "vector", "partners"),
    [(16, 184, 2185, 28000, 3), pytest.param(64, 263, 1457, 14000, 4, marks=pytest.mark.nightly)],
)
def test_class_a_of_cg_as_counted_by_hand(messages, tasks, count, kilobytes, vector, partners):
    said = messages(cg("A", tasks, 1))
    assert set(said.counts()) == {count}
    assert {said.kilobytes().min(), said.kilobytes().max()} == {kilobytes}
    assert all(said.sizes(task) == {8, 16, vector} for task in range(tasks))
    assert max(len(said.partners(task)) for task in range(tasks)) == partners


def test_twice_as_many_columns_as_rows_halve_the_rows():
    # 2 x 4 tasks, 1400 unknowns: rows of 700, of which a pair of columns holds 350 each.
    part = Part.of(6, 8, 1400)  # row 1, column 2
    assert part.partners == ((4, 350), (7, 350))
    assert (part.segment, part.transposed) == (350, 6)
    assert Part.of(2, 8, 1400).transposed == 4


def test_odd_rows_are_halved_with_one_more_for_the_even_column():
    # 8 x 16 tasks, 75000 unknowns: 9375 to a row, 4688 and 4687 to a pair of columns.
    assert [Part.of(task, 128, 75000).segment for task in (0, 1)] == [4688, 4687]
    assert Part.of(0, 128, 75000).partners[-1] == (1, 4687)  # what task 1 will hold
    assert Part.of(0, 128, 75000).partners[0] == (8, 4688)


@pytest.mark.parametrize("tasks", [2, 8, 32, 128, 256, 1024])
@pytest.mark.parametrize("unknowns", [1400, 75000])
def test_transposing_is_mutual_and_segments_make_up_the_vector(tasks, unknowns):
    parts = [Part.of(task, tasks, unknowns) for task in range(tasks)]
    for task, part in enumerate(parts):
        assert parts[part.transposed].transposed == task
        assert parts[part.transposed].segment == part.transposed_segment
        for partner, _ in part.partners:
            assert task in [other for other, _ in parts[partner].partners]
    columns = 2 ** -(-(tasks.bit_length() - 1) // 2)
    assert sum(part.transposed_segment for part in parts[:columns]) == unknowns


def test_pencils_on_more_tasks_than_planes(messages):
    # 64 tasks, 32 planes: 32 rows of 2. An inverse transform goes along rows and then columns.
    program = ft("W", 64, 1)
    said = messages(program)
    assert said.sent(6)[:32] == [(7, 65536), *(((6 + 2 * k) % 64, 4096) for k in range(1, 32))]
    # A forward transform goes along columns and then rows.
    forward = [op.size for op in program.operations(6) if op.kind == 1][:32]
    assert forward == [4096] * 31 + [65536]


@pytest.mark.parametrize(("problem_class", "tasks"), [("S", 8), ("W", 128), ("B", 32), ("C", 64)])
def test_a_transform_moves_all_that_is_not_in_place(problem_class, tasks):
    points = {"S": 64**3, "W": 128 * 128 * 32, "B": 512 * 256 * 256, "C": 512**3}[problem_class]
    rows = 1 if tasks <= {"S": 64, "W": 32, "B": 256, "C": 512}[problem_class] else 32
    columns = tasks // rows
    own = points * 16 // tasks
    program = ft(problem_class, tasks, 1)
    expected = 2 * own * ((columns - 1) / columns + (rows - 1) / rows)
    assert program.traffic().W[tasks - 1].sum() == expected + 16


# Where is.c hides its test keys in class S, and their ranks before the iteration's number is added or taken.
PLACES = (48427, 17148, 23627, 62548, 4431)
RANKS = (0, 18, 346, 64917, 65463)


@pytest.fixture(scope="module")
def keys():
    """Return the keys of class S, one by one as the benchmark's report says."""
    state, drawn = 314159265, []
    for _ in range(1 << 16):
        total = 0
        for _ in range(4):
            state = state * 5**13 % 2**46
            total += state
        drawn.append((1 << 11) // 4 * total // 2**46)
    return np.array(drawn)


def test_keys_have_the_ranks_that_the_benchmark_verifies(keys):
    keys = keys.copy()
    keys[1], keys[11] = 1, 2048 - 1  # what iteration 1 changes
    ranks = [int((keys < keys[place]).sum()) for place in PLACES]
    assert ranks == [rank + (1 if i <= 2 else -1) for i, rank in enumerate(RANKS)]


@pytest.mark.parametrize("tasks", [1, 4, 16, 128])
def test_buckets_are_counted_as_the_keys_fall(keys, tasks):
    expected = np.stack([np.bincount(own >> 2, minlength=512) for own in np.split(keys, tasks)])
    assert np.array_equal(_bucket_counts(IS_CLASSES["S"], tasks), expected)


def test_keys_of_a_block_follow_those_of_the_one_before():
    # Two blocks to a task: the same draws as one block each for twice as many tasks.
    halves = _bucket_counts(IS_CLASSES["W"], 16)
    wholes = _bucket_counts(IS_CLASSES["W"], 8)
    assert np.array_equal(halves[::2] + halves[1::2], wholes)


def test_a_task_gets_buckets_until_it_has_its_share():
    held = np.array([[3, 0, 2, 1], [0, 3, 1, 2]])  # shares of 6; buckets hold 3, 3, 3, 3
    assert np.array_equal(_redistribute(held), [[3, 3], [3, 3]])
    held = np.array([[1, 1, 1, 3], [5, 0, 0, 1]])  # a first bucket of 6, then 1, 1 and 4
    assert np.array_equal(_redistribute(held), [[1, 5], [5, 1]])


def test_tasks_beyond_the_last_bucket_get_nothing():
    held = np.array([[0, 4], [0, 4], [4, 0], [4, 0]])  # two buckets of 8 for shares of 4
    assert np.array_equal(_redistribute(held), [[0, 4, 0, 0], [0, 4, 0, 0], [4, 0, 0, 0], [4, 0, 0, 0]])


def test_programs_too_large_are_refused_before_keys_are_drawn(monkeypatch):
    monkeypatch.setattr(sys.modules["netplace.apps.npb.is_"], "_exchanges", None)
    with pytest.raises(ValueError, match=r"is\.D\.1024 with 20 iterations takes 14.,.*; use at most 8 iter"):
        is_("D", 1024, 20)


@pytest.mark.parametrize(
    ("tasks", "kilobytes", "lines", "halo"),
    [
        (16, (238, 486), {600, 640}, 81920),
        pytest.param(64, (117, 243), {280, 320}, 40960, marks=pytest.mark.nightly),
    ],
)
def test_class_a_of_lu_as_counted_by_hand(messages, tasks, kilobytes, lines, halo):
    said = messages(lu("A", tasks, 2))
    assert (min(said.counts()), max(said.counts())) == (126, 252)
    assert (said.kilobytes().min(), said.kilobytes().max()) == kilobytes
    assert {size for task in range(tasks) for size in said.sizes(task)} == lines | {halo}
    assert {len(said.partners(task)) for task in range(tasks)} == {2, 3, 4}


def test_grid_of_eight_is_four_by_two():
    # 12 points: 3 along x, 6 along y; task 5 is at (1, 1) and has no neighbour to the east.
    block = Block.of(5, 8, 12)
    assert (block.x, block.y, block.z) == (3, 6, 12)
    assert (block.inner_x, block.inner_y) == (3, 5)
    assert (block.north, block.south, block.west, block.east) == (4, 6, 1, None)


@pytest.mark.parametrize("tasks", [2, 8, 16, 25, 32])
def test_blocks_make_up_the_cube(tasks):
    blocks = [Block.of(task, tasks, 102) for task in range(tasks)]
    assert sum(block.x * block.y for block in blocks) == 102 * 102
    assert sum(block.inner_x * block.inner_y for block in blocks) == 100 * 100
    for task, block in enumerate(blocks):
        assert block.south is None or blocks[block.south].north == task
        assert block.east is None or blocks[block.east].west == task


@pytest.mark.parametrize(
    ("tasks", "counts", "kilobytes", "partners"),
    [(16, {126, 140}, 2293, {4, 5}), (64, {126, 128, 130, 144}, 875, {6, 9})],
)
def test_class_a_of_mg_as_counted_by_hand(messages, tasks, counts, kilobytes, partners):
    program = mg("A", tasks, 4)
    said = messages(program, 2)
    assert set(said.counts()) == counts
    assert {len(said.partners(task)) for task in range(tasks)} == partners
    # By hand, a fourth of the whole section, including what precedes the first cycle and follows the last.
    assert round(program.traffic().W.sum(axis=1).mean() / 4000) == kilobytes


def test_few_points_for_many_tasks_leave_some_idle(messages):
    # Level 1 has two points along each axis of four tasks: those at odd places work, two apart.
    levels = [_levels(task, 64, finest=8) for task in range(64)]
    busy = {task for task in range(64) if all(axis.points for axis in levels[task][1])}
    assert busy == {task for task in range(64) if all(task // factor % 4 % 2 == 1 for factor in (1, 4, 16))}
    said = messages(mg("A", 64, 1))
    far = {
        (task, peer) for task in range(64) for peer, _ in said.sent(task) if abs(task - peer) in (2, 8, 32)
    }
    assert {task for task, _ in far} == busy


def test_idle_tasks_are_woken_on_the_way_up():
    # Four tasks along x, at level 2 of one point each: 1 and 3 had points below and give them to 0 and 2.
    x = [_levels(task, 64, finest=8)[2][0] for task in range(4)]
    assert [axis.points for axis in x] == [1, 1, 1, 1]
    assert [axis.gives for axis in x] == [False, True, False, True]
    assert [axis.takes for axis in x] == [True, False, True, False]
    # On eight tasks along x, levels 3, 2 and 1 have points for all, every second and every fourth of them.
    x = [[_levels(task, 512, finest=5)[level][0] for task in range(8)] for level in (1, 2, 3)]
    assert [[axis.points for axis in level] for level in x] == [
        [0, 0, 0, 1, 0, 0, 0, 1],
        [0, 1, 0, 1, 0, 1, 0, 1],
        [1, 1, 1, 1, 1, 1, 1, 1],
    ]
    assert (x[0][3].ahead, x[1][3].ahead, x[2][3].ahead) == (7, 5, 4)
    assert [place for place in range(8) if x[1][place].takes] == [1, 5]
    assert [place for place in range(8) if x[2][place].takes] == [0, 2, 4, 6]


@pytest.mark.parametrize(
    ("tasks", "neighbours"),
    [
        (2, [(0, 0, 0, 0, 1, 1)]),  # 1 x 1 x 2: an axis of one task exchanges with itself
        (8, [(1, 1, 2, 2, 4, 4)]),  # 2 x 2 x 2
        (32, [(1, 1, 2, 6, 8, 24)]),  # 2 x 4 x 4
    ],
)
def test_grids_that_are_not_cubes(messages, tasks, neighbours):
    sent = messages(mg("S", tasks, 1)).sent(0)
    assert [tuple(peer for peer, _ in sent[-6:])] == neighbours
