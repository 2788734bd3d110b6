"""Hypothesis strategies: networks, settings, programs, placements, traffic, and stories made of them."""

import math
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from netplace.apps import Program, TaskWriter
from netplace.netsim import ARBITERS, EJECTIONS, TREE_ROUTINGS, VC_POLICIES, Config, Traffic
from netplace.topologies import parse

TWISTED = ("4x2", "2x2+1", "3x2", "5x5+2", "6x2+1", "6x3+1", "8x4+3")
TREES = ("tree:2,1", "tree:2,3", "tree:3,2", "tree:4,2")
THIN_TREES = ("thintree:2,1,3", "thintree:3,2,2", "thintree:4,1,2", "thintree:4,3,2")
# At most this many nodes, by number of dimensions: the reference engine visits each.
SIDES = {1: 9, 2: 5, 3: 4, 4: 3}


@st.composite
def grids(draw):
    """Return the text of a mesh or torus of one to four dimensions and more than one node."""
    dims = draw(st.sampled_from([2, 1, 3, 4]))
    sides = draw(st.lists(st.integers(1, SIDES[dims]), min_size=dims, max_size=dims))
    if math.prod(sides) == 1:
        sides[-1] = 2
    return draw(st.sampled_from(["torus:", "mesh:"])) + "x".join(map(str, sides))


def networks():
    """Return the text of a small network of any kind."""
    twisted = st.sampled_from(TWISTED).map("twisted:{}".format)
    return st.one_of(grids(), grids(), twisted, st.sampled_from(TREES), st.sampled_from(THIN_TREES))


@st.composite
def configs(draw, bubbles=(0, 3), eager_limit=(None, 0, 100, 500), queues=(1, 8), sends=("by-program",)):
    """Return settings of the network.

    `bubbles` and `queues` are the ranges of bubble and depth. With a bubble of two or more no network locks.
    `sends` says what non-blocking sends do; where they are interleaved few of them may be outstanding.
    """
    nonblocking = draw(st.sampled_from(sends))
    bounded = nonblocking == "interleaved" and draw(st.booleans())
    queue = draw(st.integers(max(queues[0], bubbles[0] + 1), queues[1]))
    return Config(
        packet_phits=draw(st.sampled_from([16, 1, 2, 3, 5, 20])),
        queue_packets=queue,
        nic_buffer=draw(st.integers(1, 4)),
        injectors=draw(st.integers(1, 3)),
        vcs=draw(st.integers(1, 4)),
        vc_policy=draw(st.sampled_from(list(VC_POLICIES))),
        arbiter=draw(st.sampled_from(list(ARBITERS))),
        ejection=draw(st.sampled_from(list(EJECTIONS))),
        bubble=draw(st.integers(bubbles[0], min(bubbles[1], queue - 1))),
        tree_routing=draw(st.sampled_from(list(TREE_ROUTINGS))),
        router_delay=draw(st.integers(0, 3)),
        link_delay=draw(st.integers(1, 4)),
        eager_limit=draw(st.sampled_from(eager_limit)),
        nonblocking_sends=nonblocking,
        outstanding_sends=draw(st.sampled_from([None, 1, 2, 4])) if bounded else None,
        outstanding_bytes=draw(st.sampled_from([None, 1, 300, 1000])) if bounded else None,
    )


@st.composite
def programs(draw, tasks, most=12, complete=True):
    """Return a program of up to `most` random messages.

    The messages are written in one order, at the sender and at the receiver: tasks that send eagerly can
    always go on. With ``complete=False`` some sends or receives may be missing.
    """
    writers = [TaskWriter(task, tasks) for task in range(tasks)]
    requests = [[] for _ in range(tasks)]
    sizes = draw(st.sampled_from([(64, 60, 100), (0, 60, 100, 120, 200, 900, 3000), (16, 900)]))
    for _ in range(draw(st.integers(0, most))):
        source, target = draw(st.integers(0, tasks - 1)), draw(st.integers(0, tasks - 1))
        size, tag = draw(st.sampled_from(sizes)), draw(st.integers(0, 1))
        if draw(st.booleans()):
            writers[source].compute(draw(st.sampled_from([0, 1, 2, 30, 300])))
        for task, peer, kind in ((source, target, "send"), (target, source, "recv")):
            if not complete and draw(st.integers(0, 15)) == 15:
                continue
            if draw(st.booleans()):
                requests[task].append(getattr(writers[task], "i" + kind)(peer, size, tag))
            else:
                getattr(writers[task], kind)(peer, size, tag)
        if requests[target] and draw(st.booleans()):
            writers[target].wait(requests[target].pop(draw(st.integers(0, len(requests[target]) - 1))))
    for writer, opened in zip(writers, requests, strict=True):
        writer.waitall(opened)
        writer.compute(draw(st.sampled_from([0, 0, 7])))
    return Program.of(writers, "random")


