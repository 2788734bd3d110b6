"""Cells of the study of partition selection: our schedules and the printed ones.

Sources: J. A. Pascual, J. Miguel-Alonso and J. A. Lozano, J. Supercomput. 71 (2015), Table 5; J. A. Pascual,
thesis, UPV/EHU 2013, Tables 3.5 and 3.6.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from netplace.experiments.partition_selection.box_times import most_cubic, named
from netplace.experiments.partition_selection.schedules import MEASURES
from netplace.experiments.published import grid
from netplace.experiments.shared.statistics import best, crossing
from netplace.report.studies import ReportTable
from netplace.runs.file_times import BEST_KNOWN
from netplace.scheduling.workload import PUBLISHED_CLASSES

ALIKE = 0.05  # share by which a ratio may differ, and difference of a utilisation
NEAR = 10.0  # points by which a break-even may differ


def cells_of(frame: pd.DataFrame, theirs: Mapping[tuple[str, str, str], float]) -> pd.DataFrame:
    """Return a row for each class and strategy: our figures, and ratios to CS-BM beside the printed ones.

    `theirs` has the printed values by class, strategy and measure.
    """
    made = []
    for classes, group in frame.groupby("classes", sort=False):
        own = group.set_index("strategy")
        winners = best({name: [-jobs for jobs in own.at[name, "batches"]] for name in own.index})
        for strategy in own.index:
            row: dict[str, Any] = {"class": classes, "strategy": strategy}
            for name in MEASURES:
                row[name] = float(own.at[strategy, name])
                if name == "utilisation":
                    row["printed utilisation"] = theirs.get((classes, strategy, name), float("nan"))
                    continue
                row[f"{name} / CS-BM"] = row[name] / float(own.at["CS-BM", name])
                base, cell = (theirs.get((classes, key, name), float("nan")) for key in ("CS-BM", strategy))
                row[f"printed {name} / CS-BM"] = cell / base
            row["most"] = "*" if strategy == winners[0] else "=" if strategy in winners else ""
            made.append(row)
    return pd.DataFrame(made)


_CLASSES = {"run": "5a", "started": "5b", "head_wait": "5c"}  # tables of LOC
_RATIOS = ("started", "head_wait", "run")
_LARGE = {  # heads of thesis table 3.5
    "Avg. Waiting Time": "head_wait",
    "Avg. Runtime": "run",
    "Job Throughput": "started",
    "Utilization": "utilisation",
}


def printed_classes() -> dict[tuple[str, str, str], float]:
    """Return what LOC 5 prints of medium jobs by class, strategy and measure."""
    tables = {name: grid("pascual", f"LOC table {table}") for name, table in _CLASSES.items()}
    return {
        (str(row).removeprefix("Class "), str(strategy), name): value
        for name, table in tables.items()
        for (row, strategy), value in table.stack().items()
    }


def printed_large() -> dict[tuple[str, str, str], float]:
    """Return what thesis table 3.5 prints of large mixed jobs by class, strategy and measure."""
    table = grid("pascual", "thesis table 3.5", _LARGE).rename({"BPS": "BPS-BM"})
    return {("I-IV", str(strategy), str(name)): value for (strategy, name), value in table.stack().items()}


DIGITS = {"started": 0, "head_wait": 1, "run": 0, "utilisation": 3, "printed utilisation": 2} | {
    f"{origin}{name} / CS-BM": 3 for origin in ("", "printed ") for name in _RATIOS
}


def of_cells(cells: pd.DataFrame) -> list[str]:
    """Return sentences on how many printed cells are met, on the head's waiting, and on who starts most."""
    sentences = []
    compared, near = 0, 0
    for name in _RATIOS:
        theirs = cells[f"printed {name} / CS-BM"]
        use = theirs.notna() & (cells["strategy"] != "CS-BM")
        off = (cells.loc[use, f"{name} / CS-BM"] / theirs[use] - 1).abs()
        compared, near = compared + len(off), near + int((off <= ALIKE).sum())
    level = cells["printed utilisation"].notna()
    off = (cells.loc[level, "utilisation"] - cells.loc[level, "printed utilisation"]).abs()
    compared, near = compared + len(off), near + int((off <= ALIKE).sum())
    if compared:
        sentences.append(
            f"{near} of {compared} printed cells (ratios to CS-BM, utilizations) within {ALIKE:.0%}."
        )
    product = cells["started"] * cells["head_wait"] / 1e7
    sentences.append(
        f"jobs times mean head waiting is {product.min():.3f} to {product.max():.3f} of 10^7 cycles "
        "(printed: 1)."
    )
    for classes, own in cells.groupby("class", sort=False):
        first = own.loc[own["started"].idxmax(), "strategy"]
        sentences.append(f"class {classes}: most jobs with {first}.")
    return sentences


