"""Placement studies: one file from programs to schedules."""

import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from netplace import bundled_trace
from netplace.cosim.plan import read_cosim_study
from netplace.cosim.runner import outcome_of
from netplace.inputs import FaultsError
from netplace.report.tables.schedule import compared_schedules
from netplace.runs.job_programs import expected_cpu_seconds
from netplace.runs.placement_file import is_placement_file, read_placement_file
from netplace.runs.resources import simulators
from netplace.runs.schedule_figures import ScheduleFigures
from netplace.runs.schedules import run_schedule, workload_of
from netplace.runs.store import Store
from netplace.runs.tabled_jobs import complete_tables, needed_run_times

STUDY = (Path(__file__).parent / "placement.toml").read_text()
LOG = """\
; MaxProcs: 16
1 0 5 600 4 -1 -1 4 900 -1 1 1 1 -1 1 -1 -1 -1
2 90 -1 300 8 -1 -1 8 900 -1 1 1 1 -1 1 -1 -1 -1
"""


@pytest.fixture
def study(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(STUDY)
    return path


def test_a_study_is_a_file_with_a_machine(study, tmp_path):
    assert is_placement_file(study)
    (tmp_path / "other.toml").write_text('machine = "torus:4x4"\n')
    assert not is_placement_file(tmp_path / "other.toml")
    assert not is_placement_file(tmp_path / "times.csv")


def test_lists_multiply_and_what_does_not_exist_is_noted(study):
    found = read_placement_file(study)
    assert len(found.plans) == 2 * 2 * 2 + 2 * 1 * 2  # no bps on the tree
    assert {plan.candidates for plan in found.plans if plan.machine == "tree:4,2"} == {("consecutive",)}
    assert any("mapping td is left out on tree:4,2" in note for note in found.notes)
    assert any("partition contiguous:bps is left out on tree:4,2" in note for note in found.notes)
    study.write_text(STUDY.partition("[schedule]")[0])
    usual = {(plan.partition, plan.mapping) for plan in read_placement_file(study).plans}
    assert usual == {("contiguous", "best-known")}, "a table needs no rules of schedules"


def test_a_trace_lies_beside_the_file_that_names_it(tmp_path):
    shutil.copy(bundled_trace("IS.W.16"), tmp_path / "own.trace.gz")
    study = tmp_path / "study.toml"
    study.write_text('[machine]\nnetwork = "torus:4x4"\n[[job]]\nprogram = "own.trace.gz,section=timed"\n')
    [job] = workload_of(read_placement_file(study).plans[0])
    assert (job.program, job.nodes) == (f"{tmp_path / 'own.trace.gz'},section=timed", 16)


def test_lists_of_jobs_multiply(study):
    top, _, rest = STUDY.partition("[[job]]")
    jobs = '[jobs]\nworkload = "applications"\njobs = 9\nclasses = ["2d", "3d"]\nhours = "1:10"\n'
    study.write_text(top + jobs + "[schedule]" + rest.partition("[schedule]")[2])
    plans = read_placement_file(study).plans
    assert {plan.classes for plan in plans} == {"2d", "3d"}
    assert all(3600 <= job.run_time <= 36_000 for job in workload_of(plans[0]))
    with pytest.raises(ValueError, match="hours: '1:10' given, but live jobs run programs"):
        read_cosim_study(study)


def test_a_second_schedule_simulates_nothing(study):
    plans = read_placement_file(study).plans
    steps = []
    lacking = needed_run_times(plans, workload_of)
    assert not study.with_suffix(".sqlite").exists(), "what is missing is told without a store"
    complete_tables(plans, workload_of, lambda: simulators(1), announce=steps.append)
    assert len(steps) >= 2, "repetitions take several steps"
    assert {run.key for run in lacking} == {run.key for run in steps[0]}
    assert 0 < expected_cpu_seconds(steps[0]) < 60
    assert needed_run_times(plans, workload_of) == []
    assert {run.key for run in needed_run_times(plans, workload_of, False)} == {run.key for run in lacking}
    outcomes = [run_schedule(plan).outcome for plan in plans]
    figures = [ScheduleFigures.from_dict(outcome) for outcome in outcomes]
    tested = {contest.measure for contest in compared_schedules(plans, figures, False).contests}
    assert tested == {"wait"}, "bounded slowdowns of jobs of microseconds are 1"
    first = [outcome["metrics"]["makespan"] for outcome in outcomes]
    complete_tables(plans, workload_of, lambda: pytest.fail("something was simulated again"))
    assert [run_schedule(plan).outcome["metrics"]["makespan"] for plan in plans] == first
    by_mapping = {(p.machine, p.policy, p.partition, p.mapping): t for p, t in zip(plans, first, strict=True)}
    for (machine, policy, partition, mapping), makespan in by_mapping.items():
        if mapping == "best-known" and partition == "contiguous" and policy == "fcfs":
            assert makespan <= by_mapping[machine, policy, partition, "consecutive"]


@pytest.mark.all
def test_a_study_that_was_killed_goes_on_to_the_same_schedules(study, tmp_path):
    def command(folder: Path) -> list[str]:
        (folder / "study.toml").write_text(STUDY.replace("1KiB", "64KiB"))
        return [sys.executable, "-m", "netplace", "schedule", "study.toml", "-o", "out"]

    whole, killed = tmp_path / "whole", tmp_path / "killed"
    whole.mkdir()
    killed.mkdir()
    subprocess.run(command(whole), cwd=whole, check=True, capture_output=True)
    for enough in (1, 4):
        process = subprocess.Popen(command(killed), cwd=killed, stderr=subprocess.DEVNULL)
        while process.poll() is None and _simulated(killed / "study.sqlite") < enough:
            time.sleep(0.01)
        process.kill()
        process.wait()
    subprocess.run(command(killed), cwd=killed, check=True, capture_output=True)
    for name in ("means.csv", "differences.csv"):
        assert (killed / "out" / name).read_text() == (whole / "out" / name).read_text()


def _simulated(path: Path) -> int:
    try:
        with Store(path, read_only=True) as store:
            return len(store.simulated())
    except (ValueError, OSError):  # it is being made
        return 0


def test_the_programs_of_a_log_come_from_classes(study, tmp_path):
    (tmp_path / "log.swf").write_text(LOG)
    top, _, rest = STUDY.partition("[[job]]")
    applications = '[applications]\ncommunication = 0.25\n[[applications.class]]\nprogram = "2d-mesh"\n'
    jobs = '[jobs]\nworkload = "log.swf"\n'
    study.write_text(top + jobs + applications + "[schedule]" + rest.partition("[schedule]")[2])
    plan = read_placement_file(study).plans[0]
    jobs = workload_of(plan)
    assert [(job.program, job.run_time, job.communication) for job in jobs] == [
        ("2d-mesh", 600.0, 0.25),
        ("2d-mesh", 300.0, 0.25),
    ]
    complete_tables([plan], workload_of, lambda: simulators(1))
    assert run_schedule(plan).schedule.end.max() >= 390


def test_the_same_jobs_are_co_simulated(study, tmp_path):
    (tmp_path / "log.swf").write_text(LOG)
    plans, notes = read_cosim_study(study)
    assert {plan.fidelity for plan in plans} == {"table", "live"}
    assert {plan.jobs.mapping for plan in plans} == {"consecutive"}
    assert "mapping best-known is left out" in " ".join(notes)
    top, _, rest = STUDY.partition("[[job]]")
    applications = '[applications]\ncommunication = 0.25\n[[applications.class]]\nprogram = "2d-mesh"\n'
    jobs = '[jobs]\nworkload = "log.swf"\njobs = 1\ndrop = "failed"\n'
    study.write_text(top + jobs + applications + "[schedule]" + rest.partition("[schedule]")[2])
    plans, notes = read_cosim_study(study)
    assert "contiguous:bps: needs run times of a table" in " ".join(notes)
    assert {plan.fidelity for plan in plans} == {"table", "sampled"}
    chosen = {(plan.applications, plan.jobs.jobs, plan.jobs.drop) for plan in plans}
    assert chosen == {(str(study), 1, "failed")}
    assert outcome_of(plans[0])["jobs"][0]["live"] == pytest.approx(600, rel=0.01)


def test_all_faults_are_told_at_once(study):
    spoiled = STUDY.replace("[table]", "vcss = 2\n[table]").replace('"td"', '"tdd"')
    spoiled = spoiled.replace("butterfly,bytes", "buterfly,bytes").replace("tasks = 4", "tasks = 0")
    study.write_text(spoiled)
    with pytest.raises(FaultsError) as caught:
        read_placement_file(study)
    assert len(caught.value.faults) == 4
    for fault, line in zip(("vcss", "tasks: 0", "buterfly", "tdd"), (3, 8, 13, 5), strict=True):
        assert any(re.search(rf"study\.toml:{line}: .*{fault}", told) for told in caught.value.faults), fault


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("[machine]\nnetwork", "[machine]\nnet", "unknown name 'net'; did you mean network"),
        ('network = ["torus:4x4", "tree:4,2"]', 'network = "tours:4x4"', "did you mean torus"),
        ("tasks = 4", "tasks = 64", "takes 64 hosts, but the machine has 16"),
    ],
)
def test_a_fault_is_told_with_its_line(study, old, new, sentence):
    study.write_text(STUDY.replace(old, new))
    with pytest.raises(ValueError, match=re.escape(sentence)):
        read_placement_file(study)
