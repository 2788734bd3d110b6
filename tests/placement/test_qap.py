"""The quadratic assignment problem: exact costs, every kind of matrix, budgets, and what is refused."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from netplace.apps import application
from netplace.native import placement as native
from netplace.placement.mapping import METHODS, solve_qap
from netplace.placement.mapping.qap.grasp import Construction, PairsFirst
from netplace.placement.mapping.qap.local_search import TabuSearch
from netplace.placement.mapping.qap.lowered import dense_form, sparse_form
from netplace.placement.mapping.qap.portfolio import Elites, crossed, perturbed
from netplace.placement.mapping.qap.problem import qap_problem
from netplace.topologies import parse


def cost(A, B, mapping) -> int:
    """Price a mapping term by term, in Python's own integers."""
    A, B = np.asarray(A).tolist(), np.asarray(B).tolist()
    n = range(len(A))
    return sum(A[i][j] * B[mapping[i]][mapping[j]] for i in n for j in n)


def optimum(A, B) -> int:
    return min(cost(A, B, p) for p in itertools.permutations(range(len(B)), len(A)))


def matrices(kind: str, tasks: int, locations: int, seed: int = 0):
    """Return random flows and costs; both with diagonals."""
    rng = np.random.default_rng(seed)
    A, B = rng.integers(0, 20, (tasks, tasks)), rng.integers(0, 20, (locations, locations))
    if kind == "sparse":
        A *= rng.random(A.shape) < 0.3
    if kind in ("symmetric", "flows symmetric"):
        A = A + A.T
    if kind in ("symmetric", "costs symmetric", "sparse"):
        B = B + B.T
    return A, B


