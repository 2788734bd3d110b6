"""Readers of what Slurm prints, and what netplace tells it."""

import json
import os
import time

import pytest
import rich_click as click

from netplace.cli.slurm import _lock
from netplace.live import follow, slurm
from netplace.live.power import PowerState, decide
from netplace.live.ranks import rank_hosts
from netplace.scheduling.power import PowerModel
from netplace.topologies import parse

STATES = {
    "IDLE": "idle", "ALLOCATED": "held", "IDLE+POWERED_DOWN": "off", "IDLE+POWERING_UP": "booting",
    "DOWN+NOT_RESPONDING": "down", "MIXED+DRAIN": "down", "MIXED": "held", "IDLE+RESERVED": "reserved",
    "IDLE+POWERING_DOWN": "stopping", "IDLE+NOT_RESPONDING": "down", "IDLE+PLANNED": "reserved",
    "DOWN": "down", "UNKNOWN": "down", "IDLE+COMPLETING": "held", "IDLE+REBOOT_ISSUED": "reserved",
}  # fmt: skip


def test_states_of_nodes():
    more = (
        "CPUTot=4 RealMemory=9 Partitions=p,q ActiveFeatures=a,n0 LastBusyTime=2026-11-24T19:38:47 Reason=a b"
    )
    lines = "".join(f"NodeName=n{place} State={state} {more}\n" for place, state in enumerate(STATES))
    nodes = slurm.read_nodes(lines)
    assert [node.state for node in nodes] == [*STATES.values()]
    assert nodes[0].since > 1.7e9
    [first, *_] = nodes
    assert (first.queues, first.cpus, first.memory, first.features) == ({"p", "q"}, 4, 9, {"a", "n0"})


# What squeue --json of 22.05 and of 25.11 says of a job that the hook lets prefer nodes.
OLD = {"job_id": 7, "job_state": "PENDING", "state_reason": "None", "node_count": 3, "max_nodes": 3,
       "cpus": 6, "tasks": 6, "time_limit": 5, "priority": 9, "admin_comment": "netplace n1|n2",
       "eligible_time": 1, "prefer": "n1|n2", "features": "n1|n2", "array_job_id": 0,
       "array_task_id": None, "core_spec": None, "dependency": "", "gres_detail": []}  # fmt: skip
WRAPPED = ("node_count", "max_nodes", "cpus", "tasks", "time_limit", "priority", "eligible_time")
NEW = OLD | {key: {"set": True, "infinite": False, "number": OLD[key]} for key in WRAPPED}
NEW |= {"job_state": ["PENDING"], "array_job_id": {"set": True, "infinite": False, "number": 0},
        "array_task_id": {"set": False, "infinite": False, "number": 0}, "shared": [],
        "core_spec": {"set": False, "infinite": False, "number": 0}}  # fmt: skip


@pytest.mark.parametrize("row", [OLD, NEW], ids=["22.05", "25.11"])
def test_a_job_of_the_queue_in_old_and_new_versions(row):
    def read(**more):
        [job] = slurm.read_queue(json.dumps({"jobs": [row | more]}))
        return job

    job = read()
    assert (job.number, job.size, job.cpus, job.limit, job.unknown) == ("7", 3, 6, 300.0, "")
    assert job.preferred == {"n1", "n2"}
    assert job.is_marked
    assert job.waits
    assert not read(priority=0).waits, "held by somebody"
    assert not read(eligible_time=4000000328).waits, "has a begin time"
    assert not read(eligible_time=0).waits, "depends on others"
    assert not read(prefer="n1").is_marked, "somebody has changed its preference"
    assert not read(admin_comment="netplace n1|n2; keep").is_marked
    assert not read(comment="netplace n1|n2", admin_comment="").is_marked
    assert read(shared="none").cpus > 1_000_000
    running = read(job_state="RUNNING", nodes="n[0-1]", time_limit={"set": False, "infinite": True})
    assert (running.nodes, running.limit, running.waits) == (("n0", "n1"), float("inf"), False)
    assert read(job_state="RUNNING", max_nodes=0).unknown == ""
    for key, value in (("features", "gpu"), ("excluded_nodes", "n1"), ("resv_name", "r"), ("of_2030", 1)):
        assert read(**{key: value}).unknown.startswith(f"{key} = ")
    assert read(max_nodes=6).unknown == read(max_nodes=0).unknown == "no fixed number of nodes"


