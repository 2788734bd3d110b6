"""What is said to be the same for every seed, or every place, is the same; networks have their own seed."""

import itertools

import numpy as np
import pytest

from netplace.netsim import ARBITERS, EJECTIONS, TREE_ROUTINGS, VC_POLICIES, Config
from netplace.runs import execute, resolve, run_or_failure
from netplace.runs.chance import network_is_random, same_place, simulation_of
from netplace.runs.job_programs import programs_of
from netplace.runs.placing import places_of
from netplace.runs.spec import Run
from netplace.topologies import parse

BUSY = {"app": "all-to-all", "packets": 3, "rounds": 2}
CONFIGS = [
    Config(vc_policy=policy, arbiter=arbiter, ejection=consumption, vcs=vcs)
    for policy, arbiter, consumption, vcs in itertools.product(VC_POLICIES, ARBITERS, EJECTIONS, (1, 2, 3))
]
GRIDS = ["torus:5x3", "mesh:4x4", "torus:3x3x3", "torus:4x3", "twisted:4x4+2"]


def outcomes(network, config, seeds, mapping="consecutive"):
    job = {**BUSY, "mapping": mapping}
    runs = [resolve(network, job, config=config, seed=seed) for seed in seeds]
    results = [execute(run) for run in runs]
    return {(r.cycles, r.packet_hops, r.packet_delay.mean, r.link_packets.tobytes()) for r in results}


@pytest.mark.parametrize("network", GRIDS)
def test_without_chance_every_seed_gives_the_same(network):
    sure = [config for config in CONFIGS if not network_is_random(parse(network), config)]
    assert bool(sure) == (network in GRIDS[:3])
    for config in sure[::3]:
        assert len(outcomes(network, config, range(3))) == 1


@pytest.mark.parametrize("routing", TREE_ROUTINGS)
def test_on_trees_a_static_route_and_one_channel_leave_nothing_to_chance(routing):
    config = Config(vcs=1, tree_routing=routing)
    assert network_is_random(parse("tree:4,2"), config) == (routing == "adaptive")
    assert (len(outcomes("tree:4,2", config, range(3))) > 1) == (routing == "adaptive")


@pytest.mark.parametrize(
    ("network", "config"),
    [
        ("torus:4x4", Config()),
        ("twisted:4x4+2", Config()),
        ("torus:5x5", Config(arbiter="random")),
        ("torus:5x5", Config(vc_policy="random")),
        ("torus:5x5", Config(vc_policy="oblivious")),
        ("torus:5x5", Config(vcs=3)),
        ("tree:4,2", Config(vcs=2, tree_routing="static")),
    ],
)
def test_where_chance_has_a_part_it_shows(network, config):
    assert network_is_random(parse(network), config)
    assert len(outcomes(network, config, range(4))) > 1


def test_one_simulation_stands_for_all_seeds_only_without_chance():
    def count(network, partition="whole", mapping="consecutive"):
        job = {**BUSY, "tasks": 9, "mapping": mapping}
        runs = [resolve(network, job, partition=partition, seed=seed) for seed in range(5)]
        return len({simulation_of(run).key for run in runs})

    assert count("torus:5x5") == 1
    assert count("torus:5x5", mapping="random") == 5
    assert count("torus:5x5", partition="random") == 5
    assert count("torus:4x4") == 5


@pytest.mark.parametrize("network", ["torus:5x3", "torus:3x3x3"])
def test_without_chance_a_shift_on_a_torus_changes_nothing(network):
    topology = parse(network)
    sure = [config for config in CONFIGS if not network_is_random(topology, config)]
    shift = np.arange(len(topology.sizes)) + 1
    moved = topology.node((topology.coordinates(np.arange(topology.nodes)) + shift) % topology.sizes)
    assert np.array_equal(same_place(topology, [moved])[0], np.arange(topology.nodes))
    for config in sure[1::3]:
        run = resolve(network, BUSY, config=config)
        here = run_or_failure(run).outcome
        from netplace.netsim import simulate

        there = simulate(topology, programs_of(run)[0], moved, config=config)
        assert here["cycles"] == there.cycles
        assert here["packet_hops"] == there.packet_hops
        assert here["packet_delay"] == there.packet_delay.to_dict()
        assert here["most_link_load"] == there.link_load.max()


def test_on_a_mesh_or_with_chance_places_stay():
    for network in ("mesh:4x4", "tree:4,2", "twisted:4x4+2"):
        places = [np.array([5, 3])]
        assert same_place(parse(network), places) is places


def test_equal_places_are_simulated_once_in_a_process():
    halves = [
        resolve("torus:9x5", {**BUSY, "tasks": 9, "rounds": 7}, partition=f"boxes:3x3@{corner}")
        for corner in ("0,0", "3,2", "6,0")
    ]
    assert len({places_of(run, programs_of(run))[0].tobytes() for run in halves}) == 3
    ended = [run_or_failure(run) for run in halves]
    assert ended[0].outcome == ended[1].outcome == ended[2].outcome
    assert ended[0].cpu_seconds > 0
    assert ended[1].cpu_seconds == ended[2].cpu_seconds == 0


JOB = {"app": "all-to-all", "tasks": 16, "packets": 3, "mapping": "random"}


def test_the_placement_stays_and_the_network_draws_anew():
    runs = [resolve("torus:4x4", JOB, seed=5, network_seed=seed) for seed in (None, 5, 6, 7, 8)]
    places = [places_of(run, programs_of(run))[0].tolist() for run in runs]
    assert all(place == places[0] for place in places)
    cycles = [execute(run).cycles for run in runs]
    assert cycles[0] == cycles[1]
    assert len(set(cycles)) > 1


def test_it_is_part_of_the_run_only_where_it_is_given():
    plain, given = (resolve("torus:4x4", JOB, seed=5, network_seed=seed) for seed in (None, 5))
    assert plain.key != given.key
    assert Run.from_dict(given.to_dict()) == given
    old = plain.to_dict()
    del old["network_seed"]
    assert Run.from_dict(old) == plain


def test_one_simulation_stands_for_all_where_chance_has_no_part():
    sure = {"app": "all-to-all", "tasks": 9}
    assert simulation_of(resolve("mesh:3x3", sure, seed=4, network_seed=2)) == resolve("mesh:3x3", sure)
    drawn = resolve("torus:4x4", sure, seed=4, network_seed=2)
    assert simulation_of(drawn) == drawn.seeded(0)
    placed = resolve("mesh:3x3", sure | {"mapping": "random"}, seed=4, network_seed=2)
    assert simulation_of(placed) == resolve("mesh:3x3", sure | {"mapping": "random"}, seed=4)
