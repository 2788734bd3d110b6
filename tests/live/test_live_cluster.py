"""Placement and power on a real Slurm, whose parts are killed meanwhile."""

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
from netplace.live.hook import hook
from netplace.scheduling import Job, schedule
from netplace.scheduling.power import PowerModel, PowerRules
from netplace.topologies.host_lists import expand

pytestmark = pytest.mark.all  # needs Slurm

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
JobSubmitPlugins=lua
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
SuspendTimeout=2
ResumeTimeout=120
NodeName=n[0-31] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{first}-{last}] CPUs=1 State=UNKNOWN
PartitionName=p Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
"""
SWITCH = """#!/bin/sh
export SLURM_CONF={dir}/slurm.conf
echo $(date +%s.%N) {verb} "$1" >> {dir}/power.log
for n in $(scontrol show hostnames "$1"); do {do}; done
"""
TREE = "".join(f"SwitchName=s{i} Nodes=n[{8 * i}-{8 * i + 7}]\n" for i in range(4)) + (
    "SwitchName=top Switches=s[0-3]\n"
)
BOUND = 60  # seconds: machines on which this runs are busy
BOOT = 17  # seconds until a node that was switched on runs a job, about: Slurm looks every 30
NEEDED = ("slurmctld", "slurmd", "munged", "munge", "sbatch", "squeue", "scontrol", "sinfo")


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
    (folder / "job_submit.lua").write_text(hook(folder / "watch", BOUND))
    for verb, do in (
        ("suspend", f'kill "$(cat {folder}/d.$n.pid)"'),
        # -b: says that the node has booted. sleep: Slurm counts whole seconds, so that a boot within a second
        # of its request can seem to precede it, and Slurm waits on. setsid: outlives what Slurm runs.
        ("resume", 'setsid -f sh -c "sleep 1; exec /usr/sbin/slurmd -b -N $n" </dev/null >/dev/null 2>&1'),
    ):
        path = folder / verb
        path.write_text(SWITCH.format(dir=folder, verb=verb, do=do))
        path.chmod(0o755)
    # Not the socket: it outlives a daemon that was killed.
    if subprocess.run(("munge", "-n"), capture_output=True, check=False).returncode != 0:
        os.makedirs("/run/munge", exist_ok=True)
        shutil.chown("/run/munge", "munge", "munge")
        run("su", "-s", "/bin/sh", "munge", "-c", "/usr/sbin/munged --force")
    before = os.environ.get("SLURM_CONF")
    os.environ["SLURM_CONF"] = str(folder / "slurm.conf")
    try:
        run("/usr/sbin/slurmctld", "-c")
        for node in range(32):
            run("/usr/sbin/slurmd", "-N", f"n{node}")
        wait(lambda: idle_nodes() == 32, 60)
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


def idle_nodes():
    """Return the number of idle nodes; 0 while the controller does not answer yet."""
    told = subprocess.run(
        ("sinfo", "-h", "-t", "idle", "-o", "%D"), capture_output=True, text=True, timeout=60, check=False
    )
    return int(told.stdout.strip() or 0)


def wait(what, seconds):
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.2)


def ended(folder):
    """Return the jobs that are completed; one that Slurm has started again is in its file before, too."""
    path = folder / "jobs.txt"
    lines = path.read_text().splitlines() if path.exists() else []
    done = [line for line in lines if "JobState=COMPLETED" in line]
    return {job.number: job for job in slurm._ended(done, "jobs.txt")}


def submit(folder, size, seconds, *more):
    """Submit a job that writes where each rank runs; the controller may be away meanwhile."""
    script = f"""#!/bin/sh
