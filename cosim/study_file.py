"""Studies of co-simulations: TOML files in which any key of a plan can be a list.

::

    machine = "torus:16x16"
    workload = "applications"
    jobs = 200
    mean_interarrival = [1e-5, 3e-5]
    policy = ["fcfs", "easy"]
    partition = ["contiguous", "non-contiguous", "random"]
    seeds = 5

Unless the file has ``fidelity``, every combination is executed with a table's times and with live ones.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from netplace.cosim.plan import KEYS, CosimPlan, make_cosim_plan
from netplace.runs.study_file import read_plans
from netplace.runs.toml_lines import read_toml


def read_cosim_study(path: str | Path) -> list[CosimPlan]:
    _, said = read_toml(Path(path), flags=True)
    if "fidelity" in said:
        return read_plans(path, KEYS, make_cosim_plan, "co-simulations")
    return [*_under("table", path), *_under("live", path)]


def _under(time: str, path: str | Path) -> list[CosimPlan]:
    def make(values: dict[str, Any]) -> CosimPlan:
        said = {name: value for name, value in values.items() if time == "live" or name != "explain"}
        return make_cosim_plan(said | {"fidelity": time})

    return read_plans(path, KEYS, make, "co-simulations")
