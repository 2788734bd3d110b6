"""Links and routers that are down or slow: what remains, that it is routed, and what is refused."""

import numpy as np
import pytest

from netplace.netsim import Config, measure_load
from netplace.topologies import Graph, parse, with_faults
from netplace.topologies.routing import check, make_routes


@pytest.mark.parametrize(
    "text",
    [
        "faulty:links=0.1,seed=2/torus:8x8",
        "faulty:links=0.1,routers=0.1,slow=0.2,seed=3/dragonfly:a=4,p=2,h=2",
        "faulty:links=0.05,seed=1/xgft:3;4,3,2;1,2,3",
        "faulty:routers=0.05/mesh:6x6",
        "faulty:slow=1/tree:3,2",
    ],
)
@pytest.mark.parametrize("routing", ["default", "adaptive", "minimal"])
def test_what_remains_is_routed_without_deadlock(text: str, routing: str) -> None:
    network = parse(text)
    assert isinstance(network, Graph)
    assert str(network) == text
    assert check(*make_routes(network, "" if routing == "default" else routing)).free
    if routing == "default":
        point = measure_load(network, 0.1, config=Config(), warmup=300, measure=1000)
        assert point.accepted == pytest.approx(0.1, rel=0.3)


def test_one_link_of_a_torus() -> None:
    network = with_faults(parse("torus:4x4"), down=[(0, 1)])
    assert network.distance(0, 1) == 3
    assert (network.neighbor >= 0).sum() == 4 * 16 - 2
    assert (network.neighbor[0] != 1).all()
    assert (network.neighbor[1] != 0).all()


def test_a_router_takes_its_nodes_along() -> None:
    network = with_faults(parse("dragonfly:a=2,p=2,h=1"), off=[12])
    assert (network.nodes, network.switches) == (10, 5)
    assert network.home.tolist() == [10, 10, 11, 11, 12, 12, 13, 13, 14, 14]


def test_slow_links_halve_what_a_link_carries() -> None:
    config = Config(routing="up-down", queue_packets=8)
    found = []
    for text in ("dragonfly:a=2,p=2,h=1", "faulty:slow=1/dragonfly:a=2,p=2,h=1"):
        point = measure_load(
            parse(text), 1.0, traffic="adversarial", config=config, warmup=2000, measure=4000
        )
        found.append(point.accepted)
    assert found[1] / found[0] == pytest.approx(0.5, rel=0.08)


def test_the_same_seed_draws_the_same_faults() -> None:
    first, again, other = (parse(f"faulty:links=0.1,seed={seed}/torus:6x6") for seed in (1, 1, 2))
    assert np.array_equal(first.neighbor, again.neighbor)
    assert not np.array_equal(first.neighbor, other.neighbor)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("faulty:links=0.9/torus:6x6", r"not connected, \d+ of 36 nodes cannot be reached from node 0: "),
        ("faulty:links=0.1", r"expected faults, a slash and a network"),
        ("faulty:link=0.1/torus:4x4", r"unknown 'link=0.1', expected links="),
        ("faulty:routers=1/torus:4x4", r"no node remains"),
    ],
)
def test_faults_that_are_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse(text)


def test_links_that_are_not_there() -> None:
    with pytest.raises(ValueError, match=r"no link between routers 0 and 5"):
        with_faults(parse("torus:4x4"), down=[(0, 5)])
    with pytest.raises(ValueError, match=r"router 99 is not in 0..15"):
        with_faults(parse("torus:4x4"), off=[99])


@pytest.mark.parametrize(
    ("network", "routing"),
    [("torus:4x4", "dor"), ("tree:2,3", "d-mod-k"), ("hyperx:3x2,c=2", "dor"), ("twisted:4x3+1", "dor")],
)
def test_slow_links_alone_leave_the_routing(network, routing):
    slow = parse(f"faulty:slow=0.3,cycles=3,seed=1/{network}")
    assert slow.text == f"faulty:slow=0.3,seed=1,cycles=3/{network}"
    assert slow.usual == routing
    assert set(slow.cycles.ravel().tolist()) == {1, 3}
    assert check(*make_routes(slow)).free
    assert parse(f"faulty:links=0.1,slow=0.3,seed=2/{network}").usual == "up-down"
