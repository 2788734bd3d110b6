"""Iterations of long traces are kept once; what is replayed is what the trace says, to the cycle."""

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from netplace.apps.formats import read, read_repeated
from netplace.netsim import Network
from netplace.topologies import parse


class Lines:
    """The lines of a trace in our format, written rank by rank."""

    def __init__(self, ranks):
        self.text = [f"# tasks {ranks}"]
        self.ranks = ranks
        self._requests = [0] * ranks

    def add(self, rank, op, peer, size=0, tag="0", request="-1", gap=0.0):
        self.text.append(f"{rank} {op} {peer} {size} {tag} 0 {request} {gap}")

    def exchange(self, step, size, tag, order):
        """Post a receive, send and wait, by `order` of the two waits, a ring `step` wide."""
        for rank in range(self.ranks):
            first = self._requests[rank]
            self._requests[rank] += 2
            self.add(rank, "irecv", (rank - step) % self.ranks, size, tag, first)
            self.add(rank, "isend", (rank + step) % self.ranks, size, tag, first + 1)
            for request in (first, first + 1)[::order]:
                self.add(rank, "wait", -1, request=request)

    def pair(self, size, tag):
        """Let rank 0 send twice the same to rank 1, which answers once."""
        for _ in range(2):
            self.add(0, "send", 1, size, tag)
            self.add(1, "recv", 0, size, tag)
        self.add(1, "send", 0, 8, tag)
        self.add(0, "recv", 1, 8, tag)

    def collective(self, name, size, root=-1):
        for rank in range(self.ranks):
            self.add(rank, "coll", root, size, name, gap=0.5)

    def begun(self, size):
        """A broadcast that does not block, and its wait."""
        for rank in range(self.ranks):
            request = self._requests[rank]
            self._requests[rank] += 1
            self.add(rank, "coll", 0, size, "bcast", f"r{request}")
            self.add(rank, "compute", -1, 30)
            self.add(rank, "wait", -1, request=request)

    def write(self, path):
        path.write_text("\n".join(self.text) + "\n")
        return path


STEPS = {
    "exchange": lambda lines, size: lines.exchange(1, size, 5, 1),
    "back": lambda lines, size: lines.exchange(2, size, 6, -1),
    "pair": lambda lines, size: lines.pair(size, 7),
    "barrier": lambda lines, size: lines.collective("barrier", 0),
    "reduce": lambda lines, size: lines.collective("allreduce", size),
    "bcast": lambda lines, size: lines.collective("bcast", size, 1),
    "begun": lambda lines, size: lines.begun(size),
}


def trace(path, before, body, after, times, ranks=3):
    lines = Lines(ranks)
    for steps, count in ((before, 1), (body, times), (after, 1)):
        for _ in range(count):
            for step, size in steps:
                STEPS[step](lines, size)
    return lines.write(path)


# An example takes long: a failure is told as it is.
UNSHRUNK = (Phase.explicit, Phase.generate)
steps = st.lists(st.tuples(st.sampled_from(sorted(STEPS)), st.sampled_from([8, 100, 3000])), max_size=4)


def same(one, other):
    return all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("first", "kind", "peer", "size", "tag", "request")
    )


@settings(max_examples=12, deadline=None, phases=UNSHRUNK)
@given(before=steps, body=steps.filter(len), after=steps, extra=st.integers(0, 3))
def test_what_is_kept_once_is_the_whole_trace(tmp_path_factory, before, body, after, extra):
    path = trace(tmp_path_factory.mktemp("trace") / "x.trace", before, body, after, 300 + extra)
    whole = read(path, cycles_per_us=10.0)
    kept = read_repeated(path, cycles_per_us=10.0, fold_from=0)
    assert same(kept.written_out(), whole)
    assert kept.times > 100
    assert kept.operations == len(whole)
    assert kept.bytes_sent == whole.traffic().W.sum()
    for name in "WNB":
        assert np.array_equal(getattr(kept.traffic(), name), getattr(whole.traffic(), name))


@settings(max_examples=4, deadline=None, phases=UNSHRUNK)
@given(before=steps, body=steps.filter(len), after=steps, network=st.sampled_from(["torus:2x2", "tree:2,2"]))
def test_the_replay_is_the_same_to_the_cycle(tmp_path_factory, before, body, after, network):
    path = trace(tmp_path_factory.mktemp("trace") / "x.trace", before, body, after, 400)
    kept = read_repeated(path, cycles_per_us=10.0, fold_from=0)
    assert kept.times > 1
    ends = []
    for program, times in ((kept.program, kept.times), (read(path, cycles_per_us=10.0), 1)):
        machine = Network(parse(network))
        machine.start(program, times=times)
        machine.finish()
        result = machine.result()
        ends.append((result.cycles, machine.job(0).task_end.tolist(), result.packets))
    assert ends[0] == ends[1]


def test_a_short_trace_stays_as_it_is(tmp_path):
    path = trace(tmp_path / "x.trace", [], [("exchange", 8)], [], 300)
    assert read_repeated(path).times == 1
    assert same(read_repeated(path).program, read(path))


def test_iterations_that_differ_are_not_kept_once(tmp_path):
    lines = Lines(3)
    for size in range(300):
        lines.exchange(1, 8 + size, 5, 1)
    path = lines.write(tmp_path / "x.trace")
    kept = read_repeated(path, fold_from=0)
    assert kept.times == 1
    assert same(kept.program, read(path))


def test_computation_counts_where_it_is_replayed(tmp_path):
    lines = Lines(2)
    for number in range(500):
        lines.exchange(1, 8, 5, 1)
        lines.add(0, "compute", -1, 5, gap=number / 10)
    path = lines.write(tmp_path / "x.trace")
    assert read_repeated(path, fold_from=0).times > 400
    timed = read_repeated(path, fold_from=0, cycles_per_us=100.0)
    assert timed.times == 1
    assert same(timed.program, read(path, cycles_per_us=100.0))


def test_what_is_not_repeated_must_fit_into_memory(tmp_path, monkeypatch):
    lines = Lines(3)
    for size in range(300):
        lines.exchange(1, 8 + size, 5, 1)
    path = lines.write(tmp_path / "x.trace")
    monkeypatch.setattr("netplace.inputs.MOST_BYTES", 1 << 20)
    with pytest.raises(ValueError, match=r"x\.trace: has more than .* calls without repetition"):
        read_repeated(path, fold_from=0)
