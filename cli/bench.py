"""``netplace bench``: measure speed and memory, or the quality of mappings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.checks import check_choice, check_int
from netplace.cli.clashes import command
from netplace.cli.flags import REAL, SEEDS, flag
from netplace.cli.settings import json_flag
from netplace.report.terminal.screen import number, print_json, print_tables, table

if TYPE_CHECKING:
    from netplace.benchmarks import Figure
    from netplace.benchmarks.mapping import Row

_TOPICS = ("speed", "mapping")
_VERDICTS = {True: "met", False: "missed", None: ""}


@command("bench")
@click.argument("topic", default="speed", metavar="[speed|mapping]")
@flag("--quick", "Use fewer repeats and small networks; for mapping, one seed.", bool)
@flag(
    "--only",
    "Run one benchmark: saturated, halo, idle, ..; for mapping: applications, halos, instances, machines.",
    metavar="NAME",
)
@flag("--seeds", "For mapping: searches per problem. [default: 5]", SEEDS)
@flag("--seconds", "For mapping instances: CPU seconds per search. [default: 1]", REAL)
@json_flag
def bench_command(topic: str, **given: Any) -> None:
    """Measure speed and memory on this machine, or the quality of mappings, and compare them with targets.

    Speed: CPU time, as the median of several repeats; other load on the machine increases it. Mapping:
    costs relative to the best known (QAPLIB, halos) and to published GRASP (applications), as medians
    over seeds, for the same processor time of one core.
    """
    if check_choice(topic, _TOPICS, "bench") == "mapping":
        _mapping(**given)
        return
    for name in ("seeds", "seconds"):
        if given[name] is not None:
            raise ValueError(f"--{name}: applies only to netplace bench mapping")
    _speed(given["quick"], given["only"], given["as_json"])


def _speed(quick: bool, only: str | None, as_json: bool) -> None:
    from netplace.benchmarks import BENCHMARKS

    chosen = BENCHMARKS if only is None else {only: BENCHMARKS[check_choice(only, BENCHMARKS, "--only")]}
    figures: list[Figure] = []
    for name, measure in chosen.items():
        click.echo(f"measuring {name} ...", err=True)
        figures += measure(quick)
    if as_json:
        print_json({"figures": [figure.__dict__ | {"met": figure.met} for figure in figures]})
    else:
        columns = ["figure", "median", "least", "most", "unit", "wanted", ""]
        print_tables(table("", columns, map(_row, figures)))


def _row(figure: Figure) -> list[str]:
    digits = 2 if figure.value < 1000 else 0
    values = [number(value, digits) for value in (figure.value, figure.low, figure.high)]
    return [figure.name, *values, figure.unit, figure.wanted, _VERDICTS[figure.met]]


def _mapping(quick: bool, only: str | None, seeds: int | None, seconds: float | None, as_json: bool) -> None:
    from netplace.benchmarks.mapping import PARTS

    names = list(PARTS) if only is None else [check_choice(only, PARTS, "--only")]
    if seconds is not None:
        if names != ["instances"]:
            raise ValueError(
                "--seconds: applies only to --only instances; the other parts have their own limits"
            )
        if not 0 < seconds < float("inf"):
            raise ValueError(f"--seconds: {seconds} is out of range, expected more than 0")
    count = check_int(seeds, "--seeds") if seeds is not None else 1 if quick else 5
    limit = {} if seconds is None else {"seconds": seconds}
    rows: list[Row] = []
    for name in names:
        click.echo(f"solving {name} ...", err=True)
        rows += PARTS[name](seeds=count, **limit)
    if as_json:
        print_json({"seeds": count, "rows": [row.__dict__ | {"met": row.met} for row in rows]})
        return
    columns = ["problem", "s", "cost", "gap", "worst", "to", "iterations", "CPU s", "GB", "goal", ""]
    print_tables(table(f"median of {count} seeds", columns, map(_quality, rows)))


def _quality(row: Row) -> list[str]:
    against = {"excess": "best known", "of GRASP": "GRASP"}[row.measure]
    gaps = [value if row.measure == "excess" else value - 1 for value in (row.median, row.worst)]
    goal = None if row.goal is None else row.goal if row.measure == "excess" else row.goal - 1
    return [
        row.problem,
        f"{row.seconds:g}",
        number(row.cost),
        *(f"{gap:+.2%}" for gap in gaps),
        against,
        number(row.iterations),
        number(row.cpu_seconds, 2),
        number(row.memory, 2),
        "" if goal is None else f"{goal:+.2%}",
        _VERDICTS[row.met],
    ]
