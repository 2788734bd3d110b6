"""Tables of the study of allocators: our figures, the printed ones, and their agreement."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from netplace.experiments.allocators.cases import SPREADS
from netplace.experiments.published import grid
from netplace.experiments.shared.statistics import constant
from netplace.scheduling.metrics import OVER_JOBS
from netplace.scheduling.metrics.interval import half_width

Made = tuple[pd.DataFrame, dict[str, int], list[str]]


def _to_base(frame: pd.DataFrame, base: str, names: list[str], runs: list[str]) -> pd.DataFrame:
    """Return the table with figures relative to those of the partitioner `base` in the same run."""
    theirs = frame[frame["partition"] == base].set_index(runs)[names]
    return frame.assign(**(frame[names] / theirs.loc[pd.MultiIndex.from_frame(frame[runs])].to_numpy()))


_COUNTS = ["requests", "compared", "equal", "first better", "second better"]
_CARDS = ["cards", "deviation", "least cards"]


def _sets(frame: pd.DataFrame) -> Made:
    groups = frame.groupby(["partition", "tie"], sort=False)
    sums, cards = groups[_COUNTS].sum(), groups[_CARDS].mean()
    cells = sums.join(cards).reset_index().rename(columns={"partition": "rule"})
    exact, mean = sums.loc[("quality", "first")], cards["cards"].droplevel("tie")
    sentences = [
        f"quality: the heuristic differs from the exact choice in {exact['compared'] - exact['equal']:.0f} "
        f"of {exact['compared']:.0f} requests with a surplus of at most 12 (printed 23 of "
        "4,272; at most 1 % are accepted).",
    ]
    for (rule, tie), counts in sums.iterrows():
        if str(rule).startswith("nodes"):
            sentences.append(
                f"uneven costs of {rule}, ties to the {tie}, rated by uniform costs: "
                f"{counts['equal']:.0f} of {counts['compared']:.0f} choices equal, "
                f"{counts['first better']:.0f} better, {counts['second better']:.0f} worse (printed, for "
                "nodes, ties at random: 15,155 of 15,210 equal, most of the others better)."
            )
    sentences.append(
        f"line cards per job: {mean['sets']:.2f} with sets, {mean['first-free']:.2f} on the first free "
        f"nodes, {mean['random']:.2f} on random nodes; at least {cards['least cards'].min():.2f} "
        "(printed: fewest with sets)."
    )
    return cells, dict.fromkeys(_COUNTS, 0) | dict.fromkeys(_CARDS, 2), sentences


def _parts(frame: pd.DataFrame) -> Made:
    cells = frame.groupby("partition", sort=False)[["on fewest nodes", *_CARDS]].mean()
    fewest, cards = (
        ", ".join(f"{value:.3g} {rule}" for rule, value in cells[name].items())
        for name in ("on fewest nodes", "cards")
    )
    sentences = [
        f"share of jobs on the fewest nodes possible: {fewest} (printed: all jobs, with sets).",
        f"line cards per job: {cards} (printed: fewest with sets).",
    ]
    cells = cells.reset_index().rename(columns={"partition": "rule"})
    return cells, {"on fewest nodes": 3} | dict.fromkeys(_CARDS, 2), sentences


def _pay(frame: pd.DataFrame) -> Made:
    """Return figures relative to the first free nodes, seed by seed."""
    names = ["run", "turnaround", "makespan", "slowdown", "mean hops"]
    groups = ["machine", "load", "partition"]
    waits = frame.groupby(groups, sort=False)[["wait", "run"]].mean()
    ratios = _to_base(frame, "non-contiguous", names, ["machine", "load", "seed"])
    cells = ratios.groupby(groups, sort=False)[names].mean().reset_index()
    cells.insert(3, "wait", (waits["wait"] / waits["run"]).to_numpy())
    sentences = [
        "run, turnaround, makespan, slowdown and mean hops are relative to the first free nodes, seed by "
        "seed; wait is in run times. The slowdown is what a job suffers from where it is and from others."
    ]
    for machine, own in cells.groupby("machine", sort=False):
        mean = own.groupby("partition", sort=False)[["run", "turnaround"]].mean()
        sentences.append(
            f"{machine}: "
            + ", ".join(
                f"{name} {mean.loc[name, 'run']:.3f} (turnaround {mean.loc[name, 'turnaround']:.3f})"
                for name in mean["run"].sort_values().index
            )
            + " of the run time on the first free nodes, all loads."
        )
    return cells, {"load": 2, "wait": 2} | dict.fromkeys(names, 3), sentences


def _times(frame: pd.DataFrame) -> Made:
    cells = frame.rename(columns={"partition": "kind of sets"})
    cells = cells[["machine", "kind of sets", "sets", "surplus", "ms"]]
    most = cells.loc[cells["ms"].idxmax()]
    sentences = [
        f"{cells['ms'].min():.2g} to {most['ms']:,.0f} ms of CPU time (printed: it grows with the surplus, "
        f"and is acceptable); most on {most['machine']} with {most['surplus']:,} nodes over."
    ]
    return cells, {"sets": 0, "surplus": 0, "ms": 2}, sentences


_BASE, _CURVE, _BEST = "curve:row,free-list", "curve:hilbert,free-list", "curve:hilbert,best-fit"
_MAKESPANS = {  # as printed
    "baseline (no curve)": _BASE,
    "best fit (no curve)": "curve:row,best-fit",
    "baseline (Hilbert)": _CURVE,
    "sum of squares (Hilbert)": "curve:hilbert,sum-of-squares",
    "first fit (Hilbert)": "curve:hilbert,first-fit",
    "best fit (Hilbert)": _BEST,
}
_MACHINES = {  # of machines, for people
    "service:nodes=32-63+96-127+160-191+224-255/torus:8x8,c=4": "torus:8x8,c=4, every other row",
    "service:nodes=128-255/torus:8x8,c=4": "torus:8x8,c=4, first four rows",
}


def _stream_table(frame: pd.DataFrame) -> Made:
    """Return makespans and waits over those of the free list along rows, beside the printed."""
    theirs = grid("cpa", "appendix 1, table 1")["Average Makespan"].rename(_MAKESPANS)
    waits = ["wait of largest", "wait of others"]
    frame = frame.replace({"machine": _MACHINES}).assign(ratio=frame["makespan"])
    ratios = _to_base(frame, _BASE, ["ratio", *waits], ["machine", "seed"])
    groups = ratios.groupby(["machine", "partition"], sort=False)
    cells = groups[["makespan", "ratio", *waits, "spread of runs"]].mean().reset_index()
    cells.insert(4, "deviation", groups["ratio"].std().to_numpy())
    cells.insert(5, "printed ratio", cells["partition"].map(theirs) / theirs[_BASE])
    sentences = [
        "ratios are to the free list along rows, seed by seed; on torus:8x8,c=4 every switch of the rows "
        "named has four processors, the other rows have none."
    ]
    counts = dict.fromkeys(("ratio", "deviation", "printed ratio"), 3)
    digits = {"makespan": 0, **counts, "wait of largest": 3, "wait of others": 3, "spread of runs": 3}
    return cells, digits, sentences


def _hops_table(frame: pd.DataFrame) -> Made:
    """Return Pearson's r of completion time with hops and spans, network by network."""
    rows = []
    for machine, group in frame.replace({"machine": _MACHINES}).groupby("machine", sort=False):
        jobs = pd.DataFrame([job for rows_of in group["rows"] for job in rows_of])
        r = jobs.corr()["cycles"]
        rows.append(
            {"machine": machine, "size": int(group["size"].iloc[0]), "jobs": len(jobs)}
            | {f"r, {name}": float(r[name]) for name in ("hops", "ring span", "linear span")}
            | {"least cycles": float(jobs["cycles"].min()), "most cycles": float(jobs["cycles"].max())}
        )
    cells = pd.DataFrame(rows)
    more = cells.loc[cells["r, hops"] > cells["r, ring span"], "machine"].tolist()
    positive = cells.loc[cells["r, hops"] > 0, "machine"].tolist()
    sentences = [
        f"positive on {'; '.join(positive) or 'none'}; hops more strongly than the ring span on "
        f"{'; '.join(more) or 'none'} (printed: both positive and weak, hops more strongly)."
    ]
    digits = {name: 2 for name in cells if name.startswith("r,")} | {"least cycles": 0, "most cycles": 0}
    return cells, digits, sentences


