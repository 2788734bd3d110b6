"""``netplace run``: replay applications and show what they took."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.cli.amounts import COUNT, PROCESSES, SEEDS
from netplace.cli.examples import examples_of
from netplace.cli.program_flags import program_flags, run_from
from netplace.cli.settings import engine_flag, json_flag, network_flag, seed_flag, settings_flags
from netplace.cli.stores import open_store
from netplace.cli.verdict import AnnouncingCommand
from netplace.report.terminal.screen import bytes_read, print_results, print_tables, with_progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from netplace.runs import Run
    from netplace.runs.execute import Executed
    from netplace.runs.store import Store

__all__ = ["run_command"]


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
    "--seeds", type=SEEDS, default=1, show_default=True, help="So many runs, with seeds from --seed on."
)
@seed_flag
@engine_flag
@click.option(
    "--processes", type=PROCESSES, default=1, show_default=True, help="Worker processes for several runs."
)
@click.option(
    "--workers",
    type=PROCESSES,
    default=1,
    show_default=True,
    metavar="N",
    help="Processes for one run, where its jobs can share no router; the result is the same.",
)
@click.option("--max-cycles", type=COUNT, help="Give up after so many cycles.")
@click.option("--window", type=COUNT, help="Count link loads also in windows of so many cycles (for --json).")
@click.option(
    "--critical-path", is_flag=True, help="Show the chain of causes along which each job's time adds up."
)
@click.option(
    "--timeline",
    metavar="FILE",
    help="Write tasks, messages and link loads of the first run over time: .json for Perfetto and "
    "chrome://tracing, else a picture.",
)
@click.option("--record-messages", metavar="FILE", help="Write start and end of every message as CSV.")
@click.option(
    "-o", "picture", metavar="FILE", help="Draw the link loads and jobs of the first run (png, pdf or svg)."
)
@click.option("--store", metavar="FILE", help="Keep the results in a store as well; see netplace table.")
@json_flag
@settings_flags
def run_command(**given: Any) -> None:
    """Replay applications on a network, and show what they took.

    Options of an application may follow its name, as in lu,class=W,iterations=3. Placement and network
    draw from the same seed. A deadlock, or a run longer than --max-cycles, ends with exit code 2 and a
    sentence that says who waits for whom.
    """
    asked = _asked(given)
    executed = _executed(asked)
    _remark(asked, executed)
    _write(asked, executed)
    _show(executed, given["as_json"], asked.critical_path)


@dataclass(frozen=True)
class _Asked:
    """What a command line asks for: runs that differ in their seeds, and what is to be written of them."""

    runs: tuple[Run, ...]
    engine: str
    processes: int
    workers: int
    window: int | None
    messages: Path | None
    timeline: Path | None
    critical_path: bool
    picture: Path | None
    store: Path | None


def _asked(given: dict[str, Any]) -> _Asked:
    """Return what the flags ask for, checked."""
    from netplace.checks import one_of, whole
    from netplace.netsim import ENGINES
    from netplace.report.files.outputs import PICTURES, check_output

    picture = given["picture"] and check_output(Path(given["picture"]), PICTURES)
    messages = given["record_messages"] and check_output(Path(given["record_messages"]))
    timeline = given["timeline"] and check_output(Path(given["timeline"]), (".json", *PICTURES))
    first = whole(given["seed"], "--seed", 0)
    run = run_from(given, partition=given["partition"], mapping=given["mapping"], seed=first)
    if given["store"] and given["engine"] != "kernel":
        raise ValueError(f"--store: keeps what the kernel counts, and --engine is {given['engine']}")
    if given["workers"] > 1 and given["processes"] > 1:
        raise ValueError(
            f"--workers: {given['workers']} given beside --processes {given['processes']}, expected one of "
            "them: parts of a run side by side, or several runs"
        )
    return _Asked(
        runs=tuple(run.seeded(first + place) for place in range(whole(given["seeds"], "--seeds"))),
        engine=one_of(given["engine"], ENGINES, "--engine"),
        processes=given["processes"],
        workers=given["workers"],
        window=None if given["window"] is None else whole(given["window"], "--window"),
        messages=messages or None,
        timeline=timeline or None,
        critical_path=given["critical_path"],
        picture=picture or None,
        store=Path(given["store"]) if given["store"] else None,
    )


def _executed(asked: _Asked) -> list[Executed]:
    """Simulate the runs and, if there is a store, keep what came of them."""
    from netplace.report.terminal.compiling import load_engine
    from netplace.runs.chance import simulation_of
    from netplace.runs.execute import carry_out, check_places
    from netplace.runs.executors import run_each

    # A placement that cannot be made is told before anything is compiled.
    with bytes_read(Path(job.path) for job in asked.runs[0].jobs if job.path) as advance:
        check_places(asked.runs[0], advance)
    with _store(asked.store) as store:
        load_engine(asked.engine, asked.runs[0].network, asked.runs[0].config)
        simulate = partial(
            carry_out,
            engine=asked.engine,
            record_messages=bool(asked.messages or asked.timeline or asked.critical_path),
            window=asked.window,
            workers=asked.workers,
        )
        found = with_progress(run_each(simulate, asked.runs, asked.processes), len(asked.runs), "runs")
        if store is not None:
            store.ask(asked.runs)
            for one in found:
                store.keep(simulation_of(one.run).key, one.ended())
    return found


def _store(path: Path | None) -> AbstractContextManager[Store | None]:
    if path is None:
        return nullcontext()
    return open_store(path)


def _remark(asked: _Asked, executed: Sequence[Executed]) -> None:
    """Say where there was nothing to share out among workers."""
    if asked.workers == 1:
        return
    if asked.window is not None:
        click.echo(f"netplace: --workers {asked.workers}: with --window one process does a run", err=True)
    elif whole_runs := sum(one.parts == 1 for one in executed):
        which = "the run" if len(executed) == 1 else f"{whole_runs} of {len(executed)} runs"
        click.echo(
            f"netplace: --workers {asked.workers}: {which} by one process: there is one job, or jobs "
            "can share routers",
            err=True,
        )


def _write(asked: _Asked, executed: Sequence[Executed]) -> None:
    """Write the messages and the picture that were asked for."""
    from netplace.report.files.messages import write_messages
    from netplace.runs.execute import programs_of
    from netplace.topologies import parse

    results = [one.result for one in executed]
    if asked.messages:
        write_messages(asked.messages, results, programs_of(asked.runs[0]))
    if asked.timeline:
        from netplace.report.files.timeline import write_timeline

        write_timeline(asked.timeline, results[0], programs_of(asked.runs[0]), asked.window)
    if asked.picture:
        from netplace.report.plots.network_map import draw_network
        from netplace.report.tables.run import title

        jobs = [job.nodes for job in results[0].jobs]
        topology = parse(asked.runs[0].network)
        draw_network(asked.picture, topology, results[0].link_load, jobs, title(executed[0]))


def _show(executed: Sequence[Executed], as_json: bool, critical_path: bool) -> None:
    from netplace.report.tables.critical_path import path_rows, path_table
    from netplace.report.tables.run import run_tables
    from netplace.report.tables.summary import describe, summarise

    paths = path_rows(executed) if critical_path else []
    if as_json:
        told = summarise([describe(one) for one in executed])
        print_results("run", told | ({"critical_paths": paths} if critical_path else {}))
    else:
        print_tables(*run_tables(executed), *([path_table(paths)] if paths else []))
