"""``netplace run``: replay applications and show what they took."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.cli.clashes import command
from netplace.cli.flags import COUNT, OUTPUT, PROCESSES, SEEDS, flag, output_file
from netplace.cli.many import open_store, say, tell_cost
from netplace.cli.outputs import OUTCOME, CommandOutput, show
from netplace.cli.program_flags import program_flags, run_from
from netplace.cli.provenance import note_plans
from netplace.cli.settings import (
    SettingsCommand,
    config_from,
    engine_flag,
    json_flag,
    network_flag,
    seed_flag,
    tell_ignored,
    tell_limits,
    threads_flag,
)
from netplace.inputs import check_choice, check_size
from netplace.report.files.outputs import PICTURES
from netplace.report.terminal.progress import PER_CENT, bytes_read, progress, with_progress
from netplace.report.terminal.screen import print_tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from netplace.apps import Program
    from netplace.runs import Run
    from netplace.runs.execute import Executed

LOST = 3  # exit code: a fault that was asked for ended a job
_BYTES_PER_RUN = 32_000  # besides what its links, tasks and messages take; measured


@command("run", SettingsCommand)
@network_flag
@program_flags
@flag("--partition", "Partition: the nodes of each job.", default="whole", panel="Placement")
@flag("--mapping", "Mapping of tasks to nodes.", default="consecutive", panel="Placement")
@flag(
    "--hosts",
    "File with the host of each rank; the same as --mapping hosts:FILE with one task per host.",
    metavar="FILE",
    panel="Placement",
)
@flag("--seeds", "Number of runs, with seeds starting from --seed.", SEEDS, 1)
@seed_flag
@engine_flag
@flag("--workers", "Worker processes for several runs.", PROCESSES, 1)
@threads_flag
@flag("--max-cycles", "Largest number of cycles before the run fails.", COUNT)
@flag("--window", "Also measure link loads in windows of this many cycles.", COUNT)
@flag("--critical-path", "Show the critical path of each job.", bool)
@flag(
    "--trace-packet packet",
    "Show the way of one packet cycle by cycle: of packet N, from 0, from one node to another.",
    metavar="SOURCE:DESTINATION:N",
)
@flag(
    "--timeline",
    "Write tasks, messages and link loads of the first run over time: .json for Perfetto and "
    "chrome://tracing, or a picture.",
    output_file(".json", *PICTURES),
    metavar="FILE",
)
@flag(
    "--record-messages messages", "Write the start and end of every message as CSV.", OUTPUT, metavar="FILE"
)
@flag(
    "-o output",
    "Write a page (.html), a picture of the link loads (.png, .pdf, .svg), the output of --json "
    "(.json), or all of these and CSV files into a folder.",
    OUTCOME,
    metavar="FILE|FOLDER",
)
@flag("--store", "Also store the results; see netplace table.", OUTPUT, metavar="FILE")
@json_flag
def run_command(**given: Any) -> None:
    """Simulate applications on a network, and show their run times.

    Options of an application can follow its name, such as lu,class=W,iterations=3. Placement and network use
    the same random seed. A deadlock, or a run longer than --max-cycles, ends with exit code 2 and a message
    that shows which tasks wait for which others. If a fault (--faults) stops a job, or destroys packets for
    which it waits forever, the job has no run time; the results are shown and written, with exit code 3.
    """
    seeds = range(given["seed"], given["seed"] + given["seeds"])
    config = config_from(given)
    given = _on_hosts(given)
    run = run_from(given, config, partition=given["partition"], mapping=given["mapping"], seed=seeds[0])
    tell_limits([(run.network, run.config)])
    tell_ignored([(run.network, run.config)])
    _check(given)
    executed = _executed(run, seeds, given)
    _show(executed, given)
    lost = [execution.result for execution in executed if not execution.result.finished]
    for result in lost:
        say(f"seed {result.seed}: {result.lost}")
    if lost:
        raise SystemExit(LOST)


def _on_hosts(given: dict[str, Any]) -> dict[str, Any]:
    """Return the flags with the mapping and the tasks that --hosts stands for."""
    if given["hosts"] is None:
        return given
    from netplace.placement.mapping.hosts import read_hosts

    for name, default in (("mapping", "consecutive"), ("partition", "whole"), ("jobs", ())):
        if given[name] != default:
            raise ValueError(
                f"--hosts: {given['hosts']} gives the nodes of one job, and --{name} was given; expected one "
                "of the two"
            )
    counted = {"tasks": len(read_hosts(Path(given["hosts"])))} if not given["trace"] else {}
    if given["tasks"] not in (None, *counted.values()):
        raise ValueError(
            f"--tasks: {given['tasks']} given, and --hosts {given['hosts']} lists the hosts of "
            f"{counted['tasks']} ranks"
        )
    return given | counted | {"mapping": f"hosts:{given['hosts']}"}


def _check(given: dict[str, Any]) -> None:
    """Check what the flags say of how runs are done, and of what is written."""
    from netplace.netsim import ENGINES
    from netplace.netsim.threads import threads_beside

    engine, workers, window = given["engine"], given["workers"], given["window"]
    check_choice(engine, ENGINES, "--engine")
    if given["store"] and engine != "kernel":
        raise ValueError(f"--store: stores results of the kernel, but --engine is {engine}")
    if workers > 1 and given["seeds"] == 1:
        raise ValueError(
            f"--workers: {workers} given for a single run, expected --threads, or --seeds over 1"
        )
    threads_beside(given["threads"], workers, "--threads")
    if window and not (given["as_json"] or given["timeline"] or given["store"] or given["output"]):
        raise ValueError(f"--window: {window} affects only --json, --timeline and -o, expected one of them")


def _records(given: dict[str, Any]) -> bool:
    """Return whether messages are recorded one by one, as a page and a folder hold them."""
    output: Path | None = given["output"]
    if output and (output.is_dir() or output.suffix.lower() not in (".json", *PICTURES)):
        return True
    return bool(given["messages"] or given["timeline"] or given["critical_path"])


def _executed(run: Run, seeds: range, given: dict[str, Any]) -> list[Executed]:
    from netplace.netsim.threads import threads_beside
    from netplace.runs.execute import run_simulation
    from netplace.runs.executors import run_each
    from netplace.runs.job_programs import expected_cpu_seconds, packets_of_run, repeated_of
    from netplace.runs.meter import PacketMeter

    records, workers = _records(given), given["workers"]
    simulate = partial(
        run_simulation,
        engine=given["engine"],
        record_messages=records,
        window=given["window"],
        threads=threads_beside(given["threads"], workers),
    )
    with bytes_read(Path(job.path) for job in run.jobs if job.path) as advance:
        programs = repeated_of(run, advance)  # kept, for all runs are of the same programs
    _check_room(run, len(seeds), [repeated.program for repeated in programs], records)
    runs = [run.seeded(seed) for seed in seeds]
    note_plans(runs)
    with ExitStack() as stack:
        named = f"{len(runs)} runs" if len(runs) > 1 else f"replays {len(programs)} jobs on {runs[0].network}"
        if len(runs) == 1 and workers == 1:
            tell = stack.enter_context(progress("of the packets", PER_CENT))
            meter = PacketMeter(tell, partial(tell_cost, named))
            simulate = partial(simulate, watch=partial(meter.watch_alone, packets=packets_of_run(runs[0])))
        else:
            tell_cost(named, expected_cpu_seconds(runs))
        store = stack.enter_context(open_store(given["store"])) if given["store"] else None
        if len(runs) == 1:
            executed = [simulate(runs[0])]
        else:
            executed = with_progress(run_each(simulate, runs, workers), len(runs), "runs")
        if store:
            store.keep_executed(executed)
    return executed


def _check_room(run: Run, seeds: int, programs: Sequence[Program], records: bool) -> None:
    """Check that the results of all runs, which are held until the last has ended, fit into memory."""
    from netplace.runs.networks import network_of

    each = _BYTES_PER_RUN + 16 * network_of(run.network).neighbor.size
    each += sum(64 * program.tasks + 24 * len(program.kind) * records for program in programs)
    check_size(seeds, each, "results of runs", "--seeds")


def _life(asked: str | None, executed: Executed) -> dict[str, Any] | None:
    """Return the way of the packet that was asked for."""
    if asked is None:
        return None
    from netplace.report.tables.packet_life import describe_life
    from netplace.runs.packet_life import packet_life, read_packet

    packet = read_packet(asked)
    return describe_life(packet, packet_life(executed.run, packet, executed.result))


def _show(executed: Sequence[Executed], given: dict[str, Any]) -> None:
    from netplace.report.tables.bounds import bound_sentences
    from netplace.report.tables.run import path_rows, path_table, run_tables, write_run, write_run_folder
    from netplace.report.tables.summary import describe, describe_jobs, summarise

    window, longest = given["window"], max(run.window or 0 for run in executed)
    if window and longest > window:
        say(f"--window {window}: gives too many windows, so netplace uses windows of {longest} cycles")
    write_run(executed, given["messages"], given["timeline"], None)
    paths = path_rows(executed) if given["critical_path"] else []
    life = _life(given["packet"], executed[0])

    def described() -> dict[str, Any]:
        summary = summarise([describe(run) for run in executed])
        summary |= {"critical_paths": paths} if given["critical_path"] else {}
        return summary | ({"packet": life} if life else {})

    def detailed() -> dict[str, Any]:
        from netplace.report.files.run_details import details_of

        return described() | details_of(executed[0])

    def terminal() -> None:
        print_tables(*run_tables(executed), *([path_table(paths)] if paths else []))
        if life:
            from netplace.report.tables.data_table import print_data
            from netplace.report.tables.packet_life import life_table

            print_data([life_table(life)], life["answer"])
        busiest = float(executed[0].result.link_load.max(initial=0.0))
        for sentence in bound_sentences(describe_jobs(executed[0]), busiest):
            click.echo(sentence)

    answer = CommandOutput(
        described,
        terminal=terminal,
        label="run",
        draw=lambda path: write_run(executed, None, None, path),
        folder=lambda path: write_run_folder(path, executed, detailed()),
        details=detailed,
    )
    show(answer, given["output"], given["as_json"])
