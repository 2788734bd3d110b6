"""``netplace schedule``: figures, files, studies, and what it says of mistakes."""

import gzip
import json

import numpy as np
import pandas as pd
import pytest
from answers import described, refused

from netplace.report.plots import write_figure
from netplace.report.plots.schedules import gantt_figure, holders, utilisation_figure
from netplace.scheduling import Job, schedule
from netplace.topologies import mesh

SMALL = ["schedule", "--machine", "torus:4x4x4", "--workload", "lublin", "--jobs", "200", "--load", "0.7"]
STUDY = """\
machine = "torus:4x4x4"
workload = "lublin"
jobs = 100
load = 0.8
policy = ["fcfs", "easy"]
partition = ["contiguous", "non-contiguous"]
seeds = 2
"""
LOG = """\
; MaxNodes: 16
1 0 -1 100 8 -1 -1 8 200 -1 1 1 1 1 1 1 -1 -1
2 5 -1 50 4 -1 -1 4 50 -1 1 1 1 1 1 1 -1 -1
3 6 -1 50 40 -1 -1 40 50 -1 1 1 1 1 1 1 -1 -1
4 7 -1 30 2 -1 -1 2 -1 -1 0 1 1 1 1 1 -1 -1
5 8 -1 30 4 -1 -1 4 30 -1 5 1 1 1 1 1 -1 -1
"""


