"""The service: its verbs, its journal, and its ways in."""

import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter

import numpy as np
import pytest
from click.testing import CliRunner

from netplace.cli import app
from netplace.live import Cluster, Explain, Mark, Place, Plan, Release, RequestError, Service, State
from netplace.live.journal import Journal
from netplace.live.searches import LateError, Searches, rank_order
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


@pytest.mark.parametrize("rule", ["curve:hilbert,best-fit", "mm", "contiguous", "pss:levels"])
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


def test_jobs_on_hosts_with_several_slots_hold_hosts_and_fill_their_slots(tmp_path):
    """Hosts are those that a machine with one slot a host gives; an order of ranks stays on them."""
    machine = parse("nodes:tasks=4/torus:4x4")
    cluster, plain = Cluster(machine), Cluster(parse("torus:4x4"))
    journal = Journal(tmp_path, cluster)
    for request in (Place("a", 3), Place("b", 2, "mc1x1"), Place("c", 5, "gen-alg+inc")):
        expected = plain.place(request).nodes
        assert cluster.place(request).nodes == [name for name in expected for _ in range(4)]
    mapped = cluster.place(Place("d", 4, "", "classic", "2d-torus"))
    assert Counter(mapped.nodes) == dict.fromkeys(plain.place(Place("d", 4)).nodes, 4)
    for service in (cluster, plain):
        service.handle(Mark("n15", "down"))
        service.handle(Release("b"))
    left = {"free": 3, "held": 12, "down": 1, "nodes": 16}
    told, alike = cluster.handle(State()), plain.handle(State())
    assert told | left == told == alike | {"machine": machine.text}
    assert cluster.handle(Explain("d"))["mean_hops"] == plain.handle(Explain("d"))["mean_hops"]
    with pytest.raises(RequestError, match="the machine has 16"):
        cluster.place(Place("e", 17))
    journal.close()
    again = Cluster(machine)
    Journal(tmp_path, again).close()
    assert everything(again) == everything(cluster)


def test_the_same_request_gets_its_answer_again_and_nothing_else_does():
    cluster = Cluster(TREE)
    drawn = cluster.place(Place("z", 5, "random", seed=4))
    assert cluster.place(Place("z", 5, "random", seed=4)) == drawn
    with pytest.raises(RequestError, match="already holds 5 nodes"):
        cluster.place(Place("z", 6))
    cluster.release(Release("z"))
    first = cluster.handle(Place("a", 5, key="1", id=1))
    cluster.handle(Release("a"))
    assert cluster.handle(Place("a", 5, key="1", id=2)) == first
    assert not cluster.jobs
    for wrong, said in (
        (Place("a", 6, key="1"), "key '1': belongs to another request"),
        (Place("b", 5, key="1"), "key '1': belongs to another request"),
    ):
        with pytest.raises(RequestError, match=said):
            cluster.handle(wrong)
    cluster.handle(Place("c", 32, key="2"))
    with pytest.raises(RequestError, match="job 'c': already holds 32 nodes"):
        cluster.handle(Place("c", 32, key="3"))
    waits = Place("d", 2, wait=True, key="4")
    assert cluster.handle(waits).state == cluster.handle(waits).state == "waiting"
    cluster.handle(Release("c"))
    assert cluster.handle(waits).state == "placed"
    cluster.handle(Place("e", 31, wait=True, key="5"))
    cluster.handle(Release("e"))
    with pytest.raises(RequestError, match="job 'e': has left the queue"):
        cluster.handle(Place("e", 31, wait=True, key="5"))


class Slow:
    """Searches that end when a test says so."""

    def __init__(self):
        self.begun, self.end, self.error = threading.Event(), threading.Event(), None

    def __call__(self, function, *arguments):
        self.begun.set()
        assert self.end.wait(20)
        if self.error:
            raise self.error
        return function(TREE, *arguments)


def searching():
    """Return a service that searches for a request of a client, whose answer will be in a list."""
    slow, answers = Slow(), []
    service = Service(Cluster(TREE), searches=slow)
    request = {"verb": "place", "job": "a", "nodes": 4, "mapping": "random", "seed": 3}
    client = threading.Thread(target=lambda: answers.append(ask(service, **request)))
    client.start()
    assert slow.begun.wait(20)
    return slow, service, request, client, answers


