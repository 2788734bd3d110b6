"""Nodes that are switched while jobs come and go."""

import numpy as np
import pytest

from netplace.scheduling import Job, schedule
from netplace.scheduling.power import STATES, PowerModel, PowerRules, hindsight, power_figures
from netplace.scheduling.workload import lublin
from netplace.topologies import parse

MODEL = PowerModel(10, 5, 1, 8, 20, 6, 10)
RULES = ("timeout:0", "timeout", "timeout:50", "reserve:2,30", "lookahead:30")


def run(jobs, switching, policy="easy", machine="mesh:4", model=MODEL, **rest):
    rules = {name: rest.pop(name) for name in ("boot_rate", "stop_rate", "awake") if name in rest}
    partition = rest.pop("partition", "non-contiguous")
    power = PowerRules(model, switching, **rules)
    return schedule(parse(machine), jobs, policy, partition, power=power, **rest)


def test_a_job_waits_until_its_nodes_are_on():
    # Two idle nodes stop at 30; at 100 the job takes them and waits 20 s; the other two stop at 140.
    jobs = [Job(1, 0, 2, 110), Job(2, 100, 2, 40)]
    made = run(jobs, "timeout:30")
    assert made.power.begin.tolist() == [0, 120]
    assert made.start.tolist() == [0, 100]
    assert made.end.tolist() == [110, 160]
    nodes = dict(zip(made.power.time.tolist(), zip(*made.power.nodes.values(), strict=True), strict=False))
    states = {time: dict(zip(made.power.nodes, values, strict=True)) for time, values in nodes.items()}
    assert states[30.0] == {"off": 0, "booting": 0, "idle": 0, "busy": 2, "stopping": 2}
    assert states[40.0]["off"] == 2
    assert states[100.0] == {"off": 0, "booting": 2, "idle": 0, "busy": 2, "stopping": 0}
    assert states[140.0] == {"off": 0, "booting": 0, "idle": 0, "busy": 2, "stopping": 2}
    joules = made.power.joules
    assert joules == {
        "off": 2 * 60 + 2 * 10,
        "booting": 8 * 40,
        "idle": 5 * (60 + 60),
        "busy": 10 * (220 + 80),
        "stopping": 6 * 40,
    }
    figures = power_figures(made, MODEL)
    assert (figures.boots, figures.stops, figures.waited_for_boot, figures.boot_wait) == (2, 4, 1, 20)
    assert figures.mean_wait == 10


def test_a_node_that_stops_is_not_turned_round():
    jobs = [Job(1, 0, 4, 10), Job(2, 14, 4, 5)]
    made = run(jobs, "timeout:0")
    assert made.power.begin.tolist() == [0, 10 + 10 + 20]


def test_nodes_that_are_on_come_first():
    # Nodes 0 to 2 ran until 30, node 3 was stopped at 0; at 35 one of the first is free and on.
    jobs = [Job(1, 0, 3, 30), Job(2, 35, 1, 5), Job(3, 36, 3, 5)]
    made = run(jobs, "timeout:10", keep_nodes=True)
    assert made.power.begin.tolist() == [0, 35, 36 + 20]
    assert [nodes.tolist() for nodes in made.allocations][1:] == [[0], [1, 2, 3]]


def test_without_preference_nodes_come_in_their_order():
    jobs = [Job(1, 0, 1, 100), Job(2, 0, 1, 200), Job(3, 150, 1, 5), Job(4, 151, 2, 5)]
    asleep = run(jobs, "timeout:20", awake=False, keep_nodes=True)
    assert [nodes.tolist() for nodes in asleep.allocations] == [[0], [1], [0], [2, 3]]


def test_kept_nodes_stay_on():
    jobs = [Job(1, 0, 1, 10), Job(2, 500, 3, 10)]
    made = run(jobs, "timeout:0", model=PowerModel(10, 5, 1, 8, 20, 6, 10, keep=2))
    assert (made.power.nodes["off"].max(), made.power.boots) == (2, 1)
    with pytest.raises(ValueError, match="keep is 9 nodes, but the machine has 4"):
        run(jobs, "timeout:0", model=PowerModel(keep=9))


def test_a_reserve_is_filled_up_again():
    jobs = [Job(1, 0, 1, 10), Job(2, 100, 1, 100), Job(3, 150, 1, 10)]
    made = run(jobs, "reserve:1,0")
    # One stays on; when the second takes it at 100 another boots, and is there for the third.
    assert made.power.begin.tolist() == [0, 100, 150]


def test_lookahead_boots_in_time():
    # The second needs all nodes from 200 on; the idle two were stopped.
    jobs = [Job(1, 0, 2, 200, 200), Job(2, 100, 4, 10, 10)]
    late, early = (run(jobs, rule).power for rule in ("timeout:0", "lookahead:0"))
    assert late.begin.tolist() == [0, 220]
    assert early.begin.tolist() == [0, 200]
    for policy in ("fcfs", "sjf"):
        with pytest.raises(ValueError, match=f"policy {policy} does not plan starts"):
            run(jobs, "lookahead:0", policy)


