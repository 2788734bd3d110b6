"""The study of the speed-up that pays for contiguity on trees."""

import numpy as np
import pandas as pd
import pytest
from answers import csv_rows
from click.testing import CliRunner

from netplace.cli import app
from netplace.experiments.quasi_contiguous import LIKE, beside_printed, cases, logs, needed, tree_for
from netplace.experiments.shared.archive_logs import FOLDER
from netplace.report.studies import STUDIES
from netplace.report.studies.study import make_request
from netplace.scheduling.workload import lublin, write
from netplace.topologies import parse

pytestmark = pytest.mark.all  # carries out a study

STUDY = STUDIES["quasi-contiguous"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a log, as a user would have it."""
    found = tmp_path / "logs"
    found.mkdir()
    write(lublin(60, 200, seed=3, load=0.8), found / "small.swf.gz")
    monkeypatch.setenv(FOLDER, str(found))
    return found


@pytest.mark.parametrize(
    ("nodes", "tree"),
    [
        (4008, "tree:4,6"),
        (240, "tree:4,4"),
        (1152, "tree:6,4"),
        (4096, "tree:4,6"),
        (4097, "tree:6,5"),
        (1, "tree:4,1"),
    ],
)
def test_the_smallest_tree_with_room(nodes, tree):
    assert tree_for(nodes) == tree
    assert parse(tree).nodes >= nodes


def test_logs_of_a_folder(folder):
    [log] = logs()
    assert (log.name, log.machine, log.seeds) == ("small", "tree:4,3", 1)
    (folder / "wrong.swf").write_text("1 2 3\n")
    with pytest.raises(ValueError, match=r"wrong.swf, line 1: 3 columns, expected 18"):
        logs()


def test_logs_that_are_given_come_in_place_of_the_folder(folder, tmp_path):
    write(lublin(100, 300, seed=4, load=0.8), tmp_path / "other.swf")
    given = [str(tmp_path / "other.swf")]
    request = make_request(STUDY, ["logs"], quick=True, logs=given)
    assert {case.plan().workload for case in cases(request)} == {given[0]}
    assert {case.stream.name for case in cases(make_request(STUDY, ["logs"], quick=True))} == {"small"}


@pytest.mark.parametrize("part", ["lublin", "published"])
def test_logs_that_are_given_and_not_taken_are_told(part, tmp_path):
    write(lublin(100, 300, seed=4, load=0.8), tmp_path / "other.swf")
    with pytest.raises(
        ValueError, match=rf"^--log .*other.swf: has no effect on {part}; expected --table logs"
    ):
        cases(make_request(STUDY, [part], quick=True, logs=[str(tmp_path / "other.swf")]))
    with pytest.raises(ValueError, match=r"^--log .*none.swf: there is no such file, expected a log"):
        cases(make_request(STUDY, ["logs"], quick=True, logs=[str(tmp_path / "none.swf")]))


def test_a_folder_that_is_not_there_is_told(monkeypatch, tmp_path):
    monkeypatch.setenv(FOLDER, str(tmp_path / "none"))
    done = CliRunner().invoke(app, ["study", STUDY.name, "--quick", "-o", str(tmp_path / "out")])
    assert done.exit_code == 2
    assert "none: there is no such folder, expected one with .swf files" in done.stderr


def test_schedules_of_the_whole_study(monkeypatch, tmp_path):
    monkeypatch.delenv(FOLDER, raising=False)
    monkeypatch.chdir(tmp_path)
    wanted = cases(make_request(STUDY))
    assert len(wanted) == len(LIKE) * 2 * 3 * (1 + 7 * 6)
    plans = {case: case.plan() for case in wanted}
    # Without a speed-up it does not matter who keeps it.
    assert len({plan.key for plan in plans.values()}) == len(LIKE) * 2 * 3 * (1 + 7 * 6 - 1)
    times = {(case.allocation, case.speedup): plan.times for case, plan in plans.items()}
    assert times["contiguous", 0] == times["non-contiguous", 0] == "log"
    assert times["qct 30 %, lost", 20] == "factors:0.8,1"
    assert times["qct 30 %, kept", 20] == "factors:0.8,0.8"


def test_the_speed_up_needed_of_made_up_figures():
    group = {"workload": "w", "machine": "tree:4,4", "policy": "fcfs", "contiguous": 1.0}
    rows = []
    for seed, at in ((0, 10.0), (1, 20.0)):
        base = {**group, "seed": seed, "speedup": 0}
        rows.append({**base, "allocation": "non-contiguous", "turnaround": 50.0})
        for speedup in (0, 25, 50):
            reached = 50 * np.exp(-0.02 * (speedup - at))
            rows.append({**base, "allocation": "contiguous", "speedup": speedup, "turnaround": reached})
    [found] = needed(pd.DataFrame(rows), (0, 25, 50)).to_dict("records")
    assert found["speed-up needed"] == pytest.approx(15)
    assert found["turnaround without"] == pytest.approx(np.exp(0.3))


def test_the_quick_version_with_a_log(folder, tmp_path, quick):
    quick(STUDY.name, tmp_path / "out")
    for part, workload in (("lublin", "like HPC2N"), ("logs", "small")):
        rows = {(row["policy"], row["allocation"]): row for row in csv_rows(tmp_path / "out" / f"{part}.csv")}
        assert {row["workload"] for row in rows.values()} == {workload}
        fcfs = {name: row for (policy, name), row in rows.items() if policy == "fcfs"}
        share = {name: float(row["contiguous jobs"]) for name, row in fcfs.items()}
        assert share["contiguous"] == 1 > share["qct 20 %, lost"]
        assert float(fcfs["contiguous"]["turnaround without"]) > 1
        assert 0 < float(fcfs["contiguous"]["speed-up needed"]) < 50
        assert (tmp_path / "out" / f"{part}.png").is_file()


def test_logs_that_are_absent_are_said_to_be_left_out(monkeypatch, tmp_path):
    monkeypatch.delenv(FOLDER, raising=False)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["study", STUDY.name, "--quick", "--workers", "1", "--table", "logs"])
    assert done.exit_code == 0, done.output
    text = (tmp_path / f"study-{STUDY.name}-quick" / "report.md").read_text()
    assert "Logs are left out: there is none in the folder swf" in text


def test_whole_logs_on_machines_as_installed(folder):
    (folder / "small.swf.gz").rename(folder / "HPC2N-small.swf.gz")
    made = cases(make_request(STUDY, ["published", "published-bf", "published-bf-counted"]))
    assert {case.stream.installed for case in made} == {240}
    plans = [case.plan() for case in made]
    assert {(plan.machine, plan.installed, plan.jobs) for plan in plans} == {("tree:4,4", 240, None)}
    assert {plan.overrun for plan in plans if plan.policy != "fcfs"} == {"requeue"}
    assert {plan.policy for plan in plans} == {"fcfs", "easy", "easy-counted"}
    assert {case.threshold for case in made} == {None, 0, 10, 20, 30, 40}
    assert all(case.kept for case in made if case.threshold)
    for part, speedups in (("waits", {0}), ("waits-by-speed-up", {0, 10, 20, 30})):
        assert {case.speedup for case in cases(make_request(STUDY, [part]))} == speedups


def test_thresholds_stand_beside_the_printed():
    row = {"workload": "HPC2N", "policy": "fcfs", "speed-up needed": 20.0, "±": np.nan}
    cells = pd.DataFrame([{**row, "allocation": "contiguous"}, {**row, "allocation": "qct 10 %, kept"}])
    found = beside_printed(cells)
    assert found["printed"].tolist() == [24, 18]
    assert found["difference"].tolist() == [-4, 2]
    assert beside_printed(cells, quick=True)["printed"].isna().all()
