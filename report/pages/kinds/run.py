"""A run, as ``netplace run`` prints it with ``--json``, or leaves it in a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from netplace.netsim import Config
from netplace.netsim.critical_path import COMPONENTS
from netplace.placement.mapping import MAPPINGS
from netplace.placement.partition import PARTITIONS
from netplace.quantities import LESS, NEITHER
from netplace.report.pages.html import Page, Part
from netplace.report.pages.kinds.links import load_map
from netplace.report.pages.kinds.outcome import Entry, Figures, Outcome, figure_results
from netplace.report.pages.kinds.saved import (
    asked_of,
    details_of,
    saved_results,
    versions_of,
    written_versions,
)
from netplace.report.plots.charts import bar_figure, curve_figure
from netplace.report.plots.figure import Figure
from netplace.report.plots.jobs import timeline_figure
from netplace.report.tables.bounds import bound_sentences
from netplace.report.tables.data_table import DataTable
from netplace.report.tables.packet_life import life_figure, life_table
from netplace.report.tables.run import jobs_named
from netplace.report.terminal.units import seconds_unit
from netplace.runs.chance import network_is_random, rule_is_random
from netplace.topologies import names_file, parse

FILE = "run.json"  # of a folder that ``netplace run -o`` has written
_ASKED = ("network", "engine", "seed", "seeds", "partition", "mapping", "window", "config")

_SHOWN = (
    ("cycles", "cycles"),
    ("seconds", "seconds"),
    ("packets", "packets"),
    ("packet_hops", "packet-hops"),
    ("most_link_load", "largest link load (phits per cycle)"),
)


def file_of(path: Path) -> Path:
    return path / FILE if path.is_dir() else path


def page(path: Path) -> Page:
    path = file_of(path)
    results = saved_results(path, "run")
    runs = results.get("runs", [results])
    jobs = _jobs(results)
    parts: list[Part] = []
    by_seed = [(f"seed {run['seed']}", run["cycles"]) for run in runs if run["cycles"] is not None]
    by_job = [(name, cycles) for name, *_, cycles, _ in jobs if cycles is not None]
    chance = "One run for each seed; the differences are random variation."
    for heading, bars, caption in (
        ("Run time by seed", by_seed if len(runs) > 1 else [], chance),
        ("Run time of each job", by_job if len(by_job) > 1 else [], "From its start to its end."),
    ):
        if bars:
            names, cycles = zip(*bars, strict=True)
            parts.append(bar_figure(heading, names, {"cycles": cycles}, unit="cycles", caption=caption))
    if life := results.get("packet"):
        with details_of(path, "packet"):
            parts += [life_figure(life), life_table(life)]
    if windows := runs[0].get("windows"):
        parts.append(_windows(windows))
    drawn, missing = _details(path, results)
    parts += drawn
    columns = ["job", "tasks", "start (cycle)", "end (cycle)", "cycles", "outcome"]
    parts.append(DataTable("Jobs", columns, jobs))
    rows = [[name, results[key]] for key, name in _SHOWN]
    for label in ("packet_delay", "message_delay"):
        rows += [
            [f"{label.replace('_', ' ')}, {key} (cycles)", results[label].get(key)]
            for key in ("mean", "p50", "p95", "p99", "most")
        ]
    parts.append(DataTable("Figures", ["figure", "value"], rows))
    request = asked_of({name: results[name] for name in _ASKED if name in results})
    takes = "do" if len(results["jobs"]) > 1 else "does"
    named = jobs_named(job["name"] for job in results["jobs"])
    question = f"How long {takes} {named} take on {results['network']}?"
    request += versions_of(results.get("versions"))
    return Page(question, _verdict(results, jobs), request, parts, missing)


def _details(path: Path, results: dict[str, Any]) -> tuple[list[Figure], list[str]]:
    """Return the figures that are drawn from the details of the first run, and what is missing of them."""
    network, drawn, missing = results["network"], list[Figure](), list[str]()
    links, jobs = results.get("links"), results.get("timeline")
    if links is None:
        missing.append("link loads on the network: write the page with netplace run -o page.html")
    elif names_file(network):
        missing.append(f"link loads on the network, because the network {network} is a user file")
    else:
        with details_of(path, "links"):
            drawn.append(load_map(parse(network), links["ends"], links["rows"]))
    if jobs is None:
        missing.append("tasks and messages over time: write the page with netplace run -o page.html")
    else:
        with details_of(path, "timeline"):
            drawn.append(timeline_figure(jobs, results["config"]["cycle_ns"]))
            drawn += _path_bars(jobs)
        if any(job["path"] is None for job in jobs):
            missing.append("the critical path of a job with too many messages")
    return drawn, missing


def _jobs(results: dict[str, Any]) -> list[list[Any]]:
    jobs = results["jobs"]
    plural = len(jobs) > 1
    return [
        [
            f"{place}: {job['name']}" if plural else job["name"],
            *(job[key] for key in ("tasks", "start", "end", "cycles")),
            _fate(job),
        ]
        for place, job in enumerate(jobs)
    ]


def _fate(job: Mapping[str, Any]) -> str:
    """Return how a job ended and, of several runs, in how many it did not finish."""
    fate: str = job.get("reason") or job.get("outcome") or "finished"
    return f"{job['failed']} runs failed, the first: {fate}" if job.get("failed") else fate


def _verdict(results: dict[str, Any], jobs: list[list[Any]]) -> list[str]:
    cycles = results["cycles"]
    sentences = [f"Job {name} did not finish: {fate}." for name, *_, fate in jobs if fate != "finished"]
    if cycles is not None:
        second, unit = seconds_unit(results["seconds"], 1, ("min",))
        sentences.append(
            f"{len(jobs)} job{'s' if len(jobs) > 1 else ''} took {cycles:,.0f} cycles, "
            f"{results['seconds'] / second:,.4g} {unit}."
        )
    spread = results.get("spread", {}).get("cycles")
    if cycles and spread:
        share = 100 * (spread["max"] - spread["min"]) / cycles
        sentences.append(
            f"Over {len(results['runs']) - results.get('failed', 0)} seeds, the time varies from "
            f"{spread['min']:,.0f} to {spread['max']:,.0f} cycles, by {share:.1f} %."
        )
    sentences.append(f"The most loaded link carried {100 * results['most_link_load']:.0f} % of its capacity.")
    bounds = bound_sentences(results["jobs"], results["most_link_load"])
    return sentences + [f"{sentence[:1].upper()}{sentence[1:]}." for sentence in bounds]


def _windows(windows: list[dict[str, Any]]) -> Figure:
    series = {
        name: [(row["end"], row[key]) for row in windows]
        for key, name in (("mean_link_load", "mean of all links"), ("most_link_load", "most loaded link"))
    }
    return curve_figure(
        "Load of links over time",
        series,
        "cycle",
        "phits a cycle",
        caption="In each window, relative to the capacity of a link.",
    )


def _path_bars(jobs: Sequence[Mapping[str, Any]]) -> list[Figure]:
    """Return what the critical path of each job is spent on, in shares of it, if there is any."""
    known = {f"{number}: {job['name']}": job["spent"] for number, job in enumerate(jobs) if job["spent"]}
    if not known:
        return []
    series = {
        component: [100 * spent[component] / (sum(spent.values()) or 1) for spent in known.values()]
        for component in COMPONENTS
    }
    groups = list(known)
    if len(known) == 1:
        series = {"share": [own for (own,) in series.values()]}
        groups = list(COMPONENTS)
    return [
        bar_figure(
            "Parts of the critical path",
            groups,
            series,
            unit="% of the critical path",
            caption="; ".join(f"{name}: {label}" for name, label in COMPONENTS.items()) + ".",
        )
    ]


_RUN_TIME: Figures = {("cycles",): ("run time (cycles)", LESS)}
_FIGURES: Figures = {
    ("lost",): ("jobs that did not finish", LESS),
    ("packet_delay", "mean"): ("mean packet delay (cycles)", LESS),
    ("message_delay", "mean"): ("mean message delay (cycles)", LESS),
    ("most_link_load",): ("largest link load", LESS),
    ("packet_hops",): ("packet-hops", LESS),
    ("packets",): ("packets", NEITHER),
}
_COMPARED = ("network", "partition", "mapping", "engine", "faults", "config")


def outcome(path: Path) -> Outcome:
    path = file_of(path)
    saved = saved_results(path, "run")
    runs = saved.get("runs", [saved])
    draws = {str(run["seed"]): run | {"lost": _lost(run)} for run in runs}
    kind = "seeds" if _by_chance(saved) else ""
    results = figure_results(path, _with_cycles(draws), _RUN_TIME, kind)
    results += figure_results(path, draws, _FIGURES, kind)
    jobs = saved["jobs"]
    if any(len(run["jobs"]) != len(jobs) for run in runs):
        raise ValueError(f"{path}: runs: expected the same {len(jobs)} jobs in each run")
    if len(jobs) > 1:
        for place, job in enumerate(jobs):
            by_draw = {seed: run["jobs"][place] for seed, run in draws.items()}
            name = f"job {place} {job['name']}: run time (cycles)"
            results += figure_results(path, _with_cycles(by_draw), {("cycles",): (name, LESS)}, kind)
    entry = Entry(dict(_asked(saved, jobs, list(draws))), results)
    return Outcome("run", str(path), [entry], written_versions(saved.get("versions")))


def _lost(run: Mapping[str, Any]) -> int:
    """Return how many jobs of a run did not finish."""
    return sum(job["cycles"] is None for job in run["jobs"])


def _with_cycles(draws: Mapping[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the draws in which a run, or a job, finished."""
    return {seed: figures for seed, figures in draws.items() if figures["cycles"] is not None}


def _asked(saved: dict[str, Any], jobs: list[dict[str, Any]], seeds: list[str]) -> list[tuple[str, str]]:
    request = asked_of({name: saved.get(name) for name in _COMPARED})
    request.append(("jobs", ", ".join(f"{job['name']} of {job['tasks']}" for job in jobs)))
    return [*request, ("seeds", ", ".join(seeds))]


def _by_chance(saved: dict[str, Any]) -> bool:
    """Return whether a seed could change anything; yes in doubt. No file that is named is read."""
    network, config = saved.get("network"), saved.get("config")
    if not isinstance(network, str) or names_file(network) or not isinstance(config, dict):
        return True
    rules = ((saved.get("partition"), PARTITIONS), (saved.get("mapping"), MAPPINGS))
    try:
        return network_is_random(parse(network), Config(**config)) or any(
            not isinstance(text, str) or rule_is_random(text, choice) for text, choice in rules
        )
    except (ValueError, TypeError):
        return True
