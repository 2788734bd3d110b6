"""A job that runs alone takes as long in a co-simulation as a run-time table says."""

from functools import partial

import pytest

from netplace.cosim.plan import make_cosim_plan
from netplace.cosim.runner import outcome_of
from netplace.runs.networks import network_of
from netplace.runs.resources import simulators
from netplace.runs.run_times import RunTimeTable, simulated_times
from netplace.runs.schedules import workload_of
from netplace.runs.store import Store
from netplace.runs.tables import run_table
from netplace.scheduling import make_partitioner

LU, LARGE = ("lu,class=S,iterations=1", 16), ("LU.W.16", 16)
MESH, WATERFALL, TREE = ("2d-mesh,bytes=1KiB", 16), ("waterfall,bytes=256", 16), ("binary-tree,bytes=256", 16)


def _seconds(tmp_path, machine, program, repeats, **settings) -> tuple[float, float]:
    """Return the run time of the only job, live and by a table."""
    text, tasks = program
    listed = tmp_path / "job.toml"
    size = "" if text[0].isupper() else f"tasks = {tasks}\n"
    listed.write_text(f'[[job]]\nprogram = "{text}"\n{size}repeats = {repeats}\n')
    partition = "contiguous" if machine.startswith("tree") else "contiguous:cubic"
    given = {"machine": machine, "workload": str(listed), "partition": partition, "fidelity": "live"}
    plan = make_cosim_plan(given | settings)
    [row] = outcome_of(plan)["jobs"]
    [job] = workload_of(plan.jobs)
    with Store(tmp_path / "times.sqlite") as store:
        supply = partial(simulated_times, store=store, executor=partial(simulators, 1))
        no_times = run_table(store.rows())
        times = RunTimeTable(network_of(machine), no_times, config=plan.config, supply=supply)
        allocation = make_partitioner(partition, network_of(machine)).find(job)
        return row["live"], times.seconds(job, allocation)


@pytest.mark.parametrize("settings", [{}, {"vcs": 1}], ids=["default", "one VC"])
@pytest.mark.parametrize("machine", ["torus:8x8", "mesh:8x2", "tree:4,2"])
@pytest.mark.parametrize("program", [LU, MESH, WATERFALL])
def test_once_to_the_cycle(tmp_path, machine, program, settings):
    if machine.startswith("tree") and not settings:
        pytest.skip("two VCs of a tree are chosen at random")
    live, table = _seconds(tmp_path, machine, program, 1, **settings)
    assert table == pytest.approx(live, rel=1e-9)


@pytest.mark.all
@pytest.mark.parametrize("machine", ["torus:8x8", "mesh:8x2"])
def test_a_recorded_program_to_the_cycle(tmp_path, machine):
    live, table = _seconds(tmp_path, machine, LARGE, 1)
    assert table == pytest.approx(live, rel=1e-9)


@pytest.mark.parametrize("repeats", [3, 50])
@pytest.mark.parametrize("program", [LU, WATERFALL, TREE])
def test_repetitions_within_half_a_percent(tmp_path, program, repeats):
    live, table = _seconds(tmp_path, "torus:8x8", program, repeats)
    assert table == pytest.approx(live, rel=0.005)
