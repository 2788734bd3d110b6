"""What a text would build is counted first: too much is refused at once, unless the limit is raised."""

import json
import re
import resource
import time
import tracemalloc

import pytest
from click.testing import CliRunner

import netplace.netsim.memory
import netplace.netsim.network
from netplace.apps import application
from netplace.apps.formats import read
from netplace.checks import check_size, memory_limit
from netplace.cli import app
from netplace.experiments.redirection.simulator import TASK_POLICIES, Task, run_tasks
from netplace.experiments.two_kinds.simulator import query_times, search
from netplace.netsim import Config
from netplace.netsim.lower import lower
from netplace.report.pages.kinds.study import page
from netplace.topologies import parse
from netplace.topologies.host_lists import count_hosts, expand, host_list

FILES = {
    "range": ("slurm", "SwitchName=s0 Nodes=n[0-999999999]\n"),
    "nested": ("slurm", "SwitchName=s0 Nodes=n[0-9999]x[0-9999]y[0-99]\n"),
    "many ranges": ("slurm", "".join(f"SwitchName=s{i} Nodes=n{i}x[0-999999]\n" for i in range(40))),
    "switches": ("slurm", "SwitchName=s0 Nodes=n[0-9]\nSwitchName=t Switches=s[0-99999999999]\n"),
    "width": ("graph", "a b width=99999999\nb c\n"),
    "widths": ("graph", "".join(f"a b{i} width=5000000\n" for i in range(40))),
    "nodes": ("graph", "a nodes=999999999999\na b\n"),
    "sum of nodes": ("graph", "".join(f"s{i} nodes=4000000000000000000\nr s{i}\n" for i in range(5))),
    "width in a tree": ("tree-file", "a s\nb t\ns r 99999999\nt r\n"),
}
TEXTS = (
    *("slimfly:61", "slimfly:101", "slimfly:1000000007", "slimfly:5,p=1000000000", "hypercube:24"),
    *("torus:20000x20000", "mesh:1000x1000,c=1000", "tree:64,4", "xgft:2;9,9;1,99999999"),
    *("dragonfly:a=100,p=50,h=50", "dragonfly:a=1,p=1,h=99999999,g=2", "dragonfly:a=20000,p=1,h=1,g=2"),
    *("dragonfly+:leaves=300,spines=300,p=300,h=300", "hyperx:100x100x100,c=10", "hyperx:9000,c=1"),
)
COMMANDS = {
    "tables": "two-kinds --queries 1000000 --cpus 4 --gpus 4",
    "tasks": "two-kinds --queries 999999999 --cpus 4 --gpus 4 --step greedy",
    "workers": "two-kinds --queries 40 --cpus 9999999999 --gpus 4 --step greedy",
    "points": "load --network torus:4x4 --seeds 999999999",
    "routes": "check network slimfly:61",
    "runs": "run --network torus:32x32 --app 2d-torus --seeds 1000000",
    "placements": "metrics --network torus:4x4 --app butterfly --configurations 1000000",
    "mappings": "map --network torus:4x4 --app butterfly --seeds 1000000",
    "draws": "backfill --platform 1-2-4-8 --workload lublin --draw 10000 --instances 10000",
    "windows": "redirect --workload lublin --machine 64 --days 0.5 --instances 999999999",
    "warmup": "load --network torus:4x4 --warmup 999999999999999",
    "measure": "load --network torus:4x4 --offered 0.1 --measure 999999999999999",
    "tries": "run --network torus:4x4 --app butterfly --mapping best:999999999",
}
HOSTS = ("n[0-3,7],login1", "a[08-11]b[1-2]", "n[5]", "x,y", "n[0-1]a[0-2]c[0-3]d", "")


@pytest.fixture(autouse=True)
def soon():
    begun = time.process_time()
    yield
    assert time.process_time() - begun < 3  # with imports; most take a hundredth of a second


@pytest.mark.parametrize("name", FILES)
def test_files_of_networks_are_counted(tmp_path, name):
    kind, content = FILES[name]
    (tmp_path / "net").write_text(content)
    with pytest.raises(ValueError, match=r"net.*too large, (.* would (take|need)|expected at most)"):
        parse(f"{kind}:{tmp_path / 'net'}")


@pytest.mark.parametrize("text", TEXTS)
def test_texts_of_networks_are_counted(text):
    with pytest.raises(ValueError, match=rf"{text.split(':')[0]}.*too large, .* (would take|needs?) "):
        parse(text)


def test_named_ports_of_graphml_are_counted(tmp_path):
    keys = "".join(
        f'<key id="{key}" for="edge" attr.name="{key}" attr.type="long"/>' for key in ("port", "entry")
    )
    edge = '<edge source="a" target="b"><data key="port">999999999999</data><data key="entry">0</data></edge>'
    ends = '<node id="a"/><node id="b"/>'
    path = tmp_path / "a.graphml"
    path.write_text(f'<graphml>{keys}<graph edgedefault="directed">{ends}{edge}</graph></graphml>')
    with pytest.raises(ValueError, match="too large, its wiring would need"):
        parse(f"graph:{path}")


