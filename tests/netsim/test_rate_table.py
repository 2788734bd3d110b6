"""Tables of rates: every pair gets its rate in both engines, and all forms of a table say the same."""

import re
from dataclasses import asdict

import numpy as np
import pytest

from netplace.netsim import Config, Network, measure_load, pattern
from netplace.netsim.rate_table import own_load, rates_in
from netplace.runs.loads import make_load_plan
from netplace.topologies import parse

LISTED = "source,target,rate\n0,1,0.20\n0,2,0.1\n1,0,0.05\n3,0,0.3\n"
RATES = {(0, 1): 0.2, (0, 2): 0.1, (1, 0): 0.05, (3, 0): 0.3}  # phits per cycle
MATRIX = [["0", "0.2", "0.1", "0"], ["0.05", "0", "0", "0"], ["0"] * 4, ["0.3", "0", "0", "0"]]
LINES = LISTED.split("\n")[1:-1]
FORMS = {
    "with names": LISTED,
    "without names": "\n".join(LINES),
    "with comments": f"# of a day\n\n{LISTED}# end\n",
    "columns in another order": "Rate;To;From\n" + "".join(
        f"{rate:.2f};{target};{source}\n".replace(".", ",") for (source, target), rate in RATES.items()
    ),
    "tabs": LISTED.replace(",", "\t"),
    "blanks": "\n".join(line.replace(",", "  ") for line in LINES),
    "parts of a rate": LISTED.replace("0,1,0.20", "0,1,0.15\n0,1,5e-2"),
    "a matrix": "\n".join(map(" ".join, MATRIX)),
    "a matrix with names": ",0,1,2,3\n" + "\n".join(f"{n},{','.join(row)}" for n, row in enumerate(MATRIX)),
    "a matrix with names above": "0\t1\t2\t3\n" + "\n".join(map("\t".join, MATRIX)),
}  # fmt: skip
IN_GIGABITS = {  # 1 phit of 4 bytes in a cycle of 3.2 ns is 10 Gb/s
    "in the header": "source,target,rate (Gb/s)\n0,1,2\n0,2,1\n1,0,0.5\n3,0,3\n",
    "in the name": "src dst demand_gbps\n0 1 2\n0 2 1\n1 0 0.5\n3 0 3\n",
    "in bytes": "from,to,GB/s\n0,1,.25\n0,2,0.125\n1,0,0.0625\n3,0,0.375\n",
    "in cells": "0,1,2Gbps\n0,2,1000 Mb/s\n1,0,62.5MB/s\n3,0,3 Gbit/s\n",
    "in a matrix": "0 2Gbps 1Gbps 0\n0.5Gbps 0 0 0\n0 0 0 0\n3Gbps 0 0 0\n",
}


@pytest.fixture
def table(tmp_path):
    return tmp_path / "rates.csv"


@pytest.mark.parametrize("form", FORMS)
def test_every_form_says_the_same(table, form):
    table.write_text(FORMS[form])
    rates, per_second = rates_in(str(table), parse("torus:4"))
    assert not per_second
    assert rates == pytest.approx(RATES)
    assert own_load(str(table), parse("torus:4"), Config()) == pytest.approx(0.65 / 4)


@pytest.mark.parametrize("form", IN_GIGABITS)
def test_units_are_those_of_the_link(table, form):
    table.write_text(IN_GIGABITS[form])
    rates, per_second = rates_in(str(table), parse("torus:4"))
    assert per_second
    assert {pair: rate / 1.25e9 for pair, rate in rates.items()} == pytest.approx(RATES)
    assert own_load(str(table), parse("torus:4"), Config()) == pytest.approx(0.65 / 4)


def test_hosts_have_names(table):
    (table.parent / "net").write_text("SwitchName=s Nodes=n[1-4]\n")
    network = parse(f"slurm:{table.parent / 'net'}")
    table.write_text("source,target,rate\nn1,n2,0.2\nn1,n3,0.1\nn2,n1,0.05\nn4,n1,0.3\n")
    assert rates_in(str(table), network)[0] == RATES


def pairs_of(table, engine, cycles, factor=1.0):
    """Return the packets between each two nodes of a full graph, where each pair has its own link."""
    network = Network(parse("hyperx:4"), engine=engine, seed=5)
    network.generate(pattern(f"table:{table}", network.topology, factor * 0.65 / 4 / 16))
    network.advance(cycles)
    packets, neighbor = network.counters().link_packets, network.topology.neighbor[4:] - 4
    return {(n, int(neighbor[n, port])): int(packets[4 + n, port]) for n in range(4) for port in range(3)}


@pytest.mark.parametrize("factor", [1.0, 0.5])
def test_each_pair_is_accepted_at_its_rate(table, factor):
    table.write_text(LISTED)
    cycles = 2_000_000
    found = pairs_of(table, "kernel", cycles, factor)
    for pair, packets in found.items():
        expected = factor * RATES.get(pair, 0) * cycles / 16
        assert abs(packets - expected) <= 4 * np.sqrt(expected)


def test_the_engines_draw_the_same(table):
    table.write_text(LISTED)
    kernel = pairs_of(table, "kernel", 20_000)
    assert kernel == pairs_of(table, "reference", 20_000)
    assert {pair for pair, packets in kernel.items() if packets} == RATES.keys()


def test_accepted_is_the_mean_of_the_table(table):
    table.write_text(LISTED)
    point = measure_load(parse("hyperx:4"), 0.65 / 4, traffic=f"table:{table}", measure=1_000_000)
    assert point.accepted == pytest.approx(0.65 / 4, rel=0.01)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "is empty, expected a list of pairs or a matrix"),
        ("source,target,bytes\n0,1,5\n", "column 'bytes', expected rate, load"),
        ("source,target,rate (furlongs)\n0,1,5\n", "unit of rate (furlongs): unknown name 'furlongs'"),
        ("0,1,5\n0,9,5\n", "line 2: '9' is not a node of torus:4, expected a number below 4"),
        ("0,1,5\n2,2,5\n", "line 2: node 2 sends to itself"),
        ("0,1,5Gbps\n2,1,5\n", "some rates have a unit and some have none"),
        ("0,1,0\n", "all rates are 0"),
        ("0,1,-5\n", "line 1: rate '-5', expected a number of at least 0"),
        ("0,1,5\n0,1\n", "line 2: 2 columns, expected 3"),
        ("0 1 2 3\n1 0 2 3\n", "of 2 rows, expected source, destination, phits/cycle, or a matrix"),
    ],
)
def test_what_is_no_table_is_told(table, content, sentence):
    table.write_text(content)
    with pytest.raises(ValueError, match=re.escape(sentence)) as error:
        make_load_plan({"network": "torus:4", "traffic": f"table:{table}", **asdict(Config())})
    assert str(error.value).startswith(str(table))


def test_a_node_cannot_create_more_than_a_packet_a_cycle(table):
    table.write_text("0,1,100\n")
    with pytest.raises(ValueError, match=r"node 0 would create 6\.25 packets a cycle, expected at most 1"):
        pattern(f"table:{table}", parse("torus:4"), 25 / 16)
