"""Costs of processor sets measured with the packet engine, for ``netplace pss derive --measured``."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table

    from netplace.runs.set_costs import LevelCost, Measurement
    from netplace.topologies import Topology


def measured_costs(
    topology: Topology, applications: Sequence[str], pieces: int, store: str | None, workers: int | None
) -> list[LevelCost]:
    """Return what leaving a block of each level costs, simulating what the store lacks."""
    from netplace.runs.set_costs import level_costs, measurements
    from netplace.scheduling.partitioner.pss.derive import plain_levels

    levels = [[members for members, _ in level] for level in plain_levels(topology)]
    if not levels:
        raise ValueError(f"pss derive --measured: {topology} has no levels with measurable costs")
    made = measurements(topology, levels, applications, pieces=pieces)
    with tempfile.TemporaryDirectory() as folder:
        times = _mean_times(made, Path(store) if store else Path(folder) / "runs.sqlite", workers)
    return level_costs(levels, made, times)


def _mean_times(made: Sequence[Measurement], path: Path, workers: int | None) -> list[float]:
    """Return the mean time of the jobs of each measurement, in cycles."""
    import numpy as np

    from netplace.cli.stores import open_store
    from netplace.cli.sweep_progress import SweepProgress
    from netplace.runs.campaign import complete
    from netplace.runs.resources import simulators

    executor = simulators(workers)
    runs = [measurement.run for measurement in made]
    with open_store(path) as kept, SweepProgress() as progress:
        lost = complete(runs, kept, executor, progress)
        if lost.lost:
            raise ValueError(f"pss derive --measured: {lost.lost} runs could not be simulated: {lost.reason}")
        rows = list(kept.rows(runs))
    for measurement, (_, outcome, failure) in zip(made, rows, strict=True):
        if outcome is None:
            raise ValueError(f"pss derive --measured {measurement.application}: {failure}")
    return [float(np.mean([job["cycles"] for job in outcome["jobs"]])) for _, outcome, _ in rows if outcome]


def costs_as_json(costs: Sequence[LevelCost]) -> list[dict[str, Any]]:
    return [dict(vars(cost)) | {"weight": cost.weight} for cost in costs]


def table_of_costs(topology: Topology, costs: Sequence[LevelCost]) -> Table:
    from netplace.report.terminal.screen import number, table

    rows = [
        [
            number(cost.nodes) if first else "",
            number(cost.tasks) if first else "",
            name,
            f"{cost.alone[name]:.2f}",
            f"{cost.full[name]:.2f}",
            number(cost.weight) if first else "",
        ]
        for cost in costs
        for first, name in zip([True] + [False] * len(cost.full), cost.full, strict=False)
    ]
    columns = ["block", "tasks", "application", "alone", "full", "weight"]
    return table(f"{topology}: time of jobs split over blocks, relative to compact ones", columns, rows)