@pytest.fixture
def log(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with gzip.open(tmp_path / "log.swf.gz", "wt") as file:
        file.write(LOG)
    return "log.swf.gz"


def test_one_schedule_as_json_and_as_files(netplace, tmp_path):
    folder, rows = tmp_path / "out", tmp_path / "rows.parquet"
    result = netplace(
        *SMALL, "--policy", "easy", "--partition", "contiguous", "--json", "-o", folder, "--rows", rows
    )
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    metrics = found["metrics"]
    assert {file.name for file in folder.iterdir()} == {
        "provenance.json", "rows.csv", "figures.json", "gantt.png", "utilisation.png", "occupancy.png",
    }  # fmt: skip
    frame = pd.read_csv(folder / "rows.csv")
    assert len(frame) == metrics["jobs"] == 200 - metrics["rejected"]
    held = (frame["held"] * (frame["end"] - frame["start"])).sum()
    capacity = 64 * (frame["end"].max() - frame["submit"].min())
    assert metrics["utilisation"] == pytest.approx(held / capacity)
    assert (frame["start"] - frame["submit"]).mean() == pytest.approx(metrics["per_job"]["wait"]["mean"])
    assert frame["contiguous"].all()
    assert set(frame["state"]) == {"done"}
    pd.testing.assert_frame_equal(pd.read_parquet(rows), frame, check_dtype=False)
    assert json.loads((folder / "figures.json").read_text())["metrics"]["jobs"] == len(frame)
    assert found["plan"]["policy"] == "easy"
    assert f"{metrics['without_estimate']:,} jobs have no estimate" in result.stderr
    assert found["steady"]["wait"]["batches"] == 20


def test_the_screen_shows_figures_and_spreads(netplace):
    result = netplace(*SMALL, "--locality")
    assert result.exit_code == 0, result.stderr
    for word in ("utilisation (%)", "locality", "bounded slowdown", "scheduler CPU", "±"):
        assert word in result.stdout


def test_a_log_is_read_filtered_and_cut(netplace, log):
    def found(*flags):
        result = netplace("schedule", "--machine", "tree:2,3", "--workload", log, "--json", *flags)
        assert result.exit_code == 0, result.stderr
        return json.loads(result.stdout), result.stderr

    everything, said = found()
    assert everything["metrics"]["jobs"] == 4
    assert everything["rejected"] == {
        "jobs": [3], "sizes": [40], "first": "it needs more than the 8 nodes of the machine",
    }  # fmt: skip
    assert "1 jobs can never run on tree:2,3 and are rejected" in said
    assert found("--cores-per-node", "8")[0]["metrics"]["jobs"] == 5
    dropped, said = found("--drop", "failed,cancelled")
    assert dropped["metrics"]["jobs"] == 2
    assert "failed" in said
    assert found("--jobs", "2")[0]["metrics"]["jobs"] == 2
    slower, _ = found("--times", "factors:2,2")
    assert slower["metrics"]["run_factor"] == 2
    assert slower["metrics"]["makespan"] > everything["metrics"]["makespan"]


def test_penalties_fail_at_the_estimate_unless_told_otherwise(netplace, log):
    flags = ["schedule", "--machine", "tree:2,3", "--workload", log, "--times", "penalty:linear,9", "--json"]
    result = netplace(*flags)
    assert json.loads(result.stdout)["plan"]["overrun"] == "kill"
    kept = netplace(*flags, "--overrun", "keep")
    assert json.loads(kept.stdout)["plan"]["overrun"] == "keep"
    assert json.loads(kept.stdout)["metrics"]["failed"] == 0


def test_a_study_is_carried_out_once(netplace, tmp_path, monkeypatch):
    (tmp_path / "study.toml").write_text(STUDY)
    found = described(netplace("schedule", tmp_path / "study.toml", "--json", "-o", tmp_path / "out"))
    assert len(found["schedules"]) == 8
    assert {one["plan"]["seed"] for one in found["schedules"]} == {0, 1}
    assert {one["measure"] for one in found["differences"]} == {"bounded slowdown"}
    wanted = ("--figure", "wait", "--figure", "utilisation")
    asked = described(netplace("schedule", tmp_path / "study.toml", "--json", *wanted))["differences"]
    assert [one["measure"] for one in asked] == ["wait", "utilisation"] * 2
    for one in found["differences"]:
        unknown = one["verdict"] == "one run"  # batches of waits are worth fewer than ten independent values
        assert one["p_value"] is None if unknown else 0 <= one["p_value"] <= 1
    assert [(one["compared"], one["cases"]) for one in found["differences"]] == [
        ("policy", 2),
        ("partition", 2),
    ]
    frame = pd.read_csv(tmp_path / "out" / "schedules.csv")
    assert len(frame) == 8
    assert set(frame["policy"]) == {"fcfs", "easy"}

    def never(plan):
        raise AssertionError("carried out again")

    monkeypatch.setattr("netplace.runs.schedules.outcome_of", never)
    again = netplace("schedule", tmp_path / "study.toml", "--json")
    assert described(again) == found
    shown = netplace("schedule", tmp_path / "study.toml", "--quiet")
    assert "8 schedules" in shown.stdout
    assert "What differs from the first?" in shown.stdout


def test_one_schedule_is_kept_if_wanted(netplace, tmp_path, monkeypatch):
    flags = [*SMALL, "--store", tmp_path / "kept.sqlite", "--json"]
    first = netplace(*flags)
    assert first.exit_code == 0, first.stderr

    def never(*_, **__):
        raise AssertionError("carried out again")

    monkeypatch.setattr("netplace.runs.schedules.run_schedule", never)
    again = netplace(*flags)
    assert (again.stdout, again.stderr) == (first.stdout, first.stderr)


def test_an_interrupted_study_goes_on(netplace, tmp_path, monkeypatch):
    import netplace.runs.schedules as module

    (tmp_path / "study.toml").write_text(STUDY)
    carried = []
    real = module.outcome_of

    def interrupted(plan):
        if len(carried) == 3:
            raise KeyboardInterrupt
        carried.append(plan)
        return real(plan)

    monkeypatch.setattr(module, "outcome_of", interrupted)
    assert netplace("schedule", tmp_path / "study.toml").exit_code == 130
    monkeypatch.setattr(module, "outcome_of", lambda plan: carried.append(plan) or real(plan))
    assert netplace("schedule", tmp_path / "study.toml").exit_code == 0
    assert len(carried) == len({plan.key for plan in carried}) == 8


@pytest.mark.all
def test_applications_run_as_long_as_a_table_says(netplace, tmp_path):
    flags = [
        "schedule", "--machine", "torus:4x2x2", "--workload", "applications", "--jobs", "3", "--classes",
        "3d", "--sizes", "small", "--intensity", "low", "--repeats", "10:20", "--partition", "contiguous:bps",
        "--json",
    ]  # fmt: skip
    simulated = netplace(*flags, "--times", f"table:{tmp_path / 'runs.sqlite'}", "--simulate")
    assert simulated.exit_code == 0, simulated.stderr
    looked_up = netplace(*flags, "--times", f"table:{tmp_path / 'runs.sqlite'}")
    assert looked_up.exit_code == 0, looked_up.stderr
    first, second = (json.loads(one.stdout)["metrics"] for one in (simulated, looked_up))
    assert first["makespan"] == second["makespan"] > 0
    lacking = netplace(*flags, "--times", f"table:{tmp_path / 'runs.sqlite'}", "--intensity", "high")
    refused(lacking, "lacks", "packets=64 with ")


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ([], ["--machine: not given", "torus:32x32x32"]),
        (["--machine", "torus:4x4"], ["--workload: not given", "lublin"]),
        (["--machine", "tours:4x4", "--workload", "lublin"], ["unknown name 'tours'", "did you mean torus"]),
        ([*SMALL[1:], "--policy", "eazy"], ["unknown name 'eazy'", "did you mean easy"]),
        ([*SMALL[1:], "--machine", "tree:4,3", "--partition", "quasi-contiguous:120"], ["120", "0"]),
        (
            [*SMALL[1:], "--cores-per-node", "4"],
            ["--cores-per-node: 4 given, but workload lublin is a model"],
        ),
        ([*SMALL[1:], "--times", "table:x.sqlite", "--simulate"], ["lublin run no program"]),
        ([*SMALL[1:], "--mapping", "random"], ["--mapping: 'random' given", "do not depend on it"]),
        ([*SMALL[1:], "--policy", "sjf", "--estimates", "fixed"], ["expected the form fixed:SECONDS"]),
        ([*SMALL[1:], "--overrun", "requeue"], ["policy fcfs does not backfill"]),
        ([*SMALL[1:], "--partition", "contiguous:bps"], ["needs run times of a table"]),
        ([*SMALL[1:], "--workers", "2"], ["--workers: 2 given"]),
        ([*SMALL[1:], "-o", "nowhere/out"], ["the folder nowhere does not exist"]),
        (
            ["--machine", "torus:4x4", "--workload", "applications"],
            ["jobs of workload applications have no run times", "table:"],
        ),
        (["no.toml", "--policy", "easy"], ["--policy: given with no.toml"]),
    ],
)
def test_mistakes_end_in_one_sentence(netplace, tmp_path, monkeypatch, flags, words):
    monkeypatch.chdir(tmp_path)
    refused(netplace("schedule", *flags), *words)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('polcy = "easy"', ["study.toml:1: key: unknown name 'polcy'", "did you mean policy"]),
        (STUDY.replace('"easy"', '"eazy"'), ["study.toml:5: policy: unknown name 'eazy'"]),
        (STUDY.replace("seeds = 2", "seeds = 1000000"), ["describes 4,000,000 schedules"]),
    ],
)
def test_mistakes_in_a_study_file_are_told_with_their_line(netplace, tmp_path, text, words):
    (tmp_path / "study.toml").write_text(text)
    refused(netplace("schedule", tmp_path / "study.toml"), *words)
    assert [file.name for file in tmp_path.iterdir()] == ["study.toml"]


