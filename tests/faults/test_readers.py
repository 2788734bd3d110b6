"""Any bytes are read, or refused in a sentence; what unpacks to too much is refused, damage told."""

import gzip
import io
import os
import re
import resource
import signal
import zipfile
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import READERS, TRACES, write_samples

from netplace.apps.formats import format_of
from netplace.apps.formats import read as read_trace
from netplace.apps.formats.catalog import FORMATS
from netplace.files import read_content
from netplace.report.files.traffic import read_traffic
from netplace.scheduling.workload import read as read_workload

TOKENS = [
    *(b"-1", b"0", b"2", b"17", b"0.5", b"-0.0", b"1e308", b"nan", b"2147483648", b"4611686018427387904"),
    *(b"9223372036854775808", b"1" * 40, b"9" * 5000, b"a" * 5000, b"", b" ", b"\t", b"\n", b"\r", b"\x00"),
    *(b"\x0b", b"\xff\xc3", "\uff11".encode(), b"1_000", b"0x10", b"true", b"null", b"''", b'"', b",", b"#"),
    *(b"{", b"}", b"[", b"]", b"[" * 3000, b"=", b"../..", b"x.py:f", b"%s", b"--", b"torus:1", b"random"),
]  # fmt: skip
ROOM = 1 << 30  # bytes that a reader may take


def spoiled(sample: bytes) -> st.SearchStrategy[bytes]:
    """Return other bytes: at random, or the sample cut off or with other words."""
    words = re.findall(rb"\w+|\W", sample)
    word = st.sampled_from(TOKENS) | st.sampled_from(words) | st.binary(max_size=8)
    places = st.integers(0, len(words) - 1)

    def put(edits: dict[int, bytes]) -> bytes:
        return b"".join(edits.get(place, old) for place, old in enumerate(words))

    return st.one_of(
        st.dictionaries(places, word, min_size=1, max_size=3).map(put),
        places.map(lambda place: b"".join(words[:place])),
        st.text(max_size=200).map(str.encode),
        st.binary(max_size=200),
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder of good files, and limit the memory of this process."""
    made = tmp_path_factory.mktemp("samples")
    write_samples(made)
    with open("/proc/self/statm") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (now + ROOM, before[1]))
    yield made
    resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.mark.parametrize("name", READERS)
def test_a_good_file_is_read(folder, name):
    READERS[name](folder / name)


def test_every_format_of_traces_has_a_good_file(folder):
    traces = [folder / name for name in TRACES]
    found = {format_of(path.parent if path.suffix == ".calls" else path).suffix for path in traces}
    # OTF2 is read by the library of Score-P.
    assert {item.suffix for item in FORMATS.values()} - found == {".otf2"}


@pytest.mark.parametrize("name", READERS)
@given(data=st.data())
def test_any_bytes_are_read_or_refused_in_a_sentence(folder, name, data):
    path = folder / name
    good = path.read_bytes()
    path.write_bytes(data.draw(spoiled(good)))
    try:
        error = error_of(READERS[name], path)
    finally:
        path.write_bytes(good)
    if isinstance(error, OSError):
        assert error.filename not in (None, str(path))  # another file, which this one names
    elif error is not None:
        assert 10 < len(str(error)) < 1500


def error_of(reader, path):
    try:
        reader(path)
    except (ValueError, OSError) as error:
        return error


PATIENCE = 20  # seconds


@contextmanager
def alarm():
    def stop(*_):
        raise AssertionError("waits for a writer")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("name", READERS)
def test_no_reader_waits_for_a_named_pipe(tmp_path, name):
    write_samples(tmp_path)
    (tmp_path / name).unlink()
    os.mkfifo(tmp_path / name)
    with alarm(), pytest.raises(ValueError, match="is a pipe"):
        READERS[name](tmp_path / name)


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
