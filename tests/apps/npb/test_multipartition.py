import pytest

from netplace.apps.npb import bt, sp
from netplace.apps.npb.multipartition import AXES, Multipartition

GRIDS = [Multipartition(12, 9), Multipartition(12, 16), Multipartition(102, 16), Multipartition(64, 25)]


@pytest.mark.parametrize("grid", GRIDS)
def test_cells_of_all_tasks_make_up_the_cube_once(grid):
    cells = [cell for task in range(grid.tasks) for cell in grid.cells(task)]
    assert len(cells) == len(set(cells)) == grid.cuts**3
    assert sum(grid.length(place) for place in range(grid.cuts)) == grid.points
    assert sum(grid.inner_length(place) for place in range(grid.cuts)) == grid.points - 2


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("axis", AXES)
def test_each_task_has_one_cell_in_each_layer_and_one_neighbour_on_each_side(grid, axis):
    owner = {cell: task for task in range(grid.tasks) for cell in grid.cells(task)}
    for task in range(grid.tasks):
        assert sorted(cell[axis] for cell in grid.cells(task)) == list(range(grid.cuts))
        for cell in grid.cells(task):
            ahead = tuple(c + (a == axis) for a, c in enumerate(cell))
            if cell[axis] < grid.cuts - 1:
                assert owner[ahead] == grid.successor(task, axis)
        assert grid.predecessor(grid.successor(task, axis), axis) == task


def test_faces_of_an_uneven_cube():
    grid = Multipartition(10, 4)  # edges of 5 and 5
    assert grid.face_bytes(0, 0, 1) == 2 * 5 * 8 * 25
    grid = Multipartition(11, 4)  # edges of 6 and 5
    # Task 0 holds cells (0, 0, 0) and (1, 1, 1); only the first has one ahead of it.
    assert grid.cells(0) == [(0, 0, 0), (1, 1, 1)]
    assert grid.face_bytes(0, 2, 1) == 2 * 5 * 8 * 36
    assert grid.face_bytes(0, 2, 0) == 2 * 5 * 8 * 25


@pytest.mark.parametrize(
    ("tasks", "count", "kilobytes", "sizes"),
    [(16, 24, 1097, {61440, 69360, 11560}), (64, 48, 691, {35840, 19440, 3240})],
)
def test_class_a_of_bt_as_counted_by_hand(messages, tasks, count, kilobytes, sizes):
    said = messages(bt("A", tasks, 2), 2)
    assert set(said.counts()) == {count}
    assert {said.kilobytes().min(), said.kilobytes().max()} == {kilobytes}
    assert all(said.sizes(task) == sizes for task in range(tasks))
    assert all(len(said.partners(task)) == 6 for task in range(tasks))


def test_sweeps_carry_the_largest_face_where_the_cube_is_uneven(messages):
    # 102 points in 4 cells: edges of 26, 26, 25, 25; messages of sweeps have 26 x 26 lines throughout.
    said = messages(bt("B", 16, 1))
    sweeps = {size for task in range(16) for _, size in said.sent(task)[6:]}
    assert sweeps == {30 * 26 * 26 * 8, 5 * 26 * 26 * 8}
    # Task 0 has cells (0,0,0), (1,3,1), (2,2,2), (3,1,3); to the east go those but the last, to the west
    # those but the first: edges 26x26 + 25x26 + 25x25, and 25x26 + 25x25 + 26x25.
    east, west = said.sent(0)[:2]
    assert east == (1, 80 * (676 + 650 + 625))
    assert west == (3, 80 * (650 + 625 + 650))


@pytest.mark.parametrize(
    ("tasks", "count", "kilobytes", "forward", "backward"),
    [(16, 24, (916, 935), (39600, 45056), (18000, 20480)), (64, 48, (535, 548), (8624, 11264), (3920, 5120))],
)
def test_class_a_of_sp_as_counted_by_hand(messages, tasks, count, kilobytes, forward, backward):
    said = messages(sp("A", tasks, 1))
    assert set(said.counts()) == {count}
    assert (said.kilobytes().min(), said.kilobytes().max()) == kilobytes
    sweeps = [size for task in range(tasks) for _, size in said.sent(task)[6:]]
    assert (max(sweeps), min(sweeps)) == (forward[1], backward[0])
    assert {forward[0], backward[1]} <= set(sweeps)
    assert all(len(said.partners(task)) == 6 for task in range(tasks))


def test_lines_on_the_surface_are_left_out(messages):
    # 36 points in 3 cells of 12; inside the cube 11, 12, 11. Task 0 has cells (0,0,0), (1,2,1), (2,1,2).
    sweep = messages(sp("W", 9, 1)).sent(0)[6:10]
    assert sweep == [
        (1, 22 * 11 * 11 * 8),  # forwards along x: of cell (0,0,0)
        (1, 22 * 11 * 12 * 8),  # of cell (1,2,1)
        (2, 10 * 12 * 11 * 8),  # backwards: of cell (2,1,2)
        (2, 10 * 11 * 12 * 8),  # of cell (1,2,1)
    ]
