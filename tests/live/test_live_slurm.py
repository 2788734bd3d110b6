"""Readers of what Slurm prints, and what netplace tells it."""

import json
import os
import time

import pytest
import rich_click as click

from netplace.cli.slurm import _lock
from netplace.live import follow, slurm
from netplace.live.power import PowerState, decide
from netplace.scheduling.power import PowerModel
from netplace.topologies import parse

SHORT = "idle allocated idle~ idle# down* draining mixed reserved idle% idle*"
LONG = (
    "IDLE ALLOCATED IDLE+POWERED_DOWN IDLE+POWERING_UP DOWN+NOT_RESPONDING MIXED+DRAIN MIXED IDLE+RESERVED "
    "IDLE+POWERING_DOWN IDLE+NOT_RESPONDING"
)


def test_states_of_nodes():
    expected = ["idle", "held", "off", "booting", "down", "down", "held", "reserved", "stopping", "down"]
    lines = "".join(f"n{place}|{state}|p\n" for place, state in enumerate(SHORT.split())) + "n0|idle|q\n"
    assert slurm.read_nodes(lines)[0].queues == {"p", "q"}
    assert [node.state for node in slurm.read_nodes(lines)] == expected
    busy = "LastBusyTime=2026-11-24T19:38:47 Reason=a b"
    lines = "".join(f"NodeName=n{place} State={state} {busy}\n" for place, state in enumerate(LONG.split()))
    nodes = slurm.read_nodes(lines)
    assert [node.state for node in nodes] == expected
    assert nodes[0].since > 1.7e9


TEXT = (
    "7|PENDING|JobHeldUser|3||1-02:00:00|0|N/A|2026-11-24T19:38:51||p,q|netplace\n"
    "8|RUNNING|None|2|n[0-1]|5:00|42|2026-11-24T19:43:52|2026-11-24T19:38:51|(null)|p|a|b\n"
)


def test_the_queue_as_text_and_as_json_of_old_and_new_versions():
    first, second = slurm.read_queue(TEXT)
    assert first.held
    assert (first.limit, first.comment, first.nodes) == (93_600.0, "netplace", ())
    assert (second.nodes, second.limit, second.priority, second.comment) == (("n0", "n1"), 300.0, 42, "a|b")
    rows = [
        {"job_id": 7, "job_state": "PENDING", "state_reason": "JobHeldUser", "node_count": 3, "tasks": 6,
         "time_limit": 5, "comment": "netplace"},
        {"job_id": 8, "job_state": ["RUNNING"], "node_count": {"set": True, "infinite": False, "number": 2},
         "nodes": "n[0-1]", "time_limit": {"set": False, "infinite": True, "number": 0}},
    ]  # fmt: skip
    first, second = slurm.read_queue(json.dumps({"jobs": rows}))
    assert first.held
    assert (first.size, first.tasks, first.limit) == (3, 2, 300.0)
    assert (second.nodes, second.limit) == (("n0", "n1"), float("inf"))


