"""``netplace map``: give each task of a job its node, and show what that makes of its traffic."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.cli.amounts import COUNT, REAL, SEED, SEEDS
from netplace.cli.examples import examples_of
from netplace.cli.many import complete_outcomes, resource_flags, resources_from, store_flag
from netplace.cli.program_flags import program_flags, run_from
from netplace.cli.settings import WHAT_RUNS, config_from, json_flag, network_flag, settings_flags
from netplace.cli.verdict import AnnouncingCommand
from netplace.report.terminal.screen import number, print_json, print_tables, table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from netplace.placement.mapping import QapResult
    from netplace.report.tables.mapping_search import Traits
    from netplace.runs.mapping_search import Search
    from netplace.topologies import Topology

__all__ = ["map_command"]

PANEL = "Placement"
_SEARCHES = ("classic", "link-load", "td")


@click.command("map", cls=AnnouncingCommand, epilog=examples_of("map"))
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
    "-o", "output", metavar="FILE", help="Write the mapping: as CSV for --mapping file:FILE, or for --export."
)
@click.option(
    "--export",
    metavar="LAUNCHER",
    help="Write it as openmpi, mpich, mpich-rankmap, slurm or flux read it, to start the program so.",
)
@click.option(
    "--hosts", metavar="FILE", help="Names of the nodes for --export, one a line. [default: n0, n1, ..]"
)
@click.option("--plot", "picture", metavar="FILE", help="Draw traffic and link loads (png, pdf or svg).")
@json_flag
@settings_flags
def map_command(**given: Any) -> None:
    """Give each task of a job a node, and show what that makes of its traffic.

    The mapping stands beside the consecutive one: cost (bytes times the criterion), distances of pairs of
    tasks (TAD) and of bytes (WTAD), the same with asymmetry (_AL), and the bytes on the most loaded link if
    all minimal routes are used alike. The network's settings matter to --mapping best alone, which simulates.
    """
    from netplace.checks import whole
    from netplace.report.files.outputs import PICTURES, check_output
    from netplace.report.files.rank_files import LAUNCHERS
    from netplace.report.terminal.compiling import load_engine
    from netplace.runs.mapping_search import MappingPlan, find, found_mapping
    from netplace.runs.placing import simulates

    output = given["output"] and check_output(Path(given["output"]), () if given["export"] else (".csv",))
    picture = given["picture"] and check_output(Path(given["picture"]), PICTURES)
    first = whole(given["seed"], "--seed", 0)
    seeds = range(first, first + whole(given["seeds"], "--seeds"))
    criterion, rule = _criterion_and_rule(given)
    search, runs = _search(given, rule)
    form = _form(given, search.topology.nodes)
    if simulates(rule):
        load_engine("kernel")
    plans = [MappingPlan(search, seed, runs) for seed in seeds]
    store = Path(given["store"]) if given["store"] else None
    resources = resources_from(given, 1, len(plans))
    outcomes = complete_outcomes(plans, find, "mappings", store, resources, "mappings")
    found = [found_mapping(outcome) for outcome in outcomes]
    kept = _show(search, criterion, seeds, found, picture, given["as_json"])
    if output:
        _write(output, form(kept.tolist()))
    if given["export"]:
        command = LAUNCHERS[given["export"]].command.format(file=output, ranks=len(kept))
        click.echo(f"start it: {command}", err=True)


def _form(given: dict[str, Any], nodes: int) -> Callable[[Sequence[int]], str]:
    """Return what makes the text of a mapping: the CSV that mapping ``file`` reads, or a launcher's."""
    from netplace.checks import one_of
    from netplace.report.files.rank_files import LAUNCHERS, host_names, rank_file

    if given["export"] is None:
        if given["hosts"]:
            raise ValueError("--hosts: names nodes for --export, which is not given")
        return _csv
    launcher = one_of(given["export"], LAUNCHERS, "--export")
    if not given["output"]:
        raise ValueError(f"--export {launcher}: expected -o FILE beside it")
    names = host_names(given["hosts"] and Path(given["hosts"]), nodes)
    return partial(rank_file, launcher, names)


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
                told = f"--{flag.replace('_', '-')}: mapping {name} does not search"
                raise ValueError(f"{told}, expected {' or '.join(_SEARCHES)}")
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
    from netplace.report.files.traffic import read_traffic
    from netplace.runs.execute import programs_of
    from netplace.runs.mapping_search import Search
    from netplace.topologies import parse

    topology = parse(given["network"])
    options = {"partition": given["partition"], "mapping": rule, "config": config_from(given)}
    if given["matrix"] is None:
        run = run_from(given, partition=given["partition"], mapping=rule)
        if len(run.jobs) > 1:
            raise ValueError(f"--jobs: {len(run.jobs)} jobs, and netplace map places one; see netplace run")
        [program] = programs_of(run)
        return Search(topology, program.traffic().W, program, **options), run.key
    if any(given[name] for name in ("trace", "app", "jobs")):
        raise ValueError(
            "--from: a matrix stands for what runs; expected no --trace, --app or --jobs besides"
        )
    W = read_traffic(Path(given["matrix"]))
    if given["tasks"] not in (None, len(W)):
        raise ValueError(
            f"--from {given['matrix']}: has {len(W)} rows, expected {given['tasks']}, one a task"
        )
    return Search(topology, W, None, **options), ""


