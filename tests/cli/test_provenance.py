"""Every outcome says how it was made, notes ignored settings, and is equal when it is made again."""

import hashlib
import json
import os
import subprocess
import time
from pathlib import Path

import pytest
from answers import described, refused

from netplace.json_files import results_text
from netplace.report.files.provenance import FILE, provenance_of, sidecar
from netplace.report.tables.installation import code

RUN = "run --network torus:4x4 --trace in/halo.csv --mapping random --seeds 2"
COSIM = "cosim --machine torus:4x4 --workload applications --jobs 2 --sizes small --intensity low"
COMMANDS = {
    "run": RUN,
    "load": "load --network torus:4x4 --offered 0.1,0.3 --measure 200",
    "map": "map --network torus:4x4 --trace in/halo.csv --mapping td --search-iterations 3",
    "metrics": "metrics --network mesh:4x4 --app 2d-mesh --tasks 4 --configurations 2",
    "allocate": "allocate --machine mesh:4x4 --nodes 4 --partition mc",
    "schedule": "schedule --machine torus:4x4 --workload lublin --jobs 20",
    "cosim": COSIM,
    "app": "app all-to-all --tasks 4",
    "check": "check network mesh:4x4",
    "table": "table in/sweep.toml --workers 1",
    "schedule study": "schedule in/schedules.toml",
    "cosim study": "cosim in/cosims.toml",
}


