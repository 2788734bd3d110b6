"""``netplace cosim``, ``explain`` and ``whatif``: one run, files, resuming, studies, and mistakes."""

import json

import pandas as pd
import pytest
from answers import described, refused

from netplace.cosim import cosimulate, make_cosim_plan
from netplace.scheduling.metrics.comparison import MEANINGS

SMALL = [
    "cosim", "--machine", "torus:4x4", "--workload", "applications", "--jobs", "5", "--sizes", "small",
    "--intensity", "low",
]  # fmt: skip
STUDY = """\
machine = "torus:4x4"
workload = "applications"
jobs = 5
sizes = "small"
intensity = "low"
policy = ["fcfs", "easy"]
partition = ["non-contiguous", "random"]
seeds = 2
"""


def test_one_run_as_json_and_as_files(netplace, tmp_path):
    folder = tmp_path / "out"
    found = described(netplace(*SMALL, "--policy", "easy", "--partition", "random", "--json", "-o", folder))
    assert len(found["jobs"]) == found["figures"]["schedule"]["jobs"] == 5
    for job in found["jobs"]:
        assert {"wait", "start", "end", "nodes", "alone", "live", "slowdown"} <= set(job)
        assert len(job["nodes"]) == job["size"]
    names = {file.name for file in folder.iterdir()}
    assert names == {"provenance.json", "cosim.json", "jobs.csv", "jobs.parquet", "sharing.png"}
    frame = pd.read_parquet(folder / "jobs.parquet")
    assert frame["live"].tolist() == [job["live"] for job in found["jobs"]]
    before = (folder / "cosim.json").stat().st_mtime_ns
    again = netplace(*SMALL, "--policy", "easy", "--partition", "random", "--json", "-o", folder)
    assert described(again) == found
    assert (folder / "cosim.json").stat().st_mtime_ns == before


def test_a_store_keeps_what_was_carried_out(netplace, tmp_path):
    store = tmp_path / "kept.sqlite"
    first, second = (netplace(*SMALL, "--store", store, "--json") for _ in range(2))
    assert first.exit_code == second.exit_code == 0
    assert json.loads(first.stdout) == json.loads(second.stdout)  # CPU seconds included


def test_tables_for_people(netplace):
    result = netplace(*SMALL, "--partition", "random")
    assert result.exit_code == 0, result.stderr
    assert "mean slowdown due to sharing" in result.stdout
    assert "Error of table times" in result.stdout


def test_a_study_of_a_log_is_compared_by_seeds_where_these_differ(netplace, tmp_path):
    jobs = "".join(f"{number},{number}e-6,{4 + 4 * (number % 2)},0,butterfly\n" for number in range(1, 6))
    (log := tmp_path / "jobs.csv").write_text("number,submit,nodes,run_time,program\n" + jobs)
    study = f'machine = "mesh:4x4"\nworkload = "{log}"\npolicy = "easy"\nfidelity = "live"\nseeds = 5\n'
    for other, unit in (("random", "seeds"), ("contiguous", "jobs")):
        (tmp_path / "study.toml").write_text(f'{study}partition = ["non-contiguous", "{other}"]\n')
        found = described(netplace("cosim", tmp_path / "study.toml", "--json", "--figure", "turnaround"))
        assert [one["unit"] for one in found["means"]] == [unit, unit]
        assert [one["measure"] for one in found["differences"]] == ["turnaround"]
        assert [one["pairs"] for one in found["differences"]] == [5 if unit == "seeds" else 1]


@pytest.mark.all
def test_a_study_tells_which_rankings_turn(netplace, tmp_path):
    study = tmp_path / "study.toml"
    study.write_text(STUDY)
    kept = ("--store", tmp_path / "kept.sqlite")
    found = described(netplace("cosim", study, "--workers", "1", "--json", "-o", tmp_path / "out", *kept))
    assert len(found["cosimulations"]) == 16
    assert {one["plan"]["fidelity"] for one in found["cosimulations"]} == {"table", "live"}
    assert {(one["compared"], one["measure"]) for one in found["rankings"]} == {
        (compared, measure)
        for compared in ("partition", "policy")
        for measure in ("turnaround", "wait", "makespan")
    }
    for one in found["rankings"]:
        assert sorted(one["table"]) == sorted(one["live"])
        for pair in one["pairs"]:
            signs = [pair[kind]["mean"] for kind in ("table", "live")]
            assert pair["turns"] == (signs[0] * signs[1] < 0)
    assert len(pd.read_csv(tmp_path / "out/cosimulations.csv")) == 16
    shown = netplace("cosim", study, "-o", tmp_path / "again", *kept)
    assert shown.exit_code == 0
    lines = [line.rstrip() for line in shown.stdout.splitlines()]
    text = " ".join(line.strip() for line in lines)
    same = text.partition("Changes of rankings (")[2].partition(")")[0]
    constant = (
        "machine=torus:4x4", "workload=applications", "mapping=consecutive", "intensity=low", "sizes=small",
    )  # fmt: skip
    assert {*constant} <= {*same.split(", ")}
    assert " wait by partition, policy=easy" in lines
    assert " wait by policy, partition=random" in lines
    assert max(map(len, lines[lines.index(" least first") :])) <= 80
    assert max(map(len, lines[1:5])) <= 100  # a narrower terminal shows the table in parts
    assert "error of table %" in lines[3]
    assert "What differs from the first?" in shown.stdout
    jobs, frame = (pd.read_csv(tmp_path / "again" / name) for name in ("jobs.csv", "cosimulations.csv"))
    assert {"job", "wait", "slowdown", "fidelity"} <= set(jobs)
    assert len(jobs) == frame["compared"].sum()
    assert set(pd.read_csv(tmp_path / "again/differences.csv")["verdict"]) <= set(MEANINGS)
    assert (tmp_path / "again/comparison.png").is_file()
    assert (tmp_path / "again/report.html").is_file()


