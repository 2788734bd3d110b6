"""Rehearsal of runs: errors of programs and placements are found before anything runs."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from netplace.apps import Program
from netplace.checks import check_int
from netplace.netsim import Config
from netplace.placement.mapping import MAPPING
from netplace.placement.mapping.optimised import LIMITS
from netplace.placement.rule import find_rule
from netplace.runs.job_programs import program_of, programs_of
from netplace.runs.placing import place_jobs, simulates
from netplace.runs.spec import Job, Run
from netplace.topologies import parse


def check_short(run: Run) -> None:
    """Check that programs and placement of a run are possible, with one iteration and no simulation."""
    if any(job.path for job in run.jobs):
        programs = programs_of(run)
    else:
        programs = tuple(_short_program(_short(job), run.config) for job in run.jobs)
    place_jobs(
        parse(run.network),
        programs,
        [_quick_rule(job.mapping) for job in run.jobs],
        partition_rule=run.partition,
        config=run.config,
        seed=run.seed,
    )


@lru_cache(maxsize=8)
def _short_program(job: Job, config: Config) -> Program:
    return program_of(job, config)


def _short(job: Job) -> Job:
    """Return a job whose program is quick to make and valid if, and only if, that of `job` is."""
    few = {name: 1 for name, value in job.options if name in ("rounds", "iterations") and _counts(value)}
    options = tuple({**dict(job.options), **few}.items())
    return replace(job, options=options, iterations="", section="whole", mapping="", start=0)


def _counts(value: object) -> bool:
    """Return whether a number of iterations is valid, or left to the benchmark."""
    return value is None or (isinstance(value, int) and value >= 1)


def _quick_rule(mapping: str) -> str:
    """Return a rule that fits where `mapping` does, and takes little time."""
    if simulates(mapping):
        return "consecutive"
    rule, option = find_rule(mapping, MAPPING)
    if f"{LIMITS[0]}=" not in rule.option:
        return mapping
    for word in option.split(","):
        name, _, value = word.partition("=")
        if name.strip() == LIMITS[0]:
            check_int(value, f"mapping {mapping}: {LIMITS[0]}")
    return f"{mapping}{',' if option else ':'}{LIMITS[0]}=1"
