"""What the terminal shows: tables no wider than it, means and spreads, and how far a long thing is."""

import io
import time

import pytest
from rich.console import Console

from netplace.apps.collectives import schedule
from netplace.report.tables.summary import means, spread
from netplace.report.terminal import progress as module
from netplace.report.terminal.progress import progress, sweep_progress
from netplace.report.terminal.screen import fitting, table
from netplace.runs.campaign import Progress

NUMBERS = [f"{10**place + 7:,.1f}" for place in range(12)]
COLUMNS = ["a job's", *(f"mean packet-hops of {place}" for place in range(12)), "steady state, 95 %"]
ROWS = [["curve:hilbert-cut,sum-of-squares", *NUMBERS, "31,378.1 ± 13,280.6"], [], ["~", *NUMBERS[::-1], "-"]]


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


def test_means_go_through_dicts_and_lists():
    one = {"a": 1, "b": [1, 2], "c": {"d": 4.0}, "e": "text", "f": None, "g": True}
    two = {"a": 2, "b": [3, 2], "c": {"d": 6.0}, "e": "text", "f": None, "g": True}
    assert means([one, two]) == {"a": 1.5, "b": [2, 2], "c": {"d": 5.0}, "e": "text", "f": None, "g": True}


def test_what_is_not_always_a_number_is_the_mean_of_those_that_are():
    assert means([{"p95": None}, {"p95": 3}]) == {"p95": 3}
    assert means([[1, 2], [3]]) == [1, 2]


def test_spread_is_that_of_a_sample():
    found = spread([1, 2, 3, 6])
    assert found == {"mean": 3, "std": pytest.approx((14 / 3) ** 0.5), "min": 1, "max": 6}
    assert spread([5])["std"] == 0


def test_a_terminal_shows_a_bar_that_goes_away(capsys, monkeypatch):
    monkeypatch.setattr(module.sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    with progress("cycles") as tell:
        tell(1_000_000)
        tell(2_000_000)
    assert "2,000,000 cycles" in capsys.readouterr().err


def test_what_fails_is_counted_and_the_end_is_told(capsys):
    with progress("runs", 3, ends=True) as tell:
        tell(3, 1)
    assert capsys.readouterr().err == "3 of 3 runs (100 %), 1 failed after 0 s\n"


def test_one_campaign_after_another_is_told_against_its_own_total(capsys):
    with sweep_progress() as tell:
        for total in (2, 3):
            for done in range(total + 1):
                tell(Progress(total, done))
    assert capsys.readouterr().err == "".join(f"{n} of {n} runs (100 %) after 0 s\n" for n in (2, 3))


def test_collectives_of_very_many_ranks_are_refused_at_once():
    with pytest.raises(ValueError, match="ranks: 4194304 is too large, expected at most 262144"):
        schedule("allreduce", 1 << 22, 1024)


@pytest.mark.parametrize(
    ("total", "done", "line"),
    [
        (9, 2, "2 of 9 jobs (22 %) after 400 s, 0:23:20 left\n"),
        (9, 8, "8 of 9 jobs (88 %) after 400 s, 0:05:00 left\n"),  # the last one may be long
        (None, 2_000_000, "2,000,000 jobs after 400 s\n"),
        (None, 0, "jobs: running after 100 s\n"),
    ],
)
def test_a_line_is_written_also_while_nothing_is_told(capsys, monkeypatch, total, done, line):
    clock = iter([0.0, 100.0])
    monkeypatch.setattr(module, "_SOON", 0.01)
    monkeypatch.setattr(module.time, "monotonic", lambda: next(clock, 400.0))
    with progress("jobs", total) as tell:
        tell(done)
        time.sleep(0.2)
    assert capsys.readouterr().err == line
