"""Tables of the study of allocators on processor sets: our figures and the printed ones."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from netplace.experiments.published import published

__all__ = ["TABLES"]

Made = tuple[pd.DataFrame, dict[str, int], list[str]]
_COUNTS = ["requests", "compared", "equal", "first better", "second better"]
_CARDS = ["cards", "deviation", "least cards"]


def _sets(frame: pd.DataFrame) -> Made:
    """Return the three claims on processor sets, beside what is printed."""
    groups = frame.groupby(["partition", "tie"], sort=False)
    sums, cards = groups[_COUNTS].sum(), groups[_CARDS].mean()
    cells = sums.join(cards).reset_index().rename(columns={"partition": "rule"})
    values = published("pss_published.csv").set_index(["part", "quantity"])["value"].astype(float)
    exact, mean = sums.loc[("quality", "first")], cards["cards"].droplevel("tie")
    near = values["prototype", "requests with surplus at most 12"]
    differ = values["prototype", "of these: heuristic differs from exact, realistic costs"]
    sentences = [
        f"quality: the heuristic differs from the exact choice in {exact['compared'] - exact['equal']:.0f} "
        f"of {exact['compared']:.0f} requests with a surplus of at most 12 (printed {differ:.0f} of "
        f"{near:.0f}; at most 1 % are accepted).",
    ]
    for (rule, tie), counts in sums.iterrows():
        if str(rule).startswith("nodes"):
            sentences.append(
                f"uneven costs of {rule}, ties to the {tie}, judged by the uniform: {counts['equal']:.0f} of "
                f"{counts['compared']:.0f} choices equal, {counts['first better']:.0f} better, "
                f"{counts['second better']:.0f} worse (printed, of nodes, with a coin: 15,155 of 15,210 "
                "equal, most of the others better)."
            )
    sentences.append(
        f"line cards a job: {mean['sets']:.2f} by sets, {mean['first-free']:.2f} the first free nodes, "
        f"{mean['random']:.2f} at random; at least {cards['least cards'].min():.2f} "
        "(printed: fewest by sets)."
    )
    return cells, dict.fromkeys(_COUNTS, 0) | dict.fromkeys(_CARDS, 2), sentences


def _pay(frame: pd.DataFrame) -> Made:
    """Return figures relative to the first free nodes, seed by seed."""
    names = ["wait", "run", "turnaround", "makespan", "slowdown", "mean hops"]
    base = frame[frame["partition"] == "non-contiguous"].set_index(["machine", "load", "seed"])
    rows = []
    for (machine, load, partition), own in frame.groupby(["machine", "load", "partition"], sort=False):
        keys = [(machine, load, seed) for seed in own["seed"]]
        row = {"machine": machine, "load": load, "partition": partition}
        for name in names[1:]:
            row[name] = float((own[name].to_numpy() / base.loc[keys, name].to_numpy()).mean())
        row["wait"] = float(own["wait"].mean() / own["run"].mean())
        rows.append(row)
    cells = pd.DataFrame(rows)[["machine", "load", "partition", *names]]
    sentences = [
        "run, turnaround, makespan, slowdown and mean hops are relative to the first free nodes, seed by "
        "seed; wait is in run times. The slowdown is what a job suffers from where it is and from others."
    ]
    for machine, own in cells.groupby("machine", sort=False):
        mean = own.groupby("partition", sort=False)[names].mean()
        sentences.append(
            f"{machine}: "
            + ", ".join(
                f"{name} {mean.loc[name, 'run']:.3f} (turnaround {mean.loc[name, 'turnaround']:.3f})"
                for name in mean["run"].sort_values().index
            )
            + " of the run time on the first free nodes, all loads."
        )
    return cells, {"load": 2, "wait": 2} | dict.fromkeys(names[1:], 3), sentences


def _times(frame: pd.DataFrame) -> Made:
    """Return the time of a selection for each machine, by its surplus."""
    cells = frame.rename(columns={"partition": "kind of sets"})
    cells = cells[["machine", "kind of sets", "sets", "surplus", "ms"]]
    most = cells.loc[cells["ms"].idxmax()]
    sentences = [
        f"{cells['ms'].min():.2g} to {most['ms']:,.0f} ms of CPU time (printed: it grows with the surplus, "
        f"and is acceptable); most on {most['machine']} with {most['surplus']:,} nodes over."
    ]
    return cells, {"sets": 0, "surplus": 0, "ms": 2}, sentences


TABLES: dict[str, Callable[[pd.DataFrame], Made]] = {"sets": _sets, "sets-pay": _pay, "set-times": _times}
