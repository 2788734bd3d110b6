"""Bytes by pair of each kind of parallelism, against arithmetic."""

import numpy as np
import pytest

from netplace.apps import application
from netplace.apps.collectives import schedule
from netplace.apps.training import MODELS

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


def test_activations_have_the_size_of_the_published_runs():
    assert ACTIVATIONS == 16_777_216


@pytest.mark.parametrize("tp", [2, 4, 8])
def test_tensor_parallel(tp):
    expected = pairs("allreduce", tp, ACTIVATIONS, MICROS * (4 * LAYERS + 2))
    expected += pairs("allreduce", tp, 4 * TOKENS, 3 * MICROS)
    assert np.array_equal(sent(tp, tp=tp, global_batch=MICROS), expected)


def test_sequence_parallel():
    tp = 4
    expected = pairs("allgather", tp, ACTIVATIONS // tp, MICROS * (4 * LAYERS + 2))
    expected += pairs("reduce_scatter", tp, ACTIVATIONS, MICROS * (4 * LAYERS + 2))
    expected += pairs("allreduce", tp, 4 * TOKENS, 3 * MICROS)
    assert np.array_equal(sent(tp, tp=tp, sp=1, global_batch=MICROS), expected)


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


@pytest.mark.parametrize("zero", [1, 2, 3])
def test_zero(zero):
    dp, gathers = 4, {1: 1, 2: 1, 3: 2 * MICROS}[zero]
    expected = pairs("reduce_scatter", dp, 4 * (LAYER + NORMS), LAYERS)
    expected += pairs("reduce_scatter", dp, 4 * TABLE, 2)
    expected += pairs("allgatherv", dp, 2 * (LAYER + NORMS), LAYERS * gathers)
    expected += pairs("allgatherv", dp, 2 * TABLE, 2 if zero < 3 else 0)
    assert np.array_equal(sent(dp, zero=zero, global_batch=dp * MICROS), expected)


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
