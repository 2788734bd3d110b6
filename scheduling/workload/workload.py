"""A workload: the jobs of a machine, in the order of their submission."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from netplace.inputs import check_float, check_int
from netplace.scheduling.job import Job

Column = NDArray[Any]

# What a model is asked for: as many nodes as a network may have, and jobs that fit into memory.
MOST_NODES, MOST_JOBS = 2**31 - 1, 2**26
COMPLETED = 1  # the status of the Standard Workload Format
_COLUMNS = {
    "number": np.int64,
    "submit": np.float64,
    "nodes": np.int64,
    "run_time": np.float64,
    "estimate": np.float64,
    "kind": np.int64,
    "repeats": np.int64,
    "status": np.int64,
    "user": np.int64,
    "queue": np.int64,
    "after": np.int64,
    "think": np.float64,
    "executable": np.int64,
    "communication": np.float64,
}
_AT_ONCE = 4096  # jobs that an iteration makes ahead


@dataclass(frozen=True, eq=False)
class Workload(Sequence[Job]):
    """Jobs in order of submission, kept as columns; a job is made when it is requested.

    Columns are read-only arrays of shape (jobs,), by default of unknown values; times are in seconds.

    Attributes
    ----------
    number, submit, nodes, run_time, repeats, user, queue, after, think, executable, communication : ndarray
        As in `Job`.
    estimate : ndarray of float
        As in `Job`; NaN: none.
    kind : ndarray of int
        Index of the job's program and number of tasks in `kinds`.
    status : ndarray of int
        How it ended, in the codes of the Standard Workload Format; by default 1, completed.
    machine_nodes : int or None
        Nodes of the machine that the workload was recorded on or made for.
    header : tuple of str
        Comment lines at the top of the file, without the comment sign.
    notes : tuple of str
        What was done to the jobs on the way, a sentence each.
    dropped : mapping of str to int
        Jobs left out, by reason.
    """

    number: Column
    submit: Column
    nodes: Column
    run_time: Column
    estimate: Column = None  # type: ignore[assignment]  # filled in below
    kind: Column = None  # type: ignore[assignment]
    repeats: Column = None  # type: ignore[assignment]
    status: Column = None  # type: ignore[assignment]
    user: Column = None  # type: ignore[assignment]
    queue: Column = None  # type: ignore[assignment]
    after: Column = None  # type: ignore[assignment]
    think: Column = None  # type: ignore[assignment]
    executable: Column = None  # type: ignore[assignment]
    communication: Column = None  # type: ignore[assignment]
    kinds: tuple[tuple[str, int], ...] = (("", 0),)
    machine_nodes: int | None = None
    header: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    dropped: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Fill in the columns that were omitted, freeze all, and check them."""
        count = len(self.number)
        default = {
            "estimate": np.nan,
            "kind": 0,
            "repeats": 1,
            "status": COMPLETED,
            "think": 0,
            "communication": 1,
        }
        for name, dtype in _COLUMNS.items():
            given = getattr(self, name)
            column = np.full(count, default.get(name, -1), dtype) if given is None else np.array(given, dtype)
            column.flags.writeable = False
            object.__setattr__(self, name, column)
        self._check()

    def _check(self) -> None:
        for name in _COLUMNS:
            column = getattr(self, name)
            if column.shape != self.number.shape:
                raise ValueError(f"workload: {len(column)} values of {name} for {len(self.number)} jobs")
        wrong = {
            "submitted before its predecessor": np.diff(self.submit, prepend=-np.inf) < 0,
            "without a finite submit time": ~np.isfinite(self.submit),
            "on less than one node": self.nodes < 1,
            "whose run time is not a number of at least 0": ~(self.run_time >= 0) | np.isinf(self.run_time),
            "whose estimate is not greater than 0": self.estimate <= 0,
            "with fewer than one repeat": self.repeats < 1,
            "whose think time is not a number of at least 0": ~(self.think >= 0) | np.isinf(self.think),
            "whose program is not in the list": (self.kind < 0) | (self.kind >= len(self.kinds)),
        }
        for label, where in wrong.items():
            if where.any():
                raise ValueError(f"workload: job {self.number[np.argmax(where)]} is a job {label}")
        if len(np.unique(self.number)) != len(self.number):
            raise ValueError("workload: two jobs have the same number")

    @classmethod
    def of(cls, jobs: Iterable[Job], **known: Any) -> Workload:
        """Return a workload of `jobs`, put in order of submission; `known` are further attributes.

        Examples
        --------
        >>> workload = Workload.of([Job(1, 60.0, 4, 100.0), Job(2, 0.0, 1, 30.0)], machine_nodes=16)
        >>> [job.number for job in workload]
        [2, 1]
        """
        ordered = sorted(jobs, key=lambda job: job.submit)
        kinds = {kind: place for place, kind in enumerate(dict.fromkeys(map(_kind, ordered)))}
        columns = {
            "number": [job.number for job in ordered],
            "submit": [job.submit for job in ordered],
            "nodes": [job.nodes for job in ordered],
            "run_time": [job.run_time for job in ordered],
            "estimate": [np.nan if job.estimate is None else job.estimate for job in ordered],
            "kind": [kinds[_kind(job)] for job in ordered],
            "repeats": [job.repeats for job in ordered],
            **{
                name: [getattr(job, name) for job in ordered]
                for name in ("user", "queue", "after", "think", "executable", "communication")
            },
        }
        arrays: dict[str, Any] = {name: np.array(values, _COLUMNS[name]) for name, values in columns.items()}
        return cls(**arrays, kinds=tuple(kinds) or (("", 0),), **known)

    @property
    def records(self) -> int:
        """Jobs before any was dropped."""
        return len(self) + sum(self.dropped.values())

    def __len__(self) -> int:
        return len(self.number)

    @overload
    def __getitem__(self, place: int) -> Job: ...

    @overload
    def __getitem__(self, place: slice) -> Workload: ...

    def __getitem__(self, place: int | slice) -> Job | Workload:
        if isinstance(place, slice):
            if (place.step or 1) < 0:
                raise ValueError("workload: jobs cannot be selected in reverse order")
            return self._taken(place)
        at = range(len(self))[place]
        return next(self._made(at, at + 1))

    def __iter__(self) -> Iterator[Job]:
        for start in range(0, len(self), _AT_ONCE):
            yield from self._made(start, start + _AT_ONCE)

    def _made(self, start: int, stop: int) -> Iterator[Job]:
        columns = [getattr(self, name)[start:stop].tolist() for name in _COLUMNS]
        for number, submit, nodes, run_time, estimate, kind, repeats, _, *more in zip(*columns, strict=True):
            program, tasks = self.kinds[kind]
            known = None if estimate != estimate else estimate
            yield Job(number, submit, nodes, run_time, known, program, tasks, repeats, *more)

    def _taken(self, which: Any, **changed: Any) -> Workload:
        columns = {name: getattr(self, name)[which] for name in _COLUMNS}
        return replace(self, **columns, **changed)

    def without(self, which: NDArray[np.bool_], reason: str) -> Workload:
        """Return the workload without the jobs at which `which` is true, counted under `reason`."""
        count = int(np.count_nonzero(which))
        if not count:
            return self
        if count == len(self):
            raise ValueError(f"workload: all {count} jobs are dropped: {reason}")
        dropped = {**self.dropped, reason: self.dropped.get(reason, 0) + count}
        note = f"jobs dropped: {count:,} of {self.records:,}, {reason}"
        return self._taken(~which, dropped=dropped, notes=(*self.notes, note))

    def fit(self, nodes: int) -> Workload:
        """Return the workload without the jobs that need more than `nodes` nodes; they are counted."""
        check_int(nodes, "nodes of the machine")
        return self.without(self.nodes > nodes, f"larger than the machine of {nodes:,} nodes")

    def submitted(self, times: NDArray[np.float64]) -> Workload:
        """Return the same jobs, submitted at other `times`, in seconds and not decreasing."""
        return replace(self, submit=times)

    def replicated(self, copies: int, spread: float, seed: int = 0) -> Workload:
        """Return every job `copies` times, which multiplies the load as V. J. Leung et al. (2002) do.

        CLUSTER 2002, section 3, replication factor, "arrivals perturbed". Their method is not printed: here
        the first copy is submitted when the job was, and each further one up to `spread` seconds later, drawn
        evenly. Copies have numbers behind those of all jobs, and wait for the copies of the job's
        predecessor.
        """
        check_int(copies, "replication factor")
        check_float(spread, "replication: seconds between copies", 0, 1e12)
        rng = np.random.default_rng(check_int(seed, "seed", 0))
        which = np.tile(np.arange(len(self)), copies)
        shift = np.repeat(np.arange(copies), len(self))
        late = np.where(shift > 0, rng.uniform(0, spread, len(which)), 0.0)
        behind = shift * (int(self.number.max(initial=0)) + 1)
        columns = {name: getattr(self, name)[which] for name in _COLUMNS}
        columns["submit"] = columns["submit"] + late
        columns["number"] = columns["number"] + behind
        columns["after"] = np.where(columns["after"] < 0, columns["after"], columns["after"] + behind)
        order = np.argsort(columns["submit"], kind="stable")
        return replace(self, **{name: column[order] for name, column in columns.items()})

    def __repr__(self) -> str:
        return f"Workload({len(self):,} jobs, machine_nodes={self.machine_nodes})"


def _kind(job: Job) -> tuple[str, int]:
    return job.program, job.tasks


assert set(_COLUMNS) <= {item.name for item in fields(Workload)}
