"""A placement may be simulated more than once: the network has a seed of its own."""

from netplace.runs import execute, resolve
from netplace.runs.chance import simulation_of
from netplace.runs.job_programs import programs_of
from netplace.runs.placing import places_of
from netplace.runs.spec import Run

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
