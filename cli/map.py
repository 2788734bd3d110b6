"""``netplace map``: give each task of a job its node, and show what that makes of its traffic."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.cli.amounts import COUNT, OUTPUT, PICTURE, REAL, SEED, SEEDS
from netplace.cli.examples import examples_of
from netplace.cli.many import check_plans, complete_outcomes, resource_flags, store_flag
from netplace.cli.outputs import write_output
from netplace.cli.program_flags import program_flags, run_from
from netplace.cli.settings import WHAT_RUNS, SettingsCommand, config_from, json_flag, network_flag
from netplace.report.files.outputs import whole_file
from netplace.report.terminal.pulse import under_way
from netplace.report.terminal.screen import print_json, print_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from netplace.report.files.rank_files import Launcher
    from netplace.report.tables.mapping_search import Searched
    from netplace.runs.mapping_search import Search

__all__ = ["map_command"]

PANEL = "Placement"
_SEARCHES = ("classic", "link-load", "td")
_OUTCOMES = (".html", ".json")
_OF_PAIR = 270  # bytes at the peak


@click.command("map", cls=SettingsCommand, epilog=examples_of("map"))
@network_flag
@program_flags
@click.option(
    "--from",
    "matrix",
    metavar="FILE",
    panel=WHAT_RUNS,
    help="A traffic matrix: CSV, or NumPy's .npy or .npz.",
)
@click.option(
    "--partition", default="whole", show_default=True, panel=PANEL, help="Which nodes the job gets."
)
@click.option("--mapping", default="td", show_default=True, panel=PANEL, help="Which node each task gets.")
@click.option("--method", panel=PANEL, help="How classic and td search: portfolio, grasp, 2opt, faq.")
@click.option("--seconds", type=REAL, panel=PANEL, help="Processor time of a search.")
@click.option(
    "--search-iterations", type=COUNT, panel=PANEL, help="Iterations of a search. [default: the method's own]"
)
@click.option(
    "--criterion",
    panel=PANEL,
    help="Cost of a byte: classic, td, or oversubscription (trees). [default: the mapping's]",
)
@click.option("--seed", type=SEED, default=0, show_default=True, help="Seed of all chance.")
@click.option("--seeds", type=SEEDS, default=1, show_default=True, help="So many mappings; the best is kept.")
@resource_flags("1")
@store_flag("none")
@click.option(
    "-o",
    "output",
    type=OUTPUT,
    metavar="FILE",
    help="Write the mapping: as CSV for --mapping file:FILE, or for --export; or a page (.html), or what "
    "--json "
    "prints (.json).",
)
@click.option(
    "--export",
    metavar="LAUNCHER",
    help="Write it as openmpi, mpich, mpich-rankmap, slurm or flux read it, to start the program so.",
)
@click.option(
    "--hosts", metavar="FILE", help="Names of the nodes for --export, one a line. [default: n0, n1, ..]"
)
@click.option("--plot", "picture", type=PICTURE, help="Draw traffic and link loads (png, pdf or svg).")
@json_flag
def map_command(**given: Any) -> None:
    """Give each task of a job a node, and show what that makes of its traffic.

    The mapping stands beside the consecutive one: cost (bytes times the criterion), distances of pairs of
    tasks (TAD) and of bytes (WTAD), the same with asymmetry (_AL), and the bytes on the most loaded link if
    all minimal routes are used alike. The network's settings matter to --mapping best alone, which simulates.
    """
    from netplace.report.tables.mapping_search import mapping_tables

    # Several have a bar, and may have processes of their own, which are not forked beside a thread.
    with under_way("map") if given["seeds"] == 1 else nullcontext():
        asked, made = _search_result(given)
    if asked.picture:
        from netplace.report.plots.mapping import draw_mapping

        draw_mapping(
            asked.picture, asked.search.W, asked.search.topology, made.load, [made.kept.mapping], made.title
        )
    if given["as_json"]:
        print_json(made.to_dict())
    else:
        print_tables(*mapping_tables(made))
    if asked.output and not asked.launcher and asked.output.suffix.lower() in _OUTCOMES:
        write_output(asked.output, made.to_dict)
    elif asked.output:
        nodes = made.kept.mapping.tolist()
        with whole_file(asked.output) as temporary:
            temporary.write_text(asked.form(nodes), encoding="utf-8")
        if asked.launcher:
            command = asked.launcher.command.format(file=asked.output, ranks=len(nodes))
            click.echo(f"start it: {command}", err=True)


def _search_result(given: dict[str, Any]) -> tuple[_Asked, Searched]:
    """Return what the flags ask for, and what was found."""
    from netplace.report.tables.mapping_search import Searched
    from netplace.runs.execute import warm_up
    from netplace.runs.mapping_search import MappingPlan, find, qap_result_of

    asked = _asked(given)
    plans = [MappingPlan(asked.search, seed, asked.runs) for seed in asked.seeds]
    prepare = warm_up if asked.search.simulates else lambda: None
    outcomes = complete_outcomes(plans, find, "mappings", "mappings", given, prepare=prepare)
    results = [qap_result_of(outcome) for outcome in outcomes]
    return asked, Searched.best(asked.search, asked.criterion, asked.seeds, results)


@dataclass(frozen=True)
class _Asked:
    """What a command line asks for: a search for each seed, what it is measured by, and what is written."""

    search: Search
    runs: str  # content hash of what the job runs; empty for a matrix
    seeds: Sequence[int]
    criterion: str
    form: Callable[[Sequence[int]], str]
    launcher: Launcher | None
    output: Path | None
    picture: Path | None


def _asked(given: dict[str, Any]) -> _Asked:
    """Return what the flags ask for, checked."""
    from netplace.checks import one_of
    from netplace.report.files.rank_files import LAUNCHERS, host_names, rank_file

    output, export, hosts = given["output"], given["export"], given["hosts"]
    if export is None:
        if hosts:
            raise ValueError("--hosts: names nodes for --export, which is not given")
        if output and output.suffix.lower() not in (".csv", *_OUTCOMES):
            raise ValueError(
                f"-o {output}: expected a name that ends in .csv, .html or .json, or --export beside it"
            )
    elif one_of(export, LAUNCHERS, "--export") and not output:
        raise ValueError(f"--export {export}: expected -o FILE beside it")
    seeds = range(given["seed"], given["seed"] + given["seeds"])
    check_plans(len(seeds), "mappings", "--seeds")
    criterion, rule = _criterion_and_rule(given)
    search, runs = _search(given, rule)
    form = _csv
    if export:
        form = partial(rank_file, export, host_names(hosts and Path(hosts), search.topology))
    launcher = LAUNCHERS[export] if export else None
    return _Asked(search, runs, seeds, criterion, form, launcher, output, given["picture"])


def _csv(nodes: Sequence[int]) -> str:
    return "\n".join(["task,node", *(f"{task},{node}" for task, node in enumerate(nodes)), ""])


def _criterion_and_rule(given: dict[str, Any]) -> tuple[str, str]:
    """Return what the costs are measured by, and the rule of mapping with the options that flags add."""
    from netplace.checks import one_of
    from netplace.placement.mapping import CRITERIA, MAPPING, METHODS

    name, option = MAPPING.split(given["mapping"], "--mapping")
    criterion = given["criterion"]
    added = []
    for flag, word in (("method", ""), ("seconds", "seconds="), ("search_iterations", "iterations=")):
        if given[flag] is not None:
            if name not in _SEARCHES:
                expected = " or ".join(_SEARCHES)
                raise ValueError(
                    f"--{flag.replace('_', '-')}: mapping {name} does not search, expected {expected}"
                )
            if flag == "method" and name == "link-load":
                raise ValueError("--method: mapping link-load has one; expected classic or td")
            value = one_of(given[flag], METHODS, "--method") if flag == "method" else given[flag]
            added.append(f"{word}{value}")
    if criterion is not None:
        one_of(criterion, CRITERIA, "--criterion")
        if name == "td" and criterion != "td":
            raise ValueError(f"--criterion: mapping td minimises td, not {criterion}; use --mapping classic")
        if name == "classic":
            added.append(f"criterion={criterion}")
    words = [word for word in (*option.split(","), *added) if word]
    named = [word.removeprefix("criterion=") for word in words if word.startswith("criterion=")]
    measured = criterion or (named[-1] if named else "td" if name == "td" else "classic")
    return measured, ":".join([name, ",".join(words)] if words else [name])


def _search(given: dict[str, Any], rule: str) -> tuple[Search, str]:
    """Return the job that the flags describe, and the content hash of what it runs."""
    from netplace.checks import check_size
    from netplace.report.files.traffic import read_traffic
    from netplace.runs.digests import network_of
    from netplace.runs.job_programs import programs_of
    from netplace.runs.mapping_search import Search

    if given["matrix"] is None:
        run = run_from(given, partition=given["partition"], mapping=rule)
        if len(run.jobs) > 1:
            raise ValueError(f"--jobs: {len(run.jobs)} jobs, and netplace map places one; see netplace run")
        [program] = programs_of(run)
        W, config = program.traffic().W, run.config
        if hasattr(W, "nnz"):  # a full matrix is one of few tasks
            check_size(W.nnz, _OF_PAIR, "pairs of tasks that send", f"map: {program.name}")
        return Search(network_of(run.network), W, program, run.partition, rule, config), run.key
    if any(given[name] for name in ("trace", "app", "jobs")):
        raise ValueError(
            "--from: a matrix stands for what runs; expected no --trace, --app or --jobs besides"
        )
    network = network_of(given["network"])
    W = read_traffic(Path(given["matrix"]), network.nodes)
    if given["tasks"] not in (None, len(W)):
        raise ValueError(
            f"--from {given['matrix']}: has {len(W)} rows, expected {given['tasks']}, one a task"
        )
    config = config_from(given)
    return Search(network, W, None, given["partition"], rule, config), ""
