"""The study of partition shapes: its table, how it answers, and what it finds on a small machine."""

import math

import numpy as np
import pandas as pd
import pytest

from netplace.experiments.selection_by_makespan import MakespanCase, cases, rows, run_case
from netplace.experiments.shared.box_times import BEST, BoxTimes, shapes
from netplace.report.studies import STUDIES
from netplace.report.studies.study import make_request
from netplace.scheduling.job import Job
from netplace.scheduling.partitioner import Allocation
from netplace.scheduling.workload import CLASSES, SIZES

pytestmark = pytest.mark.all  # carries out a study

STUDY = STUDIES["selection-by-makespan"]


@pytest.fixture(scope="module")
def runs():
    """Return made-up run times: the surface of the box, the td mapping in half the time of the others."""
    found = []
    for row in rows(make_request(STUDY, quick=True)):
        sides = [int(side) for side in str(row.labels["shape"]).split("x")]
        surface = sum(math.prod(sides) // side for side in sides)
        found.append({**row.labels, "cycles": surface * (500 if row.labels["mapping"] == "td" else 1000)})
    return pd.DataFrame(found)


def test_boxes_have_the_longest_side_first_and_stay_meshes_in_the_machine():
    assert shapes(8) == [(2, 2, 2), (4, 2, 1), (8, 1, 1)]
    assert all(math.prod(shape) == 512 and max(shape) <= 16 for shape in shapes(512))


def test_the_table_has_every_application_size_box_and_mapping():
    request = rows(make_request(STUDY))
    boxes = sum(len(shapes(nodes)) for nodes in SIZES["medium"])
    assert len(request) == boxes * len(CLASSES["mixed"]) * 2 * 3
    assert len({row.run.key for row in request}) == len(request)
    assert all(row.run.jobs[0].tasks == row.labels["nodes"] for row in request)


def test_run_times_are_those_of_the_box_whatever_its_rotation(runs):
    job = Job(1, 0.0, 8, 0.0, program="3d-mesh,bytes=256", repeats=10)
    turned = [Allocation(np.arange(8), shape) for shape in ((1, 4, 2), (4, 2, 1), (2, 1, 4))]
    plain, least = BoxTimes(runs, "consecutive"), BoxTimes(runs, BEST)
    surface = 2 + 4 + 8
    taken = [plain.seconds(job, one) for one in turned]
    assert taken == [pytest.approx(surface * 1000 * 3.2e-9 * 10)] * 3
    assert least.seconds(job, turned[0]) == pytest.approx(plain.seconds(job, turned[0]) / 2)
    assert least.ranking(job)[0] == ((2, 2, 2), "td")
    assert plain.longest(job) == pytest.approx((8 + 8 + 1) * 1000 * 3.2e-9 * 10)


def test_what_the_table_lacks_is_named(runs):
    job = Job(1, 0.0, 8, 0.0, program="3d-mesh,bytes=4096")
    with pytest.raises(LookupError, match=r"no entry of 3d-mesh,bytes=4096 on 8 nodes in \(2, 2, 2\)"):
        BoxTimes(runs, BEST).seconds(job, Allocation(np.arange(8), (2, 2, 2)))


def test_every_case_is_asked_for_once():
    request = cases(make_request(STUDY, ["large"]))
    assert len(request) == len(set(request)) == 5 * 5 * 3 * 4


def test_better_mappings_and_shapes_shorten_the_schedule(runs):
    times = {mapping: BoxTimes(runs, mapping) for mapping in ("consecutive", BEST)}
    spans = {
        (selection, mapping): run_case(
            MakespanCase("medium", "3d", selection, mapping, 1, 600, quick=True), times
        )["makespan"]
        for selection in ("CS", "BPS")
        for mapping in times
    }
    assert spans["CS", BEST] == pytest.approx(spans["CS", "consecutive"] / 2)
    # Other boxes than the most cubic are slower here, but start earlier.
    assert 0.5 < spans["BPS", BEST] / spans["CS", BEST] < 2
