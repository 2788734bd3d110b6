"""One checked request for a co-simulation, with the content hash under which it is stored."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from netplace.apps.collectives import selection
from netplace.checks import abbreviate, check_choice, check_int
from netplace.checks.plan_settings import COSIM_JOBS, COSIM_SETTINGS
from netplace.checks.records import check_fields, check_keys
from netplace.checks.schema import Kind
from netplace.checks.settings import said_of
from netplace.cosim.outcome import OUTCOME
from netplace.extensions import file_digest
from netplace.netsim import Config
from netplace.netsim.config import SETTINGS as CONFIG
from netplace.placement.mapping import MAPPINGS
from netplace.runs.chance import network_draws
from netplace.runs.digests import digest_of_rule, source_of_routing, sources_of_programs
from netplace.runs.file_times import BEST_KNOWN
from netplace.runs.mix import digest_of_mix, read_mix
from netplace.runs.placement_file import is_placement_file, read_placement_file
from netplace.runs.plan import Plan, known_mapping, make_plan
from netplace.runs.revisions import key_of, revisions_of
from netplace.runs.study_file import read_plans
from netplace.runs.toml_lines import read_toml
from netplace.topologies import parse

# To be raised when a plan would no longer give what it gave.
REVISION = 4
_LOGGED = 3  # the same, for jobs of logs
_SAMPLED = 10  # the same, where not all is simulated

# Where run times come from, by the flag --fidelity.
FIDELITIES = {
    "table": "simulates each job alone on an idle network and looks run times up by nodes: jobs do not "
    "disturb each other",
    "sampled": "simulates the packets of all jobs on one network and skips steady intervals",
    "live": "simulates every packet of every job on one network",
}

_LEAST_DRAWS = 3
MOST_PACKETS = 1e11  # that are simulated unasked: days
# Run times of the schedule's plan: those of jobs alone.
_ALONE = {"times": "table:alone", "simulate": True}
KEYS = (*COSIM_SETTINGS, *CONFIG)


@dataclass(frozen=True)
class CosimPlan:
    """A description of a co-simulation; plans with the same `key` give the same results.

    Attributes
    ----------
    jobs : Plan
        The machine, workload, policy, partitioner, mapping and seed, as for a schedule.
    fidelity : str
        Key of `FIDELITIES`.
    estimate_factor : float
        Ratio of a user's estimate to the job's run time when it runs alone.
    applications : str
        File that gives the jobs of a log their applications; see `netplace.runs.mix`. If it is empty, the
        workload itself names the applications.
    target_half_width : float
        Target relative half-width of the times of jobs alone, and of sampled times.
    mix_digest, table_digest : str
        SHA-256 of the `applications` file, and of the `collectives` file.
    explain : bool
        Whether to attribute waiting cycles on the live network to jobs.
    collectives : str
        Collective algorithms for applications that do not choose any themselves, as in
        `netplace.apps.collectives.selection`; empty means the built-in choice.
    draws : int or str
        Number of live runs, all with the same starts, from which times and their intervals are computed: 1,
        at least 3, or ``"auto"`` (enough that the mean half-width of the slowdowns reaches
        `target_half_width`).
    max_packets : float
        Largest number of packets to simulate; not part of the `key`.
    """

    jobs: Plan
    fidelity: str = COSIM_SETTINGS["fidelity"].default
    estimate_factor: float = COSIM_SETTINGS["estimate_factor"].default
    applications: str = ""
    target_half_width: float = COSIM_SETTINGS["target_half_width"].default
    config: Config = field(default_factory=Config)
    mix_digest: str = ""
    explain: bool = False
    collectives: str = ""
    table_digest: str = ""
    max_packets: float = MOST_PACKETS
    draws: int | str = 1

    def __post_init__(self) -> None:
        check_fields(self)

    @cached_property
    def key(self) -> str:
        """Content hash: SHA-256 of the canonical form, in hexadecimal."""
        plain = self.to_dict() | {"jobs": self.jobs.key, "applications": self.mix_digest}
        plain["config"] = self.config.described()
        del plain["max_packets"]
        if self.fidelity == "sampled":
            plain["sampled"] = _SAMPLED
        if self.applications:
            plain["logged"] = _LOGGED
        plain["revisions"] = revisions_of(config=self.config)
        return key_of(REVISION, plain)

    def to_dict(self) -> dict[str, Any]:
        """Return the values in JSON-compatible form."""
        return {
            "jobs": self.jobs.to_dict(),
            "fidelity": self.fidelity,
            "estimate_factor": self.estimate_factor,
            "applications": self.applications,
            "mix_digest": self.mix_digest,
            "target_half_width": self.target_half_width,
            "config": asdict(self.config),
            "draws": self.draws,
            "explain": self.explain,
            "collectives": self.collectives,
            "table_digest": self.table_digest,
            "max_packets": self.max_packets,
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> CosimPlan:
        """Return the plan that a dict from `to_dict` describes; missing values have their defaults."""
        check_keys(cls, plain, "plan")
        config = plain.get("config", {})
        check_keys(Config, config, "plan: config")
        return cls(**{**plain, "jobs": Plan.from_dict(plain["jobs"]), "config": Config(**config)})

    def outcome_kind(self) -> Kind:
        """Return the required contents of the plan's outcome."""
        return OUTCOME

    def seeded(self, seed: int) -> CosimPlan:
        """Return the same plan with another seed."""
        return replace(self, jobs=self.jobs.seeded(seed))


