"""One checked request for a schedule, with the content hash under which it is stored."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from netplace.inputs import check_choice, check_float, check_int
from netplace.netsim.config import SETTINGS, Config
from netplace.netsim.effects import settings_on
from netplace.placement.mapping import MAPPINGS
from netplace.placement.rule import find_rule
from netplace.plan_settings import JOBS, OF_TABLES, OF_WORKLOADS, SCHEDULE_SETTINGS, ScheduleSettings
from netplace.plugins import current_digest, file_digest
from netplace.registry import Registry
from netplace.runs.digests import Digest, among_options, digests_of_wiring, sources_of_programs
from netplace.runs.file_times import BEST_KNOWN, FILE_TIMES
from netplace.runs.job_list import digests_of_programs
from netplace.runs.mix import digest_of_mix
from netplace.runs.networks import network_of
from netplace.runs.power_file import DEFAULT_POWER, read_power
from netplace.runs.revisions import key_of, revisions_of
from netplace.runs.site_file import read_site
from netplace.runs.tables import settings_of
from netplace.scheduling import OVERRUNS
from netplace.scheduling.partitioner import PARTITIONERS
from netplace.scheduling.policy import POLICIES, find_policy
from netplace.scheduling.power import read_switching
from netplace.scheduling.times import RUN_TIMES, LogTimes, estimate_rule, make_times
from netplace.scheduling.workload import DROPS, WORKLOADS
from netplace.settings import check_given, read_back
from netplace.topologies.compute_nodes import network_of_hosts, slots_a_host

# To be raised when a plan would no longer give the schedule that it gave.
REVISION = 2
_SITE = "site"  # the policy of plans with the rules of a site
_FILES = ("workload", "times", "power", "site", "applications")  # keys whose files count by what is in them
# Mappings that are simulated where the best known one is asked for.
CANDIDATES = ("consecutive", "random", "classic", "td")
_LOGS = ("cores_per_node", "drop")  # for logs


class Plan(ScheduleSettings, frozen=True, kw_only=True):
    """The request for a schedule; plans with the same `key` give the same schedule. `make_plan` checks it.

    If `site` is not empty, its rules are the policy. If `power` is empty, no energy is computed.
    """

    config: Config = Config()  # settings of the network, for run times from a table
    seed: int = 0
    digests: tuple[tuple[str, str], ...] = ()  # input files, each with its SHA-256
    # Numbers of the omitted jobs of the workload; see `netplace.runs.same_jobs`.
    without: tuple[int, ...] = ()
    # Numbers of the jobs that run but do not count in the figures of single jobs.
    uncounted: tuple[int, ...] = ()

    @property
    def from_file(self) -> bool:
        return self.workload not in WORKLOADS

    @property
    def options(self) -> dict[str, Any]:
        """The given options of the model, or of the reader of the file, as a user says them, in order."""
        given = {name: getattr(self, name) for name in sorted(OF_WORKLOADS)}
        return {name: value for name, value in given.items() if value is not None}

    @property
    def candidates(self) -> tuple[str, ...]:
        """The mappings among which the best known one is chosen."""
        return tuple(_words(self.mappings)) if self.mappings else ()

    @cached_property
    def key(self) -> str:
        plain = self.to_dict()
        # What is in a file counts, wherever it lies; a store grows as it is used.
        digests = dict(self.digests)
        for name in _FILES:
            if name in digests:
                plain[name] = digests[name]
        mappings: tuple[str, ...] = ()
        if self.simulate:
            plain["times"] = "simulated"
            mappings = self.candidates if self.mapping == BEST_KNOWN else (self.mapping,)
        plain["config"] = self.config.described()
        machine = "nodes" if "nodes:" in self.machine else ""
        plain["revisions"] = revisions_of(mappings, partitioner=self.partition, machine=machine)
        plain["digests"] = [pair for pair in self.digests if pair[0] not in _FILES]
        return key_of(REVISION, plain)

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Plan:
        return read_back(cls, plain, "plan")

    def seeded(self, seed: int) -> Plan:
        return replace(self, seed=seed)


def make_plan(given: Mapping[str, Any], seed: int = 0) -> Plan:
    """Return the checked plan of a user's request by `SCHEDULE_SETTINGS`; None counts as not given."""
    values = check_given(given, SCHEDULE_SETTINGS, SETTINGS)
    machine = network_of(values["machine"])
    config = Config(**{name: values.pop(name) for name in SETTINGS if name in values})
    workload = values["workload"]
    planned = values.get("switching", "").partition(":")[0] == "plan"
    policy = _policy(values, "easy" if planned else SCHEDULE_SETTINGS["policy"].default)
    requeues = policy != _SITE and find_policy(policy).requeues
    times = values.get("times", SCHEDULE_SETTINGS["times"].default)
    limited_by_estimate = _check_times(times, network_of_hosts(machine), values.get("simulate", False))
    values.setdefault("overrun", "kill" if limited_by_estimate else SCHEDULE_SETTINGS["overrun"].default)
    check_choice(values["overrun"], OVERRUNS, "overrun")
    if values["overrun"] == "requeue" and not requeues:
        raise ValueError(
            f"overrun 'requeue': only backfilled jobs are requeued, and policy {policy} does not backfill"
        )
    estimate_rule(values.get("estimates", SCHEDULE_SETTINGS["estimates"].default), LogTimes())
    _check_options(workload, values)
    hosts = network_of_hosts(machine)
    power, switching = _power(values, hosts.nodes)
    if "site" in values and switching not in ("", "always-on"):
        raise ValueError(f"site: {values['site']!r} given, but {power} switches nodes by {switching}")
    _check_partition(values, times)
    if "mapping" in values and times.partition(":")[0] not in FILE_TIMES:
        raise ValueError(f"mapping: {values['mapping']!r} given, but run times {times!r} do not depend on it")
    known_mapping(values.get("mapping", SCHEDULE_SETTINGS["mapping"].default))
    if workload in WORKLOADS:
        values.setdefault("jobs", JOBS)
    if "installed" in values:
        check_int(values["installed"], "installed", 1, hosts.nodes)
    resolved = {"machine": machine.text, "policy": policy, "power": power, "switching": switching}
    plan = Plan(
        **values | resolved | {"mappings": _mappings(values, times, config)},
        config=settings_on(machine, config) if times.partition(":")[0] in FILE_TIMES else config,
        seed=check_int(seed, "seed", 0),
        digests=_digests(values, workload, times, power, slots_a_host(machine)),
    )
    _check_programs(plan)
    return plan


