"""``netplace doctor``: whether an installation is sound, and all of it compiled."""

from __future__ import annotations

import contextlib
import io
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import rich_click as click

from netplace.checks.plain import to_plain
from netplace.cli.examples import examples_of
from netplace.cli.settings import json_flag
from netplace.report.terminal.screen import number, print_json, print_tables, table

if TYPE_CHECKING:
    from netplace.benchmarks.golden_counts import Checked
    from netplace.report.tables.installation import Installation

__all__ = ["COMPILED_BY", "RARELY_COMPILED_BY", "UNSOUND", "doctor_command"]

UNSOUND = 1  # exit code: something is wrong with the installation
# What is compiled, and a small command that needs it.
COMPILED_BY: dict[str, str] = {
    "networks: meshes and tori": "run --network torus:4x4 --app butterfly --tasks 16",
    "networks: of three dimensions": "run --network torus:2x2x2 --app butterfly --tasks 8",
    "networks: trees": "run --network tree:2,2 --app butterfly --tasks 4",
    "networks: any wiring": "run --network dragonfly:a=2,p=1,h=1 --app butterfly --tasks 4 --vcs 4",
    "networks: settings of one's own": "run --network torus:4x4 --app butterfly --tasks 16 --packet-phits 32",
    "networks: trees, settings of one's own": "run --network tree:4,3 --app butterfly --tasks 64 "
    "--packet-phits 32",
    "networks: any wiring, settings of one's own": "run --network dragonfly:a=2,p=1,h=1 --app butterfly "
    "--tasks 4 --vcs 4 --packet-phits 32",
    "networks: fabrics": "run --network torus:4x4x4 --app butterfly --tasks 64 --fabric infiniband-ndr",
    "networks: several threads": "run --network torus:8x8 --app butterfly --tasks 64 --threads 2",
    "networks: random traffic": "load --network torus:4x4 --offered 0.2 --measure 500",
    "networks: random traffic on trees": "load --network tree:4,3 --offered 0.2 --measure 500",
    "networks: random traffic on any wiring": "load --network hyperx:2x2,c=2 --offered 0.2 --measure 500",
    "programs: traces": "run --network torus:8x8 --trace lu.A.64.trace.gz",
    "programs: training": "run --network tree:4,2 --app training:model=toy,tp=2,pp=2 --collectives nccl",
    "mappings": "map --network torus:4x4 --app butterfly --tasks 16 --mapping td --seconds 0.2",
    "mappings: by link loads": "map --network torus:4x4 --app butterfly --tasks 16 --mapping link-load "
    "--seconds 0.2",
    "metrics of mappings": "metrics --network mesh:4x4 --app butterfly --tasks 4 --configurations 2",
    "allocators on grids": "allocate --machine mesh:4x4 --nodes 4 --all",
    "allocators on trees": "allocate --machine tree:4,2 --nodes 4 --all",
    "schedules": "schedule --machine mesh:4x4 --workload lublin --jobs 20 --partition contiguous",
    "schedules on trees": "schedule --machine tree:4,2 --workload lublin --jobs 20 --partition contiguous",
    "co-simulations": "cosim --machine torus:4x4 --workload applications --jobs 2 --sizes small --explain",
    "advice": "advise --machine torus:4x4 --free 0-3,6-15 --app 2d-torus --tasks 8 --simulations 8",
}

# What few runs need: with `--compile all`.
RARELY_COMPILED_BY: dict[str, str] = {
    "networks: of four dimensions": "run --network torus:2x2x2x2 --app butterfly --tasks 16",
    "networks: trees, adaptive": "run --network tree:2,2 --app butterfly --tasks 4 --tree-routing adaptive",
    "networks: very long packets": "run --network torus:4x4 --app butterfly --tasks 4 --packet-phits 65536",
    "networks: any wiring, very long packets": "run --network dragonfly:a=2,p=1,h=1 --app butterfly "
    "--tasks 4 --vcs 4 --packet-phits 65536",
    "networks: any wiring, several threads": "run --network hyperx:4x4,c=2 --app butterfly --tasks 32 "
    "--threads 2",
    "networks: trees, several threads": "run --network tree:4,3 --app butterfly --tasks 64 --threads 2",
}


