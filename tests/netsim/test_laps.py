"""Iterations that are skipped: the network is then in a state that it could have come to."""

from __future__ import annotations

import numpy as np
import pytest

from netplace.cosim.work import Work, body_of
from netplace.netsim import Network
from netplace.topologies import parse

TASKS = 8


def network_with(application, times, machine="mesh:4x4"):
    network = Network(parse(machine))
    program = body_of(Work(f"{application},packets=2", TASKS, 1, 100), network.config)
    return network, network.start(program, range(TASKS), times=times)


@pytest.mark.parametrize("application", ["2d-torus", "butterfly", "all-to-all"])
@pytest.mark.parametrize("machine", ["mesh:4x4", "tree:4,2", "hypercube:4"])
def test_skipping_equally_is_a_shorter_run(application, machine):
    """Where tasks wait for each other, a run from which iterations are cut is the run of so many fewer."""
    whole, job = network_with(application, 60, machine)
    whole.advance(3000)
    whole.skip(job, np.full(TASKS, 20))
    short, other = network_with(application, 40, machine)
    whole.finish()
    short.finish()
    assert whole.job(job).end == short.job(other).end
    assert (whole.job(job).task_end == short.job(other).task_end).all()


def test_laps_count_iterations_and_when_they_ended():
    network, job = network_with("2d-torus", 50)
    last = np.zeros(TASKS, np.int64)
    while not network.advance(network.now + 300):
        laps = network.laps(job)
        assert (laps.done >= last).all()
        assert (laps.last < network.now).all()
        assert (laps.done + laps.left <= 50).all()
        assert laps.sent.tolist() == laps.used.tolist()
        last = laps.done
    assert last.min() > 40


def test_senders_may_be_ahead_by_what_they_have_sent():
    network, job = network_with("all-to-one", 200)
    network.advance(4000)
    before = network.laps(job)
    counts = np.full(TASKS, 30)
    counts[0] = 20  # the root
    network.skip(job, counts)
    after = network.laps(job)
    assert (after.done - before.done == counts).all()
    assert (after.spare - before.spare == 10 * after.used).all()
    network.finish()
    assert network.job(job).end > 0


def test_what_cannot_be_skipped_is_refused():
    network, job = network_with("all-to-one", 200)
    network.advance(4000)
    with pytest.raises(ValueError, match="skip: 200 iterations of task 0 are not between 0 and the"):
        network.skip(job, np.full(TASKS, 200))
    before = network.laps(job)
    ahead = np.zeros(TASKS, np.int64)
    ahead[0] = before.left[0]
    with pytest.raises(ValueError, match=r"task 0 would use .* packets that task . has not sent"):
        network.skip(job, ahead)
    assert (network.laps(job).done == before.done).all()
    once, short = network_with("2d-torus", 1)
    once.advance(5)
    with pytest.raises(ValueError, match="its iterations are not kept once"):
        once.laps(short)
