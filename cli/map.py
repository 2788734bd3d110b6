"""``netplace map``: which mapping of the tasks of a job is fastest, or what one mapping does to traffic."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.cli.clashes import command
from netplace.cli.flags import COUNT, OUTPUT, PICTURE, REAL, SEED, SEEDS, flag, real
from netplace.cli.many import Execution, check_plans, resource_flags, store_flag
from netplace.cli.outputs import CommandOutput, show
from netplace.cli.program_flags import program_flags, run_from
from netplace.cli.settings import WHAT_RUNS, SettingsCommand, config_from, json_flag, network_flag
from netplace.files import write_atomically
from netplace.inputs import check_choice, check_int
from netplace.report.files.outputs import check_output, check_output_folder
from netplace.report.terminal.progress import progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from netplace.runs.mapping_search import Search
    from netplace.topologies import Topology

PANEL = "Placement"
_OUTCOMES = (".html", ".json")


@command("map", SettingsCommand)
@network_flag
@program_flags
@flag("--from matrix", "Traffic matrix: CSV, or NumPy's .npy or .npz.", metavar="FILE", panel=WHAT_RUNS)
@flag("--partition", "Partition: the nodes of the job.", default="whole", panel=PANEL)
@flag(
    "--mapping mappings",
    "Mapping of tasks to nodes; repeatable. A single one is computed, and nothing is simulated. [default: "
    "compare consecutive, classic, td, link-load and random]",
    multiple=True,
    metavar="MAPPING",
    panel=PANEL,
)
@flag("--budget", "CPU seconds for a comparison. [default: 60]", real(0), metavar="SECONDS", panel=PANEL)
@flag("--method", "Search method of classic and td: portfolio, grasp, 2opt, faq.", panel=PANEL)
@flag("--seconds", "CPU seconds per search.", REAL, panel=PANEL)
@flag("--search-iterations", "Iterations per search. [default: depends on the method]", COUNT, panel=PANEL)
@flag(
    "--criterion",
    "Cost function: classic, td, or oversubscription (trees). [default: depends on the mapping]",
    panel=PANEL,
)
@flag("--seed", "Random seed.", SEED, 0)
@flag(
    "--seeds",
    "Number of searches of each random kind, as far as the budget lasts; of a single mapping, the best is "
    "used. [default: 10; of a single mapping 1]",
    SEEDS,
    metavar="N",
)
@resource_flags("1")
@store_flag("none")
@flag(
    "-o output",
    "Write the mapping as CSV for --mapping file:FILE or in the format of --export; or a page (.html), "
    "the output of --json (.json), or all into a folder.",
    metavar="FILE|FOLDER",
)
@flag(
    "--export",
    "Format of the mapping for a launcher: openmpi, mpich, mpich-rankmap, slurm or flux.",
    metavar="LAUNCHER",
)
@flag("--hosts", "Names of the nodes for --export, one per line. [default: n0, n1, ..]", metavar="FILE")
@flag("--plot picture", "Draw traffic and link loads (png, pdf or svg).", PICTURE)
@flag("--csv table", "Write the times and verdicts of a comparison as CSV.", OUTPUT, metavar="FILE")
@flag("--latex", "Write the tables of a comparison as LaTeX.", OUTPUT, metavar="FILE")
@json_flag
def map_command(**given: Any) -> None:
    """Answer which mapping of the tasks of a job to nodes is fastest, and write this mapping.

    The job is simulated alone under several kinds of mapping, with several searches of each kind, within
    --budget. Verdicts compare mean times: TD against classic, and the fastest against the others.

    With a single --mapping, or a traffic matrix, nothing is simulated: the mapping is compared with the
    consecutive one by cost (bytes times the cost function), distances of pairs of tasks (TAD) and of bytes
    (WTAD), the same with asymmetry (_AL), and the bytes on the most loaded link if all minimal routes are
    equally likely.
    """
    output = _Output(given["output"] and Path(given["output"]), given["export"], given["hosts"])
    if given["matrix"] is not None or len(set(given["mappings"])) == 1:
        _compute(given, output)
    else:
        _compare(given, output)


def _compare(given: dict[str, Any], output: _Output) -> None:
    from netplace.csv_files import write_rows
    from netplace.placement.mapping import MAPPINGS
    from netplace.report.tables.data_table import latex
    from netplace.report.tables.mapping_choice import choice_results, choice_tables, csv_rows
    from netplace.runs.job_programs import expected_cpu_seconds
    from netplace.runs.mapping_choice import candidates_on, choose
    from netplace.runs.mapping_search import MappingPlan, find

    if given["criterion"] is not None:
        raise ValueError(
            f"--criterion: {given['criterion']} is the cost of one mapping; expected also --mapping classic"
        )
    budget = _BUDGET if given["budget"] is None else given["budget"]
    names = list(dict.fromkeys(given["mappings"]))
    for name in names:
        MAPPINGS.split(name, "--mapping")
    search = _search(given)
    launched = output.names(search.topology)
    found, notes = (names, []) if names else candidates_on(search)
    rules = list(dict.fromkeys(["consecutive", *_rules(found, given)]))

    def outcomes(plans: list[MappingPlan]) -> list[dict[str, Any]]:
        workers = None if len(plans) == 1 and not given["dask"] else given["workers"]
        execution = Execution(workers, given["dask"], given["store"])
        return execution.outcomes(plans, find, "mappings", "mappings", seconds=min(budget, each * len(plans)))

    each = expected_cpu_seconds([search.run]) if search.run else 0.0
    searches = check_int(given["seeds"] or _SEARCHES, "--seeds", 1, _MOST_SEARCHES)
    choice = choose(search, rules, searches, budget, outcomes)
    results = choice_results(choice, search, notes, budget)
    if given["table"]:
        rows = csv_rows(choice, search)
        write_rows(given["table"], list(rows[0]), [row.values() for row in rows])
    if given["latex"]:
        write_atomically(given["latex"], latex(choice_tables(results)))
    _show(results, search, choice.nodes, launched, output, given)


def _compute(given: dict[str, Any], output: _Output) -> None:
    from netplace.report.tables.mapping_search import search_results
    from netplace.runs.mapping_search import MappingPlan, find, qap_result_of

    for name, flag_name in (("budget", "--budget"), ("table", "--csv"), ("latex", "--latex")):
        if given[name] is not None:
            why = "a matrix" if given["matrix"] is not None else "a single mapping"
            raise ValueError(
                f"{flag_name}: {given[name]} given with {why}, of which nothing is simulated; expected "
                f"a program, and no --mapping or several"
            )
    seeds = range(given["seed"], given["seed"] + (given["seeds"] or 1))
    check_plans(len(seeds), "mappings", "--seeds")
    options = (given["method"], given["seconds"], given["search_iterations"], given["criterion"])
    [*_, text] = given["mappings"] or [default_mapping(given["network"], given["method"], given["criterion"])]
    rule, criterion = mapping_rule(text, *options)
    search = _search(given)
    names = output.names(search.topology)
    execution = Execution(given["workers"], given["dask"], given["store"])
    # Several have a bar, and may have processes of their own, which are not forked beside a thread.
    with progress("map", shown=len(seeds) == 1):
        plans = [MappingPlan(search, rule, seed) for seed in seeds]
        outcomes = execution.outcomes(plans, find, "mappings", "mappings")
    found = [qap_result_of(outcome) for outcome in outcomes]
    results, nodes = search_results(search, rule, criterion, seeds, found)
    _show(results, search, nodes, names, output, given)


def _search(given: dict[str, Any]) -> Search:
    """Return the job that is mapped."""
    from netplace.runs.mapping_search import Search

    config, run, seed = config_from(given), None, given["seed"]
    matrix = None if given["matrix"] is None else _matrix(given)
    if matrix is None:
        run = run_from(given, config, partition=given["partition"], mapping="consecutive", seed=seed)
        config = run.config
    return Search(given["network"], given["partition"], config, run, matrix, seed)


@dataclass(frozen=True)
class _Output:
    """Where a mapping is written, and for whom; checked."""

    path: Path | None  # the file or folder; None: it is not written
    # What starts programs and reads it, a key of `netplace.report.files.rank_files.LAUNCHERS`.
    launcher: str | None
    hosts: str | None

    def __post_init__(self) -> None:
        from netplace.report.files.rank_files import LAUNCHERS

        if self.launcher is not None:
            check_choice(self.launcher, LAUNCHERS, "--export")
            if not self.path:
                raise ValueError(f"--export {self.launcher}: expected also -o FILE")
        elif self.hosts:
            raise ValueError(
                "--hosts: names the nodes for --export, which is not given; a placement is --mapping "
                "hosts:FILE"
            )
        elif self.path and self.path.suffix.lower() not in ("", ".csv", *_OUTCOMES):
            raise ValueError(
                f"-o {self.path}: expected a name that ends in .csv, .html or .json, a folder without an "
                f"ending, or --export"
            )
        if self.path and self._is_folder:
            check_output_folder(self.path)
        elif self.path:
            check_output(self.path)

    @property
    def _is_folder(self) -> bool:
        return bool(self.path and not self.launcher and (not self.path.suffix or self.path.is_dir()))

    @property
    def outcome(self) -> Path | None:
        """The file or folder, if it holds all that is known of the mapping and not only the mapping."""
        whole = self.path and not self.launcher and self.path.suffix.lower() in _OUTCOMES
        return self.path if whole or self._is_folder else None

    def names(self, topology: Topology) -> list[str]:
        """Return the names of all nodes, if a launcher asks for them."""
        from netplace.report.files.rank_files import host_names

        hosts = Path(self.hosts) if self.hosts else None
        return host_names(hosts, topology) if self.launcher else []

    def write(self, nodes: Sequence[int], names: list[str]) -> None:
        """Write a mapping alone: for a launcher, or as ``--mapping file:FILE`` reads it."""
        from netplace.report.files.rank_files import LAUNCHERS, mapping_csv, rank_file

        assert self.path is not None
        text = rank_file(self.launcher, names, nodes) if self.launcher else mapping_csv(nodes)
        write_atomically(self.path, text)
        if self.launcher:
            command = LAUNCHERS[self.launcher].command.format(file=self.path, ranks=len(nodes))
            click.echo(f"start it: {command}", err=True)


def _matrix(given: dict[str, Any]) -> NDArray[Any]:
    from netplace.report.files.traffic import read_traffic
    from netplace.runs.networks import network_of

    if any(given[name] for name in ("program", "trace", "app", "jobs")):
        raise ValueError(
            "--from: the matrix replaces the application; expected no --program, --trace, --app or --jobs"
        )
    if len(set(given["mappings"])) > 1:
        raise ValueError(
            f"--mapping: {len(given['mappings'])} given with --from, a matrix, which cannot be simulated; "
            f"expected one"
        )
    W = read_traffic(Path(given["matrix"]), network_of(given["network"]).nodes)
    if given["tasks"] not in (None, len(W)):
        raise ValueError(
            f"--from {given['matrix']}: has {len(W)} rows, expected {given['tasks']}, one per task"
        )
    return W


def _show(
    results: dict[str, Any],
    search: Search,
    nodes: NDArray[Any],
    names: list[str],
    output: _Output,
    given: dict[str, Any],
) -> None:
    """Write a mapping, the comparison or measurements that led to it, and a picture; show them."""
    from netplace.report.files.rank_files import mapping_csv
    from netplace.report.pages.kinds.mapping import mapping_page

    if given["picture"]:
        from netplace.report.plots import write_figure
        from netplace.report.plots.networks import mapping_figure
        from netplace.report.tables.mapping_search import traits

        _, load = traits(search.topology, nodes, search.traffic)
        figure = mapping_figure(search.traffic, search.topology, load, [nodes], results["title"])
        write_figure(given["picture"], figure)

    answer = CommandOutput(
        lambda: results,
        terminal=lambda: mapping_page(results).show(),
        label="mapping",
        also=lambda folder: write_atomically(folder / "mapping.csv", mapping_csv(nodes.tolist())),
        remarks=results.get("notes", ()),
    )
    show(answer, output.outcome, given["as_json"])
    if output.path and not output.outcome:
        output.write(nodes.tolist(), names)


_SEARCHING = ("classic", "link-load", "td")
_MOST_SEARCHES = 1000  # of each kind
_SEARCHES, _BUDGET = 10, 60.0  # of a comparison: searches of each kind, and CPU seconds


def _rules(names: Sequence[str], given: dict[str, Any]) -> list[str]:
    """Return several mapping rules with the options from flags, each with those that it takes."""
    rules, taken = [], set()
    for name in names:
        kind = name.partition(":")[0]
        takes = {"seconds", "search_iterations"} if kind in _SEARCHING else set()
        takes |= {"method"} if kind in ("classic", "td") else set()
        options = [given[key] if key in takes else None for key in ("method", "seconds", "search_iterations")]
        rules.append(mapping_rule(name, *options)[0])
        taken |= takes
    for key in ("method", "seconds", "search_iterations"):
        if given[key] is not None and key not in taken:
            raise ValueError(
                f"--{key.replace('_', '-')}: {given[key]} given, but none of the mappings "
                f"{', '.join(names)} takes it"
            )
    return rules


def default_mapping(network: str, method: str | None, criterion: str | None) -> str:
    """Return the mapping where none is named: the fastest in the mean that knows the other flags."""
    if method is not None or criterion is not None:
        return "classic"
    from netplace.placement.mapping.link_load import MOST_SWITCHES
    from netplace.runs.networks import network_of
    from netplace.topologies.routing import Switches

    switches = Switches.of(network_of(network))
    return "link-load" if len(switches.neighbor) <= MOST_SWITCHES else "classic"


def mapping_rule(
    text: str, method: str | None, seconds: float | None, iterations: int | None, criterion: str | None = None
) -> tuple[str, str]:
    """Return the mapping rule with its options from flags, and the criterion of its cost."""
    from netplace.placement.mapping import CRITERIA, MAPPINGS, METHODS

    name, own = MAPPINGS.split(text, "--mapping")
    added = []
    for option, word, value in (
        ("--method", "", method),
        ("--seconds", "seconds=", seconds),
        ("--search-iterations", "iterations=", iterations),
    ):
        if value is not None and name not in _SEARCHING:
            expected = " or ".join(_SEARCHING)
            raise ValueError(f"{option}: mapping {name} does not search, expected {expected}")
        if value is not None:
            added.append(f"{word}{value}")
    if method is not None:
        if name == "link-load":
            raise ValueError("--method: mapping link-load has a single method; expected classic or td")
        check_choice(method, METHODS, "--method")
    if criterion is not None:
        check_choice(criterion, CRITERIA, "--criterion")
        if name == "td" and criterion != "td":
            raise ValueError(f"--criterion: mapping td minimizes td, not {criterion}; use --mapping classic")
        if name == "classic":
            added.append(f"criterion={criterion}")
    words = [word for word in (*own.split(","), *added) if word]
    named = [word.removeprefix("criterion=") for word in words if word.startswith("criterion=")]
    measured = criterion or (named[-1] if named else "td" if name == "td" else "classic")
    return ":".join([name, ",".join(words)] if words else [name]), measured
