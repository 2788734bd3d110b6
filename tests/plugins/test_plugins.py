"""Plug-ins: their names everywhere, in workers and on Dask, and their content in keys."""

import json
import threading
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from own_rules import PLUGIN

from netplace.apps import application
from netplace.apps.collectives import algorithms_of
from netplace.cosim.plan import make_cosim_plan
from netplace.netsim import Config, measure_load
from netplace.placement import MAPPINGS, map_tasks, partition
from netplace.plugins import load_plugin, loaded_plugins, unload_plugins
from netplace.runs import execute, resolve
from netplace.runs.campaign import complete
from netplace.runs.cluster import Cluster
from netplace.runs.executors import run_each
from netplace.runs.loads import make_load_plan
from netplace.runs.plan import make_plan
from netplace.runs.resources import Resources, simulators
from netplace.runs.schedules import run_schedule
from netplace.runs.store import Store
from netplace.runs.tables import run_table
from netplace.topologies import parse

JOB = {"app": "2d-torus", "rounds": 2}
COSIM = {"machine": "torus:4x4", "workload": "applications", "jobs": 5}
SCHEDULE = {"machine": "torus:4x4", "workload": "lublin", "jobs": 9}


@pytest.fixture
def rules(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "mine.py"
    path.write_text(PLUGIN)
    return path


@pytest.fixture
def loaded(rules):
    load_plugin("mine.py")
    return rules


@pytest.mark.usefixtures("loaded")
def test_every_kind_by_its_name():
    torus = parse("torus:4x4")
    assert map_tasks("backwards", torus, 3).tolist() == [15, 14, 13]
    assert partition("stride:4", torus, [4, 4])[1].tolist() == [1, 5, 9, 13]
    ring = parse("ring:16")
    assert (str(ring), ring.diameter) == ("ring:16", 8)
    assert application("halo", 4, packets=2).traffic().W[0, 1] == 128
    here = measure_load(torus, 0.1, traffic="opposite", warmup=0, measure=400)
    assert here.accepted == pytest.approx(0.1, abs=0.02)
    routed, plain = (
        execute(resolve("hyperx:4x4", JOB, config=Config(routing=name, vcs=2)))
        for name in ("mine", "minimal")
    )
    assert routed.cycles == plain.cycles
    assert "mine" in algorithms_of("bcast")


@pytest.mark.usefixtures("loaded")
def test_a_run_of_a_plugin_is_that_of_the_same_rules_of_netplace():
    own = execute(resolve("ring:16", {**JOB, "mapping": "backwards"}))
    plain = execute(resolve("torus:16", JOB))
    assert own.jobs[0].nodes.tolist() == list(range(16))[::-1]
    assert (own.network, own.packets) == ("ring:16", plain.packets)


@pytest.mark.usefixtures("loaded")
def test_schedules_by_rules_of_a_plugin():
    own = make_plan({**SCHEDULE, "policy": "patient", "partition": "mine", "times": "twice:1"})
    ours = make_plan({**SCHEDULE, "policy": "fcfs"})
    assert np.array_equal(run_schedule(own).schedule.start, run_schedule(ours).schedule.start)


def scheduled_program():
    """Return the plan of a job that runs an application of the plug-in, with simulated run times."""
    with TemporaryDirectory() as folder:
        jobs = Path(folder) / "jobs.csv"
        jobs.write_text("number,submit,nodes,run_time,program\n1,0,4,0,halo\n")
        given = {"machine": "torus:4x4", "workload": str(jobs), "times": "table:s.sqlite", "simulate": True}
        return make_plan(given)


BESIDE = str(Path(__file__).parents[1] / "apps/npb/recorded/is.S.16.trace.gz")
PLANS = {
    "network": lambda: resolve("ring:16", JOB),
    "modified network": lambda: resolve("service:nodes=0/ring:16", {**JOB, "tasks": 9}),
    "mapping": lambda: resolve("torus:4x4", {**JOB, "mapping": "backwards"}),
    "partition": lambda: resolve("torus:4x4", JOB, partition="stride:2"),
    "application": lambda: resolve("torus:4x4", {"app": "halo"}),
    "routing": lambda: resolve("hyperx:4x4", JOB, config=Config(routing="mine", vcs=2)),
    "collectives": lambda: resolve(
        "torus:4x4", {"app": "collective", "operation": "bcast", "collectives": "builtin+bcast=mine"}
    ),
    "traffic": lambda: make_load_plan({"network": "torus:4x4", "offered": 0.1, "traffic": "opposite"}),
    "network under load": lambda: make_load_plan({"network": "ring:8", "offered": 0.1}),
    "format of a trace": lambda: resolve("torus:4x4", {"trace": BESIDE}),
    "policy": lambda: make_plan({**SCHEDULE, "policy": "patient"}),
    "allocator": lambda: make_plan({**SCHEDULE, "partition": "mine:x"}),
    "run times": lambda: make_plan({**SCHEDULE, "times": "twice:2"}),
    "machine": lambda: make_plan({**SCHEDULE, "machine": "ring:16"}),
    "program of a job": scheduled_program,
    "co-simulation": lambda: make_cosim_plan({**COSIM, "policy": "patient"}),
    "mapping of a co-simulation": lambda: make_cosim_plan({**COSIM, "mapping": "backwards"}),
    "routing of a co-simulation": lambda: make_cosim_plan(
        {**COSIM, "machine": "hyperx:4x4", "routing": "mine"}
    ),
}


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
@settings(max_examples=6)
@given(comment=st.text(st.characters(codec="ascii", categories=["L", "N", "P"]), max_size=3))
def test_any_changed_byte_of_a_plugin_changes_the_keys_of_the_plans_that_use_it(
    tmp_path_factory, plan, comment
):
    keys = []
    for place, added in enumerate(("", f"#{comment}")):
        path = tmp_path_factory.mktemp("plugin") / "mine.py"
        path.write_text(PLUGIN + added)
        load_plugin(path)
        keys.append(plan().key)
        if place:  # the same content elsewhere is the same plug-in
            unload_plugins()
            load_plugin(path.rename(path.with_name("mine.py")))
            assert plan().key == keys[-1]
        unload_plugins()
    assert keys[0] != keys[1]


@pytest.mark.usefixtures("loaded")
def test_a_plan_without_names_of_a_plugin_has_the_same_key_with_and_without_it():
    def keys():
        return resolve("torus:4x4", JOB).key, make_plan(SCHEDULE).key

    with_it = keys()
    unload_plugins()
    assert keys() == with_it


@pytest.mark.usefixtures("loaded")
def test_a_plan_is_not_executed_without_its_plugin():
    run = resolve("torus:4x4", JOB, partition="stride:2")
    plan = make_plan({**SCHEDULE, "policy": "patient"})
    unload_plugins()
    with pytest.raises(ValueError, match=r"mine\.py: is not loaded; give --plugin mine\.py"):
        execute(run)
    with pytest.raises(ValueError, match=r"mine\.py: is not loaded; give --plugin mine\.py"):
        run_schedule(plan)


def test_a_plugin_is_loaded_once(loaded, tmp_path):
    (tmp_path / "twin.py").write_text(PLUGIN)
    assert load_plugin(loaded) == load_plugin(tmp_path / "twin.py") == loaded_plugins()[0]
    assert len(loaded_plugins()) == 1


def test_a_plugin_that_has_changed_is_not_loaded_again(loaded):
    loaded.write_text(PLUGIN + "\n")
    with pytest.raises(ValueError, match=r"mine\.py: has changed since this process loaded it"):
        load_plugin(loaded)


@pytest.mark.usefixtures("rules")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def f(:\n", "--plugin mine.py, line 1: invalid syntax"),
        ("\n1 / 0\n", "--plugin mine.py, line 2: raised ZeroDivisionError: division by zero"),
        (
            "from netplace.placement import MAPPINGS\nMAPPINGS.add('random', len)\n",
            "line 2: raised ValueError: mapping 'random': the name is taken, by netplace",
        ),
        (
            "from netplace.placement import MAPPINGS\nMAPPINGS.add('a', len)\nMAPPINGS.add('a', len)\n",
            "line 3: raised ValueError: mapping 'a': the name is taken, by mine.py",
        ),
        (None, "--plugin mine.py: cannot be read, No such file or directory"),
    ],
)
def test_a_plugin_that_fails_is_one_sentence_and_leaves_nothing(netplace, text, words):
    before = list(MAPPINGS)
    Path("mine.py").write_text(text) if text is not None else Path("mine.py").unlink()
    told = netplace("--plugin", "mine.py", "list", "mappings")
    assert (told.exit_code, told.stderr.count("\n")) == (2, 1)
    assert words in told.stderr
    assert list(MAPPINGS) == before
    assert not loaded_plugins()


