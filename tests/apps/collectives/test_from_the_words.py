"""Messages of algorithms against a second derivation, from descriptions in words, on cases drawn by chance.

Each function tells from the ranks p (those of a tree count from the root) how many messages of which bytes
every pair exchanges; none uses anything of the product.
"""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from netplace.apps.collectives import schedule


def top_bit(p, ranks, _):
    return [p + 2**k for k in range(10) if 2**k > p and p + 2**k < ranks]


def low_bit(p, ranks, _):
    bits = 10 if p == 0 else (p & -p).bit_length() - 1
    return [p + 2**k for k in range(bits) if p + 2**k < ranks]


def knomial(p, ranks, radix):
    places = 0
    while p and p // radix**places % radix == 0:
        places += 1
    return [
        p + j * radix**k
        for k in range(places if p else 10)
        for j in range(1, radix)
        if p + j * radix**k < ranks
    ]


def binary(p, ranks, _):
    level = (p + 1).bit_length() - 1
    return [q for q in (p + 2**level, p + 2 ** (level + 1)) if q < ranks]


def chains(p, ranks, fanout):
    fanout = min(fanout, ranks - 1)
    lengths = [(ranks - 1) // fanout + (i < (ranks - 1) % fanout) for i in range(fanout)]
    begins = [1 + sum(lengths[:i]) for i in range(fanout)]
    if p == 0:
        return begins
    return [p + 1] if p + 1 < ranks and p + 1 not in begins else []


TREES = {
    ("bcast", "linear"): lambda p, ranks, _: [] if p else list(range(1, ranks)),
    ("bcast", "binomial"): top_bit,
    ("bcast", "in_order_binomial"): low_bit,
    ("bcast", "binary_tree"): binary,
    ("bcast", "knomial"): knomial,
    ("bcast", "chain"): chains,
    ("bcast", "pipeline"): lambda p, ranks, _: chains(p, ranks, 1),
    ("reduce", "binomial"): low_bit,
    ("reduce", "binary"): binary,
    ("reduce", "chain"): chains,
}
WHOLE = {"in_order_binomial"}  # vectors are never cut


def drawn(name, count=25):
    rng = np.random.default_rng(sum(map(ord, "".join(name))))
    for _ in range(count):
        ranks = int(rng.integers(2, 40))
        yield ranks, int(rng.integers(ranks, 5000)), int(rng.integers(ranks)), int(rng.integers(100, 900))


@pytest.mark.parametrize("name", TREES, ids="-".join)
def test_trees(name):
    operation, algorithm = name
    for ranks, bytes, root, segment in drawn(name):
        width = 2 + root % 4
        messages = 1 if algorithm in WHOLE else -(-bytes // segment)
        expected = []
        for p in range(ranks):
            for child in TREES[name](p, ranks, width):
                ends = ((p + root) % ranks, (child + root) % ranks)
                expected.append((*(ends if operation == "bcast" else ends[::-1]), messages, bytes))
        made = schedule(
            operation, ranks, bytes, root, algorithm=algorithm, segment=segment, fanout=width, radix=width
        )
        assert made.pairs() == sorted(expected)


def block(i, ranks, bytes):
    return bytes // ranks + (i % ranks < bytes % ranks)


def allgather_bruck(ranks, bytes):
    for k in range((ranks - 1).bit_length()):
        for p in range(ranks):
            yield p, (p - 2**k) % ranks, bytes * min(2**k, ranks - 2**k)


def allgather_ring(ranks, bytes):
    for p in range(ranks):
        for _ in range(ranks - 1):
            yield p, (p + 1) % ranks, bytes


def allgather_neighbors(ranks, bytes):
    if ranks % 2:
        yield from allgather_ring(ranks, bytes)
        return
    for p in range(ranks):
        first, other = (p + 1, p - 1) if p % 2 == 0 else (p - 1, p + 1)
        yield p, first % ranks, bytes
        for number in range(ranks // 2 - 1):
            yield p, (first if number % 2 else other) % ranks, 2 * bytes


def allreduce_ring(ranks, bytes):
    for p in range(ranks):
        for k in range(ranks - 1):
            yield p, (p + 1) % ranks, block(p - k, ranks, bytes)
            yield p, (p + 1) % ranks, block(p + 1 - k, ranks, bytes)


def allreduce_doubling(ranks, bytes):
    most = 1 << (ranks.bit_length() - 1)
    more = ranks - most
    left = [2 * v + 1 if v < more else v + more for v in range(most)]
    for r in range(0, 2 * more, 2):
        yield r, r + 1, bytes
        yield r + 1, r, bytes
    for v in range(most):
        for k in range(most.bit_length() - 1):
            yield left[v], left[v ^ 2**k], bytes


def alltoall_bruck(ranks, bytes):
    for k in range((ranks - 1).bit_length()):
        blocks = sum(1 for i in range(ranks) if i >> k & 1)
        for p in range(ranks):
            yield p, (p + 2**k) % ranks, blocks * bytes


def alltoall_pairs(ranks, bytes):
    for p in range(ranks):
        for k in range(1, ranks):
            yield p, (p + k) % ranks, bytes


def scatter_ring(ranks, bytes):
    for p in range(ranks):
        for k in range(1, ranks):
            yield p, (p + 1) % ranks, block(p - k, ranks, bytes)


def dissemination(ranks, _):
    for k in range((ranks - 1).bit_length()):
        for p in range(ranks):
            yield p, (p + 2**k) % ranks, 0


def scan_line(ranks, bytes):
    for p, behind in pairwise(range(ranks)):
        yield p, behind, bytes


def scan_doubling(ranks, bytes):
    for p in range(ranks):
        for k in range(10):
            if p ^ 2**k < ranks:
                yield p, p ^ 2**k, bytes


def _logarithm(ranks):
    return (ranks - 1).bit_length()


def _all_others(ranks):
    return ranks - 1


WORDS = {
    ("allgather", "bruck"): (allgather_bruck, _logarithm),
    ("allgather", "ring"): (allgather_ring, _all_others),
    ("allgather", "neighbor_exchange"): (
        allgather_neighbors,
        lambda ranks: ranks - 1 if ranks % 2 else ranks // 2,
    ),
    ("allreduce", "ring"): (allreduce_ring, lambda ranks: 2 * (ranks - 1)),
    ("allreduce", "recursive_doubling"): (
        allreduce_doubling,
        lambda ranks: ranks.bit_length() - 1 + 2 * bool(ranks & (ranks - 1)),
    ),
    ("alltoall", "modified_bruck"): (alltoall_bruck, _logarithm),
    ("alltoall", "pairwise"): (alltoall_pairs, _all_others),
    ("reduce_scatter", "ring"): (scatter_ring, _all_others),
    ("barrier", "bruck"): (dissemination, _logarithm),
    ("scan", "linear"): (scan_line, _all_others),
    ("exscan", "recursive_doubling"): (scan_doubling, _logarithm),
}


@pytest.mark.parametrize("name", WORDS, ids="-".join)
def test_messages_and_rounds(name):
    sends, rounds = WORDS[name]
    for ranks, bytes, _, _ in drawn(name):
        count, total = Counter(), Counter()
        for source, destination, size in sends(ranks, bytes):
            count[source, destination] += 1
            total[source, destination] += size
        made = schedule(name[0], ranks, bytes, algorithm=name[1])
        assert made.pairs() == sorted((*pair, count[pair], total[pair]) for pair in count)
        assert made.rounds == rounds(ranks)


def negabinary(number, digits):
    """Return the digits in base -2, lowest first, of the number that is this one modulo 2^digits."""
    lowest = -sum(2**k for k in range(1, digits, 2))
    rest, found = (number - lowest) % 2**digits + lowest, []
    for _ in range(digits):
        found.append(rest % 2)
        rest = -(rest // 2)
    assert rest == 0
    return found


@pytest.mark.parametrize("ranks", [2, 4, 8, 32, 128])
def test_bine_partners_differ_in_their_lowest_negabinary_digits(ranks):
    digits = ranks.bit_length() - 1
    made = schedule("bcast", ranks, 8, algorithm="bine")
    for number, p, q in zip(made.round, made.source, made.destination, strict=True):
        count = digits - number
        of_p, of_q = negabinary(int(p), digits), negabinary(int(q), digits)
        assert of_p[:count] == [of_p[0]] * count
        assert of_q == [1 - of_p[0]] * count + of_p[count:]


def test_bine_butterflies():
    made = schedule("allreduce", 32, 8, algorithm="bine_doubling")
    distances = (1, -1, 3, -5, 11)
    for number, p, q in zip(made.round, made.source, made.destination, strict=True):
        assert (q - p) % 32 == (-1) ** p * distances[number] % 32


def test_bine_sends_fewer_bytes_between_groups():
    crossing = {}
    for algorithm in ("bine", "binomial"):
        made = schedule("bcast", 64, 90, algorithm=algorithm)
        crossing[algorithm] = sum(p // 12 != q // 12 for p, q, _, _ in made.pairs())
    assert crossing["bine"] < crossing["binomial"]


def test_swing_begins_in_each_direction_of_a_torus():
    made = schedule("allreduce", 32, 32 * 40, algorithm="swing", group=8)
    first = {q for p, q in zip(made.source, made.destination, strict=True) if p == 0}
    assert first >= {1, 7, 8, 24}  # the neighbors of node 0 in torus:8x4
    sides = [(p % 8 == q % 8) + (p // 8 == q // 8) for p, q, _, _ in made.pairs()]
    assert set(sides) == {1}
    assert made.rounds == 2 * 5
    for rank in range(32):
        assert int(made.bytes[made.source == rank].sum()) == 2 * 31 * 40


def test_two_phases_go_along_a_side_and_then_across():
    made = schedule("alltoall", 12, 10, algorithm="two_phase", group=4)
    assert made.rounds == 2
    for number, p, q, size in zip(made.round, made.source, made.destination, made.bytes, strict=True):
        assert (p // 4 == q // 4, p % 4 == q % 4)[number]
        assert size == (30, 40)[number]
