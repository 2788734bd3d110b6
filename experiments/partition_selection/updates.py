"""How many updates GUPS makes: the one number of class IV that is solved for, by a rule that is stated.

INSEE's generator of GUPS makes a total of updates over all tasks, however many these are; how many the study
asked for is not told. The rule: so many that jobs of large mixed workloads run as much longer than those of
class I (medium, both CS-BM) as is printed. Class I alone, whose three applications leave nothing to a
reading: what one round of the grids of classes II and III weighs is not told, and they are omitted. What they
would have given says how far the rule can be trusted.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from netplace.experiments.partition_selection.schedules import Machine, SelectionCase, jobs_of
from netplace.experiments.partition_selection.setups import SETUPS
from netplace.experiments.published import published
from netplace.experiments.shared.box_times import BEST, BoxTimes, most_cubic
from netplace.scheduling.partitioner import Allocation
from netplace.scheduling.workload import Workload

__all__ = ["TOTALS_DIGITS", "totals"]

_COUNTED = "gups"
TOTALS_DIGITS = {"printed": 2, "ours": 2, "updates": 0, "updates that give it": 0}
_JOBS = 20_000
_CLASSES = ("I", "II", "III")


def totals(times: BoxTimes, machine: Machine, setup: str) -> pd.DataFrame:
    """Return a row for each class: how much longer mixed jobs run, and the updates at which it is as printed.

    Run times of GUPS are taken as in proportion to its updates.

    Parameters
    ----------
    times : BoxTimes
        Run times in boxes with the best mapping.
    machine : Machine
        Where.
    setup : str
        The set-up, a key of `SETUPS`; in it GUPS has a number of updates.
    """
    updates = int(SETUPS[setup].programs[_COUNTED]["updates"])
    theirs = published("pascual_selection_medium_by_class.csv").query("measure == 'run_cycles'")
    printed = theirs[theirs["strategy"] == "CS-BM"].set_index("class")["value"]
    large = published("pascual_selection_large_mixed.csv").query("measure == 'run_cycles'")
    printed_mixed = float(large.set_index("strategy").at["CS-BM", "value"])
    whole, counted = _means(times, _drawn("large", "I-IV", machine, setup))
    made = []
    for name in _CLASSES:
        own, _ = _means(times, _drawn("medium", name, machine, setup))
        ratio = printed_mixed / float(printed[name])
        made.append(
            {
                "class": name,
                "printed": ratio,
                "ours": whole / own,
                "updates": updates,
                "updates that give it": updates * (1 + (ratio * own - whole) / counted),
            }
        )
    return pd.DataFrame(made)


def _drawn(sizes: str, classes: str, machine: Machine, setup: str) -> Workload:
    case = SelectionCase(sizes, classes, "CS", BEST, setup=setup, rounded=True)
    return jobs_of(case, machine, _JOBS, SETUPS[setup].intensities)


def _means(times: BoxTimes, jobs: Workload) -> tuple[float, float]:
    """Return the mean run time in the most cubic box, and the part of it that is of GUPS."""
    known: dict[tuple[str, str, int], float] = {}
    every, counted = 0.0, 0.0
    for job in jobs:
        key = job.application, job.intensity, job.nodes
        if key not in known:
            known[key] = times.seconds(job, Allocation(np.arange(job.nodes), shape=most_cubic(job.nodes)))
        every += known[key]
        counted += known[key] * (job.application == _COUNTED)
    return every / len(jobs), counted / len(jobs)
