"""``netplace workload``: what it writes can be read, and what it says is so."""

import json

import pytest
from answers import refused

from netplace.scheduling.workload import describe, lublin, read

JOB = "{0} {1} -1 60 4 -1 -1 4 90 -1 {2} -1 -1 -1 -1 -1 -1 -1\n"


def test_a_model_is_made_written_and_described(netplace, tmp_path):
    path = tmp_path / "w.swf.gz"
    made = netplace("workload", "make", "lublin", "--nodes", 256, "--load", 0.7, "--jobs", 900, "-o", path)
    assert made.exit_code == 0, made.stderr
    assert "0.700" in made.stdout
    assert list(read(path)) == list(lublin(256, 900, load=0.7))
    shown = netplace("workload", "info", path, "--json")
    assert json.loads(shown.stdout) == describe(lublin(256, 900, load=0.7)).to_dict()
    assert shown.stderr == ""


def test_applications_of_some_classes(netplace, tmp_path):
    path = tmp_path / "w.csv"
    words = "workload make applications --nodes 512 --jobs 50 --mean-interarrival 3 --classes 2d,3d"
    made = netplace(
        *words.split(), *["--sizes", "large", "--intensity", "low", "--repeats", "5:9", "--json", "-o"], path
    )
    assert made.exit_code == 0, made.stderr
    found = read(path)
    assert {job.program[:2] for job in found} == {"2d", "3d", "wa"}
    assert all(5 <= job.repeats <= 9 and job.program.endswith(",bytes=256") for job in found)
    assert sum(json.loads(made.stdout)["programs"].values()) == 50
    assert "3d-torus" in netplace("workload", "info", path).stdout


def test_without_a_file_nothing_is_written(netplace, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert netplace("workload", "make", "lublin", "--nodes", 8, "--jobs", 20).exit_code == 0
    assert not list(tmp_path.iterdir())


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "log.swf"
    lines = [JOB.format(1, 9, 1), JOB.format(2, 3, 0), JOB.format(3, 5, 5), JOB.format(4, 6, 2)]
    path.write_text("; MaxProcs: 8\n" + "".join(lines))
    return path


def test_what_was_done_to_a_log_is_said_on_stderr(netplace, log):
    shown = netplace("workload", "info", log, "--json")
    found = json.loads(shown.stdout)
    assert (found["records"], found["jobs"], found["machine_nodes"]) == (4, 3, 8)
    assert found["load"] == pytest.approx(2 * 4 * 60 / (8 * 6))
    assert shown.stderr.splitlines() == [
        "netplace: jobs dropped: 1 of 4, part of a job that another line contains as a whole",
        "netplace: jobs sorted by submit time: 1 followed a later one, 0 share their time with another",
    ]


def test_options_of_a_log(netplace, log):
    shown = netplace("workload", "info", log, "--json", "--drop", "failed,cancelled", "--cores-per-node", 4)
    found = json.loads(shown.stdout)
    assert (found["jobs"], found["machine_nodes"], found["nodes"]["max"]) == (1, 2, 1)
    found = json.loads(netplace("workload", "info", log, "--json", "--nodes", 3).stdout)
    assert (found["machine_nodes"], found["larger_than_machine"]) == (3, 3)
    shown = netplace("workload", "info", log).stdout
    assert "dropped: part of a job that another line contains as a whole" in shown
    assert "100.0 %" in shown


@pytest.mark.all
@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
@pytest.mark.pictures
def test_a_workload_is_drawn(netplace, log, tmp_path, ending):
    result = netplace("workload", "info", log, "-o", tmp_path / f"w.{ending}")
    assert result.exit_code == 0, result.stderr
    start = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[ending]
    assert (tmp_path / f"w.{ending}").read_bytes().startswith(start)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["make", "lublin"], "Missing option '--nodes'"),
        (["make", "lublin", "--nodes", "4", "--sizes", "large"], "--sizes: is not an option of lublin"),
        (["make", "applications", "--nodes", "64", "--repeats", "5"], "'5' is not of the form LEAST:MOST"),
        (["info", "log.swf", "--drop", "faild"], "did you mean failed"),
    ],
)
def test_a_mistake_about_workloads_is_one_sentence(netplace, log, monkeypatch, arguments, words):
    monkeypatch.chdir(log.parent)
    (log.parent / "broken.swf").write_text(JOB.format(1, 0, 1) + "1 2 3\n")
    before = sorted(log.parent.iterdir())
    refused(netplace("workload", *arguments), words)
    assert sorted(log.parent.iterdir()) == before
