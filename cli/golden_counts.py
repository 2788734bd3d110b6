"""Ten cycle counts of INSEE's own simulator, which an installation gives again to the cycle."""

from __future__ import annotations

import time
from dataclasses import dataclass

from netplace.apps.carried import carried
from netplace.apps.formats import read
from netplace.netsim import Config, simulate
from netplace.topologies import parse


@dataclass(frozen=True)
class GoldenCount:
    """A recorded run, and how long it takes."""

    # A trace that comes with netplace, and the network.
    trace: str
    network: str
    cycles: int  # what INSEE counts; its clock also counts the cycle in which it looks whether all is done
    config: Config  # settings of the network


@dataclass(frozen=True)
class Checked:
    """What an installation gives."""

    golden: GoldenCount  # what is expected
    cycles: int  # what came of it
    seconds: float  # CPU time that it took, reading included

    @property
    def right(self) -> bool:
        """Whether it is the same to the cycle."""
        return self.cycles == self.golden.cycles

    def to_dict(self) -> dict[str, object]:
        """Return it as data for JSON."""
        return {
            "trace": self.golden.trace,
            "network": self.golden.network,
            "cycles": self.cycles,
            "expected": self.golden.cycles,
            "right": self.right,
            "cpu_seconds": self.seconds,
        }


_USUAL, _STATIC = Config(), Config(vcs=1, tree_routing="static")
GOLDEN_COUNTS = (
    GoldenCount("BT.W.16", "torus:5x5", 1_426_604, _USUAL),
    GoldenCount("BT.W.16", "tree:4,2", 937_435, _STATIC),
    GoldenCount("LU.W.16", "mesh:4x4", 747_231, _USUAL),
    GoldenCount("LU.W.16", "torus:5x5", 752_078, _USUAL),
    GoldenCount("SP.W.16", "mesh:4x4", 1_952_464, _USUAL),
    GoldenCount("MG.W.16", "torus:5x5", 647_163, _USUAL),
    GoldenCount("MG.W.16", "tree:4,2", 456_207, _STATIC),
    GoldenCount("FT.W.16", "torus:5x5", 1_498_779, _USUAL),
    GoldenCount("IS.W.16", "mesh:4x4", 1_336_467, _USUAL),
    GoldenCount("IS.W.16", "tree:4,2", 797_025, _STATIC),
)


def check_count(golden: GoldenCount) -> Checked:
    """Simulate a golden run."""
    began = time.process_time()
    path = carried(golden.trace)
    if path is None:
        raise ValueError(f"{golden.trace}: is not there, expected a trace that comes with netplace")
    result = simulate(parse(golden.network), read(path), config=golden.config)
    return Checked(golden, result.cycles, time.process_time() - began)
