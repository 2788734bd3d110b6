"""Programs in C, Fortran and Python are recorded alike: messages and collectives are those that they call."""

import importlib.util
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from netplace.apps.formats import open_trace, read
from netplace.apps.recorded import summary_of
from netplace.apps.recording import record

MPIS = list(filter(shutil.which, ("mpicc.openmpi", "mpicc.mpich"))) or list(filter(shutil.which, ("mpicc",)))
pytestmark = [
    pytest.mark.all,
    pytest.mark.skipif(
        not MPIS, reason="no MPI on this machine (mpicc): the recorder is not tried on programs"
    ),
]
FORTRAN = (Path(__file__).parent / "ring.f90").read_text()
PYTHON = """
from mpi4py import MPI
world = MPI.COMM_WORLD
rank, ranks = world.Get_rank(), world.Get_size()
out, into = bytearray(800), bytearray(800)
request = world.Irecv([into, MPI.BYTE], source=MPI.ANY_SOURCE, tag=5)
world.Send([out, MPI.BYTE], dest=(rank + 1) % ranks, tag=5)
request.Wait()
world.Allreduce([bytearray(8), MPI.DOUBLE], [bytearray(8), MPI.DOUBLE])
"""
WINDOWS = """
#include <mpi.h>
int main(int count, char **words)
{
    int rank, ranks, one = 1;
    double values[4] = {0};
    MPI_Win window;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Win_create(values, sizeof values, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(&one, 1, MPI_INT, (rank + 1) % ranks, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"""


def recorded(words, folder, compiler, ranks=4):
    folder.mkdir()
    assert record([str(word) for word in words], ranks, folder, compiler).code == 0
    return summary_of(open_trace(folder)).as_data()


def is_a_ring(found):
    assert found["pairs"] == [[0, 1, 1, 800], [1, 2, 1, 800], [2, 3, 1, 800], [3, 0, 1, 800]]
    assert found["wildcards"] == 4
    assert {"operation": "allreduce", "ranks": 4, "calls": 4, "bytes": 8} in found["collectives"]


@pytest.mark.parametrize("compiler", MPIS)
def test_a_program_in_fortran(compiler, tmp_path):
    fortran = compiler.replace("mpicc", "mpif90")
    if not shutil.which(fortran):
        pytest.skip(f"{fortran} is not on this machine: no program in Fortran is recorded")
    (tmp_path / "ring.f90").write_text(FORTRAN)
    subprocess.run([fortran, "-o", tmp_path / "ring", tmp_path / "ring.f90"], check=True, capture_output=True)
    is_a_ring(recorded([tmp_path / "ring"], tmp_path / "recording", compiler))


def test_a_program_in_python(tmp_path):
    pythons = [sys.executable] if importlib.util.find_spec("mpi4py") else []
    pythons += [
        path
        for path in ("/usr/bin/python3",)
        if Path(path).exists()
        and not subprocess.run([path, "-c", "import mpi4py"], capture_output=True).returncode
    ]
    if not pythons:
        pytest.skip("mpi4py is not on this machine: no program in Python is recorded")
    (tmp_path / "ring.py").write_text(PYTHON)
    is_a_ring(recorded([pythons[0], tmp_path / "ring.py"], tmp_path / "recording", "mpicc"))


def test_one_sided_operations_are_counted_and_left_out(tmp_path):
    (tmp_path / "put.c").write_text(WINDOWS)
    subprocess.run([MPIS[0], "-o", tmp_path / "put", tmp_path / "put.c"], check=True, capture_output=True)
    found = recorded([tmp_path / "put"], tmp_path / "recording", MPIS[0])
    left = {row["operation"]: row["number"] for row in found["left_out"]}
    assert left["put"] == 4
    assert left["win_fence"] == 8
    with pytest.raises(
        ValueError, match=r"one-sided operations, which cannot be replayed: .*4 put.*--ignore one-sided"
    ):
        read(tmp_path / "recording")
    read(tmp_path / "recording", ignore=["one-sided"]).check()


def golden():
    beside = Path(__file__).resolve().parents[4] / "shared" / "traces"
    given = os.environ.get("NETPLACE_TRACES")
    places = [Path(given)] if given else [beside, *(each / "shared" / "traces" for each in beside.parents)]
    for place in places:
        if (place / "golden" / "mpi_programs").is_dir():
            return place / "golden" / "mpi_programs"
    pytest.skip("programs that count themselves are not part of the checkout; NETPLACE_TRACES names them")


@pytest.mark.parametrize(
    ("name", "mpi"),
    [("p1_halo_cart.c", 0), ("p3_persistent.c", -1), ("p5_collectives.c", 0), ("p6_f08.f90", -1)],
)
def test_programs_of_others_that_count_themselves(name, mpi, tmp_path, monkeypatch):
    compiler = MPIS[mpi]
    source = golden() / name
    builder = compiler.replace("mpicc", "mpif90") if source.suffix == ".f90" else compiler
    if not shutil.which(builder):
        pytest.skip(f"{builder} is not on this machine: {name} is not recorded")
    program = tmp_path / "program"
    subprocess.run(
        [builder, "-O1", "-w", "-o", program, source], check=True, capture_output=True, cwd=tmp_path
    )
    (tmp_path / "tally").mkdir()
    monkeypatch.setenv("TALLY_DIR", str(tmp_path / "tally"))
    found = recorded([program], tmp_path / "recording", compiler)
    lines = [line.split() for line in source.with_suffix(".4.expected").read_text().splitlines()]
    assert found["pairs"] == sorted([*map(int, words)] for kind, *words in lines if kind == "P2P")
    calls: Counter[str] = Counter()
    for kind, *words in lines:
        if kind == "COLL":
            calls[words[1].removeprefix("MPI_").lower()] += int(words[2])
    counted: Counter[str] = Counter()
    for row in found["collectives"]:
        counted[row["operation"]] += row["calls"]
    blocking: Counter[str] = Counter()
    for operation, number in calls.items():
        nonblocking = operation.startswith("i") and operation[1:] in counted
        blocking[operation[1:] if nonblocking else operation] += number
    assert blocking == counted
    read(tmp_path / "recording").check()
