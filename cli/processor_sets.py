"""``netplace pss``: configurations of processor sets checked, derived from a machine, and shown."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.cli.clashes import command
from netplace.cli.flags import COUNT, PROCESSES, flag
from netplace.cli.many import open_store
from netplace.cli.settings import json_flag
from netplace.files import write_atomically
from netplace.inputs import check_choice
from netplace.report.files.outputs import check_output
from netplace.report.terminal.progress import sweep_progress
from netplace.report.terminal.screen import number, print_json, print_tables, table

if TYPE_CHECKING:
    from rich.table import Table

    from netplace.runs.set_costs import LevelCost, Measurement
    from netplace.scheduling.partitioner.pss.language import Configuration
    from netplace.scheduling.partitioner.pss.sets import ProcessorSets
    from netplace.topologies import Topology

_ACTIONS = ("check", "derive", "show")
_MEASURED = ("measured", "pieces", "apart", "store", "workers")


@command("pss")
@click.argument("action", metavar="check|derive|show")
@click.argument("file", required=False, metavar="[FILE]")
@flag("--machine", "Network of the machine; check compares its number of nodes.", metavar="NETWORK")
@flag(
    "--cost",
    "derive: cost of a node: uniform, centre, or io:0+63 (hops to the nearest of these nodes).",
    default="uniform",
)
@flag("--overlap", "derive: place boxes at steps of half a side.", bool)
@flag(
    "--front",
    "derive: file of sets of nodes for a first component, one per line such as 0-11, 24; repeatable.",
    multiple=True,
    metavar="FILE|cards:N",
)
@flag(
    "--behind",
    "derive: file of sets of nodes for a last component, or cards:N for sets of N consecutive nodes.",
    multiple=True,
    metavar="FILE|cards:N",
)
@flag(
    "--measured",
    "derive: measure the costs of levels by simulating this application, such as lu,class=S; repeatable.",
    multiple=True,
    metavar="APP",
)
@flag("--pieces", "derive --measured: number of blocks of a split job. [default: 2]", COUNT)
@flag("--apart", "derive --measured: make each level a component.", bool)
@flag("--store", "derive --measured: file that stores simulations.", metavar="FILE")
@flag("--workers", "derive --measured: worker processes.", PROCESSES, metavar="N")
@flag("-o output", "derive: configuration file to write.", metavar="FILE")
@json_flag
def pss_command(action: str, file: str | None, **given: Any) -> None:
    """Check or show a configuration of processor sets, or derive one from the topology of a machine.

    A configuration defines groups of nodes, the cost of each group for jobs by size, and limits on the
    cost of a job. --partition pss:FILE uses a configuration to allocate nodes. check reports sizes
    without costs, and constraints that no job can meet on the empty machine.

    derive --measured simulates a machine full of jobs that run an application. First each job is in one
    block of a level, then it is split across two blocks. The relative slowdown of split jobs becomes the
    cost of a block. The output also shows the time of a job alone.
    """
    check_choice(action, _ACTIONS, "pss")
    if action == "derive":
        if file:
            raise ValueError(f"pss derive: takes no file, but {file} was given; see --machine and -o")
        _derive(given)
        return
    if not file:
        raise ValueError(f"pss {action}: expected a file")
    for name in ("cost", "overlap", "front", "behind", "output", *_MEASURED):
        if given[name] not in ("uniform", False, None, ()):
            raise ValueError(f"pss {action}: -{_flag(name)} applies only to derive")
    from netplace.scheduling.partitioner.pss.language import read_configuration

    configuration = read_configuration(Path(file))
    (_check if action == "check" else _show)(configuration, given)


def _derive(given: dict[str, Any]) -> None:
    from netplace.scheduling.partitioner.pss.derive import levels
    from netplace.scheduling.partitioner.pss.language import written
    from netplace.topologies import parse

    if not given["machine"] or not given["output"]:
        raise ValueError("pss derive: expected --machine NETWORK and -o FILE")
    path = check_output(Path(given["output"]))
    topology = parse(given["machine"])
    content: dict[str, Any] = {"machine": str(topology)}
    if given["measured"]:
        sets, origin = _measure(topology, given, content)
    else:
        for name in _MEASURED:
            if given[name]:
                raise ValueError(f"pss derive: -{_flag(name)} applies only with --measured")
        sets = levels(topology, given["cost"], given["overlap"], **_beside(topology, given))
        origin = f"{given['cost']} costs of nodes"
    write_atomically(path, written(sets, f"{topology}, {origin}"))
    content |= {"sets": len(sets.vectors), "components": int(sets.vectors.shape[1])}
    if given["as_json"]:
        print_json(content | {"file": str(path)})
    else:
        click.echo(
            f"{path}: {content['sets']} sets, costs of {content['components']} components, for {topology}"
        )


def _measure(topology: Topology, given: dict[str, Any], content: dict[str, Any]) -> tuple[ProcessorSets, str]:
    """Return sets by measured costs and where these are from; tell them."""
    from netplace.scheduling.partitioner.pss.derive import weighted

    if given["overlap"]:
        raise ValueError("pss derive: --overlap conflicts with --measured, which needs disjoint blocks")
    applications = list(dict.fromkeys(given["measured"]))
    costs = measured_costs(topology, applications, given["pieces"] or 2, given["store"], given["workers"])
    weights_of = [cost.weight for cost in costs]
    sets = weighted(topology, weights_of, given["cost"], given["apart"], **_beside(topology, given))
    content["levels"] = [dict(vars(cost)) | {"weight": cost.weight} for cost in costs]
    if not given["as_json"]:
        print_tables(table_of_costs(topology, costs))
    weights = ", ".join(f"blocks of {cost.nodes}: {cost.weight}" for cost in costs)
    return (
        sets,
        f"costs measured with {' and '.join(applications)}: {weights}; {given['cost']} costs of nodes",
    )


def _beside(topology: Topology, given: dict[str, Any]) -> dict[str, list[list[tuple[list[int], int]]]]:
    """Return the sets in front of the levels of the topology, and those behind."""
    from netplace.scheduling.partitioner.pss.sets import given_sets

    return {side: [given_sets(text, topology.nodes) for text in given[side]] for side in ("front", "behind")}


def _flag(name: str) -> str:
    return "o" if name == "output" else f"-{name}"


def _check(configuration: Configuration, given: dict[str, Any]) -> None:
    from netplace.scheduling.partitioner.pss.partitioner import findings
    from netplace.topologies import parse

    if given["machine"] and len(configuration.hosts) != parse(given["machine"]).nodes:
        raise ValueError(
            f"{configuration.name}: describes {len(configuration.hosts)} hosts, expected the "
            f"{parse(given['machine']).nodes} nodes of {given['machine']}"
        )
    warnings, contradictions = findings(configuration)
    if contradictions:
        raise ValueError(contradictions[0])
    if given["as_json"]:
        print_json({"file": configuration.name, "hosts": len(configuration.hosts), "warnings": warnings})
        return
    for warning in warnings:
        click.echo(f"warning: {warning}")
    click.echo(
        f"{configuration.name}: {len(configuration.hosts)} hosts, {len(configuration.groups)} groups: valid"
    )


def _show(configuration: Configuration, given: dict[str, Any]) -> None:
    sizes = [(size_class.low, size_class.high) for size_class in configuration.classes]
    names = [f"{low} to {high}" if high < 2**62 else "otherwise" for low, high in sizes]
    rows: list[list[str]] = []
    groups: list[dict[str, Any]] = []
    for queue in configuration.queues:
        for group, members in configuration.groups.items():
            hosts = sorted({host for host, _ in members})
            costs = [size_class.costs.get((queue, group)) for size_class in configuration.classes]
            shown = [" ".join(map(str, cost)) if cost else "-" for cost in costs]
            rows.append([f"{queue}@{group}", number(len(hosts)), *shown])
            groups.append(
                {
                    "queue": queue,
                    "group": group,
                    "hosts": [configuration.hosts[host].name for host in hosts],
                    "costs": dict(zip(names, costs, strict=True)),
                }
            )
    if given["as_json"]:
        print_json({"file": configuration.name, "components": configuration.length, "groups": groups})
        return
    title = f"{configuration.name}: {len(configuration.hosts)} hosts, costs by size of the job in processors"
    print_tables(table(title, ["group", "hosts", *names], rows))


def measured_costs(
    topology: Topology, applications: Sequence[str], pieces: int, store: str | None, workers: int | None
) -> list[LevelCost]:
    """Return what leaving a block of each level costs, simulating what the store lacks."""
    from netplace.runs.set_costs import level_costs, measurements
    from netplace.scheduling.partitioner.pss.derive import plain_levels

    levels = [[members for members, _ in level] for level in plain_levels(topology)]
    if not levels:
        raise ValueError(f"pss derive --measured: {topology} has no levels with measurable costs")
    made = measurements(topology, levels, applications, pieces=pieces)
    with tempfile.TemporaryDirectory() as folder:
        times = _mean_times(made, Path(store) if store else Path(folder) / "runs.sqlite", workers)
    return level_costs(levels, made, times)


def _mean_times(made: Sequence[Measurement], path: Path, workers: int | None) -> list[float]:
    """Return the mean time of the jobs of each measurement, in cycles."""
    import numpy as np

    from netplace.runs.campaign import complete
    from netplace.runs.resources import simulators

    executor = simulators(workers)
    runs = [measurement.run for measurement in made]
    with open_store(path) as kept, sweep_progress() as progress:
        lost = complete(runs, kept, executor, progress)
        if lost.lost:
            raise ValueError(f"pss derive --measured: {lost.lost} runs could not be simulated: {lost.reason}")
        rows = list(kept.rows(runs))
    for measurement, (_, outcome, failure) in zip(made, rows, strict=True):
        if outcome is None:
            raise ValueError(f"pss derive --measured {measurement.application}: {failure}")
    return [float(np.mean([job["cycles"] for job in outcome["jobs"]])) for _, outcome, _ in rows if outcome]


def table_of_costs(topology: Topology, costs: Sequence[LevelCost]) -> Table:
    rows = [
        [
            number(cost.nodes) if first else "",
            number(cost.tasks) if first else "",
            name,
            f"{cost.alone[name]:.2f}",
            f"{cost.full[name]:.2f}",
            number(cost.weight) if first else "",
        ]
        for cost in costs
        for first, name in zip([True] + [False] * len(cost.full), cost.full, strict=False)
    ]
    columns = ["block", "tasks", "application", "alone", "full", "weight"]
    return table(f"{topology}: time of jobs split over blocks, relative to compact ones", columns, rows)
