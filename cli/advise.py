"""``netplace advise``: which nodes, in which order, a job should have beside those that run already."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.cli.clashes import command
from netplace.cli.flags import COUNT, REAL, SEED, flag
from netplace.cli.many import long_work, say
from netplace.cli.outputs import PAGE, CommandOutput, show
from netplace.cli.program_flags import program_flags, run_from
from netplace.cli.provenance import note_plans
from netplace.cli.settings import WHAT_RUNS, SettingsCommand, config_from, json_flag
from netplace.files import write_atomically

if TYPE_CHECKING:
    from collections.abc import Sequence

    from netplace.live import Situation
    from netplace.live.rules import RuleAdvice
    from netplace.placement.rule import Nodes
    from netplace.topologies import Topology

_MACHINE = "State of the machine"


@command("advise", SettingsCommand)
@flag(
    "--machine",
    "A network, or Slurm's topology.conf or topology.yaml.",
    required=True,
    metavar="NETWORK",
    panel=_MACHINE,
)
@flag(
    "--free",
    "Free nodes, such as n[0-3,8], or a file that lists them. [default: all not in --running]",
    metavar="LIST|FILE",
    panel=_MACHINE,
)
@flag(
    "--running beside", "TOML file with a [[job]] table for each running job.", metavar="FILE", panel=_MACHINE
)
@flag(
    "--hosts",
    "Names of the nodes, one per line. [default: those of Slurm's file, or n0, n1, ..]",
    metavar="FILE",
    panel=_MACHINE,
)
@program_flags
@flag("--from matrix", "Traffic matrix (.csv); all bytes are sent at once.", metavar="FILE", panel=WHAT_RUNS)
@flag(
    "--log",
    "Log of jobs (SWF), instead of a job: recommend an allocator for the machine.",
    metavar="FILE",
    panel=WHAT_RUNS,
)
@flag(
    "--spread-cost",
    "With --log: slowdown, in percent, of a job whose nodes are spread twice as far as necessary.",
    REAL,
    0.1,
)
@flag("--queue", "With --log: scheduling policy.", default="easy")
@flag("--default", "Allocator of the scheduler; see netplace list scheduling.", default="slurm")
@flag("--seconds", "CPU seconds for the search.", REAL, 60.0)
@flag(
    "--simulations",
    "Number of simulations, instead of --seconds; the advice is then the same on any machine.",
    COUNT,
)
@flag("--seed", "Random seed.", SEED, 0)
@flag(
    "-o output",
    "Write rank files, the advice and a page into a folder, or only the page (.html) or the advice (.json).",
    PAGE,
    metavar="FOLDER|FILE",
)
@json_flag
def advise_command(**given: Any) -> None:
    """Recommend free nodes, and the order of tasks on them, for a job.

    The command simulates partitions and mappings together with the running jobs. It then compares the
    best placement with the scheduler's choice, with new random seeds; "no clear difference" means that
    chance alone can explain the difference. With --log, it recommends an allocation rule for all jobs.
    """
    from netplace.live import Limits, advise, machine_of
    from netplace.live.advice_text import content_of
    from netplace.live.advise import check_free
    from netplace.report.pages.answers.advice import placement_page
    from netplace.topologies.compute_nodes import network_of_hosts

    output: Path | None = given["output"]
    limits = Limits(given["seconds"], given["simulations"])
    if given["log"]:
        for name, its in (("trace", "trace"), ("app", "app"), ("jobs", "jobs"), ("from", "matrix")):
            if given[its]:
                raise ValueError(f"--log: --{name} was given too; expected a log of jobs, or one job")
        machine = network_of_hosts(machine_of(given["machine"]))
        return _advise_on_rules(given, output, _hosts(given, machine), machine)
    situation, hosts, free = _situation(given)
    default = _default_rule(given["default"], situation.machine)
    check_free(situation, free)
    with long_work("the search for nodes", 0.0 if given["simulations"] else given["seconds"]):
        advice = advise(situation, free, limits, default)
    content = content_of(advice, situation, hosts, len(free), _asked(given))
    commands: dict[str, str] = {}

    def write(folder: Path) -> None:
        commands.update(_write(folder, answer.text(), content, hosts))

    def terminal() -> None:
        _print(content, output if output and output.is_dir() else None, commands)

    answer = CommandOutput(lambda: content, lambda: placement_page(content), terminal, folder=write)
    show(answer, output, given["as_json"])


def _write(folder: Path, text: str, content: dict[str, Any], hosts: Sequence[str]) -> dict[str, str]:
    """Write advice, its JSON in `text`, into a folder; return the command that starts the job by launcher."""
    from netplace.report.files.rank_files import LAUNCHERS, mapping_csv, rank_file

    nodes = content["nodes"]
    texts = {"mapping.csv": mapping_csv(nodes), "nodes.txt": content["host_list"] + "\n", "advice.json": text}
    texts |= {f"ranks.{name}": rank_file(name, hosts, nodes) for name in LAUNCHERS}
    folder.mkdir(exist_ok=True)
    for name, written in texts.items():
        write_atomically(folder / name, written)
    return {
        name: launcher.command.format(file=folder / f"ranks.{name}", ranks=len(nodes))
        for name, launcher in LAUNCHERS.items()
    }


def _situation(given: dict[str, Any]) -> tuple[Situation, list[str], Nodes]:
    """Return the job beside its neighbors, the names of all nodes, and the free nodes."""
    import numpy as np

    from netplace.live import Situation, machine_of, nodes_from, read_running_jobs
    from netplace.netsim.effects import settings_on
    from netplace.runs.job_programs import on_nodes, programs_of

    if given["jobs"]:
        raise ValueError("--jobs: advice is for one job, expected --trace, --app or --from")
    machine = machine_of(given["machine"])
    hosts = _hosts(given, machine)
    config = settings_on(machine, config_from(given))
    running = read_running_jobs(Path(given["beside"]), machine, hosts, config) if given["beside"] else []
    held = np.concatenate([np.zeros(0, np.int64), *(job.held for job in running)])
    if given["free"]:
        free = nodes_from(given["free"], machine, hosts, "--free")
        both = free[np.isin(free, held)]
        if len(both):
            raise ValueError(
                f"--free: node {hosts[both[0]]} is occupied by a job of --running {given['beside']}"
            )
    else:
        free = np.setdiff1d(machine.computing, held)
    given = given | {"network": machine.text}
    if given["matrix"]:
        if given["trace"] or given["app"]:
            raise ValueError("--from: the matrix replaces the application; expected no --trace or --app")
        if Path(given["matrix"]).suffix != ".csv":
            raise ValueError(f"--from {given['matrix']}: expected a matrix in a .csv file")
        given["trace"] = given["matrix"]
    elif given["app"] and given["tasks"] is None:
        given["tasks"] = len(free)
    run = run_from(given, config, partition="whole", mapping="consecutive", seed=given["seed"])
    note_plans([run])
    [program] = programs_of(run)
    if run.config != config and given["beside"]:  # phits were made larger for the job
        running = read_running_jobs(Path(given["beside"]), machine, hosts, run.config)
    situation = Situation(machine, program, tuple(running), run.config, given["seed"], on_nodes(run))
    return situation, hosts, free


def _hosts(given: dict[str, Any], machine: Topology) -> list[str]:
    from netplace.report.files.rank_files import host_names

    return host_names(given["hosts"] and Path(given["hosts"]), machine)


def _default_rule(text: str, machine: Topology) -> str:
    """Return the rule of the scheduler, with the kind of Slurm's topology where none is named."""
    from netplace.scheduling import make_partitioner
    from netplace.scheduling.partitioner.slurm import default_slurm_rule
    from netplace.topologies.compute_nodes import network_of_hosts

    if text == "slurm":
        return f"slurm:{default_slurm_rule(network_of_hosts(machine))}"
    make_partitioner(text, network_of_hosts(machine))
    return text


