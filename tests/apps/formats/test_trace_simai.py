import numpy as np
import pytest

from netplace.apps import Op
from netplace.apps.collectives import selection
from netplace.apps.formats import open_trace, read
from netplace.apps.recorded import summary_of
from netplace.netsim import simulate
from netplace.topologies import parse

HEADER = "HYBRID_TRANSFORMER_FWD_IN_BCKWD\tmodel_parallel_NPU_group: 2 ep: 2 pp: 1 all_gpus: 8 checkpoints: 0"
LAYERS = """\
2
attention -1 3000 ALLREDUCE 1000 2000 ALLGATHER 800 1000 REDUCESCATTER 4000 100
mlp -1 0 ALLTOALL_EP 600 0 NONE 0 0 ALLREDUCE_DP_EP 64 0
"""


@pytest.fixture
def written(tmp_path):
    def write(content):
        path = tmp_path / "job.txt"
        path.write_text(content)
        return path

    return write


def test_layers_go_forward_and_back(written):
    trace = open_trace(written(f"{HEADER}\n{LAYERS}"))
    found = summary_of(trace).as_data()
    assert found["ranks"] == 8
    assert [(c["operation"], c["ranks"], c["bytes"], c["calls"]) for c in found["collectives"]] == [
        ("allgather", 2, 400, 8),
        ("allreduce", 2, 64, 8),
        ("allreduce", 2, 1000, 8),
        ("alltoall", 2, 300, 8),
        ("reduce_scatter", 4, 4000, 8),
    ]
    assert found["compute_seconds"] == pytest.approx([6.1e-6] * 8)


def test_groups_are_consecutive_ranks_and_what_lies_across(written):
    program = read(written(f"{HEADER}\n{LAYERS}"), cycles_per_us=1000)
    program.check()
    sent = program.traffic().N > 0
    assert sent[0, 1]
    assert sent[0, 2]  # shares experts
    assert sent[0, 4]  # has the same ones
    assert not sent[0, 3]
    assert program.size[program.kind == Op.COMPUTE].sum() == 8 * 6100


PIPELINE = """\
HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 2 vpp: 1 ga: 3 all_gpus: 8 pp_comm 5000
8
grads -1 1 NONE 0 1 NONE 0 1 REDUCESCATTER 4000 100
embedding_layer -1 1000 NONE 0 1000 NONE 0 1 NONE 0 0
attention -1 3000 ALLREDUCE 1000 2000 ALLREDUCE 1000 1 NONE 0 0
embedding_layer -1 1000 NONE 0 1000 NONE 0 1 NONE 0 0
attention -1 3000 ALLREDUCE 1000 2000 ALLREDUCE 1000 1 NONE 0 0
embedding_layer -1 1000 NONE 0 1000 NONE 0 1 NONE 0 0
attention -1 3000 ALLREDUCE 1000 2000 ALLREDUCE 1000 1 NONE 0 0
optimizer -1 500 NONE 0 1 NONE 0 1 NONE 0 0
"""


def test_micro_batches_go_through_pipeline_stages(written):
    program = read(written(PIPELINE), collectives=selection("builtin+allreduce=recursive_doubling"))
    program.check(eager_limit=0)
    sent = program.traffic()
    for rank in range(4):
        assert sent.N[rank, rank + 4] == sent.N[rank + 4, rank] == 3  # a micro-batch each
        assert sent.W[rank, rank + 4] == 3 * 5000
    assert sent.N[0, 1] == 6  # forward and backward of each micro-batch
    assert sent.N[0, 2] > 0  # what has the same parameters lies in the same stage
    assert not sent.N[0, 6]


def test_one_forward_one_backward(written):
    program = read(written(PIPELINE), cycles_per_us=1000)
    own = slice(program.first[0], program.first[1])
    ways = [kind for kind, peer in zip(program.kind[own], program.peer[own], strict=True) if peer == 4]
    assert ways == [Op.ISEND, Op.ISEND, Op.RECV, Op.ISEND, Op.RECV, Op.RECV]
    assert program.size[own][program.kind[own] == Op.COMPUTE].sum() == 3 * 7002 + (1 + 2 + 100) + (500 + 2)


_LAYER = "attention -1 3000 NONE 0 2000 NONE 0 1 NONE 0 0\nmlp -1 500 NONE 0 700 NONE 0 1 NONE 0 0\n"
_FIRST = "embedding_layer -1 10 NONE 0 10 NONE 0 1 NONE 0 0\n"
_MICRO = f"{_FIRST}{_LAYER * 4}final_column -1 7 NONE 0 7 NONE 0 1 NONE 0 0\n"


def interleaved(micros=4, chunks=2):
    """Return a workload of two stages of four layers each."""
    fields = f"model_parallel_NPU_group: 1 ep: 1 pp: 2 vpp: {chunks} ga: {micros} all_gpus: 4 pp_comm: 5000"
    return f"HYBRID_TRANSFORMER_FWD_IN_BCKWD {fields}\n{10 * micros}\n{_MICRO * micros}"


