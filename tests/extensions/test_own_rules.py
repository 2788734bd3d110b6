"""Rules of one's own, by the place of their code: everywhere, in workers and on Dask, and in a key."""

import json
import threading
from pathlib import Path

import numpy as np
import pytest
from own_rules import RULES

from netplace.apps import application
from netplace.netsim import measure_load
from netplace.placement import map_tasks, partition
from netplace.runs import execute, resolve
from netplace.runs.campaign import complete
from netplace.runs.cluster import Cluster
from netplace.runs.plan import make_plan
from netplace.runs.resources import simulators
from netplace.runs.schedules import run_schedule
from netplace.runs.store import Store
from netplace.runs.tables import run_table
from netplace.topologies import parse

JOB = {"app": "2d-torus", "rounds": 2}


@pytest.fixture
def rules(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "mine.py"
    path.write_text(RULES)
    return path


@pytest.mark.usefixtures("rules")
def test_every_kind_by_its_place():
    torus = parse("torus:4x4")
    assert map_tasks("mine.py:backwards", torus, 3).tolist() == [15, 14, 13]
    assert partition("mine.py:stride:4", torus, [4, 4])[1].tolist() == [1, 5, 9, 13]
    ring = parse("mine.py:ring:16")
    assert (str(ring), ring.diameter) == ("mine.py:ring:16", 8)
    assert application("mine.py:halo", 4, packets=2).traffic().W[0, 1] == 128
    here = measure_load(torus, 0.1, traffic="mine.py:opposite", warmup=0, measure=400)
    assert here.accepted == pytest.approx(0.1, abs=0.02)


@pytest.mark.usefixtures("rules")
def test_a_run_of_ones_own_is_that_of_the_same_rules_by_name():
    own = execute(resolve("mine.py:ring:16", {**JOB, "mapping": "mine.py:backwards"}))
    plain = execute(resolve("torus:16", JOB))
    assert own.jobs[0].nodes.tolist() == list(range(16))[::-1]
    assert (own.network, own.packets) == ("mine.py:ring:16", plain.packets)


def test_the_content_of_the_file_is_a_part_of_what_a_run_is(rules):
    asked = {**JOB, "mapping": "mine.py:backwards"}
    before = resolve("torus:4x4", asked)
    assert [name for name, _ in before.contents] == ["mine.py"]
    nodes = execute(before).jobs[0].nodes
    rules.write_text(RULES.replace("problem.nodes[::-1]", "problem.nodes[::-2]"))
    with pytest.raises(ValueError, match=r"mine\.py: has changed since the run was specified"):
        execute(before)
    after = resolve("torus:4x4", {**asked, "tasks": 4})
    assert after.key != resolve("torus:4x4", {**JOB, "tasks": 4}).key
    assert before.key != resolve("torus:4x4", asked).key
    assert execute(after).jobs[0].nodes.tolist() == [15, 13, 11, 9]
    assert nodes.tolist() == list(range(16))[::-1]


def test_a_network_that_changed_is_made_anew(rules):
    first = execute(resolve("mine.py:ring:8", JOB))
    rules.write_text(RULES.replace("torus((int(option),))", "torus((int(option) // 2, 2))"))
    second = resolve("mine.py:ring:8", JOB)
    assert execute(second).packet_hops != first.packet_hops
    assert execute(second).cycles == execute(resolve("torus:4x2", JOB)).cycles


@pytest.mark.usefixtures("rules")
def test_schedules_by_rules_of_ones_own():
    same = {"machine": "torus:4x4", "workload": "lublin", "jobs": 200}
    mine = {"policy": "mine.py:Patient", "partition": "mine.py:Mine", "times": "mine.py:Twice:1"}
    own, ours = make_plan({**same, **mine}), make_plan({**same, "policy": "fcfs"})
    assert own.key != ours.key
    assert own.digests[0][0] == "mine.py"
    assert np.array_equal(run_schedule(own).schedule.start, run_schedule(ours).schedule.start)


def test_a_schedule_is_not_made_by_rules_that_have_changed(rules):
    plan = make_plan({"machine": "torus:4x4", "workload": "lublin", "jobs": 9, "policy": "mine.py:Patient"})
    rules.write_text(RULES + "\n")
    with pytest.raises(ValueError, match=r"mine\.py: has changed since the schedule was specified"):
        run_schedule(plan)


RUNS = ("mine.py:backwards", "consecutive")


@pytest.mark.usefixtures("rules")
def test_workers_forked_or_spawned_and_dask_know_them(tmp_path):
    from distributed import LocalCluster

    runs = [
        resolve(network, {**JOB, "mapping": mapping}, partition="mine.py:stride:2", seed=seed)
        for network in ("mine.py:ring:16", "torus:4x4")
        for mapping in RUNS
        for seed in range(2)
    ]
    tables = []
    for name in ("here", "forked", "spawned", "dask"):
        with Store(tmp_path / f"{name}.sqlite") as store:
            _complete(runs, store, name, LocalCluster)
            tables.append(run_table(store.rows(runs)).to_csv())
    assert len(set(tables)) == 1


@pytest.mark.usefixtures("rules")
def test_a_cluster_without_workers_is_not_waited_for(monkeypatch):
    from distributed import LocalCluster

    monkeypatch.setattr("netplace.runs.cluster._PATIENCE", 0.5)
    with (
        LocalCluster(n_workers=0, dashboard_address="localhost:0") as cluster,
        pytest.raises(ValueError, match=r"--dask: the scheduler at .* has had no worker for 0 s, expected"),
    ):
        Cluster(cluster.scheduler_address, str, str)


def _complete(runs, store, name, local_cluster):
    if name == "dask":
        with local_cluster(n_workers=1, threads_per_worker=1, dashboard_address="localhost:0") as cluster:
            progress = complete(runs, store, simulators(dask=cluster.scheduler_address))
    elif name == "spawned":
        over = threading.Event()
        other = threading.Thread(target=over.wait)
        other.start()  # beside a thread workers are not forked
        progress = complete(runs, store, simulators(2))
        over.set()
        other.join()
    else:
        progress = complete(runs, store, simulators(1 if name == "here" else 2))
    assert (progress.done, progress.failed) == (len(runs), 0)


@pytest.mark.usefixtures("rules")
def test_the_command_line_and_sweep_files_take_them(netplace, tmp_path):
    flags = (
        "--network",
        "mine.py:ring:16",
        "--app",
        "mine.py:halo,bytes=128",
        "--mapping",
        "mine.py:backwards",
    )
    found = netplace("run", *flags, "--partition", "mine.py:stride:2", "--json")
    assert found.exit_code == 0, found.stderr
    assert json.loads(found.stdout)["jobs"][0]["nodes"][:2] == [15, 13]
    assert (
        netplace(
            "load",
            "--network",
            "torus:4x4",
            "--traffic",
            "mine.py:opposite",
            "--offered",
            "0.1",
            "--measure",
            "200",
        ).exit_code
        == 0
    )
    assert (
        netplace(
            "schedule",
            "--machine",
            "mine.py:ring:16",
            "--workload",
            "lublin",
            "--jobs",
            "50",
            "--policy",
            "mine.py:Patient",
            "--partition",
            "mine.py:Mine",
        ).exit_code
        == 0
    )
    (tmp_path / "sweep.toml").write_text(
        'network = ["mine.py:ring:16"]\napp = "2d-torus"\nmapping = ["consecutive", "mine.py:backwards"]\n'
    )
    shown = netplace("table", "sweep.toml", "--workers", "1", "--json")
    assert shown.exit_code == 0, shown.stderr
    assert {row["mapping"] for row in json.loads(shown.stdout)["rows"]} == {
        "consecutive",
        "mine.py:backwards",
    }


@pytest.mark.usefixtures("rules")
@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize(
    ("rule", "code", "said"),
    [
        ("broken", 'return {}["surprise"]', "KeyError: 'surprise'"),
        ("strict", 'int("x")', "ValueError: invalid literal for int() with base 10: 'x'"),
    ],
)
def test_what_goes_wrong_in_ones_own_code_is_told_with_its_line(netplace, processes, rule, code, said):
    flags = ("--mapping", f"mine.py:{rule}", "--seeds", "2", "--workers", processes)
    told = netplace("run", "--network", "torus:4x4", "--app", "2d-torus", *flags)
    assert told.exit_code == 2
    line = RULES.splitlines().index(f"    {code}") + 1
    assert told.stderr == f"netplace: mine.py, line {line}: raised {said}\n"


@pytest.mark.usefixtures("rules")
@pytest.mark.parametrize(
    ("flag", "text", "words"),
    [
        ("--mapping", "mine.py:none", "mapping 'mine.py:none': 'mine.py' has no function 'none'"),
        ("--mapping", "mine.py:np", "is a module, expected a function or class"),
        ("--mapping", "nobody.py:f", "mapping 'nobody.py:f': cannot load 'nobody.py'"),
        ("--mapping", "bad.py:f", "mapping 'bad.py:f': cannot load 'bad.py', SyntaxError"),
        ("--mapping", "randm:f", "unknown name 'randm'; did you mean random"),
        ("--mapping", "zzz.qqq:f", "cannot load 'zzz.qqq': no module"),
        ("--mapping", "mine.py:ring", "mine.py"),
        ("--partition", "mine.py:backwards", "mine.py"),
        ("--network", "mine.py:halo:3", "mine.py"),
        ("--network", "mine.py:opposite:3", "mine.py"),
        ("--app", "mine.py:none", "has no function 'none'"),
    ],
)
def test_a_mistake_is_one_sentence(netplace, flag, text, words):
    Path("bad.py").write_text("def f(:\n")
    given = {"--network": "torus:4x4", "--app": "2d-torus"} | {flag: text}
    told = netplace("run", *(word for pair in given.items() for word in pair))
    assert told.exit_code == 2, told.output
    assert words in told.stderr
    assert told.stderr.count("\n") == 1


def test_a_store_runs_nothing(netplace, rules, tmp_path):
    run = resolve("mine.py:ring:16", {**JOB, "mapping": "mine.py:backwards"}, partition="mine.py:stride:2")
    with Store(tmp_path / "s.sqlite") as store:
        complete([run], store, simulators(1))
    rules.write_text("import pathlib\npathlib.Path('ran').write_text('yes')\n" + RULES)
    for flags in (("s.sqlite",), ("s.sqlite", "--runs"), ("s.sqlite", "--json")):
        shown = netplace("table", *flags)
        assert shown.exit_code == 0, shown.output
        assert "mine" in shown.stdout
    assert not (tmp_path / "ran").exists()
