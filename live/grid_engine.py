#!/usr/bin/env python3
"""Grid Engine's hook: has netplace serve choose the hosts of parallel jobs.

``netplace slurm hook --manager sge`` prints this file, which stands alone. It is the server's job submission
verifier (jsv_url) and a load sensor (load_sensor) on the same host: the verifier asks for the hosts of a new
job, the sensor releases those of ended jobs.
"""

import json
import shutil
import socket
import subprocess
import sys
from contextlib import suppress
from typing import Any

SOCKET = "service/socket"
SLOTS = 1  # slots of a parallel job on each of its hosts
SECONDS = 9  # longest wait for the service: Grid Engine waits 10 s for a verifier


def ask(**request: Any) -> dict[str, Any]:
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(SECONDS)
        client.connect(SOCKET)
        client.sendall(json.dumps(request).encode() + b"\n")
        answer = json.loads(client.makefile().readline() or '{"ok": false, "error": "no answer"}')
    if not answer["ok"]:
        raise ValueError(answer["error"])
    return dict(answer["result"])


def request_of(hosts: list[str]) -> dict[str, str]:
    """Return the parameters of a job that runs on certain hosts, and its first task on the first."""
    return {"q_hard": ",".join(f"*@{host}" for host in hosts), "masterq": f"*@{hosts[0]}"}


def verify(job: dict[str, str]) -> list[str]:
    """Return the answer to a job; one that asks for queues, is held, or has no fixed size stays as it is."""
    slots = int(job.get("pe_min", "0"))
    mine = "JOB_ID" in job and slots and slots % SLOTS == 0 and job.get("pe_max") == job["pe_min"]
    if not mine or {"q_hard", "masterq", "h", "t_max"} & job.keys():
        return ["RESULT STATE ACCEPT"]
    try:
        placed = ask(verb="place", job=job["JOB_ID"], nodes=slots // SLOTS, wait=True)
    except (OSError, ValueError) as error:
        return [f"LOG WARNING netplace: {' '.join(str(error).split())}", "RESULT STATE ACCEPT"]
    changes = {"h": "u"} if placed["state"] == "waiting" else request_of(placed["nodes"])
    return [*(f"PARAM {key} {value}" for key, value in changes.items()), "RESULT STATE CORRECT"]


def release_ended(missing: set[str]) -> set[str]:
    """Release jobs that are missing twice running, and start held ones with hosts; return those missing."""
    words = [shutil.which("qstat") or "qstat", "-u", "*"]
    shown = subprocess.run(words, capture_output=True, text=True, check=True, timeout=30).stdout
    rows = [line.split() for line in shown.splitlines()]
    listed = {row[0]: row for row in rows if len(row) > 7 and row[0].isdigit()}
    known = ask(verb="state", jobs=True)
    gone = {job for job in (*known["held_by"], *known["queue"]) if job.isdigit()} - listed.keys()
    for job in sorted(gone & missing, key=int):  # one that has just been verified may not be listed yet
        with suppress(ValueError):  # it has left the queue meanwhile
            ask(verb="release", job=job)
    for job in ask(verb="state", jobs=True)["held_by"]:
        if job in listed and "h" in listed[job][4]:
            placed = ask(verb="place", job=job, nodes=int(listed[job][7]) // SLOTS)  # as it is already
            wanted = request_of(placed["nodes"])
            words = ["-h", "U", "-q", wanted["q_hard"], "-masterq", wanted["masterq"], job]
            subprocess.run([shutil.which("qalter") or "qalter", *words], check=True, timeout=30, stdout=2)
    return gone - missing


def main() -> None:
    """Answer the commands of a verifier, and the empty lines of a load sensor."""
    job: dict[str, str] = {}
    missing: set[str] = set()
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        answer: list[str] = []
        if word == "START":
            job, answer = {}, ["STARTED"]
        elif word == "PARAM":
            name, _, value = rest.partition(" ")
            job[name] = value
        elif word == "BEGIN":
            answer = verify(job)
        elif word in ("QUIT", "quit"):
            return
        elif not word:
            answer = ["begin", "end"]
            try:
                missing = release_ended(missing)
            except (OSError, ValueError, subprocess.SubprocessError) as error:
                sys.stderr.write(f"netplace: {error}\n")
        sys.stdout.writelines(f"{told}\n" for told in answer)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
