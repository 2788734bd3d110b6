"""A network that was interrupted goes on exactly, or says that it cannot."""

import sys

import numpy as np
import pytest

from netplace.apps import application
from netplace.netsim import Config, Network
from netplace.topologies import parse


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
