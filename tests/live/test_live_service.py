"""The service: its verbs, its journal, and its ways in."""

import json
import os
import random
import signal
import socket
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from netplace.cli import app
from netplace.live import Cluster, Explain, Mark, Place, Plan, Release, RequestError, Service, State
from netplace.live.journal import Journal
from netplace.scheduling import Allocation, Job, make_partitioner
from netplace.scheduling.partitioner.pss import processor_sets, written
from netplace.scheduling.power import PowerModel
from netplace.topologies import parse

TREE = parse("xgft:2;4,8;1,1")


def ask(service, **request):
    return json.loads(service.answer(json.dumps(request).encode()))


def everything(cluster):
    held = {name: job.took for name, job in cluster.jobs.items()}
    return held, list(cluster.waiting.values()), cluster.states, cluster.free.tolist()


@pytest.mark.parametrize(
    "rule", ["slurm:cons_tres", "curve:hilbert,best-fit", "mm", "contiguous", "pss:levels"]
)
def test_nodes_are_those_of_the_partitioner_and_return(rule):
    """The service has jobs come and go; a partitioner of its own must choose the same each time."""
    machine = parse("mesh:8x8") if rule.startswith(("curve", "mm")) else TREE
    cluster, other = Cluster(machine, partition=rule), make_partitioner(rule, machine)
    draw, held = random.Random(3), {}
    for step in range(60):
        if held and draw.random() < 0.45:
            name = draw.choice(sorted(held))
            cluster.release(Release(name))
            other.release(Allocation(held.pop(name)))
            continue
        size = draw.randint(1, 9)
        expected = other.find(Job(len(held), 0.0, size, 0.0, 0.0))
        if expected is None:
            with pytest.raises(RequestError, match="has no"):
                cluster.place(Place(f"j{step}", size))
            continue
        placed = cluster.place(Place(f"j{step}", size))
        assert placed.nodes == [f"n{node}" for node in expected.nodes[:size]]
        other.take(Allocation(expected.nodes))
        held[f"j{step}"] = expected.nodes
    assert cluster.free.sum() == other.free


COMMANDS = st.one_of(
    st.builds(Place, st.sampled_from("abcdefgh"), st.integers(1, 20), wait=st.booleans()),
    st.builds(
        Place, st.sampled_from("abcdefgh"), st.integers(1, 8), st.just("random"), seed=st.integers(0, 9)
    ),
    st.builds(Release, st.sampled_from("abcdefgh")),
    st.builds(Mark, st.sampled_from(["n[0-3]", "n5", "n[8-20]"]), st.sampled_from(["up", "down", "off"])),
)


@given(commands=st.lists(COMMANDS, max_size=25), cut=st.integers(0, 60))
def test_a_service_that_was_killed_comes_back_with_the_same_state(commands, cut, tmp_path_factory):
    folder = tmp_path_factory.mktemp("service")
    ticks = iter(range(10**6))
    cluster = Cluster(TREE, queue=3, clock=lambda: float(next(ticks)))
    journal = Journal(folder, cluster)
    for command in commands:
        try:
            cluster.handle(command)
        except RequestError:
            assert not journal._pending, "what was refused changed something"
        journal.flush()
        nodes = [node for job in cluster.jobs.values() for node in job.nodes.tolist()]
        assert len(nodes) == len(set(nodes)), "a node of two jobs"
        assert not cluster.free[nodes].any()
        up = np.array([state == "up" for state in cluster.states])
        assert cluster.free.sum() == up.sum() - up[nodes].sum()
    with (folder / "journal.jsonl").open("ab") as file:  # killed while it wrote the next line
        file.write(b'{"event":"took","job":"zz","ranks":[1,2,3],"partition":"slurm","mapping":"x"'[:cut])
    again = Cluster(TREE, queue=3)
    Journal(folder, again)
    assert everything(again) == everything(cluster)