def test_rates_limit_switching():
    jobs = [Job(1, 0, 4, 10), Job(2, 500, 4, 10)]
    made = run(jobs, "timeout:0", stop_rate=1)
    assert made.power.time[:-1][made.power.nodes["stopping"] > 0].tolist() == [10, 70, 130, 190]
    slow = run(jobs, "timeout:0", boot_rate=2)
    assert slow.power.begin[1] == 500 + 60 + 20


TOGETHER = [(rule, policy) for rule in RULES for policy in ("easy", "conservative", "fcfs")]
TOGETHER.remove(("lookahead:30", "fcfs"))  # it looks at planned starts, and FCFS plans none


@pytest.mark.parametrize(("rule", "policy"), TOGETHER)
def test_every_rule_accounts_for_every_node(rule, policy):
    jobs = lublin(32, 120, seed=3, load=0.5)
    made = run(jobs, rule, policy, "mesh:32", PowerModel(), locality=False)
    use = made.power
    assert (np.sum([use.nodes[state] for state in STATES], axis=0) == 32).all()
    assert all((use.nodes[state] >= 0).all() for state in STATES)
    figures = power_figures(made, PowerModel())
    run_times = made.end - use.begin
    assert use.node_seconds["busy"] == pytest.approx((made.held * run_times).sum())
    assert use.total >= figures.hindsight - 1e-6
    assert (use.begin >= made.start - 1e-9).all()
    assert run_times == pytest.approx(made.nominal)
    boots = use.node_seconds["booting"] / PowerModel().boot_seconds
    assert boots == pytest.approx(use.boots, abs=32)


def test_always_on_is_no_switching():
    jobs = lublin(32, 60, seed=3, load=0.5)
    made = run(jobs, "always-on", machine="mesh:32")
    assert made.power is None
    free = schedule(parse("mesh:32"), jobs, "easy", "non-contiguous")
    assert made.start.tolist() == free.start.tolist()


def test_switching_that_takes_no_time_delays_nobody():
    jobs = lublin(32, 100, seed=5, load=0.6)
    free = schedule(parse("mesh:32"), jobs, "easy", "non-contiguous")
    made = run(jobs, "timeout:0", machine="mesh:32", model=PowerModel(boot_seconds=0, stop_seconds=0))
    assert made.start.tolist() == free.start.tolist() == made.power.begin.tolist()


@pytest.mark.parametrize("partition", ["curve:hilbert,best-fit", "mc1x1", "pss:levels", "random"])
def test_partitions_offer_nodes_that_are_on(partition):
    jobs = lublin(64, 80, seed=2, load=0.4)
    first = run(jobs, "timeout:60", machine="mesh:8x8", partition=partition)
    last = run(jobs, "timeout:60", machine="mesh:8x8", partition=partition, awake=False)
    assert first.power.boots < last.power.boots


def test_a_partition_of_boxes_is_told():
    made = run([Job(1, 0, 1, 1)], "timeout:60", machine="mesh:8x8", partition="contiguous", awake=False)
    assert made.power.begin.tolist() == [0]
    with pytest.raises(ValueError, match="awake = false"):
        run([Job(1, 0, 1, 1)], "timeout:60", machine="mesh:8x8", partition="contiguous")


def test_rules_that_make_no_sense_are_refused():
    with pytest.raises(ValueError, match=r"switching: unknown name 'timeut'; did you mean timeout"):
        run([Job(1, 0, 1, 1)], "timeut:3")


@pytest.mark.parametrize("seed", range(6))
def test_hindsight_is_a_bound_whatever_switching_draws(seed):
    rng = np.random.default_rng(seed)
    off, idle = sorted(rng.integers(1, 10, 2).tolist())
    boot, stop = (float(watts) for watts in rng.integers(0, 12, 2))
    model = PowerModel(10, idle, off, boot, float(rng.integers(1, 9)), stop, float(rng.integers(1, 30)))
    submits = np.cumsum(rng.integers(0, 40, 20)).tolist()
    jobs = [
        Job(row, float(at), int(rng.integers(1, 5)), float(rng.integers(1, 30)))
        for row, at in enumerate(submits)
    ]
    for switching in RULES[:4]:
        made = run(jobs, switching, model=model)
        assert hindsight(made, model) <= made.power.total * (1 + 1e-9)


def test_a_stop_that_draws_less_than_idling_pays_to_the_end():
    model = PowerModel(100, 50, 50, 60, 10, 25, 100)
    made = run([Job(1, 0, 1, 100), Job(2, 0, 3, 10)], "timeout:0", model=model)
    assert hindsight(made, model) == 100 * 100 + 3 * 10 * 100 + 3 * 90 * 25
    assert made.power.total >= hindsight(made, model)


def test_nodes_that_boot_are_not_kept_ones():
    model = PowerModel(10, 5, 1, 8, 20, 6, 10, keep=2)
    jobs = [Job(1, 0, 1, 300), Job(2, 50, 3, 10), Job(3, 55, 1, 2), Job(4, 200, 3, 10)]
    made = run(jobs, "timeout:0", model=model)
    on = np.asarray(made.power.nodes["idle"]) + np.asarray(made.power.nodes["busy"])
    assert on.min() >= 2
