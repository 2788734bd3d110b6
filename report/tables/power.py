"""Energy on the screen and in tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from netplace.report.terminal.screen import number, table

if TYPE_CHECKING:
    from rich.table import Table

    from netplace.scheduling.power import PowerFigures

KWH = 3.6e6  # joules


def power_table(power: PowerFigures) -> Table:
    return table(f"energy, {power.switching}", ["figure", "value"], power_rows(power))


def power_rows(power: PowerFigures) -> list[list[str]]:
    rows = [["energy (kWh)", number(power.kwh, 1)]]
    rows += [[f"of these {state} (kWh)", number(joules / KWH, 1)] for state, joules in power.by_state.items()]
    rows += [
        ["with all nodes on, same starts (kWh)", number(power.always_on / KWH, 1)],
        ["switched in hindsight, same starts (kWh)", number(power.hindsight / KWH, 1)],
        ["energy per node-second of work (J)", number(power.per_work, 1)],
        ["energy times mean response (MWh h)", number(power.energy_delay / KWH / 3600 / 1000, 2)],
        ["mean wait until all nodes are on (s)", number(power.mean_wait, 1)],
        ["mean bounded slowdown", number(power.bounded_slowdown, 2)],
        ["mean nodes on", number(power.mean_on, 1)],
    ]
    rows += [[f"node-seconds {state} (%)", number(100 * share, 2)] for state, share in power.shares.items()]
    rows += [
        ["boots", number(power.boots)],
        ["stops", number(power.stops)],
        ["boots per node and day", number(power.boots_a_node_day, 2)],
        ["jobs that waited for a boot", number(power.waited_for_boot)],
        ["their mean wait for it (s)", number(power.boot_wait, 1)],
    ]
    return rows + [[name.replace("_", " "), number(count)] for name, count in power.counts.items()]


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
