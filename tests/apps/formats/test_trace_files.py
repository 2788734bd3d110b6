import gzip

import pytest
from golden_traces import folder

from netplace.apps import application
from netplace.apps.formats import open_trace, read, write
from netplace.apps.recorded import summary_of

TEXT = "0 send 1 8 0 0 -1 0\n1 recv 0 8 0 0 -1 0\n"
TRC = "s 0 1 0 8\nr 0 1 0 8\n"
DIM = "#DIMEMAS:x:0:2(1,1),0\n2:0:0:1:8:0:0:0\n3:1:0:0:8:0:0:0\n"


@pytest.mark.parametrize("text", [TEXT, TRC, DIM])
@pytest.mark.parametrize("name", ["x", "x.trace", "x.trc", "x.dim", "x.txt.gz"])
@pytest.mark.parametrize("written", [bytes, gzip.compress, lambda text: text.strip().replace(b"\n", b"\r\n")])
def test_the_format_is_told_by_content(tmp_path, text, name, written):
    (tmp_path / name).write_bytes(written(text.encode()))
    program = read(str(tmp_path / name))
    assert program.traffic().W.tolist() == [[0, 8], [0, 0]]
    assert program.peer.tolist() == [1, 0]


def test_the_name_of_the_program_is_the_files(tmp_path):
    for name in ("LU.A.64.trace.gz", "LU.A.64.trc", "LU.A.64.trace"):
        write(application("2d-mesh", 4), tmp_path / name)
        assert read(tmp_path / name).name == "LU.A.64"


def test_equal_programs_make_equal_files(tmp_path):
    for name in ("a.trace.gz", "b.trace.gz"):
        write(application("2d-mesh", 4), tmp_path / name)
    assert (tmp_path / "a.trace.gz").read_bytes() == (tmp_path / "b.trace.gz").read_bytes()


@pytest.mark.parametrize("content", ["", "\n\n", "# a comment\n", "   \t\n"])
@pytest.mark.parametrize("name", ["x", "x.trc"])
def test_an_empty_file(tmp_path, content, name):
    (tmp_path / name).write_text(content)
    with pytest.raises(ValueError, match=f"{name}: is empty, expected a trace"):
        read(tmp_path / name)


def test_a_missing_file_and_a_folder(tmp_path):
    with pytest.raises(ValueError, match=r"none\.trace: cannot be read, No such file"):
        read(tmp_path / "none.trace")
    with pytest.raises(ValueError, match="cannot be read, it is a folder without a trace"):
        read(tmp_path)


OTHERS = {
    "\n=== OTF2-PRINT ===\n": "is the output of otf2-print",
    "Nodes 16\nConnections 5\n0->1 start 0\n": "is a connection matrix of htsim",
    '{\n "schema": "1.1.0-chakra.0.0.4",': "is PyTorch's execution trace",
    "comm_type,comm_group,msg_size\n": "is a workload of AICB for GPUs",
    "train_iter:10\nEmb:\n": "is in no format of traces that netplace reads, expected one of chakra, simai",
}


@pytest.mark.parametrize("content", OTHERS)
@pytest.mark.parametrize("name", ["x", "x.txt"])
def test_what_is_no_trace_is_named(tmp_path, content, name):
    (tmp_path / name).write_text(content)
    with pytest.raises(ValueError, match=OTHERS[content]):
        read(tmp_path / name)


@pytest.mark.parametrize("keep", [3, 15, -1, -9])
def test_a_truncated_gzip_file(tmp_path, keep):
    (tmp_path / "x.gz").write_bytes(gzip.compress((TEXT * 100).encode())[:keep])
    with pytest.raises(ValueError, match=r"x\.gz: is a broken gzip file"):
        read(tmp_path / "x.gz")


def test_junk_after_good_lines_names_its_line(tmp_path):
    (tmp_path / "x").write_bytes(TEXT.encode() + b"0 send 1 8 0 0 \x00 0\n")
    with pytest.raises(ValueError, match=r"x, line 3: byte 0x00 is not text"):
        read(tmp_path / "x")


@pytest.mark.parametrize("name", ["x", "x.txt", "x.dim", "x.dim.gz"])
def test_formats_that_are_not_written(tmp_path, name):
    with pytest.raises(
        ValueError, match=r"unknown output format, expected a name that ends in \.trace, \.trc"
    ):
        write(application("2d-mesh", 4), tmp_path / name)


LONG = {
    "a.trace": "0 send 1 8 0 0 -1 0\n1 recv 0 8 0 0 -1 0\n" * 500,
    "a.trc": "s 0 1 0 64\nr 0 1 0 64\n" * 500,
    "a.tit": "0 send 1 0 8\n1 recv 0 0 8\n" * 500,
    "a.dim": '#DIMEMAS:"x":1:2(1,1),0\n' + "2:0:0:1:8:5:0:0\n3:1:0:0:8:5:0:0\n" * 500,
    "a.goal": "num_ranks 2\nrank 0 {\n"
    + "send 8b to 1\n" * 500
    + "}\nrank 1 {\n"
    + "recv 8b from 0\n" * 500
    + "}\n",
    "a.csv": "source,destination,bytes\n" + "".join(f"{n},{n + 1},8\n" for n in range(500)),
}


@pytest.mark.parametrize("name", LONG)
def test_the_memory_limit_bounds_what_is_held(tmp_path, name, monkeypatch):
    (tmp_path / name).write_text(LONG[name])
    assert read(tmp_path / name).tasks >= 2
    monkeypatch.setattr("netplace.inputs.MOST_BYTES", 40 << 10)
    with pytest.raises(ValueError, match=rf"{name}: .*(memory|bytes)"):
        read(tmp_path / name)


@pytest.mark.parametrize(
    "trace", ["dumpi/sst-dumpi-testtrace-4", "chakra/astra-sim-microbenchmarks/all_gather/4npus_1MB"]
)
def test_the_memory_limit_bounds_what_is_held_of_traces_of_others(trace, monkeypatch):
    monkeypatch.setattr("netplace.inputs.MOST_BYTES", 100)
    with pytest.raises(ValueError, match=r"bytes that must be read as a whole would take "):
        summary_of(open_trace(folder() / trace))