def break_evens(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each mix of sizes and rule: the slowdown at which as many scattered jobs start."""
    printed = grid("pascual", "thesis table 3.6").rename(str.lower).stack()
    made = []
    for sizes, group in frame.groupby("sizes", sort=False):
        apart = group[group["selection"] == "scattered"].sort_values("slowdown")
        if apart.empty:
            continue
        jobs = apart["started"].to_numpy()
        boxes = group[(group["selection"] != "scattered") & (group["mapping"] == BEST_KNOWN)].set_index(
            "selection"
        )
        ideal = float(boxes.at["BPS", "node_time"])
        for rule, own in boxes.iterrows():
            strategy = f"{rule}-BM"
            held = float(apart["utilisation"].iloc[0])
            closed = held / own["utilisation"] * own["node_time"] / ideal - 1
            point = crossing(apart["slowdown"].tolist(), own["started"] / jobs)
            theirs = printed.get((sizes, strategy.replace("BPS-BM", "BPS")), float("nan"))
            made.append(
                {
                    "sizes": sizes,
                    "strategy": strategy,
                    "util. scattered": held,
                    "util. boxes": own["utilisation"],
                    "break-even": point,
                    "closed form": 100 * closed,
                    "printed": theirs,
                    "difference": point - theirs,
                }
            )
    return pd.DataFrame(made)


POINTS = {
    "util. scattered": 3, "util. boxes": 3, "break-even": 1, "closed form": 1, "printed": 0, "difference": 1,
}  # fmt: skip


def of_break_evens(cells: pd.DataFrame) -> str:
    known = cells[cells["printed"].notna()]
    near = int((known["difference"].abs() <= NEAR).sum())
    spread = f"{cells['break-even'].min():.0f} to {cells['break-even'].max():.0f} %"
    return (
        f"{spread}; {near} of {len(known)} printed cells within {NEAR:g} points. The closed form "
        "is (utilization scattered / in boxes) x (node-time in boxes / under BPS) - 1."
    )


def best_boxes(runs: pd.DataFrame, name: str, title: str) -> ReportTable:
    """Return the best box and mapping of each application and size, and what others take beside it."""
    rows = []
    for (app, intensity, nodes), group in runs.groupby(["application", "intensity", "nodes"], sort=False):
        minimum = group.loc[group["cycles"].idxmin()]
        boxes = group.groupby("shape")["cycles"].min()
        rules = group[group["shape"] == minimum["shape"]].set_index("mapping")["cycles"]
        rows.append(
            {
                "application": app,
                "intensity": intensity,
                "nodes": nodes,
                "best box": minimum["shape"],
                "best mapping": minimum["mapping"].partition(":")[0],
                "cycles": minimum["cycles"],
                "worst box": boxes.max() / minimum["cycles"],
                "worst mapping": rules.max() / minimum["cycles"],
            }
        )
    digits = {"nodes": 0, "cycles": 0, "worst box": 2, "worst mapping": 2}
    label = "the worst box with its best mapping, and the worst mapping, relative to it"
    return ReportTable(name, f"{title}; {label}", pd.DataFrame(rows), digits)


def of_boxes(frame: pd.DataFrame) -> str:
    cubic = [named(most_cubic(nodes)) for nodes in frame["nodes"]]
    same = (frame["best box"] == cubic).mean()
    third = frame[frame["application"].isin(PUBLISHED_CLASSES["III"])]
    kept = [
        box == named(most_cubic(nodes)) and mapping == "consecutive"
        for box, nodes, mapping in zip(third["best box"], third["nodes"], third["best mapping"], strict=True)
    ]
    return (
        f"Of {len(frame)} kinds of jobs, {same:.0%} are fastest in the most cubic box. The cube with the "
        f"consecutive mapping is best for {sum(kept)} of {len(kept)} of class III (published: all)."
    )
