"""What a text would build is counted first, and too much is refused at once."""

import json
import re
import time
import tracemalloc

import pytest
from answers import refused
from click.testing import CliRunner

import netplace.netsim.lower
import netplace.netsim.network
from netplace.apps import application
from netplace.cli import app
from netplace.inputs import check_size
from netplace.netsim import Config
from netplace.netsim.lower import lower
from netplace.topologies import parse
from netplace.topologies.host_lists import count_hosts, expand

FILES = {
    "range": ("slurm", "SwitchName=s0 Nodes=n[0-999999999]\n"),
    "switches": ("slurm", "SwitchName=s0 Nodes=n[0-9]\nSwitchName=t Switches=s[0-99999999999]\n"),
    "width": ("graph", "a b width=99999999\nb c\n"),
    "widths": ("graph", "".join(f"a b{i} width=5000000\n" for i in range(40))),
    "nodes": ("graph", "a nodes=999999999999\na b\n"),
    "sum of nodes": ("graph", "".join(f"s{i} nodes=4000000000000000000\nr s{i}\n" for i in range(5))),
    "width in a tree": ("tree-file", "a s\nb t\ns r 99999999\nt r\n"),
}
TEXTS = (
    *("slimfly:61", "slimfly:5,p=1000000000", "hypercube:24", "torus:20000x20000", "mesh:1000x1000,c=1000"),
    *("tree:64,4", "xgft:2;9,9;1,99999999", "dragonfly:a=100,p=50,h=50", "hyperx:9000,c=1"),
    "dragonfly+:leaves=300,spines=300,p=300,h=300",
)
COMMANDS = {
    "routes": "check network slimfly:61",
    "runs": "run --network torus:32x32 --app 2d-torus --seeds 1000000",
    "warmup": "load --network torus:4x4 --warmup 999999999999999",
    "tries": "run --network torus:4x4 --app butterfly --mapping best:999999999",
}


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    monkeypatch.setattr("netplace.inputs.MOST_BYTES", 3 << 30)
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


@pytest.mark.parametrize("hosts", ["n[0-3", "n0-3]", "n[[0]]", "n[" * 100_000, "n" + "[0]" * 3000])
def test_brackets_of_hosts_are_few_and_match(hosts):
    for reading in (count_hosts, lambda text: list(expand(text))):
        with pytest.raises(ValueError, match="is not a list of hosts, expected names with at most 16 pairs"):
            reading(hosts)


@pytest.mark.parametrize("tasks", [8192, 1_000_000])
def test_operations_are_counted(tasks):
    with pytest.raises(ValueError, match=r"all-to-all: .*operations"):
        application("all-to-all", tasks)


@pytest.mark.parametrize("name", ["all-to-all", "2d-mesh", "gups", "butterfly"])
def test_rounds_are_counted(name):
    with pytest.raises(ValueError, match=rf"{name}: .*operations"):
        application(name, 64, rounds=10**7)


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_count_first(name):
    answer = CliRunner().invoke(app, COMMANDS[name].split())
    assert answer.exit_code == 2
    assert re.search("too large|too many for its tables|would take days", answer.stderr)


def test_count_of_jobs_is_bounded_by_the_nodes(tmp_path):
    path = tmp_path / "sweep.toml"
    path.write_text(
        'network = "torus:4x4"\npartition = "random"\n'
        '[[jobs]]\napp = "butterfly"\ntasks = 4\ncount = 30000000\n'
    )
    refused(CliRunner().invoke(app, ["table", str(path)]), "30000000")


@pytest.mark.parametrize("fidelity", ["live", "table"])
def test_packets_of_a_co_simulation_are_counted(fidelity):
    line = "cosim --machine torus:4x4 --workload applications --jobs 3 --repeats 1000000000:1000000000"
    refused(
        CliRunner().invoke(app, [*line.split(), "--fidelity", fidelity]),
        f"fidelity: {fidelity} would simulate about ",
        "1,000,000,000 iterations), expected at most 1e+11; --fidelity sampled",
        "--max-packets allows more",
    )


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


def test_words_of_the_kernel_are_counted(monkeypatch):
    program = application("all-to-all", 16, rounds=50)
    tracemalloc.start()
    lower(program, Config())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    monkeypatch.setattr(netplace.netsim.lower, "available", lambda: peak // 2)
    with pytest.raises(ValueError, match="all-to-all: 24,000 operations in the kernel's words would need"):
        lower(program, Config())
    monkeypatch.setattr(netplace.netsim.lower, "available", lambda: peak * 2)
    assert lower(program, Config()).first[-1] > 0


def test_a_number_of_very_many_digits_is_not_written_out():
    with pytest.raises(ValueError, match=r"^x: too large, over 10\*\*15 things would take over 10\*\*15 GB"):
        check_size(10**300, 8, "things", "x")


def test_half_a_network_more_than_fits_is_refused(monkeypatch):
    monkeypatch.setattr("netplace.inputs.MOST_BYTES", 2 << 20)
    assert parse("torus:100x100").nodes == 10_000
    with pytest.raises(ValueError, match=r"torus:150x150: too large, 90,000 ports would take 0\.0 GB"):
        parse("torus:150x150")
