"""Tables as CSV: mistakes with file and row; a name is a name, and never a formula of a spreadsheet."""

import csv
import io
import re
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from hypothesis import example, given
from hypothesis import strategies as st

from netplace.cli import app
from netplace.csv_files import as_cell, as_read, text_table, write_frame, write_rows
from netplace.runs.tables import read_table, write_table

HEAD = (
    "application,problem,tasks,network,partition,shape,mapping,settings,"
    "count,missing,failed,mean,std,min,max\n"
)
ROW = "butterfly,packets=1,16,mesh:4x4,whole,,{mapping},,2,0,0,{mean},0.0,{least},101\n"


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(mapping="random", mean="101.0", least="101"):
        rows = ROW.format(mapping="consecutive", mean="50", least="50")
        (tmp_path / "t.csv").write_text(HEAD + rows + ROW.format(mapping=mapping, mean=mean, least=least))

    return write


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda frame: frame.assign(mean=None), "row 1: lacks a number of runs, or the mean"),
        (lambda frame: frame.assign(failed=None), "row 1: lacks a number of runs"),
        (lambda frame: frame.assign(mapping="same"), "row 2: has the entry of a row above"),
        (lambda frame: frame.assign(netplace="table 2"), "row 1, netplace: .*format 2 found"),
        (lambda frame: frame.assign(netplace="table 1 " + "0" * 32), "row 1, netplace: .*format 1 found"),
        (lambda frame: frame.assign(netplace=["x", "y"]), "row 1, netplace: 'x' found, expected 'table"),
        (lambda frame: frame.assign(netplace=[frame["netplace"][0], ""]), "row 2, netplace: '' found"),
    ],
    ids=["mean", "count", "twice", "format", "older", "no format", "cut"],
)
def test_a_table_that_is_not_what_was_written_is_told(tmp_path, ending, damage, words):
    rows = "".join(ROW.format(mapping=name, mean="7.5", least="7") for name in ("random", "consecutive"))
    (tmp_path / "mine.csv").write_text(HEAD + rows)
    path = tmp_path / f"t.{ending}"
    write_table(read_table(tmp_path / "mine.csv"), path)
    assert read_table(path).equals(read_table(tmp_path / "mine.csv"))
    frame = damage(pd.read_parquet(path) if ending == "parquet" else pd.read_csv(path))
    write = frame.to_parquet if ending == "parquet" else frame.to_csv
    write(path, index=False)
    with pytest.raises(ValueError, match=rf"t\.{ending}, row \d") as caught:
        read_table(path)
    assert re.search(words, str(caught.value))


def run(*arguments):
    return CliRunner().invoke(app, arguments)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"mean": "2.8284271247461{903"}, "mean: '2.8284271247461{903' is not a number"),
        ({"least": "1.5"}, "min: '1.5' is not a whole number"),
        ({"least": "1e300"}, "min: '1e300' is not a whole number"),
    ],
)
@pytest.mark.parametrize("command", [("plot", "t.csv", "-o", "x.svg"), ("compare", "t.csv", "t.csv")])
def test_text_among_numbers_is_told(table, changed, words, command):
    table(**changed)
    result = run(*command)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert result.stderr.startswith("netplace: t.csv, row 2, ")
    assert words in result.stderr
    assert len(result.stderr) < 300


@pytest.mark.parametrize(
    "name", ["[/x]", "[bold]a.trc", "$\\frac$", "$x", "$$", "a\x1b[2Jb", "\\$a", "100%_^{"]
)
def test_names_are_names(table, name):
    table(mapping=name)
    other = HEAD + ROW.format(mapping=name, mean="7", least="7")
    with open("u.csv", "w") as file:
        file.write(other)
    shown = run("compare", "t.csv", "u.csv", "--fail-if", "different")
    assert shown.exit_code == 1, shown.output
    assert name.replace("\x1b", "\\x1b") in shown.stdout
    for ending in ("svg", "png"):
        drawn = run("plot", "t.csv", "-o", f"x.{ending}")
        assert drawn.exit_code == 0, drawn.output


