"""``netplace explain`` and ``netplace whatif``."""

import json

import pytest
from answers import refused

from netplace.cosim import cosimulate, make_cosim_plan

GIVEN = {
    "machine": "torus:8x8", "workload": "applications", "jobs": 8, "sizes": "small", "intensity": "low",
    "policy": "easy", "partition": "random", "classes": "2d,3d",
}  # fmt: skip


@pytest.fixture(scope="module")
def run():
    plan = make_cosim_plan(GIVEN, seed=3)
    return plan, cosimulate(plan).outcome


@pytest.fixture(scope="module")
def folder(tmp_path_factory, run):
    from netplace.report.tables.cosim import write_folder

    made = tmp_path_factory.mktemp("cosim") / "out"
    write_folder(made, *run)
    return made


def test_on_the_command_line(netplace, folder, run):
    job = max(run[1]["jobs"], key=lambda row: row["slowdown"])["job"]
    shown = netplace("explain", folder, "--job", job, "--suspects", "1")
    assert shown.exit_code == 0, shown.stderr
    assert f"Run time of job {job}: " in shown.stdout
    found = json.loads(netplace("explain", folder, "--job", job, "--suspects", "1", "--json").stdout)
    assert found["job"]["job"] == job
    other = found["neighbours"][0]["job"]
    changed = json.loads(netplace("whatif", folder, "--without", other, "--job", job, "--json").stdout)
    assert changed["jobs"][0]["job"] == job
    assert changed["jobs"][0]["what_if"] == found["neighbours"][0]["without"]
    assert netplace("whatif", folder, "--mapping", f"{job}=random").exit_code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["whatif"], "nothing was changed"),
        (["whatif", "--without", "99"], "job 99: no job has this number, expected 1 to 8"),
        (["whatif", "--move", "1=nodes:0-63"], "expected free nodes"),
        (["whatif", "--without", "2", "--job", "2"], "--job: 2 is removed by --without 2"),
        (["explain", "--job", "99"], "job 99: no job has this number"),
    ],
)
def test_mistakes(netplace, folder, words, said):
    refused(netplace(words[0], folder, *words[1:]), said)


def test_no_folder(netplace, tmp_path):
    refused(netplace("explain", tmp_path / "nothing", "--job", "1"), "written by netplace cosim -o")
