"""Processor sets: selections against enumeration, the language, constraints, and the partitioner."""

import itertools
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lives import PATIENT, a_job

from netplace.scheduling import Job, schedule
from netplace.scheduling.partitioner import make_partitioner
from netplace.scheduling.partitioner.pss.derive import levels, node_costs, plain_levels, wiring_levels
from netplace.scheduling.partitioner.pss.language import read_configuration, written
from netplace.scheduling.partitioner.pss.partitioner import findings
from netplace.scheduling.partitioner.pss.select import exact, exact_by_programs, laminar_tree, select
from netplace.scheduling.partitioner.pss.sets import given_sets, processor_sets
from netplace.topologies import Graph, parse

SMALL = """
queues: day, night
slots: [a=1..2], [b=1..2], [c=1,2], [d=1..2]
groups: ha={a}, hb={b}, hc={c}, hd={d}, left={a,b}, right={c/1,c/2,d}, both={left,right}
costs:
  when PEs in [1,2]: day@ha=[0,4], day@hb=[0,3], day@hc=[0,2], day@hd=[0,1]
  otherwise: day@left=[1,0], day@right=[1,0], day@ha=[0,1], day@hb=[0,1], day@hc=[0,1], day@hd=[0,2]
end-costs
constraints:
  when PEs in [3,4]: cost <= [1,2] and not cost[2] > ceil(1.2*MINCOST(4)),
  otherwise: cost <= MINCOST(PEs) + [0,1] or cost[1] == 2
"""


@pytest.fixture
def conf(tmp_path):
    def write(text: str):
        path = tmp_path / "sets.conf"
        path.write_text(text)
        return path

    return write


def families(nodes: int = 9, singletons: bool = True):
    """Return sets over few nodes with vectors of two components."""
    vector = st.tuples(st.integers(0, 5), st.integers(0, 9)).map(list)
    members = st.sets(st.integers(0, nodes - 1), min_size=1).map(sorted)
    some = st.lists(st.tuples(members, vector), max_size=6)
    alone = st.lists(st.integers(0, 9), min_size=nodes, max_size=nodes)

    def made(sets, costs):
        return processor_sets(nodes, sets + [([i], [0, cost]) for i, cost in enumerate(costs)])

    return st.builds(made, some, alone)


def cheapest(sets, free, size: int) -> tuple[int, ...]:
    return min(sets.cost(some) for some in itertools.combinations(free, size))


@PATIENT
@given(sets=families(), free=st.sets(st.integers(0, 8), min_size=1), data=st.data())
def test_selection_against_enumeration(sets, free, data):
    size = data.draw(st.integers(1, len(free)))
    mask = np.isin(np.arange(9), sorted(free))
    chosen, best = select(sets, mask, size), exact(sets, mask, size)
    optimum = cheapest(sets, sorted(free), size)
    for nodes in (chosen, best):
        assert len(nodes) == size
        assert set(nodes.tolist()) <= free
        assert nodes.tolist() == sorted(nodes.tolist())
    assert sets.cost(best) == optimum
    assert sets.cost(chosen) >= optimum
    assert select(sets, mask, len(free) + 1) is None
    if len(free) > size:
        assert sets.cost(exact_by_programs(sets, mask, size)) == optimum


def unequal(large: int):
    """Return overlapping sets of which two cost much more than the others."""
    costs = [[10, 0], [0, 3], [3, 1], [9, 0], [large, 2], [1, 10], [1, 3], [0, 3], [1, 2], [0, 9]]
    members = [
        [0, 5, 6], [0, 2, 3, 5, 8], [1, 3, 4, 5, 7, 8], [0, 2, 3, 6, 7, 8], list(range(9)), [1, 7], [1, 3, 8],
        [0, 1, 8], [1, 2, 3, 4, 5, 6, 8], [4, 5, 6, 7],
    ]  # fmt: skip
    return processor_sets(9, list(zip(members, costs, strict=True)))


@pytest.mark.parametrize("large", [10**6, 10**11])
def test_small_differences_of_large_costs_count(large):
    sets, free = unequal(large), [0, 1, 3, 6, 7, 8]
    for size in range(1, 6):
        found = exact_by_programs(sets, np.isin(np.arange(9), free), size)
        assert sets.cost(found) == cheapest(sets, free, size)


def test_costs_too_large_for_a_program_are_told():
    with pytest.raises(ValueError, match=r"costs of component 1 add up to 1e\+13, expected at most 1e\+12"):
        exact_by_programs(unequal(10**13), np.ones(9, bool), 3)