@pytest.mark.parametrize(
    ("read", "text", "said"),
    [
        (slurm.read_nodes, "n0 idle", "scontrol show node: 'n0 idle', expected NodeName"),
        (slurm.read_queue, '{"jobs": 3}', "squeue --json"),
        (slurm.read_queue, '{"jobs": [{}]}', "expected job_id"),
        (slurm.read_queue, '{"jobs": [{"job_id": 1, "job_state": "PENDING", "priority": "x"}]}', "a number"),
        (
            slurm.read_queue,
            '{"jobs": [{"job_id": 1, "job_state": "RUNNING", "nodes": "n[0-9999999]"}]}',
            "more",
        ),
    ],
)
def test_what_slurm_does_not_print(read, text, said):
    with pytest.raises(ValueError, match=r"^s") as caught:
        read(text)
    assert said in str(caught.value)


def test_ended_jobs_of_both_files(tmp_path):
    path = tmp_path / "jobs"
    path.write_text(
        "JobId=1 UserId=root(0) Name=a b NodeList=n[0-1] StartTime=2026-11-24T19:00:00 "
        "EndTime=2026-11-24T19:10:00 Cpus=2\nJobId=2 NodeList=(null) StartTime=Unknown EndTime=Unknown\n"
    )
    [job] = slurm.read_ended(path)
    assert (job.number, job.nodes, job.end - job.start) == ("1", ("n0", "n1"), 600.0)
    path.write_text(
        "JobID|Start|End|NodeList\n1|2026-11-24T19:00:00|2026-11-24T19:10:00|n[0-1]\n"
        "1.batch|2026-11-24T19:00:00|2026-11-24T19:10:00|n0\n"
    )
    assert slurm.read_ended(path) == [job]
    path.write_text("")
    assert slurm.read_ended(path) == []
    path.write_text("nothing|of|it\n")
    with pytest.raises(ValueError, match="no column End"):
        slurm.read_ended(path)


def test_ended_jobs_hurt_each_other_only_at_the_same_time():
    machine = parse("mesh:8")
    jobs = [slurm.Ended("a", ("n0", "n4"), 0, 10), slurm.Ended("b", ("n2", "n6"), 5, 9)]
    jobs.append(slurm.Ended("c", ("n1", "n7"), 10, 20))
    assert {(one.job, one.other) for one in follow.hurt_by(machine, jobs)} == {("a", "b"), ("b", "a")}


class FakeController(slurm.Controller):
    """Slurm as far as placement sees it."""

    def __init__(self, jobs, refuses=(), nodes=()):
        self.queue, self.refuses, self.calls = jobs, refuses, []
        self.odd = {node.name: node for node in nodes}

    def jobs(self):
        return self.queue

    def nodes(self):
        names = [f"n{node}" for node in range(8)]
        return [self.odd.get(name, node(name)) for name in names]

    def topology(self):
        return "SwitchName=a Nodes=n[2-5]\nSwitchName=b Nodes=n[6-9]\nSwitchName=top Switches=a,b\n"

    def _run(self, name, *words):
        self.calls.append(" ".join(words))
        if any(part in self.calls[-1] for part in self.refuses):
            raise ValueError("scontrol update: exit code 1: no")


def node(name, state="idle", queue="a", **more):
    return slurm.SlurmNode(name, state, features=frozenset({name}), queues=frozenset({queue}), **more)


def waiting(number, size=2, **more):
    more = {"eligible": 1.0, "priority": 1, "cpus": size, "queues": frozenset({"a"}), **more}
    return slurm.QueuedJob(number, "PENDING", more.pop("reason", "None"), size, **more)


def marked(number, *names, **more):
    """A job that the hook has let prefer nodes."""
    return waiting(number, len(names), mark="|".join(names), preferred=frozenset(names), **more)