_NAMES = {"MC1x1": "mc1x1", "MM": "mm", "MM+Inc": "mm+inc", "HilbertBF": "curve:hilbert"}  # as printed
NEAR_DECISION = 0.02  # share by which a ratio of sums may differ; with the log, half of it
LOG_NEAR = 0.01


def _choice(frame: pd.DataFrame) -> Made:
    """Return live and table figures relative to random nodes, machine by machine."""
    measures = ["makespan", "turnaround", "run", "mean hops"]
    ratios = _to_base(frame, "random", measures, ["machine", "fidelity", "seed"])
    means = ratios.groupby(["fidelity", "machine", "partition"], sort=False)[measures].mean()
    live, table = (means.loc[fidelity].add_prefix(f"{fidelity} ") for fidelity in ("live", "table"))
    hops = {"live mean hops": "mean hops"}
    cells = live.rename(columns=hops).join(table.drop(columns="table mean hops")).reset_index()
    digits = {name: 3 for name in cells if name not in ("machine", "partition")}
    sentences = []
    for machine, own in cells.groupby("machine", sort=False):
        minimum = own.loc[own["live makespan"].idxmin()]
        ranks = own[["live turnaround", "table turnaround", "mean hops"]].corr("spearman")
        sentences.append(
            f"{machine}: shortest makespan with {minimum['partition']} ({minimum['live makespan']:.0%} of "
            f"that with random nodes, seed by seed); rank correlation of the live turnaround with that of "
            f"the table {ranks.loc['live turnaround', 'table turnaround']:.2f}, with mean hops "
            f"{ranks.loc['live turnaround', 'mean hops']:.2f}."
        )
    return cells, digits, sentences


