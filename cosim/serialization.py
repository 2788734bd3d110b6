"""A co-simulation read from a folder, whose contents stay data until a user names them again.

The plan in the folder is checked like a new request. Names in it that refer to files (a user's machine, a
log, a mix, a routing) are neither read nor run, unless the user names them again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from netplace.cosim.outcome import OPTIONAL, REQUIRED
from netplace.cosim.plan import CosimPlan, make_cosim_plan
from netplace.inputs import abbreviate
from netplace.json_files import read_results, results_text
from netplace.netsim.config import SETTINGS
from netplace.runs.plan import Plan
from netplace.runs.schedules import workload_of
from netplace.scheduling import PARTITIONERS, POLICIES, Job
from netplace.scheduling.workload import WORKLOADS
from netplace.schema import kind_of, table, unexpected
from netplace.topologies import names_file, parse

FILE = "cosim.json"
# What of a plan may stand for a file, and when it does.
NAMED: dict[str, Callable[[str], bool]] = {
    "machine": names_file,
    "workload": lambda value: value not in WORKLOADS,
    "applications": bool,
    "mapping": lambda value: value.partition(":")[0] in ("file", "hosts"),
}
# What a user says of a plan, and of its jobs.
_ASKED = ("fidelity", "estimate_factor", "target_half_width", "draws", "explain")
_ASKED_OF_JOBS = (
    *("machine", "workload", "policy", "partition", "mapping"),
    *("jobs", "estimates", "overrun", "installed"),
)

Outcome = dict[str, Any]
_COSIMULATION = table({"plan": kind_of(CosimPlan), **REQUIRED}, OPTIONAL)


def text_of(plan: CosimPlan, outcome: Outcome) -> str:
    return results_text("co-simulation", {"plan": plan.to_dict(), **outcome}, kind=_COSIMULATION)


def read_plan(folder: Path) -> tuple[CosimPlan, Outcome]:
    """Return the plan and the outcome in a folder for display; no other file is read or run."""
    path = folder / FILE
    if not path.is_file():
        raise ValueError(f"{path}: does not exist, expected a folder written by netplace cosim -o")
    outcome = read_results(path, "co-simulation", _COSIMULATION)
    plain = outcome.pop("plan")
    try:
        return CosimPlan.from_dict(plain), outcome
    except ValueError as error:
        raise ValueError(f"{path}: plan: {error}") from None


def read_cosimulation(folder: Path, said: Mapping[str, str | None]) -> tuple[CosimPlan, Outcome]:
    """Return a co-simulation that can be repeated in part; `said`: values of `NAMED` that the user gives."""
    path = folder / FILE
    plan, outcome = read_plan(folder)
    meant = _meant(path, plan, said)
    refused = outcome.get("site", {}).get("refused", 0)
    jobs = max(1, len(outcome["jobs"]) + len(outcome["rejected"]) + refused)
    if not plan.jobs.from_file and plan.jobs.jobs != jobs:
        raise unexpected(plan.jobs.jobs, f"{path}: plan.jobs.jobs", f"{jobs}, the number of jobs")
    try:
        made = _asked_again(meant)
        workload = {job.number: job for job in workload_of(made.jobs)}
    except ValueError as error:
        raise ValueError(f"{path}: plan: {error}") from None
    _check_same(path, plan, made)
    _check_rows(path, made, workload, outcome["jobs"])
    return made, outcome


def _meant(path: Path, plan: CosimPlan, said: Mapping[str, str | None]) -> CosimPlan:
    """Return the plan with the names that the user says again, in the place of its own."""
    now: dict[str, str] = {}
    for name, is_file in NAMED.items():
        value, again = getattr(plan if name == "applications" else plan.jobs, name), said.get(name)
        if again is None and is_file(value):
            raise ValueError(
                f"{path}: {name} {abbreviate(value, 200)} is a file, and netplace does not open files that a "
                f"folder names; if the file is yours, add --{name} {value}"
            )
        if again is not None and again != value and not (again and is_file(value)):
            raise ValueError(f"--{name}: {again!r} given, but the co-simulation has {abbreviate(value, 200)}")
        now[name] = again or value
    applications = now.pop("applications")
    return replace(plan, jobs=replace(plan.jobs, **now), applications=applications)


def _asked_again(plan: CosimPlan) -> CosimPlan:
    """Return the plan as it is made from what a user says."""
    jobs = plan.jobs
    given: dict[str, Any] = {name: getattr(plan, name) for name in _ASKED}
    given |= {name: getattr(jobs, name) for name in _ASKED_OF_JOBS} | jobs.options
    given |= {name: getattr(plan.config, name) for name in SETTINGS}
    # Policy and partition of a plug-in, and the rules of a site, are left out: starts and nodes are known.
    has_plugins = any(name.startswith(("plugin:", "package:", "process:")) for name, _ in jobs.digests)
    if jobs.site or (has_plugins and not POLICIES.is_built_in(jobs.policy)):
        given |= {"policy": "fcfs", "overrun": "keep"}
    if has_plugins and not PARTITIONERS.is_built_in(jobs.partition):
        given["partition"] = "non-contiguous"
    if plan.applications:
        given["mapping"] = None
    return make_cosim_plan(given | {"applications": plan.applications or None}, jobs.seed)


_NOT_COMPARED = (
    *("machine", "workload", "policy", "partition", "overrun"),
    *("site", "power", "switching", "digests", "times"),
)


def _check_same(path: Path, plan: CosimPlan, made: CosimPlan) -> None:
    """Check that the plan is one that a user can ask for, and the files what they were."""
    for name in _ASKED:
        _check_equal(getattr(plan, name), getattr(made, name), f"{path}: plan.{name}")
    for name in Plan.__struct_fields__:
        if name not in _NOT_COMPARED:
            _check_equal(getattr(plan.jobs, name), getattr(made.jobs, name), f"{path}: plan.jobs.{name}")
    known = {digest for _, digest in plan.jobs.digests} | {plan.mix_digest}
    for name, digest in (*made.jobs.digests, (made.applications, made.mix_digest)):
        if digest not in known:
            file = made.jobs.workload if name == "workload" else name.removeprefix("plugin:")
            raise ValueError(f"{file}: is not the file that the co-simulation in {path} used")


def _check_equal(value: Any, expected: Any, where: str) -> None:
    if value != expected:
        raise unexpected(value, where, abbreviate(expected))


def _check_rows(path: Path, plan: CosimPlan, workload: Mapping[int, Job], rows: list[dict[str, Any]]) -> None:
    """Check that the jobs are those of the workload, each on its nodes of the machine."""
    machine = parse(plan.jobs.machine)
    seen: set[int] = set()
    for place, row in enumerate(rows):
        where = f"{path}: jobs[{place}]"
        job = workload.get(row["job"])
        if job is None or job.number in seen:
            raise unexpected(row["job"], f"{where}.job", "another number of the workload")
        seen.add(job.number)
        _check_equal(row["size"], job.nodes, f"{where}.size")
        nodes, start, end = row["nodes"], row["start_cycle"], row["end_cycle"]
        if not nodes or len(set(nodes)) < len(nodes) or max(nodes) >= machine.nodes:
            raise unexpected(nodes, f"{where}.nodes", f"different nodes below {machine.nodes}")
        times = [start, end, *(row[name] for name in ("live", "alone", "fresh", "slowdown"))]
        if None in times and times != [None] * len(times):
            raise ValueError(f"{where}: some of its times are null, expected all or none")
        if start is not None and end < start:
            raise unexpected(end, f"{where}.end_cycle", f"at least that of its start, {start}")
