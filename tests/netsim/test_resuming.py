"""Networks run in pieces or interrupted go on exactly, or say that they cannot."""

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference_cases import program as writers
from strategies import configs, networks, placements, programs

from netplace.apps import APPLICATIONS, application
from netplace.netsim import Config, Network, pattern, simulate
from netplace.topologies import parse


def facts(network, jobs):
    """Return all that was measured, in a form that compares."""
    counters = vars(network.counters())
    records = [vars(network.job(job)) for job in jobs]
    return [
        {name: np.asarray(value).tolist() for name, value in each.items()} for each in (counters, *records)
    ]


@given(st.data())
def test_pieces_of_any_length(data):
    topology = parse(data.draw(networks()))
    config = data.draw(configs(bubbles=(2, 3), eager_limit=(None,)))
    program = data.draw(programs(data.draw(st.integers(1, min(8, topology.nodes)))))
    nodes = data.draw(placements(program.tasks, range(topology.nodes)))
    whole, pieces = (Network(topology, config, seed=3, record_messages=True) for _ in range(2))
    for network in (whole, pieces):
        network.start(program, nodes)
    whole.finish()
    lengths = data.draw(st.lists(st.integers(1, 60), min_size=1, max_size=5))
    ended = []
    for step in range(10_000):
        ended += pieces.advance(pieces.now + lengths[step % len(lengths)])
        if ended and not pieces.in_flight:
            break
    assert ended == [0]
    assert facts(whole, [0]) == facts(pieces, [0])


def test_pieces_of_open_loop_traffic(engine):
    topology = parse("torus:4x4")
    outcomes = []
    for piece in (600, 7, 1):
        network = Network(topology, engine=engine, seed=1)
        network.generate(pattern("uniform", topology, 0.04))
        while network.now < 600:
            network.advance(min(600, network.now + piece))
        outcomes.append((facts(network, []), network.in_flight))
    assert outcomes[0] == outcomes[1] == outcomes[2]
    assert outcomes[0][0][0]["created"] > 300


def test_simulate_is_a_network_run_to_its_end(engine):
    topology, program = parse("torus:4x4"), APPLICATIONS["butterfly"].make(tasks=16)
    network = Network(topology, engine=engine, seed=2)
    job = network.start(program)
    assert network.advance() == [job]
    network.finish()
    one, other = (
        dict(result.to_dict(), cpu_seconds=0)
        for result in (network.result(), simulate(topology, program, engine=engine, seed=2))
    )
    assert one == other


def test_nodes_are_used_again_while_packets_of_the_old_job_fly(engine):
    network = Network(parse("mesh:8"), engine=engine, record_messages=True)
    unread = network.start(writers([("send", 1, 64)], []), [0, 7])
    assert network.advance() == [unread]
    assert (network.now, network.in_flight) == (1, 1)  # eager: handed to the injector, and over
    # The new job has the same key: task 0 to task 1, tag 0, one packet. It must not take the old packet.
    again = network.start(writers([("compute", 500), ("send", 1, 64)], [("recv", 0, 64)]), [0, 7])
    assert network.advance() == [again]
    network.finish()
    assert network.job(unread).message_end.tolist() == [7 + 15]
    assert network.job(again).message_start.tolist() == [501]
    assert network.job(again).end == 501 + 7 + 15 + 2
    assert network.in_flight == 0


def test_old_packets_delay_a_new_job(engine):
    def job_ends_after(first_size):
        network = Network(parse("mesh:3"), Config(arbiter="age", vcs=1), engine=engine)
        network.start(writers([("send", 1, first_size)], []), [0, 2])
        network.advance()
        start = network.now
        job = network.start(writers([("send", 1, 64)], [("recv", 0, 64)]), [1, 2])
        network.finish()
        return network.job(job).end - start

    # The oldest packets go first: at least seven more of them.
    assert job_ends_after(640) > job_ends_after(64) + 6 * 16