@click.command("doctor", epilog=examples_of("doctor"))
@click.option(
    "--compile",
    "compiles",
    type=click.Choice(["usual", "all"]),
    is_flag=False,
    flag_value="usual",
    help="Compile what commands need, once for good: some minutes; all: also what few runs need.",
)
@click.option("--no-test", is_flag=True, help="Leave the self-test out.")
@json_flag
def doctor_command(compiles: str | None, no_test: bool, as_json: bool) -> None:
    """Tell what is installed and where, and whether it counts right.

    The self-test simulates ten recorded programs, whose cycles another simulator (INSEE) counted: all must be
    the same to the cycle. It takes less than ten seconds, once everything is compiled. Exit code 1: something
    is wrong.
    """
    from netplace.report.tables.installation import installation

    compiled = _compile(compiles == "all", as_json) if compiles else {}
    facts = installation()
    counts = [] if no_test else _counts()
    wrong = tuple(
        f"{count.golden.trace} on {count.golden.network}: {count.cycles:,} cycles, expected "
        f"{count.golden.cycles:,}"
        for count in counts
        if not count.right
    )
    facts = replace(facts, problems=facts.problems + wrong)
    if as_json:
        tested = {"self_test": [count.to_dict() for count in counts]}
        print_json(to_plain(facts) | tested | ({"compiled": compiled} if compiles else {}))
    else:
        _show(facts, counts)
    if facts.problems:
        sys.exit(UNSOUND)


def _counts() -> list[Checked]:
    """Return what the golden runs give here."""
    from netplace.benchmarks.golden_counts import GOLDEN_COUNTS, check_count
    from netplace.report.terminal.compiling import compilation_announced

    with compilation_announced():
        return [check_count(golden) for golden in GOLDEN_COUNTS]


def _compile(rare: bool, quiet: bool) -> dict[str, float]:
    """Run a small command for each part, on all cores, and return how long each took, in seconds."""
    from netplace.netsim.domains import cores
    from netplace.runs.executors import run_each

    commands, took = COMPILED_BY | (RARELY_COMPILED_BY if rare else {}), {}
    names = list(commands)
    for place, seconds in run_each(_compile_part, list(commands.values()), cores()):
        took[names[place]] = seconds
        if not quiet:
            click.echo(f"compiled: {names[place]}, {seconds:.1f} s", err=True)
    return {name: took[name] for name in names}


def _compile_part(command: str) -> float:
    """Run a command that needs a part, and return how many seconds it took."""
    from netplace.cli import app

    began, said = time.monotonic(), io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
        try:
            app.main(command.split())
        except SystemExit as ended:
            if ended.code:
                text = said.getvalue().strip()
                raise ValueError(f"doctor --compile: netplace {command}: {text}") from None
    return time.monotonic() - began


def _show(facts: Installation, counts: list[Checked]) -> None:
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
        ["compiled code", f"{facts.compiled_functions} functions in {facts.compiler_cache}"],
        [
            "packages",
            ", ".join(f"{name} {version or 'missing'}" for name, version in facts.versions.items()),
        ],
    ]
    for extra, version in facts.extras.items():
        how = f"{EXTRAS[extra][0]} {version}" if version else f"not there; pip install 'netplace[{extra}]'"
        rows.append([f"extra {extra}", f"{how} ({EXTRAS[extra][1]})"])
    tables = [table("", ["installation", ""], rows)]
    if counts:
        lines = [
            [
                f"{count.golden.trace} on {count.golden.network}",
                number(count.cycles),
                number(count.golden.cycles),
                number(count.seconds, 2),
            ]
            for count in counts
        ]
        tables.append(table("self-test, cycles", ["program", "here", "INSEE", "CPU s"], lines))
    for made in tables:
        made.columns[1].justify = "left" if made is tables[0] else "right"
    print_tables(*tables)
    right = sum(count.right for count in counts)
    click.echo(
        "\n".join(facts.problems)
        or f"all is well{f': {right} of {len(counts)} counts right' if counts else ''}"
    )
