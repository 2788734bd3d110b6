import pytest

from netplace.apps import Op, Program, TaskWriter
from netplace.apps.collectives import ALLTOALL_ORDERS, COLLECTIVES
from netplace.apps.replay import openers

MEMBERS = [7, 2, 5, 0, 3, 8, 1, 6, 4]
CALLS = {
    "allgather": lambda w, m: COLLECTIVES["allgather"](w, m, 10),
    "allgatherv": lambda w, m: COLLECTIVES["allgatherv"](w, m, [10 + k for k in range(len(m))]),
    "allreduce": lambda w, m: COLLECTIVES["allreduce"](w, m, 2048),
    "allreduce long": lambda w, m: COLLECTIVES["allreduce"](w, m, 4116),
    "alltoall": lambda w, m: COLLECTIVES["alltoall"](w, m, 10),
    "alltoallv": lambda w, m: COLLECTIVES["alltoallv"](
        w, m, [w.task + 10 * k + 1 for k in m], [10 * w.task + k + 1 for k in m]
    ),
    "barrier": lambda w, m: COLLECTIVES["barrier"](w, m),
    "bcast": lambda w, m: COLLECTIVES["bcast"](w, m, m[len(m) // 2], 10),
    "exscan": lambda w, m: COLLECTIVES["exscan"](w, m, 10),
    "gather": lambda w, m: COLLECTIVES["gather"](w, m, m[len(m) // 2], 10),
    "reduce": lambda w, m: COLLECTIVES["reduce"](w, m, m[len(m) // 2], 10),
    "reduce_scatter": lambda w, m: COLLECTIVES["reduce_scatter"](w, m, 100),
    "reduce_scatter_block": lambda w, m: COLLECTIVES["reduce_scatter_block"](w, m, 100),
    "scan": lambda w, m: COLLECTIVES["scan"](w, m, 10),
    "scatter": lambda w, m: COLLECTIVES["scatter"](w, m, m[len(m) // 2], 10),
}


def program_of(call, members):
    writers = [TaskWriter(task, len(MEMBERS)) for task in range(len(MEMBERS))]
    for task in members:
        call(writers[task], members)
    return Program.of(writers)


def words(program, task):
    """The messages of a task: + and - for send and receive, at the place where each is complete."""
    opener = openers(program)
    result = []
    for index in range(program.first[task], program.first[task + 1]):
        kind = program.kind[index]
        if kind == Op.WAIT:
            index = opener[index]
        if kind not in (Op.IRECV, Op.ISEND):
            sign = "+" if program.kind[index] in (Op.SEND, Op.ISEND) else "-"
            result.append(f"{sign}{program.peer[index]}:{program.size[index]}")
    return " ".join(result)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6, 7, 8, 9])
def test_all_members_come_to_the_end(name, size):
    program = program_of(CALLS[name], MEMBERS[:size])
    program.check()
    program.check(eager_limit=0)
    if size == 1:
        assert len(program) == 0


def test_every_collective_is_tested():
    assert {name.split()[0] for name in CALLS} == set(COLLECTIVES)


def test_scatter_sends_what_subtrees_need():
    program = program_of(lambda w, m: COLLECTIVES["scatter"](w, m, 0, 10), range(7))
    assert words(program, 0) == "+4:30 +2:20 +1:10"
    assert words(program, 4) == "-0:30 +6:10 +5:10"
    gathered = program_of(lambda w, m: COLLECTIVES["gather"](w, m, 0, 10), range(7))
    assert words(gathered, 4) == "-5:10 -6:10 +0:30"


def test_short_allreduce_doubles():
    program = program_of(lambda w, m: COLLECTIVES["allreduce"](w, m, 2048), range(8))
    assert words(program, 5) == "+4:2048 -4:2048 +7:2048 -7:2048 +1:2048 -1:2048"


def test_long_allreduce_halves_and_doubles():
    program = program_of(lambda w, m: COLLECTIVES["allreduce"](w, m, 4116), range(4))
    assert words(program, 1) == "+3:2058 -3:2058 +0:1029 -0:1029 +0:1029 -0:1029 +3:2058 -3:2058"


def test_allreduce_folds_members_beyond_a_power_of_two():
    program = program_of(lambda w, m: COLLECTIVES["allreduce"](w, m, 100), range(6))
    assert words(program, 0) == "+1:100 -1:100"
    assert words(program, 1) == "-0:100 +3:100 -3:100 +4:100 -4:100 +0:100"
    assert words(program, 5) == "+4:100 -4:100 +3:100 -3:100"


def test_barrier_goes_round_at_doubling_distances():
    program = program_of(CALLS["barrier"], range(5))
    assert words(program, 3) == "+4:0 -2:0 +0:0 -1:0 +2:0 -4:0"


def test_allgather_passes_blocks_round_the_ring():
    program = program_of(lambda w, m: COLLECTIVES["allgatherv"](w, m, [1, 2, 3, 4]), range(4))
    assert words(program, 1) == "+2:2 -0:1 +2:1 -0:4 +2:4 -0:3"


def test_orders_of_alltoall():
    expected = {
        "rotated": "+2:5 -0:5 +3:5 -3:5 +0:5 -2:5",
        "identifier": "+0:5 -0:5 +2:5 -2:5 +3:5 -3:5",
    }
    assert expected.keys() == ALLTOALL_ORDERS.keys()
    for order, text in expected.items():
        program = program_of(lambda w, m, order=order: COLLECTIVES["alltoall"](w, m, 5, 0, order), range(4))
        program.check()
        assert words(program, 1) == text


def test_alltoallv_has_a_size_for_each_pair():
    program = program_of(CALLS["alltoallv"], range(3))
    assert words(program, 1) == "-0:11 -2:13 +2:22 +0:2"


def test_pairs_of_nothing_say_nothing():
    writer = TaskWriter(0, 3)
    COLLECTIVES["alltoallv"](writer, range(3), [0, 0, 5], [0, 7, 0])
    assert writer.columns()["peer"].tolist() == [1, 2, -1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda w: COLLECTIVES["barrier"](w, [1, 2]), "members: task 0 is not one of the 2 members"),
        (lambda w: COLLECTIVES["bcast"](w, [0, 1], 2, 5), "root: task 2 is not one of the 2 members"),
        (lambda w: COLLECTIVES["alltoall"](w, [0, 1], 5, order="any"), "alltoall order: unknown name 'any'"),
        (lambda w: COLLECTIVES["alltoallv"](w, [0, 1], [5], [5, 5]), "sizes_row has 1 sizes"),
    ],
)
def test_what_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call(TaskWriter(0, 3))
