"""What is demanded of an application."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from netplace.apps import Program, application
from netplace.netsim import ENGINES, simulate
from netplace.testing.demand import accepted, demand, name_of
from netplace.topologies import parse

__all__ = ["check_application"]


def check_application(
    rule: str | Callable[..., Any],
    tasks: Sequence[int] = (1, 2, 4, 6, 8, 16),
    *,
    engines: Sequence[str] = tuple(ENGINES),
    **options: Any,
) -> None:
    """Check an application: a program that can run, always the same, and with one result on both engines.

    Parameters
    ----------
    rule : str or callable
        A function that writes what one task does, or what a user asks for it by.
    tasks : sequence of int
        Numbers of tasks to try; it may refuse some by a ValueError.
    engines : sequence of str
        Engines that must agree; for a long program perhaps ``("kernel",)`` alone.
    **options
        What the application is told.

    Raises
    ------
    AssertionError
        If a demand is not met.
    """
    what = f"application {name_of(rule)}"

    def program(count: int) -> Program:
        return application(rule, count, **options)

    for count, made in accepted(tasks, program, what):
        subject = f"{what}, {count} tasks"
        demand(made.tasks == count, f"{subject}: the program has {made.tasks}")
        demand(made.equals(program(count)), f"{subject}: not the same program when made again")
        try:
            made.check()
        except ValueError as error:
            raise AssertionError(f"{subject}: cannot run, {error}") from error
        torus = parse("torus:4x4")
        cycles = {engine: simulate(torus, made, engine=engine).cycles for engine in engines}
        demand(len(set(cycles.values())) == 1, f"{subject}: engines disagree on its cycles, {cycles}")
