"""Points of latency-throughput curves: description, measurement, and storage next to runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from dataclasses import replace as with_values
from functools import cached_property
from typing import Any

from msgspec.structs import replace

from netplace.inputs import check_choice, check_int, check_steps
from netplace.netsim import ENGINES, PATTERNS, Config, LoadPoint, measure_load, pattern
from netplace.netsim.config import SETTINGS as CONFIG
from netplace.netsim.effects import check_settings, notes_on, settings_on
from netplace.netsim.rate_table import own_load
from netplace.netsim.result import versions
from netplace.netsim.traffic import default_measure, file_of
from netplace.plain_data import PlainData
from netplace.plan_settings import LOAD_SETTINGS, LoadSettings
from netplace.quantities import quantity
from netplace.runs.digests import Digest, check_digest, digest_of_rule, digests_of_wiring, source_of_routing
from netplace.runs.meter import HOPS_PER_SECOND
from netplace.runs.networks import network_of
from netplace.runs.revisions import key_of, revisions_of
from netplace.runs.run_figures import DelayFigures
from netplace.settings import check_given
from netplace.topologies import Topology


@dataclass(frozen=True)
class LoadFigures(PlainData):
    """The measurements at a point of a load curve."""

    offered: float = quantity("Offered load.", "phits/node/cycle")
    accepted: float = quantity("Accepted load in the measurement.", "phits/node/cycle")
    delay: DelayFigures = quantity(
        "Delays of packets from creation, waiting at the source included, to consumption of the tail.",
        "cycles",
    )
    cycles: int = quantity("Cycles of the measurement.", "cycles")
    drained_cycles: int = quantity("Cycles with those of the warm-up.", "cycles")
    packets: int = quantity("Packets consumed in the measurement.")
    packet_hops: int = quantity("Links crossed in the measurement.")
    cpu_seconds: float = quantity("CPU time of the measurement.", "s")
    seed: int = quantity("Random seed.")
    events: int = quantity("State changes of the measurement.")
    mean_delay: float | None = quantity("Mean of `delay`; None if no packet was consumed.", "cycles")
    batches: list[float] = field(default_factory=list)  # accepted load in parts of the measurement
    versions: dict[str, str] = field(default_factory=dict)  # versions of the software
    notes: tuple[str, ...] | None = None  # settings that the network ignores

    @classmethod
    def of(cls, point: LoadPoint) -> LoadFigures:
        delay = DelayFigures.of(point.delay)
        return cls(
            **{**vars(point), "delay": delay, "batches": [*point.batches]},
            mean_delay=delay.mean,
            versions=versions(),
        )


REVISION = 2  # to be raised when a point would no longer be what it was
KEYS = (*LOAD_SETTINGS, *CONFIG)


class LoadPlan(LoadSettings, frozen=True, kw_only=True):
    """One point to measure; see `netplace.netsim.measure_load` for its values. `make_load_plan` checks it."""

    offered: float  # in phits per node and cycle
    config: Config = Config()
    seed: int = 0
    contents: tuple[Digest, ...] = ()  # files of the network and code of plug-ins, with their digests

    @cached_property
    def key(self) -> str:
        more = {"config": self.config.described(), "revisions": revisions_of(config=self.config)}
        return key_of(REVISION, self.to_dict() | more)

    def seeded(self, seed: int) -> LoadPlan:
        return replace(self, seed=seed)


def make_load_plan(given: Mapping[str, Any], seed: int = 0) -> LoadPlan:
    """Return the checked load point of a user's request by `KEYS`; None counts as not given."""
    values = check_given(given, LOAD_SETTINGS, CONFIG)
    topology = network_of(values["network"])
    config = settings_on(topology, Config(**{name: values.pop(name) for name in CONFIG if name in values}))
    plan = LoadPlan(
        **values | {"network": str(topology), "offered": _offered(values, topology, config), "config": config}
    )
    check_choice(plan.engine, ENGINES, "engine")
    check_settings(topology, config)
    for name in _OF_MESSAGES:
        if getattr(config, name) != CONFIG[name].default and not config.of_fabric(name):
            raise ValueError(
                f"{name}: {getattr(config, name)} has no effect on open-loop traffic, which has one class "
                "and no messages; use it with netplace run"
            )
    check_steps(topology.nodes * (plan.warmup + (plan.measure or 0)), "cycles of nodes", "warmup and measure")
    sources = digest_of_rule(plan.traffic, PATTERNS, "--traffic"), source_of_routing(config.routing)
    contents = {*digests_of_wiring(str(topology)), *(source for source in sources if source)}
    chance = plan.offered / config.packet_phits
    pattern(plan.traffic, topology, chance, hot_node=plan.hot_node, hot_share=plan.hot_share)
    return replace(plan, seed=check_int(seed, "seed", 0), contents=tuple(sorted(contents)))


