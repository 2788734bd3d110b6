"""Batsim's protocol, with netplace as the platform, as the scheduler, and as both."""

import contextlib
import json
import math
import shutil
import socket
import subprocess
import sys
import threading

import pytest
from click.testing import CliRunner

from netplace.cli import app
from netplace.cosim import cosimulate, make_cosim_plan
from netplace.live.batsim import Decider, ForeignQueue, connected, run_with, serve
from netplace.runs.plan import make_plan
from netplace.runs.schedules import run_schedule
from netplace.scheduling import Job, State, schedule
from netplace.scheduling.policy import Policy
from netplace.topologies import parse


class Scheduler:
    """A scheduler that first come, first served gives each job the first free resources, or does as told."""

    def __init__(self, react=lambda event, now: []):
        self.react, self.waiting, self.free, self.messages = react, [], [], []

    def __call__(self, text):
        message = json.loads(text)
        self.messages.append(message)
        now, answer = message["now"], []
        for event in message["events"]:
            data = event["data"]
            if event["type"] == "SIMULATION_BEGINS":
                self.free = [host["id"] for host in data["compute_resources"]]
            elif event["type"] == "JOB_SUBMITTED":
                self.waiting.append(data["job"])
            elif event["type"] == "JOB_COMPLETED":
                first, _, last = data["alloc"].partition("-")
                self.free = sorted([*self.free, *range(int(first), int(last or first) + 1)])
            answer += self.react(event, now)
        taken = {said["data"].get("job_id") for said in answer}
        self.waiting = [job for job in self.waiting if job["id"] not in taken]
        while self.waiting and self.waiting[0]["res"] <= len(self.free):
            job = self.waiting.pop(0)
            nodes, self.free = self.free[: job["res"]], self.free[job["res"] :]
            answer.append(decision(now, "EXECUTE_JOB", job_id=job["id"], alloc=" ".join(map(str, nodes))))
        return json.dumps({"now": now, "events": answer}).encode()

    def told(self, *kinds):
        events = [event for message in self.messages for event in message["events"]]
        return [
            (event["timestamp"], event["type"], event["data"]) for event in events if event["type"] in kinds
        ]


def decision(now, kind, **data):
    return {"timestamp": now, "type": kind, "data": data}


def execute(job, alloc, **more):
    return decision(1, "EXECUTE_JOB", job_id=job, alloc=alloc, **more)


def run(talk, jobs, machine="mesh:4"):
    machine = parse(machine)
    queue = ForeignQueue(talk, jobs, {f"n{node}": node for node in range(machine.nodes)})
    queue.begin()
    policy = Policy("batsim", lambda: queue, "")
    made = schedule(machine, jobs, policy, "non-contiguous", overrun="kill", keep_nodes=True)
    queue.finish()
    return made


def placed(made):
    return {
        number: (start, end, nodes.tolist())
        for number, start, end, nodes in zip(made.number, made.start, made.end, made.allocations, strict=True)
        if len(nodes)
    }


@pytest.mark.parametrize(
    ("policy", "partition"),
    [("easy", "curve:hilbert,best-fit"), ("conservative-full", "contiguous"), ("sjf", "mc1x1")],
)
def test_both_sides_together_are_the_policy_itself(policy, partition, tmp_path):
    """The two talk over ZeroMQ, as with schedulers of others."""
    said = {"machine": "torus:8x8", "workload": "lublin", "jobs": 60, "overrun": "kill"}
    decider = Decider(parse("torus:8x8"), policy, partition)
    endpoint = f"ipc://{tmp_path}/socket"
    other = threading.Thread(
        target=serve, args=(endpoint, decider.answer, lambda: not decider.over), daemon=True
    )
    other.start()
    with connected(endpoint, 60) as talk:
        made = run_with(talk, make_plan(said, 3))
    other.join(60)
    own = run_schedule(make_plan(said | {"policy": policy, "partition": partition}, 3), keep_nodes=True)
    assert decider.over
    assert not other.is_alive()
    assert placed(made.schedule) == placed(own.schedule)


def test_packets_run_the_jobs():
    said = {"machine": "mesh:4x4", "workload": "applications", "jobs": 5, "sizes": "small", "overrun": "kill"}
    made = run_with(Decider(parse("mesh:4x4"), "easy", "mm").answer, make_cosim_plan(said, 1))
    own = cosimulate(make_cosim_plan(said | {"policy": "easy", "partition": "mm"}, 1))
    assert [row.to_dict() for row in made.jobs] == [row.to_dict() for row in own.jobs]


def test_walltimes_as_in_the_tests_of_batsim():
    """Jobs of 10 s with limits of 1 to 20 s, and without limit: each succeeds, or ends at its limit."""
    limits = [*range(1, 21), math.inf]
    scheduler = Scheduler()
    run(scheduler, [Job(number, 0, 1, 10, limit) for number, limit in enumerate(limits)], "mesh:64")
    ends = {data["job_id"]: (at, data["job_state"]) for at, _, data in scheduler.told("JOB_COMPLETED")}
    for number, limit in enumerate(limits):
        state = "COMPLETED_WALLTIME_REACHED" if limit < 10 else "COMPLETED_SUCCESSFULLY"
        assert ends[f"w0!{number}"] == (min(limit, 10), state)


