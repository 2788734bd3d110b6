"""A measured application: a stencil in rows whose ranks exchange halos, on different numbers of hosts."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import pandas as pd

from netplace.apps import TaskWriter, application
from netplace.experiments.reality.measurements import rows_of
from netplace.netsim import Config, simulate
from netplace.report.studies import Report, ReportTable, StudyContext, StudyRequest
from netplace.runs.fitting import Point, fit
from netplace.topologies import parse

# **(ours)**: one switch; of the rates and latencies of adapters, those with which ping-pongs fit best.
NETWORK, CORES = "nodes:tasks=8,nic=5/xgft:1;8;1", 8
_BEGIN = Config(phit_bytes=64, packet_phits=32, cycle_ns=13.6, credit_delay=0, queue_packets=16,
                cable_latency="local=2000ns")  # fmt: skip
_STEPS = 20  # simulated
_KINDS = ["measured", "netplace", "computation"]


def halo(task: TaskWriter, size: int, work: int) -> None:
    """Write the steps of the measured program: even ranks send first, odd ones receive; then all compute."""
    others = [other for other in (task.task - 1, task.task + 1) if 0 <= other < task.tasks]
    halves = [(task.send, other) for other in others], [(task.recv, other) for other in others[::-1]]
    for _ in range(_STEPS):
        for act, other in chain(*halves[:: -1 if task.task % 2 else 1]):
            act(other, size)
        task.compute(work)


def stencil(request: StudyRequest, context: StudyContext) -> Report:
    """Predict steps from ping-pongs, and from the computation in the steps on one host."""
    config = fit(_pingpongs(Path(request.data)), _BEGIN).config
    rows = pd.DataFrame(rows_of(Path(request.data) / "lcc2_stencil.csv")).apply(pd.to_numeric)
    runs = rows[["run1", "run2", "run3"]].div(rows["steps"] / 1e6, axis=0)
    rows["ranks"], rows["measured"] = rows["hosts"] * rows["cores"], runs.median(axis=1)
    rows["noise %"] = 50 * (runs.max(axis=1) - runs.min(axis=1)) / rows["measured"]
    rows["busy"] = rows["cores"].clip(lower=2)  # one rank on a host computes like two
    cells = rows["width"] ** 2 / rows["ranks"]
    own = rows[rows["hosts"] == 1].assign(computation=0.0)
    own["cell"] = (own["measured"] - _simulated(own, config)) / cells
    rows["computation"] = cells * rows.merge(own[["width", "busy", "cell"]], "left")["cell"]
    rows["netplace"] = _simulated(rows, config)
    fewest = rows.sort_values("hosts").groupby(["width", "ranks"]).transform("first").sort_index()
    ratios = (rows[_KINDS] / fewest[_KINDS]).assign(**{"no effect": 1.0})[rows["hosts"] > fewest["hosts"]]
    errors = 100 * (ratios.div(ratios["measured"], axis=0) - 1).abs()
    far = rows[rows["hosts"] > 1].assign(error=100 * (rows["netplace"] / rows["measured"] - 1).abs())
    score = far.groupby("width")["error"].agg(count="size", error="median")
    score = score.join(errors.groupby(rows["width"])[["netplace", "computation", "no effect"]].median())
    order = rows.groupby(["width", "ranks"])[[*_KINDS, "hosts"]].corr("kendall")
    taus = order.xs("measured", level=2).drop(columns="measured").groupby("width").mean()
    score = score.join(taus.add_prefix("tau ")).reset_index()
    title = "Median errors in percent of steps, and of their ratios to those on the fewest hosts"
    steps = rows[["width", "hosts", "cores", "noise %", *_KINDS]]
    tables = (
        ReportTable("application", title, score, dict.fromkeys(score.columns[2:], 2)),
        ReportTable("steps", "Microseconds of a step", steps, dict.fromkeys(steps.columns[3:], 1)),
    )
    return Report(tables, ())


def _pingpongs(folder: Path) -> list[Point]:
    return [
        Point(where, NETWORK, f"collective,operation=bcast,algorithm=linear,bytes={row['bytes']}",
              float(row[where]) * 1e-6, int(row["bytes"]), 2, partition=f"nodes:0,{other}")
        for row in rows_of(folder / "lcc2_pingpong.csv")
        for where, other in (("same_host", 1), ("other_host", CORES))
    ]  # fmt: skip


def _simulated(rows: pd.DataFrame, config: Config) -> list[float]:
    """Return the microseconds of a step of each row."""
    times = []
    for row in rows.itertuples():
        work, size = round(row.computation * 1e3 / config.cycle_ns), 8 * row.width
        places = [host * CORES + core for host in range(row.hosts) for core in range(row.cores)]
        program = application(halo, tasks=len(places), size=size, work=work)
        times.append(simulate(parse(NETWORK), program, places, config=config).cycles)
    return [cycles * config.cycle_ns * 1e-3 / _STEPS for cycles in times]
