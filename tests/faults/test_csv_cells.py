"""Names in CSV are text for spreadsheets, never formulas, and come back as they were."""

import csv

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from netplace.csv_files import as_cell, as_read, text_table, write_frame, write_rows
from netplace.runs.tables import read_table, write_table

NAMES = [
    "=1+2",
    "@SUM(A1)",
    "+a",
    "-a",
    "\tx",
    "\rx",
    "'=1",
    "''-x",
    "=HYPERLINK(1)",
    "-",
    "plain",
    "'quoted'",
]
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