def test_a_log_says_nothing_of_applications(netplace, tmp_path):
    log = tmp_path / "log.swf"
    log.write_text("; MaxNodes: 16\n1 0 -1 100 8 -1 -1 8 200 -1 1 1 1 1 1 1 -1 -1\n")
    refused(netplace("cosim", "--machine", "torus:4x4", "--workload", log), "has no program")


def test_sampled_times_say_how_well_they_are_known(netplace):
    flags = ["--fidelity", "sampled", "--repeats", "100:200", "--partition", "random"]
    result = netplace(*SMALL, *flags)
    assert result.exit_code == 0, result.stderr
    assert "Precision of times" in result.stdout
    assert "simulated part of the time (%)" in result.stdout


def test_a_log_with_applications(netplace, tmp_path):
    log, mix = tmp_path / "log.swf", tmp_path / "mix.toml"
    log.write_text("; MaxNodes: 16\n1 0 -1 100 8 -1 -1 8 200 -1 1 1 1 1 1 1 -1 -1\n")
    mix.write_text('[[class]]\nprogram = "2d-torus,packets=4"\ncommunication = 0.3\n')
    words = ["--machine", "torus:4x4", "--workload", log, "--applications", mix, "--fidelity", "sampled"]
    (job,) = json.loads(netplace("cosim", *words, "--json").stdout)["jobs"]
    assert job["live"] == pytest.approx(100, rel=0.02)
    refused(
        netplace("cosim", *words, "--target-half-width", "2"),
        "--target-half-width: 2.0 is invalid, expected a number greater than 0 and under 1",
    )
    mix.write_text('[[class]]\nprogram = "butterfly"\nnodes = "9:"\n')
    refused(netplace("cosim", *words), "matches no class")


def test_jobs_that_never_end_fail_and_are_named(netplace):
    """Both partners of an exchange send first, and by rendezvous wait for each other."""
    words = [*SMALL, "--classes", "collectives", "--eager-limit", "0", "--policy", "easy", "--json"]
    result = netplace(*words)
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    states = {job["job"]: job["state"] for job in found["jobs"]}
    stuck = {one["job"] for one in found["failures"]}
    assert {job for job, state in states.items() if state == "failed"} == stuck
    assert 0 < len(stuck) < len(states)
    assert f"job {min(stuck)} failed: deadlock in cycle" in result.stderr


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
    assert f"What slowed job {job}, " in shown.stdout
    found = json.loads(netplace("explain", folder, "--job", job, "--suspects", "1", "--json").stdout)
    assert found["job"]["job"] == job
    other = found["neighbours"][0]["job"]
    changed = json.loads(netplace("whatif", folder, "--without", other, "--job", job, "--json").stdout)
    assert changed["jobs"][0]["job"] == job
    assert changed["jobs"][0]["what_if"] == pytest.approx(found["neighbours"][0]["without"], rel=0.2)
    assert netplace("whatif", folder, "--mapping", f"{job}=random").exit_code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["whatif"], "nothing was changed"),
        (["whatif", "--without", "99"], "job 99: no job has this number, expected 1 to 8"),
        (["whatif", "--without", "2", "--job", "2"], "--job: 2 is removed by --without 2"),
        (["explain", "--job", "99"], "job 99: no job has this number"),
    ],
)
def test_mistakes_in_what_is_explained(netplace, folder, words, said):
    refused(netplace(words[0], folder, *words[1:]), said)


def test_no_folder(netplace, tmp_path):
    refused(netplace("explain", tmp_path / "nothing", "--job", "1"), "written by netplace cosim -o")
