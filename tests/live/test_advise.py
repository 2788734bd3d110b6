"""Advice: which nodes a job should have beside those that run already."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from netplace.apps import application
from netplace.cli import app
from netplace.live import Limits, Neighbour, Situation, advise, machine_of, nodes_from, read_running_jobs
from netplace.live.advice_text import sentences
from netplace.netsim import Config, simulate
from netplace.report.pages import page_of
from netplace.runs import resolve
from netplace.runs.job_programs import on_nodes, programs_of
from netplace.topologies import parse

CONF = """SwitchName=leaf0 Nodes=n[00-07]
SwitchName=leaf1 Nodes=n[08-15]
SwitchName=spine Switches=leaf[0-1]
"""
BESIDE = """[[job]]
app = "all-to-all,packets=2"
nodes = "n[00-03]"

[[job]]
nodes = "n[08-09]"
"""


@pytest.fixture
def slurm_machine(tmp_path):
    (tmp_path / "topology.conf").write_text(CONF)
    (tmp_path / "running.toml").write_text(BESIDE)
    return tmp_path


def run(*words: str) -> tuple[int, str, str]:
    found = CliRunner().invoke(app, [*words])
    return found.exit_code, found.stdout, found.stderr


def situation(**changes) -> Situation:
    torus = parse("torus:4x4")
    talks = application("all-to-all", 4, packets=2)
    beside = Neighbour("all-to-all", np.arange(4), talks, np.arange(4))
    return Situation(torus, application("2d-torus", 4, packets=8), (beside,), **changes)


def test_the_same_draw_gives_the_same_time_and_neighbours_take_some():
    here, nodes = situation(), np.array([4, 6, 9, 15])
    times = [here.cycles(nodes, draw) for draw in range(8)]
    assert times == [here.cycles(nodes, draw) for draw in range(8)]
    alone = Situation(here.machine, here.program)
    assert np.mean(times) >= np.mean([alone.cycles(nodes, draw) for draw in range(8)])
    assert here.cycles(nodes, 0, limit=times[0] - 2) is None


def test_neighbours_go_on_as_programs_that_repeat():
    mesh, nodes, where = parse("mesh:4x4"), np.array([1, 2, 5, 6]), np.array([0, 3, 7, 15])
    talks, own = application("one-to-all", 4, packets=8), application("2d-torus", 4, packets=40)
    here = Situation(mesh, own, (Neighbour("one-to-all", where, talks, where),), seed=3)
    [period] = here.periods
    beside = [
        simulate(mesh, [own, talks.repeat(50)], [nodes, where], starts=[2 * period, start]).jobs[0].cycles
        for start in range(period)
    ]
    assert {here.cycles(nodes, draw) for draw in range(8)} <= {*beside}
    assert min(beside) > simulate(mesh, own, nodes).cycles


def test_hierarchical_collectives_go_by_the_switches_of_each_placement():
    machine, nodes = parse("tree:4,2"), np.array([0, 4, 8, 12, 1, 5, 9, 13])
    job = {
        "app": "mg",
        "class": "S",
        "tasks": 8,
        "iterations": 1,
        "collectives": "builtin+allreduce=hierarchical",
    }
    described = resolve(machine.text, job)
    [first] = programs_of(described)
    here = Situation(machine, first, placed=on_nodes(described))
    grouped = job | {"collectives": f"{job['collectives']}+groups=0.1.2.3.0.1.2.3"}
    [expected] = programs_of(resolve(machine.text, grouped))
    assert here.placed(nodes).equals(expected)
    assert not expected.equals(first)
    assert here.cycles(nodes, 0) == Situation(machine, expected).cycles(nodes, 0)
    assert on_nodes(resolve(machine.text, job | {"collectives": "builtin"})) is None


def test_a_neighbours_hierarchical_collectives_go_by_its_switches(tmp_path):
    machine, beside = parse("tree:4,2"), tmp_path / "running.toml"
    job = 'app = "mg"\nclass = "S"\niterations = 1\ncollectives = "builtin+allreduce=hierarchical{}"\n'
    nodes = 'nodes = "0,4,8,12,1,5,9,13"\n'
    found = []
    for groups in ("", "+groups=0.1.2.3.0.1.2.3", "+groups=0.0.0.0.1.1.1.1"):
        beside.write_text(f"[[job]]\n{job.format(groups)}{nodes}")
        [neighbour] = read_running_jobs(beside, machine, [], Config())
        found.append(neighbour.program)
    assert found[0].equals(found[1])
    assert not found[0].equals(found[2])


def test_advice_is_the_same_again_and_its_gain_is_that_of_its_own_times():
    free = np.arange(4, 16)
    found, again = (advise(situation(), free, Limits(simulations=24)) for _ in range(2))
    assert found.nodes.tolist() == again.nodes.tolist()
    assert (found.gain, found.half_width, found.tried) == (again.gain, again.half_width, again.tried)
    assert np.isin(found.nodes, free).all()
    assert len(found.best_cycles) == len(found.default_cycles) >= 6
    saved = 1 - np.mean(found.best_cycles) / np.mean(found.default_cycles)
    assert found.gain == pytest.approx(saved)


def test_no_gain_is_promised_where_every_placement_is_as_good():
    star = Situation(parse("thintree:8,1,1"), application("2d-torus", 4, packets=2))
    found = advise(star, range(8), Limits(simulations=12))
    assert found.verdict == "no clear difference"
    assert found.nodes.tolist() == found.default.tolist()


def test_nodes_by_name_by_number_and_from_a_file(slurm_machine):
    machine = machine_of(str(slurm_machine / "topology.conf"))
    assert machine.hosts[:2] == ("n00", "n01")
    listed = slurm_machine / "nodes.txt"
    listed.write_text("n[00-01] # two\nn15\n3\n")
    assert nodes_from(str(listed), machine, machine.hosts, "--free").tolist() == [0, 1, 15, 3]
    assert nodes_from("2-4,n09", machine, machine.hosts, "--free").tolist() == [2, 3, 4, 9]


def test_a_job_gets_as_many_hosts_as_its_scheduler_gives_it(slurm_machine):
    machine = machine_of(f"nodes:tasks=4/slurm:{slurm_machine}/topology.conf,taper=1")
    where = Situation(machine, application("all-to-all", 10))
    found = advise(where, machine.computing, Limits(simulations=12))
    for nodes in (found.nodes, found.default, np.array(found.best)):
        assert len({node // 4 for node in nodes.tolist()}) == 3
    assert found.default.tolist() == [*range(10)]
    spread = np.arange(20).reshape(5, 4)[:, :2].ravel()  # 10 tasks by twos
    more, draws = found.more, range(1000, 1006)
    assert (more.hosts, more.tasks_a_host) == (5, 2)
    assert more.time == pytest.approx(
        sum(where.cycles(spread, d) for d in draws) / sum(found.default_cycles[:6])
    )
    assert more.node_hours == pytest.approx(more.time * 5 / 3)
    assert more.time < 1
    assert sentences(found)[0].startswith("On 5 hosts with 2 tasks on each")


def test_free_hosts_of_a_torus_are_counted():
    machine = ("--machine", "nodes:tasks=4/torus:4x4", "--app", "all-to-all", "--simulations", "6")
    code, out, err = run("advise", *machine, "--free", "0-3", "--tasks", "16")
    assert code == 0, err
    assert "4 free nodes" in out
    assert "Nodes: n[0-3]" in out
    assert run("advise", *machine, "--free", "0-2", "--tasks", "16")[0] == 2
    code, out, _ = run(
        "advise", *machine, "--machine", "service:nodes=1/nodes:tasks=4/torus:4x4", "--tasks", "8"
    )
    assert "15 free nodes" in out


def test_a_host_stands_for_all_its_slots(slurm_machine):
    network = f"nodes:tasks=4/slurm:{slurm_machine}/topology.conf,taper=1"
    machine = machine_of(network)
    assert nodes_from("n02,1", machine, machine.hosts, "--free").tolist() == [8, 9, 10, 11, 4, 5, 6, 7]
    with pytest.raises(ValueError, match="16"):
        nodes_from("16", machine, machine.hosts, "--free")
    running, job = str(slurm_machine / "running.toml"), ("--app", "all-to-all", "--tasks", "8")
    code, out, err = run("advise", "--machine", network, "--running", running, *job, "--simulations", "8")
    assert code == 0, err
    assert "10 free nodes" in out
    assert "The jobs on 2 occupied nodes are unknown" in " ".join(out.split())
    assert "Nodes: n[10-11]" in out or "Nodes: n[04-05]" in out


@pytest.mark.parametrize(
    ("listed", "said"),
    [
        ("n[00-99]", "has more nodes"),
        ("m3", "--free: 'm3' is not a node of"),
        ("n01,n01", "node n01 appears twice"),
        (" ", "has no nodes"),
        ("none.txt", "the file none.txt does not exist"),
    ],
)
def test_lists_of_nodes_that_are_none(slurm_machine, listed, said):
    machine = machine_of(str(slurm_machine / "topology.conf"))
    with pytest.raises(ValueError, match=re.escape(said)):
        nodes_from(listed, machine, machine.hosts, "--free")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has no [[job]]"),
        ("jobs = 3\n", "running.toml:1: unknown key 'jobs', expected [[job]]"),
        ("[[job]]\napp = 'all-to-all'\n", "running.toml:1: nodes: not given"),
        ("[[job]]\napp = 'none'\nnodes = '0-3'\n", "running.toml:1: "),
        ("[[job]]\nnodes='0-3'\n\n[[job]]\nnodes='3'\n", "running.toml:4: node n3 already belongs to job 1"),
        ("[[job]]\napp='all-to-all'\ntasks=8\nnodes='0-3'\n", "nodes: 4 for 8 tasks"),
        ("[[job]]\npackets=4\nnodes='0-3'\n", "packets: given without app or trace"),
        ("[[job", "is not TOML"),
    ],
)
def test_files_of_running_jobs_that_are_none(tmp_path, text, said):
    path = tmp_path / "running.toml"
    path.write_text(text)
    machine = parse("torus:4x4")
    with pytest.raises(ValueError, match=re.escape(said)) as error:
        read_running_jobs(path, machine, [f"n{node}" for node in range(16)], Config())
    assert str(path) in str(error.value)


def test_the_command_writes_what_launchers_and_the_report_read(slurm_machine):
    folder = slurm_machine / "advice"
    words = ("--machine", str(slurm_machine / "topology.conf,taper=2"), "--app", "2d-torus", "--tasks", "4")
    status, said, _ = run(
        "advise", *words, "--running", str(slurm_machine / "running.toml"), "--simulations", "16",
        "-o", str(folder),
    )  # fmt: skip
    assert status == 0
    assert "Slurm's best fit of leaf switches" in said
    found = json.loads((folder / "advice.json").read_text())
    hosts = (folder / "ranks.slurm").read_text().split()
    assert hosts == found["hosts"]
    assert not set(hosts) & {"n00", "n01", "n02", "n03", "n08", "n09"}
    assert (folder / "report.html").read_text().startswith("<!doctype html>")
    assert page_of(folder).answer == found["sentences"][0]
    lines = (folder / "ranks.openmpi").read_text().splitlines()
    assert lines[0] == f"rank 0={hosts[0]} slot=0"


def test_a_matrix_stands_for_an_application(tmp_path):
    matrix = tmp_path / "W.csv"
    matrix.write_text("source,destination,bytes\n0,1,6400\n1,2,6400\n2,0,640\n")
    status, said, _ = run(
        "advise", "--machine", "tree:2,3", "--from", str(matrix), "--simulations", "8", "--json"
    )
    assert status == 0
    assert len(json.loads(said)["nodes"]) == 3


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--app", "2d-torus", "--tasks", "9", "--free", "0-3"), "4 are free but 9 are needed, 5 too few"),
        (("--free", "0-3"), "application: expected one of"),
        (("--app", "2d-torus", "--from", "W.csv"), "--from: the matrix replaces the application"),
        (("--from", "W.npy"), "expected a matrix in a .csv file"),
        (("--jobs", "2x:lu.W.16"), "--jobs: advice is for one job"),
        (("--app", "2d-torus", "--tasks", "4", "--default", "best"), "partitioner"),
        (("--app", "2d-torus", "--tasks", "4", "--simulations", "1"), "simulations"),
        (("--app", "2d-torus", "--tasks", "4", "-o", "no/such/folder"), "the folder no/such does not exist"),
        (("--app", "2d-torus", "--tasks", "4", "--running", "none.toml"), "none.toml: cannot be read"),
    ],
)
def test_mistakes_end_with_a_sentence(words, said):
    status, _, told = run("advise", "--machine", "torus:4x4", *words)
    assert status == 2
    assert said in told
    assert len(told.strip().splitlines()) == 1


def test_a_machine_file_that_is_not_there():
    status, _, told = run("advise", "--machine", "none/topology.conf", "--app", "2d-torus")
    assert status == 2
    assert "none/topology.conf" in told
    assert not Path("none").exists()
