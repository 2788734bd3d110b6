"""Any bytes are read, or refused in a sentence: no other exception, no warning, no gigabytes, no waiting."""

import os
import re
import resource
import signal
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import READERS, write_samples

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
