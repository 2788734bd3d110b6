"""Recordings: what is read of entries written here, and of programs that count themselves."""

import os
import re
import shlex
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from netplace import parse, simulate
from netplace.apps.formats import open_trace, read
from netplace.apps.formats.recording import ENTRY
from netplace.apps.recorded import summary_of
from netplace.apps.recording import build_interposer, record

HERE = Path(__file__).parent
MAGIC = int.from_bytes(b"netplace", "little")
SEND, ISEND, RECV, IRECV, WAIT, COLLECTIVE, COMMUNICATOR, LEFT_OUT, CANCELLED, FINALIZED, ABORTED, BEGUN = (
    range(1, 13)
)
GATHERV, ALLREDUCE = 3, 11


class Written:
    """Entries of a rank, as the interposer writes them."""

    def __init__(self, folder, rank, ranks):
        self.path, self.rows, self.numbers, self.now = folder / f"rank-{rank:07d}.calls", [], [], 0
        self.add(BEGUN, peer=rank, size=ranks, request=1)
        self.rows[0]["list"] = MAGIC
        self.add(COMMUNICATOR, numbers=range(ranks), size=ranks, request=1)

    def add(self, kind, numbers=(), gap=0, lasts=0, **values):
        row = dict.fromkeys(ENTRY.names, 0) | {"request": -1, "kind": kind} | values
        row["begin"] = self.now + gap
        row["end"] = self.now = self.now + gap + lasts
        row["list"], row["numbers"] = len(self.numbers), len(numbers)
        self.numbers += numbers
        self.rows.append(row)

    def write(self, ending=b""):
        table = np.array([tuple(row[name] for name in ENTRY.names) for row in self.rows], ENTRY)
        self.path.write_bytes(table.tobytes() + ending)
        self.path.with_suffix(".lists").write_bytes(np.array(self.numbers, np.int64).tobytes())


def two_ranks(folder):
    first, second = Written(folder, 0, 2), Written(folder, 1, 2)
    first.add(SEND, peer=1, size=100, tag=7, gap=2_000, lasts=500)
    first.add(CANCELLED, peer=1, gap=1_000)
    first.add(COLLECTIVE, operation=ALLREDUCE, peer=-1, size=8, gap=1_000)
    first.add(COLLECTIVE, operation=GATHERV, peer=0, size=4, numbers=[4, 6])
    first.add(LEFT_OUT, numbers=np.frombuffer(b"MPI_Put".ljust(48, b"\0"), np.int64).tolist(), size=3)
    second.add(IRECV, peer=0, size=100, tag=7, request=0, wild=1)
    second.add(WAIT, peer=-1, request=0, lasts=4_000)
    second.add(COLLECTIVE, operation=ALLREDUCE, peer=-1, size=8)
    second.add(COLLECTIVE, operation=GATHERV, peer=0, size=6, gap=500)
    return first, second


def test_entries_are_calls(tmp_path):
    for rank in two_ranks(tmp_path):
        rank.add(FINALIZED, gap=1_000)
        rank.write()
    found = summary_of(open_trace(tmp_path)).as_data()
    assert found["pairs"] == [[0, 1, 1, 100]]
    assert found["wildcards"] == 1
    assert found["compute_seconds"] == pytest.approx([5e-6, 1.5e-6])
    assert found["left_out"] == [{"operation": "put", "number": 3}]
    assert {(item["operation"], item["calls"], item["bytes"]) for item in found["collectives"]} == {
        ("allreduce", 2, 8), ("gatherv", 1, 4), ("gatherv", 1, 6)
    }  # fmt: skip
    assert not found["notes"]
    program = read(tmp_path, ignore=("one-sided",))
    assert simulate(parse("torus:2"), program, [0, 1]).cycles > 0


def test_what_a_killed_program_left_is_read(tmp_path):
    first, second = two_ranks(tmp_path)
    first.write(ending=bytes(10 * ENTRY.itemsize + 5))  # room that was taken and not used
    second.add(FINALIZED)
    second.write()
    found = summary_of(open_trace(tmp_path)).as_data()
    assert found["messages"] == 1
    assert found["notes"] == ["1 of 2 ranks did not reach MPI_Finalize (0), so their calls are incomplete"]


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        (lambda first, second: second.path.unlink(), "has no calls of rank 1"),
        (lambda first, second: second.path.with_suffix(".lists").unlink(), "is missing, expected next to"),
        (
            lambda first, second: second.path.with_suffix(".lists").write_bytes(b""),
            "numbers from place 0 of 0",
        ),
        (
            lambda first, second: Written(first.path.parent, 1, 3).write(),
            "belongs to a run of 3 ranks, but the other files to a run of 2",
        ),
        (lambda first, second: (second.add(99), second.write()), "has an entry of kind 99"),
        (lambda first, second: (second.add(SEND, peer=2), second.write()), "with peer 2, expected 0 to 1"),
        (
            lambda first, second: (second.add(COMMUNICATOR, numbers=[0, 7], communicator=1), second.write()),
            "has members beyond the ranks",
        ),
    ],
)
def test_broken_recordings_are_told(tmp_path, broken, sentence):
    first, second = two_ranks(tmp_path)
    first.write()
    second.write()
    broken(first, second)
    with pytest.raises(ValueError, match=sentence):
        summary_of(open_trace(tmp_path))


# --- real programs