RUN = ("run", "--network", "torus:4x4", "--app", "2d-torus", "--mapping", "backwards")


@pytest.mark.usefixtures("rules")
@pytest.mark.parametrize(
    ("variable", "words"),
    [
        ("", ("--plugin", "mine.py", *RUN)),
        ("", (*RUN, "--plugin", "mine.py")),
        ("", ("--plugin", "mine.py", *RUN, "--plugin", "mine.py")),
        ("other.py:mine.py", RUN),
        ("other.py", (*RUN, "--plugin=mine.py")),
    ],
)
def test_the_command_line_loads_plugins_before_or_after_the_command_and_from_the_environment(
    netplace, monkeypatch, variable, words
):
    Path("other.py").write_text("")
    monkeypatch.setenv("NETPLACE_PLUGINS", variable)
    found = netplace(*words, "--json")
    assert found.exit_code == 0, found.output
    assert json.loads(found.stdout)["jobs"][0]["nodes"] == list(range(16))[::-1]


def test_without_the_plugin_the_name_is_unknown(netplace):
    told = netplace(*RUN)
    assert told.exit_code == 2
    assert "unknown name 'backwards'" in told.stderr


@pytest.mark.usefixtures("loaded")
@pytest.mark.parametrize(
    "words",
    [
        ("run", "--network", "ring:16", "--app", "halo,bytes=128", "--partition", "stride:2"),
        ("load", "--network", "torus:4x4", "--traffic", "opposite", "--offered", "0.1", "--measure", "200"),
        ("schedule", "--machine", "ring:16", "--workload", "lublin", "--jobs", "50", "--policy", "patient",
         "--partition", "mine"),
        ("map", "--network", "ring:16", "--app", "halo", "--mapping", "backwards"),
    ],
)  # fmt: skip
def test_commands_take_names_of_plugins(netplace, words):
    found = netplace(*words)
    assert found.exit_code == 0, found.output


