"""Run times that several plans need, simulated together before anything is scheduled."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from netplace.cli.many import Execution, open_store, say
from netplace.cli.sweep_progress import SweepProgress

if TYPE_CHECKING:
    from netplace.runs.plan import Plan


def complete_run_times(plans: Sequence[Plan], execution: Execution) -> None:
    """Simulate the run times that plans need and their stores lack, and tell how many they are."""
    if not any(plan.simulate for plan in plans):
        return
    from netplace.runs.schedules import workload_of
    from netplace.runs.tabled_jobs import complete_tables

    for path in {plan.times.partition(":")[2] for plan in plans if plan.simulate}:
        if Path(path).is_file():
            open_store(path).close()  # says so if it is empty

    def announce(count: int) -> None:
        say(f"{count:,} run times are missing and are simulated")

    with SweepProgress("runs", True) as progress:
        complete_tables(
            plans, workload_of, lambda: execution.resources(None, len(plans)).simulators(), progress, announce
        )