@pytest.mark.parametrize(
    ("read", "text", "said"),
    [
        (slurm.read_nodes, "n0 idle", "sinfo, line 1: 'n0 idle', expected NAME|STATE|PARTITION"),
        (slurm.read_queue, "1|2|3", "squeue, line 1: 3 fields"),
        (slurm.read_queue, TEXT.replace("|3||", "|x||"), "'x' nodes"),
        (slurm.read_queue, TEXT.replace("n[0-1]", "n[0-999999999]"), "names more than"),
        (slurm.read_queue, '{"jobs": 3}', "squeue --json"),
        (slurm.read_queue, '{"jobs": [{}]}', "expected job_id"),
        (slurm.read_queue, '{"jobs": [{"job_id": 1, "job_state": "PENDING", "priority": "x"}]}', "a number"),
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

    def __init__(self, jobs, refuses=False, nodes=()):
        self.queue, self.refuses, self.calls, self.odd = (
            jobs,
            refuses,
            [],
            {node.name: node for node in nodes},
        )

    def jobs(self):
        return self.queue

    def nodes(self, times=False):
        names = [f"n{node}" for node in range(8)]
        return [self.odd.get(name, slurm.SlurmNode(name, "idle")) for name in names]

    def topology(self):
        return "SwitchName=a Nodes=n[2-5]\nSwitchName=b Nodes=n[6-9]\nSwitchName=top Switches=a,b\n"

    def start(self, job, nodes):
        self.calls.append((job.number, tuple(nodes)))
        if self.refuses and nodes:
            raise ValueError("scontrol update: exit code 1: no")


def held(number, size=2, **more):
    return slurm.QueuedJob(number, "PENDING", "JobHeldUser", size, comment="netplace", **more)


def follower(tmp_path, controller, **rules):
    rules = follow.Rules(**{"partition": "non-contiguous", **rules})
    return follow.Follower(controller, parse("mesh:8"), tmp_path, rules, True, lambda text: None)


def test_what_slurm_refuses_is_taken_back(tmp_path):
    controller = FakeController([held("5")], refuses=True)
    assert not follower(tmp_path, controller).place_one("5")
    assert controller.calls == [("5", ("n0", "n1")), ("5", ())]
    assert not (tmp_path / "5.hosts").exists()


def test_nodes_of_jobs_that_have_ended_are_free(tmp_path):
    old = slurm.QueuedJob("9", "COMPLETED", "None", 8, required="n[0-7]", comment="netplace")
    assert follower(tmp_path, FakeController([old, held("1", 8)])).place_all() == 1


def test_a_job_whose_new_nodes_went_down_gets_others(tmp_path):
    job = slurm.QueuedJob("2", "PENDING", "ReqNodeNotAvail", 2, required="n[3-4]", comment="netplace")
    controller = FakeController([job], nodes=[slurm.SlurmNode("n3", "down")])
    assert follower(tmp_path, controller).place_all() == 1
    assert controller.calls == [("2", ("n0", "n1"))]


def test_nodes_are_of_the_queue_of_the_job_and_off_only_if_those_on_do_not_suffice(tmp_path):
    odd = [slurm.SlurmNode("n0", "idle", queues=frozenset({"b"})), slurm.SlurmNode("n1", "off")]
    for size, expected in ((2, ("n2", "n3")), (7, tuple(f"n{node}" for node in range(1, 8)))):
        controller = FakeController([held("1", size, queues=frozenset({"a"}))], nodes=odd)
        assert follower(tmp_path, controller).place_all() == 1
        assert controller.calls == [("1", expected)]


def test_no_job_waits_longer_than_the_bound(tmp_path):
    """One too large for now, and one whose nodes never come: both are left to Slurm."""
    waits = slurm.QueuedJob("2", "PENDING", "Resources", 2, required="n[3-4]", comment="netplace")
    other = slurm.QueuedJob("3", "PENDING", "JobHeldUser", 1, comment="mine")
    controller = FakeController([held("1", 7), waits, other])
    rules = follower(tmp_path, controller, bound=0.2)
    assert rules.place_all() == 0  # 6 of 8 nodes are not promised
    assert controller.calls == []
    time.sleep(0.25)
    rules.place_all()
    assert controller.calls == [("1", ()), ("2", ())]


def test_ranks_on_a_node_stand_together_in_the_hostfile(tmp_path):
    controller = FakeController([held("1", 2, tasks=3)])
    assert follower(tmp_path, controller).place_all() == 1
    assert (tmp_path / "1.hosts").read_text().split() == ["n0"] * 3 + ["n1"] * 3
    assert follower(tmp_path, FakeController([])).place_all() == 0
    assert not (tmp_path / "1.hosts").exists(), "of a job that has ended"


def test_a_controller_that_is_late_or_away_is_one_sentence(tmp_path, netplace):
    result = netplace("slurm", "watch", "--folder", tmp_path / "a", "--bin", tmp_path)
    assert result.exit_code == 2
    assert "expected Slurm's commands" in result.output
    for name in ("scontrol", "sinfo", "squeue"):
        (tmp_path / name).write_text("#!/bin/sh\nsleep 30\n")
        (tmp_path / name).chmod(0o755)
    words = ("slurm", "watch", "--folder", tmp_path / "a", "--bin", tmp_path, "--timeout", "0.3")
    result = netplace(*words)
    assert result.exit_code == 2
    assert "scontrol show topology: no answer in 0.3 s" in result.output
    (tmp_path / "scontrol").write_text("#!/bin/sh\necho down >&2; exit 3\n")
    result = netplace(*words)
    assert result.exit_code == 2
    assert "exit code 3: 'down'" in result.output


CLUSTER = """#!/bin/sh
[ "$2" = config ] && exec cat <<'END'
ClusterName             = c
SlurmctldHost[0]        = m(10.0.0.1)
SlurmctldPort           = 6817
END
[ "$2" = node ] || echo 'n0|idle|p'
"""


def test_one_command_acts_on_a_cluster_whatever_its_folder(tmp_path, netplace, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name, text in (("scontrol", CLUSTER), ("sinfo", CLUSTER), ("squeue", "#!/bin/sh\n")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
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
    squeue = "".join(
        f"{job}|RUNNING|None|2|{nodes}|1:00|1|N/A|N/A||p|<b>\n"
        for job, nodes in (("7", "n[2,6]"), ("8", "n[3,7]"))
    )
    for name, text in (("scontrol", ""), ("sinfo", ""), ("squeue", squeue)):
        (tmp_path / name).write_text(f"#!/bin/sh\n[ \"$1\" = --json ] || cat <<'END'\n{text}END\n")
        (tmp_path / name).chmod(0o755)
    page = tmp_path / "jobs.html"
    words = ("slurm", "watch", "--machine", "mesh:8", "--folder", tmp_path / "a", "--bin", tmp_path)
    result = netplace(*words, "-o", page)
    assert result.exit_code == 0, result.output
    assert "2 jobs on nodes, 2 pairs share links" in page.read_text()
    assert netplace(*words, "-o", tmp_path / "jobs.txt").exit_code == 2
    words = [word if word != "mesh:8" else "mesh:2" for word in words]
    assert "mesh:2: has no node 'n2', on which Slurm" in netplace(*words).output


def test_the_hook_names_its_file_and_no_folder_ends_its_string(tmp_path, netplace):
    result = netplace("slurm", "hook", "--folder", tmp_path, "--bound", 60)
    assert f'io.open("{tmp_path}/until", "r")' in result.output
    assert "os.time() + 60" in result.output
    result = netplace("slurm", "hook", "--folder", f'{tmp_path}/a" .. os.exit() .. "')
    assert result.exit_code == 2
    assert "without quotes" in result.output


def test_a_topology_that_contradicts_sinfo_is_told_and_its_nodes_get_no_job(tmp_path):
    controller = FakeController([held("1", 4), held("2", 3)])
    machine, doubts = follow.machine_under(controller, tmp_path)
    assert doubts == [
        "scontrol show topology lacks 2 nodes of sinfo, which get no jobs: n[0-1]",
        "sinfo lacks 2 nodes of scontrol show topology, which count as down: n[8-9]",
    ]
    rules = follow.Rules("non-contiguous")
    assert follow.Follower(controller, machine, tmp_path, rules, True, lambda text: None).place_all() == 2
    assert not {"n0", "n1", "n8", "n9"} & {name for _, nodes in controller.calls for name in nodes}
    controller.topology = lambda: "SwitchName=a Nodes=x[2-5]\n"
    with pytest.raises(ValueError, match="names none of the nodes of sinfo"):
        follow.machine_under(controller, tmp_path)


def test_a_job_number_is_no_option_of_scontrol():
    with pytest.raises(ValueError, match="is not the number of a Slurm job"):
        slurm._number("1 State=DOWN")


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
        follower(tmp_path, controller, power="plan:slot=300").switch()


@pytest.mark.parametrize(
    ("rule", "before", "meanwhile", "told"),
    [("always-on", "off", "booting", [(("n1",), True)]), ("timeout:0", "idle", "held", [(("n1",), False)])],
)
def test_nodes_that_slurm_gave_to_a_job_meanwhile_are_not_switched(tmp_path, rule, before, meanwhile, told):
    class Changing(FakeController):
        def nodes(self, times=False):
            states = [before if times else meanwhile, before, *["reserved"] * 6]
            return [slurm.SlurmNode(f"n{node}", state) for node, state in enumerate(states)]

        def power(self, nodes, on):
            self.calls.append((tuple(nodes), on))

    controller = Changing([])
    follower(tmp_path, controller, power=rule).switch()
    assert controller.calls == told
