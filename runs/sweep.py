"""Sweep files: TOML in which any field can be a list; they are expanded into runs and checked as a whole.

::

    network = ["torus:8x8", "mesh:8x8"]
    app = ["lu,class=W", "waterfall,packets=4"]
    tasks = 64
    mapping = ["consecutive", "random"]
    seeds = 5

    [config]
    vcs = [2, 3]

    [[pairs]]                       # lists that go together, not every one with every other
    policy = ["smart", "shortest"]
    bubble = [2, 1]

Every combination of values is a run. ``[[jobs]]`` tables, one for each job of a run, can replace ``app`` (or
``trace``); ``count`` makes several equal jobs, and the keys at the top then apply to all jobs.
"""

from __future__ import annotations

import itertools
import math
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from netplace.apps import APPLICATIONS, Program
from netplace.inputs import abbreviate, check_choice, check_int
from netplace.netsim.config import SETTINGS, Config
from netplace.placement.mapping import MAPPINGS
from netplace.placement.mapping.rules import LIMITS
from netplace.placement.rule import find_rule
from netplace.runs.job_programs import program_of, programs_of
from netplace.runs.placing import place_jobs, simulates
from netplace.runs.resolve import JOB_FIELDS, resolve
from netplace.runs.spec import Job, Run
from netplace.runs.toml_lines import line_of, read_toml, underscored
from netplace.topologies import parse

__all__ = ["Sweep", "read_sweep"]

_RUN_FIELDS = ("network", "partition", "seeds", "max_cycles")
_MOST_SEEDS = 2**31
_TABLES = ("config", "pairs", "jobs")
_OPTIONS = tuple(
    {"class" if name == "problem_class" else name for app in APPLICATIONS.values() for name in app.parameters}
    - {"seed"}
    | {"packets"}
)

_Place = tuple[str, str]  # table and key
_Choice = dict[_Place, Any]


@dataclass(frozen=True)
class Sweep:
    """The runs of a sweep file; made by `read_sweep`."""

    path: Path
    text: str  # contents of the file
    # For each axis, the choices to combine with those of the other axes; a choice sets values of keys.
    axes: tuple[tuple[_Choice, ...], ...] = ()
    seeds: Sequence[int] = (0,)  # of every combination

    def __len__(self) -> int:
        """Return how many runs there are, without making them."""
        return math.prod(map(len, self.axes)) * len(self.seeds)

    def runs(self) -> list[Run]:
        """Return the runs, with the seeds varying fastest."""
        return [run for _, run in self._each()]

    def check_programs(self, wanted: Sequence[Run]) -> None:
        """Check that the programs of the runs `wanted` can be made and placed.

        Only one iteration of each application is made. Then, the placement of the jobs is checked, with a
        shortened search if the mapping searches. Impossible runs are thus reported before any simulation
        begins.
        """
        wanted_programs, wanted_places = {_programs(run) for run in wanted}, {_places(run) for run in wanted}
        for choice, run in self._each():
            key, place = _programs(run), _places(run)
            if key not in wanted_programs and place not in wanted_places:
                continue
            wanted_programs.discard(key)
            wanted_places.discard(place)
            try:
                check_short(run)
            except ValueError as error:
                raise self._mistake(choice, str(error)) from None
            if not wanted_programs and not wanted_places:
                return

    def _each(self) -> Iterator[tuple[_Choice, Run]]:
        for combination in itertools.product(*self.axes):
            choice = {place: value for part in combination for place, value in part.items()}
            try:
                run = _run(choice)
            except ValueError as error:
                raise self._mistake(choice, str(error)) from None
            for seed in self.seeds:
                yield choice, run.seeded(seed)

    def _mistake(self, choice: _Choice, reason: str) -> ValueError:
        """Return an error that names the most likely key for `reason`, and its line."""
        place = _blamed(choice, reason)
        return self.error(place, choice[place], reason)

    def error(self, place: _Place, value: Any, reason: str) -> ValueError:
        """Return an error about a value in the file."""
        line = line_of(self.text, self._written(place), place[1], value)
        return ValueError(f"{self.path}:{line}: {place[1]} = {abbreviate(value)}: {reason}")

    def _written(self, place: _Place) -> str:
        """Return the table in which a key is written; that of a pair differs from where it applies."""
        data = underscored(tomllib.loads(self.text), self.path)
        if not isinstance(data.get("pairs", []), list):
            return place[0]
        for number, pair in enumerate(data.get("pairs", [])):
            if (
                isinstance(pair, dict)
                and place[1] in pair
                and place[1] not in (data if not place[0] else data.get(place[0], {}))
            ):
                return f"pairs.{number}"
        return place[0]


