"""The study of tasks outside their job's subtree."""

import numpy as np
import pytest
from answers import csv_rows

from netplace.experiments.quasi_contiguity import FIRST_FIT, READINGS, Reading, exchanged, rows
from netplace.placement.rule import node_lists
from netplace.report.studies import STUDIES
from netplace.report.studies.study import make_request

STUDY = STUDIES["quasi-contiguity"]


def test_node_lists_join_what_is_consecutive():
    assert node_lists([[3], [0, 1, 2, 8, 7], np.arange(9, 12)]) == "nodes:3/0-2,8,7/9-11"


@pytest.mark.parametrize("reading", [*READINGS, FIRST_FIT], ids=str)
@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_as_many_tasks_of_every_job_sit_with_another_job(count, reading):
    nodes = exchanged(16, 16, count, reading, np.random.default_rng(7))
    assert sorted(nodes.ravel()) == list(range(256))
    jobs = np.arange(16)[:, None]
    home = nodes // 16 == jobs
    assert ((~home).sum(axis=1) == count).all()
    moved = nodes - np.arange(256).reshape(16, 16)
    assert (moved[home] == (count if reading == FIRST_FIT else 0)).all()
    if reading.reach == "one level":
        assert (nodes // 64 == jobs // 4).all()
    for job, away in enumerate(~home):
        where = np.flatnonzero(away)
        if reading.strays in ("last", "first fit"):
            assert where.tolist() == list(range(16 - count, 16))
        if reading.strays == "leaf":
            assert len(set(where // 4)) == 1
        if reading.exchange == "together":
            assert len(set(nodes[job, where] // 16)) == 1


def test_together_they_move_to_one_leaf_switch():
    nodes = exchanged(16, 16, 3, Reading("leaf", "anywhere", "together"), np.random.default_rng(7))
    for job, own in enumerate(nodes):
        assert len(set(own[own // 16 != job] // 4)) == 1


def test_layouts_of_the_study():
    runs = rows(make_request(STUDY, ["one-level", "together", "apart"], partitions=2))
    assert len(runs) == 3 * 3 * (1 + 5 * 2)
    partitions = {row.run.partition for row in runs}
    assert len(partitions) == 1 + 3 * 4 * 2 + 2  # applications share them, parts share whole and random
    assert all(row.run.config.vcs == 1 and len(row.run.jobs) == 16 for row in runs)


@pytest.mark.all
def test_the_quick_version_says_what_straying_costs(tmp_path, quick):
    quick(STUDY.name, tmp_path / "out", "--table", "together", "--partitions", "1")
    cells = {row["layout"]: row for row in csv_rows(tmp_path / "out" / "together.csv")}
    relative = {layout: float(cell["to contiguous"]) for layout, cell in cells.items()}
    assert relative["contiguous"] == 1
    assert all(1 < relative[f"{count} outside"] < relative["random"] for count in (1, 2, 3, 4))
    assert float(cells["random"]["published"]) == 3.2
    text = (tmp_path / "out" / "report.md").read_text()
    assert "Mean absolute difference of the relative times" in text
    assert (tmp_path / "out" / "together.png").is_file()
