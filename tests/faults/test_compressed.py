"""Reading is bounded: a small file that unpacks to a large one is refused, unless the limit is raised."""

import gzip
import io
import os
import re
import zipfile

import numpy as np
import pytest
from click.testing import CliRunner

from netplace.apps.formats import read as read_trace
from netplace.checks import read_content, read_limit
from netplace.cli import app
from netplace.report.files.traffic import read_traffic
from netplace.scheduling.workload import read as read_workload

LINE = b"s 0 1 0 64\nr 0 1 0 64\n"


@pytest.fixture
def small_limit(monkeypatch):
    monkeypatch.setenv("NETPLACE_READ_LIMIT", "10k")


@pytest.mark.parametrize("name", ["a.swf.gz", "a.csv.gz"])
def test_a_gzip_bomb_is_refused(tmp_path, small_limit, name):
    path = tmp_path / name
    path.write_bytes(gzip.compress(b"\n" * 20_000))
    with pytest.raises(ValueError, match=r"a\.\w+\.gz: unpacks to more than 10,240 bytes.*--read-limit"):
        read_workload(path)


def test_a_packed_trace_is_unpacked_a_part_at_a_time_and_needs_no_limit(tmp_path, small_limit):
    path = tmp_path / "a.trc.gz"
    path.write_bytes(gzip.compress(LINE * 100) * 10)
    assert len(read_trace(path)) == 2000


def test_an_npz_bomb_is_refused(tmp_path, small_limit):
    np.savez_compressed(tmp_path / "w.npz", W=np.zeros((100, 100)))
    with pytest.raises(ValueError, match=r"w\.npz: unpacks to more than"):
        read_traffic(tmp_path / "w.npz")


def test_members_that_are_small_are_counted_together(tmp_path, small_limit):
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(LINE * 100) * 10)
    with pytest.raises(ValueError, match="unpacks to more than"):
        read_content(path)


def test_a_raised_limit_lets_it_in(tmp_path, monkeypatch):
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(LINE * 1000))
    monkeypatch.setenv("NETPLACE_READ_LIMIT", "1k")
    with pytest.raises(ValueError, match="1,024 bytes"):
        read_content(path)
    monkeypatch.setenv("NETPLACE_READ_LIMIT", "1M")
    assert read_content(path) == LINE * 1000


def test_what_is_not_compressed_is_as_large_as_it_looks(tmp_path, small_limit):
    path = tmp_path / "a.trc"
    path.write_bytes(LINE * 1000)
    assert len(read_trace(path)) == 2000


def test_gzip_is_read_as_gzip_reads_it(tmp_path):
    packed = io.BytesIO()
    for part in (b"one", b"", b"two" * 100_000):
        packed.write(gzip.compress(part))
    path = tmp_path / "x.gz"
    path.write_bytes(packed.getvalue() + b"\0" * 512)
    assert read_content(path) == b"one" + b"two" * 100_000


@pytest.mark.parametrize(
    "content",
    [gzip.compress(b"a" * 99)[:-9], gzip.compress(b"a" * 99)[:5], gzip.compress(b"a") + b"more"],
    ids=["its end is missing", "its head is cut", "more follows"],
)
def test_broken_gzip_is_told(tmp_path, content):
    path = tmp_path / "x.gz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"x\.gz: is a broken gzip file"):
        read_content(path)


@pytest.mark.parametrize(("text", "size"), [("0", 0), ("512", 512), ("2k", 2048), ("3GiB", 3 << 30)])
def test_limits_are_read(text, size):
    assert read_limit(text) == size


@pytest.mark.parametrize("text", ["", "-1", "many", "1.5G", "9" * 400])
def test_strange_limits_are_told(text):
    with pytest.raises(ValueError, match=r"NETPLACE_READ_LIMIT: .* is not a number of bytes"):
        read_limit(text)


