"""``netplace run``: replay applications and show what they took."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.experiments.cli.examples import examples_of
from netplace.experiments.cli.program_flags import program_flags, programs_from
from netplace.experiments.cli.settings import config_from, json_flag, network_flag, seed_flags, settings_flags
from netplace.experiments.cli.verdict import AnnouncingCommand
from netplace.experiments.terminal.screen import number, print_json, print_tables, table, with_progress

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.table import Table

    from netplace.runs.replay import Replay

__all__ = ["run_command"]

Described = dict[str, Any]


@click.command("run", cls=AnnouncingCommand, epilog=examples_of("run"))
@network_flag
@program_flags
@click.option(
    "--partition", default="whole", show_default=True, panel="Placement", help="Which nodes each job gets."
)
@click.option(
    "--mapping",
    default="consecutive",
    show_default=True,
    panel="Placement",
    help="Which node each task gets.",
)
@click.option(
    "--seeds", type=int, default=1, show_default=True, help="So many runs, with seeds from --seed on."
)
@seed_flags
@click.option("--max-cycles", type=int, help="Give up after so many cycles.")
@click.option("--window", type=int, help="Count link loads also in windows of so many cycles (for --json).")
@click.option("--record-messages", metavar="FILE", help="Write start and end of every message as CSV.")
@click.option(
    "-o", "picture", metavar="FILE", help="Draw the link loads and jobs of the first run (png, pdf or svg)."
)
@json_flag
@settings_flags
def run_command(**given: Any) -> None:
    """Replay applications on a network, and show what they took.

    Options of an application may follow its name, as in lu,class=W,iterations=3. Placement and network
    draw from the same seed. A deadlock, or a run longer than --max-cycles, ends with exit code 2 and a
    sentence that says who waits for whom.
    """
    from netplace.experiments.files.messages import write_messages
    from netplace.experiments.files.outputs import PICTURES, check_output
    from netplace.experiments.reports.summary import describe, summarise
    from netplace.experiments.terminal.compiling import load_engine
    from netplace.runs.placing import simulates
    from netplace.runs.pool import run_each

    picture = given["picture"] and check_output(Path(given["picture"]), PICTURES)
    messages = given["record_messages"] and check_output(Path(given["record_messages"]))
    replay, seeds = _replay(given), _seeds(given)
    if not simulates(replay.mapping):
        replay.places(seeds[0])  # a placement that cannot be made is told before anything is compiled
    load_engine(given["engine"])
    replayed = with_progress(run_each(replay.run, seeds, given["processes"]), len(seeds), "runs")
    results = [one.result for one in replayed]
    if messages:
        write_messages(messages, results, replay.programs)
    if picture:
        from netplace.experiments.plots.network_map import draw_network

        jobs = [job.nodes for job in results[0].jobs]
        draw_network(picture, replay.topology, results[0].link_load, jobs, _title(replay))
    runs = [describe(one, replay) for one in replayed]
    if given["as_json"]:
        print_json(summarise(runs))
    else:
        print_tables(*_tables(runs, replay))


def _replay(given: dict[str, Any]) -> Replay:
    """Return the replay that the flags ask for."""
    from netplace.checks import one_of, whole
    from netplace.netsim import ENGINES
    from netplace.runs.replay import Replay
    from netplace.topologies import parse

    config, topology = config_from(given), parse(given["network"])
    one_of(given["engine"], ENGINES, "--engine")
    whole(given["processes"], "--processes")
    for name in ("max_cycles", "window"):
        if given[name] is not None:
            whole(given[name], "--" + name.replace("_", "-"))
    return Replay(
        topology=topology,
        programs=programs_from(given, config, topology),
        partition=given["partition"],
        mapping=given["mapping"],
        config=config,
        engine=given["engine"],
        max_cycles=given["max_cycles"],
        record_messages=bool(given["record_messages"]),
        window=given["window"],
    )


def _seeds(given: dict[str, Any]) -> range:
    from netplace.checks import whole

    first = whole(given["seed"], "--seed", 0)
    return range(first, first + whole(given["seeds"], "--seeds"))


def _title(replay: Replay) -> str:
    names = [program.name for program in replay.programs]
    jobs = [f"{names.count(name)}x {name}" if len(names) > 1 else name for name in dict.fromkeys(names)]
    return f"{' + '.join(jobs)} on {replay.topology}, partition {replay.partition}, mapping {replay.mapping}"


_COLUMNS: dict[str, Callable[[Described], tuple[float | None, int]]] = {
    "cycles": lambda run: (run["cycles"], 0),
    "ms": lambda run: (run["seconds"] * 1e3, 3),
    "packets": lambda run: (run["packets"], 0),
    "packet-hops": lambda run: (run["packet_hops"], 0),
    "mean packet delay": lambda run: (run["packet_delay"]["mean"], 1),
    "most link load": lambda run: (run["most_link_load"], 3),
    "CPU s": lambda run: (run["cpu_seconds"], 2),
    "M packet-hops/s": lambda run: (run["packet_hops"] / 1e6 / max(run["cpu_seconds"], 1e-9), 2),
}


def _tables(runs: Sequence[Described], replay: Replay) -> list[Table]:
    """Return the table of the runs and, for several jobs, that of the jobs."""
    from netplace.experiments.reports.summary import spread

    rows = [[str(run["seed"]), *(number(*value(run)) for value in _COLUMNS.values())] for run in runs]
    if len(runs) > 1:
        spreads = {
            name: (spread([value(run)[0] or 0.0 for run in runs]), value(runs[0])[1])
            for name, value in _COLUMNS.items()
        }
        rows.append([])
        rows += [
            [measure, *(number(found[measure], digits) for found, digits in spreads.values())]
            for measure in ("mean", "std", "min", "max")
        ]
    tables = [table(_title(replay), ["seed", *_COLUMNS], rows)]
    if len(replay.programs) > 1:
        tables.append(
            table("cycles of each job", ["job", "tasks", "mean", "std", "min", "max"], _job_rows(runs))
        )
    if "winner" in runs[0]["jobs"][0]:
        found = [[str(run["seed"]), *(job["winner"] for job in run["jobs"])] for run in runs]
        names = [f"job {place}" for place in range(len(runs[0]["jobs"]))]
        tables.append(table("fastest mapping of each job alone", ["seed", *names], found))
    return tables


def _job_rows(runs: Sequence[Described]) -> list[list[str]]:
    rows = []
    for place, job in enumerate(runs[0]["jobs"]):
        cycles = [run["jobs"][place]["cycles"] for run in runs]
        rows.append([f"{place} {job['name']}", str(job["tasks"]), *_spread_row(cycles)])
    return [*rows, [], ["slowest", "", *_spread_row([run["slowest_cycles"] for run in runs])]]


def _spread_row(cycles: Sequence[float]) -> list[str]:
    from netplace.experiments.reports.summary import spread

    found = spread(cycles)
    return [number(found[measure]) for measure in ("mean", "std", "min", "max")]