MPIS = list(filter(shutil.which, ("mpicc.openmpi", "mpicc.mpich"))) or list(filter(shutil.which, ("mpicc",)))
without_mpi = pytest.mark.skipif(
    not MPIS, reason="no MPI on this machine (mpicc): the recorder is not tried on programs"
)


def needs_mpi(test):
    return pytest.mark.all(without_mpi(test))


@needs_mpi
@pytest.mark.parametrize("compiler", MPIS)
def test_a_recording_is_what_the_program_counts(compiler, tmp_path, capfd):
    program = tmp_path / "counted"
    subprocess.run(
        [compiler, "-O1", "-w", "-o", program, HERE / "counted.c"], check=True, capture_output=True
    )
    folder = tmp_path / "recording"
    folder.mkdir()
    made = record([str(program)], 4, folder, compiler)
    lines = [line.split() for line in capfd.readouterr().out.splitlines()]
    counted = {
        kind: sorted([*map(int, words)] for key, *words in lines if key == kind) for kind in ("P2P", "GOT")
    }
    assert made.code == 0
    assert len(counted["P2P"]) == 16
    trace = open_trace(folder)
    got: Counter[tuple[int, int]] = Counter()
    sizes: Counter[tuple[int, int]] = Counter()
    for batch in trace.batches:
        for call in batch.calls[np.isin(batch.calls["kind"], (RECV, IRECV))]:
            got[int(call["rank"]), int(call["peer"])] += 1
            sizes[int(call["rank"]), int(call["peer"])] += int(call["size"])
    assert sorted([*pair, got[pair], sizes[pair]] for pair in got) == counted["GOT"]
    found = summary_of(open_trace(folder)).as_data()
    assert found["pairs"] == counted["P2P"]
    assert found["notes"] == []
    assert simulate(parse("torus:2x2"), read(folder), [0, 1, 2, 3]).cycles > 0


@needs_mpi
def test_a_program_becomes_a_trace_by_one_command(netplace, tmp_path):
    program = tmp_path / "counted"
    subprocess.run([MPIS[0], "-O1", "-w", "-o", program, HERE / "counted.c"], check=True, capture_output=True)
    words = ["record", "-n", 2, "--mpicc", MPIS[0]]
    result = netplace(*words, "-o", tmp_path / "counted.trace.gz", "--", program)
    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "counted",
        "counted.trace.gz",
        "counted.trace.gz.provenance.json",
    ]
    info = netplace("trace", "info", tmp_path / "counted.trace.gz")
    assert info.exit_code == 0, info.output
    ran = netplace(
        "run", "--network", "torus:4x4", "--trace", tmp_path / "counted.trace.gz", "--mapping", "random"
    )
    assert ran.exit_code == 0, ran.output
    result = netplace(*words, "-o", tmp_path / "x.trace", "--", "sh", "-c", "exit 3")
    assert (result.exit_code, (tmp_path / "x.trace").exists()) == (2, False)
    assert "no rank recorded anything" in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--mpicc", "no-such-mpicc", "--launcher", "true"], "--mpicc 'no-such-mpicc': no such command"),
        (["--mpicc", "false", "--launcher", "true"], "cannot compile the recorder"),
        (
            ["--mpicc", "false", "--launcher", "no-such-mpirun"],
            "--launcher 'no-such-mpirun': no such command",
        ),
    ],
)
def test_what_cannot_record_is_a_sentence(netplace, tmp_path, words, sentence):
    result = netplace("record", "-n", 2, "-o", tmp_path / "a.trace", *words, "--", "true")
    assert result.exit_code == 2
    assert sentence in " ".join(result.stderr.split())
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["a folder", "a:b", "a$LIBb", "a\tb"])
def test_a_folder_that_the_recorder_cannot_be_loaded_from_is_refused(netplace, tmp_path, name):
    folder = tmp_path / name
    folder.mkdir()
    words = ["--mpicc", "no-such-mpicc", "--launcher", "true", "--", "true"]
    result = netplace("record", "-n", 2, "-o", folder / "out.trace", *words)
    said = " ".join(result.stderr.split())
    assert result.exit_code == 2
    assert "LD_PRELOAD does not support" in said
    assert "expected a folder without spaces, colons and dollar signs" in said
    assert os.listdir(folder) == []


@needs_mpi
def test_the_recorder_compiles_without_a_warning(tmp_path):
    for compiler in MPIS:
        assert build_interposer(compiler, tmp_path).is_file()  # with -Werror: see conftest.py


@needs_mpi
def test_the_tutorial_can_be_followed(netplace, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (HERE.parents[2] / "docs" / "tutorial" / "your-program.md").read_text(encoding="utf-8")
    [source] = re.findall(r"^```c\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    Path("halo.c").write_text(source)
    Path("hosts").write_text("\n".join(f"host{node}" for node in range(16)))
    for block in re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        for line in block.splitlines():
            words = shlex.split(line.removeprefix("$ "))
            if words[0] == "mpicc":
                subprocess.run([MPIS[0], "-w", *words[1:]], check=True, capture_output=True)
            elif words[0] == "netplace":
                more = ["--mpicc", MPIS[0]] if words[1] == "record" else []
                result = netplace(words[1], *more, *words[2:])
                assert result.exit_code == 0, f"{line}\n{result.output}"
            else:
                assert line in result.output
    assert Path("ranks").read_text().splitlines()[0].startswith("rank 0=host")
