"""Routing tables lead everywhere, need the virtual channels that are known, and cannot deadlock."""

from collections.abc import Callable

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplace.apps import application
from netplace.netsim import Config, simulate
from netplace.netsim.table_router import verdict_on
from netplace.topologies import from_networkx, parse, routing
from netplace.topologies.routing import (
    ROUTINGS,
    Routes,
    Switches,
    check,
    first_minimal,
    make_routes,
    reach,
    steps,
    table,
)


@pytest.mark.parametrize(
    ("network", "routing", "channels"),
    [
        # J. Kim et al., ISCA 2008: two for minimal routing on a dragonfly, three for Valiant and UGAL;
        # N. Jiang, J. Kim and W. J. Dally, ISCA 2009: one more for PAR.
        ("dragonfly:a=4,p=2,h=2", "minimal", 2),
        ("dragonfly:a=4,p=2,h=2,links=circulant", "valiant", 3),
        ("dragonfly:a=4,p=2,h=2", "ugal-l", 3),
        ("dragonfly:a=4,p=2,h=2,g=5", "ugal-g:2", 3),
        ("dragonfly:a=4,p=2,h=2", "par", 4),
        ("dragonfly+:leaves=2,spines=2,p=2,h=2", "minimal", 2),
        ("dragonfly+:leaves=2,spines=2,p=2,h=2", "ugal-l", 3),
        # M. Besta and T. Hoefler, SC 2014: two and four on a Slim Fly.
        ("slimfly:5", "minimal", 2),
        ("slimfly:5", "valiant", 4),
        ("hyperx:4x4,c=2", "dor", 1),
        ("hyperx:4x4,c=2", "ugal-l", 2),
        ("torus:4x4,c=2", "dor", 2),
        ("torus:5x5", "valiant", 4),
        ("mesh:4x4,c=2", "dor", 1),
        ("xgft:3;4,3,2;1,2,3", "d-mod-k", 1),
        ("xgft:3;4,3,2;1,2,3", "up-down", 1),
        ("tree:3,3", "d-mod-k", 1),
        ("dragonfly:a=4,p=2,h=2", "up-down", 1),
        ("dragonfly:a=4,p=2,h=2", "adaptive", 2),
    ],
)
def test_virtual_channels_needed(network: str, routing: str, channels: int) -> None:
    verdict = check(*make_routes(parse(network), routing))
    assert verdict.free
    assert verdict.needed == channels


def test_a_ring_without_datelines_can_deadlock() -> None:
    verdict = check(*make_routes(parse("torus:5,c=1"), "dor", "none"))
    assert not verdict.free
    assert len(verdict.cycle) == 5
    for one, other in zip(verdict.cycle, verdict.cycle[1:] + verdict.cycle[:1], strict=True):
        assert one[2] == other[0]


def test_a_dragonfly_with_one_level_can_deadlock() -> None:
    assert not check(*make_routes(parse("dragonfly:a=4,p=2,h=2"), "minimal", "none")).free


@pytest.mark.parametrize("network", ["mesh:5x3x2,c=2", "hyperx:4x3,c=2", "torus:5x3,c=1", "torus:4x4,c=1"])
def test_dimension_order_corrects_one_dimension_after_the_other(network: str) -> None:
    topology = parse(network)
    switches, routes = make_routes(topology, "dor")
    assert switches.axis is not None
    far = reach(switches, routes.ports, steps(switches, "hop")[0], "dor").hops
    assert (far == switches.hops).all()
    for source in range(switches.count):
        for target in range(switches.count):
            at, dimensions = source, []
            while at != target:
                port = int(routes.ports[at, target, 0])
                dimensions.append(int(switches.axis[at, port]))
                at = int(switches.neighbor[at, port])
            assert dimensions == sorted(dimensions)


@given(st.integers(0, 10**6), st.integers(4, 14), st.floats(0.15, 0.6))
def test_up_down_is_free_of_deadlock_on_any_graph(seed: int, vertices: int, share: float) -> None:
    graph = nx.gnp_random_graph(vertices, share, seed)
    graph.add_edges_from(nx.random_labeled_tree(vertices, seed=seed).edges)
    topology = from_networkx(graph)
    for name in ("up-down", "adaptive", "minimal", "valiant"):
        assert check(*make_routes(topology, name)).free


@pytest.mark.parametrize("name", ROUTINGS)
def test_usual_routings_on_a_small_dragonfly(name: str) -> None:
    topology = parse("dragonfly:a=2,p=1,h=1")
    if name in ("dor", "d-mod-k", "given"):
        with pytest.raises(ValueError, match=rf"which routing {name.removesuffix('-upward')} needs"):
            make_routes(topology, name)
    else:
        assert check(*make_routes(topology, name)).free


def clockwise(switches: Switches) -> Routes:
    """Return a routing of one's own: always by port 0."""
    ports = np.zeros((switches.count, switches.count), int)
    np.fill_diagonal(ports, -1)
    return Routes("clockwise", table(ports), "hop")


def test_own_routing() -> None:
    switches = Switches.of(parse("torus:4"))
    verdict = check(switches, clockwise(switches))
    assert (verdict.needed, verdict.free) == (3, True)