@pytest.mark.parametrize("late", [False, True])
def test_a_long_search_holds_up_no_other_client_and_ends_at_its_deadline(late):
    slow, service, request, client, answers = searching()
    assert ask(service, verb="place", job="b", nodes=4)["result"]["nodes"] == ["n4", "n5", "n6", "n7"]
    assert "is being placed" in ask(service, **request)["error"]
    assert "is being placed" in ask(service, verb="release", job="a")["error"]
    assert "note" not in ask(service, verb="state")["result"]
    slow.error = LateError("took longer than 10 s") if late else None
    slow.end.set()
    client.join()
    placed = answers[0]["result"]
    assert {*placed["nodes"]} == {"n0", "n1", "n2", "n3"}
    if late:
        assert placed["note"] == "mapping random took longer than 10 s: consecutive"
        assert (placed["nodes"], placed["mapping"]) == (["n0", "n1", "n2", "n3"], "consecutive")
    else:
        assert placed["mapping"] == "random"
    assert ask(service, verb="release", job="a")["ok"]
    assert service.cluster.free.sum() == 28


def test_a_node_that_goes_down_during_a_search_is_not_given():
    slow, service, _, client, answers = searching()
    assert ask(service, verb="mark", nodes="n1", state="down")["ok"]
    slow.end.set()
    client.join()
    assert "n1" not in answers[0]["result"]["nodes"]
    assert service.cluster.free.sum() == 27


def test_nodes_by_a_rule_that_is_late_are_the_first_free_ones():
    cluster = Cluster(parse("mesh:4x4"))

    def late(function, *arguments):
        raise LateError("took longer than 10 s")

    cluster.search = late
    cluster.handle(Place("x", 1))
    placed = cluster.handle(Place("a", 3, "mm+inc", "random"))
    assert placed.nodes == ["n1", "n2", "n3"]
    assert placed.note == (
        "partition mm+inc took longer than 10 s: non-contiguous; "
        "mapping random took longer than 10 s: consecutive"
    )
    assert cluster.handle(Place("a", 3, "mm+inc", "random")) == placed


@pytest.mark.all
def test_a_search_that_misses_its_deadline_or_dies_is_lost_and_the_next_is_not():
    searches = Searches(parse("torus:8x8"), 20.0, 1)
    try:
        nodes = np.arange(4)
        assert sorted(searches(rank_order, "td", "2d-torus,packets=4", nodes, 4, 0)) == [0, 1, 2, 3]
        with pytest.raises(ValueError, match="unknown name"):
            searches(rank_order, "nonsense", "", nodes, 4, 0)
        with pytest.raises(LateError, match="was lost with its process"):
            searches(die)
        assert sorted(searches(rank_order, "random", "", nodes, 4, 0)) == [0, 1, 2, 3]
        searches.seconds = 0.01
        with pytest.raises(LateError, match=r"took longer than 0\.01 s"):
            searches(sleep)
    finally:
        searches.close()


def die(topology):
    os._exit(3)


def sleep(topology):
    time.sleep(60)


def test_a_program_may_be_a_bundled_trace_and_an_application_has_options():
    cluster = Cluster(parse("torus:8x8"))
    placed = cluster.place(Place("c", 4, "mc1x1", "link-load", "2d-torus,packets=4"))
    assert sorted(placed.nodes) == ["n0", "n1", "n7", "n8"]
    placed = cluster.place(Place("a", 16, "mc1x1", "link-load", "IS.W.16"))
    assert len({*placed.nodes}) == 16
    with pytest.raises(ValueError, match=r"is\.w\.16: is a program of 16 tasks"):
        cluster.place(Place("b", 8, "mc1x1", "link-load", "is.w.16"))


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
    assert cluster.handle(State())["free"] == 0