@pytest.mark.parametrize("hosts", HOSTS)
def test_hosts_are_as_many_as_are_counted(hosts):
    assert count_hosts(hosts) == len(list(expand(hosts)))


@pytest.mark.parametrize("hosts", ["n[0-3", "n0-3]", "n[[0]]", "n[" * 100_000, "n" + "[0]" * 3000])
def test_brackets_of_hosts_are_few_and_match(hosts):
    for reading in (count_hosts, lambda text: list(expand(text))):
        with pytest.raises(ValueError, match="is not a list of hosts, expected names with at most 16 pairs"):
            reading(hosts)


def test_names_of_very_many_digits_are_names():
    names = ["1" * 100_000 + "x", "n" + "2" * 5000, "n08", "n09"]
    assert list(expand(host_list(names))) == names


def test_messages_of_a_matrix_are_counted(tmp_path):
    (tmp_path / "a.csv").write_text("source,destination,messages,bytes\n0,1,999999999999,1\n")
    with pytest.raises(ValueError, match=r"a\.csv: its messages: 2999999999997 operations are too many"):
        read(tmp_path / "a.csv")


@pytest.mark.parametrize("text", ["[" * 200_000, "![" * 100_000, "| " + "1" * 200_000 + "x |"])
def test_a_report_of_a_study_is_read_in_one_go(tmp_path, text):
    (tmp_path / "report.md").write_text(f"# Study\n\n{text}\n")
    assert page(tmp_path).title == "Study"


@pytest.mark.parametrize(
    "text", ["tree:4,6", "dragonfly:a=12,p=12,h=6,g=70", "torus:100x100x10", "slimfly:13"]
)
def test_large_networks_that_fit_are_built(text):
    assert parse(text).nodes > 1000


@pytest.mark.parametrize("tasks", [8192, 1_000_000])
def test_operations_are_counted(tasks):
    with pytest.raises(ValueError, match=r"all-to-all: .*operations"):
        application("all-to-all", tasks)


@pytest.mark.parametrize("sizes", [{"layers": 10**9}, {"global_batch": 16 * 10**8}, {"iterations": 10**8}])
def test_steps_of_training_are_counted(sizes):
    with pytest.raises(ValueError, match=r"training: .*operations"):
        application("training", 16, **sizes)


@pytest.mark.parametrize("name", ["2d-torus", "gups", "all-to-one", "binary-tree"])
def test_patterns_of_very_many_tasks_are_made_at_once(name):
    assert application(name, 200_000).tasks == 200_000


