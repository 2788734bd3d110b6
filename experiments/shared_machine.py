"""Partitioners and policies on a machine with a shared network: ``docs/studies/shared-machine.md``."""

from __future__ import annotations

import itertools
from functools import partial
from pathlib import Path

import pandas as pd

from netplace.cosim import CosimPlan
from netplace.cosim.ranking import Difference, rankings
from netplace.experiments.shared.shared_cases import (
    SATURATED,
    Made,
    Outcome,
    Shared,
    carried_out,
    frame_of,
    named_load,
    size_of,
)
from netplace.report.plots import write_figure
from netplace.report.plots.points import dot_figure
from netplace.report.studies import Report, ReportTable, Study, StudyContext, StudyRequest
from netplace.scheduling.metrics.interval import half_width

MACHINES = {"torus": "torus:8x8", "mesh": "mesh:8x8", "tree": "tree:4,3"}
NEAR = {"torus": "curve:hilbert,best-fit", "mesh": "curve:hilbert,best-fit", "tree": "quasi-contiguous:20"}
POLICIES = ("fcfs", "easy")
CLASSES = ("collectives", "2d", "mixed")
LOADS = (0.6, SATURATED)
PARTS = {name: f"on {machine}" for name, machine in MACHINES.items()}


def cases(request: StudyRequest) -> list[Shared]:
    size = size_of(request)
    wanted = []
    for part in request.parts:
        partitions = ("contiguous", NEAR[part], "non-contiguous", "random")
        classes = CLASSES[:1] if request.quick else CLASSES
        loads = LOADS[1:] if request.quick else LOADS
        for kind, load, policy, partition, seed, time in itertools.product(
            classes, loads, POLICIES, partitions, range(size.seeds), ("table", "live")
        ):
            wanted.append(Shared(MACHINES[part], kind, load, policy, partition, seed, time))
    return wanted


def run(request: StudyRequest, context: StudyContext) -> Report:
    made = carried_out(cases(request), request, context)
    frame = frame_of(made)
    tables, sentences, figures = [], [], {}
    for part in request.parts:
        own = frame[frame["machine"] == MACHINES[part]]
        cells, digits = _summary(own)
        tables.append(ReportTable(part, f"{MACHINES[part]}: means over seeds", cells, digits))
        figures[part] = partial(draw, cells=cells, title=MACHINES[part])
    turned = _turned(made)
    tables.append(ReportTable("turned", "Conclusions that turn", turned, {}))
    for machine, group in frame[frame["fidelity"] == "live"].groupby("machine", sort=False):
        worst = group.groupby("partition", sort=False)["slowdown"].mean()
        sentences.append(
            f"{machine}: mean slowdown due to sharing "
            + ", ".join(f"{name} {value:.3f}" for name, value in worst.items())
            + "."
        )
    seeds = size_of(request).seeds
    clearly = int((turned["clearly"] == "yes").sum()) if len(turned) else 0
    sentences.append(
        f"Of the comparisons of two partitioners or two policies {len(turned)} turn under live times, "
        f"{clearly} of them clearly (both differences beyond their intervals over {seeds} seeds)."
    )
    return Report(tuple(tables), tuple(sentences), figures)


def _summary(frame: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, int]]:
    """Return turnarounds over those in boxes, by a table and live, seed by seed."""
    case = ["class", "load", "policy"]
    by_fidelity = {}
    for fidelity, own in frame.groupby("fidelity", sort=False):
        boxes = own[own["partition"] == "contiguous"].set_index([*case, "seed"])["turnaround"]
        runs = pd.MultiIndex.from_frame(own[[*case, "seed"]])
        by_fidelity[fidelity] = own.assign(ratio=own["turnaround"] / boxes.loc[runs].to_numpy())
    live, table = (by_fidelity[name].reset_index(drop=True) for name in ("live", "table"))
    live = live.assign(**{"table / boxes": table["ratio"], "live / boxes": live["ratio"]})
    live["live / table"] = live["ratio"] / table["ratio"]
    groups = live.groupby([*case, "partition"], sort=False)
    cells = pd.DataFrame(index=groups.size().index)
    for name in ("table / boxes", "live / boxes", "live / table", "slowdown"):
        cells[name] = groups[name].mean()
        cells[f"± {name.removesuffix(' / boxes')}"] = groups[name].agg(half_width)
    cells["table errs %"] = 100 * groups["error"].mean()
    return cells.reset_index(), dict.fromkeys(cells, 3) | {"table errs %": 1}


def _turned(made: Made) -> pd.DataFrame:
    """Return the comparisons of turnarounds whose sign is another under live times."""
    groups: dict[tuple[str, str, float], list[tuple[CosimPlan, Outcome]]] = {}
    for case, own in made.items():
        groups.setdefault((case.machine, case.classes, case.load), []).append(own)
    lines = []
    for (machine, kind, load), pairs in groups.items():
        # Gaps between submissions go with the seed; candidates of one seed have the same.
        plans, outcomes = zip(*pairs, strict=True)
        for ranked in rankings(plans, outcomes, but=("mean_interarrival",)):
            if ranked.measure != "turnaround":
                continue
            for pair in ranked.pairs:
                if pair.turns:
                    lines.append(
                        {
                            "machine": machine,
                            "class": kind,
                            "load": named_load(load),
                            "under": ranked.case.get("policy") or ranked.case.get("partition"),
                            "first": pair.first,
                            "second": pair.second,
                            "table": _signed(pair.table),
                            "live": _signed(pair.live),
                            "clearly": "yes" if pair.clearly else "no",
                        }
                    )
    columns = ["machine", "class", "load", "under", "first", "second", "table", "live", "clearly"]
    return pd.DataFrame(lines, columns=columns)


def _signed(difference: Difference) -> str:
    width = difference.half_width
    assert difference.mean is not None  # of two that turn
    return f"{100 * difference.mean:+.1f} % ± {'?' if width is None else f'{100 * width:.1f}'}"


def draw(path: Path, cells: pd.DataFrame, title: str) -> None:
    """Draw the turnaround under EASY by partitioner, a panel for each class and load."""
    panels = {
        f"{kind}, load {load}": pd.concat(
            pd.DataFrame(
                {
                    "name": own["partition"].str.partition(":")[0],
                    "series": time,
                    "value": own[f"{time} / boxes"],
                    "half": own[f"± {time}"],
                }
            )
            for time in ("table", "live")
        )
        for (kind, load), own in cells[cells["policy"] == "easy"].groupby(["class", "load"], sort=False)
    }
    said = f"{title}, EASY: under a table's times, and live"
    write_figure(path, dot_figure(said, panels, "turnaround / that of boxes", line=1.0))


STUDY = Study(
    name="shared-machine",
    title="How much do allocators and policies matter if jobs share the network?",
    parts=PARTS,
    run=run,
)
