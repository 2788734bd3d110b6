"""Bytes by pair of each kind of parallelism, against arithmetic."""

import csv
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from netplace.apps import application
from netplace.apps.collectives import schedule
from netplace.apps.training import MODELS

sys.path.insert(0, str(Path(__file__).parents[1] / "formats"))
from golden_traces import folder

LAYERS, MICROS = 4, 3
LLAMA = MODELS["llama-7b"]
TOKENS = LLAMA.sequence
ACTIVATIONS = TOKENS * LLAMA.hidden * 2
LAYER = 4 * LLAMA.hidden**2 + 3 * LLAMA.hidden * LLAMA.ffn
NORMS = 2 * LLAMA.hidden
TABLE = LLAMA.vocabulary * LLAMA.hidden


def sent(tasks, **options):
    options = {"model": "llama-7b", "layers": LAYERS, "flops": 0, **options}
    return application("training", tasks, **options).traffic().W


def pairs(operation, ranks, size, times=1):
    matrix = np.zeros((ranks, ranks), np.int64)
    for source, destination, _, volume in schedule(operation, ranks, size).pairs():
        matrix[source, destination] = times * volume
    return matrix


@pytest.mark.parametrize("tp", [2, 4, 8])
def test_tensor_parallel(tp):
    expected = pairs("allreduce", tp, ACTIVATIONS, MICROS * (4 * LAYERS + 2))
    expected += pairs("allreduce", tp, 4 * TOKENS, 3 * MICROS)
    assert np.array_equal(sent(tp, tp=tp, global_batch=MICROS), expected)


