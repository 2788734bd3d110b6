"""Folders of schedules are data: plans are checked, rows by their digest."""

import shutil

import pytest

from netplace.plugins import file_digest
from netplace.runs.plan import make_plan
from netplace.runs.schedule_folder import FIGURES, ROWS, node_ranges, read_figures, read_schedule

GIVEN = {"machine": "torus:4x4", "workload": "lublin", "jobs": 30, "policy": "easy", "load": 0.8}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    from netplace.report.tables.schedule import write_folder
    from netplace.runs.schedules import run_schedule

    plan = make_plan(GIVEN, seed=2)
    made = tmp_path_factory.mktemp("schedule") / "out"
    write_folder(made, plan, run_schedule(plan, keep_nodes=True), None)
    return made


@pytest.fixture
def folder(written, tmp_path):
    for name in (FIGURES, ROWS):
        shutil.copy(written / name, tmp_path)
    return tmp_path


def test_what_was_written_is_read(folder):
    plan, figures = read_figures(folder)
    assert plan == make_plan(GIVEN, seed=2)
    assert figures.metrics.jobs == 30


def test_fields_that_came_later_have_their_defaults(change, folder):
    change(folder / FIGURES, ("plan", "switching"), None)
    change(folder / FIGURES, ("rows_digest",), None)
    assert read_figures(folder)[0] == make_plan(GIVEN, seed=2)


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        (("plan", "machine"), 3, "plan.machine: 3 found, expected text"),
        (("plan", "workload"), None, "plan.workload: is missing"),
        (("rows_digest",), "0", r"rows.csv: does not match figures.json"),
    ],
    ids=str,
)
def test_the_plan_and_the_digest_are_checked(change, folder, place, value, said):
    change(folder / FIGURES, place, value)
    with pytest.raises(ValueError, match=said):
        read_figures(folder)


@pytest.mark.parametrize("name", [FIGURES, ROWS])
def test_damage_is_told(folder, name):
    content = bytearray((folder / name).read_bytes())
    content[-20] ^= 1
    (folder / name).write_bytes(content)
    with pytest.raises(ValueError, match=name):
        read_figures(folder)
    (folder / name).unlink()
    with pytest.raises(ValueError, match="does not exist, expected a folder"):
        read_figures(folder)


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("number", "1.5", "row 2, number: '1.5' is not a whole number from -2"),
        ("start", "inf", "row 2, start: 'inf' is not a number from -1e"),
        ("start", "-5", "row 2: expected submit, start and end in this order"),
        ("state", "gone", "row 2, state: 'gone' is unknown, expected open or done or failed"),
        ("places", "0-3 2", "row 2, places: '0-3 2' found, expected numbers of nodes such as 0-3 8"),
        ("places", "3-0", "row 2, places: '3-0' found"),
    ],
)
def test_every_cell_is_checked_though_the_digest_holds(change, folder, column, value, said):
    lines = [line.split(",") for line in (folder / ROWS).read_text().splitlines()]
    lines[2][lines[0].index(column)] = value
    (folder / ROWS).write_text("\n".join(map(",".join, lines)) + "\n")
    change(folder / FIGURES, ("rows_digest",), file_digest(folder / ROWS))
    with pytest.raises(ValueError, match=rf"rows\.csv, {said}"):
        read_schedule(folder)


def test_rows_that_are_no_table_are_told(change, folder):
    for text, said in (("", "is no table of jobs"), ("a,b\n1,2\n", "has no column number"), ("\xff", "rows")):
        (folder / ROWS).write_text(text, encoding="latin-1")
        change(folder / FIGURES, ("rows_digest",), file_digest(folder / ROWS))
        with pytest.raises(ValueError, match=said):
            read_schedule(folder)


def test_ranges_of_nodes_take_no_room(folder):
    assert node_ranges("0-999999999999 2000000000000") == [(0, 10**12), (2 * 10**12, 2 * 10**12 + 1)]
