"""The published study of partition selection: its table, its schedules, and what the small version finds."""

import numpy as np
import pandas as pd
import pytest
from answers import csv_rows

from netplace.experiments.partition_selection import schedules as selection_schedules
from netplace.experiments.partition_selection.box_times import by_traffic, run_in_box, run_times, shapes
from netplace.experiments.partition_selection.cells import break_evens, cells_of, printed_classes
from netplace.experiments.partition_selection.schedules import SELECTIONS, Machine, SelectionCase, rounded_up
from netplace.experiments.partition_selection.study import ALONE, cases, rows
from netplace.report.studies import STUDIES
from netplace.report.studies.study import StudyContext, make_request
from netplace.runs.store import Store
from netplace.runs.tables import entry_of
from netplace.scheduling import Job
from netplace.scheduling.workload import PUBLISHED_CLASSES, SIZES, applications
from netplace.scheduling.workload.applications import published_sizes
from netplace.topologies import parse

pytestmark = pytest.mark.all  # carries out a study

STUDY = STUDIES["partition-selection"]


def test_the_table_has_the_published_applications_sizes_and_boxes():
    request = rows(make_request(STUDY))
    assert len({row.run.key for row in request}) == len(request)
    boxes = {8: 2, 16: 3, 32: 4, 64: 6, 128: 6, 256: 6, 512: 6}
    kinds = {(row.labels["application"], row.labels["nodes"]) for row in request}
    assert len({name for name, _ in kinds}) == 17
    assert len(request) == 2 * 3 * sum(boxes[nodes] for _, nodes in kinds)
    assert {nodes for name, nodes in kinds if name.startswith("2d")} == {16, 64, 256}
    assert {nodes for name, nodes in kinds if name.startswith("3d")} == {8, 64, 512}
    assert not any(row.labels["shape"].endswith("1x1") for row in request)


def test_nine_strategies_of_each_workload():
    assert len(cases(make_request(STUDY, ["large"]))) == 9
    assert len(cases(make_request(STUDY, ["classes"]))) == 4 * 9
    assert len(cases(make_request(STUDY, ["break-even"]))) == 3 * (3 + 7)  # rules, and slowdowns if scattered
    assert len(cases(make_request(STUDY, ["streams"]))) == 5 * (2 * 3 + 4)
    assert len(cases(make_request(STUDY, ["traffic"]))) == 3 * 2 * 4


def test_boxes_stand_in_the_order_of_their_traffic():
    # Sums of hops of a 4x4 mesh of tasks: 48 in 4x4x1; between rows 1 and 2, twice as many in 4x2x2: 56; in
    # 8x2x1, where rows are 4, 5 and 4 hops apart, 24 + 8 * 13 = 128.
    found = by_traffic("2d-mesh,bytes=256", 16, ("consecutive",))
    assert [shape for shape, _ in found] == [(4, 4, 1), (4, 2, 2), (8, 2, 1)]
    both = by_traffic("2d-mesh,bytes=256", 16, ("random", "consecutive"))
    assert both[0] == ((4, 4, 1), "consecutive")
    job = Job(1, 0.0, 16, 1.0, program="2d-mesh,bytes=256")
    rule = SELECTIONS["WTAD"](SelectionCase("medium", "II", "WTAD", "best-known"), parse("torus:8x8x8"), None)
    assert rule(job) == [both[0]]


def test_a_set_up_changes_programs_and_keys_and_nothing_else():
    plain, other = (rows(make_request(STUDY, [part])) for part in ("run-times", "run-times-insee"))
    plain = [row for row in plain if row.labels["intensity"] == "low"]
    assert [row.labels["application"] for row in plain] == [row.labels["application"] for row in other]
    changed = {
        row.labels["application"]
        for row, one in zip(plain, other, strict=True)
        if row.run.key != one.run.key and not str(row.labels["mapping"]).startswith("td")
    }
    assert changed == {"2d-torus", "2d-t-torus", "3d-torus", "3d-t-torus", "gups", "waterfall"}
    cased = [cases(make_request(STUDY, [part])) for part in ("classes", "classes-rounded", "classes-insee")]
    assert len({case.key for own in cased for case in own}) == 3 * len(cased[0])


def test_ratios_stand_beside_the_printed():
    made = [
        {"classes": "II", "strategy": strategy, "batches": [jobs] * 4, "started": jobs}
        | {"head_wait": 1e7 / jobs, "run": 1.0, "utilisation": 0.5}
        for strategy, jobs in (("CS-BM", 100.0), ("BPS-BM", 110.0))
    ]
    cells = cells_of(pd.DataFrame(made), printed_classes())
    row = cells.set_index("strategy").loc["BPS-BM"]
    assert row["started / CS-BM"] == pytest.approx(1.1)
    assert row["printed started / CS-BM"] == pytest.approx(107182 / 98151)
    assert row["most"] == "*"


