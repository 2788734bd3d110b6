"""The gain that contiguity on a tree must have to pay: ``docs/studies/quasi-contiguous.md``."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from netplace.experiments.published import grid
from netplace.experiments.shared.archive_logs import FOLDER, folder_logs
from netplace.experiments.shared.statistics import crossing, point_of
from netplace.report.plots import write_figure
from netplace.report.plots.points import dot_figure
from netplace.report.studies import Report, ReportTable, Study, StudyContext, StudyRequest
from netplace.report.studies.schedules import outcomes, turnaround
from netplace.runs.plan import Plan, make_plan
from netplace.runs.schedule_figures import ScheduleFigures
from netplace.scheduling.workload import read

ARITIES = (4, 6, 8)
# Machine and load of the first 20,000 jobs of logs, as the tree sees them.
LIKE = {
    "like LLNL-Thunder": ("tree:4,6", 0.74),
    "like HPC2N": ("tree:4,4", 0.56),
    "like SDSC-BLUE": ("tree:6,4", 0.67),
}
# Machines of logs, and how many of their nodes are there.
_INSTALLED = {"HPC2N": ("tree:4,4", 240), "LLNL-Thunder": ("tree:4,6", 4008), "SDSC-BLUE": ("tree:4,6", 1152)}


@dataclass(frozen=True)
class _Stream:
    """Jobs and their machine: a log, or seeded workloads of the model at a load."""

    name: str
    machine: str
    load: float
    jobs: int
    file: str = ""
    seeds: int = 1
    installed: int | None = None


def tree_for(nodes: int) -> str:
    """Return the k-ary tree, k of `ARITIES`, that has the fewest nodes but has room for `nodes`."""
    trees = [(arity, next(n for n in itertools.count(1) if arity**n >= nodes)) for arity in ARITIES]
    arity, stages = min(trees, key=lambda tree: tree[0] ** tree[1])
    return f"tree:{arity},{stages}"


def logs(quick: bool = False, given: Sequence[str] = ()) -> list[_Stream]:
    for file in given:
        if not Path(file).is_file():
            raise ValueError(f"--log {file}: there is no such file, expected a log (.swf, .swf.gz)")
    streams = []
    for path in [Path(file) for file in given] or folder_logs():
        workload = read(path)
        machine = tree_for(max(workload.machine_nodes or 0, int(workload.nodes.max())))
        name = path.name.removesuffix(".gz").removesuffix(".swf")
        streams.append(_Stream(name, machine, 0.0, 500 if quick else 20_000, str(path)))
    return streams


def _whole_logs(quick: bool, given: Sequence[str] = ()) -> list[_Stream]:
    """Return the logs whose machines are known, whole; the quick version takes their first jobs."""
    streams = []
    for stream in logs(quick, given):
        name = next((known for known in _INSTALLED if stream.name.startswith(known)), None)
        if name is not None:
            machine, installed = _INSTALLED[name]
            jobs = 500 if quick else 0
            streams.append(_Stream(name, machine, 0.0, jobs, stream.file, installed=installed))
    return streams


def _models(quick: bool, given: Sequence[str] = ()) -> list[_Stream]:
    names = ["like HPC2N"] if quick else list(LIKE)
    jobs, seeds = (300, 2) if quick else (5000, 3)
    return [_Stream(name, *LIKE[name], jobs, seeds=seeds) for name in names]


PARTS = {
    "published": "whole logs on machines as installed, FCFS, and printed speed-ups (Table 3.10)",
    "published-bf": "the same with backfilling (EASY, which reserves a place)",
    "published-bf-counted": "a reading: it reserves a number of nodes, and clears the head's way by force",
    "published-bf-patient": "a reading: it reserves a number of nodes, and the head waits for its place",
    "waits": "mean waits on whole logs without a speed-up, FCFS (JSSPP, figure 3)",
    "waits-by-speed-up": "the same with speed-ups (JSSPP, figure 5)",
    "lublin": "generated workloads of the size and load of three logs",
    "logs": f"logs given (--log), else those of the folder swf, or of that which {FOLDER} names",
}
POLICIES = ("fcfs", "easy")
SCATTERED, CONTIGUOUS = "non-contiguous", "contiguous"
_STREAMS = {"lublin": _models, "logs": logs}
# Of whole logs on machines as they were installed.
_PUBLISHED = {
    "published": "fcfs",
    "waits": "fcfs",
    "waits-by-speed-up": "fcfs",
    "published-bf": "easy",
    "published-bf-counted": "easy-counted",
    "published-bf-patient": "easy-patient",
}


_WAITS = {"waits": (0,), "waits-by-speed-up": (0, 10, 20, 30)}  # speed-ups of parts that tell waits


@dataclass(frozen=True)
class StreamCase:
    part: str  # key of `PARTS`
    stream: _Stream  # the jobs
    policy: str  # policy of the queue
    allocation: str  # as the tables name it
    threshold: int | None  # nodes of a job that may lie outside its subtree; None: not contiguous
    kept: bool  # whether jobs with nodes outside gain as much as contiguous ones
    speedup: int  # share of its run time that a contiguous job gains
    seed: int  # seed of the model

    def plan(self) -> Plan:
        stream, factor = self.stream, 1 - self.speedup / 100
        times = "log" if not self.speedup else f"factors:{factor:g},{factor if self.kept else 1:g}"
        rule = "quasi-contiguous" if self.part in _PUBLISHED else "nearly-contiguous"
        given = {
            "machine": stream.machine,
            "workload": stream.file or "lublin",
            "jobs": stream.jobs or None,
            "installed": stream.installed,
            "overrun": "requeue" if self.part in _PUBLISHED and self.policy != "fcfs" else None,
            "load": stream.load or None,
            "policy": self.policy,
            "partition": SCATTERED if self.threshold is None else f"{rule}:{self.threshold}",
            "times": times,
        }
        return make_plan(given, self.seed)


def cases(request: StudyRequest) -> list[StreamCase]:
    found = [
        case
        for part in request.parts
        for policy in ((_PUBLISHED[part],) if part in _PUBLISHED else POLICIES)
        for stream in _STREAMS.get(part, _whole_logs)(request.quick, request.logs)
        for case in _cases_of(part, stream, policy, request.quick)
    ]
    if request.logs and not any(case.stream.file for case in found):
        raise ValueError(
            f"--log {request.logs[0]}: has no effect on {' and '.join(request.parts)}; expected "
            f"--table logs, or a published one with a log of {', '.join(_INSTALLED)}"
        )
    return found


def _cases_of(part: str, stream: _Stream, policy: str, quick: bool) -> Iterator[StreamCase]:
    thresholds: tuple[int, ...] = (20,) if quick else (10, 20, 30, 40, 50)
    also_kept: tuple[int, ...] = (20,) if quick else (30,)
    if part in _PUBLISHED:
        thresholds, also_kept = (), (20,) if quick else (10, 20, 30, 40)
    allocations: list[tuple[str, int | None, bool]] = [(CONTIGUOUS, 0, True)]
    allocations += [(f"qct {number} %, lost", number, False) for number in thresholds]
    allocations += [(f"qct {number} %, kept", number, True) for number in also_kept]
    for seed in range(stream.seeds):
        yield StreamCase(part, stream, policy, SCATTERED, None, False, 0, seed)
        for (name, threshold, kept), speedup in itertools.product(
            allocations, _WAITS.get(part, speedups(quick))
        ):
            yield StreamCase(part, stream, policy, name, threshold, kept, speedup, seed)


def speedups(quick: bool) -> tuple[int, ...]:
    """Return the speed-ups in percent that are tried."""
    return (0, 25, 50) if quick else (0, 10, 20, 30, 40, 50)


_PRINTED = {"a": "LLNL-Thunder", "b": "HPC2N"}  # parts of thesis table 3.10
PRINTED_POLICY = {"fcfs": "FCFS", "easy": "BF", "easy-counted": "BF", "easy-patient": "BF"}
NEAR = 5.0  # points by which a threshold may differ from the printed
_DIGITS = {
    "printed": 0, "difference": 1,
    "contiguous jobs": 3, "turnaround without": 2, "speed-up needed": 1, "±": 1, "at 0": 0, "beyond": 0,
}  # fmt: skip


def needed(runs: pd.DataFrame, speedups: tuple[int, ...]) -> pd.DataFrame:
    """Return, for each workload, policy and allocation, its cost, and the speed-up that pays for it."""
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
    printed = {name: grid("pascual", f"thesis table 3.10{part}") for part, name in _PRINTED.items()}
    theirs = []
    for row in cells.to_dict("records"):
        head = "Contiguous"
        if row["allocation"] != CONTIGUOUS:
            head = f"Quasi-contiguity threshold {row['allocation'].split()[1]}%"
        known = not quick and row["workload"] in printed
        theirs.append(printed[row["workload"]].at[PRINTED_POLICY[row["policy"]], head] if known else np.nan)
    compared = cells.drop(columns=["±"]).assign(printed=theirs)
    compared["difference"] = compared["speed-up needed"] - compared["printed"]
    return compared


def _thresholds_met(part: str, cells: pd.DataFrame) -> str:
    known = cells[cells["printed"].notna()]
    near = int((known["difference"].abs() <= NEAR).sum())
    if known.empty:
        return f"{part}: no thresholds are printed for these."
    return f"{part}: {near} of {len(known)} printed thresholds within {NEAR:g} points."


def draw(path: Path, cells: pd.DataFrame, title: str) -> None:
    """Draw the needed speed-up by allocation, printed ones too, a panel for each workload and policy."""
    ours = pd.DataFrame(
        {
            "name": cells["allocation"],
            "series": "ours",
            "value": cells["speed-up needed"],
            "half": cells.get("±", np.nan),
        }
    )
    both = [ours]
    if "printed" in cells and cells["printed"].notna().any():
        both.append(ours.assign(series="published", value=cells["printed"], half=np.nan))
    panels = {
        f"{workload}, {policy.upper()}": pd.concat([part.loc[own.index] for part in both])
        for (policy, workload), own in cells.groupby(["policy", "workload"], sort=False)
    }
    xlabel = "speed-up of contiguous jobs that is needed (%)"
    write_figure(path, dot_figure(title, panels, xlabel, line=0.0))


_TITLES = {"lublin": "generated workloads like three logs", "logs": "logs"}


def run(request: StudyRequest, context: StudyContext) -> Report:
    wanted = cases(request)
    kept = outcomes([case.plan() for case in wanted], context)
    made = pd.DataFrame([_row(case, own) for case, own in zip(wanted, kept, strict=True)])
    tables, figures, sentences = [], {}, []
    for part in request.parts:
        if not len(made) or not (made["part"] == part).any():
            sentences.append(_SKIPPED)
            continue
        own = made[made["part"] == part]
        if part in _WAITS:
            waits = _waits(own)
            tables.append(ReportTable(part, PARTS[part], waits, _WAIT_DIGITS))
            least, most = waits["to non-contiguous"].agg(["min", "max"])
            sentences.append(f"{part}: jobs wait {least:.2f} to {most:.2f} times as long as non-contiguous.")
            continue
        cells = needed(own, speedups(request.quick))
        least, most = cells["speed-up needed"].min(), cells["speed-up needed"].max()
        sentences.append(f"{part}: the speed-up needed is {least:.1f} to {most:.1f} %.")
        if part.startswith("published"):
            cells = beside_printed(cells, request.quick)
            sentences.append(_thresholds_met(part, cells))
        tables.append(ReportTable(part, PARTS[part], cells, _DIGITS))
        figures[part] = partial(draw, cells=cells, title=_TITLES.get(part, "whole logs"))
    return Report(tuple(tables), tuple(sentences), figures, notes=(_ABOUT,))


def _waits(runs: pd.DataFrame) -> pd.DataFrame:
    """Return mean waits and turnarounds in seconds, and waits over those with non-contiguous allocation."""
    base = runs[runs["allocation"] == SCATTERED].set_index("workload")["wait"].replace(0, np.nan)
    cells = runs[["workload", "machine", "policy", "allocation", "speedup", "wait", "turnaround"]]
    return cells.assign(**{"to non-contiguous": cells["wait"] / cells["workload"].map(base)})


_WAIT_DIGITS = {"speedup": 0, "wait": 0, "turnaround": 0, "to non-contiguous": 2}
_ABOUT = (
    "Speed-up: by how many percent the run time of contiguous jobs is shorter than that of scattered ones. "
    "The one needed makes the mean turnaround as short as that of non-contiguous allocation; mean over the "
    "seeds with its 95 % interval (±). A seed in which none is needed counts as 0 (column `at 0`); where "
    "50 % are not enough for some (column `beyond`), there is no mean. `lost`: a job with nodes outside "
    "gains nothing; `kept`: as much as a contiguous one."
)
_SKIPPED = (
    f"Logs are left out: there is none in the folder swf, nor in one that the environment variable {FOLDER} "
    "names, and none is given (--log). They come from the Parallel Workloads Archive (.swf or .swf.gz)."
)


def _row(case: StreamCase, figures: ScheduleFigures) -> dict[str, str | int | float]:
    return {
        "part": case.part,
        "workload": case.stream.name,
        "machine": case.stream.machine,
        "policy": case.policy,
        "allocation": case.allocation,
        "speedup": case.speedup,
        "seed": case.seed,
        "turnaround": turnaround(figures),
        "wait": figures.metrics.per_job["wait"].mean,
        "contiguous": figures.metrics.contiguous,
        "utilisation": figures.metrics.utilisation,
    }


STUDY = Study(
    name="quasi-contiguous",
    title="How much must jobs gain from contiguity on a tree before it pays off?",
    source=(
        "Pascual, Navaridas and Miguel-Alonso, JSSPP 2009 (figures without numbers); "
        "Pascual, thesis, UPV/EHU 2013, Tables 3.9 and 3.10"
    ),
    parts=PARTS,
    default=("published", "waits", "lublin", "logs"),
    run=run,
    options=("logs",),
)
