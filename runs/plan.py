"""One checked request for a schedule, with the content hash under which it is stored."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from netplace.checks import check_choice, check_int
from netplace.checks.plan_settings import JOBS, OF_TABLES, SCHEDULE_SETTINGS
from netplace.checks.records import check_keys, pairs_of
from netplace.checks.schema import Kind
from netplace.checks.settings import said_of
from netplace.extensions import Registry, current_digest, file_digest
from netplace.netsim.config import SETTINGS, Config
from netplace.placement.mapping import MAPPINGS
from netplace.placement.rule import find_rule
from netplace.runs.digests import Digest, among_options, digests_of_wiring, sources_of_programs
from netplace.runs.file_times import BEST_KNOWN, FILE_TIMES
from netplace.runs.job_list import digests_of_programs
from netplace.runs.mix import digest_of_mix
from netplace.runs.networks import network_of
from netplace.runs.outcomes import SCHEDULE
from netplace.runs.power_file import DEFAULT_POWER, read_power
from netplace.runs.revisions import key_of, revisions_of
from netplace.runs.site_file import read_site
from netplace.runs.tables import settings_of
from netplace.scheduling import OVERRUNS
from netplace.scheduling.estimates import estimate_rule
from netplace.scheduling.partitioner import PARTITIONERS
from netplace.scheduling.policy import POLICIES, find_policy
from netplace.scheduling.power import read_switching
from netplace.scheduling.times import RUN_TIMES, LogTimes, make_times
from netplace.scheduling.workload import DROPS, WORKLOADS
from netplace.scheduling.workload.sacct import is_sacct
from netplace.topologies import Topology

# To be raised when a plan would no longer give the schedule that it gave.
REVISION = 2
_SITE = "site"  # the policy of plans with the rules of a site
_FILES = ("workload", "times", "power", "site", "applications")  # keys whose files count by what is in them
# Mappings that are simulated where the best known one is asked for.
CANDIDATES = ("consecutive", "random", "classic", "td")
_LOGS = ("cores_per_node", "drop")  # for files in the Standard Workload Format


@dataclass(frozen=True)
class Plan:
    """The request for a schedule; plans with the same `key` give the same schedule. `make_plan` checks it."""

    machine: str
    workload: str  # key of `netplace.scheduling.workload.WORKLOADS`, or path of a file
    policy: str
    partition: str
    # Number of jobs of a model, or number of jobs to take from a file; None means all.
    jobs: int | None = None
    options: tuple[tuple[str, Any], ...] = ()  # options of the model or of the reader of the file, by name
    times: str = SCHEDULE_SETTINGS["times"].default
    estimates: str = SCHEDULE_SETTINGS["estimates"].default
    overrun: str = SCHEDULE_SETTINGS["overrun"].default
    mapping: str = "consecutive"  # mapping of tasks, if run times come from a table
    # Of run times from a table: whether a store may be added to, the mappings among which the best known is
    # chosen, seeds of a time that is simulated, whether repetitions are times a single run, and the factor
    # for places outside those of the table.
    simulate: bool = False
    mappings: tuple[str, ...] = ()
    table_seeds: int = 1
    separate_repeats: bool = False
    scattered_factor: float | None = None
    config: Config = field(default_factory=Config)  # settings of the network, for run times from a table
    applications: str = ""  # file of the programs of a log's jobs; see `netplace.runs.mix`
    locality: bool = False  # whether to measure the distances between each job's nodes
    installed: int | None = None  # number of existing nodes of the machine, the first ones; None means all
    seed: int = 0
    # File of a site's rules, which are then the policy; see `netplace.runs.site_file`. Can be empty.
    site: str = ""
    power: str = ""  # file of a power model; see `netplace.runs.power_file`. If empty, no energy is computed
    # Rule by which nodes are switched on and off; see `netplace.scheduling.power.SWITCHINGS`.
    switching: str = ""
    digests: tuple[tuple[str, str], ...] = ()  # input files, each with its SHA-256
    # Numbers of the omitted jobs of the workload; see `netplace.runs.same_jobs`.
    without: tuple[int, ...] = ()
    # Numbers of the jobs that run but do not count in the figures of single jobs.
    uncounted: tuple[int, ...] = ()

    @property
    def from_file(self) -> bool:
        return self.workload not in WORKLOADS

    @cached_property
    def key(self) -> str:
        plain = self.to_dict()
        # What is in a file counts, wherever it lies; a store grows as it is used.
        digests = dict(self.digests)
        for name in _FILES:
            if name in digests:
                plain[name] = digests[name]
        mappings: list[str] = []
        plain["config"] = self.config.described()
        if self.simulate:
            plain["times"] = "simulated"
            mappings = [*self.mappings] if self.mapping == BEST_KNOWN else [self.mapping]
        plain["revisions"] = revisions_of(mappings, partitioner=self.partition)
        plain["digests"] = [pair for pair in self.digests if pair[0] not in _FILES]
        return key_of(REVISION, plain)

    def to_dict(self) -> dict[str, Any]:
        return {item.name: getattr(self, item.name) for item in fields(self)} | {
            "config": asdict(self.config)
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Plan:
        check_keys(cls, plain, "plan: jobs")
        options = pairs_of(plain.get("options", ()), "plan: options")
        digests = pairs_of(plain.get("digests", ()), "plan: digests")
        frozen = tuple((name, _frozen(value)) for name, value in options)
        left_out = {name: tuple(plain.get(name, ())) for name in ("without", "uncounted", "mappings")}
        config = plain.get("config", {})
        check_keys(Config, config, "plan: jobs: config")
        return cls(**{**plain, **left_out, "options": frozen, "digests": digests, "config": Config(**config)})

    def outcome_kind(self) -> Kind:
        return SCHEDULE

    def seeded(self, seed: int) -> Plan:
        return replace(self, seed=seed)


def _frozen(value: Any) -> Any:
    return list(value) if isinstance(value, list | tuple) else value


def make_plan(given: Mapping[str, Any], seed: int = 0) -> Plan:
    """Return the checked plan of a user's request by `SCHEDULE_SETTINGS`; None counts as not given."""
    said = said_of(given, [*SCHEDULE_SETTINGS, *SETTINGS], SCHEDULE_SETTINGS)
    config = Config(**{name: said.pop(name) for name in SETTINGS if name in said})
    machine = network_of(str(said["machine"]))
    workload = str(said["workload"])
    planned = str(said.get("switching", "")).partition(":")[0] == "plan"
    policy = _policy(said, "easy" if planned else SCHEDULE_SETTINGS["policy"].default)
    requeues = policy != _SITE and find_policy(policy).requeues
    times = str(said.get("times", Plan.times))
    walled = _check_times(times, machine, bool(said.get("simulate")))
    overrun = str(said.get("overrun", "kill" if walled else Plan.overrun))
    check_choice(overrun, OVERRUNS, "overrun")
    if overrun == "requeue" and not requeues:
        raise ValueError(
            f"overrun 'requeue': only backfilled jobs are requeued, and policy {policy} does not backfill"
        )
    estimates = str(said.get("estimates", Plan.estimates))
    estimate_rule(estimates, LogTimes())
    options = _options(workload, said)
    power, switching = _power(said, machine.nodes)
    if "site" in said and switching not in ("", "always-on"):
        raise ValueError(f"site: {said['site']!r} given, but {power} switches nodes by {switching}")
    plan = Plan(
        machine=machine.text,
        workload=workload,
        jobs=_jobs(workload, said.get("jobs")),
        options=tuple(sorted(options.items())),
        policy=policy,
        partition=_partition(said, times),
        times=times,
        estimates=estimates,
        overrun=overrun,
        mapping=_mapping(said, times),
        config=config,
        applications=str(said.get("applications", "")),
        **_of_table(said, times, config),
        locality=said.get("locality", False),
        installed=_installed(said, machine),
        seed=check_int(seed, "seed", 0),
        site=str(said.get("site", "")),
        power=power,
        switching=switching,
        digests=_digests(said, workload, times, power),
    )
    _check_programs(plan)
    return plan