def offers(folder, size):
    """Return the nodes, and their processors, that the file for the hook has for a job of a size."""
    _, *rows = [line.split() for line in (folder / "offers").read_text().splitlines()]
    return next(((row[4], int(row[2])) for row in rows if row[:2] == ["a", str(size)]), None)


def follower(tmp_path, controller, act=True, told=None, machine=None):
    tell = [].append if told is None else told.append
    return follow.Follower(controller, machine or parse("mesh:8"), tmp_path, "non-contiguous", act, tell)


def test_the_hook_is_offered_free_nodes_for_each_size(tmp_path):
    nodes = [node("n0", "held"), node("n1", cpus=2, memory=5), node("n2", cpus=4, memory=3)]
    controller = FakeController([], nodes=nodes)
    placer = follower(tmp_path, controller)
    placer.place_all(60)
    looked, last = map(int, (tmp_path / "offers").read_text().splitlines()[0].split())
    assert -2 < looked - time.time() <= 0, "not later than the state of Slurm"
    assert last - looked in (60, 61)
    assert "a 2 6 3 n1|n2\n" in (tmp_path / "offers").read_text()
    assert (offers(tmp_path, 7)[0], offers(tmp_path, 8)) == ("n1|n2|n3|n4|n5|n6|n7", None)
    assert controller.calls == []
    placer.stop()
    assert not (tmp_path / "offers").exists()
    follower(tmp_path, controller, act=False).place_all()
    assert not (tmp_path / "offers").exists()


def test_nodes_of_jobs_that_start_in_a_moment_or_have_just_started_are_not_offered(tmp_path):
    started = slurm.QueuedJob("6", "RUNNING", "None", 1, ("n2",))
    controller = FakeController([marked("5", "n0", "n1"), started])
    follower(tmp_path, controller).place_all()
    assert offers(tmp_path, 1)[0] == "n3"
    assert controller.calls == []


@pytest.mark.parametrize(("reason", "free"), [("None", 0), ("Resources", 0), ("Priority", 0), ("QOS", 8)])
def test_new_jobs_join_a_queue_without_a_preference(tmp_path, reason, free):
    """Also one that waits for a reason that Slurm has not found yet: free nodes may be its own."""
    follower(tmp_path, FakeController([waiting("8", reason=reason)])).place_all(60)
    assert bool(offers(tmp_path, 8)) == bool(free)


@pytest.mark.parametrize(
    "job",
    [
        waiting("1", preferred=frozenset({"n9"})),
        marked("1", "n9", priority=0, reason="JobHeldUser"),
        marked("1", "n9", priority=0, reason="JobHeldAdmin"),
        marked("1", "n9", reason="BeginTime", eligible=time.time() + 1000),
        marked("1", "n9", reason="Dependency", eligible=0.0),
        waiting("1", mark="n9", preferred=frozenset({"n8"})),
        slurm.QueuedJob("1", "RUNNING", "None", 2, ("n0", "n1"), mark="n0|n2", preferred={"n0", "n2"}),
    ],
    ids=["its user's", "user", "admin", "begin", "dependency", "changed", "running"],
)
def test_no_other_job_is_touched(tmp_path, job):
    controller = FakeController([job])
    follower(tmp_path, controller).place_all()
    assert controller.calls == []


@pytest.mark.parametrize(
    "job",
    [
        marked("9", "n1", "n2"),
        marked("9", "n2", "n3", reason="Resources"),
        marked("9", "n2", "n3", unknown="core_spec = 1"),
    ],
    ids=["taken", "tried", "not understood"],
)
def test_a_job_that_cannot_start_on_its_nodes_prefers_none_from_then_on(tmp_path, job):
    controller = FakeController([job], nodes=[node("n1", "held")], refuses=["Prefer"])
    placer = follower(tmp_path, controller)
    for _ in range(4):
        placer.place_all()
    assert controller.calls == ["update JobId=9 Prefer="] * 2, "no action more than twice"


