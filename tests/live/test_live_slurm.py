"""Placement and power on a real Slurm, and readers of what its commands print."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import pytest

from netplace.live import follow, slurm
from netplace.live.power import PowerState, decide
from netplace.scheduling.power import PowerModel
from netplace.topologies import parse

CONF = """ClusterName=netplace
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
ReturnToService=2
SlurmctldPidFile={dir}/ctld.pid
SlurmctldPort={port}
SlurmdPidFile={dir}/d.%n.pid
SlurmdSpoolDir={dir}/spool/%n
StateSaveLocation={dir}/state
SwitchType=switch/none
TaskPlugin=task/none
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,sched_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
TopologyPlugin=topology/tree
SlurmctldLogFile={dir}/ctld.log
SlurmdLogFile={dir}/d.%n.log
JobCompType=jobcomp/filetxt
JobCompLoc={dir}/jobs.txt
JobAcctGatherType=jobacct_gather/none
SuspendProgram={dir}/suspend
ResumeProgram={dir}/resume
SuspendTime=86400
SuspendTimeout=10
ResumeTimeout=120
NodeName=n[0-31] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{first}-{last}] CPUs=1 State=UNKNOWN
PartitionName=p Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
"""
SWITCH = """#!/bin/sh
export SLURM_CONF={dir}/slurm.conf
echo {verb} "$1" >> {dir}/power.log
for n in $(scontrol show hostnames "$1"); do {do}; done
"""
TREE = "".join(f"SwitchName=s{i} Nodes=n[{8 * i}-{8 * i + 7}]\n" for i in range(4)) + (
    "SwitchName=top Switches=s[0-3]\n"
)
NEEDED = ("slurmctld", "slurmd", "munged", "sbatch", "squeue", "scontrol", "sinfo")


def run(*words, **more):
    return subprocess.run(words, check=True, text=True, capture_output=True, timeout=60, **more).stdout


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A Slurm of 32 nodes at four leaf switches, all on this machine."""
    if missing := [
        name for name in NEEDED if shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin") is None
    ]:
        pytest.skip(f"needs Slurm and munge, which are not installed here: {', '.join(missing)}")
    if os.getuid() != 0:
        pytest.skip("needs root: every node is a slurmd of this machine")
    folder = tmp_path_factory.mktemp("slurm")
    for name in ("state", *(f"spool/n{node}" for node in range(32))):
        (folder / name).mkdir(parents=True)
    port = 20_000 + 40 * (os.getpid() % 500)
    host = run("hostname").strip()
    values = {"dir": folder, "host": host, "port": port, "first": port + 1, "last": port + 32}
    (folder / "slurm.conf").write_text(CONF.format(**values))
    (folder / "topology.conf").write_text(TREE)
    for verb, do in (
        ("suspend", f'kill "$(cat {folder}/d.$n.pid)"'),
        # -b: says that the node has booted; setsid: it outlives the program that Slurm runs
        ("resume", "setsid -f /usr/sbin/slurmd -b -N $n </dev/null >/dev/null 2>&1"),
    ):
        path = folder / verb
        path.write_text(SWITCH.format(dir=folder, verb=verb, do=do))
        path.chmod(0o755)
    if not os.path.exists("/run/munge/munge.socket.2"):
        os.makedirs("/run/munge", exist_ok=True)
        shutil.chown("/run/munge", "munge", "munge")
        run("su", "-s", "/bin/sh", "munge", "-c", "/usr/sbin/munged")
    before = os.environ.get("SLURM_CONF")
    os.environ["SLURM_CONF"] = str(folder / "slurm.conf")
    try:
        run("/usr/sbin/slurmctld", "-c")
        for node in range(32):
            run("/usr/sbin/slurmd", "-N", f"n{node}")
        wait(lambda: run("sinfo", "-h", "-t", "idle", "-o", "%D").strip() == "32", 60)
        yield folder
    finally:
        for path in [folder / "ctld.pid", *folder.glob("d.*.pid")]:
            try:
                os.kill(int(path.read_text()), signal.SIGTERM)
            except (OSError, ValueError):
                continue
        if before is None:
            del os.environ["SLURM_CONF"]
        else:
            os.environ["SLURM_CONF"] = before


def wait(what, seconds):
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.2)


def ended(folder):
    path = folder / "jobs.txt"
    return {job.number: job for job in slurm.read_ended(path)} if path.exists() else {}


