"""Every policy with every partitioner: nobody shares a node, everybody runs, promises are kept."""

import numpy as np
import pytest

from netplace.scheduling import PARTITIONERS, POLICIES, Job, make_partitioner, schedule
from netplace.topologies import parse

MACHINES = ("mesh:8x8", "torus:4x4x4", "tree:4,3")
ONLY = {
    "line": ("mesh:64",),
    "optimal": ("mesh:4x4", "torus:3x3x2", "tree:4,2"),
}  # not for those, or too slow
# What these find depends on more than on which nodes are free, so more free nodes may be less.
NOT_EXACT = ("frame-sliding", "buddy")


def jobs(count: int) -> list[Job]:
    rng = np.random.default_rng(11)
    sizes = rng.choice([1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64], count)
    submits = np.cumsum(rng.integers(0, 5, count))
    runs = rng.integers(0, 30, count)
    estimates = np.maximum(runs * rng.uniform(0.6, 3, count).round(1), 1)
    return [
        Job(number, float(submit), int(size), float(run), float(estimate))
        for number, (submit, size, run, estimate) in enumerate(
            zip(submits, sizes, runs, estimates, strict=True)
        )
    ]


def combinations():
    for name, kind in PARTITIONERS.items():
        for machine in ONLY.get(name, MACHINES):
            for text in dict.fromkeys((kind.example, name)):
                try:
                    make_partitioner(text, parse(machine))
                except ValueError:
                    continue  # not for such a machine
                yield pytest.param(text, machine, id=f"{text}-{machine}")


def test_every_partitioner_is_tried():
    assert {case.values[0].partition(":")[0] for case in combinations()} == set(PARTITIONERS)


def tried():
    """Yield each policy with each partitioner on one machine; with all machines they are slow."""
    for n, case in enumerate(combinations()):
        partition, machine = case.values
        for m, policy in enumerate(POLICIES):
            marks = () if (n + m) % 3 == 0 or machine not in MACHINES else pytest.mark.nightly
            yield pytest.param(policy, partition, machine, id=f"{case.id}-{policy}", marks=marks)


@pytest.mark.parametrize(("policy", "partition", "machine"), list(tried()))
def test_every_policy_works_with_every_partitioner(policy, partition, machine):
    network, some = parse(machine), jobs(40)
    made = schedule(network, some, policy, partition, overrun="kill", keep_nodes=True)
    assert len(made) + len(made.rejected) == len(some)
    assert (made.start >= made.submit).all()
    assert (made.held >= made.nodes).all()
    for moment in np.unique(made.start):
        here = np.flatnonzero((made.start <= moment) & (moment < made.end))
        nodes = np.concatenate([made.allocations[row] for row in here]) if len(here) else []
        assert len(np.unique(nodes)) == len(nodes) <= network.nodes
    counts = policy in ("easy-counted", "easy-patient") and not make_partitioner(partition, network).by_count
    if partition.partition(":")[0] not in NOT_EXACT and not counts:
        promised = ~np.isnan(made.promised)
        assert (made.start[promised] <= made.promised[promised]).all()
