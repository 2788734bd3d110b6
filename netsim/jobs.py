"""The kernel's jobs: where their words are, how they start and are stopped, and what is used again.

The operations of a program are kept once for all jobs that run it, and until nobody has the program any more:
their keys count from the job's first. The keys of a job that has ended are used again as soon as no packet
of it is in flight; the words of its tasks when it is forgotten.
"""

from __future__ import annotations

import weakref
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.apps import Program
from netplace.netsim.classes import read_classes
from netplace.netsim.config import Config
from netplace.netsim.domains import Domains
from netplace.netsim.engine import JobRecord
from netplace.netsim.kernel import state as k
from netplace.netsim.laps import Laps
from netplace.netsim.lower import Lowered, looped, lower
from netplace.netsim.pool import Pool

__all__ = ["Jobs"]

Int = NDArray[np.int64]
_REASONS = {k.RECV: "receive", k.SENT: "rendezvous", k.SENT_LAST: "rendezvous"}


@dataclass(eq=False)
class _Code:
    """A program in the kernel's words, and the first of them in the pool."""

    lowered: Lowered
    begin: int


@dataclass(eq=False)
class _Job:
    """Where the words of a job are."""

    program: Program
    code: _Code
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
        self._explain = explain
        self._task = task.reshape(-1, k.TASK_WORDS)
        self._when = when.reshape(-1, k.WHEN_WORDS)
        self._owner_of = np.zeros(len(self._task), np.int8) if domains is None else domains.owner_of
        self._domains = 1 if domains is None else domains.count
        self._config = config
        self._record = record
        short: type[np.generic] = np.int64 if wide else np.int32
        self._pools = {
            "op": Pool(np.int64),
            "key": Pool(np.int64, k.KEY_WORDS),
            "deal": Pool(short, k.DEAL_WORDS),
            "key_job": Pool(short),
            "message_start": Pool(np.int64),
            "message_end": Pool(np.int64),
            "open_start": Pool(np.int64),
            "open_next": Pool(short),
            "job": Pool(np.int64, 2),
            "task_end": Pool(np.int64),
            "task_lost": Pool(np.int64),
            "due_order": Pool(np.int64),
            "due_time": Pool(np.int64),
            "due_next": Pool(short),
        }
        self._classes = read_classes(config.traffic_classes)
        if self._classes.count > 1:
            self._pools["key_class"] = Pool(short)
        for name in ("open_start", "open_next", "due_order", "due_time", "due_next"):
            self._pools[name].take(self._domains)  # the first entries are the heads of free lists
        self._codes: dict[tuple[int, bool], _Code] = {}
        self._dead: list[int] = []  # programs that nobody has any more
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
        codes, self._codes, self._dead = list(self._codes.values()), {}, []
        used = {id(job.code): job for job in self._jobs.values()}
        for code in codes:
            job = used.get(id(code))
            if job is None:
                self._pools["op"].give(code.begin, len(code.lowered.op))
            else:
                self._know(job.program, job.times > 1, code)

    def _know(self, program: Program, repeated: bool, code: _Code) -> None:
        """Keep the words of a program as long as anybody has it."""
        if (id(program), not repeated) not in self._codes:
            weakref.finalize(program, self._dead.append, id(program)).atexit = False
        self._codes[id(program), repeated] = code

    def owners(self, keys: Collection[int]) -> list[int]:
        """Return the jobs, not forgotten, that have some of these keys."""
        return [
            number
            for number, job in self._jobs.items()
            if job.keyed and any(job.first_key <= key < job.first_key + job.keys for key in keys)
        ]

    def __contains__(self, number: int) -> bool:
        return number in self._jobs

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the kernel's arrays by name."""
        return {name: pool.words for name, pool in self._pools.items()}

    # --- starting -----------------------------------------------------------------------------------

    def start(self, program: Program, nodes: Int, times: int, now: int) -> int:
        """Write all words of a job but those of its nodes, and return its number."""
        self._recycle()
        code = self._code(program, times > 1)
        lowered, pools = code.lowered, self._pools
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
            first_key=self.take_keys(len(lowered.key), self._started + 1),
            first_message=first_message,
            works=works,
        )
        self._write_keys(job)
        if self._classes.count > 1:
            self._write_classes(job, self._started)
        pools["task_lost"].take(len(nodes))
        pools["task_end"].words[job.tasks] = np.where(works, -1, now)
        pools["task_lost"].words[job.tasks] = 0
        running = int(works.sum())
        pools["job"].rows(job.slot, 1)[0] = running, -1 if running else now
        self._dues += lowered.by_rendezvous
        self._extend_dues(self._dues - self._due_entries)
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

    def take_keys(self, count: int, owner: int = 0) -> int:
        """Return the first of `count` keys, all of their words zero; `owner` is their job + 1."""
        begin = self._pools["key"].take(count)
        if begin + count >= 1 << k.KEY_BITS:
            raise ValueError(f"{begin + count} kinds of message are more than the kernel's {1 << k.KEY_BITS}")
        self._pools["key"].rows(begin, count)[:] = 0
        if self._config.rendezvous is not None:
            self._pools["deal"].take(count)
            self._pools["deal"].rows(begin, count)[:] = 0
        if self._explain:
            self._pools["key_job"].take(count)
            self._pools["key_job"].rows(begin, count)[:] = owner
        if self._classes.count > 1:
            self._pools["key_class"].take(count)
            self._pools["key_class"].rows(begin, count)[:] = self._classes.count - 1
        return begin

    def keys(self, begin: int, count: int) -> NDArray[Any]:
        """Return the words of keys as a view."""
        return self._pools["key"].rows(begin, count)

    def drop_sources(self, begin: int, count: int) -> None:
        """Use the keys of open-loop traffic again once its packets are consumed."""
        self._sources.append((begin, count))

    def extend_openings(self, count: int) -> None:
        """Make `count` more entries for messages that are not complete, on their free list."""
        self._extend_list(("open_start", "open_next"), count, 0)
        self._pools["open_start"].words[0] += count

    def share_openings(self, needs: Sequence[int]) -> None:
        """Deal the free entries for messages out to the domains: what each needs, and as much more."""
        links, free = self._pools["open_next"].words, self._pools["open_start"].words
        entries = []
        for domain in range(self._domains):
            entry = domain
            for _ in range(int(free[domain])):
                entry = int(links[entry])
                entries.append(entry)
        spare, rest = divmod(len(entries) - sum(needs), self._domains)
        begin = 0
        for domain, need in enumerate(needs):
            count = need + spare + (domain < rest)
            mine = [domain, *entries[begin : begin + count]]
            links[mine[:-1]] = mine[1:]
            free[domain] = count
            begin += count

    def _write_keys(self, job: _Job) -> None:
        key = job.code.lowered.key
        rows = self.keys(job.first_key, len(key))
        rows[:, k.LENGTH] = rows[:, k.TO_GO] = key[:, 2]
        rows[:, k.SOURCE], rows[:, k.TARGET] = job.nodes[key[:, 0]], job.nodes[key[:, 1]]
        if self._record:
            rows[:, k.NEWEST] = rows[:, k.OLDEST] = key[:, 3] + job.first_message

    def _write_classes(self, job: _Job, number: int) -> None:
        """Write the traffic class of each key of the n-th job."""
        packets, size = job.code.lowered.key[:, 2].tolist(), self._config.packet_bytes
        found = [self._classes.of_message(number, count, size) for count in packets]
        self._pools["key_class"].rows(job.first_key, job.keys)[:, 0] = found

    def _code(self, program: Program, repeated: bool) -> _Code:
        while self._dead:
            program_id = self._dead.pop()
            for loops in (False, True):
                code = self._codes.pop((program_id, loops), None)
                if code is not None:
                    self._pools["op"].give(code.begin, len(code.lowered.op))
        name = id(program), repeated
        if name not in self._codes:
            lowered = lower(program, self._config)
            if repeated:
                lowered = looped(program, lowered)
            begin = self._pools["op"].take(len(lowered.op))
            if begin + len(lowered.op) >= 1 << 31:
                what = program.name or "program"
                raise ValueError(f"{what}: {len(lowered.op)} operations are more than the kernel holds")
            self._pools["op"].rows(begin, len(lowered.op))[:, 0] = lowered.op
            self._know(program, repeated, _Code(lowered, begin))
        return self._codes[name]

    def _extend_dues(self, count: int) -> None:
        if count > 0:
            self._due_entries += count
            for head in range(self._domains):  # all may be due in one
                self._extend_list(("due_order", "due_time", "due_next"), count, head)

    def _extend_list(self, names: tuple[str, ...], count: int, head: int) -> None:
        """Make more entries of a list; the last array holds its links, at `head` those of the free ones."""
        for name in names:
            begin = self._pools[name].take(count)
        links = self._pools[names[-1]].words
        links[begin : begin + count] = np.arange(begin + 1, begin + count + 1)
        links[begin + count - 1] = links[head]
        links[head] = begin

    # --- ending -------------------------------------------------------------------------------------

    def end(self, number: int) -> int:
        """Return the end of a job, -1 while it runs."""
        return int(self._pools["job"].words[2 * self._jobs[number].slot + 1])

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
        self._pools["job"].give(job.slot, 1)
        for name in ("task_end", "task_lost"):
            self._pools[name].give(job.first_task, len(job.nodes))
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
        self._pools["task_end"].words[which] = now
        self._pools["task_lost"].words[which] = lost
        self._pools["job"].rows(job.slot, 1)[0] = 0, now
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
            self._drop_dues(task[node], begin, end, int(self._owner_of[node]))
        if not self._record:
            self._drop_openings(begin, job.keys)
        keys = self.keys(begin, job.keys)
        keys[:, k.TARGET] = ~keys[:, k.TARGET]
        self.ended(number)
        return computing

    def _drop_dues(self, task: NDArray[Any], begin: int, end: int, head: int) -> None:
        """Take what a stopped job owes out of a node's interface."""
        order, links = self._pools["due_order"].words, self._pools["due_next"].words
        kept, entry = [], int(task[k.FIRST_DUE])
        while entry >= 0:
            after = int(links[entry])
            if begin <= int(order[entry]) & 0xFFFFFFFF < end:
                links[entry] = links[head]
                links[head] = entry
            else:
                kept.append(entry)
            entry = after
        kept.append(-1)
        links[kept[:-1]] = kept[1:]
        task[k.FIRST_DUE] = kept[0]

    def _drop_openings(self, begin: int, count: int) -> None:
        """Free the entries of the messages of a stopped job that are not complete."""
        links = self._pools["open_next"].words
        keys = self.keys(begin, count)
        for key in np.flatnonzero(keys[:, k.OLDEST] > 0).tolist():
            entry, newest = int(keys[key, k.OLDEST]), int(keys[key, k.NEWEST])
            while entry:
                after = 0 if entry == newest else int(links[entry])
                links[entry] = links[0]
                links[0] = entry
                self._pools["open_start"].words[0] += 1
                entry = after
            keys[key, [k.OLDEST, k.NEWEST]] = 0

    def _recycle(self) -> None:
        """Take back what ended jobs and stopped traffic have no packets for any more."""
        if self._ending:
            self._ending = [job for job in self._ending if not self._release(job)]
        for begin, count in [*self._sources]:
            if self._at_rest(begin, count):
                self._free_keys(begin, count)
                self._sources.remove((begin, count))

    def _release(self, job: _Job) -> bool:
        """Take back the keys of an ended job if it has no packet in flight."""
        if not self._done(job):
            return False
        self._free_keys(job.first_key, job.keys)
        self._dues -= job.code.lowered.by_rendezvous
        job.keyed = False
        if job.forgotten:
            self._free_messages(job)
        return True

    def _free_keys(self, begin: int, count: int) -> None:
        self._pools["key"].give(begin, count)
        if self._config.rendezvous is not None:
            self._pools["deal"].give(begin, count)
        if self._explain:
            self._pools["key_job"].give(begin, count)
        if self._classes.count > 1:
            self._pools["key_class"].give(begin, count)

    def _free_messages(self, job: _Job) -> None:
        if self._record:
            for name in ("message_start", "message_end"):
                self._pools[name].give(job.first_message, len(job.code.lowered.message))

    def _done(self, job: _Job) -> bool:
        """Tell whether no packet of an ended job is in flight or owed by an interface."""
        if job.code.lowered.by_rendezvous and (
            (self._task[job.nodes, k.FIRST_DUE] >= 0).any() or (self._when[job.nodes, k.LEFT] > 0).any()
        ):
            return False  # perhaps another job's that has the node now: looked at again later
        return self._at_rest(job.first_key, job.keys)

    def _at_rest(self, begin: int, count: int) -> bool:
        """Tell whether no packet of these keys is in flight."""
        return not self.keys(begin, count)[:, k.FLYING].any()

    # --- telling ------------------------------------------------------------------------------------

    def record(self, number: int, now: int) -> JobRecord:
        """Return what is known of a job."""
        job, pools = self._jobs[number], self._pools
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
            spare=self.keys(job.first_key, job.keys)[:, k.HAVE].astype(np.int64),
        )

    def skip(self, number: int, counts: Int) -> Int:
        """Let each task of a job have done so many more iterations; return the nodes of those that wait."""
        job, laps = self._jobs[number], self.laps(number)
        self.keys(job.first_key, job.keys)[:, k.HAVE] = laps.spare_after(counts)
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
        op = self._pools["op"].words
        found = []
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
            found.append((number, int(task[node, k.TASK]) - job.first_task, operation, why))
        return found