@pytest.mark.parametrize("machine", ["tree:3,3", "thintree:4,2,2", "mesh:4x4", "torus:4x4x2", "mesh:6x5"])
@PATIENT
@given(data=st.data())
def test_trees_of_sets_need_no_program(machine, data):
    sets = levels(parse(machine))
    tree = laminar_tree(sets)
    assert tree is not None
    free = data.draw(st.sets(st.integers(0, sets.nodes - 1), min_size=1))
    size = data.draw(st.integers(1, len(free)))
    mask = np.isin(np.arange(sets.nodes), sorted(free))
    found = exact(sets, mask, size)
    assert set(found.tolist()) <= free
    assert len(found) == size
    assert sets.cost(found) <= sets.cost(select(sets, mask, size))
    if size < len(free) <= 12:
        assert sets.cost(found) == sets.cost(exact_by_programs(sets, mask, size))


def test_overlapping_boxes_are_no_tree():
    sets = levels(parse("torus:8x8"), overlap=True)
    assert laminar_tree(sets) is None
    sizes = np.diff(sets.members.starts)
    assert sorted(set(sizes.tolist())) == [1, 4, 16]
    assert (np.bincount(sizes)[[1, 4, 16]] == [64, 64, 16]).all()


def test_large_costs_are_compared_as_vectors():
    sets = processor_sets(3, [([0], [2**40, 0]), ([1], [2**40 - 1, 2**40]), ([2], [2**41, 0])])
    assert sets.worth.shape == (3, 2)
    assert select(sets, np.ones(3, bool), 1).tolist() == [1]


def test_a_large_machine_is_reduced_first(monkeypatch):
    module = sys.modules[select.__module__]
    monkeypatch.setattr(module, "_LARGE", 800)
    monkeypatch.setattr(module, "_ENOUGH", 200)
    sets = levels(parse("tree:2,10"))
    chosen = select(sets, np.ones(2**10, bool), 16)
    assert sets.cost(chosen) == (1,) * 6 + (2, 4, 8, 16)


def test_boxes_have_sides():
    assert make_partitioner("pss:levels", parse("mesh:4x4")).find(a_job(4)).shape == (2, 2)
    assert make_partitioner("pss:levels", parse("tree:4,2")).find(a_job(4)).shape is None


def test_a_derived_configuration_chooses_the_same(conf):
    machine = parse("mesh:6x4")
    path = conf(written(levels(machine, "centre"), "a mesh"))
    for size in range(1, 25):
        texts = f"pss:{path}", "pss:levels,centre"
        told = [make_partitioner(text, machine).find(a_job(size)) for text in texts]
        assert told[0].nodes.tolist() == told[1].nodes.tolist()


def test_size_classes_and_constraints(conf):
    path = conf(SMALL)
    partitioner = make_partitioner(f"pss:{path}", parse("mesh:4"))
    assert not partitioner.by_count
    one, two = partitioner.find(a_job(1)), partitioner.find(a_job(2))
    assert (one.nodes.tolist(), partitioner.cost(one.nodes)) == ([3], (0, 1))
    assert (two.nodes.tolist(), partitioner.cost(two.nodes)) == ([0, 1], (1, 2))
    partitioner.take(partitioner.find(a_job(1)))
    partitioner.take(partitioner.find(a_job(1)))  # c and d
    assert partitioner.find(a_job(2)).nodes.tolist() == [0, 1]
    assert partitioner.find(a_job(1)) is None  # (0, 3) is more than MINCOST(2) + (0, 1)
    assert make_partitioner(f"pss:{path},night", parse("mesh:4")).find(a_job(3)) is not None


