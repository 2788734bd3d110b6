"""The calls of every rank, in order, are those that Open MPI 4.1 and MPICH 4.0 make inside a collective."""

import os
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from netplace.apps import Op
from netplace.apps.collectives.writing import collective

pytestmark = pytest.mark.all  # hundreds of short MPI jobs

# By operation, in the order of Open MPI's numbers; those in segments have a *. Not here: linear alltoall,
# whose persistent requests cannot be seen; linear_sync gather and linear barrier, which differ in when a
# receive is posted; split_binary_tree, whose leaves post one receive at a time; those for two ranks.
OPEN_MPI = {
    "allgather": "linear bruck recursive_doubling ring neighbor_exchange",
    "allreduce": "basic_linear nonoverlapping recursive_doubling ring segmented_ring* rabenseifner",
    "alltoall": "- pairwise modified_bruck linear_sync",
    "barrier": "- double_ring recursive_doubling bruck - tree",
    "bcast": "linear chain* pipeline* - binary_tree* binomial knomial scatter_allgather "
    "scatter_allgather_ring",
    "exscan": "linear recursive_doubling",
    "gather": "basic_linear binomial",
    "reduce": "linear chain* pipeline* binary* binomial in_order_binary* rabenseifner",
    "reduce_scatter": "non_overlapping recursive_halving ring butterfly",
    "reduce_scatter_block": "- recursive_doubling recursive_halving butterfly",
    "scan": "linear recursive_doubling",
    "scatter": "basic_linear binomial linear_nb",
}
MPICH = {
    "allgather": {"recursive_doubling": "mpich_recursive_doubling", "brucks": "bruck", "ring": "ring"},
    "allreduce": {n: n for n in ("recursive_doubling", "reduce_scatter_allgather")},
    "alltoall": {"brucks": "modified_bruck", "pairwise": "mpich_pairwise", "scattered": "linear"},
    "barrier": {"dissemination": "bruck"},
    "bcast": {
        "binomial": "in_order_binomial",
        "scatter_recursive_doubling_allgather": "scatter_recursive_doubling_allgather",
        "scatter_ring_allgather": "scatter_ring_allgather",
    },
    "exscan": {"recursive_doubling": "recursive_doubling"},
    "gather": {"binomial": "in_order_binomial"},
    "reduce": {"binomial": "in_order_binomial", "reduce_scatter_gather": "reduce_scatter_gather"},
    "reduce_scatter": {n: n for n in ("recursive_halving", "pairwise")},
    "reduce_scatter_block": {n: n for n in ("recursive_halving", "pairwise", "recursive_doubling")},
    "scan": {"recursive_doubling": "recursive_doubling"},
    "scatter": {"binomial": "in_order_binomial"},
}
CASES = [
    ("openmpi", operation, str(number), name)
    for operation, names in OPEN_MPI.items()
    for number, name in enumerate(names.split(), 1) if name != "-"
] + [("mpich", operation, *pair) for operation, names in MPICH.items() for pair in names.items()]  # fmt: skip
RANKS, BYTES, SEGMENT = (2, 5, 8, 17), 2210, 512
_WRAPPED = ("Send", "Recv", "Isend", "Irecv", "Wait", "Waitall", "Sendrecv")


@pytest.fixture(scope="module")
def recorders(tmp_path_factory):
    """Return the recorder of each library that is installed."""
    folder, made = tmp_path_factory.mktemp("timelines"), {}
    source = Path(__file__).with_name("timeline.c")
    if shutil.which("mpicc.openmpi"):
        made["openmpi"] = folder / "openmpi"
        subprocess.run(["mpicc.openmpi", "-w", source, "-o", made["openmpi"], "-ldl"], check=True)
    if shutil.which("mpicc.mpich"):
        made["mpich"] = folder / "mpich"
        told = subprocess.run(["mpicc.mpich", "-show"], check=True, capture_output=True, text=True)
        flags = [word for word in told.stdout.split() if word.startswith(("-I", "-L"))]
        [at] = [word.removeprefix("-L") for word in flags if word.startswith("-L")]
        needs = subprocess.run(["ldd", f"{at}/libmpich.so"], check=True, capture_output=True, text=True)
        libraries = [line.split()[2] for line in needs.stdout.splitlines() if "=> /" in line]
        wrap = [f"-Wl,--wrap=MPIC_{name}" for name in _WRAPPED]
        inputs = [source, *flags, *wrap, f"{at}/libmpich.a", *libraries]
        subprocess.run(["gcc", "-w", "-o", made["mpich"], *inputs], check=True)
    return made


def _recorded(recorder, library, operation, algorithm, ranks, size, segment, folder):
    environment = os.environ | {
        "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
        f"OMPI_MCA_coll_tuned_{operation}_algorithm": algorithm,
        f"OMPI_MCA_coll_tuned_{operation}_algorithm_segmentsize": str(segment),
        "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none",
        "MPIR_CVAR_DEVICE_COLLECTIVES": "none",
        f"MPIR_CVAR_{operation.upper()}_INTRA_ALGORITHM": algorithm,
    }  # fmt: skip
    command = [f"mpirun.{library}", "-np", str(ranks), recorder, operation, str(size), "0", folder / "calls"]
    subprocess.run(command, env=environment, check=True, capture_output=True, timeout=120)
    return [
        [(words[0], *map(int, words[1:])) for words in map(str.split, path.read_text().splitlines())]
        for path in (folder / f"calls.{rank}" for rank in range(ranks))
    ]


_NAMES = {Op.SEND: "send", Op.ISEND: "isend", Op.RECV: "recv", Op.IRECV: "irecv", Op.WAIT: "wait"}


def _written(program):
    rows = zip(program.kind, program.peer, program.size, program.request, strict=True)
    calls = [
        ("wait", request) if kind == Op.WAIT else (_NAMES[Op(kind)], peer, size, request)
        for kind, peer, size, request in rows
    ]
    return [calls[begin:end] for begin, end in zip(program.first, program.first[1:], strict=False)]


def _order(calls, rank):
    """Return each send with all that was complete before it, and receives as posted and completed."""
    sends, receives, done, request, count = [], [], [], {}, Counter()
    for what, *numbers in calls:
        if what == "wait":
            ended = request.get(numbers[0])
            if ended is None:
                continue
        elif numbers[0] == rank:  # a message to oneself is a copy
            continue
        else:
            peer, size = numbers[:2]
            kind = what.removeprefix("i")
            count[kind, peer] += 1
            ended = kind, peer, count[kind, peer]
            if kind == "send":
                sends.append((peer, size, sorted(done)))
            else:
                receives.append(("posted", peer, sorted(other for other in done if other[0] == "recv")))
            if what != kind:
                request[numbers[2]] = ended
                continue
        done.append(ended)
        if ended[0] == "recv":
            receives.append(ended)
    return sends, receives


@pytest.mark.parametrize(("library", "operation", "algorithm", "name"), CASES)
def test_calls_are_those_of_the_library(library, operation, algorithm, name, recorders, tmp_path):
    if library not in recorders:
        pytest.skip(f"no {library} on this machine")
    segment = SEGMENT if name.endswith("*") else 0
    for ranks in RANKS:
        size = 0 if operation == "barrier" else BYTES
        chosen = name.rstrip("*")
        own = _written(collective(ranks, operation, algorithm=chosen, bytes=size, segment=segment))
        real = _recorded(recorders[library], library, operation, algorithm, ranks, size, segment, tmp_path)
        for rank in range(ranks):
            assert _order(own[rank], rank) == _order(real[rank], rank), (ranks, rank)