def test_messages_are_in_the_order_of_the_protocol():
    scheduler = Scheduler()
    run(scheduler, [Job(0, 3, 2, 10), Job(1, 3, 3, 5), Job(2, 6, 1, 1)])
    kinds = [event["type"] for message in scheduler.messages for event in message["events"]]
    assert kinds == [
        "SIMULATION_BEGINS", "JOB_SUBMITTED", "JOB_SUBMITTED", "JOB_SUBMITTED", "NOTIFY", "JOB_COMPLETED",
        "JOB_COMPLETED", "JOB_COMPLETED", "SIMULATION_ENDS",
    ]  # fmt: skip
    assert [message["now"] for message in scheduler.messages] == [0, 3, 6, 13, 14, 18, 18]


def test_jobs_are_killed_rejected_and_calls_kept():
    """A kill after 4 s, as the killers of Batsim's tests do; a rejection; a call before the first job."""

    def react(event, now):
        if event["type"] == "SIMULATION_BEGINS":
            return [decision(now, "CALL_ME_LATER", timestamp=1.5)]
        if event["type"] == "JOB_SUBMITTED" and event["data"]["job_id"] == "w0!1":
            return [decision(now, "REJECT_JOB", job_id="w0!1"), decision(now, "CALL_ME_LATER", timestamp=6)]
        if event["type"] == "REQUESTED_CALL" and now == 6:
            return [decision(now, "KILL_JOB", job_ids=["w0!0"])]
        return []

    scheduler = Scheduler(react)
    made = run(scheduler, [Job(0, 2, 4, 10), Job(1, 2, 4, 10), Job(2, 2, 4, 10)])
    assert made.end.tolist()[::2] == [6, 16]
    assert made.state.tolist() == [State.FAILED, State.FAILED, State.DONE]
    assert [at for at, *_ in scheduler.told("REQUESTED_CALL")] == [1.5, 6]
    (ended, _, end), (killed, _, kill), _ = scheduler.told("JOB_COMPLETED", "JOB_KILLED")
    assert (ended, end["job_state"], killed) == (6, "COMPLETED_KILLED", 6)
    assert kill["job_progress"] == {"w0!0": {"profile": "profile0", "progress": 0.4}}


def test_a_scheduler_takes_time_to_decide():
    def talk(text):
        message = json.loads(text)
        now = message["now"]
        started = [
            decision(
                now + 2,
                "EXECUTE_JOB",
                job_id=event["data"]["job_id"],
                alloc="1-2",
                mapping={"0": "1", "1": "0"},
            )
            for event in message["events"]
            if event["type"] == "JOB_SUBMITTED"
        ]
        return json.dumps({"now": now + 3 if started else now, "events": started}).encode()

    made = run(talk, [Job(0, 1, 2, 0.5)])
    assert made.start.tolist() == [3]
    assert made.allocations[0].tolist() == [2, 1]


ALLOC = "EXECUTE_JOB: job w0!0 gets"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("{", "is no message"),
        ('{"now": 0}', "is no message"),
        (
            [5, decision(3, "REJECT_JOB", job_id="w0!0"), decision(2, "NOTIFY")],
            "timestamp 2, expected between 3",
        ),
        ([0], "now: 0 is before 1"),
        ([1, decision(0.5, "NOTIFY")], "timestamp 0.5, expected between 1 and now, 1"),
        ([1, execute("w0!9", "0")], "job 'w0!9' is unknown"),
        ([1, execute("w0!0", "0-4")], "'0-4' is not among the resources 0-3"),
        ([1, execute("w0!0", "a")], "'a' is not a set of resources"),
        ([1, execute("w0!0", "0 1")], f"{ALLOC} 2 resources, expected 3"),
        ([1, decision(1, "EXECUTE_JOB", job_id="w0!0")], "alloc is None, expected text"),
        ([1, execute("w0!1", "2"), execute("w0!0", "0-2")], f"{ALLOC} resource 2, which w0!1 holds"),
        ([1, execute("w0!0", "0-2", mapping={"0": "0"})], "each of its resources once"),
        ([1, decision(1, "CALL_ME_LATER", timestamp=1)], "CALL_ME_LATER: 1 is not after 1"),
        ([1, decision(1, "KILL_JOB", job_ids=["w0!0"])], "KILL_JOB: job 'w0!0' does not run"),
        ([1, decision(1, "CHANGE_JOB_STATE", job_id="w0!0", job_state="RUNNING")], "expected REJECTED"),
        ([1, decision(1, "REGISTER_JOB", job_id="w0!7")], "'REGISTER_JOB': the scheduler sends what"),
        ([1], "was never started although no other job runs"),
    ],
)
def test_a_wrong_answer_is_one_sentence(answer, said):
    def talk(text):
        now = json.loads(text)["now"]
        if not now:
            return b'{"now": 0, "events": []}'
        if isinstance(answer, str):
            return answer.encode()
        return json.dumps({"now": answer[0], "events": answer[1:]}).encode()

    with pytest.raises(ValueError, match=said.replace("(", ".")) as error:
        run(talk, [Job(0, 1, 3, 10), Job(1, 1, 1, 10)])
    assert "\n" not in str(error.value)