def test_the_same_request_again_changes_nothing():
    cluster = Cluster(TREE)
    first = cluster.place(Place("a", 5, "random", seed=4))
    assert cluster.place(Place("a", 5, "random", seed=4)) == first
    assert cluster.state(State())["held"] == 5
    with pytest.raises(RequestError, match="already holds 5 nodes"):
        cluster.place(Place("a", 6))


def test_jobs_wait_in_order_and_the_queue_is_bounded():
    cluster = Cluster(TREE, queue=2)
    cluster.place(Place("a", 30))
    assert cluster.place(Place("b", 20, wait=True)).state == "waiting"
    assert cluster.place(Place("c", 1, wait=True)).before == 1  # two nodes are free, but b is first
    with pytest.raises(RequestError, match="the queue is full: 2 jobs wait"):
        cluster.place(Place("d", 1, wait=True))
    assert cluster.release(Release("a"))["started"] == ["b", "c"]
    assert cluster.mark(Mark("n[0-31]", "down"))["started"] == []
    assert cluster.release(Release("b"))["started"] == []
    assert cluster.state(State())["free"] == 0


def test_explain_compares_rules_and_names_who_shares_links():
    cluster = Cluster(TREE)
    cluster.place(Place("a", 4))  # a leaf switch of its own
    cluster.place(Place("b", 6))
    cluster.place(Place("c", 4))
    cluster.place(Place("d", 2))
    told = cluster.explain(Explain("c"))
    assert {one["partition"] for one in told["now_by_rule"]} >= {"slurm", "non-contiguous"}
    held = {name: {node // 4 for node in job.nodes.tolist()} for name, job in cluster.jobs.items()}
    assert len(held["b"]) > 1
    sharing = {one["job"] for one in cluster.explain(Explain("b"))["shares_links_with"]}
    crossing = {name for name, leaves in held.items() if len(leaves) > 1 and name != "b"}
    assert sharing <= crossing
    assert cluster.explain(Explain("a"))["shares_links_with"] == []  # its packets stay below its switch


def test_plan_switches_only_free_nodes_and_boots_for_jobs_that_wait():
    now = [0.0]
    power = PowerModel(boot_seconds=60, stop_seconds=10)
    cluster = Cluster(TREE, power=power, clock=lambda: now[0])
    cluster.place(Place("a", 8, seconds=600.0))
    cluster.mark(Mark("n[30-31]", "off"))
    now[0] = 1000.0
    stop = cluster.plan(Plan("timeout:900"))["stop"]
    held = {cluster.hosts[node] for node in cluster.jobs["a"].nodes}
    listed = {cluster.hosts[node] for node in cluster._nodes(stop, "stop")}
    assert listed
    assert not listed & (held | {"n30", "n31"})
    assert cluster.plan(Plan("timeout:1001"))["stop"] == ""
    cluster.place(Place("b", 24, seconds=100.0, wait=True))  # 22 are free
    told = cluster.plan(Plan("timeout:900"))
    assert (told["boot"], told["stop"], told["wanted"]) == ("n[30-31]", "", 24)  # a has outrun its limit
    planned = cluster.plan(Plan("plan:slot=60"))  # a ends within a slot: b needs 16 beside its nodes
    assert len(cluster._nodes(planned["stop"], "stop")) == 6
    assert not set(cluster._nodes(planned["stop"], "stop")) & set(cluster.jobs["a"].nodes.tolist())


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"", "request"),
        (b"nonsense", "request 'nonsense'"),
        (b'{"verb":"dance"}', "dance"),
        (b'{"verb":"place","job":"a","nodes":0}', ">= 1"),
        (b'{"verb":"place","job":"a","nodes":1,"colour":"red"}', "unknown field `colour`"),
        (b'{"verb":"place","job":"a","nodes":33}', "33 nodes, but the machine has 32"),
        (b'{"verb":"place","job":"a","nodes":2,"partition":"own.py:Mine"}', "unknown name 'own.py:Mine'"),
        (b'{"verb":"place","job":"a","nodes":2,"partition":"pss:/etc/passwd"}', "--allow"),
        (b'{"verb":"place","job":"a","nodes":2,"mapping":"file:/etc/passwd"}', "--allow"),
        (b'{"verb":"place","job":"a","nodes":2,"partition":"curv"}', "did you mean curve"),
        (b'{"verb":"place","job":"a","nodes":2,"mapping":"td"}', "td"),
        (b'{"verb":"place","job":"a","nodes":2,"among":"n[0-999999999]"}', "more names"),
        (b'{"verb":"release","job":"a"}', "neither holds nodes nor waits"),
        (b'{"verb":"mark","nodes":"x1","state":"up"}', "'x1' is not a node"),
        (b'{"verb":"plan","rule":"sometimes"}', "unknown name 'sometimes'"),
        (b'{"verb":"place","version":2,"job":"a","nodes":1}', "version"),
        (b"[" * 100_000, "request"),
        (b"\xff\xfe{}", "request"),
    ],
)
def test_bad_requests_get_one_sentence_and_change_nothing(line, said):
    service = Service(Cluster(TREE))
    before = everything(service.cluster)
    answer = json.loads(service.answer(line))
    assert not answer["ok"]
    assert said in answer["error"]
    assert "\n" not in answer["error"]
    assert everything(service.cluster) == before


