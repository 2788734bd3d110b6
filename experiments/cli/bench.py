"""``netplace bench``: measure speed and memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import rich_click as click

from experiments.cli.examples import examples_of
from experiments.cli.settings import json_flag
from experiments.cli.verdict import AnnouncingCommand
from experiments.screen import number, print_json, print_tables, table

if TYPE_CHECKING:
    from benchmarks import Figure

__all__ = ["bench_command"]


@click.command("bench", cls=AnnouncingCommand, epilog=examples_of("bench"))
@click.option(
    "--quick", is_flag=True, help="Fewer repeats, small networks: seconds instead of a minute or two."
)
@click.option("--only", metavar="NAME", help="One benchmark: saturated, halo, idle, application, memory, ..")
@json_flag
def bench_command(quick: bool, only: str | None, as_json: bool) -> None:
    """Measure speed and memory on this machine, beside what the project wants.

    CPU time, medians of several repeats. A machine that does other things at the same time is slower.
    """
    from benchmarks import BENCHMARKS
    from checks import one_of
    from experiments.compiling import load_engine

    chosen = BENCHMARKS if only is None else {only: BENCHMARKS[one_of(only, BENCHMARKS, "--only")]}
    load_engine("kernel")
    found: list[Figure] = []
    for name, measure in chosen.items():
        click.echo(f"measuring {name} ...", err=True)
        found += measure(quick)
    if as_json:
        print_json({"figures": [figure.__dict__ | {"met": figure.met} for figure in found]})
    else:
        print_tables(table("", ["figure", "median", "least", "most", "unit", "wanted", ""], map(_row, found)))


def _row(figure: Figure) -> list[str]:
    verdict = {True: "met", False: "missed", None: ""}[figure.met]
    digits = 2 if figure.value < 1000 else 0
    values = [number(value, digits) for value in (figure.value, figure.low, figure.high)]
    return [figure.name, *values, figure.unit, figure.wanted, verdict]
