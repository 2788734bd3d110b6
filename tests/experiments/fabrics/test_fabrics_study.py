"""The study of fabrics, their features, and what sharing costs on them."""

import numpy as np
import pandas as pd
import pytest

from netplace.experiments.fabrics import (
    FEATURES,
    KINDS,
    MIXES,
    PARTITIONERS,
    PARTS,
    STUDY,
    Cell,
    _nodes,
    cells,
    draw_slowdowns,
    jobs_of,
    paired,
    slowdowns,
)
from netplace.netsim.link_limits import limited_links
from netplace.report.studies.study import make_request
from netplace.topologies import parse

pytestmark = pytest.mark.all  # carries out a study


@pytest.mark.parametrize("partitioner", sorted({name for names in PARTITIONERS.values() for name in names}))
def test_jobs_have_nodes_of_their_own(partitioner):
    nodes = _nodes(partitioner, 3)
    assert [len(own) for own in nodes] == [tasks for _, tasks, *_ in MIXES["incast"]]
    assert len(np.unique(np.concatenate(nodes))) == sum(map(len, nodes))


def test_mixes_differ_in_what_is_sent_to_one():
    paced, incast = MIXES["paced"], MIXES["incast"]
    assert [job for job in paced if job[0] != "incast"] == [job for job in incast if job[0] != "incast"]
    assert {kind for kind, *_ in paced} == set(KINDS)


@pytest.mark.parametrize("part", PARTS)
def test_cells_are_settings_that_cables_bear(part):
    machine = parse("dragonfly:a=8,p=4,h=4")
    configs = {cell.config for _, cell in cells(part, make_request(STUDY, quick=True))}
    assert not [limit for config in configs for limit in limited_links(machine, config)]


@pytest.mark.nightly
def test_an_incast_harms_others_less_under_a_bound_of_packets():
    free, bound = (
        Cell("incast", "slingshot-11", "minimal", *FEATURES[name], "random", 9).run()
        for name in ("none", "window of 2")
    )
    worst = [max(np.array(found["live"][:8]) / found["alone"][:8]) for found in (free, bound)]
    assert worst[0] > 5 * worst[1]


def jobs_that_take(times):
    """Return jobs of two draws, in which each kind takes so many times as long live."""
    outcome = {"alone": [2.0] * 10}
    cells = [
        (draw, Cell("paced", "tofu-d", "minimal", "", "", "random", draw))
        for draw in range(1, 1 + len(times))
    ]
    return jobs_of(("none", cell, outcome | {"live": [2.0 * times[draw - 1]] * 10}) for draw, cell in cells)


def test_pairs_share_a_draw_and_all_settings_but_one():
    cell = {"fabric": "tofu-d", "routing": "minimal", "partitioner": "random"}
    slow = {"none": (2.0, 4.0, 8.0), "classes": (1.0, 2.0, 4.0)}  # half as much in each draw
    rows = [
        cell | {"feature": feature, "draw": draw, "slowdown": value}
        for feature, values in slow.items()
        for draw, value in enumerate(values)
    ]
    (found,) = paired(pd.DataFrame(rows)).to_dict("records")
    assert (found["feature"], found["against"], found["draws"]) == ("classes", "none", 3)
    assert [found["ratio"], found["low"], found["high"]] == pytest.approx([0.5] * 3)


def test_slowdowns_are_geometric_means_with_intervals_over_draws(tmp_path):
    table = slowdowns(jobs_that_take([2.0, 8.0]))
    row = table.iloc[0]
    assert row["slowdown"] == pytest.approx(4)
    assert row["low"] * row["high"] == pytest.approx(16)
    assert row["high"] / row["slowdown"] == pytest.approx(np.exp(12.7062 * np.log(2)), rel=1e-4)
    assert [row[kind] for kind in KINDS] == pytest.approx([4] * 5)
    assert row["alone us"] == pytest.approx(2)
    assert row["live us"] == pytest.approx(8)
    alone = slowdowns(jobs_that_take([3.0])).iloc[0]
    assert [alone["low"], alone["high"]] == pytest.approx([3, 3])
    both = pd.concat([table, table.assign(partitioner="switches", feature="classes")])
    draw_slowdowns(tmp_path / "paced.png", both, "paced")
    assert (tmp_path / "paced.png").stat().st_size > 5000
