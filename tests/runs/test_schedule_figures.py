"""Figures of schedules are the same after they were kept, and those of older files are read."""

import json
import math

import pytest

from netplace.runs.plan import make_plan
from netplace.runs.schedule_figures import ScheduleFigures
from netplace.runs.schedules import run_schedule

GIVEN = {"machine": "torus:4x4", "workload": "lublin", "jobs": 60}


@pytest.mark.parametrize("more", [{}, {"power": "taurus", "switching": "timeout:300"}])
def test_what_was_kept_is_what_was_measured(more: dict[str, str]) -> None:
    figures = run_schedule(make_plan(GIVEN | more)).figures
    kept = json.loads(json.dumps(figures.to_dict()))
    assert repr(ScheduleFigures.from_dict(kept)) == repr(figures)  # half-widths that are not known are nan
    assert json.dumps(kept) == json.dumps(figures.to_dict())
    assert ("power" in kept, "site" in kept) == (bool(more), False)


def test_a_figure_that_is_not_defined_is_no_number() -> None:
    kept = run_schedule(make_plan(GIVEN)).outcome
    kept["metrics"]["run_factor"] = None
    del kept["failed"], kept["versions"]
    figures = ScheduleFigures.from_dict(kept | {"of another version": 1})
    assert math.isnan(figures.metrics.run_factor)
    assert (figures.failed, figures.versions) == ((), {})
