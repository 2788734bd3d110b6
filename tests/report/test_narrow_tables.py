"""Tables on narrow terminals: whole numbers, no line wider than the terminal."""

import io

import pytest
from rich.console import Console

from netplace.report.terminal.screen import fitting, table

NUMBERS = [f"{10**place + 7:,.1f}" for place in range(12)]
COLUMNS = ["a job's", *(f"mean packet-hops of {place}" for place in range(12)), "steady state, 95 %"]
ROWS = [
    ["curve:hilbert-cut,sum-of-squares", *NUMBERS, "31,378.1 ± 13,280.6"],
    [],
    ["~", *NUMBERS[::-1], "-"],
]


def printed(made, width):
    console = Console(file=io.StringIO(), width=width, highlight=False)
    for part in fitting(made, console):
        console.print(part)
    return console.file.getvalue()


@pytest.mark.parametrize("width", [60, 80, 99, 140])
def test_numbers_are_whole_and_lines_fit(width):
    lines = printed(table("A table of many columns", COLUMNS, ROWS), width).splitlines()
    assert all(len(line) <= width for line in lines)
    words = " ".join(lines).split()
    assert all(words.count(number) == 2 for number in NUMBERS)
    assert {"31,378.1", "13,280.6"} <= set(words)
    assert sum("A table of many columns" in line for line in lines) == " ".join(lines).count("job's")


def test_what_fits_is_left_as_it_is():
    made = table("", COLUMNS, ROWS)
    assert fitting(made, Console(width=400)) == [made]
    one = table("", ["text"], [["word " * 100]])
    assert fitting(one, Console(width=80)) == [one]


def test_each_part_has_the_columns_that_tell_rows_apart():
    numbers = [f"more packet-hops of {place}" for place in range(8)]
    rows = [
        [app, net, *[f"{10**6 + place:,}" for place in range(8)]] for app in "ab" for net in ("tree", "torus")
    ]
    made = table("", ["app", "class", "network", *numbers], [[row[0], "S", *row[1:]] for row in rows])
    for place in range(3):
        made.columns[place].justify = "left"
    for part in fitting(made, Console(width=60)):
        headings = [str(column.header) for column in part.columns]
        assert {"app", "network"} <= set(headings)