def test_reset_counters_measures_the_rest(engine):
    topology = parse("torus:4x4")
    network = Network(topology, engine=engine, seed=4)
    network.generate(pattern("uniform", topology, 0.02))
    network.advance(500)
    before, flying = network.counters(), network.in_flight
    network.reset_counters()
    assert network.counters().created == network.counters().link_packets.sum() == 0
    assert network.in_flight == flying
    network.generate(None)
    network.advance()
    after = network.counters()
    assert after.created == 0
    assert after.delivered == flying == before.created - before.delivered


def make(engine="kernel", size=300):
    network = Network(parse("torus:4x4"), Config(), engine=engine, seed=3, record_messages=True)
    for number in range(4):
        nodes = range(4 * number, 4 * number + 4)
        network.start(application("all-to-all", 4, bytes=size), nodes=nodes, at=size // 5 * number)
    network._piece = 16  # so that there are many places between two pieces
    return network


def told(network):
    result = network.result()
    return (
        [(job.start, job.end, job.message_end.tolist()) for job in result.jobs],
        result.packets,
        result.link_packets.tolist(),
        network.now,
        network.in_flight,
    )


def interrupting(after):
    """Return a tracer that interrupts before line number `after` of the simulator, and a count of them."""
    seen = [0]

    def trace(frame, event, argument):
        if "/netsim/" not in frame.f_code.co_filename or frame.f_code.co_filename.startswith("<"):
            return None
        if event == "line":
            seen[0] += 1
            if seen[0] == after:
                raise KeyboardInterrupt
        return trace

    return trace, seen


def finished_despite(network, after):
    """Interrupt `finish` before a line, and finish again; tell whether the interrupt came."""
    tracer, seen = interrupting(after)
    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        network.finish()
    except KeyboardInterrupt:
        pass
    finally:
        sys.settrace(before)
    network.finish()
    return seen[0] >= after


@pytest.mark.parametrize(("engine", "size", "step"), [("kernel", 300, 17), ("reference", 64, 5003)])
def test_interrupted_at_any_line_it_goes_on_exactly_or_refuses(engine, size, step):
    whole = make(engine, size)
    whole.finish()
    lines, refused, unexpected, came = 1, 0, 0, 0
    while True:
        network = make(engine, size)
        try:
            if not finished_despite(network, lines):
                break
            assert told(network) == told(whole)
        except ValueError as error:
            refused += "was interrupted in a step" in str(error)
            unexpected += "was interrupted in a step" not in str(error)
        came += 1
        lines += step
    assert came > 10
    assert unexpected == 0
    assert refused > 0


@pytest.mark.parametrize("pieces", [1, 2, 5, 9])
def test_interrupt_heard_behind_a_compiled_loop_changes_nothing(monkeypatch, pieces):
    whole, network = make(), make()
    whole.finish()
    kernel, calls = network._engine._network, [0]

    class Interrupted:
        def __getattr__(self, name):
            return getattr(kernel, name)

        def run(self, until):
            outcome = kernel.run(until)
            calls[0] += 1
            if calls[0] % pieces == 0:
                raise KeyboardInterrupt  # what it came back with is lost
            return outcome

    ended, interrupts = [], 0
    with monkeypatch.context() as patch:
        patch.setattr(network._engine, "_network", Interrupted())
        while network._unfinished:
            try:
                ended += network.advance()
            except KeyboardInterrupt:
                interrupts += 1
                if pieces == 1 and interrupts > 1000:
                    break
    network.finish()
    assert told(network) == told(whole)
    assert interrupts > 0
    assert sorted(ended) == [0, 1, 2, 3]


def test_windows_are_not_counted_on_after_an_interrupt(monkeypatch):
    network = make()
    monkeypatch.setattr(network, "counters", lambda: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        network.finish(window=50)
    with pytest.raises(ValueError, match="was interrupted"):
        network.finish(window=50)


def test_errors_are_no_interrupts():
    network = Network(parse("torus:4x4"))
    first = network.start(application("all-to-all", 4, bytes=300))
    network.start(application("all-to-all", 4, bytes=300), at=5)
    with pytest.raises(ValueError, match="is still used by job 0"):
        network.finish()
    network.stop(first)
    network.finish()
    assert network.result().jobs[1].end > 5
    assert np.all(network.result().link_packets >= 0)