def read_sweep(path: str | Path) -> Sweep:
    """Read a sweep file."""
    path = Path(path)
    text, data = read_toml(path, flags=True)
    empty = Sweep(path, text)
    return replace(empty, axes=tuple(_axes(empty, data)), seeds=_seeds(empty, data.get("seeds", 1)))


def _axes(sweep: Sweep, data: dict[str, Any]) -> Iterator[tuple[_Choice, ...]]:
    """Yield the axes of a sweep file, all but the seeds."""
    pairs, jobs, config = (
        data.get(name, [] if name != "config" else {}) for name in ("pairs", "jobs", "config")
    )
    for name, value, kind in (("pairs", pairs, list), ("jobs", jobs, list), ("config", config, dict)):
        if not isinstance(value, kind):
            wanted = f"[[{name}]]" if kind is list else f"[{name}]"
            raise sweep.error(("", name), value, f"expected a table {wanted}")
    for name, tables in (("pairs", pairs), ("jobs", jobs)):
        for table in tables:
            if not isinstance(table, dict):
                raise sweep.error(("", name), table, f"expected tables [[{name}]]")
    _check_what_runs(sweep, data)
    own = any(":" in str(name).partition(",")[0] for name in _names(data))
    options = None if own else _OPTIONS
    top = {key: value for key, value in data.items() if key not in _TABLES}
    _check_keys(sweep, "", top, (*_RUN_FIELDS, *JOB_FIELDS), options, _TABLES)
    _check_keys(sweep, "config", config, tuple(SETTINGS))
    for key, value in top.items():
        if key != "seeds":
            yield _axis(sweep, ("", key), value)
    for key, value in config.items():
        yield _axis(sweep, ("config", key), value)
    for number, job in enumerate(jobs):
        _check_keys(sweep, f"jobs.{number}", job, (*JOB_FIELDS, "count"), options)
        for key, value in job.items():
            yield _axis(sweep, (f"jobs.{number}", key), value)
    for number, pair in enumerate(pairs):
        _check_keys(sweep, f"pairs.{number}", pair, (*_RUN_FIELDS, *JOB_FIELDS, *SETTINGS), options)
        yield _pair_axis(sweep, number, pair, {*top} | {*config})


def _names(data: Mapping[str, Any]) -> list[Any]:
    tables = [data, *data.get("jobs", []), *data.get("pairs", [])]
    names: list[Any] = []
    for table in tables:
        value = table.get("app", [])
        names += value if isinstance(value, list) else [value]
    return names


def _check_what_runs(sweep: Sweep, data: dict[str, Any]) -> None:
    """Check that the file says, once, on what network what runs."""
    given = {*data, *(key for pair in data.get("pairs", []) for key in pair)}
    if "network" not in given:
        raise ValueError(f"{sweep.path}: the key network is missing, so the sweep has no runs")
    if len(given & {"app", "trace", "jobs"}) != 1:
        raise ValueError(f"{sweep.path}: expected one of the keys app and trace, or tables [[jobs]]")


def _check_keys(
    sweep: Sweep,
    table: str,
    written: Mapping[str, Any],
    known: tuple[str, ...],
    options: tuple[str, ...] | None = (),
    tables: tuple[str, ...] = (),
) -> None:
    """Check that all keys of a table are `known` or options of applications; None: one's own may have any."""
    for key in written:
        if options is not None and key not in options:
            try:
                check_choice(key, (*known, *sorted(options), *tables), "key")
            except ValueError as error:
                raise ValueError(f"{sweep.path}:{line_of(sweep.text, table, key)}: {error}") from None


def _axis(sweep: Sweep, place: _Place, value: Any) -> tuple[_Choice, ...]:
    if place[1] in ("max_cycles", "count") and isinstance(value, list):
        raise sweep.error(place, value, "is a list, expected one value")
    values = value if isinstance(value, list) else [value]
    if not values:
        raise sweep.error(place, value, "the list is empty, so the sweep has no runs")
    for item in values:
        if (setting := SETTINGS.get(place[1])) and setting.kind is bool:
            if not isinstance(item, bool):
                raise sweep.error(place, item, "expected true or false, or a list of them")
        elif isinstance(item, bool) or not isinstance(item, str | int | float):
            raise sweep.error(place, item, "expected text or a number, or a list of them")
    return tuple({place: item} for item in values)


