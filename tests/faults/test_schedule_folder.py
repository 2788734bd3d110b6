"""A folder of a schedule is data: its figures are checked key by key, its rows by their digest."""

from __future__ import annotations

import json
import shutil

import pytest

from netplace.checks.results_file import results_text
from netplace.runs.plan import make_plan
from netplace.runs.schedule_folder import FIGURES, ROWS, VERSION, read_figures

GIVEN = {"machine": "torus:4x4", "workload": "lublin", "jobs": 30, "policy": "easy", "load": 0.8}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    from netplace.report.tables.schedule import write_folder
    from netplace.runs.schedules import carry_out

    plan = make_plan(GIVEN, seed=2)
    made = tmp_path_factory.mktemp("schedule") / "out"
    write_folder(made, plan, carry_out(plan, keep_nodes=True), None)
    return made


@pytest.fixture
def folder(written, tmp_path):
    for name in (FIGURES, ROWS):
        shutil.copy(written / name, tmp_path)
    return tmp_path


def change(folder, place, value):
    """Put a value at a place, None: nothing, with a checksum that fits."""
    content = json.loads((folder / FIGURES).read_text())
    for name in ("netplace", "version", "checksum"):
        del content[name]
    inner = content
    for key in place[:-1]:
        inner = inner[key]
    if value is None:
        del inner[place[-1]]
    else:
        inner[place[-1]] = value
    (folder / FIGURES).write_text(results_text("schedule", VERSION, content))


def test_what_was_written_is_read(folder):
    plan, figures = read_figures(folder)
    assert plan == make_plan(GIVEN, seed=2)
    assert figures["metrics"]["jobs"] == 30


def test_fields_that_came_later_have_their_defaults(folder):
    change(folder, ("plan", "switching"), None)
    change(folder, ("rows_digest",), None)
    assert read_figures(folder)[0] == make_plan(GIVEN, seed=2)


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        (("plan", "machine"), 3, "plan.machine: 3 found, expected text"),
        (("plan", "machines"), "x", "plan.machines: is not a key that is known here"),
        (("plan", "policy"), None, "plan.policy: is missing"),
        (("plan", "options"), [[1]], r"plan.options\[0\]: \[1\] found, expected a list of 2 values"),
        (("metrics", "jobs"), "30", "metrics.jobs: '30' found"),
        (("metrics", "per_job", "wait"), [], "metrics.per_job.wait"),
        (("steady",), [], r"steady: \[\] found, expected a table"),
        (("notes",), [1], r"notes\[0\]: 1 found, expected text"),
        (("versions",), "1", "versions: '1' found, expected a table"),
        (("cpu_seconds",), -1.0, "cpu_seconds: -1.0 found"),
        (("rows_digest",), "0", r"rows.csv: is not what was written beside figures.json"),
        (("more",), 1, "more: is not a key that is known here"),
    ],
    ids=str,
)
def test_every_key_is_checked(folder, place, value, said):
    change(folder, place, value)
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
    with pytest.raises(ValueError, match="is not there, expected a folder"):
        read_figures(folder)
