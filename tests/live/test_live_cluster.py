"""Placement and power on a real Slurm, whose parts are killed meanwhile."""

import json
import math
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from netplace.live import follow, slurm
from netplace.live.hook import hook
from netplace.scheduling import Job, schedule
from netplace.scheduling.metrics.interval import half_width
from netplace.scheduling.power import PowerModel, PowerRules
from netplace.topologies.host_lists import expand

pytestmark = pytest.mark.all  # needs Slurm

CONF = (Path(__file__).parent / "slurm.conf").read_text()
NODE = "NodeName=n{node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} Features=n{node}"
SWITCH = """#!/bin/sh
export SLURM_CONF={dir}/slurm.conf
echo $(date +%s.%N) {verb} "$1" >> {dir}/power.log
for n in $(scontrol show hostnames "$1"); do {do}; done
"""
TREE = "".join(f"SwitchName=s{i} Nodes=n[{8 * i}-{8 * i + 7}]\n" for i in range(4)) + (
    "SwitchName=top Switches=s[0-3]\n"
)
BOOT = 17  # seconds until a node that was switched on runs a job, about: Slurm looks every 30
PLACE = (sys.executable, "-m", "netplace", "slurm", "place", "--act")
NEEDED = ("slurmctld", "slurmd", "munged", "munge", "sbatch", "squeue", "scontrol", "sinfo")


def run(*words, **more):
    return subprocess.run(words, check=True, text=True, capture_output=True, timeout=60, **more).stdout


@pytest.fixture(scope="module")
def cluster():
    with slurm_cluster(20_000) as folder:
        yield folder


