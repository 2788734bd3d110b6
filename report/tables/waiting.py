"""Who waited for whom in a co-simulation: on the screen, and in files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from netplace.cosim import CosimPlan
from netplace.cosim.waiting import Waiting
from netplace.report.terminal.screen import number, table
from netplace.runs.tables import write_table
from netplace.topologies import parse

if TYPE_CHECKING:
    from rich.table import Table

Outcome = dict[str, Any]

_SHOWN = 10


def job_waiting(outcome: Outcome) -> pd.DataFrame:
    """Return one row for each window, job that waited and job charged, with the ``cycles``."""
    waiting = Waiting.from_dict(outcome["waiting"])
    frame = pd.DataFrame(waiting.over_time, columns=["window", "job", "charged", "cycles"])
    return frame.assign(start=frame["window"] * waiting.window)[["start", "job", "charged", "cycles"]]


def link_waiting(plan: CosimPlan, outcome: Outcome) -> pd.DataFrame:
    """Return one row for each link and window: cycles waited for other jobs there; those with most first."""
    machine = parse(plan.jobs.machine)
    waiting = Waiting.from_dict(outcome["waiting"])
    rows = [
        {
            "link": machine.link_name(link.router, link.port),
            "router": link.router,
            "port": link.port,
            "start": window * waiting.window,
            "others": cycles,
        }
        for link in waiting.links
        for window, cycles in enumerate(link.over_time)
    ]
    return pd.DataFrame(rows, columns=["link", "router", "port", "start", "others"])


def waiting_table(outcome: Outcome) -> Table:
    waiting = Waiting.from_dict(outcome["waiting"])
    frame = pd.DataFrame(waiting.jobs, columns=["job", "charged", "cycles"])
    of_job = frame.groupby("job")["cycles"].transform("sum")
    frame["share"] = 100 * frame["cycles"] / of_job
    others = frame[frame["job"] != frame["charged"]].nlargest(_SHOWN, "cycles")
    names = {row["job"]: row["application"].partition(",")[0] for row in outcome["jobs"]}
    rows = [
        [
            f"{pair.job}, {names[pair.job]}",
            f"{pair.charged}, {names[pair.charged]}",
            number(pair.cycles),
            number(pair.share, 1),
        ]
        for pair in others.itertuples()
    ]
    foreign = int(frame.loc[frame["job"] != frame["charged"], "cycles"].sum())
    share = 100 * foreign / waiting.charged if waiting.charged else 0.0
    title = f"waiting between jobs: {waiting.charged:,} cycles, {share:.1f} % for other jobs"
    made = table(title, ["job", "waited for", "cycles", "% of its waiting"], rows)
    made.columns[1].justify = "left"
    return made


def write_waiting(folder: Path, plan: CosimPlan, outcome: Outcome) -> None:
    """Write who waited for whom, by job, by link and over time, and a picture, into a folder."""
    from netplace.report.plots import write_figure
    from netplace.report.plots.jobs import waiting_figure

    for name, frame in (("waiting", job_waiting(outcome)), ("links", link_waiting(plan, outcome))):
        for ending in ("csv", "parquet"):
            write_table(frame, folder / f"{name}.{ending}")
    machine = parse(plan.jobs.machine)
    waiting = Waiting.from_dict(outcome["waiting"])
    links = [machine.link_name(link.router, link.port) for link in waiting.links]
    second = plan.config.cycle_ns * 1e-9
    figure = waiting_figure(waiting, links, second, f"{plan.jobs.machine}: waiting")
    write_figure(folder / "waiting.png", figure)
