"""What jobs must gain from contiguity on a tree before it pays for the whole machine.

Source: J. A. Pascual, J. Navaridas and J. Miguel-Alonso, "Effects of topology-aware allocation policies on
scheduling performance", JSSPP 2009, LNCS 5798, 138-156.

Contiguous jobs, each in one subtree of its level, run so many percent less long than scattered ones; jobs of
one node always run alike. Quasi-contiguous allocation lets a share of a job's nodes lie outside the subtree.
What such a job gains depends on the application, so both ends are given: nothing (*lost*), or all (*kept*).
The speed-up needed is that at which the mean turnaround is the one of non-contiguous allocation.

The parts `published` have whole logs on the machines as they were installed (nodes that were not do not
exist), quasi-contiguous jobs that gain as much as contiguous ones, and backfilling that kills and puts back
an advanced job which outlives the reservation; their thresholds stand beside the printed ones (Table 3.10 of
the thesis). What the reservation is of under backfilling is not told: a place, or a number of nodes.
"""

from __future__ import annotations

from functools import partial

import pandas as pd

from netplace.experiments.quasi_contiguous.cases import PARTS, StreamCase, cases, speedups
from netplace.experiments.quasi_contiguous.streams import FOLDER
from netplace.experiments.quasi_contiguous.thresholds import (
    DIGITS,
    beside_printed,
    draw,
    findings,
    needed,
    thresholds_met,
)
from netplace.runs.schedule_figures import ScheduleFigures
from netplace.studies.report import Report, ReportTable
from netplace.studies.schedules import outcomes, turnaround
from netplace.studies.study import Asked, Bench, Study

__all__ = ["STUDY"]

_TITLES = {
    "published": "whole logs",
    "published-bf": "whole logs",
    "published-bf-counted": "whole logs",
    "published-bf-patient": "whole logs",
    "lublin": "generated workloads like three logs",
    "logs": "logs",
}


def conduct(asked: Asked, bench: Bench) -> Report:
    """Make the schedules that are missing, and report."""
    wanted = cases(asked)
    kept = outcomes([case.plan() for case in wanted], bench)
    made = pd.DataFrame([_row(case, own) for case, own in zip(wanted, kept, strict=True)])
    tables, figures, sentences = [], {}, [_ABOUT]
    for part in asked.parts:
        if not len(made) or not (made["part"] == part).any():
            sentences.append(_SKIPPED)
            continue
        own = made[made["part"] == part]
        cells = needed(own, speedups(asked.quick))
        if part.startswith("published"):
            cells = beside_printed(cells, asked.quick)
            sentences.append(thresholds_met(part, cells))
        tables.append(ReportTable(part, PARTS[part], cells, DIGITS))
        figures[part] = partial(draw, cells=cells, title=_TITLES[part])
        if not part.startswith("published"):
            sentences += findings(part, cells)
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
    """Return what a case is, and its figures."""
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
    title="What jobs must gain from contiguity on a tree before it pays",
    source=(
        "Pascual, Navaridas and Miguel-Alonso, JSSPP 2009 (findings, of which no numbers were at hand); run "
        "times: Pascual, thesis, UPV/EHU 2013, Table 3.9"
    ),
    parts=PARTS,
    usual=tuple(PARTS),
    conduct=conduct,
    options=("logs",),
)
