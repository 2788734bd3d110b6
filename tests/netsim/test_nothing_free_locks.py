"""What the checker calls free of deadlock does not lock, in random networks under loads beyond saturation."""

import numpy as np
import pytest

from netplace.netsim import Config, measure_load
from netplace.netsim.table_router import verdict_on
from netplace.topologies import Cables, Topology, graph, parse
from netplace.topologies.routing import DISCIPLINES, ROUTINGS

KINDS = (
    "torus:{a}x{b},c=1",
    "torus:{a}x{b}x2",
    "torus:{b},c={c}",
    "mesh:{a}x{b},c={c}",
    "hyperx:{a}x{b},c={c}",
    "dragonfly:a={c},p={c},h=1",
    "dragonfly:a={a},p=1,h=1",
    "dragonfly+:leaves={c},spines=2,p={c},h=1",
    "dragonfly+:leaves=2,spines={c},p=1,h=2,g=3",
    "slimfly:3,p={c}",
    "xgft:2;{a},{b};1,{c}",
    "xgft:3;2,{a},2;1,{c},2",
    "tree:{c},2",
)
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
