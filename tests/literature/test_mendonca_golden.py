"""Golden cases after F. Mendonca's thesis: see golden/README.md for their columns."""

import math
from typing import Any

import numpy as np
import pytest
from golden_folder import rows

from netplace.experiments.local_backfilling.simulator import (
    Platform,
    backfill,
    place_figures,
    read_penalty,
    shelves,
)
from netplace.experiments.redirection.simulator import Task, run_tasks, task_figures
from netplace.experiments.two_kinds.simulator import TaskTimes, greedy_step, optimum, search
from netplace.scheduling import Job, State

CASES = rows("mendonca_golden*.csv")


def of_kind(*kinds: str) -> list[Any]:
    """Return the cases of some kinds; if a folder of others has none, one that says so."""
    found = [pytest.param(row, id=row["case"]) for row in CASES if row["kind"] in kinds]
    return found or [pytest.param(None, marks=pytest.mark.skip(reason=f"no case of kind {kinds}"))]


def settings(text: str, separator: str = ";") -> dict[str, str]:
    """Return the values of a text such as ``a=1;b=2`` by their names."""
    words = (word for word in text.split(separator) if "=" in word)
    return dict(word.split("=", 1) for word in words)


def items(text: str) -> list[list[str]]:
    """Return the parts of the items of a text."""
    return [item.split(":") for item in text.split()]


def processors(text: str) -> list[int]:
    """Return the processors of a text such as ``0-3+5``."""
    found: list[int] = []
    for piece in text.split("+"):
        first, _, last = piece.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def check_figures(got: Any, expected: str) -> None:
    """Compare figures with those of a text such as ``makespan=22 success=6``."""
    for name, value in settings(expected, " ").items():
        found = got[name] if isinstance(got, dict) else getattr(got, name)
        assert found == pytest.approx(float(value), rel=1e-7), name


@pytest.mark.parametrize("row", of_kind("backfill"))
def test_backfilling(row: dict[str, str]) -> None:
    platform = Platform.read(settings(row["machine"])["levels"])
    chosen = settings(row["parameters"])
    jobs = [
        Job(int(name), float(submit), int(size), float(run), float(wall))
        for name, submit, size, wall, run in items(row["jobs"])
    ]
    made = backfill(
        platform, jobs, row["policy"], read_penalty(chosen["penalty"]), reassign=chosen["reassign"] == "yes"
    )
    assert made.allocations is not None
    at = {int(number): place for place, number in enumerate(made.number.tolist())}
    for name, start, end, held, ending in items(row["expected"]):
        place = at.pop(int(name))
        assert (made.start[place], made.end[place]) == (float(start), float(end)), name
        assert made.allocations[place].tolist() == processors(held), name
        assert (made.state[place] == State.DONE) == (ending == "ok"), name
    assert not at
    check_figures(place_figures(made, platform), row["figures"])


@pytest.mark.parametrize("row", of_kind("shelves"))
def test_shelves(row: dict[str, str]) -> None:
    machine = {name: int(value) for name, value in settings(row["machine"]).items()}
    jobs = [(name, int(size), float(seconds)) for name, size, seconds in items(row["jobs"])]
    sizes, times = [size for _, size, _ in jobs], [seconds for *_, seconds in jobs]
    made = shelves(machine["clusters"], machine["cluster_size"], sizes, times)
    got = {
        jobs[job][0]: (shelf.start, shelf.start + times[job], held.tolist())
        for shelf in made
        for job, held in zip(shelf.jobs, shelf.processors, strict=True)
    }
    expected = {
        name: (float(start), float(end), processors(held))
        for name, start, end, held in items(row["expected"])
    }
    assert got == expected
    load = sum(size * seconds for size, seconds in zip(sizes, times, strict=True))
    figures = {
        "makespan": max(end for _, end, _ in got.values()),
        "shelves": len(made),
        "bound": 2 * load / (machine["clusters"] * machine["cluster_size"]) + max(times),
    }
    check_figures(figures, row["figures"])


@pytest.mark.parametrize("row", of_kind("redirect"))
def test_redirection(row: dict[str, str]) -> None:
    tasks = [Task(int(name), float(release), float(seconds)) for name, release, seconds in items(row["jobs"])]
    given: dict[str, Any] = dict(settings(row["parameters"]))
    draws = given.pop("draws", None)
    for name, kind in (("dedicated", int), ("threshold", int), ("b", float), ("c", float)):
        if name in given:
            given[name] = kind(given[name])
    if draws is not None:
        given["draws"] = [float(draw) for draw in draws.split(",")]
    made = run_tasks(tasks, int(settings(row["machine"])["processors"]), row["policy"], **given)
    got = {
        str(one.task.number): (
            one.start,
            one.end,
            one.processor,
            "redirected" if one.redirected else "common",
        )
        for one in made
    }
    expected = {
        name: (float(start), float(end), int(processor), ending)
        for name, start, end, processor, ending in items(row["expected"])
    }
    assert got == expected
    figures = settings(row["figures"], " ")
    best = float(figures.pop("optimal_nonpreemptive_sum_flow", -math.inf))
    check_figures(task_figures(made), " ".join(f"{name}={value}" for name, value in figures.items()))
    assert task_figures(made).sum_flow >= best


def two_kinds(row: dict[str, str]) -> tuple[TaskTimes, int, int]:
    """Return the tasks and workers of a dual case."""
    machine = settings(row["machine"])
    names, cpu, gpu = zip(*items(row["jobs"]), strict=True)
    times = TaskTimes(names, np.array(cpu, float), np.array(gpu, float))
    return times, int(machine["cpus"]), int(machine["gpus"])


@pytest.mark.parametrize("row", of_kind("dual-search"))
def test_dual_search(row: dict[str, str]) -> None:
    tasks, cpus, gpus = two_kinds(row)
    found = search(tasks, cpus, gpus, "greedy", float(settings(row["parameters"])["tolerance"]))
    assert dict(zip(tasks.names, found.assignment.workers, strict=True)) == dict(items(row["expected"]))
    figures = settings(row["figures"], " ")
    assert found.assignment.makespan == pytest.approx(float(figures["makespan"]), rel=1e-7)
    assert optimum(tasks, cpus, gpus) == pytest.approx(float(figures["optimum"]), rel=1e-7)
    # Known only as well as the search's tolerance.
    assert found.lower_bound == pytest.approx(float(figures["largest_no"]), rel=2e-6)


@pytest.mark.parametrize("row", of_kind("dual-step"))
def test_dual_step(row: dict[str, str]) -> None:
    tasks, cpus, gpus = two_kinds(row)
    made = greedy_step(tasks, cpus, gpus, float(settings(row["parameters"])["guess"]))
    figures = settings(row["figures"], " ")
    assert (figures.pop("answer") == "NO") == (made is None) == (row["expected"] == "NO")
    if made is not None:
        assert dict(zip(tasks.names, made.workers, strict=True)) == dict(items(row["expected"]))
        assert made.makespan == float(figures["makespan"])
