"""``netplace doctor``: whether an installation is sound."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.cli.examples import examples_of
from netplace.cli.flags import flag
from netplace.cli.settings import json_flag
from netplace.plain_data import to_builtins
from netplace.report.terminal.screen import number, print_json, print_tables, table

if TYPE_CHECKING:
    from netplace.report.tables.installation import Installation

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

    facts = installation()
    counts = [] if no_test else _counts()
    wrong = tuple(
        f"{one['trace']} on {one['network']}: {one['cycles']:,} cycles, expected {one['expected']:,}"
        for one in counts
        if not one["right"]
    )
    facts = replace(facts, problems=facts.problems + wrong)
    if as_json:
        print_json(to_builtins(facts) | {"self_test": counts})
    else:
        _show(facts, counts)
    if facts.problems:
        sys.exit(UNSOUND)


def _counts() -> list[dict[str, Any]]:
    """Simulate the golden runs and return what comes of each, and the CPU time that it takes."""
    from netplace.apps.bundled import bundled_trace
    from netplace.apps.formats import read
    from netplace.netsim import Config, simulate
    from netplace.topologies import parse

    counts = []
    for trace, network, expected, settings in GOLDEN_COUNTS:
        path = bundled_trace(trace)
        if path is None:
            raise ValueError(f"{trace}: is not there, expected a trace that comes with netplace")
        began = time.process_time()
        cycles = simulate(parse(network), read(path), config=Config(**settings)).cycles
        counts.append(
            {
                "trace": trace,
                "network": network,
                "cycles": cycles,
                "expected": expected,
                "right": cycles == expected,
                "cpu_seconds": time.process_time() - began,
            }
        )
    return counts


def _show(facts: Installation, counts: list[dict[str, Any]]) -> None:
    from netplace.report.tables.installation import EXTRAS

    memory = (
        "-"
        if facts.memory_gib is None
        else (f"{facts.memory_gib:.1f} GiB, {facts.free_memory_gib:.1f} GiB free")
    )
    rows = [
        ["netplace", f"{facts.netplace}, {facts.place}"],
        ["Python", facts.python],
        ["system", facts.system],
        ["cores", str(facts.cores)],
        ["memory", memory],
        ["compiled part", facts.compiled_part],
        [
            "packages",
            ", ".join(f"{name} {version or 'missing'}" for name, version in facts.versions.items()),
        ],
    ]
    for extra, version in facts.extras.items():
        how = (
            f"{EXTRAS[extra][0]} {version}" if version else f"not installed; pip install 'netplace[{extra}]'"
        )
        rows.append([f"extra {extra}", f"{how} ({EXTRAS[extra][1]})"])
    tables = [table("", ["installation", ""], rows, texts=(0, 1))]
    if counts:
        lines = [
            [
                f"{one['trace']} on {one['network']}",
                number(one["cycles"]),
                number(one["expected"]),
                number(one["cpu_seconds"], 2),
            ]
            for one in counts
        ]
        tables.append(table("self-test, cycles", ["program", "here", "INSEE", "CPU s"], lines))
    print_tables(*tables)
    right = sum(one["right"] for one in counts)
    click.echo(
        "\n".join(facts.problems)
        or f"no problem found{f': {right} of {len(counts)} counts correct' if counts else ''}"
    )
