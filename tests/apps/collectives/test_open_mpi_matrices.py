"""Pairs of every algorithm against the counters of a running Open MPI 4.1.4, and rounds worked out apart.

``open_mpi_matrices.csv``: root 0; rounds are empty where an algorithm is put together from others.
``open_mpi_choices.csv``: algorithms whose bytes by pair are those that the library's own choice sent.
"""

import csv
from collections import defaultdict
from pathlib import Path

import pytest

from netplace.apps.collectives import ALGORITHMS, schedule

HERE = Path(__file__).parent


def _rows(name):
    with (HERE / name).open(newline="") as file:
        return list(csv.DictReader(file))


def _numbers(text):
    found = set()
    for word in text.split():
        first, _, last = word.partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    return found


CASES = defaultdict(dict)
for row in _rows("open_mpi_matrices.csv"):
    key = row["operation"], row["algorithm"]
    case = int(row["ranks"]), int(row["request"]), int(row["segment"])
    CASES[key].setdefault(case, []).append(row)


@pytest.mark.parametrize(("operation", "algorithm"), CASES)
def test_pairs_and_rounds_are_those_of_open_mpi(operation, algorithm):
    for (ranks, request, segment), rows in CASES[operation, algorithm].items():
        messages = schedule(operation, ranks, request, algorithm=algorithm, segment=segment)
        names = ("source", "destination", "messages", "bytes")
        assert messages.pairs() == sorted(tuple(int(row[name]) for name in names) for row in rows)
        columns = (messages.source, messages.destination, messages.round + 1)
        used = defaultdict(set)
        for source, destination, number in zip(*(column.tolist() for column in columns), strict=True):
            used[source, destination].add(number)
        for row in rows:
            expected = _numbers(row["rounds"])
            assert not expected or used[int(row["source"]), int(row["destination"])] == expected


def test_every_algorithm_of_open_mpi_is_known():
    assert CASES.keys() <= ALGORITHMS.keys()


@pytest.mark.parametrize("operation", sorted({row["operation"] for row in _rows("open_mpi_choices.csv")}))
def test_the_table_chooses_what_open_mpi_was_seen_to_choose(operation):
    for row in _rows("open_mpi_choices.csv"):
        if row["operation"] != operation:
            continue
        ranks, request = int(row["ranks"]), int(row["request"])
        chosen = schedule(operation, ranks, request, collectives="openmpi")
        alike = [schedule(operation, ranks, request, algorithm=name) for name in row["algorithms"].split()]
        sent = [[(pair[0], pair[1], pair[3]) for pair in messages.pairs()] for messages in alike]
        assert [(pair[0], pair[1], pair[3]) for pair in chosen.pairs()] in sent, row