def test_journals_that_are_none(tmp_path):
    cluster = Cluster(TREE)
    journal = Journal(tmp_path, cluster)
    cluster.place(Place("a", 3))
    journal.flush()
    path = tmp_path / "journal.jsonl"
    with pytest.raises(ValueError, match=r"jsonl:1: is the journal of xgft:2;4,8;1,1, expected mesh"):
        Journal(tmp_path, Cluster(parse("mesh:32")))
    text = path.read_bytes()
    path.write_bytes(text + b"rubbish\n")
    with pytest.raises(ValueError, match=r"journal\.jsonl:3: "):
        Journal(tmp_path, Cluster(TREE))
    path.write_bytes(text + text.splitlines(keepends=True)[1])
    with pytest.raises(ValueError, match=r"journal\.jsonl:3: job a cannot take its nodes"):
        Journal(tmp_path, Cluster(TREE))
    assert path.read_bytes() == text + text.splitlines(keepends=True)[1], "a journal that is refused stays"


def test_metrics_are_those_of_the_moment_in_a_file_that_others_can_read(tmp_path):
    service, path = Service(Cluster(TREE)), tmp_path / "netplace.prom"
    ask(service, verb="place", job="a", nodes=3)
    ask(service, verb="place", job="b", nodes=33)
    path.symlink_to(tmp_path / "another's")
    service.write_metrics(path)
    text = path.read_text()
    assert 'netplace_nodes{state="held"} 3' in text
    assert 'netplace_requests_total{verb="place",outcome="refused"} 1' in text
    assert "netplace_request_seconds_count 2" in text
    assert path.stat().st_mode & 0o777 == 0o644
    assert [one.name for one in tmp_path.iterdir()] == ["netplace.prom"]
    written = serve('{"verb":"place","job":"a","nodes":5}\n', "--metrics", path)
    assert written.exit_code == 0
    assert 'netplace_nodes{state="held"} 5' in path.read_text()