def _offered(values: Mapping[str, Any], topology: Topology, config: Config) -> float:
    """Return the offered load, a number also if it is given as text; by default, that of a table of rates."""
    given: Any = values.get("offered")
    path = file_of(values.get("traffic", ""))
    if given is None and path:
        given = own_load(path, topology, config)
    try:
        offered = float(given)
    except (TypeError, ValueError):
        offered = float("nan")
    if not 0 < offered <= config.packet_phits:
        raise ValueError(
            f"offered: {given!r} is out of range, expected more than 0 and at most "
            f"{config.packet_phits} phits per node and cycle"
        )
    return offered


_OF_MESSAGES = (
    "eager_limit", "o_send", "o_recv", "o_byte", "o_rendezvous", "o_copy", "o_reduce", "o_memory",
    "cache_bytes", "traffic_classes", "nonblocking_sends", "outstanding_sends", "outstanding_bytes",
)  # fmt: skip


def measure_plan(plan: LoadPlan, threads: int | str = 1) -> LoadFigures:
    """Return what was measured at a point."""
    for name, digest in plan.contents:
        check_digest(name, digest)
    point = measure_load(
        network_of(plan.network),
        plan.offered,
        traffic=plan.traffic,
        config=plan.config,
        engine=plan.engine,
        seed=plan.seed,
        warmup=plan.warmup,
        measure=plan.measure,
        hot_node=plan.hot_node,
        hot_share=plan.hot_share,
        threads=threads,
    )
    notes = tuple(notes_on(network_of(plan.network), plan.config))
    return with_values(LoadFigures.of(point), notes=notes or None)


def cycles_of(plan: LoadPlan) -> int:
    """Return the cycles of the warm-up and the measurement."""
    return plan.warmup + (plan.measure or default_measure(network_of(plan.network).nodes))


def expected_cpu_seconds(plans: Iterable[LoadPlan]) -> float:
    """Return roughly what measuring takes: packets that go half the diameter."""
    seconds = 0.0
    for plan in plans:
        network = network_of(plan.network)
        packets = network.nodes * cycles_of(plan) * plan.offered / plan.config.packet_phits
        seconds += packets * (1 + network.diameter / 2) / HOPS_PER_SECOND
    return seconds


def outcome_of(plan: LoadPlan, threads: int | str = 1) -> dict[str, Any]:
    """Return what was measured at a point, as it is kept; for workers."""
    return measure_plan(plan, threads).to_dict()


def curves(plans: list[LoadPlan]) -> list[str]:
    """Return the name of each point's curve: what differs except load and seed, or the network."""
    described = []
    for plan in plans:
        plain = plan.to_dict() | plan.to_dict()["config"]
        described.append({name: plain[name] for name in KEYS if name != "offered"})
    differing = (
        [name for name in described[0] if len({repr(point[name]) for point in described}) > 1]
        if plans
        else []
    )
    words = ("network", "traffic", "engine", "vc_policy", "arbiter", "ejection", "tree_routing")
    return [
        ", ".join(str(point[name]) if name in words else f"{name}={point[name]}" for name in differing)
        or point["network"]
        for point in described
    ]