def _decisions(frame: pd.DataFrame) -> Made:
    pair = ["situation", "decision"]
    theirs = grid("cpa", "appendix 2, table 1").rename(index=_NAMES, columns=_NAMES).stack()
    streams, decisions = ["load", "seed"], frame["decisions"].iloc[0]
    sums = frame.set_index([*streams, "partition"])[decisions]
    bases = sums.xs("mc1x1", level="partition")["mc1x1"]
    ratios = sums.div(bases.loc[pd.MultiIndex.from_frame(frame[streams])].to_numpy(), axis=0)
    ratios = ratios.stack().rename_axis([*streams, *pair])
    cells = ratios.groupby(pair, sort=False).agg(["mean", "min", "max"])
    cells["printed"] = theirs.reindex(cells.index) / theirs["mc1x1", "mc1x1"]
    names = {"mean": "ratio", "min": "least", "max": "most"}
    cells = cells.assign(difference=cells["mean"] - cells["printed"]).rename(columns=names).reset_index()
    ranked = sums[["mm+inc", "mm", "mc1x1", "curve:hilbert"]].to_numpy()
    kept = int((np.diff(ranked) >= 0).all(axis=1).sum())
    with_log = bool(frame["log"].iloc[0])
    allowed = LOG_NEAR if with_log else NEAR_DECISION
    known = cells[cells["printed"].notna() & (cells[pair] != "mc1x1").any(axis=1)]
    near = int((known["difference"].abs() <= allowed * known["printed"]).sum())
    value, met = constant(known["printed"] * (1 - allowed), known["printed"] * (1 + allowed))
    sentences = [
        f"{near} of {len(known)} printed cells within {allowed:.0%} (every one {value:.2f}: {met}).",
        f"decisions rank mm+inc, mm, mc1x1, hilbert best fit in {kept} of {len(ranked)} rows (printed: all).",
        f"jobs of {'the log' if with_log else 'the Lublin model'}; a cell is the mean sum over that of "
        f"(mc1x1, mc1x1), which is {bases.mean():,.0f} (printed {theirs['mc1x1', 'mc1x1']:,.0f}).",
    ]
    return cells, dict.fromkeys(("ratio", "least", "most", "printed", "difference"), 3), sentences