# Of the examples in the description of the protocol, with four resources.
BEGINS = decision(
    0, "SIMULATION_BEGINS", nb_resources=4,
    compute_resources=[{"id": place, "name": "n"} for place in range(4)],
)  # fmt: skip
SUBMITTED = decision(
    10, "JOB_SUBMITTED", job_id="dyn!my_new_job",
    job={"profile": "delay_10s", "res": 1, "id": "dyn!my_new_job", "walltime": 12.0},
)  # fmt: skip


def message(now, *events):
    return json.dumps({"now": now, "events": events}).encode()


def test_the_examples_of_the_protocol_are_answered():
    decider = Decider(parse("mesh:4"), "easy", "non-contiguous")
    assert json.loads(decider.answer(message(0, BEGINS)))["events"] == []
    large = decision(10, "JOB_SUBMITTED", job_id="w0!5", job={"res": 5})
    [rejected, started] = json.loads(decider.answer(message(10, SUBMITTED, large)))["events"]
    assert rejected == decision(10, "REJECT_JOB", job_id="w0!5")
    assert started == decision(10, "EXECUTE_JOB", job_id="dyn!my_new_job", alloc="0")
    done = decision(
        20, "JOB_COMPLETED", job_id="dyn!my_new_job", job_state="COMPLETED_SUCCESSFULLY", alloc="0"
    )
    assert json.loads(decider.answer(message(20, done))) == {"now": 20, "events": []}
    decider.answer(message(100, decision(100, "SIMULATION_ENDS")))
    assert decider.over


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ([b"[]"], "is no message"),
        ([message(0, BEGINS), message(5), message(4)], "now: 4 is before 5"),
        ([message(10, SUBMITTED)], "comes before SIMULATION_BEGINS"),
        ([message(0, BEGINS), message(10, SUBMITTED, SUBMITTED)], "comes twice"),
        (
            [message(0, BEGINS), message(1, decision(1, "JOB_COMPLETED", job_id="w0!1"))],
            "'w0!1' does not run",
        ),
        (
            [message(0, BEGINS), message(1, decision(1, "JOB_SUBMITTED", job_id="a", job={"res": 0}))],
            "has res 0",
        ),
        (
            [message(0, decision(0, "SIMULATION_BEGINS", compute_resources=[]))],
            "0 compute resources, but mesh:4",
        ),
        ([message(0, decision(0, "SIMULATION_BEGINS", compute_resources=[1]))], "without numbers"),
        ([message(0, BEGINS), message(1, decision(1, "QUERY", requests={}))], "QUERY: is not answered"),
    ],
)
def test_a_wrong_message_is_one_sentence(texts, said):
    decider = Decider(parse("mesh:4"), "easy", "non-contiguous")
    for text in texts[:-1]:
        decider.answer(text)
    with pytest.raises(ValueError, match=said):
        decider.answer(texts[-1])


@pytest.mark.parametrize("more", [["--workload", "lublin", "--logged"], ["--workload", "applications"]])
def test_the_command_prints_tables(more, monkeypatch):
    talk = Decider(parse("mesh:4x4"), "easy", "mm").answer
    monkeypatch.setattr("netplace.live.batsim.connected", lambda *_: contextlib.nullcontext(talk))
    made = CliRunner().invoke(app, ["batsim", "platform", "--machine", "mesh:4x4", "--jobs", "4", *more])
    assert made.exit_code == 0, made.output
    assert "makespan" in made.output


@pytest.mark.parametrize("name", ["fillerSched", "easyBackfill", "schedFcfs"])
def test_schedulers_of_pybatsim_decide(name):
    """Schedulers of others, unmodified, in a process of their own."""
    if shutil.which("pybatsim") is None:
        pytest.skip("needs pybatsim, which is not installed here")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        endpoint = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    words = ["--machine", "torus:4x4", "--workload", "lublin", "--jobs", "9", "--logged", "--json"]
    with subprocess.Popen(
        ["pybatsim", name, "-s", endpoint, "-t", "60000"], stdout=subprocess.PIPE, text=True
    ) as other:
        made = subprocess.run(
            [sys.executable, "-m", "netplace", "batsim", "platform", "--socket-endpoint", endpoint, *words],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        told = other.communicate(timeout=60)[0]
    assert made.returncode == 0, made.stderr
    assert "success 9 , complete: 9" in told
