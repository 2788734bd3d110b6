import pytest

from netplace.apps.npb import ft


def test_slabs_up_to_as_many_tasks_as_planes(messages):
    said = messages(ft("A", 16, 6))
    for task in range(16):
        sent = said.sent(task)
        assert sent[:15] == [((task + k) % 16, 524288) for k in range(1, 16)]
        assert len(sent) == (15 if task == 0 else 16)
        assert all(size == 16 for _, size in sent[15:])


def test_the_section_opens_with_a_forward_transform():
    traffic = ft("A", 16, 6).traffic()
    assert traffic.W[3, 4] == 7 * 524288
    assert traffic.W[1, 0] == 7 * 524288 + 6 * 16


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