@pytest.mark.pictures
def test_pictures_need_nodes_and_say_what_they_leave_out(tmp_path, monkeypatch):
    jobs = [Job(number, number, 1 + number % 4, 5) for number in range(40)]
    kept = schedule(mesh((8,)), jobs, "fcfs", "random", keep_nodes=True)
    monkeypatch.setattr("netplace.report.plots.schedules._MOST_BOXES", 30)
    write_figure(tmp_path / "gantt.svg", gantt_figure(kept, "many"))
    assert "jobs are too small to see" in (tmp_path / "gantt.svg").read_text()
    write_figure(tmp_path / "utilisation.svg", utilisation_figure(kept, "many"))
    assert (tmp_path / "utilisation.svg").stat().st_size > 1000
    bare = schedule(mesh((8,)), jobs, "fcfs", "random")
    with pytest.raises(ValueError, match="does not contain the nodes"):
        gantt_figure(bare)
    with pytest.raises(ValueError, match="does not contain the nodes"):
        holders(bare, 3)
    assert not (tmp_path / "none.png").exists()


def test_holders_are_those_that_run_at_the_time():
    jobs = [Job(7, 0, 3, 10), Job(8, 0, 2, 4), Job(9, 5, 2, 4)]
    made = schedule(mesh((6,)), jobs, "fcfs", "non-contiguous", keep_nodes=True)
    assert holders(made, 0).tolist() == [7, 7, 7, 8, 8, -1]
    assert holders(made, 4).tolist() == [7, 7, 7, -1, -1, -1]
    assert holders(made, 5).tolist() == [7, 7, 7, 9, 9, -1]
    assert (holders(made, 10) == -1).all()
    assert np.unique(holders(made, 8.9)).tolist() == [-1, 7, 9]


@pytest.mark.all
@pytest.mark.pictures
def test_energy_is_told_in_tables_rows_and_pictures(netplace, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = [*SMALL[:-4], "--jobs", "30", "--load", "0.5", "--policy", "easy", "--power", "taurus"]
    done = netplace(*words, "--switching", "timeout:300", "--json", "-o", "out")
    power = json.loads(done.stdout)["power"]
    assert power["energy"] == pytest.approx(sum(power["by_state"].values()))
    assert power["hindsight"] <= power["energy"] < power["always_on"]
    assert sum(power["shares"].values()) == pytest.approx(1)
    rows = pd.read_csv(tmp_path / "out" / "rows.csv")
    assert rows["energy"].sum() == pytest.approx(power["by_state"]["busy"])
    assert (rows["boot_wait"] >= 0).all()
    assert (tmp_path / "out" / "power.png").stat().st_size > 1000
    shown = netplace(*words).stdout
    assert "Energy, always-on" in shown
    assert "switched in hindsight" in shown
    assert "power" not in json.loads(netplace(*words[:-2], "--json").stdout)


def test_switching_is_compared_in_a_study(netplace, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "node.toml").write_text("[nodes]\nbusy = 200\n")
    said = STUDY.replace('["fcfs", "easy"]', '"easy"').replace("seeds = 2", "seeds = 1").replace("100", "30")
    said = said.replace('["contiguous", "non-contiguous"]', '"non-contiguous"')
    said += 'power = "node.toml"\nswitching = ["always-on", "timeout", "plan:slot=3600,late=0"]\n'
    (tmp_path / "study.toml").write_text(said)
    done = netplace("schedule", "study.toml", "-o", "out")
    assert "kWh" in done.stdout
    frame = pd.read_csv(tmp_path / "out" / "schedules.csv")
    assert frame["switching"].tolist() == ["always-on", "timeout", "plan:slot=3600,late=0"]
    assert frame["energy"].iloc[1] < frame["energy"].iloc[0]
    assert (frame["energy"] >= frame["hindsight"] - 1e-6).all()
