import pytest

from netplace.apps import Op
from netplace.apps.npb import bt


@pytest.mark.parametrize(
    ("tasks", "count", "kilobytes", "sizes"),
    [(16, 24, 1097, {61440, 69360, 11560}), (64, 48, 691, {35840, 19440, 3240})],
)
def test_class_a_as_counted_by_hand(messages, tasks, count, kilobytes, sizes):
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


def test_a_sweep_sends_forward_then_backward_and_waits_for_its_send_first():
    operations = list(bt("S", 4, 1).operations(0))
    # Two by two tasks: faces are 6 irecv, 6 isend and 12 waits; then each axis is one step each way.
    x = operations[24:32]
    assert [(op.kind, op.peer) for op in x[:2]] == [(Op.ISEND, 1), (Op.IRECV, 1)]
    assert [op.request for op in x[2:4]] == [x[0].request, x[1].request]
    assert [op.size for op in x] == [30 * 49 * 8] * 2 + [0, 0] + [5 * 49 * 8] * 2 + [0, 0]
    assert len(operations) == 24 + 3 * 8