_ASKED = ("machine", "free", "beside", "trace", "app", "tasks", "default", "seconds", "simulations", "seed")


def _asked(given: dict[str, Any]) -> dict[str, str]:
    request = {name: str(given[name]) for name in _ASKED if given[name] not in (None, "")}
    return request | ({"from": given["matrix"]} if given["matrix"] else {})


def _print(content: dict[str, Any], folder: Path | None, commands: dict[str, str]) -> None:
    from netplace.topologies.host_lists import host_list

    click.echo(f"{content['job']} on {content['machine']}, {content['free']} free nodes\n")
    for sentence in content["sentences"]:
        click.echo(_wrapped(sentence))
    click.echo(_wrapped(f"\nNodes: {content['host_list']}"))
    click.echo(_wrapped(f"In order of ranks: {host_list(name for name, _ in groupby(content['hosts']))}\n"))
    click.echo("Basis:")
    for sentence in content["grounds"]:
        click.echo(_wrapped(f"* {sentence}", "  "))
    if folder:
        click.echo(f"\n{folder}: rank files, mapping.csv, nodes.txt, advice.json, report.html. Start it:")
        for name, command in commands.items():
            click.echo(f"  {name}: {command}")


def _wrapped(text: str, later: str = "") -> str:
    import textwrap

    lines = text.split("\n")
    return "\n".join(
        textwrap.fill(line, 79, subsequent_indent=later, break_long_words=False) for line in lines
    )


