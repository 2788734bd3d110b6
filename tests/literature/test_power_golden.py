"""Golden cases of planning nodes on and off: see golden/README.md for their columns."""

import json
from typing import Any

import pytest
from golden_folder import rows

from netplace.experiments.power.shared_nodes import SharedCluster, SharedJob, plan_shared
from netplace.scheduling.power.on_off import SlotJob, SlotPower, Slots, plan_on_off

CASES = rows("power_golden*.csv")


LONG = {"ten-jobs"}


def of_model(name: str) -> list[Any]:
    """Return the cases of a model; if a folder of others has none, one that says so."""
    found = [
        pytest.param(row, id=row["case"], marks=pytest.mark.nightly if row["case"] in LONG else ())
        for row in CASES
        if row["model"] == name
    ]
    return found or [pytest.param(None, marks=pytest.mark.skip(reason=f"no case of model {name}"))]


def check(got: float | None, expected: str) -> None:
    if expected == "infeasible":
        assert got is None
    elif expected:
        assert got == pytest.approx(float(expected), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("row", of_model("report"))
def test_nodes_shared_by_jobs(row: dict[str, str]) -> None:
    said = json.loads(row["input"])
    held = {
        int(node): tuple((cores, until) for cores, until in parts) for node, parts in said["held"].items()
    }
    cluster = SharedCluster(
        tuple(said["cores"]), tuple(said["cost"]), said["horizon"], tuple(said["service"]), held
    )
    jobs = tuple(
        SharedJob(
            job["cores"],
            job["slots"],
            job["nodes"],
            None if job["allowed"] is None else tuple(job["allowed"]),
        )
        for job in said["jobs"]
    )
    plan = plan_shared(cluster, jobs)
    check(None if plan is None else plan.energy, row["energy"])
    if plan is not None:
        assert plan.proven
        check(plan.makespan, row["makespan"])


@pytest.mark.parametrize("row", of_model("netplace"))
def test_nodes_on_and_off(row: dict[str, str]) -> None:
    said = json.loads(row["input"])
    watts = {name: float(value) for name, value in said["watts"].items()}
    slots = Slots(
        said["nodes"],
        said["slots"],
        SlotPower(**watts, boot_slots=said["boot"], stop_slots=said["stop"]),
        tuple((nodes, until) for nodes, until in said["held"]),
        said["on"],
        said["keep"],
    )
    jobs = tuple(SlotJob(nodes, length, first) for nodes, length, first in said["jobs"])
    plan = plan_on_off(slots, jobs, "makespan")
    check(None if plan is None else plan.energy, row["energy"])
    if plan is not None:
        check(plan.second, row["makespan"])
        again = plan_on_off(slots, jobs, "flow")
        assert again is not None
        assert plan.proven
        assert again.proven
        check(again.second, row["flow"])
