"""The cost of each fidelity, and its prediction: measures ``network_time.csv``.

Run with ``python docs/figures/network_time.py``; takes four minutes of CPU time. Jobs of 8 and 16 nodes run
loops on random nodes; the table says what ``--fidelity auto`` would choose, and the CPU seconds of each
fidelity.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from netplace.cosim import cosimulate, make_cosim_plan, placing_of
from netplace.cosim.cost import cheaper, packets_by_fidelity
from netplace.runs.schedules import workload_of

TABLE = Path(__file__).with_suffix(".csv")
MIX = """communication = 0.3
[[class]]
application = "2d-torus,packets=4"
[[class]]
application = "butterfly,packets=4"
"""
# jobs, iterations about
FEW, MANY = (((8, 30), (8, 300), (8, 1_150), (8, 3_450), (8, 11_500)), ((40, 300), (40, 3_450)))
CASES = {"torus:8x8": FEW + MANY, "tree:4,3": FEW}


def measured(machine: str, jobs: int, iterations: int, folder: Path) -> dict[str, object]:
    """Return a row: predicted packets, the choice, and CPU seconds."""
    log, mix = folder / "log.csv", folder / "mix.toml"
    mix.write_text(MIX)
    seconds = iterations * 3e-6
    rows = [
        f"{n},{0.3 * seconds * n},{8 + 8 * (n % 2)},{seconds * (0.8 + 0.1 * (n % 5))}"
        for n in range(1, jobs + 1)
    ]
    log.write_text("\n".join(["number,submit,nodes,run_time", *rows]))
    given = {
        "machine": machine, "workload": str(log), "applications": str(mix), "partition": "random",
        "target_half_width": 0.05,
    }  # fmt: skip
    plan = make_cosim_plan(given)
    placing, workload = placing_of(plan), workload_of(plan.jobs)
    row: dict[str, object] = {"machine": machine, "jobs": jobs}
    row["iterations"] = sum(placing.work_of(job).iterations for job in workload) // jobs
    row |= {f"{name}, packets": packets for name, packets in packets_by_fidelity(placing, workload).items()}
    row["auto"] = cheaper(placing, workload)[0]
    for fidelity in ("live", "sampled", "mixes"):
        made = cosimulate(make_cosim_plan(given | {"fidelity": fidelity})).outcome
        row[f"{fidelity}, CPU s"] = made["cpu_seconds"]
    return row


if __name__ == "__main__":
    made = []
    with TemporaryDirectory() as folder:
        for machine, case in ((machine, case) for machine, some in CASES.items() for case in some):
            made.append(measured(machine, *case, Path(folder)))
            sys.stderr.write(f"{made[-1]}\n")
            pd.DataFrame(made).to_csv(TABLE, index=False, float_format="%.4g")
    sys.stdout.write(pd.DataFrame(made).to_string(index=False, float_format="%.3g") + "\n")