@contextmanager
def slurm_cluster(port):
    """Run a Slurm of 32 nodes at four leaf switches, all on this machine, and let commands talk to it."""
    if missing := [
        name for name in NEEDED if shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin") is None
    ]:
        pytest.skip(f"needs Slurm and munge, which are not installed here: {', '.join(missing)}")
    if os.getuid() != 0:
        pytest.skip("needs root: every node is a slurmd of this machine")
    folder = Path(tempfile.mkdtemp(prefix="netplace-slurm-"))
    folder.chmod(0o755)  # unlike a folder of pytest: jobs of other users start there, too
    for name in ("state", *(f"spool/n{node}" for node in range(32))):
        (folder / name).mkdir(parents=True)
    port += 40 * (os.getpid() % 250)
    host = run("hostname").strip()
    nodes = "\n".join(NODE.format(node=node, host=host, port=port + 1 + node) for node in range(32))
    values = {"dir": folder, "host": host, "port": port, "nodes": nodes}
    (folder / "slurm.conf").write_text(CONF.format(**values))
    (folder / "topology.conf").write_text(TREE)
    (folder / "job_submit.lua").write_text(hook(folder / "watch"))
    for verb, do in (
        ("suspend", f'kill "$(cat {folder}/d.$n.pid)"'),
        # -b: says that the node has booted. sleep: Slurm counts whole seconds, so that a boot within a second
        # of its request can seem to precede it, and Slurm waits on. setsid: outlives what Slurm runs. kill:
        # one that has not ended yet, two seconds after it was told to, keeps the port.
        (
            "resume",
            f'setsid -f sh -c "sleep 1; while kill \\$(cat {folder}/d.$n.pid); do sleep 0.2; done; '
            'exec /usr/sbin/slurmd -b -N $n" </dev/null >/dev/null 2>&1',
        ),
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
        own = os.environ | {"SLURM_CONF": f"{folder}/slurm.conf"}
        subprocess.run(("scancel", "--user=root"), env=own, check=False)  # steps outlive their slurmd
        time.sleep(2)
        for path in [folder / "ctld.pid", *folder.glob("d.*.pid")]:
            try:
                os.kill(int(path.read_text()), signal.SIGTERM)
            except (OSError, ValueError):
                continue
        shutil.rmtree(folder, ignore_errors=True)
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
    return {job.number: job for job in slurm._ended(done, "jobs.txt")} if done else {}


def wait_for_end(folder, jobs, seconds):
    wait(lambda: {*jobs} <= ended(folder).keys(), seconds)


def submit(folder, size, seconds, *more):
    """Submit a job that writes where each rank runs; the controller may be away meanwhile."""
    script = f"""#!/bin/sh
until timeout -k1 20 srun -n {size} sh -c 'echo $SLURM_PROCID $SLURMD_NODENAME' > {folder}/$SLURM_JOB_ID.ranks
do sleep 1; done
sleep {seconds}
"""
    return batch(folder, script, "-N", str(size), *more)


def batch(folder, script, *more):
    environment = os.environ | {"SLURM_CONF": f"{folder}/slurm.conf"}
    words = ["sbatch", "--parsable", "-t", "5", "-o", "/dev/null", *more]
    for _ in range(30):
        made = subprocess.run(
            words, input=script, cwd=folder, text=True, capture_output=True, check=False, env=environment
        )
        if made.returncode == 0:
            return made.stdout.strip()
        time.sleep(1)
    raise AssertionError(made.stderr)


class Following:
    """``netplace slurm .. --follow``, which can be killed."""

    def __init__(self, folder):
        self.folder, self.process = folder / "watch", None

    def start(self, *words, interval=0.3):
        words = (*(words or ("place", "--partition", "gen-alg")), "--interval", f"{interval}")
        follow = ("--follow", "--act", "--folder", str(self.folder), "--timeout", "20")
        command = (sys.executable, "-m", "netplace", "slurm", *words, *follow)
        path = self.folder / "offers"
        path.unlink(missing_ok=True)
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        if words[0] == "place":
            wait(path.exists, 120)

    def kill(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def offer(self):
        """Wait for nodes that are chosen from now on."""
        now, path = time.time(), self.folder / "offers"
        wait(lambda: (words := path.read_text().split()) and int(words[0]) > now and len(words) > 2, 60)

    def log(self):
        path = self.folder / "audit.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def kill(path, how=signal.SIGKILL):
    """End the process of a pid file, by default without warning, and wait until it is gone."""
    number = int(path.read_text())
    os.kill(number, how)
    wait(lambda: not os.path.exists(f"/proc/{number}"), 30)


def restart(folder, how):
    """End the controller, start another, and wait until it knows free nodes again: else no job is caught."""
    kill(folder / "ctld.pid", how)
    run("/usr/sbin/slurmctld")
    wait(lambda: idle_nodes() > 9, 120)


def saved(folder):
    """Wait until the controller has written its state: a kill loses what it has not."""
    now = time.time()
    wait(lambda: (folder / "state/job_state").stat().st_mtime > now, 60)


def running(folder, job):
    """Return the nodes of a job that runs and has started its ranks."""
    wait(lambda: (folder / f"{job}.ranks").exists() and (folder / f"{job}.ranks").stat().st_size, 300)
    return queued(job).nodes


def queued(job):
    [found] = [one for one in slurm.Controller().jobs() if one.number == job]
    return found


@pytest.mark.parametrize("count", [6, pytest.param(60, marks=pytest.mark.nightly)])
def test_no_job_is_lost_though_netplace_controller_and_nodes_are_killed(cluster, count):
    """All jobs end, and many that are placed run where they prefer; each third of 60 jobs is two kills."""
    draw = random.Random(4)
    jobs = [(draw.randint(2, 9), draw.randint(1, 3)) for _ in range(count)]
    follower = Following(cluster)
    known = len(follower.log())
    follower.start()
    try:
        mine = []
        for place, job in enumerate(jobs):
            mine.append(submit(cluster, *job))
            if place % 3 == 0:
                follower.kill()
                follower.start()
            if place == 4:
                saved(cluster)
                restart(cluster, signal.SIGKILL)
            elif place % 3 == 1 and count > 6:  # saves its state, unlike above: else Slurm runs jobs twice
                restart(cluster, signal.SIGTERM)
            if place == 3 * count // 4:
                mine.append(submit(cluster, 3, 5))
                for name in running(cluster, mine[-1])[:2]:
                    kill(cluster / f"d.{name}.pid")
                    run("/usr/sbin/slurmd", "-N", name)
        wait_for_end(cluster, mine, 120 + 3 * count)
    finally:
        follower.kill()
    lines = follower.log()[known:]
    assert {line["job"] for line in lines} <= {*mine}
    placed = {line["job"]: line["nodes"] for line in lines if line["what"] == "prefers"}
    hits = [job for job, nodes in placed.items() if {*ended(cluster)[job].nodes} == {*nodes}]
    assert len(placed) > count / 10
    assert len(hits) > len(placed) / 3  # a controller that is new does not know all nodes yet


def test_jobs_that_others_hold_and_those_with_more_wishes_are_left_alone(cluster):
    """Those that the hook has let prefer nodes, and that are held or put off afterwards, too."""
    follower = Following(cluster)
    follower.start()
    words = (*PLACE, "--follow", "--folder", cluster / "b")
    second = subprocess.run(words, check=False, capture_output=True, text=True)
    assert second.returncode == 2
    assert "serves it already" in second.stderr
    nobody = ("--uid=nobody", "-D", "/tmp")
    script = "#!/bin/sh\ntrue\n"
    run("scontrol", "update", "PartitionName=p", "State=DOWN")
    marked = []
    for _ in range(3):
        follower.offer()
        marked.append(batch(cluster, script, "-N2", *nobody))
    assert all(queued(job).is_marked for job in marked)
    run("scontrol", "hold", marked[0])
    run("scontrol", "uhold", marked[1])
    run("scontrol", "update", f"JobId={marked[2]}", "StartTime=now+1hour")
    run("scontrol", "update", "PartitionName=p", "State=UP")
    known = len(follower.log())
    times = ("StartTime=now", "Duration=10")
    run("scontrol", "create", "reservation", "ReservationName=r", *times, "Users=root", "Nodes=n[30-31]")
    try:
        follower.offer()
        first = batch(cluster, script, "-N2", *nobody)
        follower.offer()
        ranks = f"""#!/bin/sh
cd {cluster}
{sys.executable} -m netplace slurm ranks --mapping random > hosts
SLURM_HOSTFILE=hosts srun -n 5 -m arbitrary sh -c 'echo $SLURM_PROCID $SLURMD_NODENAME' > ranks
"""
        ranked = batch(cluster, ranks, "-N3", "-n5")
        wishes = ("-H --comment=netplace", "--begin=now+1hour --comment=netplace")
        later = [batch(cluster, script, "-N2", *nobody, *words.split()) for words in wishes]
        wishes = (
            "-N2-4", "-n5", "-N1 --array=0", "-N2 -C n3|n4", "-wn5,n7", "-N2 -xn[0-3]", "-N2 --reservation=r",
            f"-N2 -d afterany:{first}", "-N2 --prefer=n8|n9",
        )  # fmt: skip
        others = [batch(cluster, script, *words.split()) for words in wishes]
        hetero = run("sbatch", "--parsable", "-o", "/dev/null", "-N1", ":", "-N1", "--wrap=true").strip()
        wait_for_end(cluster, [first, ranked, *others, hetero], 180)  # a node may answer late
        time.sleep(2)  # some passes
        reasons = ["JobHeldAdmin", "JobHeldUser", "BeginTime", "JobHeldUser", "BeginTime"]
        assert [queued(job).reason for job in (*marked, *later)] == reasons
        assert all(queued(job).eligible > time.time() + 3000 for job in (marked[2], later[1]))
        assert all(queued(job).is_marked for job in marked)
        assert {line["job"] for line in follower.log()[known:]} - {*marked} == {first, ranked}
        hosts = (cluster / "hosts").read_text().split()
        places = dict(line.split() for line in (cluster / "ranks").read_text().splitlines())
        assert [places[str(rank)] for rank in range(5)] == hosts
        assert len({*hosts}) == 3
    finally:
        follower.kill()
    words = (*PLACE, "--folder", cluster / "watch", "--job")
    run(*words, later[0])
    wait(lambda: later[0] in ended(cluster), 30)
    refused = subprocess.run((*words, marked[0]), check=False, capture_output=True, text=True)
    assert "JobHeldAdmin" in refused.stderr
    run("scancel", *marked, later[1])
    run("scontrol", "delete", "ReservationName=r")


SCONTROL = """#!/bin/sh
echo "$*" >> {folder}/calls
[ "$1" = update ] && sleep 60
case $(($(date +%s) % 3)) in
0) sleep 5 ;;
1) echo no >&2; exit 1 ;;
esac
exec {scontrol} "$@"
"""


@pytest.mark.nightly
def test_no_job_waits_for_netplace_if_scontrol_fails_or_hangs(cluster):
    folder = cluster / "bin"
    folder.mkdir()
    for name in ("squeue", "scontrol"):
        (folder / name).symlink_to(shutil.which(name))
    follower = Following(cluster)
    follower.start("place", "--bin", str(folder), "--partition", "gen-alg")
    (folder / "scontrol").unlink()
    (folder / "scontrol").write_text(SCONTROL.format(folder=folder, scontrol=shutil.which("scontrol")))
    (folder / "scontrol").chmod(0o755)
    try:
        jobs = [(time.time(), submit(cluster, 2, 0)) for _ in range(8)]
        wait_for_end(cluster, [job for _, job in jobs], 60)
    finally:
        follower.kill()
    assert all(ended(cluster)[job].start - came < 10 for came, job in jobs)
    calls = (folder / "calls").read_text().splitlines()
    updates = [line for line in calls if line.startswith("update")]
    assert all(updates.count(line) <= 2 for line in updates)


@pytest.mark.nightly
def test_jobs_wait_no_longer_than_under_slurm_alone(cluster):
    """Ten streams of 60 jobs, longer than the nodes can keep up with, come to two clusters at once."""
    follower, ratios = Following(cluster), []
    with slurm_cluster(30_000) as alone:
        os.environ["SLURM_CONF"] = f"{cluster}/slurm.conf"
        follower.start()
        try:
            for seed in range(10):
                draw = random.Random(seed)
                came = {cluster: {}, alone: {}}
                for _ in range(60):
                    size, seconds = draw.randint(2, 9), draw.randint(4, 12)
                    for folder in draw.sample((cluster, alone), 2):
                        begun = time.time()
                        came[folder][batch(folder, f"#!/bin/sh\nsleep {seconds}\n", f"-N{size}")] = begun
                    time.sleep(draw.uniform(0, 1))
                waits = []
                for folder, jobs in came.items():
                    wait_for_end(folder, jobs, 600)
                    starts = {job: one.start for job, one in ended(folder).items()}
                    waits.append(sum(starts[job] - begun for job, begun in jobs.items()))
                ratios.append(math.log(waits[0] / waits[1]))
        finally:
            follower.kill()
    mean, half = statistics.fmean(ratios), half_width(ratios)
    assert math.exp(mean + half) < 1.05, (math.exp(mean), math.exp(mean + half))


@pytest.mark.nightly
def test_jobs_start_without_netplace(cluster):
    follower = Following(cluster)
    follower.start()
    follower.kill()
    placed = submit(cluster, 2, 1)  # the choice of the last pass still counts
    assert queued(placed).mark
    _, last, *_ = (cluster / "watch/offers").read_text().split()
    wait(lambda: time.time() > int(last) + 1, 60)
    free = submit(cluster, 2, 1)
    assert not queued(free).mark
    wait(lambda: {placed, free} <= ended(cluster).keys(), 60)


@pytest.mark.nightly
@pytest.mark.parametrize(("rule", "interval"), [("timeout:10", 0.3), ("plan:slot=5", 5)])
def test_power_saves_what_is_foretold_and_switches_nothing_off_that_runs(cluster, rule, interval):
    """Forty jobs come over six minutes: nodes are off as in a simulation that plans as often."""
    draw, jobs = random.Random(5), []
    first = submit(cluster, 32, 0)  # boots what is off
    wait(lambda: first in ended(cluster), 300)
    follower = Following(cluster)
    words = ("power", "--rule", rule, "--boot-seconds", f"{BOOT}", "--keep", "n31")
    follower.start(*words, interval=interval)
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
    assert saved == pytest.approx(expected, rel=0.25), (foretold.node_seconds, last - jobs[0][0])
