"""Parts of traces that are cut out as the trace is read."""

import tracemalloc
from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplace.apps.formats import Options, open_trace
from netplace.apps.formats.text_lines import text_lines
from netplace.apps.recorded import (
    CALL,
    Batch,
    Call,
    CallWriter,
    Iterations,
    Recorded,
    Trace,
    UnresolvedError,
    Window,
    cut,
    first_call,
    part_of,
    recorded,
    settled,
)
from netplace.apps.recorded.settling import complete, whole_sections
from netplace.apps.recorded.wildcards import partners_of

RANKS = 5
PAIR, ALL = (0, 3, 4), (0, 1, 2, 3, 4)


def made(seed, clock, size):
    """Return calls of ranks that exchange, gather and compute, a list by rank, with marked iterations."""
    rng = np.random.default_rng(seed)
    calls = [[] for _ in range(RANKS)]
    opened, now = [0] * RANKS, rng.random(RANKS)

    def add(rank, kind, peer=-1, length=0, tag=0, **columns):
        gap = float(rng.integers(0, 4)) / 8
        now[rank] += gap + rng.random() / 16
        time = float(now[rank]) if clock else np.nan
        calls[rank].append(((rank, kind, peer, length, tag), {"gap": gap, "time": time, **columns}))

    for number in range(4):
        for rank in range(RANKS):
            add(rank, Call.MARK, number)
        for _ in range(int(rng.integers(0, size))):
            source, target = (int(rank) for rank in rng.integers(0, RANKS, 2))
            tag, later = int(rng.integers(0, 2)), []
            for rank, peer, kinds in (
                (source, target, (Call.SEND, Call.ISEND)),
                (target, source, (Call.RECV, Call.IRECV)),
            ):
                if source == target or rng.random() < 0.5:
                    later.append((rank, opened[rank]))
                    add(rank, kinds[1], peer, int(rng.integers(1, 99)), tag, request=opened[rank])
                    opened[rank] += 1
                else:
                    add(rank, kinds[0], peer, int(rng.integers(1, 99)), tag)
            if rng.random() < 0.3:
                number_of, members = (1, PAIR) if rng.random() < 0.5 else (0, ALL)
                name, root = (1, members[1]) if rng.random() < 0.5 else (9, -1)
                for rank in members:
                    sizes = tuple(rng.integers(0, 9, len(members)).tolist()) if name == 9 else None
                    given = sum(sizes) if sizes else 40
                    add(rank, Call.COLLECTIVE, root, given, name, communicator=number_of, sizes=sizes)
            for rank, request in later:
                add(rank, Call.WAIT, request=request)
    return calls


def trace_of(calls, chunk):
    """Return a trace that hands the calls on in batches of some calls of each rank."""

    def batches():
        for begin in range(0, max(map(len, calls)), chunk):
            writer = CallWriter()
            for own in calls:
                for values, columns in own[begin : begin + chunk]:
                    writer.add(*(int(value) for value in values), **columns)
            yield from writer.rest()

    return Trace(RANKS, batches(), {1: PAIR})


def kept(whole: Recorded, keep):
    """Return what is kept of a trace: messages and collectives that are torn become computation."""
    calls, partner = whole.calls.copy(), partners_of(whole.calls)
    torn = np.array([other >= 0 and not keep[other] for other in partner.tolist()], bool)
    lost = int((torn & keep & np.isin(calls["kind"], (Call.SEND, Call.ISEND))).sum())
    called, counts = defaultdict(list), Counter()
    for row in np.flatnonzero(calls["kind"] == Call.COLLECTIVE).tolist():
        rank, number = int(calls["rank"][row]), int(calls["communicator"][row])
        called[number, counts[number, rank]].append(row)
        counts[number, rank] += 1
    for (number, _), rows in called.items():
        if sum(keep[rows]) < len(whole.communicators[number]):
            torn[rows] = True
            lost += any(keep[rows])
    for name, value in (("kind", Call.COMPUTE), ("size", 0), ("request", -1), ("sizes", -1), ("peer", -1)):
        calls[name][torn & keep] = value
    return replace(whole, calls=complete(whole_sections(calls[keep], whole.ranks)), lost=lost)


def times(whole):
    """Return when calls began: by the clock, or by the computation of each rank before."""
    if np.isfinite(whole.calls["time"]).all():
        return whole.calls["time"] - whole.calls["time"].min(initial=np.inf)
    own = [whole.calls["gap"][whole.calls["rank"] == rank] for rank in range(whole.ranks)]
    return np.concatenate([np.cumsum(gaps) for gaps in own])


def written(whole):
    return list(text_lines(settled(whole.trace()), Options()))


