"""Predictions without a network: what a simulation must be better than.

LogGP: A. Alexandrov, M. Ionescu, K. Schauser and C. Scheiman, SPAA 1995; messages never meet in the network.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from netplace.apps import Op, Program
from netplace.experiments.reality.measurements import Row
from netplace.netsim import Config
from netplace.runs.fitting import loss
from netplace.runs.job_programs import program_of as job_program


@dataclass(frozen=True)
class LogGP:
    """A machine without contention; all in nanoseconds, G for a byte."""

    latency: float
    overhead: float
    per_byte: float

    def seconds(self, program: Program) -> float:
        """Return when the last task ends."""
        ends, nic = [0.0] * program.tasks, [0.0] * program.tasks
        arrived: dict[tuple[int, int, int], deque[float]] = defaultdict(deque)
        waiting: dict[tuple[int, int, int], int] = {}
        at = program.first[:-1].tolist()
        sent: list[dict[int, float]] = [{} for _ in ends]
        posted: list[dict[int, tuple[int, int, int]]] = [{} for _ in ends]
        columns = (program.kind, program.peer, program.size, program.tag, program.request)
        rows = list(zip(*(column.tolist() for column in columns), strict=True))
        ready = list(range(program.tasks))
        while ready:
            task = ready.pop()
            for place in range(at[task], int(program.first[task + 1])):
                at[task] = place
                kind, peer, size, tag, request = rows[place]
                key = None
                if kind in (Op.SEND, Op.ISEND):
                    if peer == task:
                        continue
                    ends[task] += self.overhead
                    nic[task] = max(ends[task], nic[task]) + self.per_byte * size
                    arrived[task, peer, tag].append(nic[task] + self.latency)
                    if kind == Op.SEND:
                        ends[task] = nic[task]
                    else:
                        sent[task][request] = nic[task]
                    if (other := waiting.pop((task, peer, tag), None)) is not None:
                        ready.append(other)
                elif kind == Op.IRECV:
                    posted[task][request] = (peer, task, tag)
                elif kind == Op.RECV:
                    key = (peer, task, tag)
                elif kind == Op.WAIT:
                    if request in sent[task]:
                        ends[task] = max(ends[task], sent[task].pop(request))
                        continue
                    key = posted[task][request]
                if key is not None and key[0] != task:
                    if not arrived[key]:
                        waiting[key] = task
                        break
                    ends[task] = max(ends[task], arrived[key].popleft()) + self.overhead
        return max(ends) * 1e-9


def fitted(rows: Sequence[Row], config: Config) -> LogGP:
    """Return the parameters whose times are nearest to those of `rows`, by the loss of `netplace fit`."""
    from scipy import optimize

    programs = [program_of(row, config) for row in rows]
    measured = np.array([row.point.seconds for row in rows])

    def loss_at(logs: np.ndarray) -> float:
        model = LogGP(*np.exp(logs))
        return loss(np.array([model.seconds(program) for program in programs]) / measured)

    start = np.log([1000.0, 500.0, config.cycle_ns / config.phit_bytes])
    found = optimize.minimize(loss_at, start, method="Nelder-Mead", options={"maxfev": 120, "xatol": 0.01})
    return LogGP(*np.exp(found.x))


@lru_cache(maxsize=1024)
def program_of(row: Row, config: Config) -> Program:
    """Return the program that is simulated for a row, without what its processors do besides."""
    run = row.point.run(Config(phit_bytes=config.phit_bytes, packet_phits=config.packet_phits))
    return job_program(run.jobs[0], run.config)


def by_bandwidth(program: Program, config: Config) -> float:
    """Return the seconds in which a link carries what the busiest task sends or receives."""
    sends = np.isin(program.kind, (Op.SEND, Op.ISEND))
    task = program.task_of()
    volume = [np.bincount(where[sends], program.size[sends]) for where in (task, program.peer)]
    return float(max(each.max() for each in volume) * config.cycle_ns / config.phit_bytes * 1e-9)
