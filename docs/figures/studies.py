"""Draws the studies' pictures again from their tables: ``python docs/figures/studies.py``, a minute or so.

The measurements of a study are in CSV files next to its report, so a new look of pictures needs no new
runs. Pictures whose points are in no table are not drawn: `EXCEPTIONS` names the studies that make them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd

from netplace.experiments.allocators import study as allocators
from netplace.experiments.contiguity.tables import report_of
from netplace.experiments.fabrics import study as fabrics
from netplace.experiments.fabrics.study import draw_slowdowns
from netplace.experiments.first_fit import study as first_fit
from netplace.experiments.mesh_2d_or_3d import study as meshes
from netplace.experiments.pareto import study as pareto
from netplace.experiments.partition_metrics import study as metrics
from netplace.experiments.partition_selection import study as selection
from netplace.experiments.placement_effects import study as effects
from netplace.experiments.quasi_contiguity import study as quasi_contiguity
from netplace.experiments.quasi_contiguous import study as thresholds
from netplace.experiments.selection_by_makespan import study as makespans
from netplace.experiments.shared_machine import study as shared
from netplace.experiments.td_vs_classic import study as td
from netplace.experiments.training_placement import study as training
from netplace.report.plots import write_figure
from netplace.report.plots.points import dot_figure, front_figure

STUDIES = Path(__file__).parents[1] / "studies"
EXCEPTIONS = {
    "partition-metrics": "netplace study partition-metrics --table 2d-W, for CG, FT and MG",
    "non-contiguous-break-even": "netplace study non-contiguous-break-even: a point for each slowdown",
    "collectives": "netplace study collectives",
}


def _relative(draw: Callable[..., None], title: str) -> Callable[[Path, pd.DataFrame], None]:
    """Return what draws times relative to one of their kind; stars need to know the runs behind means."""

    def drawn(path: Path, table: pd.DataFrame) -> None:
        known = table if "winner" in table or "runs" in table else table.assign(winner="")
        draw(path, known, title)

    return drawn


def _titled(draw: Callable[..., None], title: str) -> Callable[[Path, pd.DataFrame], None]:
    return lambda path, table: draw(path, table, title)


def _first_fit(machine: str) -> Callable[[Path, pd.DataFrame], None]:
    def drawn(path: Path, table: pd.DataFrame) -> None:
        load = first_fit.LOADS[-1]
        cells = table.assign(load=load, ms=table[f"ms {load:g}"])
        first_fit._draw(path, cells, f"First fit on {machine}, load {load:g}")

    return drawn


def _of_page(page: Path, heading: str) -> pd.DataFrame:
    """Return the first table after a heading of a page or report that has no CSV file, numbers as numbers."""
    lines = page.read_text(encoding="utf-8").split(heading)[1].split("\n#")[0].splitlines()
    rows = [
        [cell.strip(" `") for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")
    ]
    table = pd.DataFrame([row for row in rows[2:] if len(row) == len(rows[0])], columns=rows[0])
    for name in table:
        numbers = pd.to_numeric(table[name].str.replace(",", ""), errors="coerce")
        table[name] = table[name] if numbers.isna().any() else numbers
    return table


def _power(path: Path, report: Path) -> None:
    frame = _of_page(report, "## Energy over that of always-on")
    write_figure(
        path, front_figure("Energy against waiting, 128 nodes", frame[frame["front"].isin(["", "*"])])
    )


def _dots(names: pd.Series, series: dict[str, pd.Series], half: dict[str, pd.Series]) -> pd.DataFrame:
    """Return rows of dots for each series, with half-widths where there are any."""
    none = pd.Series(float("nan"), index=names.index)
    return pd.concat(
        pd.DataFrame({"name": names, "series": label, "value": value, "half": half.get(label, none)})
        for label, value in series.items()
    )


def _break_even(path: Path, table: pd.DataFrame) -> None:
    """Draw how much longer scattered jobs run, and how much longer they may run, for each machine."""
    nodes = table["scattered"].map({"non-contiguous": "first free nodes", "random": "random nodes"})
    load = ("load " + table["load"].astype(str)).replace("load saturated", "all at once")
    table = table.assign(name=load + ", " + nodes)
    labels = {"suffered": "suffered %", "break-even": "break-even %"}
    panels = {
        str(machine): _dots(
            own["name"],
            {label: own[column] for label, column in labels.items()},
            {label: own[f"± {column}"] for label, column in labels.items()},
        )
        for machine, own in table.groupby("machine", sort=False)
    }
    write_figure(path, dot_figure("Slowdown of scattered jobs", panels, "slowdown (%)", line=0.0))


def _of_logs(
    path: Path, heading: str, title: str, columns: dict[str, str], base: str, scale: str = "linear"
) -> None:
    """Draw the tables of a report for three logs, relative to those of a policy."""
    panels = {}
    for log in ("HPC2N", "LLNL-Thunder", "SDSC-Blue"):
        table = _of_page(path.with_name("report.md"), f"## {log}: results relative to {base}")
        if "figure" in table:
            table = table.pivot(index="rule", columns="figure", values="ratio of means").reset_index()
        own = table[table[heading] != base]
        panels[log] = _dots(own[heading], {label: own[column] for label, column in columns.items()}, {})
    write_figure(path, dot_figure(title, panels, f"relative to {base}", line=1.0, scale=scale))


def _two_kinds(path: Path) -> None:
    """Draw the times of schedules relative to the measured ones."""
    table = _of_page(STUDIES / "two-kinds.md", "# Scheduling tasks")
    shares = {label: table[label] / table["measured s"] for label in ("no loss", "greedy", "knapsack")}
    panels = {"": _dots(table["CPUs, GPUs"], shares, {})}
    title = "SWDUAL's tasks for UniProt, by CPUs and GPUs"
    write_figure(path, dot_figure(title, panels, "time relative to the measured time", line=1.0))


_TD = (
    "td-vs-classic/table-1a",
    "td-vs-classic/table-1b",
    "td-vs-classic/table-2",
    "td-vs-classic-random/table-3c",
    "td-vs-classic-shared/table-3a",
    "td-vs-classic-shared/table-3b",
    "td-vs-classic-8x8x8/table-8x8x8-planes",
    "td-vs-classic-8x8x8/table-8x8x8-random",
    "td-vs-classic-8x8x8/table-8x8x8-sub-cubes",
)
_PLACED = {
    "placement-effects/torus-16": "16 instances on a 32x32 torus",
    "placement-effects/torus-1": "One instance on an 8x8 torus",
    "placement-effects/tree-1": "One instance on a 4-ary 3-tree",
    "placement-effects/in-quadrant": "One instance on one 8x8 quadrant of a 32x32 torus",
}
_QUASI_CONTIGUITY = {
    "quasi-contiguity/together": "Tasks outside the subtree on one leaf switch: LU, MG and FT of class W",
    "quasi-contiguity-one-level/one-level": (
        "Tasks outside the subtree one level up: LU, MG and FT of class W"
    ),
}
_SELECTED = {
    "partition-selection/small": "Small sizes, all classes",
    "partition-selection/medium": "Medium sizes, all classes",
    "partition-selection/large": "Large sizes, all classes (thesis, Table 3.5)",
    "partition-selection/classes": "Medium sizes, by class (J. Supercomput., Table 5)",
    "partition-selection-classes/classes": "Medium sizes, by class (J. Supercomput., Table 5)",
    "partition-selection-classes/classes-rounded": "Sizes of all kinds, rounded up, by class",
    "partition-selection-longer/large": "Large sizes, all classes (thesis, Table 3.5)",
    "partition-selection-longer/large-longer": "The same, jobs of class IV 100 times as long",
    "partition-selection-insee/large-insee-rounded": "Large sizes, messages as INSEE's generators have them",
    "partition-selection-insee/classes-insee-rounded": "By class, messages as INSEE's generators have them",
}
_THRESHOLDS = {
    "quasi-contiguous/logs": "Logs",
    "quasi-contiguous/lublin": "Generated workloads like three logs",
    "quasi-contiguous-published/published": "Whole logs, first come first served",
    "quasi-contiguous-published-bf/published-bf": "Whole log, EASY",
    "quasi-contiguous-published-bf/published-bf-counted": "Whole log, EASY that counts nodes",
    "quasi-contiguous-published-bf/published-bf-patient": "Whole log, EASY that waits for its place",
}
# Pictures, without their ending, and what draws each from the table of the same name.
PICTURES: dict[str, Callable[[Path, pd.DataFrame], None]] = {
    **{name: _relative(td._draw, td.PARTS[name.partition("/table-")[2]].title) for name in _TD},
    **{name: _relative(effects._draw, title) for name, title in _PLACED.items()},
    **{name: _relative(quasi_contiguity._draw, title) for name, title in _QUASI_CONTIGUITY.items()},
    **{name: _titled(selection._draw, title) for name, title in _SELECTED.items()},
    **{name: _titled(thresholds.draw, title) for name, title in _THRESHOLDS.items()},
    **{
        f"selection-by-makespan/{size}": _titled(makespans._draw, f"Jobs of {size} sizes")
        for size in ("small", "medium", "large")
    },
    **{f"shared-machine/{name}": _titled(shared.draw, machine) for name, machine in shared.MACHINES.items()},
    **{f"pareto/{name}": _titled(pareto.draw, machine) for name, machine in pareto.MACHINES.items()},
    **{f"fabrics/{part}": _titled(draw_slowdowns, title) for part, title in fabrics.PARTS.items()},
    **{
        f"training-placement/{part}": _titled(training.draw_steps, training.title_of(part))
        for part in ("torus", "tree", "dragonfly")
    },
    "first-fit/mesh": _first_fit("mesh:1024x1024"),
    "first-fit/torus": _first_fit("torus:16x16x16x16x16"),
    "allocators/choice": allocators.draw_choice,
    "break-even-live/break-even": _break_even,
}


def main() -> None:
    """Draw everything."""
    for name, draw in PICTURES.items():
        path = STUDIES / f"{name}.csv"
        table = path.with_name(f"{path.stem}-times.csv")
        draw(path.with_suffix(".png"), pd.read_csv(table if table.exists() else path))
    meshes._draw(STUDIES / "mesh-2d-or-3d/meshes.png", pd.read_csv(STUDIES / "mesh-2d-or-3d/times.csv"))
    for folder, part in (("partition-metrics", "2d-W"), ("partition-metrics-3d", "3d-W")):
        runs = pd.read_csv(STUDIES / f"{folder}/runs-{part}.csv")
        for app in runs["app"].unique():
            metrics.draw(STUDIES / f"{folder}/{part}-{app}.png", runs, part, app)
    for name, drawn in report_of(pd.read_csv(STUDIES / "contiguity/values.csv")).figures.items():
        drawn(STUDIES / f"contiguity/{name}.png")
    _power(STUDIES / "power/front.png", STUDIES / "power/report.md")
    _two_kinds(STUDIES / "two-kinds/workers.png")
    flows = {"sum of flows": "sum_flow", "jobs that succeed": "success"}
    title = "Rules of conservative backfilling"
    _of_logs(STUDIES / "local-backfilling/rules.png", "rule", title, flows, "basic")
    stretches = {"sum of stretches": "sum_bounded_stretch", "sum of flows": "sum_flow"}
    _of_logs(STUDIES / "redirection/policies.png", "policy", "Sequential tasks", stretches, "SPT", "log")


if __name__ == "__main__":
    main()