def make_cosim_plan(given: Mapping[str, Any], seed: int = 0) -> CosimPlan:
    """Return the plan that a user requests.

    Parameters
    ----------
    given : mapping
        Values of settings, with keys from `KEYS`; those that are None are ignored. ``machine`` and
        ``workload`` are required.
    seed : int
        Seed of the workload, the partitioner, the mapping and the network.

    Raises
    ------
    ValueError
        If a name or value is not valid, or two contradict each other.
    """
    said = said_of(given, KEYS)
    fidelity = check_choice(str(said.pop("fidelity", CosimPlan.fidelity)), FIDELITIES, "fidelity")
    estimate_factor = _positive(said, "estimate_factor", CosimPlan.estimate_factor, math.inf)
    target_half_width = _positive(said, "target_half_width", CosimPlan.target_half_width, 1.0)
    max_packets = _positive(said, "max_packets", MOST_PACKETS, math.inf)
    explain = bool(said.pop("explain", False))
    if explain and fidelity != "live":
        raise ValueError(
            f"explain: needs fidelity live, the only one in which jobs wait for each other, not {fidelity}"
        )
    draws = said.pop("draws", 1)
    draws = draws if draws == "auto" else check_int(draws, "draws", 1)
    mix = str(said.pop("applications", ""))
    if mix:
        read_mix(mix)
    config = Config(**{name: said.pop(name) for name in CONFIG if name in said})
    if "bytes_per_phit" in said:
        config = config.scaled(said.pop("bytes_per_phit"))
    collectives = str(said.pop("collectives", ""))
    if collectives:
        selection(collectives, "collectives")
    if config.faults and fidelity != "live":
        raise ValueError(f"faults: {config.faults!r} need fidelity live, not {fidelity}")
    if said.get("mapping") == BEST_KNOWN:
        raise ValueError(f"mapping: {BEST_KNOWN!r} applies only to fidelity table, expected one mapping")
    if not isinstance(workload := said.get("workload", ""), str):
        raise ValueError(f"workload: {abbreviate(workload)} is not text")
    if said.get("workload") == "applications":
        said = {"jobs": COSIM_JOBS, "repeats": COSIM_SETTINGS["repeats"].default} | said
    if said.get("workload") == "applications" and mix:
        raise ValueError(
            f"applications: {mix!r} given, but the workload applications already defines what its jobs run"
        )
    mapping = known_mapping(str(said.pop("mapping", COSIM_SETTINGS["mapping"].default)))
    plan = make_plan(said | ({} if mix else _ALONE), seed)
    sources = {digest_of_rule(mapping, MAPPINGS), source_of_routing(config.routing)}
    if mix or plan.from_file or collectives:
        sources |= sources_of_programs()
    digests = (*plan.digests, *sorted({source for source in sources if source} - {*plan.digests}))
    plan = replace(plan, mapping=mapping, digests=digests)
    if draws != 1:
        _check_draws(draws, plan, fidelity, explain, config)
    digest = digest_of_mix(mix) if mix else ""
    chosen = "" if collectives == "builtin" else collectives
    table = Path(chosen.partition("+")[0])
    table_digest = file_digest(table) if table.suffix == ".toml" else ""
    return CosimPlan(
        plan,
        fidelity,
        estimate_factor,
        mix,
        target_half_width,
        config,
        digest,
        explain,
        chosen,
        table_digest,
        max_packets,
        draws,
    )


