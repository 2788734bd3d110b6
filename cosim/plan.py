"""One checked request for a co-simulation, with the content hash under which it is stored."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from netplace.apps.collectives import selection
from netplace.inputs import check_choice, check_int
from netplace.netsim import Config
from netplace.netsim.config import SETTINGS as CONFIG
from netplace.netsim.effects import settings_on
from netplace.placement.mapping import MAPPINGS
from netplace.plan_settings import COSIM_JOBS, COSIM_SETTINGS, CosimSettings
from netplace.plugins import file_digest
from netplace.runs.digests import digest_of_rule, source_of_routing, sources_of_programs
from netplace.runs.file_times import BEST_KNOWN
from netplace.runs.mix import digest_of_mix, read_mix
from netplace.runs.networks import network_of
from netplace.runs.placement_file import is_placement_file, read_placement_file
from netplace.runs.plan import Plan, known_mapping, make_plan
from netplace.runs.revisions import key_of, revisions_of
from netplace.runs.study_file import read_plans
from netplace.runs.toml_lines import read_toml
from netplace.settings import check_given, read_back, settings_of

# To be raised when a plan would no longer give what it gave.
REVISION = 5
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
# Run times of the schedule's plan: those of jobs alone.
_ALONE = {"times": "table:alone", "simulate": True}
KEYS = (*COSIM_SETTINGS, *CONFIG)


class CosimPlan(CosimSettings, frozen=True, kw_only=True):
    """A description of a co-simulation; plans with the same `key` give the same results.

    `make_cosim_plan` checks it.

    Attributes
    ----------
    jobs : Plan
        The machine, workload, policy, partitioner, mapping and seed, as for a schedule.
    applications : str
        File that gives the jobs of a log their applications; see `netplace.runs.mix`. If it is empty, the
        workload itself names the applications.
    mix_digest, table_digest : str
        SHA-256 of the `applications` file, and of the `collectives` file.
    collectives : str
        Collective algorithms for applications that do not choose any themselves, as in
        `netplace.apps.collectives.selection`.
    draws : int or str
        Number of further live runs, with starts moved by less than an iteration, from which times and their
        intervals are computed: at least 3, or ``"auto"`` (enough that the mean half-width of the slowdowns
        reaches `target_half_width`). 1 means that there are none.
    max_packets : float
        Largest number of packets to simulate; not part of the `key`.
    """

    jobs: Plan
    config: Config = Config()
    mix_digest: str = ""
    table_digest: str = ""

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

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> CosimPlan:
        """Return the plan that a dict from `to_dict` describes; missing values have their defaults."""
        return read_back(cls, plain, "plan")

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
        If names or values are not valid, a line each, or two contradict each other.
    """
    values = check_given(given, COSIM_SETTINGS, CONFIG)
    config = Config(**{name: values.pop(name) for name in CONFIG if name in values})
    if "bytes_per_phit" in values:
        config = config.scaled(values.pop("bytes_per_phit"))
    own = {name: values.pop(name) for name in settings_of(CosimSettings) if name in values}
    fidelity = check_choice(own.get("fidelity", "live"), FIDELITIES, "fidelity")
    if own.get("explain") and fidelity != "live":
        raise ValueError(
            f"explain: needs fidelity live, the only one in which jobs wait for each other, not {fidelity}"
        )
    if own.get("draws", 1) != "auto":
        own["draws"] = check_int(own.get("draws", 1), "draws", 1)
    mix, collectives = own.get("applications", ""), own.get("collectives", "builtin")
    if mix:
        read_mix(mix)
    if collectives != "builtin":
        selection(collectives, "collectives")
    if config.faults and fidelity != "live":
        raise ValueError(f"faults: {config.faults!r} need fidelity live, not {fidelity}")
    if values.get("mapping") == BEST_KNOWN:
        raise ValueError(f"mapping: {BEST_KNOWN!r} applies only to fidelity table, expected one mapping")
    if values["workload"] == "applications":
        values = {"jobs": COSIM_JOBS, "repeats": COSIM_SETTINGS["repeats"].default} | values
    if values["workload"] == "applications" and mix:
        raise ValueError(
            f"applications: {mix!r} given, but the workload applications already defines what its jobs run"
        )
    mapping = known_mapping(values.pop("mapping", COSIM_SETTINGS["mapping"].default))
    jobs = make_plan(values | ({} if mix else _ALONE), seed)
    config = settings_on(network_of(jobs.machine), config)
    sources = {digest_of_rule(mapping, MAPPINGS), source_of_routing(config.routing)}
    if mix or jobs.from_file or collectives != "builtin":
        sources |= sources_of_programs()
    digests = (*jobs.digests, *sorted({source for source in sources if source} - {*jobs.digests}))
    table = Path(collectives.partition("+")[0])
    plan = CosimPlan(
        **own,
        jobs=replace(jobs, mapping=mapping, digests=digests),
        config=config,
        mix_digest=digest_of_mix(mix) if mix else "",
        table_digest=file_digest(table) if table.suffix == ".toml" else "",
    )
    if plan.draws != 1:
        _check_draws(plan)
    return plan


