"""``netplace fit``: overheads and link speed of a fabric, fitted to measured times."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.cli.clashes import command
from netplace.cli.flags import COUNT, flag
from netplace.cli.settings import WHAT_RUNS, SettingsCommand, config_from, json_flag, network_flag
from netplace.files import write_atomically
from netplace.inputs import check_choice
from netplace.report.files.outputs import check_output
from netplace.report.terminal.progress import progress
from netplace.report.terminal.screen import number, print_json, print_tables, table

if TYPE_CHECKING:
    from netplace.runs.fitting import Fitted, Point

_MOST_POINTS = 200


@command("fit", SettingsCommand)
@network_flag
@flag(
    "--pingpong",
    "Output of osu_latency or IMB PingPong, between ranks 0 and 1; repeatable.",
    multiple=True,
    metavar="FILE",
    panel=WHAT_RUNS,
)
@flag(
    "--collective collectives",
    "Output of OSU, IMB or nccl-tests of alltoall, allreduce, allgather or bcast; repeatable.",
    multiple=True,
    metavar="OPERATION[=ALGORITHM]:FILE",
    panel=WHAT_RUNS,
)
@flag("--tasks", "Ranks of the collectives. [default: one per node]", COUNT, panel=WHAT_RUNS)
@flag("--hosts", "File with the host of each rank.", metavar="FILE", panel="Placement")
@flag(
    "--parameters",
    "Parameters to fit: overhead (--o-send and --o-recv), or send and receive, rendezvous (--o-rendezvous), "
    "latency (--cable-latency of node cables), "
    "per-byte (--o-byte), reduce (--o-reduce), copy (--o-copy), memory (--o-memory), link (--cycle-ns).",
    default="overhead,link",
)
@flag("-o output", "Fabric to write, as .toml.", click.Path(path_type=Path), metavar="FILE")
@json_flag
def fit_command(**given: Any) -> None:
    """Fit the overheads and the link speed of a fabric to measured times.

    The simulator computes all times. The fit starts from --fabric, and other settings do not change. The
    output shows an interval for each parameter, and compares measured with simulated times.
    """
    from netplace.runs.fitting import fit

    output = given["output"]
    if output is not None:
        if output.suffix != ".toml":
            raise ValueError(f"-o {output}: expected a name that ends in .toml")
        check_output(output)
    config, points = config_from(given), _points(given)
    with progress("fit"):
        found = fit(points, config, tuple(filter(None, given["parameters"].split(","))))
    if output is not None:
        write_atomically(output, _toml(found, given))
    if given["as_json"]:
        print_json(_described(points, found))
        return
    print_tables(*_tables(points, found))


def _points(given: dict[str, Any]) -> list[Point]:
    from netplace.placement.mapping.hosts import read_hosts
    from netplace.runs.benchmark_times import KINDS, read_times
    from netplace.runs.fitting import Point
    from netplace.runs.networks import network_of

    there = len(read_hosts(Path(given["hosts"]))) if given["hosts"] else network_of(given["network"]).nodes
    ranks = given["tasks"] or there
    if given["hosts"] and ranks != there:
        raise ValueError(f"--tasks: {ranks} given, and --hosts {given['hosts']} lists {there} hosts")
    mapping = f"hosts:{given['hosts']}" if given["hosts"] else "consecutive"
    files = [("pingpong", "", path) for path in given["pingpong"]]
    for text in given["collectives"]:
        label, colon, path = text.partition(":")
        kind, _, algorithm = label.partition("=")
        if not colon or not path:
            raise ValueError(f"--collective: {text}, expected a form such as alltoall=pairwise:osu.txt")
        files.append(
            (check_choice(kind, [k for k in KINDS if k != "pingpong"], "--collective"), algorithm, path)
        )
    if not files:
        raise ValueError("fit: no measurements given, expected --pingpong FILE or --collective")
    points = []
    network = given["network"]
    for kind, algorithm, path in files:
        # One way of a ping-pong is a broadcast to one other.
        operation = f"operation={'bcast' if kind == 'pingpong' else kind}"
        operation += f",algorithm={algorithm or 'linear'}" if algorithm or kind == "pingpong" else ""
        tasks = 2 if kind == "pingpong" else ranks
        if kind == "pingpong" and ranks > 2 and given["hosts"]:
            raise ValueError(
                "--hosts: lists the ranks of collectives; a ping-pong with hosts has a file of two"
            )
        points += [
            Point(
                f"{kind} {measured.where}", network, f"collective,{operation},bytes={measured.bytes}",
                measured.seconds, measured.bytes, tasks, mapping,
            )
            for measured in read_times(Path(path), kind, tasks)
            if measured.bytes
        ]  # fmt: skip
    if len(points) > _MOST_POINTS:
        raise ValueError(f"{len(points)} measured times, expected at most {_MOST_POINTS}")
    return points


def _described(points: list[Point], found: Fitted) -> dict[str, Any]:
    return {
        "parameters": {
            name: dict(zip(("value", "low", "high"), values, strict=True))
            for name, values in found.values.items()
        },
        "points": [
            {"name": point.name, "bytes": point.bytes, "measured": point.seconds, "simulated": float(seconds)}
            for point, seconds in zip(points, found.simulated, strict=True)
        ],
    }


def _tables(points: list[Point], found: Fitted) -> list[Any]:
    from netplace.runs.fitting import PARAMETERS

    rows = [
        [name, f"{value:.4g}", f"{low:.4g} .. {high:.4g}", PARAMETERS[name].says]
        for name, (value, low, high) in found.values.items()
    ]
    times = [
        [
            point.name.partition(" ")[0],
            number(point.bytes),
            f"{point.seconds * 1e6:.4g}",
            f"{seconds * 1e6:.4g}",
            f"{seconds / point.seconds:.2f}",
        ]
        for point, seconds in zip(points, found.simulated, strict=True)
    ]
    return [
        table("fitted parameters", ["", "value", "95 %", ""], rows),
        table("times in us", ["", "bytes", "measured", "simulated", "ratio"], times),
    ]


def _toml(found: Fitted, given: dict[str, Any]) -> str:
    from dataclasses import fields

    from netplace.netsim.presets import Preset

    label = ", ".join(Path(file).name for file in (*given["pingpong"], *given["collectives"]))
    settings = {
        item.name: value
        for item in fields(found.config)
        if item.name != "fabric" and (value := getattr(found.config, item.name)) != item.default
    }
    return Preset(
        f"fitted to {label}", given["network"], settings=settings, sources=found.sources(label)
    ).to_toml()