@pytest.mark.usefixtures("loaded")
def test_sweep_files_take_names_of_plugins(netplace, tmp_path):
    (tmp_path / "sweep.toml").write_text(
        'network = ["ring:16"]\napp = "2d-torus"\nmapping = ["consecutive", "backwards"]\n'
    )
    shown = netplace("table", "sweep.toml", "--workers", "1", "--json")
    assert shown.exit_code == 0, shown.stderr
    assert [row["mapping"] for row in json.loads(shown.stdout)["rows"]] == ["backwards", "consecutive"]


@pytest.mark.usefixtures("loaded")
@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize(
    ("rule", "code", "said"),
    [
        ("broken", 'return {}["surprise"]', "KeyError: 'surprise'"),
        ("strict", 'int("x")', "ValueError: invalid literal for int() with base 10: 'x'"),
    ],
)
def test_what_goes_wrong_in_a_plugin_is_told_with_its_line(netplace, processes, rule, code, said):
    flags = ("--mapping", rule, "--seeds", "2", "--workers", processes)
    told = netplace("run", "--network", "torus:4x4", "--app", "2d-torus", *flags)
    assert told.exit_code == 2
    line = PLUGIN.splitlines().index(f"    {code}") + 1
    assert told.stderr == f"netplace: mine.py, line {line}: raised {said}\n"


# Workers.


