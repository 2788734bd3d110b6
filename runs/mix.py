"""The applications of the jobs of a log: classes in a TOML file, and shares of communication.

::

    communication = 0.3

    [[class]]
    program = "3d-torus,packets=64"
    weight = 2
    nodes = "64:4096"

    [[class]]
    program = "all-to-all,packets=4"
    communication = [0.1, 0.5]
    run_time = "600:"
    user = [7, 12]
    executable = 3
    round = "down"

A trace, ``program = "halo.trace.gz"``, needs a node for each rank; an iteration is then the whole trace.

A job belongs to one of the classes whose rules it fits, drawn by their weights. `communication` is the share
of its time, alone on a compact partition, in which it communicates: a number, bounds of a uniform draw, or a
name of `netplace.runs.mix.MEASURED`, from whose shares one is drawn. It computes for the rest, before
each iteration. The number of iterations is the one that takes the run time of the log.

Without `communication`, a job only communicates, and its slowdown is an upper bound.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from netplace.apps import APPLICATIONS
from netplace.apps.arrays import traffic
from netplace.inputs import FaultsError, abbreviate, check_choice
from netplace.netsim import Config
from netplace.plugins import file_digest
from netplace.runs.job_programs import program_once
from netplace.runs.programs import is_trace, trace_digest, trace_path
from netplace.runs.toml_lines import line_of, read_table_list, read_toml
from netplace.scheduling import Job
from netplace.scheduling.workload import Workload

# Measured shares of communication, from which jobs can draw theirs.
#
# No log contains the communication time of a job. This project contains the recorded computation of the NAS
# Parallel Benchmarks between their MPI calls (``apps/traces/README.md``). In a run with this computation on a
# compact torus with one task per node and default settings, the rest of the time is communication:
# ``netplace run --compute recorded`` prints the time, and ``netplace app`` the computation. The recording was
# made on a shared machine and is accurate to within a factor of two.

# By name, shares of the time in which applications communicate; each is drawn as often.
MEASURED: dict[str, dict[str, float]] = {
    # NPB 3.3.1, class A, 64 tasks on torus:8x8, 3.2 ns a cycle: 1 - computation (mean over tasks) / time.
    "npb": {"BT": 0.248, "CG": 0.656, "FT": 0.623, "IS": 0.513, "LU": 0.288, "MG": 0.361, "SP": 0.363}
}


_KEYS = ("program", "weight", "nodes", "run_time", "user", "executable", "communication", "round")
_ROUNDS = ("exact", "down")
_ALWAYS = (0.0, math.inf)
_ALL = (1.0, 1.0)


@dataclass(frozen=True)
class Class:
    """Jobs that run one application.

    `communication` has the least and largest share of the time in which it communicates, unless `measured`
    names a distribution. With `round` ``"exact"``, every size must exist; ``"down"`` uses the next smaller
    one.
    """

    application: str
    weight: float = 1.0
    nodes: tuple[float, float] = _ALWAYS
    run_time: tuple[float, float] = _ALWAYS
    communication: tuple[float, float] = _ALL
    round: str = "exact"
    user: tuple[int, ...] = ()
    executable: tuple[int, ...] = ()
    measured: str = ""

    def fits(self, job: Job) -> bool:
        return (
            self.nodes[0] <= job.nodes <= self.nodes[1]
            and self.run_time[0] <= job.run_time <= self.run_time[1]
            and (not self.user or job.user in self.user)
            and (not self.executable or job.executable in self.executable)
        )

    def share(self, rng: np.random.Generator) -> float:
        if self.measured:
            return float(rng.choice([*MEASURED[self.measured].values()]))
        return float(rng.uniform(*self.communication))


@dataclass(frozen=True)
class Mix:
    """Classes of applications, one of which each job of a log gets; `source` is for messages."""

    classes: tuple[Class, ...]
    source: str = "the mix"

    @property
    def upper_bound(self) -> bool:
        """Whether some jobs only communicate."""
        return any(not job_class.measured and job_class.communication[1] == 1 for job_class in self.classes)

    def choosing(self, collectives: str) -> Mix:
        classes = (
            replace(job_class, application=choosing(job_class.application, collectives))
            for job_class in self.classes
        )
        return replace(self, classes=tuple(classes))

    def draw(self, job: Job, config: Config, seed: int = 0, slots: int = 1) -> tuple[str, int, float]:
        """Return the program of a job, its tasks, and the share of its time in which it communicates.

        A job that never communicates has no program; `slots` is the number of tasks of a node.
        """
        full = job.nodes * slots
        if full == 1:
            return "", 1, 0.0
        fitting = [job_class for job_class in self.classes if job_class.fits(job)]
        if not fitting:
            raise ValueError(
                f"{self.source}: job {job.number} of {job.nodes} nodes and {job.run_time:g} s matches no "
                f"class, "
                "expected a class that covers its nodes, run_time, user and executable"
            )
        rng = np.random.default_rng([seed, 2, job.number])
        weights = np.array([job_class.weight for job_class in fitting])
        chosen = fitting[int(rng.choice(len(fitting), p=weights / weights.sum()))]
        share = chosen.share(rng)
        if share == 0:
            return "", full, 0.0
        return chosen.application, self._tasks(chosen, job, config, full), share

    def _tasks(self, chosen: Class, job: Job, config: Config, full: int) -> int:
        """Return how many tasks an application has on the nodes of a job, which have room for `full`."""
        if _exists(chosen.application, full, config):
            return full
        below = next((n for n in range(full - 1, 1, -1) if _exists(chosen.application, n, config)), None)
        if chosen.round == "down" and below is not None:
            return below
        above = next(
            (n for n in range(full + 1, 2 * full + 1) if _exists(chosen.application, n, config)), None
        )
        if below is None and above is None:
            raise ValueError(f"{self.source}: job {job.number}: {_refusal(chosen.application, full, config)}")
        near = " and ".join(str(size) for size in (below, above) if size is not None)
        raise ValueError(
            f"{self.source}: {chosen.application} does not run with {full} tasks on the nodes of job "
            f"{job.number}; "
            f'the nearest sizes are {near}; round = "down" uses the smaller one'
        )


def _exists(application: str, tasks: int, config: Config) -> bool:
    return not _refusal(application, tasks, config)


def _refusal(application: str, tasks: int, config: Config) -> str:
    """Return why an application does not exist with so many tasks; empty if it does."""
    try:
        sent = traffic(program_once(application, tasks, config)).W.sum()
    except ValueError as error:
        return str(error)
    return "" if sent else f"{application} with {tasks} tasks sends nothing to another task"


def choosing(application: str, collectives: str) -> str:
    """Return the text of an application with what chooses its collectives, unless it says so itself."""
    if collectives == "builtin" or ",collectives=" in application or ":collectives=" in application:
        return application
    return f"{application},collectives={collectives}"


def with_programs(jobs: Workload, mix: Mix, config: Config, seed: int = 0, slots: int = 1) -> Workload:
    """Return the jobs of a log with the programs that they run, drawn from classes."""
    drawn = [mix.draw(job, config, seed, slots) for job in jobs]
    kinds = {kind: place for place, kind in enumerate(dict.fromkeys((text, n) for text, n, _ in drawn))}
    return replace(
        jobs,
        kind=np.array([kinds[text, n] for text, n, _ in drawn], np.int64),
        kinds=tuple(kinds),
        communication=np.array([share for *_, share in drawn]),
    )


def read_mix(path: str | Path) -> Mix:
    """Return the classes of a file of their own, or of the table ``[applications]`` of a placement study."""
    path = Path(path)
    text, data = read_toml(path)
    within = data.get("applications")
    if isinstance(within, dict):
        inside = "applications."
        settings = {name: value for name, value in within.items() if name != "class"}
        tables = within.get("class", [])
        for key in settings.keys() - {"communication"}:
            raise ValueError(
                f"{path}:{line_of(text, 'applications', key)}: unknown key {abbreviate(key)}, expected "
                f"communication or [[applications.class]]"
            )
        if not isinstance(tables, list) or not tables or not all(isinstance(own, dict) for own in tables):
            raise ValueError(f"{path}: [applications] has no [[applications.class]], expected at least one")
    else:
        inside = ""
        text, tables, settings = read_table_list(path, "class", ("communication",))
    default = {"communication": settings.get("communication", 1.0)}
    classes, faults = [], []
    for place, table in enumerate(tables):
        try:
            classes.append(_class(default | table))
        except ValueError as error:
            key = str(error).partition(":")[0]
            inherited = key in settings and key not in table
            where = line_of(
                text,
                inside[:-1] if inherited else f"{inside}class.{place}",
                key if key in default | table else "",
            )
            faults.append(f"{path}:{where}: {error}")
    if faults:
        raise FaultsError(faults)
    return Mix(tuple(classes), str(path))


def digest_of_mix(path: str | Path) -> str:
    """Return a digest of the file of a mix and of the traces that it names."""
    path = Path(path)
    own = file_digest(path)
    names = {job_class.application.partition(",")[0] for job_class in read_mix(path).classes}
    traces = [trace_digest(trace_path(name)) for name in sorted(names) if is_trace(name)]
    return hashlib.sha256(" ".join([own, *traces]).encode()).hexdigest() if traces else own


def _class(table: Mapping[str, Any]) -> Class:
    for key in table:
        if key not in _KEYS:
            raise ValueError(f"{key}: is not a key of [[class]], expected one of {', '.join(_KEYS)}")
    if not isinstance(table.get("program"), str):
        raise ValueError('program: not given, expected one such as "2d-torus,packets=4"')
    name = table["program"].partition(",")[0]
    if not is_trace(name):
        check_choice(name, APPLICATIONS, "program")
    weight = table.get("weight", 1.0)
    if not _number(weight) or not 0 < weight < math.inf:
        raise ValueError(f"weight: {weight!r} is invalid, expected a number greater than 0")
    share = table["communication"]
    measured = check_choice(share, MEASURED, "communication") if isinstance(share, str) else ""
    return Class(
        application=table["program"],
        weight=float(weight),
        nodes=_range(table, "nodes"),
        run_time=_range(table, "run_time"),
        communication=_ALL if measured else _share(share),
        measured=measured,
        round=check_choice(str(table.get("round", "exact")), _ROUNDS, "round"),
        user=_numbers(table, "user"),
        executable=_numbers(table, "executable"),
    )


def _numbers(table: Mapping[str, Any], key: str) -> tuple[int, ...]:
    value = table.get(key, [])
    numbers = value if isinstance(value, list) else [value]
    if not all(isinstance(number, int) and not isinstance(number, bool) for number in numbers):
        raise ValueError(f"{key}: {value!r} is invalid, expected a number of the log or a list of numbers")
    return tuple(numbers)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _share(value: Any) -> tuple[float, float]:
    bounds = value if isinstance(value, list) else [value, value]
    if (
        len(bounds) != 2
        or not all(_number(bound) and 0 <= bound <= 1 for bound in bounds)
        or bounds[0] > bounds[1]
    ):
        raise ValueError(
            f"communication: {value!r} is invalid, expected a share from 0 to 1 or two shares "
            f"in increasing order"
        )
    return float(bounds[0]), float(bounds[1])


def _range(table: Mapping[str, Any], key: str) -> tuple[float, float]:
    text = str(table.get(key, ":"))
    low, colon, high = text.partition(":")
    try:
        bounds = float(low or 0), float(high or math.inf) if colon else float(low)
    except ValueError:
        bounds = (math.nan, math.nan)
    if not bounds[0] <= bounds[1]:
        raise ValueError(f"{key}: {text!r} is not of the form LEAST:MOST")
    return bounds
