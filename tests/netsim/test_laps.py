"""Iterations that are skipped: the network is then in a state that it could have come to."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import programs

from netplace.apps import Op, Program, TaskWriter
from netplace.cosim.work import JobProgram, iteration_program
from netplace.netsim import Config, DeadlockError, Network
from netplace.topologies import parse

TASKS = 8


def network_with(application, times, machine="mesh:4x4"):
    network = Network(parse(machine))
    program = iteration_program(JobProgram(f"{application},packets=2", TASKS, 1, 100), network.config)
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


@pytest.mark.parametrize("machine", ["mesh:4x4", "tree:4,2", "hypercube:4"])
def test_skipping_rendezvous_equally_is_a_shorter_run(machine):
    ends = []
    for times, skipped in ((60, 20), (40, 0)):
        network = Network(parse(machine), Config(eager_limit=64))
        job = network.start(ring_with_ends(), range(TASKS), times=times)
        network.advance(3000)
        assert (network.laps(job).done < 40).all()
        network.skip(job, np.full(TASKS, skipped))
        network.finish()
        ends.append(network.job(job).task_end.tolist())
    assert ends[0] == ends[1]


def test_tasks_that_meet_by_rendezvous_skip_as_many_iterations():
    network = Network(parse("mesh:4x4"), Config(eager_limit=64))
    job = network.start(ring_with_ends(), range(TASKS), times=100)
    network.advance(3000)
    laps = network.laps(job)
    assert laps.tied.any()
    counts = np.full(TASKS, 5)
    counts[0] = 6
    with pytest.raises(ValueError, match=r"messages by rendezvous, for which task . would post"):
        network.skip(job, counts)


def ring_with_ends():
    """Return a ring whose iterations, eager and by rendezvous, have messages of the same keys around them."""
    writers = [TaskWriter(task, TASKS) for task in range(TASKS)]
    for part in (1, 2, 1):
        for writer in writers:
            after, before = (writer.task + 1) % TASKS, (writer.task - 1) % TASKS
            if part == 2:
                writer.mark(0)
            writer.compute(20 * part)
            for _ in range(part):
                requests = [writer.isend(after, size) for size in (40, 100, 300)]
                requests += [writer.irecv(before, size) for size in (300, 100, 40)]
                writer.waitall(requests[::-1])
            if part == 2:
                writer.mark(-1)
    return Program.of(writers)


@given(
    st.data(),
    st.sampled_from(["mesh:3x3", "tree:4,2", "hypercube:3"]),
    st.integers(2, 5),
    st.integers(0, 200),
)
def test_iterations_by_rendezvous_in_a_loop_are_those_written_out(data, machine, times, threshold):
    """What stands before, in and behind the iterations, in any order of waiting, ends in the same cycles."""
    program = marked(*(data.draw(programs(5, most)) for most in (4, 10, 4)))
    told = []
    for recorded in (False, True):  # recording, programs are written out
        network = Network(parse(machine), Config(eager_limit=threshold), record_messages=recorded)
        job = network.start(program, range(5), times=times)
        try:
            network.finish()
            told.append((network.job(job).task_end.tolist(), network.counters().message_delay_sum))
        except DeadlockError as error:
            told.append((error.cycle, network.counters().delivered))
    assert told[0] == told[1]


def marked(*parts):
    """Return the parts one after another; the second is the iterations."""
    writers = [TaskWriter(task, parts[0].tasks) for task in range(parts[0].tasks)]
    for number, part in enumerate(parts):
        for writer in writers:
            if number == 1:
                writer.mark(0)
            opened = {}
            for place in range(part.first[writer.task], part.first[writer.task + 1]):
                kind, peer, size, tag = (int(a[place]) for a in (part.kind, part.peer, part.size, part.tag))
                if kind == Op.COMPUTE:
                    writer.compute(size)
                elif kind == Op.WAIT:
                    writer.wait(opened[int(part.request[place])])
                else:
                    made = getattr(writer, Op(kind).name.lower())(peer, size, tag)
                    opened[int(part.request[place])] = made
            if number == 1:
                writer.mark(-1)
    return Program.of(writers)


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
    with pytest.raises(ValueError, match="skip: 200 iterations of task 0 are out of range, expected 0 to"):
        network.skip(job, np.full(TASKS, 200))
    before = network.laps(job)
    ahead = np.zeros(TASKS, np.int64)
    ahead[0] = before.left[0]
    with pytest.raises(ValueError, match=r"task 0 would use .* packets that task . has not sent"):
        network.skip(job, ahead)
    assert (network.laps(job).done == before.done).all()
    once, short = network_with("2d-torus", 1)
    once.advance(5)
    with pytest.raises(ValueError, match="its iterations are not stored once"):
        once.laps(short)