def test_sequence_parallel():
    tp = 4
    # A layer has two products that need the whole sequence. Each is gathered forward and, as it was not kept,
    # again backward, where the gradients of its output are gathered too: 6 to 4 reduce-scatters. The
    # projection to the vocabulary is a product whose output stays apart, the embedding the other way round.
    gathers, scatters = 6 * LAYERS + 2 + 1, 4 * LAYERS + 1 + 1
    expected = pairs("allgather", tp, ACTIVATIONS // tp, MICROS * gathers)
    expected += pairs("reduce_scatter", tp, ACTIVATIONS, MICROS * scatters)
    expected += pairs("allreduce", tp, 4 * TOKENS, 3 * MICROS)
    expected += pairs("allreduce", tp, 4 * NORMS * LAYERS)
    assert np.array_equal(sent(tp, tp=tp, sp=1, global_batch=MICROS), expected)


def test_sequence_parallel_is_that_of_a_workload_of_megatron():
    tp, layers, activations = 8, 40, 2048 * 5120 * 2
    with (folder() / "ai" / "aicb_G13B_megatron_tp8_sp.csv").open() as file:
        next(file)
        rows = [row for row in csv.DictReader(file) if row["comm_group"].endswith("tp_group")]
    counted = Counter(
        (row["comm_type"].removeprefix("CommType."), int(row["msg_size"]))
        for row in rows
        if row["stage"].endswith("Linear")
    )
    assert set(counted) == {("all_gather", activations), ("reduce_scatter", activations)}
    expected = pairs("allgather", tp, activations // tp, counted["all_gather", activations] + 3)
    expected += pairs("reduce_scatter", tp, activations, counted["reduce_scatter", activations] + 2)
    [loss] = [int(row["msg_size"]) for row in rows if "CrossEntropy" in row["stage"]][:1]
    expected += pairs("allreduce", tp, loss, 3)
    # Its gradients of normalisations have 2 bytes, and biases besides.
    [norms] = [int(row["msg_size"]) for row in rows if "layernorm_grads" in row["stage"]]
    assert norms == 2 * layers * 2 * 2 * 5120
    expected += pairs("allreduce", tp, norms)
    got = sent(tp, model="llama-13b", layers=layers, tp=tp, sp=1, global_batch=1)
    assert np.array_equal(got, expected)


@pytest.mark.parametrize("chunks", [1, 2])
def test_pipeline_parallel(chunks):
    pp, micros = 2, 4
    expected = np.zeros((pp, pp), np.int64)
    # Once for each boundary between chunks: from a stage to the next, and from the last to the first.
    expected[0, 1] = micros * ACTIVATIONS * (chunks + chunks - 1)
    expected[1, 0] = micros * ACTIVATIONS * (chunks + chunks - 1)
    assert np.array_equal(sent(pp, pp=pp, chunks=chunks, global_batch=micros), expected)


def test_pipeline_of_four_stages():
    expected = MICROS * ACTIVATIONS * (np.eye(4, k=1, dtype=int) + np.eye(4, k=-1, dtype=int))
    assert np.array_equal(sent(4, pp=4, global_batch=MICROS), expected)


@pytest.mark.parametrize("overlap", [0, 1, 2])
@pytest.mark.parametrize("dp", [2, 4, 6])
def test_data_parallel(dp, overlap):
    expected = pairs("allreduce", dp, 4 * (LAYER + NORMS), LAYERS) + pairs("allreduce", dp, 4 * TABLE, 2)
    assert np.array_equal(sent(dp, overlap=overlap), expected)


def ring_bytes(zero, dp, micros, parameters):
    """Return what a rank sends in a step on a ring: all but its share, each time.

    Rajbhandari et al., SC 2020, section 7: gradients are reduced to their owners, parameters gathered once
    after the step; where gradients too are spread, each micro-batch reduces them; where parameters are, each
    pass gathers them.
    """
    reductions, gathers = {1: (1, 1), 2: (micros, 1), 3: (micros, 2 * micros)}[zero]
    return (dp - 1) * parameters * (4 * reductions + 2 * gathers) // dp


@pytest.mark.parametrize("overlap", [0, 1, 2])
@pytest.mark.parametrize("micros", [1, MICROS])
@pytest.mark.parametrize("zero", [1, 2, 3])
def test_zero(zero, micros, overlap):
    dp = 4
    ring = "builtin+reduce_scatter=ring+allgatherv=ring"
    got = sent(dp, zero=zero, global_batch=dp * micros, overlap=overlap, collectives=ring)
    share = ring_bytes(zero, dp, micros, LAYERS * (LAYER + NORMS) + 2 * TABLE)
    assert np.array_equal(got, share * np.roll(np.eye(dp, dtype=int), 1, axis=1))


@pytest.mark.parametrize("zero", [1, 2, 3])
def test_zero_of_a_pipeline_that_shares_its_table(zero):
    model, dp, micros, layers = MODELS["gpt-22b"], 2, 4, 4
    layer = 4 * model.hidden**2 + 2 * model.hidden * model.ffn + 2 * model.hidden
    table = model.vocabulary * model.hidden
    got = sent(2 * dp, model="gpt-22b", pp=2, dp=dp, layers=layers, zero=zero, global_batch=dp * micros)
    expected = ring_bytes(zero, dp, micros, layers // 2 * layer + table)
    assert got[0, 1] == got[1, 0] == got[2, 3] == got[3, 2] == expected
    assert got[0, 2] == micros * model.sequence * model.hidden * 2 + pairs("allreduce", 2, 4 * table)[0, 1]


def test_a_table_that_is_both_is_gathered_at_either_use():
    model, dp = MODELS["gpt-22b"], 2
    layer = 4 * model.hidden**2 + 2 * model.hidden * model.ffn + 2 * model.hidden
    table = model.vocabulary * model.hidden
    got = sent(dp, model="gpt-22b", layers=1, zero=3, global_batch=dp)
    assert got[0, 1] == ring_bytes(3, dp, 1, layer + table) + 2 * 2 * table // dp


def test_experts_are_spread_over_those_that_have_the_same():
    ep, dp, model, tokens, micros = 2, 4, MODELS["mixtral-8x7b"], 64, 2
    kv = model.hidden * model.kv_heads // model.heads
    dense = (
        LAYERS * (2 * model.hidden * (model.hidden + kv) + 2 * model.hidden)
        + 2 * model.vocabulary * model.hidden
    )
    experts = LAYERS * 3 * model.hidden * model.ffn * model.experts // ep
    ring = "builtin+reduce_scatter=ring+allgatherv=ring+alltoall=linear"
    options = {"model": "mixtral-8x7b", "ep": ep, "sequence": tokens, "collectives": ring}
    got = sent(dp, zero=2, global_batch=dp * micros, **options)
    dispatch = tokens * 2 * model.hidden * 2 // ep * micros * LAYERS * 4
    assert (
        got[0, 1] == ring_bytes(2, dp, micros, dense) + dispatch
    )  # on the ring of all, and of one expert group
    assert got[0, 2] == ring_bytes(2, dp // ep, micros, experts)


def test_context_parallel():
    cp = 4
    keys_and_values = 2 * ACTIVATIONS // cp
    expected = pairs("allreduce", cp, 4 * (LAYER + NORMS), LAYERS) + pairs("allreduce", cp, 4 * TABLE, 2)
    for rank in range(cp):
        expected[rank, (rank + 1) % cp] += MICROS * LAYERS * (cp - 1) * 3 * keys_and_values
    assert np.array_equal(sent(cp, cp=cp, global_batch=MICROS), expected)


def test_expert_parallel():
    ep, model = 4, MODELS["mixtral-8x7b"]
    tokens = 1024
    kv = model.hidden * model.kv_heads // model.heads
    attention = 2 * model.hidden * (model.hidden + kv) + 2 * model.hidden
    expected = pairs("alltoall", ep, tokens * 2 * model.hidden * 2 // ep, MICROS * LAYERS * 4)
    expected += pairs("allreduce", ep, 4 * attention, LAYERS)
    expected += pairs("allreduce", ep, 4 * model.vocabulary * model.hidden, 2)
    got = sent(ep, model="mixtral-8x7b", ep=ep, sequence=tokens, global_batch=ep * MICROS)
    assert np.array_equal(got, expected)


def test_shared_embeddings_are_summed_over_the_ends():
    model = MODELS["gpt3-175b"]
    plain = MICROS * model.sequence * model.hidden * 2
    table = 4 * model.vocabulary * model.hidden
    got = sent(2, model="gpt3-175b", pp=2, global_batch=MICROS)
    assert np.array_equal(got - pairs("allreduce", 2, table), [[0, plain], [plain, 0]])


def test_dimensions_keep_to_themselves():
    got = sent(16, tp=4, pp=2, dp=2, global_batch=2)
    for source, destination in np.argwhere(got):
        (t0, d0, p0), (t1, d1, p1) = ((r % 4, r // 4 % 2, r // 8) for r in (source, destination))
        assert (t0 != t1) + (d0 != d1) + (p0 != p1) == 1


def test_order_of_ranks_permutes_pairs():
    usual, other = sent(16, tp=4, pp=2, dp=2), sent(16, tp=4, pp=2, dp=2, order="dp-pp-cp-tp")
    assert not np.array_equal(usual, other)
    assert np.array_equal(np.sort(usual, axis=None), np.sort(other, axis=None))
