"""The kernel's jobs: where their words are, how they start and are stopped, and what is used again.

The operations of a program are kept once for all jobs that run it, and until nobody has the program any more:
their keys count from the job's first. The keys of a job that has ended are used again as soon as no packet
of it is in flight; the words of its tasks when it is forgotten.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.apps import Program
from netplace.netsim.codes import Code, Codes
from netplace.netsim.config import Config
from netplace.netsim.domains import Domains
from netplace.netsim.engine import JobRecord
from netplace.netsim.job_words import JobWords
from netplace.netsim.kernel import state as k
from netplace.netsim.laps import Laps

__all__ = ["Jobs"]

Int = NDArray[np.int64]
_REASONS = {k.RECV: "receive", k.SENT: "rendezvous", k.SENT_LAST: "rendezvous"}


@dataclass(eq=False)
class _Job:
    """Where the words of a job are."""

    program: Program
    code: Code
    nodes: Int
    start: int
    times: int
    slot: int
    first_task: int
    first_key: int
    first_message: int
    works: NDArray[np.bool_]
    keyed: bool = True  # its keys and messages are still its own
    stopped: bool = False
    forgotten: bool = False

    @property
    def keys(self) -> int:
        """How many keys it has."""
        return len(self.code.lowered.key)

    @property
    def tasks(self) -> slice:
        """Where its tasks are among those of all jobs."""
        return slice(self.first_task, self.first_task + len(self.nodes))


class Jobs:
    """All jobs of a kernel that are not forgotten.

    Parameters
    ----------
    config : Config
        Settings of the network.
    record : bool
        Whether the start and end of each message are kept.
    task, when : ndarray
        The kernel's rows of the nodes.
    wide : bool
        Whether all integers have 64 bits, as the kernel needs them when it is not compiled.
    explain : bool
        Whether it is kept whose each key is.
    domains : Domains, optional
        How the network is cut; each domain has its own lists of free entries.
    """

    def __init__(
        self,
        config: Config,
        record: bool,
        task: NDArray[Any],
        when: NDArray[Any],
        wide: bool,
        explain: bool = False,
        domains: Domains | None = None,
    ) -> None:
        self._task = task.reshape(-1, k.TASK_WORDS)
        self._when = when.reshape(-1, k.WHEN_WORDS)
        self._owner_of = np.zeros(len(self._task), np.int8) if domains is None else domains.owner_of
        self._record = record
        self.words = JobWords(config, wide, explain, 1 if domains is None else domains.count)
        self._codes = Codes(config, self.words.pools["op"])
        self._jobs: dict[int, _Job] = {}
        self._started = 0
        self._in_slot: dict[int, int] = {}
        self._ending: list[_Job] = []  # ended, and some of its packets may be in flight
        self._dues = 0  # entries for messages due that the jobs may need, and that there are
        self._due_entries = 0
        self._sources: list[tuple[int, int]] = []  # keys of open-loop traffic that was stopped

    def share(self, task: NDArray[Any], when: NDArray[Any]) -> None:
        """Write into these arrays from now on, and know programs anew: for what was read from a pickle."""
        self._task, self._when = task.reshape(-1, k.TASK_WORDS), when.reshape(-1, k.WHEN_WORDS)
        self._codes.know_anew((job.program, job.times > 1, job.code) for job in self._jobs.values())

    def owners(self, keys: Collection[int]) -> list[int]:
        """Return the jobs, not forgotten, that have some of these keys."""
        return [
            number
            for number, job in self._jobs.items()
            if job.keyed and any(job.first_key <= key < job.first_key + job.keys for key in keys)
        ]

    def __contains__(self, number: int) -> bool:
        return number in self._jobs

    # --- starting -----------------------------------------------------------------------------------

    def start(self, program: Program, nodes: Int, times: int, now: int) -> int:
        """Write all words of a job but those of its nodes, and return its number."""
        self._recycle()
        code = self._codes.of(program, times > 1)
        lowered, pools = code.lowered, self.words.pools
        first_message = -1
        if self._record:
            count = len(lowered.message)
            first_message = pools["message_start"].take(count)
            pools["message_end"].take(count)
            for name in ("message_start", "message_end"):
                pools[name].rows(first_message, count)[:] = -1
        works = np.diff(lowered.first) > 0
        job = _Job(
            program=program,
            code=code,
            nodes=nodes,
            start=now,
            times=times,
            slot=pools["job"].take(1),
            first_task=pools["task_end"].take(len(nodes)),
            first_key=self.words.take_keys(len(lowered.key), self._started + 1),
            first_message=first_message,
            works=works,
        )
        self._write_keys(job)
        self.words.write_classes(job.first_key, lowered.key[:, 2], self._started)
        pools["task_lost"].take(len(nodes))
        pools["task_end"].words[job.tasks] = np.where(works, -1, now)
        pools["task_lost"].words[job.tasks] = 0
        running = int(works.sum())
        pools["job"].rows(job.slot, 1)[0] = running, -1 if running else now
        self._dues += lowered.by_rendezvous
        if self._dues > self._due_entries:
            self.words.extend_dues(self._dues - self._due_entries)
            self._due_entries = self._dues
        number = self._started
        self._started += 1
        self._jobs[number] = job
        self._in_slot[job.slot] = number
        return number

    def seat(self, number: int) -> Int:
        """Write a job's words into the rows of its nodes; return the nodes that have something to do."""
        job, task, when = self._jobs[number], self._task, self._when
        works = job.works
        mine: Int = job.nodes[works]
        first = job.code.lowered.first + job.code.begin
        task[mine, k.PC] = first[:-1][works]
        task[mine, k.STOP] = first[1:][works]
        task[mine, k.JOB] = job.slot
        task[mine, k.TASK] = job.first_task + np.flatnonzero(works)
        task[mine, k.WAITS] = k.NOTHING
        task[mine, k.FIRST_KEY] = job.first_key
        task[mine, k.ROUNDS] = job.times - 2
        when[mine, k.BUSY_UNTIL] = 0
        when[mine, k.LOST] = 0
        when[mine, k.SINCE] = -1
        when[mine, k.LAPPED] = self._jobs[number].start
        return mine

    def drop_sources(self, begin: int, count: int) -> None:
        """Use the keys of open-loop traffic again once its packets are consumed."""
        self._sources.append((begin, count))

    def _write_keys(self, job: _Job) -> None:
        key = job.code.lowered.key
        rows = self.words.keys(job.first_key, len(key))
        rows[:, k.LENGTH] = rows[:, k.TO_GO] = key[:, 2]
        rows[:, k.SOURCE], rows[:, k.TARGET] = job.nodes[key[:, 0]], job.nodes[key[:, 1]]
        if self._record:
            rows[:, k.NEWEST] = rows[:, k.OLDEST] = key[:, 3] + job.first_message

    # --- ending -------------------------------------------------------------------------------------

    def end(self, number: int) -> int:
        """Return the end of a job, -1 while it runs."""
        return int(self.words.pools["job"].words[2 * self._jobs[number].slot + 1])

    def ended(self, number: int) -> None:
        """Use the keys of a job again, which has ended, once its packets are consumed."""
        job = self._jobs[number]
        if job.keyed and job not in self._ending:
            self._ending.append(job)

    def drained(self, number: int) -> bool:
        """Tell whether a job has ended and none of its packets is in flight."""
        job = self._jobs[number]
        return self.end(number) >= 0 and (not job.keyed or self._done(job))

    def forget(self, number: int) -> None:
        """Drop all that is known of a job that has ended."""
        self.ended(number)
        job = self._jobs.pop(number)
        job.forgotten = True
        del self._in_slot[job.slot]
        self.words.pools["job"].give(job.slot, 1)
        for name in ("task_end", "task_lost"):
            self.words.pools[name].give(job.first_task, len(job.nodes))
        if not job.keyed:
            self._free_messages(job)

    def stop(self, number: int, now: int) -> Int:
        """Stop a job that runs, and return the nodes whose tasks computed."""
        job, task, when = self._jobs[number], self._task, self._when
        job.stopped = True
        nodes = job.nodes
        mine: Int = nodes[task[nodes, k.JOB] == job.slot]
        lost = self._lost(when[mine], now)
        which = task[mine, k.TASK]
        self.words.pools["task_end"].words[which] = now
        self.words.pools["task_lost"].words[which] = lost
        self.words.pools["job"].rows(job.slot, 1)[0] = 0, now
        computing: Int = mine[when[mine, k.BUSY_UNTIL] >= now]
        task[mine, k.JOB] = -1
        task[mine, k.WAITS] = k.NOTHING
        task[mine, k.BLOCKED] = task[mine, k.DRAWN] > 0
        when[mine, k.SINCE] = -1
        when[mine, k.BUSY_UNTIL] = 0
        begin, end = job.first_key, job.first_key + job.keys
        under = task[nodes, k.UNDER] >> 2
        when[nodes[(under >= begin) & (under < end)], k.LEFT] = 0
        for node in nodes[task[nodes, k.FIRST_DUE] >= 0].tolist():
            self.words.drop_dues(task[node], begin, end, int(self._owner_of[node]))
        if not self._record:
            self.words.drop_openings(begin, job.keys)
        keys = self.words.keys(begin, job.keys)
        keys[:, k.TARGET] = ~keys[:, k.TARGET]
        self.ended(number)
        return computing

    def _recycle(self) -> None:
        """Take back what ended jobs and stopped traffic have no packets for any more."""
        if self._ending:
            self._ending = [job for job in self._ending if not self._release(job)]
        for begin, count in [*self._sources]:
            if self.words.at_rest(begin, count):
                self.words.give_keys(begin, count)
                self._sources.remove((begin, count))

    def _release(self, job: _Job) -> bool:
        """Take back the keys of an ended job if it has no packet in flight."""
        if not self._done(job):
            return False
        self.words.give_keys(job.first_key, job.keys)
        self._dues -= job.code.lowered.by_rendezvous
        job.keyed = False
        if job.forgotten:
            self._free_messages(job)
        return True

    def _free_messages(self, job: _Job) -> None:
        if self._record:
            for name in ("message_start", "message_end"):
                self.words.pools[name].give(job.first_message, len(job.code.lowered.message))

    def _done(self, job: _Job) -> bool:
        """Tell whether no packet of an ended job is in flight or owed by an interface."""
        if job.code.lowered.by_rendezvous and (
            (self._task[job.nodes, k.FIRST_DUE] >= 0).any() or (self._when[job.nodes, k.LEFT] > 0).any()
        ):
            return False  # perhaps another job's that has the node now: looked at again later
        return self.words.at_rest(job.first_key, job.keys)

    # --- telling ------------------------------------------------------------------------------------

    def record(self, number: int, now: int) -> JobRecord:
        """Return what is known of a job."""
        job, pools = self._jobs[number], self.words.pools
        task_end = pools["task_end"].words[job.tasks].copy()
        lost = pools["task_lost"].words[job.tasks].copy()
        running = task_end < 0
        lost[running] = self._lost(self._when[job.nodes[running]], now)
        start, end = (
            (pools[name].words[job.code.lowered.message + job.first_message] if self._record else None)
            for name in ("message_start", "message_end")
        )
        return JobRecord(job.start, self.end(number), task_end, lost, start, end, stopped=job.stopped)

    def rounds(self, number: int) -> NDArray[np.float64]:
        """Return how many iterations each task of a job that runs, and has anything to do, has behind it."""
        job = self._jobs[number]
        row = self._task[job.nodes[job.works]]
        lowered = job.code.lowered
        loop = np.flatnonzero(lowered.op & ((1 << k.KIND_BITS) - 1) == k.LOOP)
        length = lowered.op[loop] >> k.KIND_BITS
        begun = (row[:, k.PC] - job.code.begin - (loop - length)) / length
        rounds: NDArray[np.float64] = job.times - 2 - row[:, k.ROUNDS] + np.clip(begun, 0, 1)
        return rounds

    def laps(self, number: int) -> Laps:
        """Return how far the tasks of a job are with iterations that stand in a loop."""
        job = self._jobs[number]
        lowered, row = job.code.lowered, self._task[job.nodes]
        runs = row[:, k.JOB] == job.slot
        return Laps(
            done=np.where(runs, job.times - 2 - row[:, k.ROUNDS], job.times).astype(np.int64),
            last=self._when[job.nodes, k.LAPPED].astype(np.int64),
            left=np.where(runs, np.maximum(0, row[:, k.ROUNDS]), 0).astype(np.int64),
            source=lowered.key[:, 0],
            target=lowered.key[:, 1],
            sent=lowered.sent,
            used=lowered.used,
            asked=lowered.asked,
            posted=lowered.posted,
            spare=self.words.keys(job.first_key, job.keys)[:, k.HAVE].astype(np.int64),
        )

    def skip(self, number: int, counts: Int) -> Int:
        """Let each task of a job have done so many more iterations; return the nodes of those that wait."""
        job, laps = self._jobs[number], self.laps(number)
        self.words.keys(job.first_key, job.keys)[:, k.HAVE] = laps.spare_after(counts)
        runs = self._task[job.nodes, k.JOB] == job.slot
        mine = job.nodes[runs]
        self._task[mine, k.ROUNDS] -= counts[runs].astype(self._task.dtype)
        waiting: Int = mine[self._task[mine, k.WAITS] != k.NOTHING]
        return waiting

    def _lost(self, when: NDArray[Any], now: int) -> Int:
        """Return the cycles that running tasks, given by the rows of their nodes, lost to full injectors."""
        blocked = np.where(when[:, k.SINCE] >= 0, now - when[:, k.SINCE], 0)
        lost: Int = when[:, k.LOST] + blocked
        return lost

    def blocked(self) -> list[tuple[int, int, int, str]]:
        """Return (job, task, operation, what it waits for) of every task that is not at its end."""
        task, when = self._task, self._when
        op = self.words.pools["op"].words
        blocked = []
        for node in np.flatnonzero(task[:, k.JOB] >= 0):
            number = self._in_slot[int(task[node, k.JOB])]
            job = self._jobs[number]
            pc = int(task[node, k.PC])
            kind = int(op[pc]) & ((1 << k.KIND_BITS) - 1) if pc < task[node, k.STOP] else k.COMPUTE
            if when[node, k.SINCE] >= 0:
                why = "injector"
            else:
                why = _REASONS.get(kind, "compute")
            source_op = job.code.lowered.source_op
            operation = int(source_op[min(pc - job.code.begin, len(source_op) - 1)])
            blocked.append((number, int(task[node, k.TASK]) - job.first_task, operation, why))
        return blocked
