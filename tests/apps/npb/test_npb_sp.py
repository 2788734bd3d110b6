import pytest

from netplace.apps.npb import sp


@pytest.mark.parametrize(
    ("tasks", "count", "kilobytes", "forward", "backward"),
    [
        (16, 24, (916, 935), (39600, 45056), (18000, 20480)),
        (64, 48, (535, 548), (8624, 11264), (3920, 5120)),
    ],
)
def test_class_a_as_counted_by_hand(messages, tasks, count, kilobytes, forward, backward):
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


def test_a_step_waits_for_its_receive_first():
    operations = list(sp("S", 4, 1).operations(0))[24:28]
    assert [op.request for op in operations[2:]] == [operations[1].request, operations[0].request]
