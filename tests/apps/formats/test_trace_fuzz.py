"""Broken files of every format, cut off or overwritten: they are refused in a sentence, or read."""

import gzip
import random
import shutil
from pathlib import Path

import pytest
from golden_traces import folder

from netplace.apps.formats import open_trace, read, rewrite
from netplace.apps.recorded import summary_of

# Traces of others in their folders, and how often each is tried; OTF2 takes a process each time.
COPIED = {
    "dumpi/sst-dumpi-testtrace-4": 12,
    "chakra/astra-sim-microbenchmarks/all_gather/4npus_1MB": 12,
    "otf2/pipit-ping-pong-2": 4,
}


def spoiled(content, rng):
    """Return some bytes with one thing wrong."""
    place = rng.randrange(len(content) + 1)
    other = rng.randrange(len(content) + 1)
    some = bytes(rng.choice(b"\0\xff-9eR:{ \n") for _ in range(rng.randint(1, 6)))
    match rng.randrange(5):
        case 0:
            return content[:place]
        case 1:
            return content[:place] + some + content[place + len(some) :]
        case 2:
            return content[:place] + some + content[place:]
        case 3:
            return content[min(place, other) : max(place, other)]
        case _:
            return content[:place] + content[other : other + 40] + content[place:]


def attempt(path, out):
    """Read a trace in every way; say how often it was refused, which must be in a sentence."""
    told = []
    for use in (
        lambda: summary_of(open_trace(path)).as_data(),
        lambda: read(path, cycles_per_us=1.0).check(),
        lambda: rewrite(lambda: open_trace(path), out / "out.trace"),
    ):
        try:
            use()
        except ValueError as error:
            told.append(str(error))
    assert [text for text in told if not 10 < len(text) < 1500 or "Traceback" in text] == []
    return len(told)


def test_a_broken_binary_schedule_is_refused_or_read(tmp_path, monkeypatch):
    monkeypatch.setattr("netplace.inputs.MOST_BYTES", 64 << 20)
    content = (Path(__file__).parent / "goal" / "three.bin").read_bytes()
    rng = random.Random("three.bin")
    assert attempt_of(tmp_path, "a.bin", content) == 0
    assert sum(attempt_of(tmp_path, "a.bin", spoiled(content, rng)) for _ in range(100)) > 50


def attempt_of(folder, name, content):
    (folder / name).write_bytes(content)
    return attempt(folder / name, folder)


@pytest.mark.all
@pytest.mark.parametrize("trace", COPIED)
def test_a_broken_trace_of_others_is_refused_or_read(tmp_path, trace, monkeypatch):
    monkeypatch.setattr("netplace.inputs.MOST_BYTES", 64 << 20)
    copy = tmp_path / "trace"
    shutil.copytree(folder() / trace, copy)
    rng = random.Random(trace)
    parts = sorted(part for part in copy.rglob("*") if part.is_file() and part.suffix not in (".md", ".txt"))
    refused = 0
    for _ in range(COPIED[trace]):
        part = rng.choice(parts)
        content = part.read_bytes()
        part.chmod(0o644)
        part.write_bytes(spoiled(content, rng))
        refused += attempt(copy, tmp_path)
        part.write_bytes(content)
    assert refused


def test_a_broken_paraver_trace_is_refused_or_read(tmp_path, monkeypatch):
    monkeypatch.setattr("netplace.inputs.MOST_BYTES", 64 << 20)
    whole = gzip.decompress((folder() / "paraver" / "epoch_2proc.prv.gz").read_bytes())
    content = b"".join(whole.splitlines(keepends=True)[:400])
    shutil.copy(folder() / "paraver" / "epoch_2proc.pcf.gz", tmp_path / "a.pcf.gz")
    rng = random.Random("paraver")
    assert sum(attempt_of(tmp_path, "a.prv", spoiled(content, rng)) for _ in range(12))


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