def test_break_evens_where_curves_cross():
    common = {"sizes": "large", "classes": "I-IV", "mapping": "best-known", "node_time": 10.0}
    made = [common | {"selection": "BPS", "slowdown": 0, "started": 100.0, "utilisation": 0.8}]
    made += [
        common
        | {"selection": "scattered", "slowdown": slow, "started": 120 / (1 + slow / 100), "utilisation": 1.0}
        for slow in (0, 10, 20, 30)
    ]
    [cell] = break_evens(pd.DataFrame(made)).to_dict("records")
    assert cell["break-even"] == pytest.approx(20)
    assert cell["closed form"] == pytest.approx(25)
    assert (cell["printed"], cell["difference"]) == (25, pytest.approx(-5))


@pytest.mark.nightly
def test_the_small_version(tmp_path, quick):
    folder = quick(STUDY.name, tmp_path / "out", "--table", "medium", "--table", "break-even")
    cells = {row["strategy"]: row for row in csv_rows(folder / "medium.csv")}
    assert len(cells) == 9
    for row in cells.values():
        # Under saturation the head waits as long as it takes for the next job to start.
        assert float(row["started"]) * float(row["head_wait"]) == pytest.approx(1e7, rel=0.05)
        assert 0.3 < float(row["utilisation"]) <= 1
    assert float(cells["BPS-BM"]["run"]) <= 1.02 * float(cells["CS-BM"]["run"])
    points = {(row["sizes"], row["strategy"]): row for row in csv_rows(folder / "break-even.csv")}
    assert len(points) == 9
    for row in points.values():
        assert float(row["util. scattered"]) > float(row["util. boxes"])
        assert float(row["break-even"]) == pytest.approx(float(row["closed form"]), abs=5)


def test_sizes_drawn_of_all_arerounded_up_to_those_of_the_application():
    jobs = applications(512, 2000, 1, "I-IV", "medium", repeats=(1, 1))
    nodes = rounded_up(jobs, SIZES["medium"], 1)
    for place, (name, _) in enumerate(jobs.kinds):
        own = nodes[jobs.kind == place]
        assert set(own.tolist()) <= set(published_sizes(name))
    cubes = nodes[
        np.isin(jobs.kind, [at for at, (name, _) in enumerate(jobs.kinds) if name.startswith("3d")])
    ]
    shares = [float((cubes == size).mean()) for size in (8, 64, 512)]
    assert shares == pytest.approx([1 / 16, 9 / 16, 6 / 16], abs=0.06)  # 1; 2, 3, 4; 3, 2, 1 of 16


def in_boxes(times, programs=()):
    """Return a table of runs of applications in boxes, given the number of cycles of each."""
    return pd.DataFrame(
        entry_of(run_in_box(name, "low", nodes, box, "consecutive", dict(programs).get(name)).run)
        | {"seed": 0, "cycles": cycles, "failure": None}
        for name, nodes, box, cycles in times
    )


def test_jobs_are_drawn_anew_where_they_run_out_before_the_last_batch(monkeypatch):
    runs = in_boxes(
        (name, nodes, shape, 1000 + 10 * at + nodes)
        for name in PUBLISHED_CLASSES["I"]
        for nodes in (8, 16)
        for at, shape in enumerate(one for one in shapes(nodes) if max(one) <= 8)
    )
    tables = {"plain": {name: run_times(runs, name) for name in ("consecutive", "best-known")}}
    machine = Machine("torus:8x8x8", 20, 16, 2)
    case = SelectionCase("small", "I", "CS", "best-known", machine=machine, intensities=("low",))
    found = {}
    for tenths in (3, 12, 24):
        monkeypatch.setattr(selection_schedules, "_MORE", tenths)
        found[tenths] = selection_schedules.run_case(case, tables)
    assert found[3] in (found[12], found[24])
    assert len(found[3]["batches"]) == selection_schedules.BATCHES
    light = selection_schedules.run_case(SelectionCase(**vars(case) | {"load": 0.5}), tables)
    assert light["utilisation"] == pytest.approx(0.5, rel=0.2)
    assert light["run"] <= light["total"] < 1.1 * light["run"]


def test_jobs_alone_in_boxes_and_on_random_nodes(tmp_path):
    """The 3-D mesh: the cube with the consecutive mapping is best, the worst takes over six times that."""
    request = make_request(STUDY, list(ALONE), quick=True)
    with Store(tmp_path / "runs.sqlite") as store:
        report = STUDY.run(request, StudyContext(store))
    boxes, apart = (table.frame for table in report.tables)
    cube = boxes[(boxes["box"] == "4x4x4") & (boxes["mapping"] == "consecutive")]
    assert len(boxes) == 6 * 3
    assert cube["to best"].tolist() == [1.0]
    assert boxes["to best"].max() > 6
    assert "best here in 1 of 1 applications" in report.summary[0]
    assert 1 < apart["least"].iloc[0] <= apart["mean"].iloc[0] <= apart["most"].iloc[0] < 2