def submit(folder, size, seconds, *more):
    script = f"""#!/bin/sh
for i in 1 2 3; do [ -s {folder}/watch/$SLURM_JOB_ID.hosts ] && break; sleep 1; done
if [ -s {folder}/watch/$SLURM_JOB_ID.hosts ]; then
  export SLURM_HOSTFILE={folder}/watch/$SLURM_JOB_ID.hosts
  srun -n {size} -m arbitrary sh -c 'echo $SLURM_PROCID $SLURMD_NODENAME' > {folder}/$SLURM_JOB_ID.ranks
fi
sleep {seconds}
"""
    words = ("sbatch", "--parsable", "-N", str(size), "-t", "2", "-o", "/dev/null", *more)
    return run(*words, input=script, cwd=folder).strip()


@pytest.mark.slow
def test_jobs_run_on_the_nodes_and_in_the_order_asked_though_the_follower_is_killed(cluster):
    """Ten jobs under a follower that is killed in the middle: none is lost, each is where it was put."""
    command = [
        sys.executable, "-m", "netplace", "slurm", "place", "--follow", "--act",
        "--folder", str(cluster / "watch"), "--interval", "0.3", "--partition", "gen-alg",
        "--mapping", "random", "--bound", "600",
    ]  # fmt: skip
    draw = random.Random(4)
    follower = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    jobs = [submit(cluster, draw.randint(2, 9), 1, "-H", "--comment=netplace") for _ in range(10)]
    own = submit(cluster, 3, 1)  # not ours: Slurm has it alone
    kept = submit(cluster, 2, 1, "-H")  # held by its user, without the comment
    try:
        wait(lambda: (cluster / "watch/audit.jsonl").exists(), 60)
        follower.kill()
        follower.wait()
        follower = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        wait(lambda: {*jobs, own} <= ended(cluster).keys(), 120)
    finally:
        follower.kill()
        follower.wait()
    lines = [json.loads(line) for line in (cluster / "watch/audit.jsonl").read_text().splitlines()]
    placed = {line["job"]: line["nodes"] for line in lines if line["what"] == "placed"}
    assert placed.keys() == {*jobs}
    for job, nodes in placed.items():
        assert {*ended(cluster)[job].nodes} == {*nodes}
        ranks = dict(line.split() for line in (cluster / f"{job}.ranks").read_text().splitlines())
        assert [ranks[str(rank)] for rank in range(len(nodes))] == nodes
    [held] = [job for job in slurm.Controller().jobs() if job.number == kept]
    assert held.held
    run("scancel", kept)


@pytest.mark.slow
def test_power_switches_idle_nodes_only_and_jobs_end_as_if_nothing_was(cluster):
    controller = slurm.Controller()
    machine, doubts = follow.machine_under(controller, cluster)
    assert machine.nodes == 32
    assert not doubts
    running = submit(cluster, 6, 6)
    wait(lambda: any(job.number == running and job.nodes for job in controller.jobs()), 30)
    [job] = [job for job in controller.jobs() if job.number == running]
    rules = follow.Rules(power="reserve:4,0", excluded=frozenset({"n31"}))
    said = []
    dry = follow.Follower(controller, machine, cluster, rules, tell=said.append).switch()
    assert not (cluster / "power.log").exists()
    decision = follow.Follower(controller, machine, cluster, rules, act=True, tell=said.append).switch()
    assert decision.stop == dry.stop
    assert not {*decision.stop} & {*job.nodes, "n31"}
    assert 20 <= len(decision.stop) <= 22
    wait(lambda: (cluster / "power.log").exists(), 30)
    wait(lambda: sum(node.state == "off" for node in controller.nodes()) == len(decision.stop), 60)
    wait(lambda: not any((cluster / f"d.{name}.pid").exists() for name in decision.stop), 60)
    large = submit(cluster, 32, 0)  # Slurm boots what it needs
    wait(lambda: {running, large} <= ended(cluster).keys(), 120)
    assert len(ended(cluster)[large].nodes) == 32
    assert "NODE_FAIL" not in (cluster / "jobs.txt").read_text()


SHORT = "idle allocated idle~ idle# down* draining mixed reserved idle% idle*"
LONG = (
    "IDLE ALLOCATED IDLE+POWERED_DOWN IDLE+POWERING_UP DOWN+NOT_RESPONDING MIXED+DRAIN MIXED IDLE+RESERVED "
    "IDLE+POWERING_DOWN IDLE+NOT_RESPONDING"
)


