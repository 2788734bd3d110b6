"""``netplace pss``: configurations of processor sets checked, derived from a machine, and shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.experiments.cli.examples import examples_of
from netplace.experiments.cli.settings import json_flag
from netplace.experiments.cli.verdict import AnnouncingCommand
from netplace.experiments.terminal.screen import number, print_json, print_tables, table

if TYPE_CHECKING:
    from netplace.scheduling.partitioner.pss.configuration import Configuration

__all__ = ["pss_command"]

_ACTIONS = ("check", "derive", "show")


@click.command("pss", cls=AnnouncingCommand, epilog=examples_of("pss"))
@click.argument("action", metavar="check|derive|show")
@click.argument("file", required=False, metavar="[FILE]")
@click.option("--machine", metavar="NETWORK", help="Derive: the machine; check: it must have as many nodes.")
@click.option(
    "--cost", default="uniform", show_default=True, help="Derive: cost of a node: uniform or centre."
)
@click.option("--overlap", is_flag=True, help="Derive: boxes at steps of half a side.")
@click.option("-o", "output", metavar="FILE", help="Derive: the configuration to write.")
@json_flag
def pss_command(action: str, file: str | None, **given: Any) -> None:
    """Check or show a configuration of processor sets, or derive one from a machine's topology.

    Such a file says which groups of nodes it is desirable to stay inside, what each costs for jobs of which
    sizes, and which costs a job may have at all; --partition pss:FILE places jobs by it. check reads it and
    looks for sizes without costs and for constraints that no job can meet even on the empty machine.
    """
    from netplace.checks import one_of

    one_of(action, _ACTIONS, "pss")
    if action == "derive":
        if file:
            raise ValueError(f"pss derive: takes no file, but {file} was given; see --machine and -o")
        _derive(given)
        return
    if not file:
        raise ValueError(f"pss {action}: no file given")
    for name in ("cost", "overlap", "output"):
        if given[name] not in ("uniform", False, None):
            raise ValueError(f"pss {action}: --{name.replace('output', 'o')} is an option of derive")
    from netplace.scheduling.partitioner.pss.language import read_configuration

    configuration = read_configuration(Path(file))
    (_check if action == "check" else _show)(configuration, given)


def _derive(given: dict[str, Any]) -> None:
    from netplace.experiments.files.outputs import check_output, whole_file
    from netplace.scheduling.partitioner.pss.derive import levels
    from netplace.scheduling.partitioner.pss.write import written
    from netplace.topologies import parse

    if not given["machine"] or not given["output"]:
        raise ValueError("pss derive: expected --machine NETWORK and -o FILE")
    path = check_output(Path(given["output"]))
    topology = parse(given["machine"])
    sets = levels(topology, given["cost"], given["overlap"])
    with whole_file(path) as temporary:
        temporary.write_text(written(sets, f"{topology}, {given['cost']} costs of nodes"), encoding="utf-8")
    told = {"machine": str(topology), "sets": len(sets.vectors), "components": int(sets.vectors.shape[1])}
    if given["as_json"]:
        print_json(told | {"file": str(path)})
    else:
        click.echo(f"{path}: {told['sets']} sets, costs of {told['components']} components, for {topology}")


def _check(configuration: Configuration, given: dict[str, Any]) -> None:
    from netplace.scheduling.partitioner.pss.check import findings
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
        f"{configuration.name}: {len(configuration.hosts)} hosts, {len(configuration.groups)} groups: sound"
    )


def _show(configuration: Configuration, given: dict[str, Any]) -> None:
    sizes = [(one.low, one.high) for one in configuration.classes]
    names = [f"{low} to {high}" if high < 2**62 else "otherwise" for low, high in sizes]
    rows: list[list[str]] = []
    told: list[dict[str, Any]] = []
    for queue in configuration.queues:
        for group, members in configuration.groups.items():
            hosts = sorted({host for host, _ in members})
            costs = [one.costs.get((queue, group)) for one in configuration.classes]
            shown = [" ".join(map(str, cost)) if cost else "-" for cost in costs]
            rows.append([f"{queue}@{group}", number(len(hosts)), *shown])
            told.append(
                {
                    "queue": queue,
                    "group": group,
                    "hosts": [configuration.hosts[host].name for host in hosts],
                    "costs": dict(zip(names, costs, strict=True)),
                }
            )
    if given["as_json"]:
        print_json({"file": configuration.name, "components": configuration.length, "groups": told})
        return
    title = f"{configuration.name}: {len(configuration.hosts)} hosts, costs by size of the job in processors"
    print_tables(table(title, ["group", "hosts", *names], rows))