def _check_draws(draws: int | str, plan: Plan, fidelity: str, explain: bool, config: Config) -> None:
    """Check that several live draws can be made, and that they differ."""
    if isinstance(draws, int) and draws < _LEAST_DRAWS:
        raise ValueError(f"draws: {draws} are too few for an interval, expected 1 or at least {_LEAST_DRAWS}")
    if fidelity != "live":
        raise ValueError(f"draws: {draws} given, but only fidelity live has several draws, not {fidelity}")
    if explain:
        raise ValueError(f"draws: {draws} given, but explain charges the waiting of one live run")
    if config.faults:
        raise ValueError(f"draws: {draws} given, but jobs that fail because of faults cannot be run again")
    if plan.overrun != "keep" or plan.site:
        raise ValueError(f"draws: {draws} given, but jobs that are stopped early cannot be run again")
    if not network_draws(parse(plan.machine), config):
        raise ValueError(f"draws: {draws} given, but this network makes no random choices")


def _positive(said: dict[str, Any], name: str, usual: float, most: float) -> float:
    value = said.pop(name, usual)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < most:
        limit = f" and under {most:g}" if most < math.inf else ""
        raise ValueError(f"{name}: {value!r} is invalid, expected a number greater than 0{limit}")
    return float(value)


# Studies of co-simulations: TOML files in which any key of a plan can be a list.
#
# ::
#
#     machine = "torus:16x16"
#     workload = "applications"
#     jobs = 200
#     mean_interarrival = [1e-5, 3e-5]
#     policy = ["fcfs", "easy"]
#     partition = ["contiguous", "non-contiguous", "random"]
#     seeds = 5
#
# Unless the file has ``fidelity``, every combination is executed with a table's times and with live ones.


def read_cosim_study(path: str | Path) -> list[CosimPlan]:
    """Return the co-simulations of a study file, or those of the jobs of a placement study."""
    if is_placement_file(path):
        return _of_placement(path)
    _, said = read_toml(Path(path), flags=True)
    if "fidelity" in said:
        return read_plans(path, KEYS, make_cosim_plan, "co-simulations")
    return [*_under("table", path), *_under("live", path)]


def _of_placement(path: str | Path) -> list[CosimPlan]:
    """Return the same jobs under the same rules as in a placement study, by table and live."""
    made: dict[str, CosimPlan] = {}
    for plan in read_placement_file(path).plans:
        if plan.mapping == BEST_KNOWN:  # a choice among times alone
            continue
        values = {
            name: value for name, value in asdict(plan.config).items() if value != getattr(Config(), name)
        }
        for name in ("machine", "workload", "policy", "partition", "mapping", "overrun", "estimates"):
            values[name] = getattr(plan, name)
        for fidelity in ("table", "live"):
            cosim = make_cosim_plan(values | {"fidelity": fidelity}, plan.seed)
            made[cosim.key] = cosim
    if not made:
        raise ValueError(f"{path}: mapping is {BEST_KNOWN!r} throughout, expected one mapping for live jobs")
    return list(made.values())


def _under(time: str, path: str | Path) -> list[CosimPlan]:
    def make(values: dict[str, Any]) -> CosimPlan:
        said = {name: value for name, value in values.items() if time == "live" or name != "explain"}
        return make_cosim_plan(said | {"fidelity": time})

    return read_plans(path, KEYS, make, "co-simulations")
