"""Policies of tasks in unit steps on integers, with plain lists; written apart from the package."""

from itertools import permutations


class Slow:
    """Tasks are (release, p); what came of each stands in `done`: start, end, processor, redirected."""

    def __init__(self, tasks, processors, policy, dedicated=0, threshold=0, b=0.0, c=0.0, draws=()):
        self.tasks, self.policy, self.threshold = tasks, policy, threshold
        self.common, self.all = list(range(processors - dedicated)), list(range(processors))
        self.left = [p for _, p in tasks]
        self.on: dict[int, int] = {}
        self.queue: dict[int, int] = {}  # task to the processor whose queue it waits in
        self.began = [0] * len(tasks)
        self.count = [0] * len(tasks)
        self.redirected: set[int] = set()
        self.done: dict[int, tuple[int, int, int, bool]] = {}
        self.b, self.c, self.draws, self.longest = b, c, list(draws), 0
        now = 0
        while len(self.done) < len(tasks):
            self.step(now)
            now += 1

    def step(self, now):
        for i, j in list(self.on.items()):
            if self.left[j] == 0:
                self.done[j] = (self.began[j], now, i, j in self.redirected)
                del self.on[i]
        for j, (release, _) in enumerate(self.tasks):
            if release == now:
                self.arrive(j, now)
        for i in self.all:
            waiting = [j for j in self.queue if self.queue[j] == self.home(i)]
            if i not in self.on and waiting:
                self.put(min(waiting, key=lambda j: (self.key(j), j)), i, now)
        for j in self.on.values():
            self.left[j] -= 1

    def home(self, i):
        if self.policy.startswith(("G", "FCFS")):
            return 0 if i in self.common else self.common[-1] + 1
        return i

    def key(self, j):
        return self.tasks[j][0] if self.policy == "FCFS" else self.left[j]

    def put(self, j, i, now):
        self.queue.pop(j, None)
        self.on[i], self.began[j], self.count[j] = j, now, 0

    def arrive(self, j, now):
        p = self.left[j]
        self.longest = max(self.longest, p)
        if self.policy.endswith("RR") and p >= self.b * self.longest and self.draws.pop(0) <= self.c:
            self.send_away(j)
            return
        if self.policy.startswith("G") or self.policy == "FCFS":
            i, running = 0, [i for i in self.common if i in self.on]
            k = max(running, key=lambda i: (self.left[self.on[i]], -i), default=None)
            idle = len(self.common) - len(running)
            if self.policy == "GSRPT" and len(self.queue) < idle:
                k = None
        else:
            i = min(self.common, key=lambda i: (self.cost(i, p, True), i))
            k = i if i in self.on else None
        if k is not None:
            task = self.on[k]
            if self.policy.endswith("SRPT") and p <= self.left[task]:
                del self.on[k]
                self.queue[task] = i
                self.put(j, k, now)
                return
            if self.policy.endswith("RD") and p < self.left[task]:
                self.count[task] += 1
                if self.count[task] == self.threshold:
                    del self.on[k]
                    self.left[task] = self.tasks[task][1]
                    self.send_away(task)
        self.queue[j] = i

    def send_away(self, j):
        self.redirected.add(j)
        apart = [i for i in self.all if i not in self.common]
        if self.policy.startswith("G"):
            self.queue[j] = apart[0]
        else:
            self.queue[j] = min(apart, key=lambda i: (self.cost(i, self.left[j], False), i))

    def cost(self, i, p, common):
        waiting = [self.left[j] for j in self.queue if self.queue[j] == i]
        running = self.on.get(i)
        rem = 0 if running is None else self.left[running]
        short, long = sum(q for q in waiting if q <= p), sum(q > p for q in waiting)
        if running is not None and p < rem and common:
            if self.policy == "SRPT":
                return p + p * (long + 1)
            if self.policy == "SPT-RD" and self.count[running] == self.threshold - 1:
                return short + p + p * long - rem * len(waiting)
        return rem + short + p + p * long


def best_preemptive_flow(tasks: list[tuple[int, int]]) -> int:
    """Least sum of flows of preemptive schedules on one processor: over all orders of priority."""
    best = None
    for order in permutations(range(len(tasks))):
        left, now, total = [p for _, p in tasks], 0, 0
        while any(left):
            able = [j for j in order if left[j] and tasks[j][0] <= now]
            now += 1
            if able:
                left[able[0]] -= 1
                if not left[able[0]]:
                    total += now - tasks[able[0]][0]
        best = total if best is None else min(best, total)
    assert best is not None
    return best