def _overlap(frame: pd.DataFrame) -> Made:
    rows = []
    for row in frame.to_dict("records"):
        factors = [both / alone for both, alone in zip(row["together"], row["alone"], strict=True)]
        rows.append(
            {name: row[name] for name in ("machine", "policy", "vcs", "bytes")}
            | {"columns": row["partition"], "alone": row["alone"][0]}
            | {"first": factors[0], "second": factors[1]}
            | {"printed": np.nan if row["partition"] == "compact" else 2.0}
        )
    cells = pd.DataFrame(rows)
    sentences = []
    for columns, own in cells.groupby("columns", sort=False):
        both = own[["first", "second"]].to_numpy()
        sentences.append(f"columns {columns}: {both.min():.2f} to {both.max():.2f} times as long as alone")
    accepted = "printed: about 2 for paths that overlap, by hand; accepted: 1.5 to 2.2"
    digits = {"alone": 0, "first": 2, "second": 2, "printed": 1}
    return cells, digits, [f"{'; '.join(sentences)} ({accepted})."]


def _trends(frame: pd.DataFrame) -> Made:
    figures = [*SPREADS, *(f"span, {name}" for name in OVER_JOBS if name != "mean")]
    cells = frame.groupby(["partition", "work", "copies"], sort=False)[figures].mean().reset_index()
    once = cells[cells["copies"] == 1]
    partitions = list(dict.fromkeys(cells["partition"]))
    sentences = []
    for label, own, growing in (
        ("times the work", once, "work"),
        ("copies of each job", cells[cells["work"] == cells["work"].min()], "copies"),
    ):
        steps = own[growing].unique()
        if len(steps) < 2:
            continue
        minimum, most = (
            own[own[growing] == step].set_index("partition")[list(SPREADS)]
            for step in (steps.min(), steps.max())
        )
        rising = int((most > minimum).to_numpy().sum())
        sentences.append(
            f"{rising} of {most.size} figures rise from {steps.min():g} to {steps.max():g} {label} "
            f"(expected: all; by chance: {most.size / 2:g})."
        )
    most = once[once["work"] == once["work"].max()].set_index("partition")[list(SPREADS)]
    curves = [name for name in partitions if name.startswith("curve") and "free-list" not in name]
    below = sum(bool((most.loc[name] < most.loc["curve:row,free-list"]).all()) for name in curves)
    sentences.append(
        f"{below} of {len(curves)} interval policies are below the free list along rows on every figure."
    )
    digits = dict.fromkeys(figures, 2) | {"work": 1, "copies": 0, "span, squares": 0}
    return cells, digits, sentences


def _flow(frame: pd.DataFrame) -> Made:
    names = ["flow", "run", "pairwise sum"]
    ratios = _to_base(frame, "mc1x1", names, ["machine", "seed"])
    groups = ratios.groupby(["machine", "partition"], sort=False)[names]
    both = groups.mean().join(groups.agg(half_width).add_suffix(" +-"))
    cells = both[[f"{name}{end}" for name in names for end in ("", " +-")]].reset_index()
    log = "the log of the iPSC" if frame["log"].iloc[0] else "the model of Lublin and Feitelson"
    sentences = [
        f"means relative to mc1x1, {frame['seed'].nunique()} parts of {log}, with 95% intervals; the "
        "original does not state the shape, the pattern or the length of messages."
    ]
    for machine, own in cells.groupby("machine", sort=False):
        ranked = own.sort_values("flow")
        minimum = ranked["flow"].iloc[0] + ranked["flow +-"].iloc[0]
        alike = ranked.loc[ranked["flow"] - ranked["flow +-"] <= minimum, "partition"]
        sentences.append(
            f"{machine}: {', '.join(ranked['partition'])} (shortest flow time first); intervals overlap "
            f"that of the first for {', '.join(alike[1:]) or 'none'}."
        )
    return cells, {column: 3 for column in cells if column not in ("machine", "partition")}, sentences


TABLES: dict[str, Callable[[pd.DataFrame], Made]] = {
    "choice": _choice,
    **dict.fromkeys(("decisions", "decisions-powers", "decisions-both"), _decisions),
    "stream": _stream_table,
    "hops": _hops_table,
    "overlap": _overlap,
    "trends": _trends,
    "flow": _flow,
    "sets": _sets,
    "set-parts": _parts,
    "sets-pay": _pay,
    "set-times": _times,
}
