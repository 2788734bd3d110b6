"""Trials of networks that are compared: load curve, all-to-all, a training step, and failed cables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from netplace.apps import application
from netplace.netsim import Config, measure_load, simulate
from netplace.netsim.table_router import verdict_on
from netplace.runs.meter import HOPS_PER_SECOND
from netplace.topologies import Topology, parse

OFFERED = tuple(tenths / 10 for tenths in range(1, 11))
FAILED = 0.01  # of the cables
MOST_EXCHANGING = 512  # tasks
MOST_TRAINING = 256
PHIT_BYTES = 1 << 17  # of the training step, whose messages are large
LEAST_VCS = 4  # adaptive routing keeps some for escape
WARMUP, MEASURE = 1000, 2000


@dataclass(frozen=True)
class Trials:
    """What one network does; loads in phits per node and cycle."""

    # routing, vcs: the same for all networks that are compared.
    routing: str
    vcs: int
    # offered, accepted, delay: uniform traffic: offered and accepted loads, mean delays of packets in cycles.
    offered: tuple[float, ...]
    accepted: tuple[float, ...]
    delay: tuple[float, ...]
    accepted_with_faults: float  # accepted at an offered load of 1, with failed cables
    # Load that an all-to-all of one packet for each pair of `exchange_tasks` spread tasks reaches.
    exchange: float
    exchange_tasks: int
    training_cycles: int  # duration of a training step of `training_tasks` ranks on consecutive nodes
    training_tasks: int


def trial_seconds(networks: Sequence[Topology]) -> float:
    """Return roughly the CPU seconds of all trials: of the loads, whose packets go half the diameter."""
    load = (sum(OFFERED) + OFFERED[-1]) * (WARMUP + MEASURE) / Config.packet_phits
    return sum(each.nodes * load * (1 + each.diameter / 2) for each in networks) / HOPS_PER_SECOND


def try_networks(networks: Sequence[Topology], routing: str = "default") -> list[Trials]:
    """Simulate the same trials on all networks: the same links, and the virtual channels that all can use.

    The default routing is adaptive, because every network has it, with failed cables too.
    """
    smallest = min(networks, key=lambda topology: topology.nodes)
    if smallest.nodes < 2:
        raise ValueError(f"{smallest}: has a single node, expected at least 2 to simulate traffic")
    maximum = 1 << (smallest.nodes.bit_length() - 1)  # tasks that run on all of them, a power of two
    faulty = [parse(f"faulty:links={FAILED},seed=1/{topology}") for topology in networks]
    chosen = "adaptive" if routing == "default" else routing
    needed = [verdict_on(topology, chosen, "default")[2].needed for topology in (*networks, *faulty)]
    config = Config(vcs=max(LEAST_VCS, *needed), routing=chosen)
    made = []
    for topology, broken in zip(networks, faulty, strict=True):
        made.append(_tried(topology, broken, config, maximum))
    return made


def _tried(topology: Topology, broken: Topology, config: Config, maximum: int) -> Trials:
    load = partial(measure_load, config=config, warmup=WARMUP, measure=MEASURE, seed=1)
    points = [load(topology, offered) for offered in OFFERED]
    exchanging, training = min(maximum, MOST_EXCHANGING), min(maximum, MOST_TRAINING)
    spread = [task * topology.nodes // exchanging for task in range(exchanging)]
    exchange = simulate(topology, application("all-to-all", exchanging), spread, config=config).cycles
    tensor = min(4, training)
    step = application(
        "training", training, model="llama-7b", layers=4, tp=tensor, pp=min(4, training // tensor), flops=0
    )
    return Trials(
        config.routing,
        config.vcs,
        OFFERED,
        tuple(point.accepted for point in points),
        tuple(point.delay.mean for point in points),
        load(broken, OFFERED[-1]).accepted,
        (exchanging - 1) * config.packet_phits / exchange,
        exchanging,
        simulate(topology, step, list(range(training)), config=config.scaled(PHIT_BYTES)).cycles,
        training,
    )
