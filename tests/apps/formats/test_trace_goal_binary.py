"""Binary schedules of GOAL: ``three.bin`` is what LogGOPSim's txt2bin made of our text ``three.goal``."""

import gzip
import shutil
from pathlib import Path

import numpy as np
import pytest

from netplace.apps.formats import open_trace, read
from netplace.apps.recorded import Reading, summary_of

FOLDER = Path(__file__).parent / "goal"
CONTENT = (FOLDER / "three.bin").read_bytes()
FIRST = 54 + 8 + 8 + 8  # the place of the first operation of rank 0: table, counts, two that need nothing
SIZE = 39  # bytes of an operation


@pytest.fixture
def same(tmp_path):
    """Return what reads two files, the text and some bytes, into programs."""

    def programs(content, name="x.bin"):
        (tmp_path / name).write_bytes(content)
        return read(FOLDER / "three.goal", cycles_per_us=1000.0), read(tmp_path / name, cycles_per_us=1000.0)

    return programs


@pytest.mark.parametrize("packed", [False, True])
def test_it_is_the_program_of_its_text(same, packed):
    text, binary = same(gzip.compress(CONTENT) if packed else CONTENT, "told by what is in it")
    binary.check()
    for name in ("kind", "peer", "size", "tag", "request"):
        assert np.array_equal(getattr(text, name), getattr(binary, name)), name
    assert np.array_equal(text.task_of(), binary.task_of())
    assert binary.traffic().W.tolist() == [[0, 4096, 0], [16, 0, 1 << 32], [64, 0, 0]]


@pytest.mark.parametrize("in_order", [False, True])
def test_as_much_is_counted_in_it(in_order):
    text, binary = (
        summary_of(open_trace(FOLDER / f"three.{ending}", Reading(in_order=in_order))).as_data()
        for ending in ("goal", "bin")
    )
    assert binary == text


def changed(place, other):
    return CONTENT[:place] + other + CONTENT[place + len(other) :]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (CONTENT[:-1], "byte 605: ends too early, 1 bytes are missing"),
        (changed(0, b"\x26\x09"), "byte 0: LogGOPSim --save-mem has consumed the schedule"),
        (
            changed(FIRST, b"\x01"),
            "operation 0 has a number of requirements that does not match the operations that name it",
        ),
        (changed(FIRST + 4, b"\x04"), "operation 0 is not a send, recv or calc"),
        (changed(FIRST + SIZE + 5, b"\x03"), "operation 1 has a partner outside 0 to 2"),
        (
            changed(FIRST + 6 * SIZE, b"\x09"),
            "operation 0: its successor 9 does not exist, expected less than 6",
        ),
    ],
)
def test_what_is_broken_is_told_with_its_place(same, content, told):
    with pytest.raises(ValueError, match=told) as error:
        same(content)
    assert "x.bin, byte " in str(error.value)


def test_cut_off_anywhere_it_is_refused(tmp_path):
    for length in range(8, len(CONTENT), 7):
        (tmp_path / "x.bin").write_bytes(CONTENT[:length])
        with pytest.raises(ValueError, match="ends too early"):
            read(tmp_path / "x.bin")


def test_what_is_held_is_bounded(tmp_path, monkeypatch):
    shutil.copy(FOLDER / "three.bin", tmp_path / "x.bin")
    monkeypatch.setattr("netplace.inputs.MOST_BYTES", 3 << 10)
    with pytest.raises(ValueError, match=r"operations that must fit into memory would take "):
        read(tmp_path / "x.bin")
