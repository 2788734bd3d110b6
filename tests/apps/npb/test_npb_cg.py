import pytest

from netplace.apps.npb import cg
from netplace.apps.npb.cg import Part


@pytest.mark.parametrize(
    ("tasks", "count", "kilobytes", "vector", "partners"),
    [(16, 184, 2185, 28000, 3), pytest.param(64, 263, 1457, 14000, 4, marks=pytest.mark.nightly)],
)
def test_class_a_as_counted_by_hand(messages, tasks, count, kilobytes, vector, partners):
    said = messages(cg("A", tasks, 1))
    assert set(said.counts()) == {count}
    assert {said.kilobytes().min(), said.kilobytes().max()} == {kilobytes}
    assert all(said.sizes(task) == {8, 16, vector} for task in range(tasks))
    assert max(len(said.partners(task)) for task in range(tasks)) == partners


def test_the_diagonal_exchanges_with_itself(messages):
    said = messages(cg("S", 16, 1))
    for task in range(16):
        on_diagonal = task % 4 == task // 4
        assert sum(peer == task for peer, _ in said.sent(task)) == (26 if on_diagonal else 0)


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
