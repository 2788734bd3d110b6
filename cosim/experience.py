"""Slowdowns of jobs in mixes that are not simulated, predicted from simulated ones, with intervals.

Loads predict how much jobs delay each other (`netplace.cosim.neighbours`), and the prediction is too high.
The simulated mixes show by how much: by the ratio of the simulated to the predicted slowdown of a job. For a
job that is drawn in the same way, the ratio is as close to their median as 19 of 20 known ratios are (split
conformal prediction, Lei et al., Journal of the American Statistical Association 113, 2018, algorithm 2, with
the prediction as the local scale). Therefore only randomly drawn jobs count.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

_LEAST = 40  # ratios before any slowdown is foretold from them
_AUDITED = 0.05  # share of jobs that are simulated all the same, for experience to stay true
_LEVEL = 0.95


@dataclass
class Experience:
    """Slowdowns of jobs in mixes that were simulated; jobs drawn by `seed` are always simulated."""

    target_half_width: float
    seed: int = 0
    _ratios: list[float] = field(default_factory=list, repr=False)
    _deviations: list[float] = field(default_factory=list, repr=False)  # the same, of what a live run meets
    _most: float = 0.0  # that was foretold of a job that was simulated
    _scale: tuple[float, float] = (0.0, math.inf)
    _deviation: float = 0.0

    def __post_init__(self) -> None:
        self._rng = np.random.default_rng([self.seed, 31])

    def drawn(self) -> bool:
        return len(self._ratios) < _LEAST or bool(self._rng.random() < _AUDITED)

    def note(self, foretold: float, factor: float, deviation: float = 0.0) -> None:
        """Record the predicted delay of a drawn job as a share, its factor, and the deviation of that."""
        self._ratios.append((factor - 1) / foretold)
        self._deviations.append(deviation / foretold)
        self._most = max(self._most, foretold)
        self._deviation = float(np.sqrt(np.mean(np.square(self._deviations))))
        ratios = np.array(self._ratios)
        middle = float(np.median(ratios))
        rank = math.ceil((len(ratios) + 1) * _LEVEL)
        width = math.inf if rank > len(ratios) else float(np.sort(np.abs(ratios - middle))[rank - 1])
        self._scale = middle, width

    def factor(self, foretold: float) -> tuple[float, float] | None:
        """Return the factor that slows a job and its relative half-width; None: simulate it."""
        if len(self._ratios) < _LEAST or foretold > self._most:
            return None
        middle, width = self._scale
        factor = 1 + middle * foretold
        half = width * foretold / factor
        return (factor, half) if half <= self.target_half_width else None

    def deviation(self, foretold: float) -> float:
        """Return the standard deviation of a job's factor, from one live run to the next, as a share."""
        return self._deviation * foretold