def test_states_of_nodes():
    expected = ["idle", "held", "off", "booting", "down", "down", "held", "reserved", "stopping", "down"]
    lines = "".join(f"n{place}|{state}\n" for place, state in enumerate(SHORT.split()))
    assert [node.state for node in slurm.read_nodes(lines)] == expected
    busy = "LastBusyTime=2026-11-24T19:38:47 Reason=a b"
    lines = "".join(f"NodeName=n{place} State={state} {busy}\n" for place, state in enumerate(LONG.split()))
    nodes = slurm.read_nodes(lines)
    assert [node.state for node in nodes] == expected
    assert nodes[0].since > 1.7e9


TEXT = (
    "7|PENDING|JobHeldUser|3||1-02:00:00|0|N/A|2026-11-24T19:38:51||OK|netplace\n"
    "8|RUNNING|None|2|n[0-1]|5:00|42|2026-11-24T19:43:52|2026-11-24T19:38:51|(null)|OK|a|b\n"
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
        (slurm.read_nodes, "n0 idle", "sinfo, line 1: 'n0 idle', expected NAME|STATE"),
        (slurm.read_queue, "1|2|3", "squeue, line 1: 3 fields"),
        (slurm.read_queue, TEXT.replace("|3||", "|x||"), "'x' nodes"),
        (slurm.read_queue, TEXT.replace("n[0-1]", "n[0-999999999]"), "names more than"),
        (slurm.read_queue, '{"jobs": 3}', "squeue --json"),
        (slurm.read_queue, '{"jobs": [{}]}', "expected job_id"),
        (slurm.read_queue, '{"jobs": [{"job_id": 1, "job_state": "PENDING", "priority": "x"}]}', "no number"),
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
    object.__setattr__(machine, "_hosts", tuple(f"n{node}" for node in range(8)))
    jobs = [slurm.Ended("a", ("n0", "n4"), 0, 10), slurm.Ended("b", ("n2", "n6"), 5, 9)]
    jobs.append(slurm.Ended("c", ("n1", "n7"), 10, 20))
    assert {(one.job, one.other) for one in follow.hurt_by(machine, jobs)} == {("a", "b"), ("b", "a")}


class FakeController(slurm.Controller):
    """Slurm as far as placement sees it."""

    def __init__(self, jobs, refuses=False):
        self.queue, self.refuses, self.calls = jobs, refuses, []

    def jobs(self):
        return self.queue

    def nodes(self, times=False):
        return [slurm.SlurmNode(f"n{node}", "idle") for node in range(8)]

    def require(self, job, nodes):
        self.calls.append(("require", job, tuple(nodes)))
        if self.refuses and nodes:
            raise ValueError("scontrol update: exit code 1: no")

    def release(self, job):
        self.calls.append(("release", job))


def held(number, size=2, **more):
    return slurm.QueuedJob(number, "PENDING", "JobHeldUser", size, comment="netplace", **more)


def follower(tmp_path, controller, **rules):
    rules = follow.Rules(**{"partition": "non-contiguous", **rules})
    return follow.Follower(controller, parse("mesh:8"), tmp_path, rules, True, lambda text: None)


def test_what_slurm_refuses_is_taken_back(tmp_path):
    controller = FakeController([held("5")], refuses=True)
    assert not follower(tmp_path, controller).place_one("5")
    assert controller.calls == [("require", "5", ("n0", "n1")), ("release", "5")]
    assert not (tmp_path / "5.hosts").exists()


def test_nodes_of_jobs_that_have_ended_are_free(tmp_path):
    old = slurm.QueuedJob("9", "COMPLETED", "None", 8, required="n[0-7]", comment="netplace")
    assert follower(tmp_path, FakeController([old, held("1", 8)])).place_all() == 1


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
    assert controller.calls == [("release", "1"), ("require", "2", ()), ("release", "2")]


def test_ranks_on_a_node_stand_together_in_the_hostfile(tmp_path):
    controller = FakeController([held("1", 2, tasks=3)])
    assert follower(tmp_path, controller).place_all() == 1
    assert (tmp_path / "1.hosts").read_text().split() == ["n0"] * 3 + ["n1"] * 3


def test_a_controller_that_is_late_or_away_is_one_sentence(tmp_path, netplace):
    result = netplace("slurm", "watch", "--folder", tmp_path / "a", "--bin", tmp_path)
    assert result.exit_code == 2
    assert "expected the commands of Slurm" in result.output
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


def test_a_job_number_is_no_option_of_scontrol():
    with pytest.raises(ValueError, match="is no number"):
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
