"""How INSEE counts computation, as a rule over the reference engine: its rows with computation, to the cycle.

Ours is simpler (docs/background/validation.md). INSEE takes a cycle off the computation at the head of a task
before the task acts, and once it is over the task acts in that same cycle. And while no packet is in flight,
no task has a send at its head, and some compute, INSEE sets its clock ahead by what is left of the shortest
computation; receives that are complete wait meanwhile.
"""

import numpy as np
import pytest
from golden_rows import network, program, rows, setting

from netplace.apps import Op
from netplace.netsim.engine import Exit
from netplace.netsim.reference import ReferenceEngine
from netplace.netsim.reference.job import Task


def tasks_of(engine):
    return engine._jobs[0].tasks


def compute_as_insee(task, cycles, last):
    """Take a cycle off at the start of each, from this one on if the task has not acted in it yet."""
    step = task.step
    before = task.steps[task.steps.index(step) - 1] if step is not task.steps[0] else None
    action = before and before.action
    acted = action == Task.receive or (action == compute_as_insee and before not in task.skipped)
    while task.left[step] > 0:
        if acted:
            yield task.clock.env.timeout(1)
        acted = True
        if step not in task.skipped:
            task.left[step] -= 1
            task.clock.stir(task.clock.now)


def head_of(task):
    """Return the step that is at the head of INSEE's list of a task's events, None behind the last."""
    place = task.steps.index(getattr(task, "step", task.steps[0]))
    while place < len(task.steps):
        step = task.steps[place]
        over = step.given[0].over.triggered if step.action == Task.send else task.left.get(step, 1) <= 0
        if not over:
            return step
        place += 1
    return None


def skip(engine):
    """Return by how many cycles INSEE sets its clock ahead now."""
    running = [task for task in tasks_of(engine) if task.end < 0]
    heads = [(task, head_of(task)) for task in running]
    computing = [(task, head) for task, head in heads if head and head.action == compute_as_insee]
    if engine.in_flight or not computing or any(head and head.action == Task.send for _, head in heads):
        return 0
    ahead = min(task.left[head] for task, head in computing)
    for task, head in computing:
        task.left[head] -= ahead
        if not task.left[head]:
            task.skipped.add(head)
    return ahead


@pytest.mark.parametrize(
    "row",
    [row for row in rows("exact_t4") if (program(row["trace"]).kind == Op.COMPUTE).any()],
    ids=lambda row: row["trace"],
)
def test_rows_with_computation_follow_from_insees_rule(row):
    engine, trace = ReferenceEngine(network(row), setting(row["insee_options"]), 1), program(row["trace"])
    engine.install(trace, np.arange(trace.tasks))
    for task in tasks_of(engine):
        computing = [step for step in task.steps if step.action == Task.compute]
        task.left = {step: step.given[0] for step in computing}
        for step in computing:
            step.action = compute_as_insee
        task.skipped = set()
    ahead = skip(engine)
    while engine.run(engine.now + 1) != Exit.JOB_ENDED:
        ahead += skip(engine)
    assert engine.job(0).end + ahead + 1 == int(row["insee_clock"])
