"""Numbers that are large are carried exactly or refused with a sentence; none wraps or is cut."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from netplace.apps import OperationError, Program, TaskWriter
from netplace.apps.formats import read
from netplace.netsim import ENGINES, Config, CycleLimitError, Network, simulate
from netplace.topologies import parse

RING = parse("torus:4")


def pair(*operations):
    """Return a program of two tasks, from one list of operations each."""
    writers = [TaskWriter(task, 2) for task in range(2)]
    for writer, own in zip(writers, operations, strict=True):
        for name, *arguments in own:
            getattr(writer, name)(*arguments)
    return Program.of(writers)


@pytest.mark.parametrize("size", [1 << 37, 1 << 40, (1 << 62) - 1])
def test_a_message_of_very_many_packets_does_not_end_early(size):
    program = pair([("send", 1, size)], [("recv", 0, size)])
    told = []
    for engine in ENGINES:
        network = Network(RING, engine=engine)
        job = network.start(program)
        assert network.advance(2000) == []
        counters = network.counters()
        told.append((counters.created, counters.delivered, network.job(job).end, network.in_flight))
    assert told[0] == told[1]
    assert told[0][2] == -1


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("cycles", [1 << 33, 1 << 58, (1 << 59) - 1])
def test_a_long_computation_takes_its_time(engine, cycles):
    program = pair([("compute", cycles)], [("compute", cycles), ("send", 0, 64)])
    job = simulate(RING, program, engine=engine).jobs[0]
    assert job.task_cycles.tolist() == [cycles, cycles + 1]


def test_a_computation_that_is_too_long_is_refused():
    with pytest.raises(ValueError, match=r"cycles in task 0: 576460752303423488 is too large, .* 2\*\*59"):
        TaskWriter(0, 1).compute(1 << 59)
    program = pair([("compute", 7)], [])
    program = replace(program, size=np.array([1 << 59]))
    for engine in ENGINES:
        with pytest.raises(
            OperationError, match=r"task 0, operation 0 .* too long, expected less than 2\*\*59"
        ):
            simulate(RING, program, engine=engine)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("c 0 1152921504606846976\n", ["line 1", "2**59"]),
        ("0 compute -1 1152921504606846976 0 0 -1 0.0\n", ["line 1", "2**59"]),
    ],
)
def test_files_name_the_line(tmp_path, text, words):
    path = tmp_path / ("a.trc" if text.startswith("c") else "a.trace")
    path.write_text(text)
    with pytest.raises(ValueError, match="2") as caught:
        read(path)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("engine", ENGINES)
def test_time_has_an_end_that_is_told(engine):
    cycles = (1 << 59) - 1
    program = pair([("compute", cycles)] * 3, [])
    with pytest.raises(CycleLimitError, match="cycle 1152921504606846976 is the last"):
        simulate(RING, program, engine=engine)
    with pytest.raises(ValueError, match="start cycle"):
        Network(RING, engine=engine).start(program, at=1 << 61)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_message_that_waited_for_ages_is_counted(engine):
    program = pair([("send", 1, 640)], [("compute", 1 << 50), ("recv", 0, 640)])
    result = simulate(RING, program, engine=engine, config=Config(eager_limit=0))
    assert result.message_delay.count == 1
    assert result.message_delay.mean > 1 << 50


def test_a_packet_under_way_for_more_cycles_than_32_bits_count_is_counted():
    config = Config(router_delay=1 << 20)
    program = pair([("send", 1, 64)], [("recv", 0, 64)])
    result = simulate(parse("mesh:5000"), program, [0, 4999], config=config)
    assert result.packet_delay.mean == result.message_delay.mean == 4999 * ((1 << 20) + 1) + 15


def test_a_long_delay_needs_no_memory():
    config = Config(router_delay=1 << 20)
    tracemalloc.start()
    Network(RING, config, engine="reference")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1 << 20
    with pytest.raises(ValueError, match="router_delay: 2147483648 is too large"):
        Config(router_delay=1 << 31)


def test_engines_agree_on_long_delays():
    program = pair([("send", 1, 640), ("recv", 1, 64)], [("recv", 0, 640), ("send", 0, 64)])
    config = Config(router_delay=70, link_delay=50)
    ends = [simulate(RING, program, config=config, engine=engine).cycles for engine in ENGINES]
    assert ends[0] == ends[1] > 240
