import gzip
import random

import pytest

from netplace.apps import application
from netplace.apps.formats import FORMATS, read, write

TEXT = "0 send 1 8 0 0 -1 0\n1 recv 0 8 0 0 -1 0\n"
TRC = "s 0 1 0 8\nr 0 1 0 8\n"
DIM = "#DIMEMAS:x:0:2(1,1),0\n2:0:0:1:8:0:0:0\n3:1:0:0:8:0:0:0\n"


@pytest.mark.parametrize("text", [TEXT, TRC, DIM])
@pytest.mark.parametrize("name", ["x", "x.trace", "x.trc", "x.dim", "x.txt.gz"])
@pytest.mark.parametrize("packed", [False, True])
def test_the_format_is_told_by_content(tmp_path, text, name, packed):
    content = text.encode()
    (tmp_path / name).write_bytes(gzip.compress(content) if packed else content)
    program = read(str(tmp_path / name))
    assert program.traffic().W.tolist() == [[0, 8], [0, 0]]
    assert program.peer.tolist() == [1, 0]


def test_windows_line_ends_and_a_missing_last_one(tmp_path):
    for text in (TEXT, TRC, DIM):
        (tmp_path / "x").write_bytes(text.strip().replace("\n", "\r\n").encode())
        assert len(read(tmp_path / "x")) == 2


def test_the_name_of_the_program_is_the_files(tmp_path):
    for name in ("LU.A.64.trace.gz", "LU.A.64.trc", "LU.A.64.trace"):
        write(application("2d-mesh", 4), tmp_path / name)
        assert read(tmp_path / name).name == "LU.A.64"


def test_equal_programs_make_equal_files(tmp_path):
    for name in ("a.trace.gz", "b.trace.gz"):
        write(application("2d-mesh", 4), tmp_path / name)
    assert (tmp_path / "a.trace.gz").read_bytes() == (tmp_path / "b.trace.gz").read_bytes()


def test_every_format_is_described():
    assert all(item.suffix.startswith(".") and item.description for item in FORMATS.values())


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


@pytest.mark.parametrize("keep", [3, 15, -1, -9])
def test_a_truncated_gzip_file(tmp_path, keep):
    (tmp_path / "x.gz").write_bytes(gzip.compress((TEXT * 100).encode())[:keep])
    with pytest.raises(ValueError, match=r"x\.gz: is a broken gzip file"):
        read(tmp_path / "x.gz")


def test_a_corrupt_gzip_file(tmp_path):
    content = bytearray(gzip.compress((TEXT * 100).encode()))
    content[30] ^= 0x55
    (tmp_path / "x.gz").write_bytes(content)
    with pytest.raises(ValueError, match=r"x\.gz: is a broken gzip file"):
        read(tmp_path / "x.gz")


def test_binary_junk(tmp_path):
    (tmp_path / "x").write_bytes(random.Random(1).randbytes(10_000))
    with pytest.raises(ValueError, match=r"x, line 1: byte 0x.. is not text"):
        read(tmp_path / "x")


def test_junk_after_good_lines_names_its_line(tmp_path):
    (tmp_path / "x").write_bytes(TEXT.encode() + b"0 send 1 8 0 0 \x00 0\n")
    with pytest.raises(ValueError, match=r"x, line 3: byte 0x00 is not text"):
        read(tmp_path / "x")


@pytest.mark.parametrize("speed", [-1.0, float("nan"), float("inf")])
def test_speeds_that_are_none(tmp_path, speed):
    with pytest.raises(ValueError, match=r"cycles_per_us: .* must be a number of at least 0"):
        read(tmp_path / "x", cycles_per_us=speed)


@pytest.mark.parametrize("name", ["x", "x.txt", "x.dim", "x.dim.gz"])
def test_formats_that_are_not_written(tmp_path, name):
    with pytest.raises(
        ValueError, match=r"unknown output format, expected a name that ends in \.trace, \.trc"
    ):
        write(application("2d-mesh", 4), tmp_path / name)


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(ValueError, match="cannot be written, No such file"):
        write(application("2d-mesh", 4), tmp_path / "none" / "x.trc")
