"""Folders that -o writes are made again elsewhere, from what they keep alone."""

import contextlib
import json
import os
import shutil

import pytest
from answers import described, refused

from netplace.cli import rerun
from netplace.cli.provenance import outcome_folder
from netplace.cli.rerun import REPEATABLE
from netplace.report.files.provenance import FILE, read_provenance

SWEEP = 'network = ["torus:4x4", "mesh:4x4"]\ntrace = "{traces}/halo.csv"\nmapping = "random"\nseeds = 2\n'
SCHEDULES = 'machine = "torus:4x4"\nworkload = "in/w.swf"\npolicy = ["fcfs", "easy"]\n'
LOADS = 'network = "torus:4x4"\noffered = [0.1, 0.3]\nmeasure = 500\n'
# By command: the words, where {at} is the folder of the inputs.
COMMANDS = {
    "run": "run --network torus:4x4 --trace {at}/halo.csv --mapping random --seeds 2 --threads 1",
    "load": "load --network torus:4x4 --offered 0.1:0.3:0.1 --seeds 2 --measure 500",
    "load study": "load {at}/loads.toml",
    "table": "table {at}/sweep.toml --workers 1",
    "map": "map --network torus:4x4 --trace {at}/halo.csv --mapping td --search-iterations 3",
    "metrics": "metrics --network mesh:8x8 --app lu --class A --tasks 16 --configurations 3",
    "allocate": "allocate --machine mesh:8x8 --nodes 10 --partition mc --occupied {at}/held.txt",
    "schedule": "schedule --machine torus:4x4 --workload {at}/w.swf",
    "schedule study": "schedule schedules.toml --store kept.sqlite",
    "cosim": "cosim --machine torus:4x4 --workload applications --jobs 4 --sizes small",
    "advise": "advise --machine torus:4x4 --app 2d-torus --tasks 8 --simulations 8 --free 0-11",
    "study": "study two-kinds --quick --workers 1",
}


@pytest.fixture
def working(tmp_path, monkeypatch):
    """A working folder with inputs, in which a command runs."""
    place = tmp_path / "here" / "work"
    traces = place / "in"
    traces.mkdir(parents=True)
    pairs = "\n".join(f"{task},{(task + 1) % 8},4096" for task in range(8))
    (traces / "halo.csv").write_text("source,destination,bytes\n" + pairs + "\n")
    (traces / "sweep.toml").write_text(SWEEP.format(traces=traces))  # an absolute path in a file
    (traces / "loads.toml").write_text(LOADS)
    (traces / "held.txt").write_text("0-3\n8 9\n")
    jobs = [
        f"{n} {n * 50} 0 {100 + n} {1 + n % 7} -1 -1 {1 + n % 7} 900 -1 1 1 1 1 1 -1 -1 -1"
        for n in range(1, 30)
    ]
    (traces / "w.swf").write_text("; MaxNodes: 16\n" + "\n".join(jobs) + "\n")
    (place / "schedules.toml").write_text(SCHEDULES)
    monkeypatch.chdir(place)
    return place


def moved(working, tmp_path, monkeypatch, name="out"):
    """Bring an outcome to another place, delete all else, and return the outcome."""
    target = tmp_path / "elsewhere" / "copy"
    target.parent.mkdir()
    shutil.copytree(working / name, target)
    monkeypatch.chdir(target.parent)
    shutil.rmtree(tmp_path / "here")
    return target


@pytest.fixture(autouse=True)
def in_this_process(request, netplace, monkeypatch):
    """Let `rerun` run a command in this process, unless the test is about the one that it starts."""

    def run(kept, words, working, run_code):
        with contextlib.chdir(working):
            done = netplace(*words)
        assert done.exit_code == 0, done.output

    if "process" not in request.fixturenames:
        monkeypatch.setattr(rerun, "_run", run)


@pytest.fixture
def process():
    """Let `rerun` start a process for the command, which paints its pictures (so do those compared with)."""


CASES = [(name, False) for name in COMMANDS] + [(name, True) for name in ("run", "table", "allocate")]