def test_what_is_odd_is_found(conf):
    assert findings(read_configuration(conf(SMALL))) == ([], [])
    gap = SMALL.replace("otherwise: day@left", "when PEs in [4,5]: day@left")
    warnings, _ = findings(read_configuration(conf(gap)))
    assert [word.partition(": ")[2] for word in warnings] == [
        "no cost class contains jobs of 3 processors: they cost nothing",
        "no cost class contains jobs of 6 to 8 processors: they cost nothing",
    ]
    never = SMALL.replace("cost <= [1,2]", "cost <= [0,2]")
    _, contradictions = findings(read_configuration(conf(never)))
    assert (
        ":10: no job of 4 processors in queue day can meet this: its cost on the empty machine is [1, 2]"
        in contradictions[0]
    )


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("[d=1..2]", "[d=dusk:1..2]", ":3: queue: unknown name 'dusk'"),
        ("left={a,b}", "left={a,e}", ":4: host or group: unknown name 'e'"),
        ("c/1", "c/3", ":4: host c has no processor 3"),
        ("day@ha=[0,4]", "dya@ha=[0,4]", ":6: queue: unknown name 'dya'; did you mean day"),
        ("day@hb=[0,3]", "day@hb=[0,3,1]", ":6: the vector [0, 3, 1] has 3 entries, expected 2"),
        ("day@hb=[0,3]", "day@hb=[0,-3]", ":6: '-' was found, expected an entry of a cost vector, a whole"),
        ("cost[2]", "cost[3]", ":10: cost[3]: costs have 2 components"),
        ("MINCOST(4)", "MINCOST(9)", ":10: MINCOST(9): the machine has 8 processors"),
        ("cost <= [1,2]", "(" * 300 + "cost <= [1,2]" + ")" * 300, ":10: constraint: too many nested"),
        ("cost <= [1,2]", "not " * 5000 + "cost <= [1,2]", ":10: constraint: "),
        ("cost <= [1,2]", "0 <= cost <= [1,2]", ":10: '0 <= cost <= [1, 2]' is no comparison by <=, <"),
        ("cost <= [1,2]", "cost <= [1]", ":10: the vector [1] has 1 entries, expected 2"),
        ("cost <= [1,2]", "cost <= costs", ":10: 'costs' is not cost, MINCOST(..), ceil(..), a vector or"),
        ("cost <= [1,2]", "cost <= ", ":10: constraint: "),
    ],
)
def test_mistakes_in_a_configuration(conf, old, new, told):
    assert old in SMALL
    path = conf(SMALL.replace(old, new, 1))
    with pytest.raises(ValueError, match=r"sets\.conf") as error:
        read_configuration(path)
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("text", "machine", "told"),
    [
        ("pss:levels", "twisted:8x4", "meshes, tori and trees, not on twisted:8x4"),
        ("pss:levels,central", "mesh:8x8", "did you mean centre"),
        ("pss:CONF", "mesh:8x8", "describes 4 hosts, expected the 64 nodes of mesh:8x8"),
        ("pss:CONF,dusk", "mesh:4", "queue: unknown name 'dusk'"),
    ],
)
def test_mistakes(conf, text, machine, told):
    with pytest.raises((ValueError, OSError), match=told):
        make_partitioner(text.replace("CONF", str(conf(SMALL))), parse(machine))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("[d=1..2]", "[d=1..3]", "host d has 3 processors and a 2"),
        ("[d=1..2]", "[d=day:1;night:2]", "host d is shared by the queues day and night"),
    ],
)
def test_hosts_that_are_no_nodes(conf, old, new, told):
    with pytest.raises(ValueError, match=told):
        make_partitioner(f"pss:{conf(SMALL.replace(old, new))}", parse("mesh:4"))


POOLS = """
queues: day, night
slots: [a=day:1], [b=day:1], [c=1], [d=night:1]
groups: ha={a}, hb={b}, hc={c}, hd={d}
costs: otherwise: day@ha=[2], day@hb=[1], day@hc=[3], night@hc=[1], night@hd=[2]
end-costs
"""


@pytest.mark.parametrize(
    ("policy", "starts", "nodes"),
    [
        ("fcfs", [0, 0, 20, 20, 20], [[1], [2, 3], [2], [3], [1]]),
        ("easy", [0, 0, 20, 20, 0], [[1], [2, 3], [2], [3], [0]]),
    ],
)
def test_a_run_serves_each_queue_on_its_hosts_at_its_costs(conf, policy, starts, nodes):
    day, night = 1, 2
    given = [(1, 10.0, day), (2, 20.0, night), (1, 5.0, night), (1, 5.0, night), (1, 5.0, day)]
    jobs = [
        Job(number, 0.0, size, time, estimate=time, queue=queue)
        for number, (size, time, queue) in enumerate(given)
    ]
    made = schedule(parse("mesh:4"), jobs, policy, f"pss:{conf(POOLS)},queues", keep_nodes=True)
    assert made.start.tolist() == starts
    assert [own.tolist() for own in made.allocations] == nodes


