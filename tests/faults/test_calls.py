"""Whatever Python code gives to the public API, the answer is right or a sentence; the process lives."""

import networkx as nx
import numpy as np
import pytest
from calls_that_work import calls, harmless, public_calls
from limits import faults_told_by

from netplace.apps import Program, application
from netplace.netsim import Network, Traffic, simulate
from netplace.topologies import Grid, from_networkx, parse

AT_ONCE = 500  # calls of a process
SLOW_CALLS = 10_000
SLOW_CALLS_OF_ANYTHING = 5_000


def test_there_is_a_call_of_everything_public():
    assert public_calls() - set(calls()) == set()


def test_some_wrong_calls():
    assert faults_told_by("calls.py", 1_000_000, 75) == []


def test_some_calls_of_anything_public():
    assert faults_told_by("calls.py", 1_000_000, 30, "--every") == []


@pytest.mark.nightly
@pytest.mark.parametrize("first", range(0, SLOW_CALLS_OF_ANYTHING, AT_ONCE))
def test_many_calls_of_anything_public(first):
    assert faults_told_by("calls.py", first, AT_ONCE, "--every") == []


@pytest.mark.nightly
@pytest.mark.parametrize("first", range(0, SLOW_CALLS, AT_ONCE))
def test_many_wrong_calls(first):
    assert faults_told_by("calls.py", first, AT_ONCE) == []


def test_the_calls_work_as_they_are(tmp_path):
    with harmless(str(tmp_path)):
        for name in ("simulate", "Network.restore", "Program", "Graph", "schedule", "resolve"):
            call = calls()[name]()
            call.function(**call.arguments)


@pytest.mark.parametrize("flag", [2, "4", -1, 2.5, None, np.arange(2)])
def test_a_flag_is_true_or_false(flag):
    program = application("all-to-all", 4)
    with pytest.raises(ValueError, match=r"record_messages: .* is not True or False"):
        simulate(parse("torus:4x4"), program, record_messages=flag)


@pytest.mark.parametrize("engine", ["kernel", "reference"])
def test_a_job_starts_in_a_cycle_that_can_be_simulated(engine):
    with pytest.raises(ValueError, match="start cycle: 1152921504606846976 is too large"):
        simulate(parse("torus:4x4"), [application("all-to-all", 4)], starts=[1 << 60], engine=engine)


@pytest.mark.parametrize(
    ("column", "number", "sentence"),
    [
        ("peer", 9, "the task does not exist"),
        ("kind", 77, "expected one of Op"),
        ("size", -1, "its size is negative"),
        ("request", -5, "its request is negative"),
        ("first", -3, "first must increase"),
    ],
)
def test_a_damaged_program_is_refused_where_it_starts(column, number, sentence):
    columns = {
        name: np.array(value)
        for name, value in vars(application("all-to-all", 4)).items()
        if name in ("first", "kind", "peer", "size", "tag", "request")
    }
    columns["kind"][:2] = 2
    columns["request"][:2] = 0, 1
    columns[column][0] = number
    with pytest.raises(ValueError, match=sentence):
        Network(parse("torus:4x4")).start(Program(**columns))


def test_a_network_is_wired_as_its_kind_is():
    torus = parse("torus:4x4")
    neighbor = torus.neighbor.copy()
    neighbor[0, 0] = 99
    with pytest.raises(ValueError, match="a link leads to router 99, expected 0 to 15"):
        Network(Grid("torus:4x4", 16, 16, neighbor, torus.entry, (4, 4), True))
    neighbor = torus.neighbor.copy()
    neighbor[0, 0] = 2
    with pytest.raises(ValueError, match="two links enter a router by the same port"):
        Network(Grid("torus:4x4", 16, 16, neighbor, torus.entry, (4, 4), True))


def test_traffic_is_of_the_network():
    network = Network(parse("torus:4x4"))
    with pytest.raises(ValueError, match="traffic target: 16 is not a node, expected 0 to 15"):
        network.generate(Traffic(0.1, np.full(16, 16, np.int32)))


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: from_networkx(nx.Graph(), "a" * 5000), "no vertices"),
        (lambda: from_networkx(nx.Graph([("a" * 5000, "a" * 5000)])), "to itself"),
        (lambda: from_networkx(nx.DiGraph([("a" * 5000, 1)])), "asymmetric"),
        (lambda: from_networkx(nx.Graph([(0, 1), (2, 3)]), "a" * 5000), "connected"),
        (lambda: parse("torus:" + "4x" * 5000), "torus"),
    ],
)
def test_long_names_are_not_said_whole(call, expected):
    with pytest.raises(ValueError, match=expected) as caught:
        call()
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("key", ["port", "entry", "cycles"])
def test_links_of_graphs_carry_whole_numbers(key):
    given = parse("mesh:2").to_networkx()
    for _, _, data in given.edges(data=True):
        data[key] = "x"
    with pytest.raises(ValueError, match=f"{key}: 'x' is not a whole number"):
        from_networkx(given)