def test_what_becomes_of_new_jobs_is_told_once(tmp_path):
    """Without --act, too: jobs that come would prefer what the pass before has chosen."""
    known = waiting("0", reason="QOS")
    new = [waiting("1"), waiting("2", 3, unknown="features = 'gpu'"), waiting("3", 9), waiting("4", cpus=1)]
    new += [waiting("5", submitted=1.0), marked("6", "n3", "n4")]
    shown = "left to Slurm, another job came at the same time"
    for act, first, fifth in ((True, shown, shown), (False, "prefers n[0-1]", shown)):
        controller, told = FakeController([known]), []
        placer = follower(tmp_path, controller, act=act, told=told)
        placer.place_all()
        assert told == []
        controller.queue = [known, *new]
        placer.place_all()
        placer.place_all()
        dry = "" if act else " (no changes; use --act)"
        expected = [first, "left to Slurm, features = 'gpu'", "left to Slurm, no 9 nodes are free for it"]
        expected += ["left to Slurm, it does not need whole nodes", "prefers n[3-4]", fifth]
        jobs = zip("123465", expected, strict=True)
        assert told[:6] == [f"job {number}: {text}{dry}" for number, text in jobs]
        assert all("6: prefers no nodes any more" in text for text in told[6:])


def test_nodes_without_a_feature_of_their_own_name_are_not_preferred(tmp_path):
    plain = [slurm.SlurmNode("n0", "idle", queues=frozenset({"a"}))]
    controller = FakeController([], nodes=plain)
    follower(tmp_path, controller).place_all()
    assert offers(tmp_path, 1)[0] == "n1"
    controller.nodes = lambda: plain
    with pytest.raises(ValueError, match="no node has a feature of its own name"):
        follower(tmp_path, controller).place_all()


def test_one_job_is_released_if_its_own_user_holds_it(tmp_path):
    own = waiting("5", reason="JobHeldUser", priority=0, mark="")
    controller = FakeController([own, waiting("6", reason="JobHeldAdmin", priority=0)])
    follower(tmp_path, controller).place_one("5")
    assert controller.calls == ["update JobId=5 Prefer=n0|n1", "release 5"]
    for number, said in (("6", "JobHeldAdmin"), ("7", "not in the queue")):
        with pytest.raises(ValueError, match=said):
            follower(tmp_path, controller).place_one(number)
    controller = FakeController([own], refuses=["Prefer"])
    with pytest.raises(ValueError, match="exit code 1"):
        follower(tmp_path, controller).place_one("5")
    assert "release 5" not in controller.calls


def test_nodes_are_of_the_queue_of_the_job_and_off_only_if_those_on_do_not_suffice(tmp_path):
    odd = [node("n0", queue="b"), node("n1", "off")]
    follower(tmp_path, FakeController([], nodes=odd)).place_all()
    assert offers(tmp_path, 2)[0] == "n2|n3"
    assert offers(tmp_path, 7)[0] == "n1|n2|n3|n4|n5|n6|n7"


def test_more_names_than_slurm_takes_are_not_offered(tmp_path):
    controller = FakeController([])
    controller.nodes = lambda: [node(f"n{one}") for one in range(300)]
    follower(tmp_path, controller, machine=parse("mesh:300")).place_all()
    [longest, _] = offers(tmp_path, max(size for size in range(1, 301) if offers(tmp_path, size)))
    assert 1024 - len("|n300") < len(longest) <= 1024


@pytest.mark.parametrize(
    ("counts", "expected"), [("2,1", "n4 n4 n6"), ("3(x2)", "n4 n4 n4 n6 n6 n6"), ("1,2", "n4 n6 n6")]
)
def test_every_node_gets_as_many_ranks_as_slurm_says(counts, expected):
    machine = parse("mesh:8")
    assert rank_hosts(machine, "n[4,6]", counts, "consecutive") == expected.split()
    drawn = rank_hosts(machine, "n[0-7]", "2(x7),1", "random")
    assert drawn.count("n7") == 1
    assert len(drawn) == 15
    assert drawn != sorted(drawn)


@pytest.mark.parametrize(
    ("hosts", "counts", "said"),
    [("n[0-1]", "2", "counts for 1 nodes, expected 2"), ("n9", "1", "no node 'n9'"), ("n0", "x", "'x'")],
)
def test_ranks_of_what_is_no_job_of_the_machine(hosts, counts, said):
    with pytest.raises(ValueError, match=said):
        rank_hosts(parse("mesh:8"), hosts, counts, "consecutive")