def _policy(values: Mapping[str, Any], default: str) -> str:
    """Return the policy; the rules of a site are one."""
    if "site" not in values:
        return str(values.get("policy", default))
    for name in ("policy", "switching", "installed"):
        if name in values:
            raise ValueError(
                f"{name}: {values[name]!r} given, but the rules of {values['site']} are the policy"
            )
    return _SITE


def _check_options(workload: str, values: Mapping[str, Any]) -> None:
    """Check what the model or the reader is told, and refuse what it does not take."""
    if workload in WORKLOADS:
        taken = tuple(WORKLOADS[workload].options)
        label = f"workload {workload} is a model"
    else:
        if "." not in Path(workload).name and not Path(workload).exists():
            check_choice(workload, WORKLOADS, "workload")
        taken = ("load", *_LOGS)  # what a format does not take, its reader refuses
        label = f"workload {workload} is a file"
    for name in OF_WORKLOADS:
        if name in values and name not in taken:
            raise ValueError(
                f"{name}: {values[name]!r} given, but {label} and takes {' and '.join(taken) or 'none'}"
            )
    read_options(values)


def read_options(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return options of a workload as its model or reader takes them: lists of words are lists."""
    options = {name: values[name] for name in OF_WORKLOADS if name in values}
    if "drop" in options:
        words = _words(options["drop"])
        options["drop"] = [] if words == ["none"] else [check_choice(word, DROPS, "drop") for word in words]
    for name in {"classes", "intensity"} & options.keys():
        options[name] = _words(options[name])
    for name, check in {"repeats": check_int, "hours": check_float}.items():
        if name in options:
            options[name] = tuple(check(word, name) for word in _words(options[name], ":"))
            if len(options[name]) != 2:
                raise ValueError(f"{name}: {values[name]!r} is not of the form LEAST:MOST")
    return options


def _words(value: str, separator: str = ",") -> list[str]:
    return [word.strip() for word in value.split(separator)]


def _check_partition(values: Mapping[str, Any], times: str) -> None:
    text = values.get("partition", SCHEDULE_SETTINGS["partition"].default)
    PARTITIONERS.split(text, "partition")
    if text.partition(":")[2].startswith("bps") and times.partition(":")[0] not in FILE_TIMES:
        raise ValueError(f"partition {text}: needs run times of a table, {times!r} has no shapes")


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
        return RUN_TIMES.find(times)[0].limited_by_estimate
    if not path:
        raise ValueError(f"times: {times!r} is incomplete, expected a form such as {FILE_TIMES[name][0]}")
    if not simulate and not Path(path).is_file():
        raise ValueError(f"times: {times!r} does not name a file; --simulate makes the store of a new name")
    return False


def _mappings(values: Mapping[str, Any], times: str, config: Config) -> str:
    """Return the candidates of best-known; what is said of a table is refused if there is none."""
    name, _, path = times.partition(":")
    for key in ("applications", *OF_TABLES):
        if values.get(key) and name not in FILE_TIMES:
            raise ValueError(f"{key}: {values[key]} given, but run times {times!r} are not from a table")
    if config != Config() and name not in FILE_TIMES:
        raise ValueError(
            f"{settings_of(config)}: given, but run times {times!r} do not depend on the network"
        )
    simulate = values.get("simulate", False)
    if simulate and path.endswith((".csv", ".parquet")):
        raise ValueError(f"simulate: {path} is a table, expected a store, such as {Path(path).stem}.sqlite")
    if values.get("table_seeds", 1) != 1 and not simulate:
        raise ValueError(
            f"table_seeds: {values['table_seeds']} given without simulate, which makes run times"
        )
    mappings = _words(values["mappings"]) if values.get("mappings") else CANDIDATES if simulate else ()
    for mapping in mappings:
        known_mapping(mapping)
    return ",".join(mappings)


def known_mapping(mapping: str) -> str:
    """Return the text form of a mapping as it is."""
    if mapping != BEST_KNOWN:
        if ":" not in mapping:
            check_choice(mapping, [*MAPPINGS.names(), BEST_KNOWN], "mapping")
        find_rule(mapping, MAPPINGS)
    return mapping


def _power(values: Mapping[str, Any], nodes: int) -> tuple[str, str]:
    """Return the file of the power model, and the rule for switching."""
    if "power" not in values:
        if "switching" in values:
            raise ValueError(
                f"switching: {values['switching']!r} given without power, which sets the energy of switching"
            )
        return "", ""
    rules = read_power(values["power"], values.get("switching"))
    read_switching(rules.switching, rules.model)
    rules.check(nodes)
    return str(values["power"]), rules.switching


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
_READ_BY_PARTITIONERS = ("curve", "nodes", "pss")  # whose options may name files


def _digests(
    values: Mapping[str, Any], workload: str, times: str, power: str, slots: int
) -> tuple[Digest, ...]:
    """Return the files of a schedule with their digests; `said` is by the names of its settings."""
    digests = []
    if "site" in values:  # with the outages that it may name
        digests.append(("site", hashlib.sha256(repr(read_site(values["site"])).encode()).hexdigest()))
    if "applications" in values:
        digests.append(("applications", digest_of_mix(values["applications"])))
    if workload not in WORKLOADS:
        digests.append(("workload", file_digest(Path(workload))))
        digests += digests_of_programs(workload, slots)
    name, _, path = times.partition(":")
    if name == "table" and not values.get("simulate"):
        digests.append(("times", file_digest(Path(path))))
    sources = set(_of_rules(values))
    if values.get("simulate") and workload not in WORKLOADS:
        sources |= sources_of_programs()
    if power not in ("", DEFAULT_POWER):
        digests.append(("power", file_digest(Path(power))))
    return (*digests, *sorted(sources))


def _of_rules(values: Mapping[str, Any]) -> Iterator[Digest]:
    """Yield the files that machine and rules read, or in which they stand, with their digests."""
    yield from digests_of_wiring(str(values["machine"]))
    for key, choice in _OWN.items():
        text = str(values.get(key, ""))
        name, _, option = text.partition(":")
        if name in _READ_BY_PARTITIONERS and key == "partition":
            yield from among_options(option)
        elif text == BEST_KNOWN:
            yield from MAPPINGS.sources()
        elif text and name not in FILE_TIMES and (source := choice.source(text)) is not None:
            yield source
