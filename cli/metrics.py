"""``netplace metrics``: how far jobs are spread, what that does to their traffic, and to their run time."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netplace.cli.clashes import command
from netplace.cli.flags import SEED, SEEDS, flag
from netplace.cli.many import Execution, check_plans, resource_flags, store_flag
from netplace.cli.outputs import CommandOutput, outcome_file, show, write
from netplace.cli.program_flags import program_flags, run_from
from netplace.cli.settings import SettingsCommand, config_from, json_flag, network_flag
from netplace.csv_files import write_rows
from netplace.report.files.outputs import PICTURES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from netplace.report.plots.figure import Figure
    from netplace.report.tables.configurations import Configuration, ConfigurationRow

_PAIR_SECONDS = 0.7e-6  # of CPU time for the distances of a pair of tasks


@command("metrics", SettingsCommand)
@network_flag
@program_flags
@flag(
    "--partition partitions",
    "Partition: the nodes of each job; repeatable.",
    default=("random",),
    multiple=True,
    panel="Placement",
)
@flag("--mapping", "Mapping of tasks to nodes.", default="consecutive", panel="Placement")
@flag("--configurations", "Number of seeds of a random placement.", SEEDS, 10)
@flag("--seed", "First random seed.", SEED, 0)
@flag("--simulate", "Simulate run times, and correlate each metric with them.", bool)
@resource_flags("1")
@store_flag("none")
@flag(
    "-o outputs",
    "Write a page (.html), the table (.csv), the output of --json (.json), a picture (.png, .pdf, "
    ".svg), or all into a folder; repeatable.",
    outcome_file(tables=(".csv",)),
    multiple=True,
    metavar="FILE|FOLDER",
)
@json_flag
def metrics_command(**given: Any) -> None:
    """Show the partition metrics of configurations, and with --simulate their correlation with run time.

    Dispersal: nodes and links affected (NA, LA), average distance (AD), distance from the center (DFC),
    diameter (Diam). Of the application: task and weighted task distance (TAD, WTAD), and the same with
    asymmetry (_AL). The formulas are the published ones; files and --json contain related metrics too.
    Values are means over jobs, for nodes with a task. Metrics that a network does not define are
    omitted: NA and LA except on meshes and tori, and _AL without dimensions.
    """
    from netplace.report.pages.answers.metrics import page
    from netplace.report.tables.configurations import ConfigurationRow, outcome_of
    from netplace.runs.job_programs import expected_cpu_seconds, programs_of

    files = given["outputs"]
    for path in files:
        if path.suffix in PICTURES and not given["simulate"]:
            raise ValueError(f"-o {path}: draws metrics against run time, expected --simulate")
    configurations = _configurations(given)
    execution = Execution(given["workers"], given["dask"], given["store"])
    runs = [one.run for one in configurations]
    seconds = _PAIR_SECONDS * len(runs) * sum(program.tasks**2 for program in programs_of(runs[0]))
    seconds += expected_cpu_seconds(runs) if given["simulate"] else 0.0
    outcomes = execution.outcomes(
        configurations, outcome_of, "configurations", "configurations", seconds=seconds
    )
    rows = [ConfigurationRow.from_dict(outcome) for outcome in outcomes]
    title = _title(configurations)
    content = cache(lambda: _plain(rows, title))  # by --json, a page and the terminal alike
    answer = CommandOutput(
        content,
        lambda: page(content()),
        figure=(lambda: _figure(rows, title)) if given["simulate"] else None,
        also=lambda folder: _write(folder / "metrics.csv", rows),
    )
    for path in files:
        if path.suffix == ".csv":
            _write(path, rows)
        else:
            write(answer, path)
    show(answer, None, given["as_json"])


def _configurations(given: dict[str, Any]) -> list[Configuration]:
    from netplace.report.tables.configurations import Configuration, seeds_of

    first, count = given["seed"], given["configurations"]
    check_plans(count * len(given["partitions"]), "configurations", "--configurations")
    config = config_from(given)
    runs = [
        run_from(given, config, partition=name, mapping=given["mapping"], seed=first)
        for name in dict.fromkeys(given["partitions"])
    ]
    return [
        Configuration(run.seeded(seed), given["simulate"])
        for run in runs
        for seed in seeds_of(run, first, count)
    ]


def _title(configurations: Sequence[Configuration]) -> str:
    from netplace.report.tables.run import jobs_named
    from netplace.runs.job_programs import programs_of

    run, count = configurations[0].run, len(configurations)
    names = jobs_named(program.name for program in programs_of(run))
    placed = f"mapping {run.jobs[0].mapping}, {count} configuration{'s' if count > 1 else ''}"
    return f"{names} on {run.network}, {placed}"


def _write(path: Path, rows: Sequence[ConfigurationRow]) -> None:
    write_rows(path, list(rows[0].to_dict()), (row.to_dict().values() for row in rows))


def _figure(rows: Sequence[ConfigurationRow], title: str) -> Figure:
    from netplace.placement.metrics import PUBLISHED
    from netplace.report.plots.points import scatter_figure
    from netplace.report.tables.configurations import known

    times = _column(rows, "cycles")
    panels = {
        name: (_column(rows, name), times) for name in known(rows) if name in (*PUBLISHED, "most_link_load")
    }
    return scatter_figure(title, panels, "run time (cycles)")


def _plain(rows: Sequence[ConfigurationRow], title: str) -> dict[str, Any]:
    from netplace.report.tables.configurations import TIMES, correlations, known
    from netplace.report.tables.summary import spread

    content = {
        "title": title,
        "rows": [row.to_dict() for row in rows],
        "spread": {name: spread(_column(rows, name)) for name in known(rows)},
    }
    if rows[0].cycles is not None:
        content["correlations"] = {time: correlations(rows, time) for time in TIMES}
    return content


def _column(rows: Sequence[ConfigurationRow], name: str) -> list[float]:
    return [getattr(row, name) for row in rows]
