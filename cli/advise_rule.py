"""``netplace advise --log``: by which rule a machine should give nodes to the jobs of a log."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.cli.outputs import CommandOutput, show, with_page
from netplace.cli.provenance import note_plans
from netplace.report.terminal.screen import number, print_tables, table

if TYPE_CHECKING:
    from netplace.advice.rules import RuleAdvice, RuleTried
    from netplace.topologies import Topology

_REFUSED = ("trace", "app", "matrix", "free", "beside", "jobs", "simulations")


def advise_on_rules(given: dict[str, Any], output: Path | None, hosts: list[str], machine: Topology) -> None:
    from dataclasses import asdict

    from netplace.advice.rules import advise_rule, rules_for
    from netplace.checks.writing import write_atomically
    from netplace.cli.many import say
    from netplace.runs.plan import make_plan
    from netplace.runs.schedules import workload_of
    from netplace.scheduling.partitioner.slurm import default_slurm_rule

    for name in _REFUSED:
        if given[name]:
            flag = "from" if name == "matrix" else name
            raise ValueError(f"--{flag}: given with --log, which recommends a rule for all jobs")
    default = f"slurm:{default_slurm_rule(machine)}" if given["default"] == "slurm" else given["default"]
    said = {"machine": machine.text, "workload": given["log"], "policy": given["queue"], "partition": default}
    plan = make_plan(said, given["seed"])
    note_plans([plan])
    sizes: dict[int, int] = {}
    for nodes in workload_of(plan).nodes.tolist():
        sizes[nodes] = sizes.get(nodes, 0) + 1
    rules = rules_for(machine, default, sizes)
    advice = advise_rule(plan, rules, given["spread_cost"], given["seconds"], lambda text: say(f"{text} .."))
    installable = _installable(advice, machine, hosts)
    files = {} if installable is None else installable[1]
    content = asdict(advice) | {"files": files}

    def write(folder: Path) -> None:
        from netplace.checks.results_file import json_text

        folder.mkdir(exist_ok=True)
        for name, text in (files | {"rules.json": json_text(asdict(advice), 1) + "\n"}).items():
            write_atomically(folder / name, text)

    def terminal() -> None:
        _print(advice, installable, output if output and output.is_dir() else None)

    show(CommandOutput(lambda: content, terminal, folder=with_page(write)), output, given["as_json"])


def _installable(
    advice: RuleAdvice, machine: Topology, hosts: list[str]
) -> tuple[str, dict[str, str]] | None:
    """Return the rule that was chosen, else the best, that Slurm can be told, and the files that tell it."""
    from netplace.advice.install import install_files

    rules = sorted(advice.tried, key=lambda rule: rule.partition != advice.chosen)
    for rule in rules:
        files = install_files(rule.partition, machine, hosts, rule.wait)
        if rule.partition != advice.default and files:
            return rule.partition, files
    return None


def _gain(rule: RuleTried) -> str:
    half = "" if rule.half_width is None else f" ± {100 * rule.half_width:.1f}"
    return f"{100 * rule.gain:.1f}{half}"


def _print(advice: RuleAdvice, installable: tuple[str, dict[str, str]] | None, folder: Path | None) -> None:
    from netplace.cli.many import say
    from netplace.report.pages.kinds.rules import short_names

    short = short_names([rule.partition for rule in advice.tried])
    rows = [
        [
            short[rule.partition],
            number(rule.wait / 60, 1),
            number(100 * rule.longer, 2),
            _gain(rule) if rule.verdict != "default" else "-",
            number(100 * rule.waiting, 1),
            "-" if rule.pays_from is None else number(rule.pays_from, 2),
            rule.verdict,
        ]
        for rule in advice.tried
    ]
    heads = ["rule", "wait (min)", "runs longer (%)", "saves (%)", "costs (%)", "pays from", "verdict"]
    print_tables(table(f"{advice.jobs:,} jobs, the default rule is {advice.default}", heads, rows))
    click.echo(
        "saves: reduction of the turnaround, if jobs that are spread twice as far as necessary take ",
        nl=False,
    )
    click.echo(
        f"{100 * advice.cost:g} % longer;\ncosts: increase of the turnaround by waiting, if such jobs take "
        f"no longer;"
    )
    click.echo("pays from: slowdown of such jobs at which the rule equals the default rule.\n")
    if advice.chosen == advice.default:
        click.echo(f"No rule is clearly better than {advice.default}: keep it.")
    else:
        click.echo(f"{short[advice.chosen]} is clearly better than {advice.default}.")
    if installable and folder:
        rule, files = installable
        which = "" if rule == advice.chosen else f", for the best other rule in Slurm, {short[rule]}"
        click.echo(f"To install: {', '.join(str(folder / name) for name in files)}{which}")
    for text, name in short.items():
        if name != text:
            click.echo(f"{name}: {text.partition('=')[2].replace('+', ' ')}")
    if advice.left:
        click.echo(f"Not simulated for lack of time: {', '.join(advice.left)}; see --seconds")
    for note in advice.notes:
        say(note)
