"""What every run keeps, whatever the network, the settings and the programs."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import configs, networks, placements, programs

from netplace.apps import Op
from netplace.netsim import simulate
from netplace.topologies import parse

PROFILE = settings(
    derandomize=True, deadline=None, database=None, max_examples=60, report_multiple_bugs=False
)
SENDS = (Op.SEND, Op.ISEND)


@st.composite
def runs(draw):
    """Return a program, where its tasks sit, the network and its settings; none of them can lock."""
    topology = parse(draw(networks()))
    config = draw(configs(bubbles=(2, 3), eager_limit=(None,)))
    program = draw(programs(draw(st.integers(1, min(8, topology.nodes))), most=25))
    nodes = draw(placements(program.tasks, range(topology.nodes)))
    return topology, config, program, nodes


def messages(program, nodes, packet_bytes):
    """Return (source node, destination node, packets) of each message, in program order."""
    found = []
    for task in range(program.tasks):
        for operation in program.operations(task):
            if operation.kind in SENDS and operation.peer != task:
                packets = max(1, -(-operation.size // packet_bytes))
                found.append((nodes[task], nodes[operation.peer], packets))
    return np.array(found, np.int64).reshape(-1, 3)


@PROFILE
@given(runs(), st.integers(0, 3))
def test_of_one_job(run, seed):
    topology, config, program, nodes = run
    result = simulate(topology, program, nodes, config=config, seed=seed, record_messages=True)
    source, target, packets = messages(program, nodes, config.packet_bytes).T
    hops = topology.distance(source, target)
    # Every packet is created, delivered and counted, and takes a minimal route.
    assert result.packets == packets.sum() == result.packet_delay.count
    assert result.phits == packets.sum() * config.packet_phits
    assert result.packet_hops == (packets * hops).sum()
    assert result.message_delay.count == len(packets)
    # Nothing is faster than alone: a node creates a packet a cycle, an injector sends a phit a cycle.
    (job,) = result.jobs
    delay = job.message_end - job.message_start
    phits = np.maximum(
        -(-packets // config.injectors) * config.packet_phits, packets - 1 + config.packet_phits
    )
    assert (delay >= hops * config.hop_delay + phits - 1).all()
    assert len(packets) == 0 or result.message_delay.mean == delay.sum() / len(packets)
    # A link carries a phit a cycle, and only where there is one.
    assert (result.link_load <= 1).all()
    assert (result.link_packets[topology.neighbor < 0] == 0).all()
    # Tasks end, the last one with the job; the rest is under way.
    assert (job.task_cycles >= 0).all()
    assert job.end == job.cycles == result.cycles == job.task_cycles.max()
    assert result.drained_cycles >= max(result.cycles, job.message_end.max(initial=-1) + 1)
    assert (job.injection_blocked <= job.task_cycles).all()


@PROFILE
@given(runs())
def test_jobs_that_share_nothing_do_not_feel_each_other(run):
    _, config, program, _ = run
    # No draws, which differ from place to place.
    config = replace(config, vcs=min(config.vcs, 2), vc_policy="smart", injectors=1)
    if config.arbiter == "random":
        config = replace(config, arbiter="fifo")
    mesh = parse(f"mesh:{max(2, program.tasks)}x3")
    row = np.arange(program.tasks)  # minimal routes stay in their row
    alone = simulate(mesh, program, row, config=config)
    both = simulate(mesh, [program, program], [row, row + 2 * mesh.sizes[0]], config=config)
    assert [job.task_cycles.tolist() for job in both.jobs] == [alone.jobs[0].task_cycles.tolist()] * 2