@pytest.mark.parametrize(("name", "absolute"), CASES)
def test_an_outcome_is_made_again_elsewhere(netplace, working, tmp_path, monkeypatch, name, absolute):
    words = COMMANDS[name].format(at=working / "in" if absolute else "in").split()
    made = netplace(*words, "-o", "out")
    assert made.exit_code == 0, made.output
    copy = moved(working, tmp_path, monkeypatch)
    kept = read_provenance(copy)
    assert kept.command == words[0]
    assert kept.arguments == [*words[1:], "-o", "out"]
    assert words[0] == "allocate" or all(plan["key"] for plan in kept.plans)
    assert bool(kept.plans) == (words[0] != "allocate")  # which has flags alone, no plan
    assert kept.parameters
    assert kept.versions["netplace"]
    assert all(item.copy for item in kept.inputs)
    again = netplace("rerun", copy, "--json")
    assert again.exit_code == 0, again.output
    assert json.loads(again.stdout)["equal"] is True
    assert json.loads(again.stdout)["files"] == len(kept.outputs) > 0
    assert os.listdir(copy.parent) == ["copy"]  # nothing is written beside it


def made_run(netplace, *words):
    result = netplace("run", "--network", "torus:4x4", "--trace", "in/halo.csv", *words, "-o", "out")
    assert result.exit_code == 0, result.output


def test_all_commands_that_write_an_outcome_can_be_run_again():
    tried = {words.split()[0] for words in COMMANDS.values()}
    assert tried <= set(REPEATABLE)
    assert not {"record", "compare", "rerun", "report", "export"} & set(REPEATABLE)


def test_what_differs_is_told(netplace, working):
    made_run(netplace)
    kept = json.loads((working / "out" / FILE).read_text())
    results = json.loads((working / "out" / "run.json").read_text())
    results["packets"] += 1
    altered = json.dumps(results)
    (working / "out" / "run.json").write_text(altered)
    told = netplace("rerun", "out")
    assert told.exit_code == 1
    assert "run.json: has changed since netplace wrote it" in told.stdout
    # A folder whose results were other from the beginning, as of a program that counted otherwise.
    from netplace.checks.results_file import results_text
    from netplace.report.files.provenance import digests_of

    kept["outputs"] = digests_of(working / "out", list(kept["outputs"]))
    content = {key: value for key, value in kept.items() if key not in ("netplace", "version", "checksum")}
    (working / "out" / FILE).write_text(results_text("provenance", 1, content))
    told = netplace("rerun", "out")
    assert told.exit_code == 1
    assert f"packets: {results['packets']}, made again {results['packets'] - 1}" in told.stdout


@pytest.mark.pictures
def test_the_command_is_made_again_into_a_folder_that_is_kept(netplace, working, process):
    made_run(netplace)
    assert netplace("rerun", "out", "-o", "again").exit_code == 0
    assert (
        read_provenance(working / "again").outputs.keys() == read_provenance(working / "out").outputs.keys()
    )
    refused(netplace("rerun", "out", "-o", "again"), "-o again: is not empty")


@pytest.mark.pictures
def test_code_of_one_s_own_runs_only_if_it_is_allowed(netplace, working, process):
    (working / "mine.py").write_text(
        "import pathlib\npathlib.Path('ran').touch()\n"
        "from netplace.placement import MAPPINGS\n"
        "def back(problem):\n    return problem.nodes[::-1][: problem.tasks]\n"
        "MAPPINGS.add('back', back)\n"
    )
    made_run(netplace, "--plugin", "mine.py", "--mapping", "back")
    (working / "ran").unlink()
    refused(netplace("rerun", "out"), "runs mine.py, a Python program")
    assert netplace("rerun", "out", "--run-code").exit_code == 0


