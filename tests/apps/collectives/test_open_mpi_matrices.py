"""Pairs of every algorithm against the counters of a running Open MPI 4.1.4.

``open_mpi_matrices.csv``: root 0.
``open_mpi_choices.csv``: algorithms whose bytes by pair are those that the library's own choice sent.
``open_mpi_counts.csv``, ``mpich_counts.csv``: drawn by chance from later counts, 8,900 of Open MPI and
5,400 of MPICH 4.0.2, on 2 to 24 ranks; without an algorithm: the library's own choice. ``digest`` is of the
sorted pairs.
"""

import hashlib
from collections import defaultdict
from pathlib import Path

import pytest
from answers import csv_rows

from netplace.apps.collectives import ALGORITHMS, schedule

HERE = Path(__file__).parent


def _rows(name):
    return csv_rows(HERE / name)


CASES = defaultdict(dict)
for row in _rows("open_mpi_matrices.csv"):
    key = row["operation"], row["algorithm"]
    case = int(row["ranks"]), int(row["request"]), int(row["segment"])
    CASES[key].setdefault(case, []).append(row)


@pytest.mark.parametrize(("operation", "algorithm"), CASES)
def test_pairs_are_those_of_open_mpi(operation, algorithm):
    for (ranks, request, segment), rows in CASES[operation, algorithm].items():
        messages = schedule(operation, ranks, request, algorithm=algorithm, segment=segment)
        names = ("source", "destination", "messages", "bytes")
        assert messages.pairs() == sorted(tuple(int(row[name]) for name in names) for row in rows)


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


COUNTED = {"openmpi": _rows("open_mpi_counts.csv"), "mpich": _rows("mpich_counts.csv")}


def _blocks(ranks, bytes):
    """Return the sizes of the alltoallv that was counted."""
    return tuple(bytes * ((i * 7 + j * 3) % 5) // 4 for i in range(ranks) for j in range(ranks))


@pytest.mark.parametrize("operation", sorted({row["operation"] for row in COUNTED["openmpi"]}))
@pytest.mark.parametrize("library", COUNTED)
def test_odd_ranks_roots_and_sizes_are_those_that_a_library_counted(library, operation):
    for row in COUNTED[library]:
        if row["operation"] != operation:
            continue
        ranks, bytes, root = (int(row[name]) for name in ("ranks", "bytes", "root"))
        given = {
            name: int(row[name])
            for name in ("segment", "fanout", "radix")
            if row["algorithm"] and name in row
        }
        if operation == "alltoallv":
            given["sizes"] = _blocks(ranks, bytes)
        made = schedule(
            operation, ranks, bytes, root, collectives=library, algorithm=row["algorithm"] or None, **given
        )
        assert (len(made.source), int(made.bytes.sum())) == (int(row["messages"]), int(row["sent"])), row
        assert hashlib.sha256(repr(made.pairs()).encode()).hexdigest()[:12] == row["digest"], row
