"""The study of collectives: cells, who wins, and what tables choose."""

import numpy as np
import pytest

from netplace.experiments.collectives.cells import HOPELESS, SETTINGS, Cell
from netplace.experiments.collectives.study import (
    best,
    by_ranks,
    choice_table,
    draw_winners,
    findings,
    samples_of,
    winner_table,
    winners_of,
)
from netplace.netsim import simulate
from netplace.topologies import parse

pytestmark = pytest.mark.all  # carries out a study


@pytest.fixture(scope="module")
def outcomes():
    found = [Cell("barrier", network, 8, 0, draws=2) for network in ("torus:4x4", "tree:4,2")]
    return [(cell, cell.run()) for cell in found]


def test_every_algorithm_runs_in_every_setting(outcomes):
    for _, outcome in outcomes:
        assert list(outcome["cycles"]) == list(SETTINGS)
        assert outcome["cycles"]["in order"].keys() == {
            "linear", "double_ring", "recursive_doubling", "bruck", "tree", "hierarchical",
        }  # fmt: skip
        for name, setting in SETTINGS.items():
            times = outcome["cycles"][name].values()
            assert {len(draws) for draws in times} == {2 if setting.is_random else 1}
            for draw in zip(*times, strict=True):
                known = [cycles for cycles in draw if cycles is not None]
                assert max(known) <= HOPELESS * min(known) or name == "in order"


def test_alone_in_order_is_a_plain_run(outcomes):
    from netplace.apps import Program, TaskWriter
    from netplace.apps.collectives import schedule
    from netplace.experiments.collectives.cells import CONFIG

    writers = [TaskWriter(rank, 8) for rank in range(8)]
    for rank, writer in enumerate(writers):
        schedule("barrier", 8, 0, algorithm="tree").write(writer, range(8), rank)
    cycles = simulate(parse("torus:4x4"), Program.of(writers), config=CONFIG).cycles
    assert outcomes[0][1]["cycles"]["in order"]["tree"] == [cycles]


def test_the_same_messages_count_once():
    outcome = Cell("scatter", "torus:4x4", 3, 300, draws=1).run()
    assert outcome["same"]
    assert not set(outcome["same"]) & set(outcome["cycles"]["in order"])


def test_winners_are_told_with_those_that_do_as_well():
    assert best({"a": [100.0], "b": [101.0], "c": [103.0]}) == ["a", "b"]
    draws = np.array([100.0, 120.0, 90.0, 110.0])
    assert best({"a": draws, "b": draws * [1.2, 0.9, 1.1, 1.1], "c": draws * [1.1, 1.11, 1.1, 1.12]}) == [
        "a",
        "b",
    ]
    assert samples_of({"a": [10, 30], "b": [None, 20]}) == {"a": [10.0, 30.0], "b": [20.0, 20.0]}


def test_tables_and_pictures_are_made(outcomes, tmp_path):
    winners = winners_of(outcomes)
    assert len(winners) == 2 * len(SETTINGS)
    assert findings(winners).frame.set_index("setting")["kept, most"]["in order"] == 1
    assert len(winner_table("barrier", winners).frame) == 2
    [ranks] = by_ranks(winners).frame.to_dict("records")
    assert (ranks["ranks"], ranks["cells"]) == (8, 2)
    assert ranks["shuffled: kept"] >= 1
    chosen = choice_table(outcomes).frame
    assert (chosen[list(SETTINGS)] >= 1).all(axis=None)
    draw_winners(tmp_path / "barrier.png", winners, "barrier")
    assert (tmp_path / "barrier.png").stat().st_size > 5000
