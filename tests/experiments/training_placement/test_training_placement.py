"""The study of training jobs and their places."""

from __future__ import annotations

import numpy as np
import pytest

from netplace.experiments.training_placement.cells import MIX, RANKS, Cell, _placed
from netplace.experiments.training_placement.picture import draw_steps
from netplace.experiments.training_placement.study import MACHINES, STUDY, _steps, cells
from netplace.studies.study import ask


@pytest.mark.parametrize("part", MACHINES)
def test_jobs_have_nodes_of_their_own(part):
    machine, partitioners = MACHINES[part]
    nodes = _placed(machine, partitioners[-1], 0)
    assert [len(own) for own in nodes] == [RANKS, *(tasks for tasks, *_ in MIX)]
    assert len(np.unique(np.concatenate(nodes))) == sum(map(len, nodes))


def test_a_step_is_not_quicker_beside_others(tmp_path):
    cell = Cell("torus:10x10x10", "random", "tp-cp-dp-pp", 0)
    found = cell.carry_out()
    assert found["neighbours"] == len(MIX)
    assert found["live"] > found["alone"] > 100
    steps = _steps([(cell, found)])
    draw_steps(tmp_path / "torus.png", steps, "torus")
    assert (tmp_path / "torus.png").stat().st_size > 5000


def test_the_quick_version_is_smaller():
    whole = [cell for part in MACHINES for cell in cells(part, ask(STUDY))]
    quick = [cell for part in MACHINES for cell in cells(part, ask(STUDY, quick=True))]
    assert len(quick) < len(whole) / 2
    assert len({cell.key for cell in whole}) == len(whole)