def test_processors_that_no_task_needs_change_nothing():
    tasks = [Task(n, float(n // 3), 1.0 + n % 4) for n in range(20)]
    for policy, rule in TASK_POLICIES.items():
        given = {name: {"dedicated": 1, "threshold": 2, "b": 0.1, "c": 1.0}[name] for name in rule.parameters}
        few, many = (run_tasks(tasks, count, policy, seed=1, **given) for count in (21, 10**12))
        if "dedicated" not in given:
            assert few == many
        assert [(one.start, one.end) for one in few] == [(one.start, one.end) for one in many]


def test_tasks_of_two_kinds_need_no_more_workers_than_tasks():
    tasks = query_times(50_000)
    found = search(tasks, 10**8, 10**8, "greedy")
    assert len(set(found.assignment.workers)) <= len(tasks)


@pytest.mark.parametrize("name", ["all-to-all", "2d-mesh", "gups", "butterfly"])
def test_rounds_are_counted(name):
    with pytest.raises(ValueError, match=rf"{name}: .*operations"):
        application(name, 64, rounds=10**7)


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_count_first(monkeypatch, name):
    monkeypatch.setenv("NETPLACE_MEMORY_LIMIT", "3G")
    answer = CliRunner().invoke(app, COMMANDS[name].split())
    assert answer.exit_code == 2
    assert re.search("too large|too many for its tables|would take days", answer.stderr)


def test_count_of_jobs_is_bounded_by_the_nodes(tmp_path):
    path = tmp_path / "sweep.toml"
    path.write_text(
        'network = "torus:4x4"\npartition = "random"\n'
        '[[jobs]]\napp = "butterfly"\ntasks = 4\ncount = 30000000\n'
    )
    answer = CliRunner().invoke(app, ["table", str(path)])
    assert answer.exit_code == 2
    assert "30000000" in answer.stderr


def test_one_limit_is_raised_and_lowered_by_the_flag(monkeypatch):
    monkeypatch.setenv("NETPLACE_MEMORY_LIMIT", "1M")
    with pytest.raises(
        ValueError, match=r"torus:100x100: too large, 40,000 ports .* netplace --memory-limit"
    ):
        parse("torus:100x100")
    monkeypatch.setenv("NETPLACE_MEMORY_LIMIT", "2M")
    assert parse("torus:100x100").nodes == 10_000


@pytest.mark.parametrize("fidelity", ["live", "table"])
def test_packets_of_a_co_simulation_are_counted(fidelity):
    line = "cosim --machine torus:4x4 --workload applications --jobs 3 --repeats 1000000000:1000000000"
    answer = CliRunner().invoke(app, [*line.split(), "--fidelity", fidelity])
    assert answer.exit_code == 2
    assert f"fidelity: {fidelity} would simulate about " in answer.stderr
    assert "1,000,000,000 iterations), expected at most 1e+11; --fidelity sampled" in answer.stderr
    assert "--max-packets allows more" in answer.stderr


@pytest.mark.parametrize("fidelity", ["live", "table", "mixes", "sampled", "auto"])
def test_packets_of_applications_of_a_log_are_counted_before_they_are_timed(tmp_path, fidelity):
    mix = tmp_path / "mix.toml"
    mix.write_text('[[class]]\napplication = "2d-torus,packets=4000"\n')
    log = tmp_path / "log.swf"
    log.write_text("; MaxNodes: 16\n1 0 0 100 16 -1 -1 16 200 -1 1 1 1 1 1 -1 -1 -1\n")
    line = f"cosim --machine torus:4x4 --workload {log} --applications {mix} --fidelity {fidelity}"
    line += " --max-packets 1e6"
    answer = CliRunner().invoke(app, line.split())
    assert answer.exit_code == 2
    assert "on 16 nodes is timed over 31 iterations of about 7.9e+06 packets, expected" in answer.stderr


def test_more_packets_of_a_co_simulation_are_allowed(tmp_path):
    line = "cosim --machine torus:4x4 --workload applications --jobs 2 --max-packets"
    answer = CliRunner().invoke(app, [*line.split(), "100"])
    assert answer.exit_code == 2
    assert "expected at most 1e+02" in answer.stderr
    assert CliRunner().invoke(app, [*line.split(), "1e12", "--json"]).exit_code == 0


def test_windows_of_a_run_are_counted(monkeypatch):
    monkeypatch.setattr(netplace.netsim.network, "_MOST_WINDOWS", 100)
    flags = ["run", "--network", "torus:4x4", "--app", "butterfly", "--window"]
    few, many = (
        json.loads(CliRunner().invoke(app, [*flags, each, "--json"]).stdout) for each in ("1000", "1")
    )
    assert len(few["windows"]) == 1
    assert many["window"] in (2, 4, 8, 16)
    assert 50 < len(many["windows"]) <= 100
    ends = [window["end"] for window in many["windows"]]
    assert ends == list(range(many["window"], ends[-1] + 1, many["window"]))
    assert (
        "--window 1: gives too many windows, so netplace uses windows of "
        in CliRunner().invoke(app, [*flags, "1", "--json"]).stderr
    )


def test_what_a_process_may_have_bounds_what_is_built(monkeypatch):
    monkeypatch.delenv("NETPLACE_MEMORY_LIMIT", raising=False)
    usual = memory_limit()
    monkeypatch.setattr(resource, "getrlimit", lambda _: (10**7, 10**7))
    assert memory_limit() == 0 < usual <= 4 << 30
    with pytest.raises(ValueError, match=r"torus:100x100: network too large, .* this machine has 0\.0 GB"):
        parse("torus:100x100")


def test_words_of_the_kernel_are_counted(monkeypatch):
    program = application("all-to-all", 16, rounds=50)
    tracemalloc.start()
    lower(program, Config())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    monkeypatch.setattr(netplace.netsim.memory, "available", lambda: peak // 2)
    with pytest.raises(ValueError, match="all-to-all: 24,000 operations in the kernel's words would need"):
        lower(program, Config())
    monkeypatch.setattr(netplace.netsim.memory, "available", lambda: peak * 2)
    assert lower(program, Config()).first[-1] > 0


def test_a_number_of_very_many_digits_is_not_written_out():
    with pytest.raises(ValueError, match=r"^x: too large, over 10\*\*15 things would take over 10\*\*15 GB"):
        check_size(10**300, 8, "things", "x")


def test_pairs_of_tasks_of_a_mapping_are_counted(monkeypatch):
    monkeypatch.setenv("NETPLACE_MEMORY_LIMIT", "50M")
    line = "map --network torus:32x32x32 --app 3d-torus --tasks 32768 --mapping classic"
    answer = CliRunner().invoke(app, line.split())
    assert answer.exit_code == 2
    expected = "map: 3d-torus: too large, 196,608 pairs of tasks that send would take 0.1 GB of memory"
    assert expected in answer.stderr
