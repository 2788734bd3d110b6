"""Gradients that are summed in the background."""

from itertools import pairwise

import pytest

from netplace.apps import Op, TaskWriter, application
from netplace.apps.collectives import allreduce, selection
from netplace.apps.training.writing import TAG, Background
from netplace.netsim import simulate
from netplace.topologies import parse

RING = selection("builtin+allreduce=ring")


def sums(writer):
    """Sum a vector among four tasks."""
    allreduce(writer, range(4), 400)


def kinds(writer):
    return [Op(kind) for kind in writer.columns()["kind"].tolist()]


def test_all_at_once_waits_at_the_end():
    writer = TaskWriter(0, 4, RING)
    background = Background(writer, by_rounds=False)
    background.begin(sums)
    background.compute(1000, share=1)
    background.finish()
    assert kinds(writer) == [Op.IRECV, Op.ISEND] * 6 + [Op.COMPUTE] + [Op.WAIT] * 12


@pytest.mark.parametrize(("share", "pieces"), [(1, 7), (0.5, 4)])
def test_round_by_round_a_computation_pauses(share, pieces):
    writer = TaskWriter(0, 4, RING)
    background = Background(writer, by_rounds=True)
    background.begin(sums)
    background.compute(1000, share)
    background.finish()
    columns = writer.columns()
    computed = columns["size"][columns["kind"] == Op.COMPUTE]
    assert (len(computed), computed.sum()) == (pieces, 1000)
    assert computed.max() - computed.min() <= 1
    sent = [place for place, kind in enumerate(kinds(writer)) if kind == Op.ISEND]
    assert len(sent) == 6
    for first, second in pairwise(sent):
        assert kinds(writer)[first:second].count(Op.WAIT) == 2  # what the round before brought
    assert set(columns["tag"][columns["kind"] == Op.ISEND]) == {TAG}


def test_a_step_whose_gradients_overlap_takes_less():
    options = {"model": "toy", "layers": 4, "hidden": 64, "flops": 2e9, "global_batch": 8}
    plain, *overlapping = [
        simulate(parse("torus:2x4"), application("training", 8, overlap=overlap, **options)).cycles
        for overlap in (0, 1, 2)
    ]
    assert max(overlapping) < plain
