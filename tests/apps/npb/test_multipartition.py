import pytest

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


def test_partners_of_a_task_of_sixteen():
    grid = Multipartition(64, 16)
    # Task 5 is at (1, 1): x goes to (2, 1), y to (1, 2), z to (0, 2).
    assert [grid.successor(5, axis) for axis in AXES] == [6, 9, 8]
    assert [grid.predecessor(5, axis) for axis in AXES] == [4, 1, 2]


def test_lengths_of_an_uneven_cube():
    grid = Multipartition(102, 16)
    assert [grid.length(place) for place in range(4)] == [26, 26, 25, 25]
    assert [grid.inner_length(place) for place in range(4)] == [25, 26, 25, 24]


def test_faces_of_an_uneven_cube():
    grid = Multipartition(10, 4)  # edges of 5 and 5
    assert grid.face_bytes(0, 0, 1) == 2 * 5 * 8 * 25
    grid = Multipartition(11, 4)  # edges of 6 and 5
    # Task 0 holds cells (0, 0, 0) and (1, 1, 1); only the first has one ahead of it.
    assert grid.cells(0) == [(0, 0, 0), (1, 1, 1)]
    assert grid.face_bytes(0, 2, 1) == 2 * 5 * 8 * 36
    assert grid.face_bytes(0, 2, 0) == 2 * 5 * 8 * 25
