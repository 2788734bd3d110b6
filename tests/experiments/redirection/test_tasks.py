"""Tasks under policies with and without redirection, beside unit steps and known optima."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from slow_tasks import Slow, best_preemptive_flow

from netplace.experiments.redirection.simulator import (
    TASK_POLICIES,
    Task,
    run_tasks,
    task_figures,
    tasks_of,
    windows,
)
from netplace.experiments.redirection.study import cases, sweeps
from netplace.report.studies import STUDIES
from netplace.report.studies.study import StudyContext, make_request
from netplace.runs.store import Store
from netplace.scheduling import Job
from netplace.scheduling.workload import Workload


@st.composite
def task_lists(draw: st.DrawFn, most: int = 16) -> list[tuple[int, int]]:
    gaps = draw(st.lists(st.integers(0, 3), min_size=1, max_size=most))
    times = st.integers(1, 6) | st.integers(1, 25)
    return [(int(release), draw(times)) for release in np.cumsum(gaps)]


def given_to(policy: str, data: st.DataObject, tasks: int) -> tuple[int, dict]:
    parameters = TASK_POLICIES[policy].parameters
    dedicated = data.draw(st.integers(1, 2)) if parameters else 0
    more: dict = {"dedicated": dedicated} if parameters else {}
    if "threshold" in parameters:
        more["threshold"] = data.draw(st.integers(1, 4))
    if "b" in parameters:
        more |= {"b": data.draw(st.sampled_from([0.0, 0.5, 1.0])), "c": 0.5}
        more["draws"] = data.draw(st.lists(st.sampled_from([0.1, 0.5, 0.9]), min_size=tasks, max_size=tasks))
    return dedicated + data.draw(st.integers(1, 3)), more


@pytest.mark.parametrize("policy", TASK_POLICIES)
@given(task_lists(), st.data())
def test_every_policy_does_what_unit_steps_do(policy, tasks, data):
    processors, more = given_to(policy, data, len(tasks))
    made = run_tasks([Task(n, *one) for n, one in enumerate(tasks)], processors, policy, **more)
    slow = Slow(tasks, processors, policy, **more)
    got = {one.task.number: (one.start, one.end, one.processor, one.redirected) for one in made}
    assert got == slow.done


@pytest.mark.parametrize("policy", ["SRPT", "GSRPT"])
@given(task_lists(5))
def test_preemption_on_one_processor_is_optimal(policy, tasks):
    made = run_tasks([Task(n, *one) for n, one in enumerate(tasks)], 1, policy)
    assert task_figures(made).sum_flow == best_preemptive_flow(tasks)


@given(st.lists(st.integers(1, 20), min_size=1, max_size=6), st.integers(1, 3))
def test_shortest_first_is_optimal_when_all_are_there_at_the_start(times, processors):
    made = run_tasks([Task(n, 0, p) for n, p in enumerate(times)], processors, "GSPT")
    best = min(
        sum(sum(order[place % processors : place + 1 : processors]) for place in range(len(order)))
        for order in permutations(times)
    )
    assert task_figures(made).sum_flow == best


@given(task_lists(8))
def test_first_come_first_served_is_optimal_for_the_longest_flow_on_one_processor(tasks):
    made = task_figures(run_tasks([Task(n, *one) for n, one in enumerate(tasks)], 1, "FCFS"))
    for policy in ("SPT", "SRPT"):
        other = task_figures(run_tasks([Task(n, *one) for n, one in enumerate(tasks)], 1, policy))
        assert made.max_flow <= other.max_flow


@pytest.mark.parametrize("p", [2, 5, 30])
def test_worked_example_of_the_thesis(p):
    tasks = [Task(0, 0, p), *(Task(n, n, 1) for n in range(1, p + 1))]
    flows = {policy: task_figures(run_tasks(tasks, 1, policy)).sum_flow for policy in ("SPT", "SRPT")}
    assert flows["SRPT"] == 3 * p
    assert flows["SPT"] == p * p + p


def test_draws_come_from_the_seed():
    tasks = [Task(n, n, 5) for n in range(50)]
    more = {"dedicated": 1, "b": 0.02, "c": 0.5}
    sent = [
        [one.redirected for one in run_tasks(tasks, 3, "SPT-RR", seed=seed, **more)] for seed in (1, 1, 2)
    ]
    assert sent[0] == sent[1] != sent[2]
    assert 10 < sum(sent[0]) < 40


def test_task_sets_keep_the_load_of_a_processor():
    log = Workload.of([Job(1, 0, 4, 100), Job(2, 10, 2, 50), Job(3, 20, 6, 0), Job(4, 30, 3, 10)])
    made = tasks_of(log, machine=30)
    assert made.processors == 10
    assert [task.seconds for task in made.tasks] == pytest.approx([400 / 3, 100 / 3, 10])
    given_count = tasks_of(log, machine=30, processors=5)
    for one in (made, given_count):
        assert sum(task.seconds for task in one.tasks) / one.processors == pytest.approx(530 / 30)


def test_windows_are_as_long_as_asked_for():
    log = Workload.of([Job(n, n * 8640.0, 1, 5) for n in range(1, 301)])
    found = windows(log, 3, 4, machine=8, seed=3)
    assert [len(one.tasks) for one in found] == [30] * 4
    with pytest.raises(ValueError, match="the log has only"):
        windows(log, 400, 1, machine=8)


GOOD = [Task(1, 0, 5)]


def test_sweeps_vary_one_parameter_of_redirection_by_delay(tmp_path):
    study = STUDIES["redirection"]
    request = make_request(study, ["dedicated"], quick=True)
    given_to = [(dict(case.parameters), name) for case, name in sweeps(request)]
    usual = dict(next(case for case in cases(request) if case.policy == "SPT-RD").parameters)
    assert [(one[name], name) for one, name in given_to] == [
        (value, name) for name in ("dedicated", "threshold") for value in (1, 2)
    ]
    assert all({**one, name: usual[name]} == usual for one, name in given_to)
    with Store(tmp_path / "runs.sqlite") as store:
        report = study.run(request, StudyContext(store))
    [table] = report.tables
    assert table.frame["varied"].tolist() == ["dedicated"] * 2 + ["threshold"] * 2
    assert (table.frame[["sum_flow", "sum_bounded_stretch"]] > 0).all(axis=None)
    assert len(report.summary) == 2
    # Redirecting later sends fewer tasks away.
    assert table.frame["redirected"].iloc[3] <= table.frame["redirected"].iloc[2]


def test_literal_tasks_are_longer_on_few_processors():
    request = make_request(STUDIES["redirection"], ["windows", "literal"], quick=True)
    assert [case.literal for case in cases(request)] == [False] * 8 + [True] * 8
    fitted, literal = (replace(case, windows=1).run()["windows"][0] for case in cases(request)[::8])
    assert fitted["tasks"] == literal["tasks"]
    assert fitted["sum_flow"] != literal["sum_flow"]
