"""``netplace doctor``: whether an installation is sound."""

from __future__ import annotations

import sys
import time
from typing import Any

import rich_click as click

from netplace.cli.examples import examples_of
from netplace.cli.flags import flag
from netplace.cli.settings import json_flag
from netplace.report.terminal.screen import number, print_json, print_tables, table

UNSOUND = 1  # exit code: something is wrong with the installation
_STATIC = {"vcs": 1, "tree_routing": "static"}
# Trace that comes with netplace, network, cycles that INSEE's own simulator counts (its clock also counts the
# cycle in which it looks whether all is done), and settings of the network.
GOLDEN_COUNTS: tuple[tuple[str, str, int, dict[str, Any]], ...] = (
    ("BT.W.16", "torus:5x5", 1_426_604, {}),
    ("BT.W.16", "tree:4,2", 937_435, _STATIC),
    ("LU.W.16", "mesh:4x4", 747_231, {}),
    ("LU.W.16", "torus:5x5", 752_078, {}),
    ("SP.W.16", "mesh:4x4", 1_952_464, {}),
    ("MG.W.16", "torus:5x5", 647_163, {}),
    ("MG.W.16", "tree:4,2", 456_207, _STATIC),
    ("FT.W.16", "torus:5x5", 1_498_779, {}),
    ("IS.W.16", "mesh:4x4", 1_336_467, {}),
    ("IS.W.16", "tree:4,2", 797_025, _STATIC),
)


@click.command("doctor", epilog=examples_of("doctor"))
@flag("--no-test", "Skip the self-test.", bool)
@json_flag
def doctor_command(no_test: bool, as_json: bool) -> None:
    """Show the installed parts and their locations, and check the simulator.

    The self-test simulates ten recorded programs and compares their cycles with those of another
    simulator (INSEE): all must be equal. It takes less than ten seconds. Exit code 1 reports a problem.
    """
    from netplace.report.tables.installation import installation

    facts = installation() | {"self_test": [] if no_test else [_count(*golden) for golden in GOLDEN_COUNTS]}
    facts["problems"] += [
        f"{one['trace']} on {one['network']}: {one['cycles']:,} cycles, expected {one['expected']:,}"
        for one in facts["self_test"]
        if not one["right"]
    ]
    if as_json:
        print_json(facts)
    else:
        _show(facts)
    if facts["problems"]:
        sys.exit(UNSOUND)


def _count(trace: str, network: str, expected: int, settings: dict[str, Any]) -> dict[str, Any]:
    """Simulate a golden run and return what comes of it, and the CPU time that it takes."""
    from netplace.apps.bundled import bundled_trace
    from netplace.apps.formats import read
    from netplace.netsim import Config, simulate
    from netplace.topologies import parse

    path = bundled_trace(trace)
    if path is None:
        raise ValueError(f"{trace}: is not there, expected a trace that comes with netplace")
    began = time.process_time()
    cycles = simulate(parse(network), read(path), config=Config(**settings)).cycles
    return {
        "trace": trace,
        "network": network,
        "cycles": cycles,
        "expected": expected,
        "right": cycles == expected,
        "cpu_seconds": time.process_time() - began,
    }


def _show(facts: dict[str, Any]) -> None:
    from netplace.report.tables.installation import EXTRAS

    plain = {name: value for name, value in facts.items() if not isinstance(value, dict | list)}
    rows = [
        [name.replace("_", " ").replace("gib", "GiB"), number(value, 1) if "gib" in name else str(value)]
        for name, value in plain.items()
    ]
    rows += [[name, version or "missing"] for name, version in facts["versions"].items()]
    for extra, version in facts["extras"].items():
        how = (
            f"{EXTRAS[extra][0]} {version}" if version else f"not installed; pip install 'netplace[{extra}]'"
        )
        rows.append([f"extra {extra}", f"{how} ({EXTRAS[extra][1]})"])
    counts = [
        [f"{one['trace']} on {one['network']}", *map(number, (one["cycles"], one["expected"]))]
        for one in facts["self_test"]
    ]
    print_tables(table("", ["installation", ""], rows, texts=(0, 1)))
    if counts:
        print_tables(table("self-test, cycles", ["program", "here", "INSEE"], counts))
    click.echo("\n".join(facts["problems"]) or "no problem found")
