"""Which algorithm of a collective wins, and where: ``docs/studies/collectives.md``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.colors import to_hex
from numpy.typing import NDArray
from scipy import stats

from netplace.apps.collectives import TABLES, schedule
from netplace.experiments.collectives.cells import BLOCKS, HOPELESS, SETTINGS, Cell
from netplace.experiments.shared.statistics import LEVEL
from netplace.report.plots import write_figure
from netplace.report.plots.figure import Axis, Cells, Curve, Figure, Mark, Panel, Words
from netplace.report.studies import Report, ReportTable, Study, StudyContext, StudyRequest
from netplace.report.studies.schedules import case_outcomes


def draw_winners(path: Path, winners: pd.DataFrame, title: str) -> None:
    """Draw which algorithm wins: a panel a kind of network, a row for ranks and bytes, a column a setting."""
    names = winners["winner"].value_counts().index.tolist()
    colour = dict(zip(names, _colours(len(names)), strict=True))
    kinds = winners["network"].str.partition(":")[0]
    networks = kinds.drop_duplicates().tolist()
    rows = winners[["ranks", "bytes"]].drop_duplicates().itertuples(index=False, name=None)
    lines = list(rows)
    panels = []
    for network in networks:
        own = winners[kinds == network].set_index(["ranks", "bytes", "setting"])
        cells = [
            (x, y, (*line, setting)) for y, line in enumerate(lines) for x, setting in enumerate(SETTINGS)
        ]
        equal = [(x, y, f"+{len(own['as good'][at])}") for x, y, at in cells if len(own["as good"][at])]
        marks: list[Mark] = [
            Cells(
                x=[x for x, *_ in cells],
                y=[y for _, y, _ in cells],
                wide=len(SETTINGS),
                tall=len(lines),
                colours=[colour[own["winner"][at]] for *_, at in cells],
                tips=[own["winner"][at] for *_, at in cells],
            ),
            Words(x=[x for x, *_ in equal], y=[y for _, y, _ in equal], texts=[text for *_, text in equal]),
        ]
        # The names of algorithms, for the legend.
        marks += [
            Curve(x=[], y=[], label=name, colour=to_hex(colour[name]), line="", mark="s") for name in names
        ]
        y_axis = Axis(names=[f"{ranks} x {size:,} B" for ranks, size in lines], down=True)
        panels.append(Panel(marks=marks, x=Axis(names=list(SETTINGS)), y=y_axis, title=network))
    height = 2.3 + 0.22 * len(lines)
    write_figure(path, Figure(title=title, panels=panels, columns=len(panels), share_y=True, height=height))


def _colours(count: int) -> list[tuple[float, float, float]]:
    """Return as many light colors, those of the most frequent first."""
    import matplotlib as mpl

    table = mpl.colormaps["Set3"].colors + mpl.colormaps["Pastel1"].colors  # type: ignore[attr-defined]
    return [tuple(table[n % len(table)]) for n in range(count)]


_TIE = 0.02  # share by which a time may be longer and still be called as good
_ALONE = "in order"
_SAME = 1e-9  # by which logarithms of one ratio may differ


def samples_of(times: Mapping[str, Sequence[int | None]]) -> dict[str, list[float]]:
    """Return the cycles of every algorithm of a setting; of runs given up, as many as they were given."""
    draws = zip(*times.values(), strict=True)
    given = [HOPELESS * min(cycles for cycles in draw if cycles is not None) for draw in draws]
    return {
        name: [float(limit if cycles is None else cycles) for cycles, limit in zip(own, given, strict=True)]
        for name, own in times.items()
    }


def best(samples: Mapping[str, Sequence[float]]) -> list[str]:
    """Return the algorithm of the least time, a geometric mean over draws, then those that do as well.

    These take less than `_TIE` longer, or the t-test of the ratio, draw by draw, does not distinguish them.
    """
    logs = {name: np.log(sample) for name, sample in samples.items()}
    first = min(logs, key=lambda name: float(logs[name].mean()))
    return [first, *(name for name in logs if name != first and _equal(logs[name] - logs[first]))]


def _equal(ratios: NDArray[np.float64]) -> bool:
    if ratios.mean() <= math.log(1 + _TIE):
        return True
    varies = len(ratios) > 1 and np.ptp(ratios) > _SAME
    return bool(varies and stats.ttest_1samp(ratios, 0).pvalue > LEVEL)


def winners_of(outcomes: Iterable[tuple[Cell, Mapping[str, Any]]]) -> pd.DataFrame:
    """Return a row for each cell and setting.

    ``kept`` is the time of the algorithm that is best in order and alone over that of the best one;
    ``another``: none that is best there is among the best here.
    """
    rows = []
    for cell, outcome in outcomes:
        alone = best(samples_of(outcome["cycles"][_ALONE]))
        for setting in SETTINGS:
            samples = samples_of(outcome["cycles"][setting])
            first, *equal = best(samples)
            means = {name: float(stats.gmean(sample)) for name, sample in samples.items()}
            rows.append(
                {
                    "operation": cell.operation,
                    "network": cell.network,
                    "ranks": cell.ranks,
                    "bytes": cell.bytes,
                    "setting": setting,
                    "winner": first,
                    "as good": equal,
                    "cycles": means[first],
                    "kept": means[alone[0]] / means[first],
                    "another": not set(alone) & {first, *equal},
                }
            )
    return pd.DataFrame(rows)


def findings(winners: pd.DataFrame) -> ReportTable:
    rows = []
    for setting, own in winners.groupby("setting", sort=False):
        logs = np.log(own["kept"])
        rows.append(
            {
                "setting": setting,
                "cells": len(own),
                "another wins %": 100 * own["another"].mean(),
                "kept, mean": math.exp(logs.mean()),
                "kept, 90 %": own["kept"].quantile(0.9),
                "kept, most": own["kept"].max(),
            }
        )
    digits = {"cells": 0, "another wins %": 0} | dict.fromkeys(("kept, mean", "kept, 90 %", "kept, most"), 2)
    title = (
        "The algorithm that is best in order and alone: its time in other settings relative to the best one"
    )
    return ReportTable("kept", title, pd.DataFrame(rows), digits)


def by_ranks(winners: pd.DataFrame) -> ReportTable:
    """Return for each number of ranks how often another algorithm wins, and what keeping one costs."""
    rows = []
    for ranks, own in winners.groupby("ranks"):
        row: dict[str, float] = {"ranks": ranks, "cells": len(own) // len(SETTINGS)}
        for setting in list(SETTINGS)[1:]:
            there = own[own["setting"] == setting]
            row[f"{setting}: another wins %"] = 100 * there["another"].mean()
            row[f"{setting}: kept"] = math.exp(np.log(there["kept"]).mean())
        rows.append(row)
    frame = pd.DataFrame(rows)
    digits = {name: 2 if name.endswith("kept") else 0 for name in frame}
    title = (
        "By ranks: in how many cells another algorithm wins than in order and alone, and that one kept, mean"
    )
    return ReportTable("ranks", title, frame, digits)


def winner_table(operation: str, winners: pd.DataFrame) -> ReportTable:
    rows = []
    for (network, ranks, bytes), own in winners.groupby(["network", "ranks", "bytes"], sort=False):
        by_setting = own.set_index("setting")
        rows.append(
            {"network": network, "ranks": ranks, "bytes": bytes}
            | {
                setting: by_setting["winner"][setting]
                + (f" +{len(equal)}" if (equal := by_setting["as good"][setting]) else "")
                for setting in SETTINGS
            }
        )
    title = f"{operation}: the fastest algorithm; +n: n others are as fast"
    return ReportTable(operation, title, pd.DataFrame(rows), {"ranks": 0, "bytes": 0})


def choice_table(outcomes: Iterable[tuple[Cell, Mapping[str, Any]]]) -> ReportTable:
    """Return the time of each table's choice over the best, by operation and setting: geometric logs.

    The algorithm counts, not the table's segments: all are simulated with the study's. One that was given up
    counts with the time that it was given.
    """
    rows = []
    for cell, outcome in outcomes:
        for table in TABLES:
            block = cell.bytes // cell.ranks if cell.operation in BLOCKS else cell.bytes
            chosen = schedule(cell.operation, cell.ranks, block, collectives=table).algorithm
            chosen = outcome["same"].get(chosen, chosen)
            for setting in SETTINGS:
                logs = {
                    name: float(np.log(sample).mean())
                    for name, sample in samples_of(outcome["cycles"][setting]).items()
                }
                ratio = logs[chosen] - min(logs.values())
                for operation in (cell.operation, "all"):
                    rows.append({"operation": operation, "table": table, "setting": setting, "ratio": ratio})
    frame = pd.DataFrame(rows).groupby(["operation", "table", "setting"], sort=False)["ratio"].mean()
    cells = np.exp(frame).unstack("setting", sort=False)[list(SETTINGS)].reset_index()
    cells.columns.name = None
    cells = cells.sort_values("operation", key=lambda names: names != "all", kind="stable")
    title = "Time of the algorithm that a table selects relative to the best one, geometric mean over cells"
    return ReportTable("choices", title, cells, dict.fromkeys(SETTINGS, 2))


SMALL = ("torus:4x4x4", "tree:4,3", "dragonfly:a=4,p=2,h=2")
LARGE = ("torus:8x8x4", "tree:4,4", "dragonfly:a=8,p=2,h=2")
LARGEST = ("torus:8x8x8", "tree:8,3", "dragonfly:a=8,p=4,h=2")
BYTES = (256, 8192, 131072, 1048576)
MACHINES = {8: SMALL, 24: SMALL, 64: LARGE, 128: LARGE, 256: LARGEST}  # by ranks
MANY = 128  # ranks from which on only these operations and bytes are simulated, for time's sake
OF_MANY = (("allreduce", "bcast", "allgather", "alltoall"), BYTES[1::2])
DRAWS = 3
PARTS = {
    "allreduce": "sum at all ranks",
    "bcast": "broadcast",
    "allgather": "all blocks at all ranks",
    "alltoall": "a block from each rank to each rank",
    "reduce": "sum at one rank",
    "reduce_scatter": "sum, one block of it at each rank",
    "gather": "all blocks at one rank",
    "scatter": "a block from one rank to each rank",
    "scan": "sums over all preceding ranks",
    "barrier": "wait for all",
}


def cells(request: StudyRequest) -> list[Cell]:
    draws = request.partitions or (2 if request.quick else DRAWS)
    if request.quick:
        return [
            Cell(operation, network, 8, bytes, draws)
            for operation in request.parts
            for network in SMALL[:2]
            for bytes in _sizes(operation, 8)[:2]
        ]
    return [
        Cell(operation, network, ranks, bytes, draws)
        for ranks, networks in MACHINES.items()
        for operation in request.parts
        for network in networks
        for bytes in _sizes(operation, ranks)
    ]


def _sizes(operation: str, ranks: int) -> tuple[int, ...]:
    operations, sizes = OF_MANY if ranks >= MANY else (tuple(PARTS), BYTES)
    if operation not in operations:
        return ()
    return sizes[:1] if operation == "barrier" else sizes


def run(request: StudyRequest, context: StudyContext) -> Report:
    outcomes = case_outcomes(cells(request), context)
    winners = winners_of(outcomes)
    tables, figures = [findings(winners), by_ranks(winners), choice_table(outcomes)], {}
    for operation in request.parts:
        own = winners[winners["operation"] == operation]
        tables.append(winner_table(operation, own))
        title = f"{operation}: {PARTS[operation]} (+n: n others do as well)"
        figures[operation] = partial(draw_winners, winners=own, title=title)
    return Report(tuple(tables), _summary(tables[0].frame, tables[2].frame), figures)


def _summary(frame: pd.DataFrame, chosen: pd.DataFrame) -> tuple[str, ...]:
    others = frame[frame["setting"] != "in order"].set_index("setting")["another wins %"]
    best = chosen[chosen["operation"] == "all"]
    text = ", ".join(
        f"{row.table} {row.alone:.2f} alone and {row.shared:.2f} with neighbors"
        for row in best.rename(columns={"in order": "alone", "scattered, beside": "shared"}).itertuples()
    )
    return (
        f"The best algorithm differs significantly from that in order and alone in the following shares of "
        f"{frame['cells'].iloc[0]} cells: "
        + ", ".join(f"{share:.0f} % {setting}" for setting, share in others.items())
        + ".",
        f"Time of the algorithm that a table selects relative to the best one, geometric mean: {text}.",
    )


STUDY = Study(
    name="collectives",
    title="Which collective algorithm is fastest, by ranks, bytes, network, mapping and neighbors?",
    parts=PARTS,
    run=run,
    options=("partitions",),
)
