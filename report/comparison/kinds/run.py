"""Runs, as ``netplace run --json`` prints them: the draws are the seeds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from netplace.checks.quantities import LESS, NEITHER
from netplace.netsim import Config
from netplace.placement.mapping import MAPPING
from netplace.placement.partition import PARTITION
from netplace.report.comparison.kinds.figures import Figures, figure_results
from netplace.report.comparison.outcome import Entry, Outcome
from netplace.report.pages.kinds.run import FILE
from netplace.report.pages.kinds.saved import asked_of, saved_results, versions_of
from netplace.runs.chance import network_draws, rule_draws
from netplace.topologies import names_file, parse

_FIGURES: Figures = {
    ("cycles",): ("run time (cycles)", LESS),
    ("packet_delay", "mean"): ("mean packet delay (cycles)", LESS),
    ("message_delay", "mean"): ("mean message delay (cycles)", LESS),
    ("most_link_load",): ("largest link load", LESS),
    ("packet_hops",): ("packet-hops", LESS),
    ("packets",): ("packets", NEITHER),
}
_ASKED = ("network", "partition", "mapping", "engine", "faults", "config")


def outcome(path: Path) -> Outcome:
    path = path / FILE if path.is_dir() else path
    saved = saved_results(path, "run")
    runs = saved.get("runs", [saved])
    draws = {str(run["seed"]): run for run in runs}
    kind = "seeds" if _by_chance(saved) else ""
    results = figure_results(path, draws, _FIGURES, kind)
    jobs = saved["jobs"]
    if any(len(run["jobs"]) != len(jobs) for run in runs):
        raise ValueError(f"{path}: runs: expected the same {len(jobs)} jobs in each run")
    if len(jobs) > 1:
        for place, job in enumerate(jobs):
            by_draw = {seed: run["jobs"][place] for seed, run in draws.items()}
            name = f"job {place} {job['name']}: run time (cycles)"
            results += figure_results(path, by_draw, {("cycles",): (name, LESS)}, kind)
    entry = Entry(dict(_asked(saved, jobs, list(draws))), results)
    return Outcome(
        "run", str(path), [entry], " ".join(text for _, text in versions_of(saved.get("versions")))
    )


def _asked(saved: dict[str, Any], jobs: list[dict[str, Any]], seeds: list[str]) -> list[tuple[str, str]]:
    said = asked_of({name: saved.get(name) for name in _ASKED})
    said.append(("jobs", ", ".join(f"{job['name']} of {job['tasks']}" for job in jobs)))
    return [*said, ("seeds", ", ".join(seeds))]


def _by_chance(saved: dict[str, Any]) -> bool:
    """Return whether a seed could change anything; yes in doubt. No file that is named is read."""
    network, config = saved.get("network"), saved.get("config")
    if not isinstance(network, str) or names_file(network) or not isinstance(config, dict):
        return True
    rules = ((saved.get("partition"), PARTITION), (saved.get("mapping"), MAPPING))
    try:
        return network_draws(parse(network), Config(**config)) or any(
            not isinstance(text, str) or rule_draws(text, choice) for text, choice in rules
        )
    except (ValueError, TypeError):
        return True
