"""What messages and computations cost the processor, the same on both engines."""

import pytest
from reference_cases import program

from netplace.apps import Op, Program, TaskWriter
from netplace.netsim import Config, Network, pattern, simulate
from netplace.netsim.critical_path import critical_path
from netplace.netsim.overheads import with_overheads
from netplace.runs.job_programs import program_of
from netplace.runs.resolve import resolve
from netplace.topologies import parse

COSTLY = Config(o_send=320, o_recv=64, o_byte=0.32, cycle_ns=3.2)  # 100 and 20 cycles, a tenth for each byte


def _exchange(rounds: int = 1) -> Program:
    """Return a program of two tasks that exchange 100 bytes, each receive posted first, in marked rounds."""
    writers = [TaskWriter(task, 2) for task in range(2)]
    for writer in writers:
        for number in range(rounds):
            writer.mark(number)
            request = writer.irecv(1 - writer.task, 100)
            sent = writer.isend(1 - writer.task, 100)
            writer.waitall([sent, request])
            writer.send(writer.task, 7)
            writer.recv(writer.task, 7)
        writer.mark(-1)
    return Program.of(writers)


def test_without_overheads_the_program_is_the_same():
    program = _exchange()
    assert with_overheads(program, Config()) is program


def test_computation_stands_before_sends_and_after_what_completes_receives():
    charged = with_overheads(_exchange(2), COSTLY)
    charged.check()
    own = charged.kind[: charged.first[1]].tolist()
    once = [Op.IRECV, Op.COMPUTE, Op.ISEND, Op.WAIT, Op.WAIT, Op.COMPUTE, Op.SEND, Op.RECV]
    assert own == once * 2
    assert charged.size[charged.kind == Op.COMPUTE].tolist() == [110, 30] * 4
    assert charged.marks[:3].tolist() == [[0, 0, 0], [0, 8, 1], [0, 16, -1]]
    assert charged.cut(1, 1).equals(with_overheads(_exchange(2).cut(1, 1), COSTLY))


@pytest.mark.parametrize("eager_limit", [None, 50])
def test_a_message_takes_so_much_longer(eager_limit):
    message, ring = program([("send", 1, 100)], [("recv", 0, 100), ("compute", 10)]), parse("torus:4")
    without = simulate(ring, message, config=Config(eager_limit=eager_limit)).cycles
    costly = Config(**vars(COSTLY) | {"eager_limit": eager_limit})
    assert simulate(ring, message, config=costly).cycles == without + 110 + 30


def test_eager_messages_are_copied():
    program = _exchange()
    charged = with_overheads(program, Config(o_copy=3.2, eager_limit=100))
    assert charged.size[charged.kind == Op.COMPUTE].tolist() == [100, 100] * 2
    assert with_overheads(program, Config(o_copy=3.2, eager_limit=99)).equals(program)


def test_reductions_are_computed():
    """All ranks of a ring combine all blocks but one, and copy the vector; in memory it takes longer."""
    given, costs = {"app": "collective,operation=allreduce,algorithm=ring,bytes=8000", "tasks": 4}, {}
    memory = {"o_reduce": 3.2, "o_memory": 6.4, "cache_bytes": 1999}
    for settings in ({}, {"o_reduce": 3.2}, {"o_copy": 3.2}, memory, memory | {"cache_bytes": 2000}):
        run = resolve("torus:4", given, config=Config(**settings))
        program = program_of(run.jobs[0], run.config)
        costs[str(settings)] = int(program.size[program.kind == Op.COMPUTE].sum()) // 4
    assert list(costs.values()) == [0, 6000, 8000, 3 * 6000, 6000]


def test_repeated_programs_cost_each_time():
    times = []
    for laps in (5, 1):
        network = Network(parse("torus:4"), COSTLY)
        network.start(_exchange().repeat(5 // laps), times=laps)
        network.finish()
        times.append(network.result().cycles)
    assert times[0] == times[1]


def test_the_critical_path_has_them_as_computation():
    network, program = parse("torus:4"), _exchange()
    result = simulate(network, program, config=COSTLY, record_messages=True)
    path = critical_path(network, COSTLY, program, result.jobs[0])
    assert path.cycles == result.cycles
    assert path.by_component()["computation"] == 110 + 30


LENGTHS = (1, 2, 1022, 1023, 1024, 1025, 2047, 2048, 5000, 70_000)


def computing(lengths):
    writers = []
    for task, cycles in enumerate(lengths):
        writer = TaskWriter(task, len(lengths))
        for part in (cycles, 3, cycles):
            writer.compute(part)
            writer.send((task + 1) % len(lengths), 64)
            writer.recv((task - 1) % len(lengths), 64)
        writer.compute(cycles)
        writers.append(writer)
    return Program.of(writers)


@pytest.mark.parametrize("network", ["torus:4x4", "dragonfly:a=2,p=2,h=1"])
def test_computations_of_all_lengths(network):
    ends = []
    for engine in ("kernel", "reference"):
        run = Network(parse(network), engine=engine)
        run.start(computing(LENGTHS[:8]))
        run.finish()
        record = run.job(0)
        ends.append((record.end, record.task_end.tolist()))
    assert ends[0] == ends[1]


@pytest.mark.parametrize("stopped_at", [1, 500, 1500, 4000])
def test_a_stopped_job_leaves_no_timer(stopped_at):
    found = []
    for engine in ("kernel", "reference"):
        run = Network(parse("torus:4x4"), engine=engine, seed=3)
        first = run.start(computing(LENGTHS[:8]))
        second = run.start(computing(LENGTHS[1:9]), range(8, 16))
        run.generate(pattern("uniform", run.topology, 0.001))
        run.advance(stopped_at)
        run.stop(first)
        run.start(computing(LENGTHS[:8]), at=stopped_at + 10)
        while not run.job(second).end >= 0:
            run.advance(40_000)
            if run.now >= 40_000:
                break
        run.generate(None)
        found.append([run.counters().created, run.counters().delivered, run.job(second).task_end.tolist()])
    assert found[0] == found[1]