def test_own_routing_by_name(add: Callable[..., None]) -> None:
    add(ROUTINGS, "mine", lambda switches: Routes("mine", first_minimal(switches), "hop"))
    add(ROUTINGS, "none", lambda switches: None)
    topology = parse("torus:4,c=1")
    assert make_routes(topology, "mine")[1].name == "mine"
    with pytest.raises(ValueError, match=r"routing none: the function gives a NoneType, expected Routes"):
        make_routes(topology, "none")
    with pytest.raises(ValueError, match=r"routing: unknown name 'yours'"):
        make_routes(topology, "yours")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({(0, 2): -1}, r"routing bad: no route from switch 0 to switch 2"),
        ({(0, 2): 1, (3, 2): 0}, r"routing bad: the route from switch 0 to switch 2 .* has a cycle"),
        ({(0, 2): 9}, r"port 9, expected -1 to 1"),
    ],
)
def test_tables_that_do_not_lead_everywhere(change: dict[tuple[int, int], int], message: str) -> None:
    switches = Switches.of(parse("torus:4"))
    ports = clockwise(switches).ports[:, :, 0].copy()
    for pair, port in change.items():
        ports[pair] = port
    with pytest.raises(ValueError, match=message):
        check(switches, Routes("bad", table(ports), "hop"))


def test_a_port_without_a_link() -> None:
    switches = Switches.of(parse("mesh:4"))
    with pytest.raises(ValueError, match=r"from switch 3 to switch 0 by port 0, which leads to no switch"):
        check(switches, clockwise(switches))


@pytest.mark.parametrize(
    ("name", "discipline", "message"),
    [
        ("minimal", "hops", r"VC discipline: unknown name 'hops'"),
        ("minimal", "dateline", r"no dimensions, which VC discipline dateline needs"),
    ],
)
def test_routings_that_are_none(name: str, discipline: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check(*make_routes(parse("dragonfly:a=2,p=1,h=1"), name, discipline))


def test_half_a_ring_is_crossed_in_both_directions():
    torus = parse("torus:4x6")
    switches, routes = make_routes(torus, "dor")
    half = (np.arange(24) + 2) % 4 + np.arange(24) // 4 * 4  # two further along X
    assert set(routes.ports[np.arange(24), half, 0].tolist()) == {0, 1}
    assert check(switches, routes).needed == 2


@pytest.mark.parametrize("network", ["torus:4x3", "torus:2x5x4", "mesh:3x4x2", "torus:1x6", "torus:3x3"])
def test_dimension_order_without_a_table_is_the_same(network, monkeypatch):
    grid = parse(network)
    switches, routes = make_routes(grid)
    number = np.arange(grid.nodes)
    program = application("all-to-all", grid.nodes)
    config = Config(routing="dor", packet_phits=4)
    cycles = simulate(grid, program, config=config).cycles
    monkeypatch.setattr(routing, "MOST_IN_TABLES", 0)
    verdict_on.cache_clear()
    computed = make_routes(grid)[1]
    assert computed.grid is grid
    assert (computed.ports_at(number[:, None], number) == routes.ports).all()
    assert check(switches, computed).needed == check(switches, routes).needed
    for engine in ("kernel", "reference"):
        assert simulate(grid, program, config=config, engine=engine).cycles == cycles
    verdict_on.cache_clear()


@pytest.mark.parametrize("name", ["d-mod-k", "adaptive", "ecmp"])
@pytest.mark.parametrize("network", ["xgft:3;4,3,2;1,2,3;1,2,3", "tree:3,3", "thintree:4,2,2", "xgft:1;5;1"])
def test_ways_in_trees_without_a_table_are_the_same(network, name, monkeypatch):
    tree = parse(network)
    switches, routes = make_routes(tree, name)
    program, config = application("all-to-all", tree.nodes, packets=2), Config(routing=name, packet_phits=4)
    cycles = simulate(tree, program, config=config, seed=2).cycles
    monkeypatch.setattr(routing, "MOST_IN_TABLES", 0)
    verdict_on.cache_clear()
    computed = make_routes(tree, name)[1]
    assert computed.tree is not None
    assert check(switches, computed).needed == check(switches, routes).needed
    assert computed.spread == routes.spread
    assert (computed.stride is None and routes.stride is None) or (computed.stride == routes.stride).all()
    for leaf in switches.with_nodes.tolist():
        others = np.delete(np.arange(switches.count), leaf)
        assert computed.ports_at(others, leaf).tolist() == routes.ports_at(others, leaf).tolist()
    for engine in ("kernel", "reference"):
        assert simulate(tree, program, config=config, seed=2, engine=engine).cycles == cycles
    verdict_on.cache_clear()


def test_ways_in_irregular_trees_stay_in_tables(tmp_path, monkeypatch):
    monkeypatch.setattr(routing, "MOST_IN_TABLES", 0)
    file = tmp_path / "machine.tree"
    file.write_text(
        "a top\nb top\nb side\nc side\na side\n" + "".join(f"n{i} {'aabc'[i]}\n" for i in range(4))
    )
    for network in (f"tree-file:{file}", "rail-optimized:hosts=4,gpus=2,leaves=2,spines=2"):
        assert make_routes(parse(network), "adaptive")[1].tree is None