def test_ranks_are_printed_inside_of_a_job_alone(netplace, monkeypatch):
    assert "SLURM_JOB_NODELIST: is not set" in netplace("slurm", "ranks", "--machine", "mesh:8").output
    monkeypatch.setenv("SLURM_JOB_NODELIST", "n[2-3]")
    monkeypatch.setenv("SLURM_TASKS_PER_NODE", "2,1")
    assert netplace("slurm", "ranks", "--machine", "mesh:8").output.split() == ["n2", "n2", "n3"]


def write_commands(folder, **texts):
    for name, text in texts.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)


def test_a_controller_that_is_late_or_away_is_one_sentence(tmp_path, netplace):
    result = netplace("slurm", "watch", "--folder", tmp_path / "a", "--bin", tmp_path)
    assert result.exit_code == 2
    assert "expected Slurm's commands" in result.output
    write_commands(tmp_path, scontrol="sleep 30", squeue="sleep 30")
    words = ("slurm", "watch", "--folder", tmp_path / "a", "--bin", tmp_path, "--timeout", "0.3")
    result = netplace(*words)
    assert result.exit_code == 2
    assert "scontrol show topology: no answer in 0.3 s" in result.output
    (tmp_path / "scontrol").write_text("#!/bin/sh\necho down >&2; exit 3\n")
    result = netplace(*words)
    assert result.exit_code == 2
    assert "exit code 3: 'down'" in result.output