def forged(working, **changes):
    """Write other things into how an outcome was made, as if netplace had."""
    from netplace.checks.results_file import results_text

    kept = json.loads((working / "out" / FILE).read_text())
    content = {key: value for key, value in kept.items() if key not in ("netplace", "version", "checksum")}
    (working / "out" / FILE).write_text(results_text("provenance", 1, content | changes))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"command": "record", "arguments": ["-n", "1", "--", "touch", "ran"]}, "written by 'record'"),
        ({"command": "run; touch ran"}, "written by 'run; touch ran'"),
        (
            {"arguments": ["--network", "torus:4x4", "--app", "os:system", "--tasks", "2"]},
            "the command failed",
        ),
        ({"arguments": ["--network", "x; touch ran", "--app", "cg"]}, "network"),
        ({"arguments": "run"}, "arguments: 'run' found, expected a list"),
        (
            {"inputs": [{"path": "../" * 99 + "a", "bytes": 1, "sha256": "0" * 64}]},
            "a path goes up 99 folders",
        ),
        (
            {"inputs": [{"path": "a", "bytes": 1, "sha256": "0" * 64, "copy": "../../a"}]},
            "not the name of a copy",
        ),
        ({"outputs": {"../run.json": "0"}}, "not the name of a file in this folder"),
        ({"result": "/etc/passwd"}, "not the name of a file in this folder"),
    ],
)
def test_folders_of_others_run_nothing_and_lead_nowhere(netplace, working, process, changes, said):
    made_run(netplace)
    forged(working, **changes)
    told = netplace("rerun", "out")
    assert told.exit_code == 2, told.output
    assert said in " ".join(told.stderr.split())
    assert not list(working.parent.rglob("ran"))


@pytest.mark.pictures
def test_files_named_by_a_forged_command_are_written_below_the_temporary_folder(
    netplace, working, tmp_path, process
):
    made_run(netplace)
    target = tmp_path / "victim.csv"
    words = ["--network", "torus:4x4", "--trace", "in/halo.csv", f"--record-messages={target}"]
    forged(working, arguments=[*words, "-o", "out"])
    assert netplace("rerun", "out").exit_code == 0
    forged(working, arguments=[*words[:-1], "--record-messages", "../../victim.csv"])
    assert netplace("rerun", "out").exit_code == 0
    assert not target.exists()


def test_copies_that_were_changed_are_refused(netplace, working):
    made_run(netplace)
    [copy] = (working / "out" / "inputs").iterdir()
    copy.write_text("0 1\n")
    refused(netplace("rerun", "out"), "it has changed")
    copy.unlink()
    copy.symlink_to("/dev/zero")
    assert netplace("rerun", "out").exit_code == 2


def test_older_folders_are_refused_in_a_sentence(netplace, working):
    made_run(netplace)
    (working / "out" / FILE).unlink()
    told = netplace("rerun", "out")
    assert told.exit_code == 2
    assert f"out: has no {FILE}, expected a folder written by netplace with -o" in " ".join(
        told.stderr.split()
    )
    assert netplace("compare", "out", "out").exit_code == 0  # read all the same
    assert netplace("rerun", "in/halo.csv").exit_code == 2


def test_a_folder_keeps_what_belongs_to_it_alone(netplace, working):
    made_run(netplace)
    first = read_provenance(working / "out")
    (working / "in" / "halo.csv").write_text((working / "in" / "halo.csv").read_text().replace("4096", "64"))
    made_run(netplace)
    second = read_provenance(working / "out")
    assert first.inputs[0].copy != second.inputs[0].copy
    assert [f"inputs/{path.name}" for path in (working / "out" / "inputs").iterdir()] == [
        second.inputs[0].copy
    ]
    assert netplace("rerun", "out").exit_code == 0


def test_an_outcome_that_is_found_complete_stays_complete(netplace, working):
    words = ("cosim", "--machine", "torus:4x4", "--workload", "applications", "--jobs", 3, "--sizes", "small")
    for _ in range(2):  # the second finds the first
        assert netplace(*words, "-o", "out").exit_code == 0
    assert {"cosim.json", "jobs.csv"} <= read_provenance(working / "out").outputs.keys()


def test_without_a_command_there_is_nothing_to_make_again(tmp_path):
    with outcome_folder(tmp_path / "out") as folder:
        (folder / "a.txt").write_text("a")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["a.txt"]


@pytest.mark.parametrize("name", ["run", "load", "table", "map", "metrics", "allocate", "schedule", "advise"])
def test_what_any_command_wrote_can_be_compared_and_reported(netplace, working, name):
    words = COMMANDS[name].format(at="in").split()
    assert netplace(*words, "-o", "out").exit_code == 0
    counts = described(netplace("compare", "out", "out", "--json"))["counts"]
    assert counts["equal"] == sum(counts.values()) > 0
    assert netplace("report", "out", "-o", "page.html").exit_code == 0
    assert f"netplace {words[0]}" in (working / "page.html").read_text()
