"""What jobs must gain from contiguity on a tree before it pays for the whole machine.

Source: J. A. Pascual, J. Navaridas and J. Miguel-Alonso, "Effects of topology-aware allocation policies on
scheduling performance", JSSPP 2009, LNCS 5798, 138-156.

Contiguous jobs, each in one subtree of its level, run so many percent less long than scattered ones; jobs of
one node always run alike. Quasi-contiguous allocation lets a share of a job's nodes go astray. What such a
job gains depends on the application, so both ends are given: nothing (*lost*), or all (*kept*). The speed-up
needed is that at which the mean turnaround is the one of non-contiguous allocation.

The part `published` has whole logs on the machines as they were installed (nodes that were not do not exist),
quasi-contiguous jobs that gain as much as contiguous ones, and backfilling that kills and puts back an
advanced job which outlives the reservation; its thresholds stand beside the printed ones (Table 3.10 of the
thesis).

Logs are those of a folder of the user's, `swf` or what the environment variable ``NETPLACE_SWF`` names;
generated workloads have the machines and loads of three logs of the Parallel Workloads Archive.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from netplace.experiments.plots.lines import draw_lines
from netplace.experiments.studies.crossing import crossing, point_of
from netplace.experiments.studies.report import Report, ReportTable
from netplace.experiments.studies.schedules import outcomes, turnaround
from netplace.experiments.studies.study import Asked, Bench, Study, published
from netplace.runs.plan import Plan, make_plan
from netplace.scheduling.workload import read

__all__ = ["FOLDER", "STUDY", "Case", "Stream", "cases", "logs", "tree_for"]

FOLDER = "NETPLACE_SWF"
PARTS = {
    "published": "whole logs on machines as installed, FCFS, beside the printed thresholds (Table 3.10)",
    "published-bf": "the same with backfilling",
    "lublin": "generated workloads of the size and load of three logs",
    "logs": f"logs of the folder swf, or of that which {FOLDER} names",
}
_TITLES = {
    "published": "whole logs",
    "published-bf": "whole logs",
    "lublin": "generated workloads like three logs",
    "logs": "logs",
}
POLICIES = ("fcfs", "easy")
ARITIES = (4, 6, 8)
SCATTERED, CONTIGUOUS = "non-contiguous", "contiguous"


@dataclass(frozen=True)
class Stream:
    """Jobs and their machine: a log, or seeded workloads of the model at a load."""

    name: str
    machine: str
    load: float
    jobs: int
    file: str = ""
    seeds: int = 1
    installed: int | None = None


# Machine and load of the first 20,000 jobs of logs, as the tree sees them.
LIKE = {
    "like LLNL-Thunder": ("tree:4,6", 0.74),
    "like HPC2N": ("tree:4,4", 0.56),
    "like SDSC-BLUE": ("tree:6,4", 0.67),
}


# Machines of logs, and how many of their nodes are there.
INSTALLED = {
    "HPC2N": ("tree:4,4", 240),
    "LLNL-Thunder": ("tree:4,6", 4008),
    "SDSC-BLUE": ("tree:4,6", 1152),
}
PRINTED_POLICY = {"fcfs": "FCFS", "easy": "BF"}
NEAR = 5.0  # points by which a threshold may differ from the printed


@dataclass(frozen=True)
class Case:
    """One schedule of the study; times in percent.

    Attributes
    ----------
    part : str
        Key of `PARTS`.
    stream : Stream
        The jobs.
    policy : str
        Policy of the queue.
    allocation : str
        As the tables name it.
    threshold : int or None
        Nodes of a job that may go astray; None: not contiguous.
    kept : bool
        Whether jobs with nodes astray gain as much as contiguous ones.
    speedup : int
        Share of its run time that a contiguous job gains.
    seed : int
        Seed of the model.
    """

    part: str
    stream: Stream
    policy: str
    allocation: str
    threshold: int | None
    kept: bool
    speedup: int
    seed: int

    def plan(self) -> Plan:
        """Return what to carry out."""
        stream, factor = self.stream, 1 - self.speedup / 100
        times = "log" if not self.speedup else f"factors:{factor:g},{factor if self.kept else 1:g}"
        rule = "quasi-contiguous" if self.part.startswith("published") else "nearly-contiguous"
        given = {
            "machine": stream.machine,
            "workload": stream.file or "lublin",
            "jobs": stream.jobs or None,
            "installed": stream.installed,
            "overrun": "requeue" if self.part == "published-bf" else None,
            "load": stream.load or None,
            "policy": self.policy,
            "partition": SCATTERED if self.threshold is None else f"{rule}:{self.threshold}",
            "times": times,
        }
        return make_plan(given, self.seed)


def tree_for(nodes: int) -> str:
    """Return the k-ary tree, k of `ARITIES`, that has the fewest nodes but has room for `nodes`."""
    found = []
    for arity in ARITIES:
        stages = 1
        while arity**stages < nodes:
            stages += 1
        found.append((arity**stages, arity, stages))
    _, arity, stages = min(found)
    return f"tree:{arity},{stages}"


def logs(quick: bool = False) -> list[Stream]:
    """Return the logs of the user's folder, in the order of their names; none if there is no folder.

    Raises
    ------
    ValueError
        If the environment names a folder that is not there, or a log cannot be read.
    """
    named = os.environ.get(FOLDER)
    folder = Path(named or "swf")
    if not folder.is_dir():
        if named:
            raise ValueError(f"{FOLDER}={named}: there is no such folder, expected one with .swf files")
        return []
    found = []
    for path in sorted([*folder.glob("*.swf"), *folder.glob("*.swf.gz")]):
        workload = read(path)
        machine = tree_for(max(workload.machine_nodes or 0, int(workload.nodes.max())))
        name = path.name.removesuffix(".gz").removesuffix(".swf")
        found.append(Stream(name, machine, 0.0, 500 if quick else 20_000, str(path)))
    return found


def _whole_logs(quick: bool) -> list[Stream]:
    """Return the logs whose machines are known, whole; the quick version takes their first jobs."""
    found = []
    for stream in logs(quick):
        name = next((known for known in INSTALLED if stream.name.startswith(known)), None)
        if name is not None:
            machine, installed = INSTALLED[name]
            jobs = 500 if quick else 0
            found.append(Stream(name, machine, 0.0, jobs, stream.file, installed=installed))
    return found


def cases(asked: Asked) -> list[Case]:
    """Return the schedules that are asked for."""
    streams = {"published": _whole_logs, "published-bf": _whole_logs, "lublin": _models, "logs": logs}
    policies = {"published": POLICIES[:1], "published-bf": POLICIES[1:]}
    return [
        case
        for part in asked.parts
        for policy in policies.get(part, POLICIES)
        for stream in streams[part](asked.quick)
        for case in _cases_of(part, stream, policy, asked.quick)
    ]


def _models(quick: bool) -> list[Stream]:
    names = ["like HPC2N"] if quick else list(LIKE)
    jobs, seeds = (300, 2) if quick else (5000, 3)
    return [Stream(name, *LIKE[name], jobs, seeds=seeds) for name in names]


def _cases_of(part: str, stream: Stream, policy: str, quick: bool) -> Iterator[Case]:
    thresholds: tuple[int, ...] = (20,) if quick else (10, 20, 30, 40, 50)
    also_kept: tuple[int, ...] = (20,) if quick else (30,)
    if part.startswith("published"):
        thresholds, also_kept = (), (20,) if quick else (10, 20, 30, 40)
    allocations: list[tuple[str, int | None, bool]] = [(CONTIGUOUS, 0, True)]
    allocations += [(f"qct {number} %, lost", number, False) for number in thresholds]
    allocations += [(f"qct {number} %, kept", number, True) for number in also_kept]
    for seed in range(stream.seeds):
        yield Case(part, stream, policy, SCATTERED, None, False, 0, seed)
        for (name, threshold, kept), speedup in itertools.product(allocations, _speedups(quick)):
            yield Case(part, stream, policy, name, threshold, kept, speedup, seed)


def _speedups(quick: bool) -> tuple[int, ...]:
    return (0, 25, 50) if quick else (0, 10, 20, 30, 40, 50)


def conduct(asked: Asked, bench: Bench) -> Report:
    """Make the schedules that are missing, and report."""
    wanted = cases(asked)
    found = outcomes([case.plan() for case in wanted], bench)
    made = pd.DataFrame([_row(case, outcome) for case, outcome in zip(wanted, found, strict=True)])
    tables, figures, told = [], {}, [_ABOUT]
    for part in asked.parts:
        if not len(made) or not (made["part"] == part).any():
            told.append(_SKIPPED)
            continue
        own = made[made["part"] == part]
        cells = needed(own, _speedups(asked.quick))
        if part.startswith("published"):
            cells = beside_printed(cells, asked.quick)
            told.append(_of_thresholds(cells))
        tables.append(ReportTable(part, PARTS[part], cells, _DIGITS))
        figures[part] = partial(_draw, runs=own, speedups=_speedups(asked.quick), title=_TITLES[part])
        if not part.startswith("published"):
            told += _summary(part, cells)
    return Report(tuple(tables), tuple(told), figures)


_ABOUT = (
    "Speed-up: by how many percent the run time of contiguous jobs is shorter than that of scattered ones. "
    "The one needed makes the mean turnaround as short as that of non-contiguous allocation; mean over the "
    "seeds with its 95 % interval (±). A seed in which none is needed counts as 0 (column `at 0`); where "
    "50 % are not enough for some (column `beyond`), there is no mean. `lost`: a job with nodes astray gains "
    "nothing; `kept`: as much as a contiguous one."
)
_SKIPPED = (
    f"Logs are left out: there is none in the folder swf, nor in one that the environment variable {FOLDER} "
    "names. They come from the Parallel Workloads Archive (.swf or .swf.gz)."
)


def _row(case: Case, outcome: dict[str, Any]) -> dict[str, Any]:
    """Return what a case is, and its figures."""
    metrics = outcome["metrics"]
    return {
        "part": case.part,
        "workload": case.stream.name,
        "machine": case.stream.machine,
        "policy": case.policy,
        "allocation": case.allocation,
        "speedup": case.speedup,
        "seed": case.seed,
        "turnaround": turnaround(outcome),
        "contiguous": metrics["contiguous"],
        "utilisation": metrics["utilisation"],
    }


def needed(runs: pd.DataFrame, speedups: tuple[int, ...]) -> pd.DataFrame:
    """Return a row for each workload, policy and allocation: its cost, and the speed-up that pays for it.

    Parameters
    ----------
    runs : DataFrame
        A row for each case.
    speedups : tuple of int
        Percent, increasing.
    """
    rows = []
    keys = ["workload", "machine", "policy"]
    for names, group in runs.groupby(keys, sort=False):
        base = group[group["allocation"] == SCATTERED].set_index("seed")["turnaround"]
        for allocation, own in group[group["allocation"] != SCATTERED].groupby("allocation", sort=False):
            curves = own.pivot(index="seed", columns="speedup", values="turnaround")[list(speedups)]
            plain = own[own["speedup"] == 0]
            point = point_of([crossing(speedups, base[seed] / curves.loc[seed]) for seed in curves.index])
            rows.append(
                dict(zip(keys, names, strict=True))
                | {
                    "allocation": allocation,
                    "contiguous jobs": plain["contiguous"].mean(),
                    "turnaround without": float(np.exp(np.log(curves[0] / base).mean())),
                    "speed-up needed": point.mean,
                    "±": point.half_width,
                    "at 0": point.at_start,
                    "beyond": point.beyond,
                }
            )
    return pd.DataFrame(rows)


def beside_printed(cells: pd.DataFrame, quick: bool = False) -> pd.DataFrame:
    """Return the cells with the printed thresholds, which are of whole logs, beside them."""
    printed = published("pascual_speedup_needed_percent.csv").set_index(["log", "policy", "qct_percent"])
    theirs = []
    for row in cells.to_dict("records"):
        threshold = 0 if row["allocation"] == CONTIGUOUS else int(row["allocation"].split()[1])
        key = (row["workload"], PRINTED_POLICY[row["policy"]], threshold)
        theirs.append(np.nan if quick else float(printed["speedup_percent"].get(key, np.nan)))
    found = cells.drop(columns=["±"]).assign(printed=theirs)
    found["difference"] = found["speed-up needed"] - found["printed"]
    return found


def _of_thresholds(cells: pd.DataFrame) -> str:
    known = cells[cells["printed"].notna()]
    near = int((known["difference"].abs() <= NEAR).sum())
    if known.empty:
        return "published: no thresholds are printed for these."
    return f"published: {near} of {len(known)} printed thresholds within {NEAR:g} points."


_DIGITS = {
    "printed": 0, "difference": 1,
    "contiguous jobs": 3, "turnaround without": 2, "speed-up needed": 1, "±": 1, "at 0": 0, "beyond": 0,
}  # fmt: skip


def _summary(part: str, cells: pd.DataFrame) -> list[str]:
    """Return sentences on each of the three published findings."""
    told = []
    groups = list(cells.groupby(["workload", "policy"], sort=False))
    worse, between = 0, 0
    for _, own in groups:
        without = own.set_index("allocation")["turnaround without"]
        worse += bool(without[CONTIGUOUS] > 1)
        between += bool((without.drop(CONTIGUOUS) < without[CONTIGUOUS]).all())
    told.append(
        f"{part}: without a speed-up contiguous allocation has the longer turnaround in {worse} of "
        f"{len(groups)} (workload, policy), and quasi-contiguous a shorter one than contiguous, at every "
        f"threshold, in {between}. Published: severe inefficiency of contiguous allocation, less of "
        "quasi-contiguous."
    )
    table = published("quasi_contiguous_4ary4tree_16_tasks.csv")
    gains = 100 * (1 - 1 / table["random"])
    for policy, own in cells[cells["allocation"] == CONTIGUOUS].groupby("policy", sort=False):
        known = own["speed-up needed"].dropna()
        beyond = len(own) - len(known)
        spread = f"{known.min():.0f} to {known.max():.0f} %" if len(known) else "over 50 %"
        spread += f" (over 50 % in {beyond} of {len(own)} workloads)" if len(known) and beyond else ""
        paid = int((known < gains.min()).sum())
        told.append(
            f"{part}, {str(policy).upper()}: contiguous needs a speed-up of {spread}. Run times of "
            f"{', '.join(table['app'])} are published as {gains.min():.0f} to {gains.max():.0f} % shorter in "
            f"a subtree than on random nodes, which pays for contiguity in {paid} of {len(own)} workloads. "
            "Published: the gains more than compensate."
        )
    return told


def _draw(path: Path, runs: pd.DataFrame, speedups: tuple[int, ...], title: str) -> None:
    """Draw the turnaround relative to non-contiguous over the speed-up, a panel a workload and policy."""
    panels: dict[str, dict[str, list[float]]] = {}
    for policy, workload in itertools.product(runs["policy"].unique(), runs["workload"].unique()):
        group = runs[(runs["policy"] == policy) & (runs["workload"] == workload)]
        base = group[group["allocation"] == SCATTERED].set_index("seed")["turnaround"]
        panel = panels[f"{workload}, {policy.upper()}"] = {}
        for allocation, own in group[group["allocation"] != SCATTERED].groupby("allocation", sort=False):
            curves = own.pivot(index="seed", columns="speedup", values="turnaround")
            ratio = np.exp(np.log(curves.div(base, axis=0)).mean())
            panel[str(allocation)] = ratio[list(speedups)].tolist()
    draw_lines(
        path,
        panels,
        speedups,
        "speed-up of contiguous jobs (%)",
        "mean turnaround / that of non-contiguous",
        title,
        columns=runs["workload"].nunique(),
    )


STUDY = Study(
    name="quasi-contiguous",
    title="What jobs must gain from contiguity on a tree before it pays",
    source=(
        "Pascual, Navaridas and Miguel-Alonso, JSSPP 2009 (findings, of which no numbers were at hand); run "
        "times: Pascual, thesis, UPV/EHU 2013, Table 3.9"
    ),
    parts=PARTS,
    usual=tuple(PARTS),
    conduct=conduct,
)
