"""Bytes that are no UTF-8, in any file: an answer or a sentence, whatever reads it."""

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from netplace.runs.tables import write_table

HERE = Path(__file__).parent
COLUMNS = "application problem tasks network partition shape mapping settings"
COLUMNS += " count missing failed mean std min max"
ROW = ["butterfly", "", 16, "torus:4x4", "whole", "", "random", "", 1, 0, 0, 9.0, 0.0, 9.0, 9.0]
READERS = (
    *("table diff {} t.csv", "table diff t.csv {}", "compare {} t.csv"),
    *("plot {} -o x.svg", "report {} -o x.html"),
)


@pytest.fixture
def tables(tmp_path, monkeypatch):
    """Return a folder with a good table, and others whose text is spoiled."""
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame([ROW], columns=COLUMNS.split())
    for name in ("t.csv", "t.parquet"):
        write_table(frame, tmp_path / name)
    for name in ("t.csv", "t.parquet"):
        content = (tmp_path / name).read_bytes().replace(b"butterfly", b"b\xfftterfly")
        (tmp_path / f"bad-{name}").write_bytes(content)
    offsets = pa.array([0, 2], pa.int32()).buffers()[1]
    text = pa.Array.from_buffers(pa.string(), 1, [None, offsets, pa.py_buffer(b"b\xff")])
    table = pa.Table.from_pandas(frame, preserve_index=False)
    pq.write_table(table.set_column(0, "application", text), tmp_path / "bad-of-others.parquet")
    return tmp_path


@pytest.mark.parametrize("name", ["bad-t.csv", "bad-t.parquet", "bad-of-others.parquet"])
@pytest.mark.parametrize("reader", READERS)
def test_a_table_with_spoiled_text_is_refused_in_a_sentence(netplace, tables, reader, name):
    done = netplace(*reader.format(name).split())
    assert done.exit_code == 2
    assert done.stderr.splitlines()[-1].startswith(f"netplace: {name}: is not a table, ")
    assert not {path.name for path in tables.iterdir()} & {"x.svg", "x.html"}


SPOIL = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from files_to_spoil import COMMANDS, make_files
from fuzz import Input, attempt
make_files(Path("."))
for name in sorted(COMMANDS):
    path = Path(name)
    if not path.is_file():
        continue
    content = path.read_bytes()
    for place in (0, len(content) // 3, len(content) // 2, len(content) - 2):
        path.write_bytes(content[:place] + b"\\xff\\xc3" + content[place + 1 :])
        for arguments in COMMANDS[name][:2]:
            _, fault = attempt(Input(0, tuple(arguments)))
            if fault:
                print("FAULT", name, place, arguments, fault)
    path.write_bytes(content)
print("DONE")
"""


@pytest.mark.slow
def test_every_file_with_bytes_that_are_no_text(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", SPOIL, HERE],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    assert done.stdout == "DONE\n", done.stderr[-2000:]
