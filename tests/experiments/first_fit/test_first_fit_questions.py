"""What searches for boxes are asked, what that costs them, and ratios of their times."""

import math

import numpy as np
import pytest

from netplace.experiments.first_fit import searches
from netplace.experiments.first_fit.questions import ASK, RELEASE, TAKE, measure, of_log, questions
from netplace.native import scheduling as native
from netplace.scheduling.partitioner.contiguous import SEARCHES as OURS
from netplace.scheduling.workload import Workload
from netplace.topologies import parse

SEARCHES = OURS | searches.SEARCHES


def test_questions_tell_a_story_that_holds_together():
    grid = parse("torus:6x5x4")
    asked = questions(grid, 3, 1.0, 200, seed=4)
    held = dict(asked.held)
    kinds = [kind for kind, _, _ in asked.steps]
    assert kinds.count(ASK) == 200
    for place, (kind, base, shape) in enumerate(asked.steps):
        if kind == ASK:
            assert all(1 <= side <= 3 for side in shape)
            # What is found is taken at once; what is not is asked for again after the next release.
            after = asked.steps[place + 1 : place + 2]
            if base >= 0:
                assert after == ((TAKE, base, shape),)
        elif kind == TAKE:
            assert base not in held
            held[base] = shape
        else:
            assert held.pop(base) == shape
        assert sum(map(math.prod, held.values())) <= grid.nodes
    assert RELEASE in kinds
    assert 0 < asked.answered < 1
    assert 0.2 < asked.occupied < 1
    assert questions(grid, 3, 1.0, 200, seed=4) == asked
    assert questions(grid, 3, 1.0, 200, seed=5) != asked


def test_jobs_of_a_log_wait_in_order_in_boxes_near_a_square():
    # Each takes 4x4 of 4x5 nodes for 10 s, and comes 5 s after the one before: all wait for a release.
    count = 50
    numbers = np.arange(count)
    jobs = Workload(numbers, 5.0 * numbers, np.full(count, 14), np.full(count, 10.0))
    asked = of_log(parse("mesh:4x5"), jobs, 20)
    assert {shape for _, _, shape in asked.steps} == {(4, 4)}
    kinds = [kind for kind, _, _ in asked.steps]
    assert (kinds.count(ASK), kinds.count(TAKE)) == (20, 10)
    assert asked.occupied == pytest.approx(0.8 / 2)  # of 20 nodes: 16 at a search that fails, else none
    with pytest.raises(ValueError, match="log of 50 jobs: ends before 200 searches"):
        of_log(parse("mesh:4x5"), jobs, 200)


def test_a_low_load_leaves_the_machine_emptier():
    grid = parse("mesh:24x24")
    low, high = (questions(grid, 6, load, 300) for load in (0.2, 1.0))
    assert low.occupied == pytest.approx(0.2, abs=0.1)
    assert low.occupied < high.occupied
    assert low.answered > high.answered


def test_every_exact_search_answers_alike_and_is_charged():
    grid = parse("mesh:24x24")
    asked = questions(grid, 6, 1.0, 100)
    costs = {
        name: measure(SEARCHES[name](grid), asked) for name in ("naive", "zff", "rbs", "iff", "contiguous")
    }
    for cost in costs.values():
        assert cost.questions == 100
        assert cost.seconds > 0
    assert costs["contiguous"].visited < costs["iff"].visited < costs["naive"].visited
    assert costs["zff"].visited >= 2 * grid.nodes
    part = measure(SEARCHES["naive"](grid), asked, seconds=1e-9)
    assert 1 <= part.questions < 100
    # A job's time: as many questions as all jobs posed, also for a search that placed none meanwhile.
    assert asked.per_job == pytest.approx(1 / asked.answered)
    assert part.per_job(asked) == pytest.approx(part.seconds * asked.per_job)
    whole = costs["iff"]
    assert whole.per_job(asked) == pytest.approx(whole.seconds * whole.questions / whole.placed)


def test_a_wrong_answer_is_no_measurement():
    grid = parse("mesh:24x24")
    asked = questions(grid, 6, 1.0, 100)
    with pytest.raises(ValueError, match="FrameSliding: does not find"):
        measure(SEARCHES["frame-sliding"](grid), asked)


def _runs(grid, held):
    """Return the number of free nodes from each node on, in each dimension, by definition."""
    runs = []
    for d, size in enumerate(grid.sizes):
        lines = np.moveaxis(held.reshape(grid.sizes[::-1]), -1 - d, -1)
        ahead = np.concatenate([lines, lines if grid.wraps else np.ones_like(lines)], axis=-1)
        parts = [ahead[..., x : x + size] for x in range(size)]
        run = [np.where(part.any(-1), part.argmax(-1), size) for part in parts]
        runs.append(np.moveaxis(np.stack(run, -1), -1, -1 - d).ravel())
    return np.array(runs)


@pytest.mark.parametrize("network", ["mesh:6x6", "torus:6x5", "torus:4x3x5", "mesh:3x4x2x3"])
def test_iff_updates_rims_released_nodes_and_runs_that_end_there(network):
    asked = questions(parse(network), 3, 1.0, 60, seed=1)
    search, held = searches.ImprovedFirstFit(asked.grid), np.zeros(asked.grid.nodes, bool)
    for kind, base, shape in [*((TAKE, *box) for box in asked.held), *asked.steps]:
        if kind != ASK:
            before, runs = search.updated, _runs(asked.grid, held)
            box = native.box_nodes(np.array(asked.grid.sizes), base, np.array(shape))
            held[box] = kind == TAKE
            (search.take if kind == TAKE else search.release)(base, shape)
            changed = (_runs(asked.grid, held) != runs).any(axis=0)
            interior = math.prod(max(side - 2, 0) for side in shape) if kind == TAKE else 0
            assert search.updated - before == np.count_nonzero(changed) - interior


def test_updates_of_iff_beside_hand_computed_ones():
    # 3x3 at (2, 2) of an empty 6x6 mesh: 8 nodes of the rim, two before each of its rows and columns.
    search = searches.ImprovedFirstFit(parse("mesh:6x6"))
    search.take(14, (3, 3))
    assert search.updated == 8 + 6 + 6
    search.release(14, (3, 3))
    assert search.updated == 20 + 9 + 6 + 6