def _policy(said: Mapping[str, Any], usual: str) -> str:
    """Return the policy; the rules of a site are one."""
    if "site" not in said:
        return str(said.get("policy", usual))
    for name in ("policy", "switching", "installed"):
        if name in said:
            raise ValueError(f"{name}: {said[name]!r} given, but the rules of {said['site']} are the policy")
    return _SITE


def _jobs(workload: str, jobs: Any) -> int | None:
    if jobs is None:
        return JOBS if workload in WORKLOADS else None
    return check_int(jobs, "jobs")


def _options(workload: str, said: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the model or the reader is told, and refuse what it does not take."""
    of_models = sorted({name for kind in WORKLOADS.values() for name in kind.options})
    if workload in WORKLOADS:
        taken = tuple(WORKLOADS[workload].options)
        what = f"workload {workload} is a model"
    else:
        if "." not in Path(workload).name and not Path(workload).exists():
            check_choice(workload, WORKLOADS, "workload")
        of_file = () if ".csv" in Path(workload).name.lower() else _LOGS
        taken = ("load", *(("drop",) if is_sacct(Path(workload)) else of_file))
        what = f"workload {workload} is a file"
    for name in (*of_models, *_LOGS):
        if name in said and name not in taken:
            raise ValueError(
                f"{name}: {said[name]!r} given, but {what} and takes {' and '.join(taken) or 'none'}"
            )
    options = {name: said[name] for name in taken if name in said}
    if "drop" in options:
        words = _words(options["drop"])
        options["drop"] = [] if words == ["none"] else [check_choice(word, DROPS, "drop") for word in words]
    if "classes" in options:
        options["classes"] = _words(options["classes"])
    if "repeats" in options:
        options["repeats"] = [check_int(word, "repeats") for word in _words(options["repeats"], ":")]
        if len(options["repeats"]) != 2:
            raise ValueError(f"repeats: {said['repeats']!r} is not of the form LEAST:MOST")
    return options


def _installed(said: Mapping[str, Any], machine: Topology) -> int | None:
    return check_int(said["installed"], "installed", 1, machine.nodes) if "installed" in said else None


def _words(value: Any, separator: str = ",") -> list[str]:
    return [word.strip() for word in str(value).split(separator)]


def _partition(said: Mapping[str, Any], times: str) -> str:
    """Return the text form of the partitioner, its threshold included."""
    text = str(said.get("partition", SCHEDULE_SETTINGS["partition"].default))
    name, colon, option = text.partition(":")
    PARTITIONERS.split(text, "partition")
    if "max_outside" in said:
        if name not in ("quasi-contiguous", "nearly-contiguous"):
            raise ValueError(
                f"max_outside: {said['max_outside']} given, but partition {text} has no such threshold"
            )
        if colon:
            raise ValueError(
                f"max_outside: {said['max_outside']} given, but partition {text} says {option} already"
            )
        max_outside = said["max_outside"]
        text = f"{name}:{max_outside:g}" if isinstance(max_outside, int | float) else f"{name}:{max_outside}"
    if option.startswith("bps") and times.partition(":")[0] not in FILE_TIMES:
        raise ValueError(f"partition {text}: needs run times of a table, {times!r} has no shapes")
    return text


def _check_times(times: str, machine: Any, simulate: bool) -> bool:
    """Check run times, and return whether they are meant to fail at the estimate."""
    name, _, path = times.partition(":")
    if name not in FILE_TIMES:
        try:
            RUN_TIMES.split(times, "times")
        except ValueError:
            check_choice(name, [*RUN_TIMES.names(), *FILE_TIMES], "times")
            raise
        make_times(times, machine)
        return RUN_TIMES.find(times)[0].walled
    if not path:
        raise ValueError(f"times: {times!r} is incomplete, expected a form such as {FILE_TIMES[name][0]}")
    if not simulate and not Path(path).is_file():
        raise ValueError(f"times: {times!r} does not name a file; --simulate makes the store of a new name")
    return False


def _of_table(said: Mapping[str, Any], times: str, config: Config) -> dict[str, Any]:
    """Return what is said of run times from a table, and refuse it where there is none."""
    name, _, path = times.partition(":")
    for key in ("applications", *OF_TABLES):
        if said.get(key) and name not in FILE_TIMES:
            raise ValueError(f"{key}: {said[key]} given, but run times {times!r} are not from a table")
    if config != Config() and name not in FILE_TIMES:
        raise ValueError(
            f"{settings_of(config)}: given, but run times {times!r} do not depend on the network"
        )
    simulate = bool(said.get("simulate", False))
    if simulate and path.endswith((".csv", ".parquet")):
        raise ValueError(f"simulate: {path} is a table, expected a store, such as {Path(path).stem}.sqlite")
    for key in ("table_seeds",):
        if said.get(key, 1) != 1 and not simulate:
            raise ValueError(f"{key}: {said[key]} given without simulate, which makes run times")
    mappings = tuple(_words(said["mappings"])) if "mappings" in said else ()
    if not mappings and simulate:
        mappings = CANDIDATES
    for mapping in mappings:
        known_mapping(mapping)
    return {
        "simulate": simulate,
        "mappings": mappings,
        "table_seeds": said.get("table_seeds", 1),
        "separate_repeats": bool(said.get("separate_repeats", False)),
        "scattered_factor": said.get("scattered_factor"),
    }


def _mapping(said: Mapping[str, Any], times: str) -> str:
    mapping = str(said.get("mapping", "consecutive"))
    if "mapping" in said and times.partition(":")[0] not in FILE_TIMES:
        raise ValueError(f"mapping: {mapping!r} given, but run times {times!r} do not depend on it")
    return known_mapping(mapping)


def known_mapping(mapping: str) -> str:
    """Return the text form of a mapping as it is."""
    if mapping != BEST_KNOWN:
        if ":" not in mapping:
            check_choice(mapping, [*MAPPINGS.names(), BEST_KNOWN], "mapping")
        find_rule(mapping, MAPPINGS)
    return mapping


def _power(said: Mapping[str, Any], nodes: int) -> tuple[str, str]:
    """Return the file of the power model, and the rule for switching."""
    if "power" not in said:
        if "switching" in said:
            raise ValueError(
                f"switching: {said['switching']!r} given without power, which sets the energy of switching"
            )
        return "", ""
    rules = read_power(said["power"], said.get("switching"))
    read_switching(rules.switching, rules.model)
    rules.check(nodes)
    return str(said["power"]), rules.switching


def check_unchanged(plan: Plan) -> None:
    """Check that wiring and rules are those that the plan was made with."""
    for name, digest in plan.digests:
        if name not in _FILES and current_digest(name, digest) != digest:
            raise ValueError(f"{name}: has changed since the schedule was specified")


def _check_programs(plan: Plan) -> None:
    """Check that jobs with programs, and no others, have run times of a table."""
    tabled = plan.times.partition(":")[0] in FILE_TIMES
    if plan.workload == "applications" and not tabled:
        raise ValueError(
            f"times: {plan.times!r} given, but jobs of workload applications have no run times of their "
            f"own, expected " + " or ".join(example for example, _ in FILE_TIMES.values())
        )
    if plan.workload == "lublin" and tabled:
        raise ValueError(f"times: {plan.times!r} given, but jobs of workload lublin run no program")


# Rules that may be of one's own, by the key under which they are asked for.
_OWN: dict[str, Registry[Any]] = {
    "policy": POLICIES,
    "partition": PARTITIONERS,
    "times": RUN_TIMES,
    "mapping": MAPPINGS,
}
_READ_BY_PARTITIONERS = ("curve", "pss")  # among their options, apart by commas, may be the name of a file


def _digests(said: Mapping[str, Any], workload: str, times: str, power: str) -> tuple[Digest, ...]:
    """Return the files of a schedule with their digests; `said` is by the names of its settings."""
    digests = []
    if "site" in said:  # with the outages that it may name
        digests.append(("site", hashlib.sha256(repr(read_site(said["site"])).encode()).hexdigest()))
    if "applications" in said:
        digests.append(("applications", digest_of_mix(said["applications"])))
    if workload not in WORKLOADS:
        digests.append(("workload", file_digest(Path(workload))))
        digests += digests_of_programs(workload)
    name, _, path = times.partition(":")
    if name == "table" and not said.get("simulate"):
        digests.append(("times", file_digest(Path(path))))
    sources = set(_of_rules(said))
    if name == "simulated" and workload not in WORKLOADS:
        sources |= sources_of_programs()
    if power not in ("", DEFAULT_POWER):
        digests.append(("power", file_digest(Path(power))))
    return (*digests, *sorted(sources))


def _of_rules(said: Mapping[str, Any]) -> Iterator[Digest]:
    """Yield the files that machine and rules read, or in which they stand, with their digests."""
    yield from digests_of_wiring(str(said["machine"]))
    for key, choice in _OWN.items():
        text = str(said.get(key, ""))
        name, _, option = text.partition(":")
        if name in _READ_BY_PARTITIONERS and key == "partition":
            yield from among_options(option)
        elif text == BEST_KNOWN:
            yield from MAPPINGS.sources()
        elif text and name not in FILE_TIMES and (source := choice.source(text)) is not None:
            yield source
