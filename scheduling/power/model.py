"""The power of a node in each state, and the cost of switching it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields

from netplace.inputs import check_int


@dataclass(frozen=True)
class PowerModel:
    """Power of a node in each state, in watts, and durations of switching, in seconds.

    A node is off, booting, idle (on without a job), busy or stopping; a boot or stop cannot be reversed. The
    network is not included, because switches always draw power. The defaults are those of the Taurus nodes of
    Grid'5000 in the example platforms of Batsim (oar-team/batsim, energy_platform_homogeneous_no_net_1.xml).
    At least `keep` nodes are on, not counting nodes that are booting or stopping.
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
    def warnings(self) -> tuple[str, ...]:
        """Values that are possible but unlikely, described in one sentence each."""
        if self.boot_watts < self.off:
            return (
                f"power: boot_watts {self.boot_watts:g} is less than off {self.off:g}, so a boot would save "
                f"energy",
            )
        return ()

    @property
    def boot_joules(self) -> float:
        """Energy of a boot, in joules."""
        return self.boot_watts * self.boot_seconds

    @property
    def stop_joules(self) -> float:
        """Energy of a stop, in joules."""
        return self.stop_watts * self.stop_seconds

    @property
    def switching_seconds(self) -> float:
        """Total duration of a stop and a boot, in seconds."""
        return self.boot_seconds + self.stop_seconds

    @property
    def break_even(self) -> float:
        """Seconds of idling that take as much energy as a stop, a boot and being off in between.

        In shorter gaps, a node is better left idle. The value is infinite if being off saves nothing. A node
        that is stopped after this time without work takes at most twice as much energy as with the best
        switching in hindsight (the ski rental problem).
        """
        if self.idle == self.off:
            return math.inf
        more = self.boot_joules + self.stop_joules - self.off * self.switching_seconds
        return max(more / (self.idle - self.off), self.switching_seconds)

    def watts(self, state: str) -> float:
        """Return the power that a node draws in one of `netplace.scheduling.energy.STATES`."""
        switching = {"booting": self.boot_watts, "stopping": self.stop_watts}.get(state)
        return float(getattr(self, state)) if switching is None else switching


@dataclass(frozen=True)
class PowerRules:
    """How nodes are switched on and off while jobs start and end.

    Attributes
    ----------
    switching : str
        Text form of a rule; see `netplace.scheduling.power.SWITCHINGS`.
    boot_rate, stop_rate : int
        Largest number of nodes that are booted, and stopped, per minute; 0 means no limit. Slurm calls these
        settings ResumeRate and SuspendRate; its defaults are 300 and 60.
    awake : bool
        Whether jobs get nodes that are on before nodes that are off.
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
        """Check that the rules suit a machine with the given number of nodes."""
        if self.model.keep > nodes:
            raise ValueError(f"power: keep is {self.model.keep} nodes, but the machine has {nodes}")
