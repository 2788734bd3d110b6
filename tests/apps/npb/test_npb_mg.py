import pytest

from netplace.apps.npb import mg
from netplace.apps.npb.mg import _levels


@pytest.mark.parametrize(
    ("tasks", "counts", "kilobytes", "partners"),
    [(16, {126, 140}, 2293, {4, 5}), (64, {126, 128, 130, 144}, 875, {6, 9})],
)
def test_class_a_as_counted_by_hand(messages, tasks, counts, kilobytes, partners):
    program = mg("A", tasks, 4)
    said = messages(program, 2)
    assert set(said.counts()) == counts
    assert {len(said.partners(task)) for task in range(tasks)} == partners
    # By hand, a fourth of the whole section, including what precedes the first cycle and follows the last.
    assert round(program.traffic().W.sum(axis=1).mean() / 4000) == kilobytes


def test_faces_of_sixty_four_in_class_a(messages):
    # 4 x 4 x 4 tasks with 64**3 points: x faces 64 x 64, y 66 x 64, z 66 x 66 numbers.
    sent = messages(mg("A", 64, 1)).sent(0)
    assert sent[-6:] == [(1, 32768), (3, 32768), (4, 33792), (12, 33792), (16, 34848), (48, 34848)]
    assert {8, 32, 128, 512, 2048, 8192} <= {size for _, size in sent}


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