def placements(tasks, nodes):
    """Return a node for each task, none twice."""
    return st.permutations(list(nodes)).map(lambda order: np.array(order[:tasks], np.int64))


@st.composite
def traffics(draw, network, config, silent=0):
    """Return open-loop traffic, in which the first `silent` nodes create nothing."""
    nodes = parse(network).nodes
    if draw(st.booleans()):
        target = np.full(nodes, -1, np.int32)
    else:
        target = np.array(
            draw(st.lists(st.integers(-1, nodes - 1), min_size=nodes, max_size=nodes)), np.int32
        )
    target[:silent] = np.arange(silent)
    load = draw(st.sampled_from([0.3, 0.05, 0.9, 2.0]))
    hot_share = draw(st.sampled_from([0.0, 0.3, 1.0]))
    hot_node = draw(st.integers(0, nodes - 1)) if hot_share else -1
    return Traffic(min(1.0, load / config.packet_phits), target, hot_node, hot_share)


@dataclass(frozen=True)
class Step:
    """Something done to a network `wait` cycles after the step before.

    Attributes
    ----------
    kind : str
        ``"start"``, ``"stop"``, ``"look"``, ``"reset"`` or ``"generate"``.
    program, order, later : Program, list of int, int
        Start: the job, the nodes in the order in which free ones are taken, and how far ahead its start is.
    traffic : Traffic or None
        Generate: what; None stops it.
    times : int
        Start: how often the program's iterations stand in it.
    which : int
        Stop: which of the jobs that have not ended.
    """

    wait: int
    kind: str
    program: Program | None = None
    order: tuple[int, ...] = ()
    later: int = 0
    traffic: Traffic | None = None
    times: int = 1
    which: int = 0


@dataclass(frozen=True)
class Story:
    """A network and what is done to it, the same for every engine."""

    network: str
    config: Config
    seed: int
    steps: tuple[Step, ...]
    explain: bool = False


@st.composite
def _starts(draw, nodes, complete, repeats):
    tasks = draw(st.integers(1, min(len(nodes), 8)))
    return Step(
        wait=draw(st.sampled_from([0, 1, 5, 40, 300])),
        kind="start",
        program=draw(programs(tasks, complete=complete)),
        order=tuple(draw(st.permutations(nodes))),
        later=draw(st.sampled_from([0, 0, 17])),
        times=draw(st.sampled_from(repeats)),
    )


@st.composite
def stories(
    draw,
    settings=None,
    jobs=True,
    traffic=False,
    complete=True,
    where=None,
    stops=False,
    repeats=(1,),
    explain=False,
):
    """Return a story of jobs, of open-loop traffic, or of both, each on nodes of its own.

    `where` gives (network, settings); without it they are drawn apart. With `stops` jobs are stopped, too,
    and those that come after them may sit on the same nodes.
    """
    if where is None:
        network, config = draw(networks()), draw(configs() if settings is None else settings)
    else:
        network, config = draw(where)
    count = parse(network).nodes
    seats = list(range(max(1, count // 2) if traffic else count))
    silent = len(seats) if jobs else 0
    kinds = ["start"] * 3 * jobs + ["generate"] * 2 * traffic + ["look", "reset"] + ["stop"] * 3 * stops
    steps = []
    for kind in draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=10 if stops else 5)):
        if kind == "start":
            steps.append(draw(_starts(seats, complete, repeats)))
            continue
        wait = draw(st.sampled_from([0, 1, 23, 200]))
        if kind == "stop":
            steps.append(Step(wait, kind, which=draw(st.integers(0, 11))))
            continue
        load = draw(st.none() | traffics(network, config, silent)) if kind == "generate" else None
        steps.append(Step(wait, kind, traffic=load))
    return Story(network, config, draw(st.integers(0, 3)), tuple(steps), explain)
