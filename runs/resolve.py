"""The conversion of a user's values to a `Run`: names checked, defaults filled in, files hashed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from netplace.apps import APPLICATIONS
from netplace.apps.application import check_options, uses_collectives
from netplace.inputs import abbreviate, check_choice, check_int
from netplace.netsim import Config
from netplace.netsim.effects import check_settings, settings_on
from netplace.placement.mapping import MAPPINGS
from netplace.placement.rule import find_rule
from netplace.runs.digests import Digest, contents_of, sources_of_algorithms, sources_of_formats
from netplace.runs.networks import network_of
from netplace.runs.partitions import check_partition, machine_of_hosts
from netplace.runs.programs import (
    SECTIONS,
    TRACE_OPTIONS,
    Reading,
    application_options,
    trace_digest,
    trace_name,
    trace_options,
    trace_path,
)
from netplace.runs.revisions import revisions_of
from netplace.runs.spec import Job, Run, Value

# What a job takes besides the options of its application: the type, and what it is.
MOST_REPEATS = 1 << 20  # of a program that is simulated
JOB_FIELDS = ("app", "trace", "tasks", "section", "iterations", "cpu_scale", "mapping", "start", "repeats")


def resolve(
    network: str,
    jobs: Mapping[str, Any] | Sequence[Mapping[str, Any]],
    *,
    partition: str = "whole",
    config: Config | None = None,
    seed: int = 0,
    network_seed: int | None = None,
    max_cycles: int | None = None,
) -> Run:
    """Return the run that a user requests.

    Parameters
    ----------
    jobs : mapping, or sequence of mappings
        The jobs of the run. Each has ``app`` or ``trace``, and may have ``tasks``, ``section``,
        ``iterations``, ``cpu_scale``, ``mapping``, ``start``, ``repeats`` and options of the application such
        as ``class`` or ``packets``.
    partition : str
        Rule that gives each job its nodes.
    seed, network_seed : int
        Seed of the placement and the network, and a separate seed of the network.

    Raises
    ------
    ValueError
        If a name, key or value is not valid. Errors of the program or the placement are raised later.

    Examples
    --------
    >>> run = resolve("torus:4x4", {"app": "bt", "class": "S", "mapping": "random"}, seed=3)
    >>> run.jobs[0].tasks, run.jobs[0].options
    (16, (('iterations', None), ('problem_class', 'S')))
    """
    topology = network_of(network)
    config = settings_on(topology, config or Config())
    check_settings(topology, config)
    check_partition(partition)
    written = [jobs] if isinstance(jobs, Mapping) else list(jobs)
    if not written:
        raise ValueError("jobs: none given, expected at least one job with app or trace")
    for job in written:
        for name, value in job.items():
            if not isinstance(name, str) or not isinstance(value, int | float | str | None):
                raise ValueError(f"job: {abbreviate(name)} is {abbreviate(value)}, expected text or a number")
    made = tuple(job_of(job, config, topology.nodes) for job in written)
    tasks = sum(job.tasks or 0 for job in made)
    if tasks > topology.nodes:
        raise ValueError(f"jobs: {tasks} tasks are more than the {topology.nodes} nodes of {topology}")
    return Run(
        network=topology.text,
        jobs=made,
        partition=partition,
        config=config,
        seed=check_int(seed, "seed", 0),
        network_seed=None if network_seed is None else check_int(network_seed, "network_seed", 0),
        max_cycles=None if max_cycles is None else check_int(max_cycles, "max_cycles"),
        contents=contents_of(
            topology.text,
            config.routing,
            partition,
            [job.mapping for job in made],
            _tables(made),
            _sources(made),
        ),
        revisions=revisions_of(
            [job.mapping for job in made],
            partition,
            config,
            machine=machine_of_hosts(partition, topology.text),
        ),
    )


def job_of(request: Mapping[str, Any], config: Config, nodes: int) -> Job:
    """Return the job that a request describes, checked; `nodes` is the default number of tasks."""
    return _job(tuple(sorted(request.items())), _digest_of(request), config, nodes)


@lru_cache(maxsize=4096)
def _job(items: tuple[tuple[str, Any], ...], digest: str, config: Config, nodes: int) -> Job:
    """Return the job that a user describes, on a network of so many nodes; its file has this digest."""
    written = dict(items)
    given = {name: written.pop(name) for name in JOB_FIELDS if name in written}
    if ("app" in given) == ("trace" in given):
        raise ValueError("job: expected either app or trace")
    mapping = str(given.get("mapping", "consecutive"))
    find_rule(mapping, MAPPINGS)
    same = {
        "mapping": mapping,
        "start": check_int(given.get("start", 0), "start", 0),
        "repeats": check_int(given.get("repeats", 1), "repeats", 1, MOST_REPEATS),
        "digest": digest,
    }
    reading = _reading(given, written, config)
    if "trace" in given:
        return _trace_job(str(given["trace"]), reading, given, same)
    return _application_job(str(given["app"]), reading, given, nodes, same)


def _reading(given: dict[str, Any], options: dict[str, Any], config: Config) -> Reading:
    scale = given.get("cpu_scale", 0.0)
    if not isinstance(scale, int | float) or not 0 <= scale < float("inf"):
        raise ValueError(f"cpu_scale: {scale!r} is not a number of at least 0")
    tasks = given.get("tasks")
    return Reading(
        section=check_choice(str(given.get("section", "whole")), SECTIONS, "section"),
        iterations=str(given.get("iterations", "")),
        tasks=None if tasks is None else check_int(tasks, "tasks"),
        packet_bytes=config.packet_bytes,
        options=options,
        cycle_ns=config.cycle_ns,
    )


def _trace_job(name: str, reading: Reading, given: dict[str, Any], same: dict[str, Any]) -> Job:
    own = {key: value for key, value in reading.options.items() if key in TRACE_OPTIONS}
    for key in reading.options.keys() - own.keys():
        check_choice(key, JOB_FIELDS, f"key of trace {name}")
    trace_options(own, name)
    if own.get("collectives") == "builtin":
        del own["collectives"]
    path = trace_path(name)
    return Job(
        program=trace_name(path),
        tasks=reading.tasks,
        options=tuple(sorted(own.items())),
        section=reading.section,
        iterations=reading.iterations,
        cpu_scale=float(given.get("cpu_scale", 0.0)),
        path=str(path),
        **same,
    )


def _application_job(
    text: str, reading: Reading, given: dict[str, Any], nodes: int, same: dict[str, Any]
) -> Job:
    name, options = application_options(text, reading)
    tasks = check_int(options.pop("tasks", nodes), "tasks")
    return Job(
        program=name,
        tasks=tasks,
        options=tuple(sorted(_canonical(name, options).items())),
        section=reading.section,
        iterations=reading.iterations if ":" in reading.iterations else "",
        **same,
    )


def _canonical(name: str, options: dict[str, Any]) -> dict[str, Value]:
    """Return all options of an application, with the defaults of those not given; sizes in bytes."""
    packet_bytes = options.pop("packet_bytes", 64)
    options |= _chosen_collectives(name, options.pop("collectives", "builtin"))
    chosen, _ = APPLICATIONS.find(name)
    if not APPLICATIONS.is_built_in(name):
        return options | ({"packet_bytes": packet_bytes} if "packets" in options else {})
    if "packets" in options and "bytes" in chosen.parameters:
        if "bytes" in options:
            raise ValueError(f"app {name!r}: expected bytes or packets, not both")
        options["bytes"] = check_int(options.pop("packets"), "packets") * packet_bytes
    check_options(name, chosen.make, [option for option in options if option != "collectives"])
    if "problem_class" in options:
        options["problem_class"] = str(options["problem_class"]).upper()
    return {**chosen.parameters, **options}


def _chosen_collectives(name: str, text: Value) -> dict[str, Value]:
    """Return the option that says how collectives are executed, if it is not the default and counts."""
    if text == "builtin":
        return {}
    from netplace.apps.collectives import selection

    selection(str(text))
    if not uses_collectives(APPLICATIONS.find(name)[0].make):
        return {}
    return {"collectives": str(text)}


def _digest_of(job: Mapping[str, Any]) -> str:
    """Return the digest of the trace, or of the file of one's own application; empty if there is none."""
    if "trace" in job:
        return trace_digest(trace_path(str(job["trace"])))
    name = str(job.get("app", "")).partition(",")[0]
    source = APPLICATIONS.source(name) if name else None
    return source[1] if source else ""


def _tables(jobs: Iterable[Job]) -> set[str]:
    """Return the files, if any, that choose the algorithms of collectives or have the times of layers."""
    texts = (
        str(value) for job in jobs for option, value in job.options if option in ("collectives", "times")
    )
    return {text.partition("+")[0] for text in texts}


def _sources(jobs: Iterable[Job]) -> set[Digest]:
    """Return whose code may read the traces of jobs, or choose the messages of their collectives."""
    found: set[Digest] = set()
    for job in jobs:
        if job.path:
            found |= sources_of_formats()
        if any(option == "collectives" for option, _ in job.options):
            found |= sources_of_algorithms()
    return found