@pytest.mark.all
@pytest.mark.usefixtures("loaded")
def test_workers_forked_or_spawned_and_dask_know_them(tmp_path):
    from distributed import LocalCluster

    runs = [
        resolve(network, {**JOB, "mapping": mapping}, partition="stride:2", seed=seed)
        for network in ("ring:16", "torus:4x4")
        for mapping in ("backwards", "consecutive")
        for seed in range(2)
    ]
    tables = []
    for name in ("here", "forked", "spawned", "dask"):
        with Store(tmp_path / f"{name}.sqlite") as store:
            _complete(runs, store, name, LocalCluster)
            tables.append(run_table(store.rows(runs)).to_csv())
    assert len(set(tables)) == 1


def _complete(runs, store, name, local_cluster):
    if name == "dask":
        with local_cluster(n_workers=1, threads_per_worker=1, dashboard_address="localhost:0") as cluster:
            progress = complete(runs, store, simulators(dask=cluster.scheduler_address))
    elif name == "spawned":
        with beside_a_thread():
            progress = complete(runs, store, simulators(2))
    else:
        progress = complete(runs, store, simulators(1 if name == "here" else 2))
    assert (progress.done, progress.failed) == (len(runs), 0)


class beside_a_thread:  # noqa: N801
    """Workers are not forked beside a thread."""

    def __enter__(self):
        self._over = threading.Event()
        self._other = threading.Thread(target=self._over.wait)
        self._other.start()

    def __exit__(self, *_):
        self._over.set()
        self._other.join()


def test_a_worker_loads_plugins_before_it_unpickles(loaded):
    kind = type(MAPPINGS["backwards"].choose)
    assert kind.__name__ == "function"
    with beside_a_thread():  # the functions themselves are of a module that only the plug-in makes
        found = dict(run_each(MAPPINGS["backwards"].choose.__module__.partition, [" ", "_"], 2))
    assert found[1] == MAPPINGS["backwards"].choose.__module__.partition("_")


def test_a_worker_with_another_content_says_so(loaded):
    run = resolve("ring:16", JOB)
    loaded.write_text(PLUGIN + "\n")
    with beside_a_thread(), pytest.raises(ValueError, match=r"mine\.py: has the SHA-256 .* expected"):
        list(run_each(execute, [run, run], 2))


@pytest.fixture
def unfiled():
    MAPPINGS.add("of-this-process", lambda problem: problem.nodes[: problem.tasks])
    yield "of-this-process"
    MAPPINGS._remove("of-this-process")


def test_what_no_file_adds_is_executed_in_this_process_alone(unfiled):
    runs = [resolve("torus:4x4", {**JOB, "mapping": unfiled}, seed=seed) for seed in range(2)]
    assert Resources(workers=2).processes == Resources(workers=None).processes == 1
    assert len(dict(run_each(execute, runs, 2))) == 2
    with pytest.raises(ValueError, match=r"--dask: mappings:of-this-process was added by no file"):
        Cluster("tcp://nowhere:1", str, str)


@pytest.mark.all
@pytest.mark.usefixtures("rules")
def test_a_cluster_without_workers_is_waited_for_as_long_as_its_address_says():
    from distributed import LocalCluster

    with (
        LocalCluster(n_workers=0, dashboard_address="localhost:0") as cluster,
        pytest.raises(ValueError, match=r"--dask: the scheduler at .* has had no worker for 0 s, expected"),
    ):
        Cluster(f"{cluster.scheduler_address},wait=0.4", str, str)


def test_a_store_needs_no_plugin(netplace, loaded, tmp_path):
    run = resolve("ring:16", {**JOB, "mapping": "backwards"}, partition="stride:2")
    with Store(tmp_path / "s.sqlite") as store:
        complete([run], store, simulators(1))
    unload_plugins()
    loaded.write_text("import pathlib\npathlib.Path('ran').write_text('yes')\n" + PLUGIN)
    for flags in (("s.sqlite",), ("s.sqlite", "--runs"), ("s.sqlite", "--json")):
        shown = netplace("table", *flags)
        assert shown.exit_code == 0, shown.output
        assert "backwards" in shown.stdout
    assert not (tmp_path / "ran").exists()