hosts={folder}/watch/$SLURM_JOB_ID.hosts
[ -s $hosts ] && export SLURM_HOSTFILE=$hosts SLURM_DISTRIBUTION=arbitrary
until srun -n {size} sh -c 'echo $SLURM_PROCID $SLURMD_NODENAME' > {folder}/$SLURM_JOB_ID.ranks
do sleep 1; done
sleep {seconds}
"""
    words = ["sbatch", "--parsable", "-N", str(size), "-t", "5", "-o", "/dev/null", *more]
    for _ in range(30):
        made = subprocess.run(words, input=script, cwd=folder, text=True, capture_output=True, check=False)
        if made.returncode == 0:
            return made.stdout.strip()
        time.sleep(1)
    raise AssertionError(made.stderr)


class Following:
    """``netplace slurm .. --follow``, which can be killed."""

    def __init__(self, folder):
        self.folder, self.process = folder / "watch", None

    def start(self, *words):
        place = ("place", "--partition", "gen-alg", "--mapping", "random", "--bound", str(BOUND))
        words = (*(words or place), "--follow", "--act", "--folder", str(self.folder), "--interval", "0.3")
        command = (sys.executable, "-m", "netplace", "slurm", *words, "--timeout", "20")
        path = self.folder / "until"
        path.unlink(missing_ok=True)
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        if words[0] == "place":
            wait(path.exists, 120)

    def kill(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def log(self):
        path = self.folder / "audit.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def kill(path):
    """Kill the process of a pid file, without warning, and wait until it is gone."""
    number = int(path.read_text())
    os.kill(number, signal.SIGKILL)
    wait(lambda: not os.path.exists(f"/proc/{number}"), 10)


def saved(folder):
    """Wait until the controller has written its state: a kill loses what it has not."""
    now = time.time()
    wait(lambda: (folder / "state/job_state").stat().st_mtime > now, 60)


def running(folder, job):
    """Return the nodes of a job that runs and has started its ranks."""
    wait(lambda: (folder / f"{job}.ranks").exists() and (folder / f"{job}.ranks").stat().st_size, 60)
    [found] = [one for one in slurm.Controller().jobs() if one.number == job]
    return found.nodes


@pytest.mark.parametrize("count", [6, pytest.param(60, marks=pytest.mark.nightly)])
def test_no_job_is_lost_though_service_controller_and_nodes_are_killed(cluster, count):
    """The same jobs under Slurm alone and under netplace: all end; placed ones ran where they were put."""
    draw = random.Random(4)
    jobs = [(draw.randint(2, 9), draw.randint(1, 3)) for _ in range(count)]
    alone = [submit(cluster, *job) for job in jobs]
    wait(lambda: {*alone} <= ended(cluster).keys(), 120 + 3 * count)
    follower = Following(cluster)
    known = len(follower.log())
    follower.start()
    try:
        mine = []
        for place, job in enumerate(jobs):
            mine.append(submit(cluster, *job))
            if place == count // 4:
                follower.kill()
                follower.start()
            if place == count // 2:
                saved(cluster)
                kill(cluster / "ctld.pid")
                run("/usr/sbin/slurmctld")
            if place == 3 * count // 4:
                mine.append(submit(cluster, 3, 5))
                for name in running(cluster, mine[-1])[:2]:
                    kill(cluster / f"d.{name}.pid")
                    run("/usr/sbin/slurmd", "-N", name)
            time.sleep(0.8 if count > 6 else 0)
        kept = submit(cluster, 2, 1, "-H")  # its user holds it
        wait(lambda: {*mine} <= ended(cluster).keys(), 120 + 3 * count)
    finally:
        follower.kill()
    lines = follower.log()[known:]
    assert not {line["job"] for line in lines} & {*alone, kept}
    last = {line["job"]: line for line in lines if line["what"] in ("placed", "left")}
    placed = {job: line["nodes"] for job, line in last.items() if line["what"] == "placed"}
    assert len(placed) > len(mine) / 2
    for job, nodes in placed.items():
        assert {*ended(cluster)[job].nodes} == {*nodes}
        ranks = dict(line.split() for line in (cluster / f"{job}.ranks").read_text().splitlines())
        assert [ranks[str(rank)] for rank in range(len(nodes))] == nodes
    [held] = [job for job in slurm.Controller().jobs() if job.number == kept]
    assert held.reason == "JobHeldUser"
    run("scancel", kept)


@pytest.mark.nightly
def test_jobs_start_without_netplace_and_on_other_nodes_if_theirs_go_down(cluster):
    follower = Following(cluster)
    follower.start()
    try:
        job = submit(cluster, 3, 8)
        nodes = running(cluster, job)
        kill(cluster / f"d.{nodes[0]}.pid")
        run("scontrol", "update", f"NodeName={nodes[0]}", "State=DOWN", "Reason=test")
        wait(lambda: job in ended(cluster) and nodes[0] not in ended(cluster)[job].nodes, 120)
        run("/usr/sbin/slurmd", "-N", nodes[0])
    finally:
        follower.kill()
    caught = submit(cluster, 2, 1)  # nobody is there to place it
    [seen] = [one for one in slurm.Controller().jobs() if one.number == caught]
    assert (seen.comment, seen.required) == ("netplace", "")
    wait(lambda: caught in ended(cluster), BOUND + 30)
    wait(lambda: time.time() > int((cluster / "watch/until").read_text()), 30)
    free = submit(cluster, 2, 1)
    [seen] = [one for one in slurm.Controller().jobs() if one.number == free]
    assert seen.comment == ""
    wait(lambda: free in ended(cluster), 30)


@pytest.mark.nightly
@pytest.mark.parametrize("rule", ["timeout:10", "plan:slot=5"])
def test_power_saves_what_is_foretold_and_switches_nothing_off_that_runs(cluster, rule):
    """Forty jobs come over six minutes: nodes are off as long as the simulation of the same jobs says."""
    draw, jobs = random.Random(5), []
    first = submit(cluster, 32, 0)  # boots what is off
    wait(lambda: first in ended(cluster), 120)
    follower = Following(cluster)
    follower.start("power", "--rule", rule, "--boot-seconds", f"{BOOT}", "--keep", "n31")
    try:
        jobs.append((time.time(), submit(cluster, 32, 1), 32))  # all nodes are on and become idle together
        for _ in range(39):
            time.sleep(draw.uniform(3, 15))
            size = draw.randint(2, 12)
            jobs.append((time.time(), submit(cluster, size, draw.randint(5, 30)), size))
        wait(lambda: {job for _, job, _ in jobs} <= ended(cluster).keys(), 200)
    finally:
        follower.kill()
    lines = [line.split() for line in (cluster / "power.log").read_text().splitlines()]
    lines = [line for line in lines if float(line[0]) > jobs[0][0]]
    done = [ended(cluster)[job] for _, job, _ in jobs]
    last, off, saved, boots = max(job.end for job in done), {}, 0.0, []
    for moment, verb, names in [
        *((float(line[0]), *line[1:]) for line in lines),
        (last, "resume", "n[0-31]"),
    ]:
        for name in expand(names, "power.log"):
            if verb == "suspend":
                # times of jobs are whole seconds
                assert not [job for job in done if name in job.nodes and job.start < moment < job.end - 1]
                off[name] = moment
            else:
                saved += max(0.0, moment - off.pop(name, last))
                starts = [job.start + 0.5 for job in done if name in job.nodes and job.start > moment - 1]
                boots += [start - moment for start in sorted(starts)[:1] if start - moment < 32]
            assert name != "n31" or verb == "resume"
    text = (cluster / "jobs.txt").read_text()
    assert all(text.count(f"JobId={job.number} ") == 1 for job in done), "a job was started again"
    # The same jobs, with boots as long as they were: Slurm starts a job on booted nodes when it looks again.
    model = PowerModel(boot_seconds=sum(boots) / len(boots), stop_seconds=2, keep=1)
    same = [
        Job(place, came - jobs[0][0], size, job.end - job.start, 300.0)
        for place, ((came, _, size), job) in enumerate(zip(jobs, done, strict=True))
    ]
    machine = follow.machine_under(slurm.Controller(), cluster)[0]
    foretold = schedule(machine, same, "easy", "slurm", power=PowerRules(model, rule)).power
    expected = foretold.node_seconds["off"] + foretold.node_seconds["stopping"]
    assert saved == pytest.approx(expected, rel=0.15), (foretold.node_seconds, last - jobs[0][0])
