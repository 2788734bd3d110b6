"""The power of a node in each state, and the cost of switching it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields

from netplace.checks import check_int


@dataclass(frozen=True)
class PowerModel:
    """Power of a node by state, in watts, and duration of switching, in seconds.

    A node is off, boots, is idle (on without a job) or busy, stops; a boot or stop cannot be reversed. The
    network is not included: a switch always draws its power. The defaults are the Taurus nodes of Grid'5000,
    as in the example platforms of Batsim (oar-team/batsim, energy_platform_homogeneous_no_net_1.xml). At
    least `keep` nodes are on; one that boots or stops is not.
    """

    busy: float = 190.738
    idle: float = 95.0
    off: float = 9.75
    boot_watts: float = 125.1744
    boot_seconds: float = 151.52
    stop_watts: float = 100.9967
    stop_seconds: float = 6.1
    keep: int = 0

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            if not 0 <= value < math.inf:
                unit = "nodes" if item.name == "keep" else "s" if item.name.endswith("seconds") else "W"
                raise ValueError(
                    f"power: {item.name} is {value:g} {unit}, expected a finite number of at least 0"
                )
        if not self.off <= self.idle <= self.busy:
            raise ValueError(
                f"power: off {self.off:g} W, idle {self.idle:g} W, busy {self.busy:g} W, expected off <= "
                "idle <= busy"
            )

    @property
    def doubts(self) -> tuple[str, ...]:
        """Possible but unlikely values, one sentence each."""
        if self.boot_watts < self.off:
            return (
                f"power: boot_watts {self.boot_watts:g} is less than off {self.off:g}, so a boot would save "
                f"energy",
            )
        return ()

    @property
    def boot_joules(self) -> float:
        """Energy of a boot."""
        return self.boot_watts * self.boot_seconds

    @property
    def stop_joules(self) -> float:
        """Energy of a stop."""
        return self.stop_watts * self.stop_seconds

    @property
    def switching_seconds(self) -> float:
        """Seconds of a stop and a boot."""
        return self.boot_seconds + self.stop_seconds

    @property
    def break_even(self) -> float:
        """Seconds of idling that cost as much as a stop, a boot and being off in between.

        Shorter gaps are better spent idle; infinite if being off saves nothing. A node that is stopped after
        so long without work costs at most twice what hindsight does (ski rental).
        """
        if self.idle == self.off:
            return math.inf
        more = self.boot_joules + self.stop_joules - self.off * self.switching_seconds
        return max(more / (self.idle - self.off), self.switching_seconds)

    def watts(self, state: str) -> float:
        """Return what a node draws in one of `netplace.scheduling.energy.STATES`."""
        switching = {"booting": self.boot_watts, "stopping": self.stop_watts}.get(state)
        return float(getattr(self, state)) if switching is None else switching


@dataclass(frozen=True)
class PowerRules:
    """How nodes are switched while jobs come and go.

    Attributes
    ----------
    switching : str
        Text form of a rule, see `netplace.scheduling.power.SWITCHINGS`.
    boot_rate, stop_rate : int
        Most nodes that are booted, and stopped, per minute; 0: no limit. SLURM calls them ResumeRate and
        SuspendRate, by default 300 and 60.
    awake : bool
        Whether a job gets nodes that are on before others.
    """

    model: PowerModel = field(default_factory=PowerModel)
    switching: str = "always-on"
    boot_rate: int = 0
    stop_rate: int = 0
    awake: bool = True

    def __post_init__(self) -> None:
        for name in ("boot_rate", "stop_rate"):
            check_int(getattr(self, name), f"power: {name}", 0)

    def check(self, nodes: int) -> None:
        """Check that they are for a machine of the given number of nodes."""
        if self.model.keep > nodes:
            raise ValueError(f"power: keep is {self.model.keep} nodes, but the machine has {nodes}")
