import random

import numpy as np
import pytest
from dataflow import verified, verify

from netplace.apps import Program, TaskWriter, application
from netplace.apps.collectives import ALGORITHMS, ROOTED, TABLES, Call, Message, Schedule, schedule, selection
from netplace.netsim import Config, simulate
from netplace.topologies import parse

EVERY = pytest.mark.parametrize(("operation", "name"), ALGORITHMS)


@EVERY
def test_everybody_ends_with_everything(operation, name):
    bytes = (48,) if name == "halving_doubling_rounded" else (1, 37)
    assert verified(operation, name, bytes=bytes)
    assert verified(operation, name, (2, 5, 8, 13), bytes, segment=5, fanout=3, radix=3, group=3)


@EVERY
def test_blocks_may_be_uneven_or_empty(operation, name):
    chance = random.Random(f"{operation} {name}")
    for ranks in (*chance.sample(range(2, 18), 3), chance.choice((24, 31, 33))):
        long = 101 if operation.startswith("alltoall") else 1009
        bytes = chance.choice((0, ranks - 1, ranks, ranks + 1, long))
        options = {
            "segment": chance.choice((0, bytes // 7 + 1, bytes + 1)),
            "fanout": chance.randint(1, 5),
            "radix": chance.randint(2, 5),
            "group": chance.randint(0, 5),
        }
        if not ALGORITHMS[operation, name].needs(ranks) and name != "halving_doubling_rounded":
            assert verified(operation, name, (ranks,), (bytes,), **options)


@pytest.mark.parametrize("name", ["basic_linear", "pairwise", "scattered"])
def test_an_alltoallv_sends_the_blocks_of_its_table(name):
    sizes = (1, 0, 5, 2, 3, 0, 7, 8, 9)
    made = schedule("alltoallv", 3, 0, algorithm=name, sizes=sizes)
    sent = {(source, destination): bytes for source, destination, _, bytes in made.pairs()}
    expected = {(i, j): sizes[3 * i + j] for i in range(3) for j in range(3) if i != j}
    assert sent == {pair: bytes for pair, bytes in expected.items() if bytes or name != "scattered"}
    assert verified("alltoallv", name, (3,), (0,), sizes=sizes)


def test_groups_are_those_given():
    groups = (7, 1, 7, 1, 2)
    for operation in ("allgather", "allreduce", "barrier", "bcast", "reduce"):
        made = verified(operation, "hierarchical", (5,), (37,), groups=groups)[0]
        leaders = {0, 1, 4}
        for source, destination, _, _ in made.pairs():
            assert groups[source] == groups[destination] or {source, destination} <= leaders


@EVERY
def test_programs_send_what_schedules_say(operation, name):
    for ranks in (1, 2, 5, 8):
        root = ranks // 2 if operation in ROOTED else 0
        call = Call(operation, ranks, 40, root, segment=16)
        chosen = selection(f"builtin+{operation}={name}")
        try:
            messages = chosen.schedule(call)
        except ValueError:
            assert ALGORITHMS[operation, name].needs(ranks)
            continue
        writers = [TaskWriter(task, ranks) for task in range(ranks)]
        for writer in writers:
            chosen.write(writer, range(ranks), writer.task, call, 0)
        program = Program.of(writers)
        program.check()
        program.check(eager_limit=0)
        sent, traffic = np.zeros((2, ranks, ranks), int), program.traffic()
        for source, destination, count, size in messages.pairs():
            sent[:, source, destination] = count, size
        assert np.array_equal(sent, [traffic.N, traffic.W])


@pytest.mark.parametrize("table", TABLES)
def test_tables_choose_for_every_number_of_ranks(table):
    for operation in {operation for operation, _ in ALGORITHMS}:
        for ranks in (1, 2, 3, 4, 6, 7, 16, 33, 100):
            for size in (0, 1, 64, 4096, 300_000):
                if ranks <= 16 or size < 4096:
                    made = schedule(operation, ranks, size, collectives=table)
                    silent = made.call.is_empty or (made.algorithm == "scattered" and not size)
                    assert (made.rounds > 0) == (ranks > 1 and not silent)


@pytest.mark.parametrize(
    ("operation", "rounds", "sentence"),
    [
        ("bcast", [[Message(0, 1, 9, ((0, 10),))]], "9 bytes, 10 in parts"),
        ("bcast", [[Message.of(1, 2, (0, 10))]], "sends data that its sender does not have"),
        ("bcast", [[Message.of(0, 1, (0, 10))]], "rank 2 ends with wrong data"),
        ("reduce", [[Message.of(1, 0, (0, 10))]] * 2, "adds a value that is already in the sum"),
    ],
)
def test_a_wrong_algorithm_is_found(operation, rounds, sentence):
    with pytest.raises(AssertionError, match=sentence):
        verify(Call(operation, 3, 10), rounds)


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [
        ({"operation": "bcasts"}, "unknown name 'bcasts'; did you mean bcast"),
        ({"root": 8}, "root: 8 is not a rank, expected 0 to 7"),
        ({"operation": "barrier", "root": 1}, "root: barrier has no root"),
        (
            {"operation": "alltoall", "algorithm": "pairwise_exchange", "ranks": 6},
            "does not support 6 ranks, expected a power of two, such as 4 or 8",
        ),
    ],
)
def test_what_is_refused(request_, sentence):
    call = {"operation": "bcast", "ranks": 8, "bytes": 100} | request_
    with pytest.raises(ValueError, match=sentence):
        schedule(**call)


def test_messages_must_go_somewhere():
    with pytest.raises(ValueError, match="from rank 0 to rank 4, expected ranks from 0 to 3"):
        Schedule.of(Call("bcast", 4, 1), "mine", [[Message(0, 4, 1)]])


def test_parts_without_bytes_are_sent_where_open_mpi_sends_them():
    # As counted of Open MPI 4.1.4 with these algorithms forced: 4 bytes among 6 ranks.
    halved = schedule("reduce_scatter", 6, 4, algorithm="butterfly").pairs()
    assert [(source, destination, size) for source, destination, _, size in halved] == [
        (0, 1, 4), (1, 0, 1), (1, 3, 0), (1, 4, 2), (2, 3, 4), (3, 1, 4), (3, 4, 0), (3, 5, 0), (4, 1, 2),
        (4, 2, 1), (4, 3, 1), (4, 5, 0), (5, 3, 0), (5, 4, 4),
    ]  # fmt: skip
    for name in ("basic_linear", "recursive_doubling", "recursive_halving", "butterfly"):
        assert schedule("reduce_scatter_block", 6, 4, algorithm=name).rounds == 0
    gathered = schedule("allgatherv", 6, 4, algorithm="default").pairs()
    assert [pair[0] for pair in gathered if pair[1] == 0] == [1, 2, 3]


def test_open_mpi_sends_to_all_children_at_once_and_mpich_to_one_after_the_other():
    torus, config = parse("torus:4x4x4"), Config(phit_bytes=16, packet_phits=128)
    cycles = {}
    for name in ("binomial", "in_order_binomial"):
        program = application("collective", 4, operation="bcast", algorithm=name, bytes=1 << 18)
        cycles[name] = simulate(torus, program, [0, 21, 42, 63], config=config).cycles
    # The root sends two messages; if at once, both end when two have been sent, and rank 1 sends one more.
    whole = (1 << 18) // 16
    assert cycles["binomial"] == pytest.approx(3 * whole, rel=0.05)
    assert cycles["in_order_binomial"] == pytest.approx(2 * whole, rel=0.05)
