"""Messages of algorithms that no library counted for us, against descriptions in words."""

import pytest

from netplace.apps.collectives import schedule


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
