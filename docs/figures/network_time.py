"""The cost of live and of sampled times: measures ``network_time.csv`` in three minutes of CPU time.

Jobs of 8 and 16 nodes run loops on random nodes, by each fidelity.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

from netplace.cosim import cosimulate, make_cosim_plan, placing_of
from netplace.runs.schedules import workload_of

FIDELITIES = ("live", "sampled")
# jobs, iterations about
COSTS = dict.fromkeys(("torus:8x8", "tree:4,3"), ((8, 30), (8, 300), (8, 1150), (8, 3450), (40, 300)))
CLASSES = "".join(
    f'[[class]]\napplication = "{name},packets=4"\ncommunication = 0.3\nround = "down"\n'
    for name in ("2d-torus", "butterfly")
)


def settings(machine: str, jobs: int, iterations: int, folder: Path) -> dict[str, Any]:
    """Return a co-simulation of so many jobs, of about so many iterations."""
    seconds = iterations * 3e-6
    rows = [
        f"{n},{0.3 * seconds * n:.9f},{8 + 8 * (n % 2)},{seconds * (0.8 + 0.1 * (n % 5)):.9f}"
        for n in range(1, jobs + 1)
    ]
    log, mix = folder / "log.csv", folder / "mix.toml"
    log.write_text("\n".join(["number,submit,nodes,run_time", *rows]))
    mix.write_text(CLASSES)
    given = {"machine": machine, "workload": str(log), "applications": str(mix), "partition": "random"}
    return given | {"target_half_width": 0.05}


def costs() -> pd.DataFrame:
    made = []
    with TemporaryDirectory() as folder:
        for machine, jobs, iterations in ((name, *one) for name, some in COSTS.items() for one in some):
            given = settings(machine, jobs, iterations, Path(folder))
            plan = make_cosim_plan(given)
            placing, workload = placing_of(plan), workload_of(plan.jobs)
            row: dict[str, Any] = {"machine": machine, "jobs": jobs}
            row["iterations"] = sum(placing.program_for(job).iterations for job in workload) // jobs
            for fidelity in FIDELITIES:
                outcome = cosimulate(make_cosim_plan(given | {"fidelity": fidelity})).outcome
                row[f"{fidelity}, CPU s"] = outcome["cpu_seconds"]
            made.append(row)
    return pd.DataFrame(made)


if __name__ == "__main__":
    table = costs()
    table.to_csv(Path(__file__).with_suffix(".csv"), index=False, float_format="%.4g")
    sys.stdout.write(table.to_string(float_format="%.3g") + "\n")