def test_the_command_survives_a_kill_and_is_alone(tmp_path, netplace):
    """Killed after every few answers: each answer that was given is in the state of the next service."""
    command = [
        sys.executable, "-m", "netplace", "serve", "--machine", "xgft:2;4,8;1,1", "--folder", str(tmp_path),
        "--socket", str(tmp_path / "socket"),
    ]  # fmt: skip
    known = {}
    for life in range(2):
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        try:
            assert "serves" in process.stderr.readline()
            with socket.socket(socket.AF_UNIX) as client, client.makefile("rwb") as lines:
                client.settimeout(20)
                client.connect(str(tmp_path / "socket"))

                def tell(lines=lines, **request):
                    lines.write(json.dumps(request).encode() + b"\n")
                    lines.flush()
                    return json.loads(lines.readline())

                assert tell(verb="state", jobs=True)["result"]["held_by"].keys() == known.keys()
                for job, nodes in known.items():
                    assert tell(verb="place", job=job, nodes=len(nodes))["result"]["nodes"] == nodes
                for place in range(3):
                    job = f"j{life}-{place}"
                    known[job] = tell(verb="place", job=job, nodes=place + 2)["result"]["nodes"]
            if life == 0:
                result = netplace("serve", "--machine", "xgft:2;4,8;1,1", "--folder", str(tmp_path))
                assert result.exit_code == 2
                assert f"process {process.pid} serves it already" in result.output
                os.kill(process.pid, signal.SIGKILL)
            else:
                process.send_signal(signal.SIGTERM)
        finally:
            ended = process.wait(timeout=20)
            process.stderr.close()
    assert ended == 143
    assert not (tmp_path / "socket").exists()


def serve(text, *words):
    return CliRunner().invoke(app, ["serve", "--machine", "mesh:4x4", *words], input=text)


def test_lines_from_stdin():
    request = '{"verb":"place","job":"a","nodes":3,"id":7}\n\nno json\n'
    result = serve(request)
    assert result.exit_code == 0
    first, second = (json.loads(line) for line in result.output.splitlines() if line.startswith("{"))
    assert (first["id"], first["result"]["nodes"]) == (7, ["n0", "n1", "n2"])
    assert not second["ok"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--metrics", "metrics.txt"], "expected a name that ends in .prom"),
        (["--sync"], "--sync: has no effect without --folder"),
        (["--partition", "td"], "td"),
        (["--mapping", "mm"], "mm"),
        (["--queue", "-1"], "--queue"),
    ],
)
def test_settings_that_are_refused(words, said):
    result = serve("", *words)
    assert result.exit_code == 2
    assert said in result.output


def test_hostile_lines_change_nothing():
    service = Service(Cluster(TREE))
    draw = random.Random(1)
    for _ in range(3000):
        service.answer(bytes(draw.randrange(256) for _ in range(draw.randrange(40))))
    assert ask(service, verb="state")["result"]["free"] == 32


def by_cost(costs):
    return written(processor_sets(8, [([node], [cost]) for node, cost in enumerate(costs)]), "test")


def test_a_changed_configuration_is_read_again_and_an_invalid_one_is_told(tmp_path):
    path, now, told = tmp_path / "sets.conf", [0.0], []
    path.write_text(by_cost(range(1, 9)))
    rule = f"pss:{path}"
    cluster = Cluster(parse("mesh:8"), partition=rule, clock=lambda: now[0], tell=told.append)
    cluster.mark(Mark("n[0,7]", "down"))

    def placed(**more):
        nodes = cluster.place(Place("a", 1, **more)).nodes
        cluster.release(Release("a"))
        return nodes

    for seconds, text, expected in (
        (0, by_cost(range(8, 0, -1)), "n1"),  # the next look is after 300 s
        (300, "queues:", "n6"),
        (600, by_cost([9, 9, 9, 1, 9, 9, 9, 9]), "n6"),  # the invalid one is told, and the one before stays
        (900, by_cost([9, 9, 9, 1, 9, 9, 9, 9]), "n3"),
    ):
        now[0] = seconds
        assert placed() == placed(among="n[1-6]") == [expected]
        path.write_text(text)
        os.utime(path, (1000 + seconds, 1000 + seconds))
        assert placed() == [expected]
    path.unlink()
    now[0] = 1200
    assert placed() == ["n3"]
    assert len(told) == 2
    assert all("the configuration read before stays in use" in one for one in told)
    with pytest.raises(FileNotFoundError):
        Cluster(parse("mesh:8"), partition=rule)