def _show(
    search: Search,
    criterion: str,
    seeds: Sequence[int],
    found: Sequence[QapResult],
    picture: Path | None,
    as_json: bool,
) -> NDArray[np.int64]:
    """Show the best of the mappings found, and return it."""
    from dataclasses import asdict

    import numpy as np

    from netplace.placement.mapping import map_tasks
    from netplace.report.tables.mapping_search import traits
    from netplace.runs.placing import simulates

    costs = [_cost(search.W, search.topology, one.mapping, criterion) for one in found]
    tried = simulates(search.mapping)
    by_own = tried or search.mapping.partition(":")[0] == "link-load"
    place = int(np.argmin([one.cost for one in found] if by_own else costs))
    kept, seed = found[place], seeds[place]
    usual = map_tasks("consecutive", search.topology, search.tasks, nodes=search.nodes(seed))
    mine, load = traits(search.topology, kept.mapping, search.W, criterion)
    theirs, _ = traits(search.topology, usual, search.W, criterion)
    title = _title(search)
    if picture:
        from netplace.report.plots.mapping import draw_mapping

        draw_mapping(picture, search.W, search.topology, load, [kept.mapping], title)
    if as_json:
        print_json(
            {
                "network": str(search.topology),
                "partition": search.partition,
                "mapping": search.mapping,
                "criterion": criterion,
                "tasks": search.tasks,
                "seed": seed,
                "method": kept.method,
                "iterations": kept.iterations,
                "seconds": kept.seconds,
                "cycles": int(kept.cost) if tried and np.isfinite(kept.cost) else None,
                **asdict(mine),
                "ratio": mine.cost / theirs.cost if theirs.cost else None,
                "consecutive": asdict(theirs),
                "costs": costs,
                "nodes": kept.mapping.tolist(),
            }
        )
    else:
        print_tables(*_tables(title, criterion, kept, mine, theirs, costs, tried))
    return kept.mapping


def _cost(W: Any, topology: Topology, nodes: Any, criterion: str) -> float:
    """Return bytes times costs, for dense and sparse traffic alike."""
    from scipy import sparse

    from netplace.placement.mapping import cost_between

    flows = sparse.coo_array(W)
    one, other = (nodes[end] for end in flows.coords)
    return float(cost_between(topology, one, other, criterion) @ flows.data)


def _title(search: Search) -> str:
    name = search.program.name if search.program else "traffic matrix"
    return (
        f"{name} ({search.tasks} tasks) on {search.topology}, partition {search.partition}, "
        f"mapping {search.mapping}"
    )


def _write(path: Path, text: str) -> None:
    from netplace.report.files.outputs import whole_file

    with whole_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


_ROWS = {
    "pair_hops": ("distance of a pair (hops)", 3),
    "byte_hops": ("distance of a byte (hops)", 3),
    "pair_hops_al": ("with asymmetry, of a pair", 3),
    "byte_hops_al": ("with asymmetry, of a byte", 3),
    "most_link_load": ("most link load (bytes)", 0),
}


def _tables(
    title: str,
    criterion: str,
    kept: QapResult,
    mine: Traits,
    theirs: Traits,
    costs: Sequence[float],
    tried: bool,
) -> list[Any]:
    """Return the table of the mapping beside the consecutive one and, for several seeds, the costs."""
    from netplace.report.tables.summary import spread

    rows = [_row(f"cost (bytes x {criterion})", mine.cost, theirs.cost, 0)]
    for key, (name, digits) in _ROWS.items():
        if (value := getattr(mine, key)) is not None:
            rows.append(_row(name, value, getattr(theirs, key), digits))
    rows += [[], ["method", kept.method, "", ""]]
    if tried:
        rows += [["candidates", number(kept.iterations), "", ""], ["cycles alone", number(kept.cost), "", ""]]
    else:
        rows.append(["iterations", number(kept.iterations), "", ""])
    rows.append(["CPU s", number(kept.seconds, 2), "", ""])
    tables = [table(title, ["", "mapping", "consecutive", "ratio"], rows)]
    if len(costs) > 1:
        found = spread(costs)
        shown = [number(found[measure]) for measure in ("mean", "std", "min", "max")]
        rows = [["cost", number(len(costs)), *shown]]
        tables.append(table("over the seeds", ["", "count", "mean", "std", "min", "max"], rows))
    return tables


def _row(name: str, mine: float, theirs: float, digits: int) -> list[str]:
    return [name, number(mine, digits), number(theirs, digits), number(mine / theirs if theirs else None, 3)]
