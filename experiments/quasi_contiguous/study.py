"""The gain that contiguity on a tree must have to pay: ``docs/studies/quasi-contiguous.md``."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from netplace.experiments.published import published
from netplace.experiments.quasi_contiguous.cases import (
    CONTIGUOUS,
    PARTS,
    SCATTERED,
    StreamCase,
    cases,
    speedups,
)
from netplace.experiments.shared.archive_logs import FOLDER
from netplace.experiments.shared.statistics import crossing, point_of
from netplace.report.plots import write_figure
from netplace.report.plots.points import dot_figure
from netplace.report.studies import Report, ReportTable, Study, StudyContext, StudyRequest
from netplace.report.studies.schedules import outcomes, turnaround
from netplace.runs.schedule_figures import ScheduleFigures

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
    printed = published("pascual_speedup_needed_percent.csv").set_index(["log", "policy", "qct_percent"])
    theirs = []
    for row in cells.to_dict("records"):
        threshold = 0 if row["allocation"] == CONTIGUOUS else int(row["allocation"].split()[1])
        key = (row["workload"], PRINTED_POLICY[row["policy"]], threshold)
        theirs.append(np.nan if quick else float(printed["speedup_percent"].get(key, np.nan)))
    beside = cells.drop(columns=["±"]).assign(printed=theirs)
    beside["difference"] = beside["speed-up needed"] - beside["printed"]
    return beside


def _thresholds_met(part: str, cells: pd.DataFrame) -> str:
    known = cells[cells["printed"].notna()]
    near = int((known["difference"].abs() <= NEAR).sum())
    if known.empty:
        return f"{part}: no thresholds are printed for these."
    return f"{part}: {near} of {len(known)} printed thresholds within {NEAR:g} points."


def _findings(part: str, cells: pd.DataFrame) -> list[str]:
    """Return sentences on each of the three published findings."""
    sentences = []
    groups = list(cells.groupby(["workload", "policy"], sort=False))
    worse, between = 0, 0
    for _, own in groups:
        without = own.set_index("allocation")["turnaround without"]
        worse += bool(without[CONTIGUOUS] > 1)
        between += bool((without.drop(CONTIGUOUS) < without[CONTIGUOUS]).all())
    sentences.append(
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
        sentences.append(
            f"{part}, {str(policy).upper()}: contiguous needs a speed-up of {spread}. Run times of "
            f"{', '.join(table['app'])} are published as {gains.min():.0f} to {gains.max():.0f} % shorter in "
            f"a subtree than on random nodes, which pays for contiguity in {paid} of {len(own)} workloads. "
            "Published: the gains more than compensate."
        )
    return sentences


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


_TITLES = {
    "lublin": "generated workloads like three logs",
    "logs": "logs",
}


def run(request: StudyRequest, context: StudyContext) -> Report:
    wanted = cases(request)
    kept = outcomes([case.plan() for case in wanted], context)
    made = pd.DataFrame([_row(case, own) for case, own in zip(wanted, kept, strict=True)])
    tables, figures, sentences = [], {}, [_ABOUT]
    for part in request.parts:
        if not len(made) or not (made["part"] == part).any():
            sentences.append(_SKIPPED)
            continue
        own = made[made["part"] == part]
        cells = needed(own, speedups(request.quick))
        if part.startswith("published"):
            cells = beside_printed(cells, request.quick)
            sentences.append(_thresholds_met(part, cells))
        tables.append(ReportTable(part, PARTS[part], cells, _DIGITS))
        figures[part] = partial(draw, cells=cells, title=_TITLES.get(part, "whole logs"))
        if not part.startswith("published"):
            sentences += _findings(part, cells)
    return Report(tuple(tables), tuple(sentences), figures)


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
        "contiguous": figures.metrics.contiguous,
        "utilisation": figures.metrics.utilisation,
    }


STUDY = Study(
    name="quasi-contiguous",
    title="How much must jobs gain from contiguity on a tree before it pays off?",
    source=(
        "Pascual, Navaridas and Miguel-Alonso, JSSPP 2009 (findings; no numbers were available); run "
        "times: Pascual, thesis, UPV/EHU 2013, Table 3.9"
    ),
    parts=PARTS,
    default=tuple(PARTS),
    run=run,
    options=("logs",),
)