@pytest.mark.parametrize("chunks", [1, 2, 4])
def test_chunks_of_layers_go_round_the_stages(written, chunks):
    program = read(written(interleaved(chunks=chunks)), cycles_per_us=1000)
    program.check(eager_limit=0)
    sent = program.traffic().N
    # Forward to the next stage with every chunk, to the first one with all but the last, and as often back.
    for rank in range(2):
        assert sent[rank, rank + 2] == sent[rank + 2, rank] == 4 * (2 * chunks - 1)
    assert sent.sum() == 4 * 4 * (2 * chunks - 1)
    computed = [
        program.size[own][program.kind[own] == Op.COMPUTE].sum()
        for own in (slice(program.first[rank], program.first[rank + 1]) for rank in range(4))
    ]
    assert computed == [4 * (4 * (3000 + 2001 + 500 + 701) + 10 + 11 + 7 + 8)] * 4


def test_chunks_come_in_the_interleaved_order(written):
    program = read(written(interleaved()), cycles_per_us=1000)
    own = slice(program.first[0], program.first[1])
    # The first stage sends two micro-batches of its first chunk before it gets one back for the second.
    ways = [kind for kind, peer in zip(program.kind[own], program.peer[own], strict=True) if peer == 2]
    assert ways[:4] == [Op.ISEND, Op.ISEND, Op.RECV, Op.ISEND]


def test_more_chunks_have_a_shorter_bubble(written):
    machine = parse("thintree:4,1,1")
    times = []
    for chunks in (1, 2, 4):
        content = interleaved(chunks=chunks).replace("pp_comm: 5000", "pp_comm: 16")
        times.append(simulate(machine, read(written(content), cycles_per_us=1000)).cycles)
    assert times[0] > times[1] > times[2]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (
            interleaved(chunks=3),
            r"vpp: 3 chunks do not divide the 4 layers of a micro-batch, expected one of \[1, 2, 4\]",
        ),
        (
            interleaved(micros=3),
            "line 1: vpp: 2 chunks of layers are interleaved, so ga=3 micro-batches must",
        ),
    ],
)
def test_chunks_that_do_not_fit_are_refused(written, content, sentence):
    with pytest.raises(ValueError, match=sentence):
        open_trace(written(content))


def test_micro_batches_that_cannot_be_told_apart_are_refused(written):
    with pytest.raises(ValueError, match="3 layers called embedding_layer do not mark ga=4 micro-batches"):
        open_trace(written(PIPELINE.replace("ga: 3", "ga: 4")))
    with pytest.raises(ValueError, match="experts of 1 and 2 stages, expected a multiple of 4"):
        open_trace(written(PIPELINE.replace("all_gpus: 8", "all_gpus: 6")))


def test_tasks_are_those_asked_for(written):
    path = written(f"{HEADER}\n{LAYERS}")
    assert read(path, tasks=4).tasks == 4
    with pytest.raises(ValueError, match="6 ranks do not divide into groups of 2, experts of 2 and 1 stages"):
        read(path, tasks=6)


def test_one_group_without_a_number_of_ranks(written):
    header = "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 4"
    path = written(f"{header}\n1\nx -1 1 ALLREDUCE 8 1 NONE 0 1 NONE 0 1\n")
    program = read(path)
    assert program.tasks == 4
    assert "leaves out the traffic of data parallelism" in open_trace(path).notes[0]
    path = written("MICRO\n1\nx -1 1 NONE 0 1 NONE 0 1 ALLGATHER 4096 1\n")
    with pytest.raises(ValueError, match=r"line 1: does not say how many ranks there are \(--tasks\)"):
        read(path)
    assert np.count_nonzero(read(path, tasks=4).traffic().N)
    assert np.count_nonzero(program.traffic().N)


@pytest.mark.parametrize(
    ("layers", "sentence"),
    [
        ("3\nx -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n", "line 2: '3' is not the number of layers, expected 1"),
        ("1\nx -1 1 NONE 0\n", "line 3: a layer of 5 words, expected 12"),
        (
            "1\nx -1 1 ALLREDUC 5 1 NONE 0 1 NONE 0 1\n",
            "line 3: unknown collective 'ALLREDUC', expected ALLREDUCE",
        ),
    ],
)
def test_what_is_refused(written, layers, sentence):
    with pytest.raises(ValueError, match=sentence):
        read(written(f"{HEADER}\n{layers}"))


def test_ranks_are_counted_before_they_are_written_out(written):
    many = HEADER.replace("all_gpus: 8", f"all_gpus: {1 << 22}")
    layers = "\n".join(
        f"layer{n} -1 3000 ALLREDUCE 1000 2000 ALLGATHER 800 1000 NONE 0 100" for n in range(99)
    )
    with pytest.raises(
        ValueError, match=r"job.txt: the calls of its 4194304 ranks: \d+ operations are too many"
    ):
        open_trace(written(f"{many}\n99\n{layers}\n"))
    # A thousandth of them can be counted, and is refused as a whole before it is read.
    some = HEADER.replace("all_gpus: 8", f"all_gpus: {1 << 15}")
    path = written(f"{some}\n99\n{layers}\n")
    with pytest.raises(ValueError, match=r"has more than [\d,]+ calls without repetition"):
        read(path)


def test_groups_of_many_ranks_are_counted_quickly(written):
    path = written(HEADER.replace("all_gpus: 8", "all_gpus: 8192") + f"\n{LAYERS}")
    found = summary_of(open_trace(path)).as_data()
    assert [(c["operation"], c["ranks"], c["calls"]) for c in found["collectives"]] == [
        ("allgather", 2, 8192), ("allreduce", 2, 8192), ("allreduce", 2048, 8192),
        ("alltoall", 2, 8192), ("reduce_scatter", 4096, 8192),
    ]  # fmt: skip