def _pair_axis(
    sweep: Sweep, number: int, pair: Mapping[str, Any], elsewhere: set[str]
) -> tuple[_Choice, ...]:
    """Return the choices that lists which go together give."""
    table, lengths = f"pairs.{number}", {}
    for key, value in pair.items():
        line = f"{sweep.path}:{line_of(sweep.text, table, key)}: {key} = {abbreviate(value)}"
        if not isinstance(value, list) or not value or key == "seeds":
            raise ValueError(f"{line}: expected a non-empty list, as long as the other lists of its table")
        if key in elsewhere:
            raise ValueError(f"{line}: is also set elsewhere in the file")
        lengths[key] = len(value)
    if len({*lengths.values()}) != 1:
        reason = ", ".join(f"{key} has {length}" for key, length in lengths.items()) or "it is empty"
        line_number = line_of(sweep.text, table, "")
        raise ValueError(
            f"{sweep.path}:{line_number}: the lists of [[pairs]] must be equally long, but {reason}"
        )
    places = {key: ("config" if key in SETTINGS else "", key) for key in pair}
    parts = [_axis(sweep, places[key], value) for key, value in pair.items()]
    return tuple({k: v for part in row for k, v in part.items()} for row in zip(*parts, strict=True))


def _seeds(sweep: Sweep, value: Any) -> Sequence[int]:
    """Return the seeds: ``5`` for 0 to 4, ``"10:20"`` for 10 to 19, or a list."""
    try:
        if isinstance(value, list):
            seeds: Sequence[int] = [check_int(seed, "seed", 0) for seed in value]
        elif isinstance(value, str) and ":" in value:
            first, _, end = value.partition(":")
            seeds = range(check_int(first, "first seed", 0), check_int(end, "seed after the last", 0))
            check_int(len(seeds), "number of seeds", 0, _MOST_SEEDS)
        else:
            seeds = range(check_int(value, "number of seeds", 0, _MOST_SEEDS))
    except ValueError as error:
        raise sweep.error(("", "seeds"), value, str(error)) from None
    if not seeds:
        raise sweep.error(("", "seeds"), value, "no seed, so the sweep has no runs")
    return seeds


def _run(choice: _Choice) -> Run:
    """Return the run of one combination."""
    top = {key: value for (table, key), value in choice.items() if not table}
    same = {key: value for key, value in top.items() if key not in _RUN_FIELDS}
    config = Config(**{key: value for (table, key), value in choice.items() if table == "config"})
    if config.buffer_phits:
        raise ValueError(
            f"buffer_phits: {config.buffer_phits} is wormhole switching, which only the reference engine "
            "simulates, but a sweep uses the kernel; expected 0"
        )
    tables = sorted({table for table, _ in choice if table.startswith("jobs.")}, key=lambda t: int(t[5:]))
    jobs: list[dict[str, Any]] = []
    for name in tables:
        job = same | {key: value for (table, key), value in choice.items() if table == name}
        # More jobs than nodes never fit: told before they are made, for they may be very many.
        jobs += [job] * check_int(job.pop("count", 1), "count", maximum=parse(str(top["network"])).nodes)
    return resolve(
        str(top["network"]),
        jobs or same,
        partition=str(top.get("partition", "whole")),
        config=config,
        max_cycles=top.get("max_cycles"),
    )


def _programs(run: Run) -> tuple[object, ...]:
    return (run.config, *(replace(job, mapping="", start=0) for job in run.jobs))


def _places(run: Run) -> tuple[object, ...]:
    """Return what the places of a run's jobs depend on, but for the seed and the traffic."""
    jobs = (replace(job, section="", iterations="", cpu_scale=0.0, start=0, options=()) for job in run.jobs)
    return (run.network, run.partition, *jobs)


def _blamed(choice: _Choice, reason: str) -> _Place:
    """Return the place that a reason is most likely about: the key it begins with, the value it shows."""
    head = reason.partition(":")[0]
    places = sorted(choice, key=lambda place: place[1] in ("app", "trace", "network"))
    for place in places:
        if re.search(rf"\b{re.escape(place[1])}\b", head):
            return place
    for place in places:
        if repr(choice[place]) in reason or (place[1] == "class" and "problem_class" in reason):
            return place
    if misfits := [place for place in places if place[1] == "tasks" and " tasks " in reason]:
        return misfits[-1]
    order = [p for p in choice if p[1] in ("app", "trace")] or [("", "network")]
    return order[0]


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
    rule, option = find_rule(mapping, MAPPINGS)
    if f"{LIMITS[0]}=" not in rule.option:
        return mapping
    for word in option.split(","):
        name, _, value = word.partition("=")
        if name.strip() == LIMITS[0]:
            check_int(value, f"mapping {mapping}: {LIMITS[0]}")
    return f"{mapping}{',' if option else ':'}{LIMITS[0]}=1"
