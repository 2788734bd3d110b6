"""The study of training jobs and their places."""

import numpy as np
import pandas as pd
import pytest

from netplace.experiments.training_placement import (
    MACHINES,
    MIX,
    RANKS,
    Cell,
    _placed,
    by_partitioner,
    draw_steps,
    shares_of_spread,
    steps_of,
)

pytestmark = pytest.mark.all  # carries out a study


@pytest.mark.parametrize("part", MACHINES)
def test_jobs_have_nodes_of_their_own(part):
    machine, partitioners = MACHINES[part]
    nodes = _placed(machine, partitioners[-1], 0)
    assert [len(own) for own in nodes] == [RANKS, *(tasks for tasks, *_ in MIX)]
    assert len(np.unique(np.concatenate(nodes))) == sum(map(len, nodes))


@pytest.mark.parametrize("part", MACHINES)
def test_the_training_job_has_nodes_under_the_first_partitioner(part):
    machine, partitioners = MACHINES[part]
    for draw in range(3):
        assert len(_placed(machine, partitioners[0], draw)[0]) == RANKS


def test_a_step_is_not_quicker_beside_others(tmp_path):
    cell = Cell("torus:10x10x10", "random", "tp-cp-dp-pp", 0)
    found = cell.run()
    assert found["neighbours"] == len(MIX)
    assert found["live"] > found["alone"] > 100
    draw_steps(tmp_path / "torus.png", steps_of([(cell, found)]), "torus")
    assert (tmp_path / "torus.png").stat().st_size > 5000


def _steps(time):
    """Return steps of two partitioners, three orders and two draws; `time` tells how long they take."""
    rows = [
        {"partitioner": p, "order": o, "draw": d, "neighbours": 8, "distance": 2.0}
        | {"alone": 100.0, "live": time(p, o, d)}
        for p in "ab"
        for o in "xyz"
        for d in (0, 1)
    ]
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("time", "share"),
    [
        (lambda p, _o, _d: 100.0 if p == "a" else 120.0, "partitioner %"),
        (lambda _p, o, _d: {"x": 100.0, "y": 120.0, "z": 150.0}[o], "order %"),
        (lambda p, o, _d: 110.0 if (p == "a") == (o == "x") else 100.0, "together %"),
        (lambda _p, _o, d: 100.0 + d, "chance %"),
    ],
)
def test_the_spread_is_of_what_makes_it(time, share):
    shares = shares_of_spread(_steps(time)).set_index("time")
    parts = shares.filter(like="%")
    assert parts.loc["live"].sum() == pytest.approx(100)
    assert parts.loc["live"].idxmax() == share
    assert not parts.loc["alone"].any()


def test_partitioners_have_their_best_and_worst_order():
    table = by_partitioner(_steps(lambda p, o, d: 100.0 + 10 * "zyx".index(o) + 100 * (p == "b") + d))
    assert table["best order"].tolist() == ["z", "z"]
    assert table["live, worst"].tolist() == [120.5, 220.5]
    assert table["live"].tolist() == [110.5, 210.5]
