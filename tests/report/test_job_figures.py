"""A figure of a job is one field: it appears on the terminal, in files, on the page and in a comparison."""

import json
from itertools import combinations

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from netplace.cosim import cosimulate, make_cosim_plan
from netplace.cosim.job_row import JobRow
from netplace.cosim.serialization import read_plan
from netplace.json_files import results_text
from netplace.quantities import quantities
from netplace.report.comparison import compare, read_outcome
from netplace.report.pages.kinds.cosimulation import page
from netplace.report.tables.cosim import figure_tables, write_folder
from netplace.report.tables.schedule import figure_tables as schedule_tables
from netplace.report.tables.schedule import write_figures
from netplace.runs.plan import make_plan
from netplace.runs.schedules import run_schedule
from netplace.scheduling.metrics import PER_JOB, Metrics
from netplace.topologies import parse

GIVEN = {
    "machine": "torus:4x4", "workload": "applications", "jobs": 5, "sizes": "small", "intensity": "low",
    "partition": "random",
}  # fmt: skip


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Return a plan, what came of it, and its folder."""
    folder = tmp_path_factory.mktemp("cosim") / "out"
    plan = make_cosim_plan(GIVEN)
    outcome = cosimulate(plan).outcome
    write_folder(folder, plan, outcome)
    return plan, outcome, folder


@pytest.mark.parametrize("name", [name for name, said in quantities(JobRow).items() if said.better])
def test_a_figure_of_a_job_appears_everywhere(written, name):
    plan, outcome, folder = written
    said = quantities(JobRow)[name]
    values = [job[name] for job in outcome["jobs"]]
    assert [job[name] for job in json.loads((folder / "cosim.json").read_text())["jobs"]] == values
    assert pd.read_csv(folder / "jobs.csv")[name].tolist() == pytest.approx(values)
    assert pd.read_parquet(folder / "jobs.parquet")[name].tolist() == values
    field = pq.read_schema(folder / "jobs.parquet").field(name)
    assert field.metadata == {b"unit": said.unit.encode(), b"description": said.help.encode()}
    [shown] = [made for made in figure_tables(plan, outcome) if made.title == "Figures of the jobs"]
    assert sum(row[0].startswith(said.name) for row in shown.rows) == 1
    [table] = [part for part in page(folder).parts if part.title == "Jobs"]
    assert sum(heading.startswith(said.name) for heading in table.columns) == 1
    differences = compare(read_outcome(folder), read_outcome(folder)).differences
    [difference] = [each for each in differences if each.name == said.heading]
    assert difference.first == pytest.approx(np.mean(values))


def test_a_parquet_file_says_what_its_rows_are(written):
    *_, folder = written
    assert pq.read_schema(folder / "jobs.parquet").metadata[b"netplace"] == b"jobs of a co-simulation 3"


def test_the_distance_of_nodes_is_that_of_all_pairs(written):
    _, outcome, _ = written
    machine = parse(GIVEN["machine"])
    for job in outcome["jobs"]:
        hops = [int(machine.distance(a, b)) for a, b in combinations(job["nodes"], 2)]
        assert job["mean_hops"] == pytest.approx(np.mean(hops) if hops else 0)


def test_the_page_shows_each_job_in_its_units(written):
    _, outcome, folder = written
    [table] = [part for part in page(folder).parts if part.title == "Jobs"]
    place = table.columns.index("run time alone (µs)")
    assert [row[place] for row in table.rows] == pytest.approx(
        [1e6 * job["alone"] for job in outcome["jobs"]]
    )
    place = table.columns.index("submit (µs)")
    assert min(row[place] for row in table.rows) == 0
    assert not {"nodes", "logged (µs)"} & {*table.columns}


def test_a_folder_without_a_later_figure_is_read(written, tmp_path):
    _, outcome, folder = written
    content = json.loads((folder / "cosim.json").read_text())
    for job in content["jobs"]:
        del job["mean_hops"]
        job.pop("slowdown_half_width", None)
    plain = {
        name: value for name, value in content.items() if name not in ("netplace", "version", "checksum")
    }
    (tmp_path / "cosim.json").write_text(results_text("co-simulation", plain))
    _, read = read_plan(tmp_path)
    assert [job["live"] for job in read["jobs"]] == [job["live"] for job in outcome["jobs"]]
    names = {each.name for each in compare(read_outcome(tmp_path), read_outcome(tmp_path)).differences}
    assert "slowdown (live / alone)" in names
    assert "distance of its nodes (hops)" not in names
    assert "distance of its nodes (hops)" not in page(tmp_path).parts[-1].columns


@pytest.mark.parametrize("slowdown", [1.0, 1.2])
def test_a_job_is_slowed_most_only_where_one_is_slowed(written, tmp_path, slowdown):
    content = json.loads((written[2] / "cosim.json").read_text())
    for job in content["jobs"]:
        job |= {"live": slowdown * job["alone"], "slowdown": slowdown}
    plain = {key: value for key, value in content.items() if key not in ("netplace", "version", "checksum")}
    (tmp_path / "cosim.json").write_text(results_text("co-simulation", plain))
    assert any("slowed most" in said for said in page(tmp_path).verdict) == (slowdown > 1)


def test_figures_of_a_schedule_appear_on_the_terminal_and_in_a_comparison(tmp_path):
    plan = make_plan({"machine": "torus:4x4", "workload": "lublin", "jobs": 30, "policy": "easy"})
    carried = run_schedule(plan, keep_nodes=True)
    write_figures(tmp_path / "s", plan, carried)
    metrics = carried.figures.metrics
    whole, jobs, *_ = schedule_tables(plan, carried.figures)
    shown = [row[0] for row in whole.rows]
    differences = compare(read_outcome(tmp_path / "s"), read_outcome(tmp_path / "s")).differences
    compared = {each.name: each.first for each in differences}
    for name, said in quantities(Metrics).items():
        has = said.shown and getattr(metrics, name) is not None
        assert sum(cell.partition(" (")[0] == said.name for cell in shown) == has
        if said.better and has:
            assert compared[said.heading] == pytest.approx(getattr(metrics, name))
    spreads = [row[0] for row in jobs.rows]
    assert [cell.partition(" (")[0] for cell in spreads] == [said.name for _, said in PER_JOB.values()]
    assert {f"mean {said.heading}" for _, said in PER_JOB.values() if said.better} <= {*compared}
