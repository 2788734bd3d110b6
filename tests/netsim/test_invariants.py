"""What every run keeps, and that nothing which is called free of deadlock locks."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import configs, networks, placements, programs

from netplace.apps import Op
from netplace.netsim import Config, measure_load, simulate
from netplace.netsim.table_router import verdict_on
from netplace.topologies import Cables, Topology, graph, parse
from netplace.topologies.routing import DISCIPLINES, ROUTINGS

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


KINDS = (
    "torus:{a}x{b},c=1", "torus:{a}x{b}x2", "torus:{b},c={c}", "mesh:{a}x{b},c={c}", "hyperx:{a}x{b},c={c}",
    "dragonfly:a={c},p={c},h=1", "dragonfly:a={a},p=1,h=1", "dragonfly+:leaves={c},spines=2,p={c},h=1",
    "dragonfly+:leaves=2,spines={c},p=1,h=2,g=3", "slimfly:3,p={c}", "xgft:2;{a},{b};1,{c}",
    "xgft:3;2,{a},2;1,{c},2", "tree:{c},2",
)  # fmt: skip
RUNS = 60  # in every slow run of the suite; more by the seed


def random_network(rng: np.random.Generator) -> Topology:
    """Return a small network of some kind, with faults in one of three, or of random cables."""
    if rng.random() < 0.2:
        switches = int(rng.integers(3, 9))
        pairs = [(int(rng.integers(one)), one) for one in range(1, switches)]
        pairs += [tuple(rng.choice(switches, 2, replace=False).tolist()) for _ in range(int(rng.integers(9)))]
        nodes_at = rng.integers(0, 3, switches)
        nodes_at[:2] = 1
        group = rng.integers(0, 3, switches) if rng.random() < 0.5 else None
        return graph("random cables", Cables.of(pairs), nodes_at, group=group)
    sides = {"a": int(rng.integers(3, 6)), "b": int(rng.integers(3, 9)), "c": int(rng.integers(2, 4))}
    text = str(rng.choice(KINDS)).format(**sides)
    if rng.random() < 0.33:
        text = f"faulty:links=0.1,seed={int(rng.integers(1000))}/{text}"
    return parse(text)


def locks(seed: int) -> str | None:
    """Return what a random combination is that the checker calls free and that locks; "" if it does not.

    None: the network or the routing is not defined, needs more than 16 channels, or is not free.
    """
    rng = np.random.default_rng(seed)
    routing, discipline = (
        str(rng.choice(list(ROUTINGS))),
        str(rng.choice(["default", "default", *DISCIPLINES])),
    )
    try:
        topology = random_network(rng)
        verdict = verdict_on(topology, routing, discipline)[2]
    except ValueError:
        return None
    if not verdict.free or verdict.needed > 16:
        return None
    settings = {"vcs": verdict.needed + int(rng.integers(0, 2)), "queue_packets": int(rng.integers(1, 3))}
    config = Config(routing=routing, vc_discipline=discipline, bubble=0, **settings)
    traffic = str(rng.choice(["uniform", "uniform", "adversarial", "neighbour", "tornado"]))
    try:
        measure_load(topology, 1.0, traffic=traffic, config=config, seed=seed, warmup=0, measure=3000)
    except ValueError:
        return None  # the pattern is not defined there
    except RuntimeError as error:
        return f"seed {seed}: {topology}, {routing} by {discipline}, {settings}, {traffic}: {error}"
    return ""


@pytest.mark.nightly
@pytest.mark.parametrize("block", range(10))
def test_nothing_that_is_free_locks(block: int) -> None:
    found = [locks(1000 * block + run) for run in range(RUNS)]
    assert [one for one in found if one] == []
    assert sum(one == "" for one in found) > RUNS / 4