def _check_draws(plan: CosimPlan) -> None:
    """Check that several live draws can be made, and that they differ."""
    draws, jobs = plan.draws, plan.jobs
    if isinstance(draws, int) and draws < _LEAST_DRAWS:
        raise ValueError(f"draws: {draws} are too few for an interval, expected 1 or at least {_LEAST_DRAWS}")
    if plan.fidelity != "live":
        raise ValueError(
            f"draws: {draws} given, but only fidelity live has several draws, not {plan.fidelity}"
        )
    if plan.explain:
        raise ValueError(f"draws: {draws} given, but explain charges the waiting of one live run")
    if plan.config.faults:
        raise ValueError(f"draws: {draws} given, but jobs that fail because of faults cannot be run again")
    if jobs.overrun != "keep" or jobs.site:
        raise ValueError(f"draws: {draws} given, but jobs that are stopped early cannot be run again")


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


def read_cosim_study(path: str | Path) -> tuple[list[CosimPlan], list[str]]:
    """Return the co-simulations of a study file or of the jobs of a placement study, and notes on them."""
    if is_placement_file(path):
        return _of_placement(path)
    _, values = read_toml(Path(path), flags=True)
    if "fidelity" in values:
        return read_plans(path, KEYS, make_cosim_plan, "co-simulations"), []
    return [*_under("table", path), *_under("live", path)], []


def _of_placement(path: str | Path) -> tuple[list[CosimPlan], list[str]]:
    """Return the jobs and rules of a placement study by table and live, and what was left out.

    Jobs of a log run for hours: steady intervals of them are skipped.
    """
    study = read_placement_file(path)
    notes, plans = list(study.notes), dict[str, CosimPlan]()
    default = vars(Config())
    for plan in study.plans:
        if plan.hours:
            raise ValueError(
                f"{path}: hours: {plan.hours!r} given, but live jobs run programs a number of times"
            )
        if plan.mapping == BEST_KNOWN:
            notes.append(f"mapping {BEST_KNOWN} is left out: it is a choice among times of jobs alone")
            continue
        values = {name: getattr(plan, name) for name in COSIM_SETTINGS if hasattr(plan, name)}
        values = {name: value for name, value in values.items() if value != ""}
        values |= {name: value for name, value in vars(plan.config).items() if value != default[name]}
        try:
            for fidelity in ("table", "sampled" if plan.applications else "live"):
                made = make_cosim_plan(values | {"fidelity": fidelity}, plan.seed)
                plans[made.key] = made
        except ValueError as error:
            notes.append(f"left out of the co-simulations: {error}")
    if not plans:
        raise ValueError(f"{path}: no co-simulation is possible: {'; '.join(dict.fromkeys(notes))}")
    return list(plans.values()), list(dict.fromkeys(notes))


def _under(time: str, path: str | Path) -> list[CosimPlan]:
    def make(values: dict[str, Any]) -> CosimPlan:
        kept_values = {name: value for name, value in values.items() if time == "live" or name != "explain"}
        return make_cosim_plan(kept_values | {"fidelity": time})

    return read_plans(path, KEYS, make, "co-simulations")