def test_explain_compares_rules_and_names_who_shares_links():
    cluster = Cluster(TREE)
    cluster.place(Place("a", 4))  # a leaf switch of its own
    cluster.place(Place("b", 6))
    cluster.place(Place("c", 4))
    cluster.place(Place("d", 2))
    told = cluster.handle(Explain("c"))
    assert {one["partition"] for one in told["now_by_rule"]} >= {"slurm", "non-contiguous"}
    held = {name: {node // 4 for node in job.nodes.tolist()} for name, job in cluster.jobs.items()}
    assert len(held["b"]) > 1
    sharing = {one["job"] for one in cluster.handle(Explain("b"))["shares_links_with"]}
    crossing = {name for name, leaves in held.items() if len(leaves) > 1 and name != "b"}
    assert sharing <= crossing
    assert cluster.handle(Explain("a"))["shares_links_with"] == []  # its packets stay below its switch


def test_plan_switches_only_free_nodes_and_boots_for_jobs_that_wait():
    now = [0.0]
    power = PowerModel(boot_seconds=60, stop_seconds=10)
    cluster = Cluster(TREE, power=power, clock=lambda: now[0])
    cluster.place(Place("a", 8, seconds=600.0))
    cluster.mark(Mark("n[30-31]", "off"))
    now[0] = 1000.0
    stop = cluster.handle(Plan("timeout:900"))["stop"]
    held = {cluster.hosts[node] for node in cluster.jobs["a"].nodes}
    listed = {cluster.hosts[node] for node in cluster.node_numbers(stop, "stop")}
    assert listed
    assert not listed & (held | {"n30", "n31"})
    assert cluster.handle(Plan("timeout:1001"))["stop"] == ""
    cluster.place(Place("b", 24, seconds=100.0, wait=True))  # 22 are free
    told = cluster.handle(Plan("timeout:900"))
    assert (told["boot"], told["stop"], told["wanted"]) == ("n[30-31]", "", 24)  # a has outrun its limit
    planned = cluster.handle(Plan("plan:slot=60"))  # a ends within a slot: b needs 16 beside its nodes
    assert len(cluster.node_numbers(planned["stop"], "stop")) == 6
    assert not set(cluster.node_numbers(planned["stop"], "stop")) & set(cluster.jobs["a"].nodes.tolist())


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"", "request"),
        (b"nonsense", "request 'nonsense'"),
        (b'{"verb":"dance"}', "dance"),
        (b'{"verb":"place","job":"a","nodes":0}', ">= 1"),
        (b'{"verb":"place","job":"a","nodes":1,"colour":"red"}', "unknown field `colour`"),
        (b'{"verb":"place","job":"a","nodes":1,"app":"lu"}', "unknown field `app`, which is called program"),
        (b'{"verb":"place","job":"a","nodes":33}', "33 nodes, but the machine has 32"),
        (b'{"verb":"place","job":"a","nodes":2,"partition":"own.py:Mine"}', "unknown name 'own.py:Mine'"),
        (b'{"verb":"place","job":"a","nodes":2,"partition":"pss:/etc/passwd"}', "--allow"),
        (b'{"verb":"place","job":"a","nodes":2,"mapping":"file:/etc/passwd"}', "--allow"),
        (b'{"verb":"place","job":"a","nodes":2,"partition":"nodes:passwd"}', "--allow"),
        (b'{"verb":"place","job":"a","nodes":2,"program":"./IS.W.16"}', "unknown name './IS.W.16'"),
        (b'{"verb":"place","job":"a","nodes":2,"partition":"curv"}', "did you mean curve"),
        (b'{"verb":"place","job":"a","nodes":2,"mapping":"this.zen:f"}', "unknown name 'this.zen'"),
        (b'{"verb":"place","job":"a","nodes":2,"mapping":"hosts:passwd"}', "--allow"),
        (b'{"verb":"place","job":"a","nodes":2,"program":"training,times=passwd"}', "--allow"),
        (b'{"verb":"place","job":"a","nodes":2,"wait":true,"program":"own.py:f"}', "unknown name 'own.py:f'"),
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
    assert "this" not in sys.modules


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


@pytest.mark.all
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
            said = process.stderr.read()
            process.stderr.close()
    assert ended == 143
    assert said == f"netplace: stopped by SIGTERM; all changes that were answered are in {tmp_path}/journal\n"
    assert not (tmp_path / "socket").exists()


def serve(text, *words):
    return CliRunner().invoke(app, ["serve", "--machine", "mesh:4x4", *words], input=text)


@pytest.mark.usefixtures("interruptible")
def test_a_service_in_memory_says_that_nothing_is_kept():
    process = subprocess.Popen(
        [sys.executable, "-m", "netplace", "serve", "--machine", "mesh:4x4"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert "serves" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=20)
    assert said.strip() == "netplace: interrupted; the state was in memory alone; with --folder, it is kept"
    assert process.returncode == 130


def test_lines_from_stdin():
    result = serve('{"verb":"place","job":"a","nodes":3,"id":7}\n\nno json\n')
    assert result.exit_code == 0
    first, second = (json.loads(line) for line in result.output.splitlines() if line.startswith("{"))
    assert (first["id"], first["result"]["nodes"]) == (7, ["n0", "n1", "n2"])
    assert not second["ok"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--metrics", "metrics.txt"], "expected a name that ends in .prom"),
        (["--partition", "td"], "td"),
        (["--mapping", "mm"], "mm"),
    ],
)
def test_settings_that_are_refused(words, said):
    result = serve("", *words)
    assert result.exit_code == 2
    assert said in result.output


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