def test_a_logarithm_is_written_as_people_read_it(tmp_path):
    """Where a $ is a $, the labels that Matplotlib makes by itself are still numbers."""
    picture = tmp_path / "w.svg"
    made = run(
        "workload", "make", "lublin", "--nodes", "64", "--jobs", "50", "-o", str(tmp_path / "[a]$w.csv")
    )
    assert made.exit_code == 0, made.output
    drawn = run("workload", "info", str(tmp_path / "[a]$w.csv"), "-o", str(picture))
    assert drawn.exit_code == 0, drawn.output
    assert "[a]$w.csv" in drawn.stdout
    text = re.sub(r"<!--.*?-->", "", picture.read_text(), flags=re.DOTALL)
    assert "mathdefault" not in text
    assert "[a]$w.csv" in text


def test_names_that_leave_no_room_are_no_warning(table):
    table(mapping="a very long name of a mapping " * 9)
    assert run("plot", "t.csv", "-o", "x.svg", "--column").exit_code == 0


def test_a_folder_whose_name_reads_like_an_address_is_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("jobs.csv").write_text("number,submit,nodes,run_time\n1,0,2,10\n2,5,4,20\n")
    command = ("schedule", "--machine", "mesh:4x4", "--workload", "jobs.csv", "-o", "file:out")
    assert CliRunner().invoke(app, command).exit_code == 0
    assert CliRunner().invoke(app, ("export", "file:out", "-o", "file:x.csv")).exit_code == 0
    for name in ("rows.csv", "figures.json"):
        assert (tmp_path / "file:out" / name).is_file()


READERS = (*("compare {} t.csv", "compare t.csv {}"), *("plot {} -o x.svg", "report {} -o x.html"))


@pytest.fixture
def tables(tmp_path, monkeypatch):
    """Return a folder with a good table, and others whose text is spoiled."""
    monkeypatch.chdir(tmp_path)
    frame = pd.read_csv(io.StringIO(HEAD + ROW.format(mapping="random", mean="9", least="9")))
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


NAMES = [
    "=1+2", "@SUM(A1)", "+a", "-a", "\tx", "\rx", "'=1", "''-x", "=HYPERLINK(1)", "-", "plain", "'quoted'",
]  # fmt: skip
NUMBERS = ["-1", "+2.5", "-.5e-3", "-inf", "+1e9"]


def cells(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


@given(st.text(alphabet=st.sampled_from("=+-@\t\r'a1.e "), max_size=6))
@example("'=")
def test_every_name_comes_back_and_none_is_a_formula(name):
    written = as_cell(name)
    assert as_read(written) == name
    if str(written)[:1] in set("=+-@\t\r"):
        float(written)  # then it is a number


@pytest.mark.parametrize("value", [-1, -0.5, None, True, *NUMBERS])
def test_numbers_stay_numbers(value):
    assert as_cell(value) == as_read(value) == value


def test_tables_and_their_columns(tmp_path):
    frame = pd.DataFrame({"name": NAMES, "=column": range(len(NAMES)), "value": [-0.5] * len(NAMES)})
    write_frame(frame, tmp_path / "t.csv")
    head, *rows = cells(tmp_path / "t.csv")
    assert head == ["name", "'=column", "value"]
    assert not [row[0] for row in rows if row[0][0] in "=+-@\t\r"]
    assert {row[2] for row in rows} == {"-0.5"}
    read = text_table(tmp_path / "t.csv")
    assert list(read["name"]) == NAMES
    assert list(read.columns) == ["name", "=column", "value"]
    write_rows(tmp_path / "r.csv", ["name"], ([name] for name in NAMES))
    assert [row[0] for row in cells(tmp_path / "r.csv")[1:]] == [row[0] for row in rows]


def test_a_table_of_run_times_keeps_names(tmp_path):
    columns = "application problem tasks network partition shape mapping settings"
    columns += " count missing failed mean std min max"
    row = ["=cmd", "@x", 16, "+net", "-p", "", "=m", "", 1, 0, 0, 9.0, 0.0, 9.0, 9.0]
    frame = pd.DataFrame([row], columns=columns.split())
    write_table(frame, tmp_path / "t.csv")
    (written,) = cells(tmp_path / "t.csv")[1:]
    assert written[:7] == ["'=cmd", "'@x", "16", "'+net", "'-p", "", "'=m"]
    read = read_table(tmp_path / "t.csv")
    assert read.loc[0, ["application", "problem", "network", "partition", "mapping"]].tolist() == [
        *("=cmd", "@x", "+net", "-p", "=m")
    ]