@pytest.fixture(autouse=True)
def working(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    inputs = tmp_path / "in"
    inputs.mkdir()
    pairs = "".join(f"{task},{(task + 1) % 8},4096\n" for task in range(8))
    (inputs / "halo.csv").write_text("source,destination,bytes\n" + pairs)
    (inputs / "sweep.toml").write_text('network = ["torus:4x4", "mesh:4x4"]\napp = "gups"\ntasks = 4\n')
    jobs = 'machine = "torus:4x4"\njobs = {}\npolicy = ["fcfs", "easy"]\nworkload = "{}"\n'
    (inputs / "schedules.toml").write_text(jobs.format(20, "lublin"))
    (inputs / "cosims.toml").write_text(
        jobs.format(2, "applications") + 'sizes = "small"\nintensity = "low"\n'
    )
    return tmp_path


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("target", ["out", "out.json"])
def test_the_same_command_twice_gives_outcomes_that_compare_equal(netplace, name, target):
    if (name, target) == ("table", "out.json"):
        pytest.skip("a table is written as JSON with --json only")
    words = COMMANDS[name].split()
    stores = ["--store", "{}.sqlite"] if name.endswith("study") else []
    for place in ("first", "second"):
        more = [word.format(place) for word in stores]
        assert netplace(*words, *more, "-o", f"{place}-{target}").exit_code == 0
    found = described(netplace("compare", f"first-{target}", f"second-{target}", "--json"))
    assert found["counts"]["equal"] == sum(found["counts"].values()) > 0
    command = json.loads(_provenance(f"second-{target}"))["command"]
    assert command == " ".join(["netplace", *words, *more, "-o", f"second-{target}"])


def _provenance(name):
    """Return the text of the provenance of a folder, or of a file in JSON."""
    path = Path(name)
    return (
        (path / FILE).read_text() if path.is_dir() else json.dumps(json.loads(path.read_text())["provenance"])
    )


def test_provenance_names_inputs_plans_seeds_code_and_versions(netplace, working):
    assert netplace(*RUN.split(), "-o", "out").exit_code == 0
    made = provenance_of(working / "out")
    halo = (working / "in" / "halo.csv").read_bytes()
    [known] = made.inputs
    assert (known.path, known.bytes) == ("in/halo.csv", len(halo))
    assert known.sha256 == hashlib.sha256(halo).hexdigest()
    assert made.seeds == (0, 1)
    assert (made.plan_count, [plan["seed"] for plan in made.plans]) == (2, [0, 1])
    assert made.code == code()
    assert {"netplace", "python", "numpy"} <= made.versions.keys()


def test_of_very_many_plans_the_first_are_listed(netplace):
    made = json.loads(netplace(*RUN.split()[:-1], 25, "--json").stdout)["provenance"]
    assert (made["plan_count"], len(made["plans"]), made["seeds"]) == (25, 20, [*range(25)])


@pytest.mark.parametrize(
    "words",
    [
        f"{RUN} -o a.png",
        f"{RUN} -o a.html",
        f"{RUN} --record-messages a.csv",
        f"{RUN} --timeline a.json",
        "table in/sweep.toml --workers 1 --csv a.csv",
        "table in/sweep.toml --workers 1 -o a.parquet",
        "map --network torus:4x4 --trace in/halo.csv --search-iterations 3 -o a.csv",
        "trace convert in/halo.csv -o a.trace",
        "pss derive --machine tree:2,2 -o a.conf",
        "workload make lublin --nodes 16 --jobs 5 -o a.swf",
    ],
)
def test_files_that_are_no_json_of_ours_have_it_beside_them(netplace, working, words):
    ended = netplace(*words.split())
    assert ended.exit_code == 0, ended.output
    [path] = [path for path in working.glob("a.*") if not path.name.endswith(FILE)]
    assert sidecar(path).name == f"{path.name}.{FILE}"
    assert provenance_of(path).command == f"netplace {words}"


def test_a_device_gets_nothing_beside_it(netplace, working):
    assert netplace(*RUN.split(), "--record-messages", "/dev/null").exit_code == 0
    assert [path.name for path in working.iterdir()] == ["in"]


def test_a_command_that_fails_leaves_nothing_beside_its_output(netplace, working):
    (working / "a.png").write_bytes(b"old")
    refused(netplace(*RUN.split(), "--max-cycles", 1, "-o", "a.png"), "cycles")
    assert sorted(path.name for path in working.iterdir()) == ["a.png", "in"]


def test_an_input_that_changes_meanwhile_has_no_digest(netplace, working):
    os.utime(working / "in" / "halo.csv", (later := time.time() + 100, later))
    assert netplace(*RUN.split(), "-o", "out.json").exit_code == 0
    [known] = json.loads(_provenance("out.json"))["inputs"]
    assert known["sha256"] == ""


def test_a_page_names_the_command_that_made_its_outcome(netplace, working):
    for target in ("out", "out.json"):
        assert netplace(*RUN.split(), "-o", target).exit_code == 0
        assert netplace("report", target, "-o", "page.html").exit_code == 0
        assert f"netplace {RUN} -o {target}" in (working / "page.html").read_text()


def test_provenance_of_a_changed_kind_is_refused(netplace, working):
    assert netplace(*RUN.split(), "-o", "out").exit_code == 0
    content = json.loads((working / "out" / FILE).read_text())
    (working / "out" / FILE).write_text(json.dumps(content | {"version": 1}))
    refused(netplace("report", "out"), f"out/{FILE}: was written by netplace 1.0.0rc1 or earlier (format 1")
    (working / "out" / FILE).write_text(results_text("provenance", {**_bare(content), "result": "../x"}))
    refused(netplace("report", "out"), "result: '../x' is not the name of a file in this folder")


def _bare(content):
    return {key: value for key, value in content.items() if key not in ("netplace", "version", "checksum")}


def test_code_is_named_by_its_commit_or_its_files(working):
    (working / "a.py").write_text("a = 1\n")
    before = code(working)
    assert before.startswith("files ")
    (working / "a.py").write_text("a = 2\n")
    code.cache_clear()
    assert code(working) != before
    git = ["git", "-C", str(working), "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "a.py"], ["commit", "-qm", "a"]):
        subprocess.run([*git, *words], check=True)
    code.cache_clear()
    commit = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout
    assert code(working) == f"commit {commit.strip()}"
    (working / "a.py").write_text("a = 3\n")
    code.cache_clear()
    assert code(working).startswith(f"commit {commit.strip()}-dirty ")


NOTE = "bubble: 1 is ignored on tree:4,2, which is a tree with its own routing"
JOBS = "number,submit,nodes,run_time,estimate,program,tasks,repeats\n1,0,4,0,,2d-torus,,1\n"
PLACED = "--machine tree:4,2 --workload apps.csv --bubble 1"
NOTED = [
    "run --network tree:4,2 --app 2d-torus --bubble 1",
    "load --network tree:4,2 --offered 0.1 --warmup 9 --measure 99 --bubble 1",
    f"cosim {PLACED}",
    f"schedule {PLACED} --times table:s.sqlite --simulate",
]


@pytest.mark.parametrize("line", NOTED, ids=lambda line: line.split()[0])
def test_an_ignored_setting_is_noted_in_the_outcome_and_on_stderr(netplace, tmp_path, monkeypatch, line):
    monkeypatch.chdir(tmp_path)
    Path("apps.csv").write_text(JOBS)
    found = netplace(*line.split(), "--json")
    assert found.exit_code == 0, found.stderr
    outcome = json.loads(found.stdout)
    assert NOTE in outcome.get("points", [outcome])[0]["notes"]
    assert found.stderr.count(NOTE) == 1


def test_a_sweep_notes_an_ignored_setting(netplace, tmp_path):
    (tmp_path / "s.toml").write_text(
        'network = "tree:4,2"\napp = "2d-torus"\nseeds = 2\n[config]\nbubble = [1, 3]\n'
    )
    found = netplace("table", tmp_path / "s.toml", "--runs", "--json")
    assert found.exit_code == 0, found.stderr
    assert found.stderr.count(NOTE) == 1


@pytest.mark.parametrize(
    ("app", "flag", "value"),
    [
        ("cg,class=S", "--class", "W"),
        ("2d-torus,bytes=2", "--packets", "3"),
        ("2d-torus,tasks=16", "--tasks", "4"),
        ("cg,class=S,iterations=2", "--iterations", "3"),
    ],
)
def test_flags_that_contradict_an_application_are_refused(netplace, app, flag, value):
    for asked in (("--app", app), ("--jobs", f"1x:{app}")):
        said = app.split(",")[1] if "iterations" not in app else "iterations=2"
        refused(
            netplace("run", "--network", "torus:4x4", *asked, flag, value),
            f"netplace: {flag}: {value} given, and the application says {said}; expected one of the two",
        )


def test_a_flag_that_repeats_an_option_is_taken(netplace):
    found = netplace("run", "--network", "torus:4x4", "--app", "2d-torus,tasks=16", "--tasks", 16)
    assert found.exit_code == 0, found.stderr
