"""The check of an application."""

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
    """Check that an application can run, is reproducible, and gives the same result on both engines.

    Parameters
    ----------
    rule : str or callable
        A function that writes the program of one task, or the text by which a user selects it.
    tasks : sequence of int
        Task counts to try; the rule can refuse some with a ValueError.
    engines : sequence of str
        Engines that must agree. For a long program, use ``("kernel",)`` alone.
    **options
        Options of the application.

    Raises
    ------
    AssertionError
        If the rule violates a requirement.
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
