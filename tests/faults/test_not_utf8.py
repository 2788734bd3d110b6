"""Tables with bytes that are no UTF-8 are refused in a sentence by every command."""

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from netplace.runs.tables import write_table

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