@given(
    seed=st.integers(0, 1 << 30),
    clock=st.booleans(),
    chunk=st.sampled_from([1, 3, 50]),
    ranks=st.sampled_from([None, [0, 3, 4], [4, 1], [2]]),
    bounds=st.tuples(st.floats(0, 3), st.floats(0.1, 4)),
)
def test_a_window_is_that_of_the_whole_trace(seed, clock, chunk, ranks, bounds):
    calls, (begin, length) = made(seed, clock, 9), bounds
    first = first_call(trace_of(calls, chunk), ranks)
    assert (first is None) == (not clock)
    whole = recorded(trace_of(calls, chunk), (), ranks)
    inside = (times(whole) >= begin) & (times(whole) < begin + length)
    if not inside.any():
        with pytest.raises(ValueError, match="no call begins from"):
            cut(trace_of(calls, chunk), Window(begin, begin + length, first), (), ranks)
        return
    part = cut(trace_of(calls, chunk), Window(begin, begin + length, first), (), ranks)
    expected = kept(whole, inside)
    assert written(part) == written(expected)
    if ranks is None:
        assert part.lost == expected.lost
    of_memory = part_of(whole, Window(begin, begin + length, first_call(whole.trace())))
    assert written(of_memory) == written(part)
    assert of_memory.lost == whole.lost + expected.lost


@given(
    seed=st.integers(0, 1 << 30),
    chunk=st.sampled_from([1, 4, 50]),
    ranks=st.sampled_from([None, [4, 0, 3]]),
    bounds=st.sampled_from([(0, 0), (1, 2), (3, 3), (0, 3)]),
)
def test_iterations_are_those_of_the_whole_trace(seed, chunk, ranks, bounds):
    calls = made(seed, False, 9)
    part = cut(trace_of(calls, chunk), Iterations(*bounds), (), ranks)
    whole = recorded(trace_of(calls, chunk), (), ranks)
    marks = np.cumsum(whole.calls["kind"] == Call.MARK)  # of ranks that each begin with the mark of 0
    number = marks - marks[np.searchsorted(whole.calls["rank"], whole.calls["rank"])]
    assert written(part) == written(kept(whole, (number >= bounds[0]) & (number <= bounds[1])))
    with pytest.raises(ValueError, match="rank 0 has no mark of iteration 7"):
        cut(trace_of(calls, chunk), Iterations(1, 7))


def long_trace(count, batch=2000):
    """Return a trace of `count` calls of two ranks, one a microsecond."""

    def batches():
        for begin in range(0, count, batch):
            calls = np.zeros(batch, CALL)
            place = np.arange(begin, begin + batch)
            calls["rank"], calls["kind"] = place % 2, np.where(place % 2, Call.RECV, Call.SEND)
            calls["peer"], calls["size"], calls["time"] = 1 - place % 2, 8, place * 1e-6
            calls["request"] = calls["sizes"] = -1
            yield Batch(calls)

    return Trace(2, batches())


def peak_of(use):
    tracemalloc.start()
    try:
        found = use()
        return found, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.all
def test_memory_is_that_of_what_is_kept():
    window = Window(0.1, 0.101, first_call(long_trace(100_000)))
    part, short = peak_of(lambda: cut(long_trace(150_000), window))
    assert len(part.calls) == 1000
    again, long = peak_of(lambda: cut(long_trace(600_000), Window(0.1, 0.101, 0.0)))
    assert len(again.calls) == 1000
    assert long < 1.1 * short < 5_000_000
    _, whole = peak_of(lambda: part_of(recorded(long_trace(150_000)), window))
    assert whole > 10 * short


def test_what_only_the_whole_trace_tells_is_said():
    writer = CallWriter()
    writer.add(0, Call.SEND, 1, 8)
    writer.add(1, Call.RECV, -1, 8, wild=1)
    with pytest.raises(UnresolvedError):
        cut(Trace(2, writer.rest()), Window(0, 1, None))


def test_calls_that_must_be_kept_are_bounded(monkeypatch):
    monkeypatch.setattr("netplace.inputs.MOST_BYTES", 1 << 20)
    assert len(cut(long_trace(10_000), Window(0, 0.002, 0.0)).calls) == 2000
    with pytest.raises(
        ValueError, match=r"more than 4,000 calls .*cut the trace to some --ranks or a window"
    ):
        cut(long_trace(10_000), Window(0, 0.009, 0.0))


def test_a_section_that_lies_partly_outside_has_no_marks(tmp_path):
    text = "".join(
        f"{rank} mark 0 0 {name} 0 -1 {gap}\n"
        for rank in (0, 1)
        for name, gap in (("a_begin", 1), ("b_begin", 1), ("b_end", 1), ("a_end", 1))
    )
    (tmp_path / "x.trace").write_text(text)
    part = cut(open_trace(tmp_path / "x.trace"), Window(1.5e-6, 3.5e-6, None))
    assert list(part.program().sections) == ["b"]
    whole = recorded(open_trace(tmp_path / "x.trace"))
    assert written(part) == written(kept(whole, (times(whole) >= 1.5e-6) & (times(whole) < 3.5e-6)))


def test_a_receive_that_took_from_a_rank_outside_is_left_out():
    def trace():
        writer = CallWriter()
        writer.add(2, Call.SEND, 0, 8, 5)
        writer.add(0, Call.IRECV, -1, 8, -1, request=3, wild=3)
        writer.add(0, Call.WAIT, 2, 8, 5, request=3)
        writer.add(1, Call.SEND, 0, 8, 6)
        writer.add(0, Call.RECV, 1, 8, 6)
        return Trace(3, writer.rest())

    whole = recorded(trace(), (), [0, 1])
    assert whole.program().traffic().W.tolist() == [[0, 0], [8, 0]]
    assert written(cut(trace(), Window(0, 1, None), (), [0, 1])) == written(whole)
