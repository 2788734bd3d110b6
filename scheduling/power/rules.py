"""A power model, and the rule by which nodes are switched."""

from __future__ import annotations

from dataclasses import dataclass, field

from netplace.checks import check_int
from netplace.scheduling.power.model import PowerModel

__all__ = ["PowerRules"]


@dataclass(frozen=True)
class PowerRules:
    """How nodes are switched while jobs come and go.

    Attributes
    ----------
    model : PowerModel
        What a node draws.
    switching : str
        Text form of a rule, see `netplace.scheduling.power.SWITCHINGS`.
    boot_rate, stop_rate : int
        Most nodes that are booted, and stopped, in a minute; 0: any number. SLURM calls them ResumeRate and
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
        """Check that they are for a machine of so many nodes."""
        if self.model.keep > nodes:
            raise ValueError(f"power: keep is {self.model.keep} nodes, the machine has {nodes}")