def test_slurms_commands_print_times_in_the_zone_in_which_they_are_read(tmp_path, monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    write_commands(tmp_path, squeue="", scontrol="echo NodeName=n0 State=IDLE Partitions=$TZ")
    assert slurm.Controller(tmp_path).nodes()[0].queues == {"Asia/Tokyo"}


CLUSTER = """
[ "$2" = config ] && exec cat <<'END'
ClusterName             = c
SlurmctldHost[0]        = m(10.0.0.1)
SlurmctldPort           = 6817
END
echo NodeName=n0 State=IDLE
"""


def test_one_command_acts_on_a_cluster_whatever_its_folder(tmp_path, netplace, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    write_commands(tmp_path, scontrol=CLUSTER, squeue="echo '{\"jobs\": []}'")
    words = ("--machine", "mesh:8", "--bin", tmp_path, "--rule", "always-on")

    def switched(folder, *more):
        return netplace("slurm", "power", "--folder", tmp_path / folder, *words, *more)

    def holding(command, cluster, folder):
        context = click.Context(click.Command(command), info_name=command)
        with context.scope(cleanup=False):
            _lock(cluster, tmp_path / folder)
        return context

    with holding("place", "c m(10.0.0.1) 6817", "a"), holding("power", "another m(10.0.0.1) 6817", "b"):
        assert switched("a", "--act").exit_code == 0
        refused = switched("b", "--act")
        assert refused.exit_code == 2
        assert f"b: process {os.getpid()} serves it already" in refused.output
    with holding("power", "c m(10.0.0.1) 6817", "a"):
        refused = switched("c", "--act")
        assert refused.exit_code == 2
        assert f"cluster c m(10.0.0.1) 6817: process {os.getpid()} serves it already" in refused.output
        assert switched("a").exit_code == 0  # it only shows
    assert switched("c", "--act").exit_code == 0
    (tmp_path / "scontrol").write_text("#!/bin/sh\n")
    assert "names no cluster" in switched("c", "--act").output


def test_a_page_shows_the_jobs_and_those_that_share_links(tmp_path, netplace):
    rows = [
        {"job_id": job, "job_state": "RUNNING", "nodes": nodes, "comment": "<b>"}
        for job, nodes in ((7, "n[2,6]"), (8, "n[3,7]"))
    ]
    write_commands(tmp_path, scontrol="", squeue=f"cat <<'END'\n{json.dumps({'jobs': rows})}\nEND")
    page = tmp_path / "jobs.html"
    words = ("slurm", "watch", "--machine", "mesh:8", "--folder", tmp_path / "a", "--bin", tmp_path)
    result = netplace(*words, "-o", page)
    assert result.exit_code == 0, result.output
    assert "jobs on nodes: 2, pairs that share links: 1" in page.read_text()
    assert "traffic of the job" in result.output, "every field has a name"
    tree = [word if word != "mesh:8" else "xgft:2;4,2;1,2" for word in words]
    rows = [line.split() for line in netplace(*tree).output.splitlines()]
    assert ["n[0-3]", "4", "2", "7:", "1,", "8:", "1"] in rows, rows  # a leaf switch
    assert netplace(*words, "-o", tmp_path / "jobs.txt").exit_code == 2
    words = [word if word != "mesh:8" else "mesh:2" for word in words]
    assert "mesh:2: has no node 'n2', on which Slurm" in netplace(*words).output


def test_the_hook_names_its_file_and_no_folder_ends_its_string(tmp_path, netplace):
    result = netplace("slurm", "hook", "--folder", tmp_path)
    assert f'io.open("{tmp_path}/offers", "r")' in result.output
    assert "job.admin_comment = " in result.output
    result = netplace("slurm", "hook", "--folder", f'{tmp_path}/a" .. os.exit() .. "')
    assert result.exit_code == 2
    assert "without quotes" in result.output


def test_a_topology_that_contradicts_sinfo_is_told_and_its_nodes_get_no_job(tmp_path):
    controller = FakeController([])
    machine, warnings = follow.machine_under(controller, tmp_path)
    assert warnings == [
        "scontrol show topology lacks 2 nodes, which get no jobs: n[0-1]",
        "scontrol show node lacks 2 nodes of the topology, which count as down: n[8-9]",
    ]
    follower(tmp_path, controller, machine=machine).place_all()
    assert (offers(tmp_path, 6)[0], offers(tmp_path, 7)) == ("n2|n3|n4|n5|n6|n7", None)
    controller.topology = lambda: "SwitchName=a Nodes=x[2-5]\n"
    with pytest.raises(ValueError, match="names none of the nodes"):
        follow.machine_under(controller, tmp_path)


def test_five_jobs_of_the_queue_count_and_boots_wait_for_what_ends_soon():
    model = PowerModel(boot_seconds=1800)
    off = tuple(f"n{node}" for node in range(50))
    waiting = tuple((2, 600.0) for _ in range(9))
    state = PowerState(0.0, {}, off, ((4, 7200.0),), waiting)
    assert len(decide("timeout:60", model, state).boot) == 10
    soon = PowerState(0.0, {}, off, ((4, 1200.0),), waiting)  # within the 30 minutes of a boot
    assert len(decide("timeout:60", model, soon).boot) == 6
    planned = decide("plan:slot=600", model, PowerState(0.0, {}, off, ((4, 7200.0),), ((3, 600.0),)))
    assert 0 < len(planned.boot) <= 3
    assert not planned.stop


def test_a_plan_needs_time_limits(tmp_path):
    """Slurm shows an end for a job without a time limit, too: a year away."""
    job = slurm.QueuedJob("5", "RUNNING", "None", 1, ("n0",), ends=time.time() + 3e7)
    controller = FakeController([job], nodes=[slurm.SlurmNode("n0", "held")])
    with pytest.raises(ValueError, match="a job has no time limit, which a plan needs"):
        follower(tmp_path, controller).switch("plan:slot=300", PowerModel())


@pytest.mark.parametrize(
    ("rule", "before", "meanwhile", "told"),
    [("always-on", "off", "booting", [(("n1",), True)]), ("timeout:0", "idle", "held", [(("n1",), False)])],
)
def test_nodes_that_slurm_gave_to_a_job_meanwhile_are_not_switched(tmp_path, rule, before, meanwhile, told):
    class Changing(FakeController):
        looks = 0

        def nodes(self):
            self.looks += 1
            states = [before if self.looks == 1 else meanwhile, before, *["reserved"] * 6]
            return [slurm.SlurmNode(f"n{node}", state) for node, state in enumerate(states)]

        def power(self, nodes, on):
            self.calls.append((tuple(nodes), on))

    controller = Changing([])
    follower(tmp_path, controller).switch(rule, PowerModel())
    assert controller.calls == told