_REFUSED = ("trace", "app", "matrix", "free", "beside", "jobs", "simulations")


def _advise_on_rules(given: dict[str, Any], output: Path | None, hosts: list[str], machine: Topology) -> None:
    from dataclasses import asdict

    from netplace.live.rules import advise_rule, rules_for
    from netplace.report.pages.answers.advice import rules_page
    from netplace.runs.plan import make_plan
    from netplace.runs.schedules import workload_of
    from netplace.scheduling.partitioner.slurm import default_slurm_rule

    for name in _REFUSED:
        if given[name]:
            flag = "from" if name == "matrix" else name
            raise ValueError(f"--{flag}: given with --log, which recommends a rule for all jobs")
    default = f"slurm:{default_slurm_rule(machine)}" if given["default"] == "slurm" else given["default"]
    values = {
        "machine": machine.text,
        "workload": given["log"],
        "policy": given["queue"],
        "partition": default,
    }
    plan = make_plan(values, given["seed"])
    note_plans([plan])
    sizes: dict[int, int] = {}
    for nodes in workload_of(plan).nodes.tolist():
        sizes[nodes] = sizes.get(nodes, 0) + 1
    rules = rules_for(machine, default, sizes)
    advice = advise_rule(plan, rules, given["spread_cost"], given["seconds"], lambda text: say(f"{text} .."))
    installable = _installable(advice, machine, hosts)
    files = {} if installable is None else installable[1]
    content = asdict(advice) | {"files": files}
    page = rules_page(advice)

    def write(folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        for name, text in (files | {"rules.json": answer.text()}).items():
            write_atomically(folder / name, text)

    def terminal() -> None:
        page.show()
        _print_rules(advice, installable, output if output and output.is_dir() else None)
        for note in (*page.missing, *page.notes):
            say(note)

    answer = CommandOutput(lambda: content, lambda: page, terminal, folder=write)
    show(answer, output, given["as_json"])


def _installable(
    advice: RuleAdvice, machine: Topology, hosts: list[str]
) -> tuple[str, dict[str, str]] | None:
    """Return the rule that was chosen, else the best, that Slurm can be told, and the files that tell it."""
    from netplace.live.rules import install_files

    rules = sorted(advice.tried, key=lambda rule: rule.partition != advice.chosen)
    for rule in rules:
        files = install_files(rule.partition, machine, hosts, rule.wait)
        if rule.partition != advice.default and files:
            return rule.partition, files
    return None


def _print_rules(
    advice: RuleAdvice, installable: tuple[str, dict[str, str]] | None, folder: Path | None
) -> None:
    from netplace.report.pages.answers.advice import short_names

    short = short_names(advice.tried)
    if installable and folder:
        rule, files = installable
        which = "" if rule == advice.chosen else f", for the best other rule in Slurm, {short[rule]}"
        click.echo(f"To install: {', '.join(str(folder / name) for name in files)}{which}")
    for text, name in short.items():
        if name != text:
            click.echo(f"{name}: {text.partition('=')[2].replace('+', ' ')}")
