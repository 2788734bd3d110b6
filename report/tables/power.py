"""Energy in tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from netplace.checks.quantities import Quantity
from netplace.report.tables.data_table import DataTable, figure_table, figures_of

if TYPE_CHECKING:
    from netplace.scheduling.power import PowerFigures


def power_table(power: PowerFigures) -> DataTable:
    rows = figures_of(power)
    rows += [(Quantity(f"energy, {name}", "J", 1), [joules]) for name, joules in power.by_state.items()]
    rows += [(Quantity(f"node-seconds, {name}", "share", 2), [part]) for name, part in power.shares.items()]
    rows += [(Quantity(name.replace("_", " ")), [count]) for name, count in power.counts.items()]
    return figure_table(f"Energy, {power.switching}", rows)


def power_columns(power: PowerFigures | None) -> dict[str, Any]:
    """Return the figures of a schedule as columns of a table of schedules; none without power."""
    if power is None:
        return {}
    names = (
        "energy",
        "energy_delay",
        "boots",
        "stops",
        "mean_on",
        "waited_for_boot",
        "boot_wait",
        "hindsight",
    )
    row = {name: getattr(power, name) for name in names}
    row["power_wait"] = power.mean_wait
    row |= {f"energy_{state}": joules for state, joules in power.by_state.items()}
    return row
