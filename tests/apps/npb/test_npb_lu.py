import pytest

from netplace.apps.npb import lu
from netplace.apps.npb.lu import Block


@pytest.mark.parametrize(
    ("tasks", "kilobytes", "lines", "halo"),
    [
        (16, (238, 486), {600, 640}, 81920),
        pytest.param(64, (117, 243), {280, 320}, 40960, marks=pytest.mark.nightly),
    ],
)
def test_class_a_as_counted_by_hand(messages, tasks, kilobytes, lines, halo):
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


def test_uneven_blocks_give_the_rest_to_the_first():
    assert [Block.of(task, 16, 33).x for task in range(4)] == [9, 8, 8, 8]


def test_norms_are_computed_in_the_last_iteration_alone(messages):
    program = lu("S", 4, 3)
    norms = [sum(size == 40 for _, size in messages(program, i).sent(0)) for i in (1, 2, 3)]
    assert norms == [0, 0, 2 * 2]  # two allreduce of log2(4) rounds
    assert sum(size == 40 for _, size in messages(lu("S", 4, 1)).sent(0)) == 4
