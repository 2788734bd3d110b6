"""The twisted torus: which way it is twisted, and what the twist is for."""

import numpy as np
import pytest

from netplace.topologies import Grid, parse, torus, twisted_torus


def test_passing_the_end_of_y_shifts_along_x() -> None:
    network = twisted_torus((8, 4), 3)
    assert int(network.neighbor[network.node((1, 3)), 2]) == int(network.node((4, 0)))
    assert int(network.neighbor[network.node((6, 3)), 2]) == int(network.node((1, 0)))
    assert int(network.neighbor[network.node((1, 0)), 3]) == int(network.node((6, 3)))
    assert int(network.neighbor[network.node((7, 2)), 0]) == int(network.node((0, 2)))
    inside = network.coordinates(np.arange(32))[:, 1] < 3
    assert np.array_equal(network.neighbor[inside, 2], np.flatnonzero(inside) + 8)


def test_x_is_shifted_even_if_it_is_the_shorter_side() -> None:
    network = twisted_torus((4, 8), 3)
    assert int(network.neighbor[network.node((2, 7)), 2]) == int(network.node((1, 0)))
    assert int(network.neighbor[network.node((3, 1)), 0]) == int(network.node((0, 1)))


def test_the_default_twist_is_the_shorter_side_and_not_written() -> None:
    assert twisted_torus((8, 4)).twist == 4
    assert str(twisted_torus((8, 4))) == "twisted:8x4"
    assert str(twisted_torus((8, 4), 4)) == "twisted:8x4"
    assert str(twisted_torus((8, 4), 3)) == "twisted:8x4+3"


def link_loads(network: Grid) -> np.ndarray:
    """Return the mean hops in each dimension over all destinations, minimal routes alike."""
    routes = [np.abs(network.records(0, b)).mean(axis=0) for b in range(1, network.nodes)]
    return np.asarray(np.sum(routes, axis=0))


@pytest.mark.parametrize("a", [2, 3, 4, 5, 8])
def test_twice_as_long_as_wide_it_balances_its_links(a: int) -> None:
    # Cámara et al. 2010: the rectangular twisted torus of 2a x a nodes is edge-symmetric, of diameter a.
    network = twisted_torus((2 * a, a))
    plain = torus((2 * a, a))
    assert network.diameter == a < plain.diameter
    assert network.average_distance < plain.average_distance
    x, y = link_loads(network)
    assert x == pytest.approx(y)
    assert network.bisection_width >= 2 * plain.bisection_width * (a % 2 == 0)


@pytest.mark.parametrize(
    ("sides", "twist", "message"),
    [
        ((8,), None, r"twisted:8: 1 sides given, expected two for a twisted torus"),
        ((8, 4, 2), 3, r"twisted:8x4x2: 3 sides given, expected two for a twisted torus"),
        ((8, 1), 3, r"twisted:8x1: a side of 1 has no ring"),
        ((8, 8), None, r"twisted:8x8: .* needs X longer than Y, expected a twist such as twisted:8x8\+4"),
        ((4, 8), None, r"twisted:4x8: .* needs X longer than Y, expected a twist such as twisted:4x8\+2"),
        ((8, 4), 8, r"twisted:8x4: twist 8 is too large, expected less than the 8 nodes along X"),
        ((4, 8), 4, r"twisted:4x8: twist 4 is too large, expected less than the 4 nodes along X"),
        ((8, 4), 0, r"twisted:8x4: twist: 0 is too small, expected at least 1"),
        ((8, 0), 3, r"twisted:8x0: side 2: 0 is too small, expected at least 1"),
    ],
)
def test_what_cannot_be_twisted_is_refused(sides: tuple[int, ...], twist: int | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        twisted_torus(sides, twist)


@pytest.mark.parametrize("sides", [(2, 2), (3, 3), (8, 8), (2, 9), (5, 8)])
def test_the_twist_offered_instead_of_the_default_is_accepted(sides: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="expected a twist such as ") as caught:
        twisted_torus(sides)
    offered = str(caught.value).split(" such as ")[1]
    assert str(parse(offered)) == offered