KINDS = ["symmetric", "flows symmetric", "costs symmetric", "asymmetric", "sparse"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("locations", [6, 7])
def test_small_problems_are_solved(kind, locations):
    A, B = matrices(kind, 6, locations)
    found = solve_qap(A, B, iterations=5000)
    assert found.cost == cost(A, B, found.mapping) == optimum(A, B)
    assert optimum(A, B) <= solve_qap(A, B, method="grasp").cost <= 1.05 * optimum(A, B)
    assert optimum(A, B) <= solve_qap(A, B, method="grasp-pairs").cost <= 1.05 * optimum(A, B)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("tasks", [1, 2, 9])
def test_every_method_gives_each_task_a_location(method, tasks):
    A, B = matrices("asymmetric", tasks, 11, seed=tasks)
    found = solve_qap(A, B, method=method, iterations=3, seed=4)
    assert len(set(found.mapping.tolist())) == tasks
    assert set(found.mapping.tolist()) <= set(range(11))
    assert found.cost == cost(A, B, found.mapping)
    assert (found.method, found.iterations) == (method, 3)
    assert found.seconds >= 0


@pytest.mark.parametrize("kind", KINDS)
def test_gains_of_all_swaps_stay_right_over_many_of_them(kind):
    """Tabu search keeps gains by updates: in the end each must be what the swap really changes."""
    A, B = matrices(kind, 9, 12, seed=5)
    problem = qap_problem(A, B)
    form, rng = dense_form(problem), np.random.default_rng(1)
    place, state, gain = rng.permutation(12), np.zeros(3), np.zeros((12, 12))
    costs, costs_back = form.B[np.ix_(place, place)], form.BT[np.ix_(place, place)]
    until, free = np.zeros((2, 12, 12))
    before = np.sum(form.A * costs)
    for swaps in (1, 70, 200):
        native.tabu(
            form.A, form.AT, costs, costs_back, form.symmetric, gain, until, free, form.active, place,
            place.copy(), state, rng, swaps, 9.0, 13.0,
        )  # fmt: skip
        now = np.sum(form.A * form.B[np.ix_(place, place)])
        assert now == before + state[1]
        assert now == (4 if form.symmetric else 1) * problem.cost(place[np.argsort(form.order)][:9])
        for u in range(form.active):
            for v in range(u + 1, 12):
                swapped = place.copy()
                swapped[[u, v]] = place[[v, u]]
                assert gain[u, v] == np.sum(form.A * form.B[np.ix_(swapped, swapped)]) - now


@pytest.mark.parametrize("kind", KINDS)
def test_descent_ends_where_no_swap_improves(kind):
    A, B = matrices(kind, 7, 9, seed=6)
    problem = qap_problem(A, B)
    search = TabuSearch(dense_form(problem), np.random.default_rng(0))
    place = search.descend(np.random.default_rng(2).permutation(9))
    least = problem.cost(place[:7])
    for u, v in itertools.combinations(range(9), 2):
        swapped = place.copy()
        swapped[[u, v]] = place[[v, u]]
        assert problem.cost(swapped[:7]) >= least


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tasks", [10, 12])
def test_annealing_knows_what_a_swap_changes(kind, tasks):
    A, B = matrices(kind, tasks, 12, seed=7)
    problem = qap_problem(A, B)
    form, rng = sparse_form(problem), np.random.default_rng(3)
    lists = (form.first, form.other, form.flow, form.back_first, form.back_other, form.back_flow)
    compiled = native.Sparse(*lists, form.own, form.costs, form.costs_back, form.active, form.near)
    place, state = rng.permutation(12), np.zeros(3)
    holder, best = np.argsort(place), place.copy()
    factor = 1 if len(form.back_flow) else 2

    def priced(place):
        return factor * problem.cost((np.argsort(place) if form.exchanged else place)[:tasks])

    before = priced(place)
    for temperature in (1000.0, 10.0):
        compiled.anneal(place, holder, best, state, rng, 50, temperature, 0.5)
        assert (holder == np.argsort(place)).all()
        assert priced(place) == before + state[0]
        assert priced(best) == before + state[1] <= before


def test_costs_are_exact_beyond_the_precision_of_floats():
    A = np.array([[0, 2**40 + 1, 3], [5, 0, 7], [2**35, 1, 0]])
    B = np.array([[0, 2**18 + 1, 5], [2**18 - 1, 0, 3], [1, 2, 0]])
    found = solve_qap(A, B, iterations=1000)
    assert isinstance(found.cost, int)
    assert found.cost == cost(A, B, found.mapping) == optimum(A, B)


def test_costs_may_be_fractions():
    A, B = matrices("symmetric", 6, 6)
    assert solve_qap(A, B / 4, iterations=3000).cost == optimum(A, B) / 4


def test_sparse_flows_give_what_dense_ones_give():
    A, B = matrices("sparse", 15, 20)
    dense, thin = (solve_qap(flows, B, iterations=4000, seed=3) for flows in (A, sparse.csr_array(A)))
    assert dense.cost == thin.cost
    assert (dense.mapping == thin.mapping).all()


@pytest.mark.parametrize("method", METHODS)
def test_iterations_and_seed_decide_the_result(method):
    A, B = matrices("symmetric", 30, 30)
    one, same, other = (solve_qap(A, B, method=method, iterations=4, seed=seed) for seed in (1, 1, 2))
    assert (one.mapping == same.mapping).all()
    assert (one.mapping != other.mapping).any()


def test_a_short_search_is_a_search_too():
    A, B = np.array([[0, 3, 0], [0, 0, 1], [0, 0, 0]]), np.array([[0, 9, 1], [9, 0, 2], [1, 2, 0]])
    assert [solve_qap(A, B, iterations=20, seed=seed).cost for seed in range(5)] == [5] * 5
    torus, W = parse("torus:8x8"), application("2d-torus", 64).traffic().W
    drawn = np.random.default_rng(0).permutation(64)
    at_random = (W * torus.distances(drawn)).sum()
    assert solve_qap(W, torus.distances(), iterations=200).cost < 0.7 * at_random


@pytest.mark.parametrize("method", METHODS)
def test_time_ends_a_search(method):
    A, B = matrices("symmetric", 40, 50)
    found = solve_qap(A, B, method=method, seconds=0.05)
    assert 0.05 <= found.seconds < 5.0  # it ends; a slow machine may be late by an iteration


def test_nothing_to_choose():
    for method in METHODS:
        assert solve_qap([[3]], [[5]], method=method, iterations=2).cost == 15
        assert solve_qap(np.zeros((4, 4)), np.ones((6, 6)), method=method, iterations=20).cost == 0
        assert solve_qap(np.ones((4, 4)), np.zeros((4, 4)), method=method, iterations=20).cost == 0


def test_input_is_left_alone():
    A, B = matrices("asymmetric", 8, 8)
    before = A.copy(), B.copy()
    solve_qap(A, B, iterations=2000)
    assert np.array_equal(before, (A, B))


def test_grasp_draws_among_the_best_fifth():
    """Two tasks that talk, on a line: the pair that is placed first stands side by side."""
    A, B = np.array([[0, 9, 0], [9, 0, 0], [0, 0, 0]]), np.abs(np.subtract.outer(range(3), range(3)))
    placements = {
        tuple(PairsFirst(qap_problem(A, B)).draw(np.random.default_rng(seed)).tolist()) for seed in range(20)
    }
    assert all(abs(place[0] - place[1]) == 1 for place in placements)


@pytest.mark.parametrize("kind", ["symmetric", "asymmetric"])
def test_grasp_sets_one_entry_at_a_time(kind):
    """A construction written plainly: every entry is priced anew, and one of the cheapest fifth is drawn."""
    A, B = matrices(kind, 7, 9)
    for seed in range(5):
        rng, place, free = np.random.default_rng(seed), {}, list(range(9))
        while len(place) < 7:
            entries = [
                (
                    A[task, task] * B[node, node]
                    + sum(
                        A[task, other] * B[node, at] + A[other, task] * B[at, node]
                        for other, at in place.items()
                    ),
                    task,
                    node,
                )
                for task in range(7)
                if task not in place
                for node in free
            ]
            drawn = sorted(entries)[int(rng.integers(max(1, len(entries) // 5)))]
            place[drawn[1]] = drawn[2]
            free.remove(drawn[2])
        found = Construction(qap_problem(A, B)).draw(np.random.default_rng(seed))
        assert found[:7].tolist() == [place[task] for task in range(7)]
        assert found[7:].tolist() == free


def test_grasp_makes_fifty_iterations_unless_told():
    A, B = matrices("symmetric", 8, 8)
    assert solve_qap(A, B, method="grasp").iterations == 50


def test_elites_are_few_different_and_sorted():
    rng = np.random.default_rng(0)
    elites = Elites(rng)
    assert elites.start() is None
    for value in (5, 3, 9, 3, 8, 7, 1):
        elites.add(np.roll(np.arange(10), value), value)
    assert elites.minimum == 1
    assert (elites.best == np.roll(np.arange(10), 1)).all()
    for _ in range(10):
        assert sorted(elites.start()) == list(range(10))


def test_a_cross_keeps_what_both_parents_have():
    rng = np.random.default_rng(0)
    one = rng.permutation(20)
    other = perturbed(one, rng)
    assert 0 < (one != other).sum() <= 6
    child = crossed(one, other, rng)
    assert sorted(child) == list(range(20))
    assert (child[one == other] == one[one == other]).all()


@pytest.mark.parametrize(
    ("A", "B", "message"),
    [
        (np.ones((2, 3)), np.ones((3, 3)), r"flows A: shape \(2, 3\) is not square"),
        (np.ones((3, 3)), np.ones((2, 2)), "flows A: 3 tasks are more than the 2 locations of B"),
        ([[0, -1], [0, 0]], np.ones((2, 2)), "flows A: -1 is not a number of at least 0"),
        (np.ones((2, 2)), [[0, np.nan], [0, 0]], "costs B: nan is not a number of at least 0"),
        (np.full((2, 2), 2**40), np.full((2, 2), 2**40), "which exceeds 64 bits"),
    ],
)
def test_matrices_that_are_refused(A, B, message):
    with pytest.raises(ValueError, match=message):
        solve_qap(A, B)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "tabu"}, "mapping method: unknown name 'tabu'"),
        ({"iterations": 0}, "iterations of a mapping search: 0 is too small"),
        ({"seconds": 0}, "seconds of a mapping search: 0 is out of range, expected more than 0"),
    ],
)
def test_options_that_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        solve_qap(np.ones((2, 2)), np.ones((2, 2)), **options)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("locations", [5, 7])
@pytest.mark.parametrize("scale", [1, 1000, 0.5])
def test_no_mapping_goes_below_the_bound(kind, locations, scale):
    A, B = matrices(kind, 5, locations, seed=8)
    assert 0 < qap_problem(A, B * scale).bound <= optimum(A, B) * scale


def test_the_bound_is_met_where_all_mappings_cost_the_same():
    distance = parse("torus:4x4").distances()
    alike = 3 * (1 - np.eye(16, dtype=int))
    assert qap_problem(alike, distance).bound == 3 * distance.sum()
    found = solve_qap(alike, distance)
    assert (found.cost, found.iterations) == (3 * distance.sum(), 0)
    assert found.mapping.tolist() == list(range(16))
    few = qap_problem(alike[:2, :2], distance)
    assert few.bound == 6


def test_the_search_ends_with_the_proof():
    distance = parse("torus:4x4").distances()
    shuffled = np.random.default_rng(4).permutation(16)
    halo = (distance == 1)[np.ix_(shuffled, shuffled)] * 5
    found = solve_qap(halo, distance, iterations=10**9)
    assert found.cost == halo.sum() == qap_problem(halo, distance).bound


QAPLIB = Path(__file__).parent / "qaplib"


def instance(name: str):
    """Return flows, costs and the best known cost of a problem of QAPLIB."""
    numbers = np.array((QAPLIB / f"{name}.dat").read_text().split(), np.int64)
    A, B = numbers[2:].reshape(2, numbers[0], numbers[0])
    return A, B, int(numbers[1])


@pytest.mark.parametrize(
    ("name", "iterations", "excess"),
    [
        ("nug12", 2_000, 0),
        ("nug20", 10_000, 0),
        ("nug30", 50_000, 0),
        pytest.param("kra30a", 100_000, 0, marks=pytest.mark.all),
        ("esc32e", 2_000, 0),
        ("lipa50a", 30_000, 0),
        pytest.param("tai64c", 300_000, 0, marks=pytest.mark.all),
        ("esc64a", 40_000, 0),
        ("esc128", 40_000, 0),
        ("sko49", 40_000, 0.003),
        ("wil50", 40_000, 0.002),
        ("tho40", 40_000, 0.003),
    ],
)
def test_the_best_known_cost_is_reached(name, iterations, excess):
    A, B, best = instance(name)
    shuffled = np.random.default_rng(1).permutation(len(A))
    A = A[np.ix_(shuffled, shuffled)]
    found = solve_qap(A, B, iterations=iterations)
    assert found.cost <= (1 + excess) * best
    assert found.cost == (A * B[np.ix_(found.mapping, found.mapping)]).sum()
    assert found.iterations <= iterations


@pytest.mark.parametrize("name", ["2d-torus", pytest.param("lu", marks=pytest.mark.all), "butterfly"])
def test_applications_cost_less_than_by_published_grasp(name):
    W, B = application(name, 64).traffic().W, parse("torus:4x4x4").distances()
    grasp = solve_qap(W, B, method="grasp")
    assert solve_qap(W, B, iterations=3000).cost <= 0.9 * grasp.cost
