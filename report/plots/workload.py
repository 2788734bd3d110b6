"""A workload as histograms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.ticker import MaxNLocator

from netplace.report.plots.page import page
from netplace.scheduling.workload import Workload
from netplace.scheduling.workload.summary import hours

__all__ = ["draw_workload"]


def draw_workload(path: Path, workload: Workload, title: str) -> None:
    """Draw sizes, run times, and submissions by hour of the day."""
    with page(path, 2.4) as figure:
        sizes, times, arrivals = figure.subplots(1, 3)
        largest = int(workload.nodes.max())
        edges = np.exp2(np.arange(largest.bit_length() + 2) - 0.5)  # a bar for the sizes about a power of two
        sizes.hist(workload.nodes, edges, edgecolor="white", linewidth=0.5)
        sizes.set_xscale("log", base=2)
        sizes.set_xlabel("nodes")
        # Times of less than a second go with those of one: a logarithm has no place for 0.
        longest = max(float(workload.run_time.max()), 2.0)
        times.hist(np.maximum(workload.run_time, 1), np.geomspace(1, longest, 41), linewidth=0)
        times.set_xscale("log")
        times.set_xlabel("run time (s)")
        arrivals.bar(np.arange(24) + 0.5, np.bincount(hours(workload), minlength=24), width=0.9)
        arrivals.set_xlim(0, 24)
        arrivals.set_xticks(range(0, 25, 4))
        arrivals.set_xlabel("hour of submission")
        for axes in (sizes, times, arrivals):
            axes.set_ylabel("jobs")
            axes.yaxis.set_major_locator(MaxNLocator(integer=True))
            axes.grid(axis="y", alpha=0.3)
            axes.set_axisbelow(True)
        figure.suptitle(f"{title}: {len(workload):,} jobs")
