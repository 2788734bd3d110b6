"""Reading is bounded: a small file that unpacks to a large one is refused, and damage is told."""

import gzip
import io
import zipfile

import numpy as np
import pytest

from netplace.apps.formats import read as read_trace
from netplace.files import read_content
from netplace.report.files.traffic import read_traffic
from netplace.scheduling.workload import read as read_workload

LINE = b"s 0 1 0 64\nr 0 1 0 64\n"


@pytest.fixture
def small_limit(monkeypatch):
    monkeypatch.setattr("netplace.files.MOST_UNPACKED", 10_240)


@pytest.mark.parametrize("content", [gzip.compress(b"\n" * 20_000), gzip.compress(LINE * 100) * 10])
def test_a_gzip_bomb_is_refused_in_one_member_or_many(tmp_path, small_limit, content):
    path = tmp_path / "a.swf.gz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"a\.swf\.gz: unpacks to more than 10,240 bytes"):
        read_workload(path)


def test_traces_need_no_limit(tmp_path, small_limit):
    (tmp_path / "a.trc.gz").write_bytes(gzip.compress(LINE * 100) * 10)  # unpacked a part at a time
    (tmp_path / "a.trc").write_bytes(LINE * 1000)
    assert len(read_trace(tmp_path / "a.trc.gz")) == len(read_trace(tmp_path / "a.trc")) == 2000


def test_an_npz_bomb_is_refused(tmp_path, small_limit):
    np.savez_compressed(tmp_path / "w.npz", W=np.zeros((100, 100)))
    with pytest.raises(ValueError, match=r"w\.npz: unpacks to more than"):
        read_traffic(tmp_path / "w.npz")


def test_gzip_is_read_as_gzip_reads_it(tmp_path):
    packed = b"".join(map(gzip.compress, (b"one", b"", b"two" * 100_000)))
    (tmp_path / "x.gz").write_bytes(packed + b"\0" * 512)
    assert read_content(tmp_path / "x.gz") == b"one" + b"two" * 100_000


@pytest.mark.parametrize(
    "content",
    [gzip.compress(b"a" * 99)[:-9], gzip.compress(b"a" * 99)[:5], gzip.compress(b"a") + b"more"],
    ids=["its end is missing", "its head is cut", "more follows"],
)
def test_broken_gzip_is_told(tmp_path, content):
    (tmp_path / "x.gz").write_bytes(content)
    with pytest.raises(ValueError, match=r"x\.gz: is a broken gzip file"):
        read_content(tmp_path / "x.gz")


@pytest.mark.parametrize("shape", [(2**62, 2**62), (-3, -3), (16, 16), (10**6, 10**6)])
@pytest.mark.parametrize("packed", [False, True], ids=["npy", "npz"])
def test_a_header_that_promises_other_numbers_is_told(tmp_path, shape, packed):
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": shape})
    path = tmp_path / ("w.npz" if packed else "w.npy")
    if packed:
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("W.npy", header.getvalue() + np.eye(3).tobytes())
    else:
        path.write_bytes(header.getvalue() + np.eye(3).tobytes())
    with pytest.raises(ValueError, match=r"w\.np[yz]: is not a NumPy file of numbers, "):
        read_traffic(path, 16)