@pytest.mark.parametrize("spoil", [lambda b: b[:-30], lambda b: b[:70] + b"\xff" * 20 + b[90:]])
def test_a_damaged_npz_is_told(tmp_path, spoil):
    path = tmp_path / "w.npz"
    np.savez_compressed(path, W=np.arange(64).reshape(8, 8))
    path.write_bytes(spoil(path.read_bytes()))
    with pytest.raises(ValueError, match=r"w\.npz"):
        read_traffic(path)


def test_a_header_that_is_no_header_is_told(tmp_path):
    path = tmp_path / "w.npy"
    np.save(path, np.eye(3))
    path.write_bytes(path.read_bytes().replace(b"'descr'", b"'de(cr'").replace(b"}", b"'"))
    with pytest.raises(ValueError, match=r"w\.npy: is not a NumPy file of numbers"):
        read_traffic(path)


@pytest.mark.parametrize(
    ("shape", "told"),
    [
        ((10**9, 10**9), "1000000000 tasks are too many, expected at most 16"),
        ((2**62, 2**62), "tasks are too many"),
        ((10**30, 2), f"shape ({10**30}, 2) is not square"),
        ((-3, -3), "shape (-3, -3) is not square"),
        ((17, 17), "17 tasks are too many"),
        ((16, 16), "72 bytes of numbers, expected 2048 for the shape"),
        ((2, 2), "72 bytes of numbers, expected 32 for the shape"),
    ],
)
@pytest.mark.parametrize("packed", [False, True], ids=["npy", "npz"])
def test_what_a_header_promises_is_counted_before_memory_is_taken(tmp_path, shape, told, packed):
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": shape})
    path = tmp_path / ("w.npz" if packed else "w.npy")
    if packed:
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("W.npy", header.getvalue() + np.eye(3).tobytes())
    else:
        path.write_bytes(header.getvalue() + np.eye(3).tobytes())
    with pytest.raises(ValueError, match=re.escape(told)):
        read_traffic(path, 16)


def test_arrays_are_read_as_numpy_reads_them(tmp_path):
    W = np.asfortranarray(np.arange(9).reshape(3, 3), ">i4")
    np.save(tmp_path / "w.npy", W)
    np.savez(tmp_path / "w.npz", N=W, W=W)
    (tmp_path / "w.csv").write_text("0,1,2\n3,4,5\n6,7,8\n")
    for name in ("w.npy", "w.npz", "w.csv"):
        assert read_traffic(tmp_path / name).tolist() == [[0, 1, 2], [3, 0, 5], [6, 7, 0]]


@pytest.mark.parametrize("text", ["0,1\n1,0\n" * 9, ",".join("0" * 17) + "\n", "16,0,1\n"])
def test_lists_and_tables_of_too_many_tasks_are_refused(tmp_path, text):
    (tmp_path / "w.csv").write_text(text)
    with pytest.raises(ValueError, match=r"w\.csv"):
        read_traffic(tmp_path / "w.csv", 16)


def test_an_npz_without_w_is_told(tmp_path):
    with zipfile.ZipFile(tmp_path / "w.npz", "w") as file:
        file.writestr("W.txt", "1")
    with pytest.raises(ValueError, match="contains no matrix W"):
        read_traffic(tmp_path / "w.npz")


def test_a_flag_raises_the_limit(tmp_path, small_limit):
    np.savez_compressed(tmp_path / "w.npz", W=np.eye(100))
    asked = ["map", "--network", "torus:10x10", "--from", str(tmp_path / "w.npz"), "--mapping", "consecutive"]
    assert CliRunner().invoke(app, asked).exit_code == 2
    found = CliRunner().invoke(app, ["--read-limit", "1M", *asked])
    assert found.exit_code == 0, found.output
    assert os.environ["NETPLACE_READ_LIMIT"] == "10k"
    wrong = CliRunner().invoke(app, ["--read-limit", "lots", *asked])
    assert wrong.exit_code == 2
    assert "--read-limit: 'lots' is not a number of bytes" in wrong.stderr
