"""``netplace load``: drive a network with open-loop traffic."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.experiments.cli.amounts import COUNT, REAL, SEED, WHOLE
from netplace.experiments.cli.examples import examples_of
from netplace.experiments.cli.settings import (
    WHAT_RUNS,
    config_from,
    json_flag,
    network_flag,
    seed_flags,
    settings_flags,
)
from netplace.experiments.cli.verdict import AnnouncingCommand
from netplace.experiments.terminal.screen import number, print_json, print_tables, table, with_progress

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.table import Table

    from netplace.netsim import LoadPoint
    from netplace.topologies import Topology

__all__ = ["load_command", "offered_loads"]

_MOST_LOADS = 10_000


@click.command("load", cls=AnnouncingCommand, epilog=examples_of("load"))
@network_flag
@click.option(
    "--traffic",
    default="uniform",
    show_default=True,
    panel=WHAT_RUNS,
    help="Pattern; see netplace list traffic.",
)
@click.option(
    "--offered",
    default="0.1:1.0:0.1",
    show_default=True,
    metavar="LOADS",
    panel=WHAT_RUNS,
    help="Phits a node and cycle: FROM:TO:STEP, a list A,B,C or one value.",
)
@click.option("--warmup", type=SEED, default=1000, show_default=True, help="Cycles before measuring.")
@click.option(
    "--measure", type=COUNT, help="Cycles of measuring. [default: 8,000,000 / nodes, at least 2,000]"
)
@click.option("--hot-node", type=WHOLE, help="Node of hot-spot traffic. [default: the middle one]")
@click.option(
    "--hot-share",
    type=REAL,
    default=0.1,
    show_default=True,
    help="Share of hot-spot traffic that goes there.",
)
@seed_flags
@click.option("-o", "picture", metavar="FILE", help="Draw accepted load and delay over offered load.")
@json_flag
@settings_flags
def load_command(**given: Any) -> None:
    """Drive a network with open-loop traffic, and show accepted load and delay.

    Every node creates packets by a Bernoulli process, whatever becomes of them.
    """
    from netplace.experiments.files.outputs import PICTURES, check_output
    from netplace.experiments.plots.load import draw_load
    from netplace.experiments.terminal.compiling import load_engine
    from netplace.runs.crew import run_each

    picture = given["picture"] and check_output(Path(given["picture"]), PICTURES)
    topology, loads, measure = _measuring(given)
    load_engine(given["engine"])
    points = with_progress(run_each(measure, loads, given["processes"]), len(loads), "loads")
    title = f"{given['traffic']} traffic on {topology}"
    if picture:
        draw_load(picture, {str(topology): points}, title)
    if given["as_json"]:
        print_json(_described(points, str(topology), given))
    else:
        print_tables(_table(points, title))


def _measuring(given: dict[str, Any]) -> tuple[Topology, list[float], Callable[[float], LoadPoint]]:
    """Return the network, the loads to offer, and the function that measures one; all flags are checked."""
    from netplace.checks import one_of, whole
    from netplace.netsim import ENGINES, measure_load, pattern
    from netplace.topologies import parse

    config, topology = config_from(given), parse(given["network"])
    loads = offered_loads(given["offered"], config.packet_phits)
    one_of(given["engine"], ENGINES, "--engine")
    for name, least in (("processes", 1), ("seed", 0), ("warmup", 0), ("measure", 1)):
        if given[name] is not None:
            whole(given[name], f"--{name}", least)
    hot = {"hot_node": given["hot_node"], "hot_share": given["hot_share"]}
    pattern(given["traffic"], topology, 0.1, **hot)
    same = {name: given[name] for name in ("traffic", "engine", "seed", "warmup", "measure")}
    return topology, loads, partial(measure_load, topology, config=config, **same, **hot)


def offered_loads(text: str, most: float) -> list[float]:
    """Return the loads of ``FROM:TO:STEP`` (both ends included), ``A,B,C`` or one value.

    Raises
    ------
    ValueError
        If the text has another form, or a load is not over 0 and at most `most`.
    """
    words = text.split(":")
    try:
        numbers = [float(word) for word in (words if len(words) > 1 else text.split(","))]
    except ValueError:
        raise ValueError(f"--offered: {text!r} is not of the form FROM:TO:STEP or A,B,C") from None
    if len(words) > 1:
        if len(words) != 3 or not numbers[2] > 0 or not numbers[0] <= numbers[1] <= most:
            raise ValueError(f"--offered: {text!r} is not of the form FROM:TO:STEP, upwards and up to {most}")
        first, last, step = numbers
        steps = int((last - first) / step + 1e-9)
        if steps >= _MOST_LOADS:
            raise ValueError(f"--offered: {text!r} is {steps + 1} loads, expected at most {_MOST_LOADS}")
        numbers = [round(first + place * step, 10) for place in range(steps + 1)]
    for load in numbers:
        if not 0 < load <= most:
            raise ValueError(f"--offered: {load} is not over 0 and at most {most} phits a node and cycle")
    return numbers


def _described(points: Sequence[LoadPoint], network: str, given: dict[str, Any]) -> dict[str, Any]:
    """Return the points and what they came from, as JSON can hold it."""
    from dataclasses import asdict

    from netplace.netsim.result import versions

    same = {name: given[name] for name in ("traffic", "engine", "seed", "warmup", "measure")}
    found = {"network": network, **same, "config": asdict(config_from(given)), "versions": versions()}
    return {"points": [point.to_dict() for point in points], **found}


def _table(points: Sequence[LoadPoint], title: str) -> Table:
    columns = [
        "offered",
        "accepted",
        "mean delay",
        "p50",
        "p95",
        "p99",
        "packets",
        "CPU s",
        "M packet-hops/s",
    ]
    rows = [
        [
            number(point.offered, 3),
            number(point.accepted, 4),
            *(
                number(value, 1)
                for value in (point.delay.mean, point.delay.p50, point.delay.p95, point.delay.p99)
            ),
            number(point.packets),
            number(point.cpu_seconds, 2),
            number(point.packet_hops / 1e6 / max(point.cpu_seconds, 1e-9), 2),
        ]
        for point in points
    ]
    return table(f"{title}: loads in phits a node and cycle, delays in cycles", columns, rows)