def test_jobs_that_no_queue_can_serve_are_refused(conf):
    partition = f"pss:{conf(POOLS)},queues"
    with pytest.raises(ValueError, match="queue number -1 of the job: expected 1 to 2, for day, night"):
        make_partitioner(partition, parse("mesh:4")).find(a_job(1))
    day = make_partitioner(f"pss:{conf(POOLS)},day", parse("mesh:4"))
    assert day.find(a_job(4)) is None
    assert day.find(a_job(3)).nodes.tolist() == [0, 1, 2]
    assert not day.by_count


def test_line_cards_are_consecutive():
    assert given_sets("cards:3", 8) == [([0, 1, 2], 1), ([3, 4, 5], 1), ([6, 7], 1)]


def test_sets_of_a_file(tmp_path):
    path = tmp_path / "racks.txt"
    path.write_text("# two racks\n0-2, 7\n\n4 3 # the other\n")
    assert given_sets(str(path), 8) == [([0, 1, 2, 7], 1), ([3, 4], 1)]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "has no sets, expected lines such as 0-11, 24"),
        ("0-3\n4-x", ":2: node: 'x' is not a whole number"),
        ("0-3, 2", ":1: node 2 appears twice"),
    ],
)
def test_mistakes_in_a_file_of_sets(tmp_path, text, told):
    path = tmp_path / "racks.txt"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"racks\.txt") as error:
        given_sets(str(path), 8)
    assert told in str(error.value)


@pytest.mark.parametrize("text", ["cards:", "cards:0", "cards:x", "cards:-2"])
def test_mistakes_in_cards(text):
    with pytest.raises(ValueError, match="expected a form such as cards:12"):
        given_sets(text, 8)


def test_other_hierarchies_are_components_of_their_own():
    machine, cards = parse("tree:2,3"), given_sets("cards:3", 8)
    sets = levels(machine, front=[cards], behind=[given_sets("cards:8", 8)])
    # Cards, halves, leaf switches, the whole machine, nodes.
    assert sets.vectors.shape == (3 + 2 + 4 + 1 + 8, 5)
    assert sets.cost([0, 1]) == (1, 1, 1, 1, 2)
    assert sets.cost([2, 3]) == (2, 1, 1, 1, 2)


def test_hops_to_input_and_output():
    machine = parse("mesh:4x4")
    costs = node_costs(machine, "io:0+15")
    places = machine.coordinates(np.arange(16))
    assert costs.tolist() == [1 + min(x + y, 6 - x - y) for x, y in places.tolist()]
    assert node_costs(machine, "io:4-6").tolist()[4:7] == [1, 1, 1]
    assert make_partitioner("pss:levels,io:15", machine).find(a_job(1)).nodes.tolist() == [15]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("io", "expected uniform, centre or a form such as io:0[+]63"),
        ("io:16", "node: 16 is too large, expected at most 15"),
        ("oi:0", "unknown name 'oi'; did you mean io"),
    ],
)
def test_mistakes_in_costs_of_nodes(text, told):
    with pytest.raises(ValueError, match=told):
        node_costs(parse("mesh:4x4"), text)


def test_a_hypercube_has_sub_cubes():
    machine = parse("hypercube:4")
    found = plain_levels(machine)
    assert [len(level) for level in found] == [2, 4, 8]
    for dims, level in zip((3, 2, 1), found, strict=True):
        for members, weight in level:
            assert weight == 1
            assert machine.distances(np.array(members)).max() == dims
            assert len(members) == 2**dims
    assert make_partitioner("pss:levels", machine).find(a_job(8)).nodes.tolist() in (
        list(range(8)),
        list(range(8, 16)),
    )


def test_groups_come_before_switches() -> None:
    network = parse("dragonfly:a=2,p=2,h=1")
    assert isinstance(network, Graph)
    groups, switches = wiring_levels(network)
    assert groups == [([0, 1, 2, 3], 1), ([4, 5, 6, 7], 1), ([8, 9, 10, 11], 1)]
    assert [members for members, _ in switches] == [[2 * n, 2 * n + 1] for n in range(6)]


def test_a_job_gets_one_group_where_it_fits() -> None:
    network = parse("dragonfly:a=4,p=2,h=2")
    partitioner = make_partitioner("pss:levels", network)
    first = partitioner.find(Job(0, 0, 4, 10.0))
    assert first is not None
    partitioner.take(first)
    second = partitioner.find(Job(1, 0, 8, 10.0))
    assert second is not None
    assert len({int(node) // 8 for node in second.nodes}) == 1
    assert not set(second.nodes.tolist()) & set(first.nodes.tolist())
