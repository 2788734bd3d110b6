"""Fitting parameters of a fabric's end points, so that simulated times match measured ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.inputs import check_choice
from netplace.netsim import Config
from netplace.netsim.fabric_texts import read_latencies
from netplace.runs.execute import run_simulation
from netplace.runs.resolve import resolve
from netplace.runs.spec import Run
from netplace.scheduling.metrics.interval import quantile

__all__ = ["PARAMETERS", "Fitted", "Parameter", "Point", "fit", "loss", "seconds_of"]

Float = NDArray[np.float64]


@dataclass(frozen=True)
class Point:
    """A measured time, and the simulation to compare with it."""

    name: str  # in messages and tables
    network: str
    app: str  # with its options
    seconds: float  # the measured time
    bytes: int  # of its largest message
    tasks: int | None = None  # None: one a node
    mapping: str = "consecutive"
    partition: str = "whole"

    def run(self, config: Config) -> Run:
        """Return the run with these settings, as the command line makes it."""
        job: dict[str, Any] = {"app": self.app, "mapping": self.mapping}
        if self.tasks is not None:
            job["tasks"] = self.tasks
        return resolve(self.network, job, partition=self.partition, config=config)


@dataclass(frozen=True)
class Parameter:
    """A parameter that can be fitted."""

    says: str  # description with the unit
    get: Callable[[Config], float]
    put: Callable[[Config, float], Config]  # returns the settings with another value
    start: float  # where the search begins if the settings have less


def _with_link(config: Config, cycle_ns: float) -> Config:
    """Return the settings with another length of a cycle, in which switches take as many nanoseconds."""
    pipeline = round(config.pipeline * config.cycle_ns / cycle_ns)
    return replace(config, cycle_ns=cycle_ns, pipeline=pipeline)


def _with_latency(config: Config, ns: float) -> Config:
    """Return the settings with another latency between nodes and their switches."""
    cycles = read_latencies(config.cable_latency, config.cycle_ns)
    known = {kind: count * config.cycle_ns for kind, count in cycles.items()} | {"node": ns}
    return replace(config, cable_latency=",".join(f"{kind}={value:.10g}ns" for kind, value in known.items()))


def _of_setting(name: str, description: str, start: float) -> Parameter:
    """Return the parameter that is one setting."""

    def put(config: Config, value: float) -> Config:
        changed: dict[str, Any] = {name: value}
        return replace(config, **changed)

    return Parameter(f"{description} ({name})", attrgetter(name), put, start)


PARAMETERS = {
    "overhead": Parameter(
        "nanoseconds for a message, at each end (o_send and o_recv)",
        lambda config: config.o_send,
        lambda config, value: replace(config, o_send=value, o_recv=value),
        500.0,
    ),
    "send": _of_setting("o_send", "nanoseconds for a message that is sent", 500.0),
    "receive": _of_setting("o_recv", "nanoseconds for a message that is received", 500.0),
    "rendezvous": _of_setting("o_rendezvous", "nanoseconds more for a message by rendezvous", 500.0),
    "latency": Parameter(
        "nanoseconds between a node and its switch, which occupy neither (cable_latency)",
        lambda config: read_latencies(config.cable_latency, config.cycle_ns).get("node", 0) * config.cycle_ns,
        _with_latency,
        500.0,
    ),
    "per-byte": _of_setting("o_byte", "nanoseconds for a byte, at each end", 0.02),
    "reduce": _of_setting("o_reduce", "nanoseconds for a byte that is combined", 0.05),
    "copy": _of_setting("o_copy", "nanoseconds for a byte that is copied", 0.05),
    "memory": _of_setting("o_memory", "nanoseconds more for a byte of data beyond the cache", 0.05),
    "link": Parameter(
        "GB/s of a link (cycle_ns)",
        lambda config: config.phit_bytes / config.cycle_ns,
        lambda config, value: _with_link(config, config.phit_bytes / value),
        1.0,
    ),
}
"""Parameters by name."""


@dataclass(frozen=True)
class Fitted:
    """The results of a fit.

    Attributes
    ----------
    config : Config
        The settings with the fitted parameters.
    values : dict of str to (float, float, float)
        Value and ends of the 95 % confidence interval of each parameter; the interval assumes that the points
        are independent and that the model is linear near the values.
    simulated : ndarray of float64, shape (points,)
        Simulated time of each point in seconds.
    """

    config: Config
    values: dict[str, tuple[float, float, float]]
    simulated: Float

    def sources(self, label: str) -> dict[str, str]:
        """Return by setting of `config` how it was fitted to the measurements that `label` describes."""
        sources = {}
        for name, (value, low, high) in self.values.items():
            other = PARAMETERS[name].put(self.config, 2 * value)
            for setting, own in vars(self.config).items():
                if getattr(other, setting) != own:
                    sources[setting] = f"fit to {label}: {name} {value:.4g} (95 %: {low:.4g} to {high:.4g})"
        return sources


def seconds_of(points: Sequence[Point], config: Config) -> Float:
    """Return the simulated time of each point in seconds."""
    return np.array(
        [
            run_simulation(run := point.run(config)).result.cycles * run.config.cycle_ns * 1e-9
            for point in points
        ]
    )


def loss(ratios: Float) -> float:
    """Return the soft L1 loss of simulated over measured times: quadratic in the logarithm up to 10 %."""
    return float(np.sum(np.sqrt(1 + (np.log(ratios) / _USUAL) ** 2) - 1))


def fit(
    points: Sequence[Point],
    config: Config,
    names: Sequence[str] = ("overhead", "link"),
    evaluations: int = 12,
) -> Fitted:
    """Return the parameters with which simulated times are closest to the measured ones.

    The fit minimizes the squares of the logarithms of simulated over measured times, so that a factor counts
    the same at every size; ratios far from 1 count less (soft L1 loss beyond 10 %). It uses SciPy's
    trust-region reflective method on the logarithms of the parameters.

    Parameters
    ----------
    points : sequence of Point
        Points, at least two more than there are parameters.
    config : Config
        Values of the other settings, and values at which the search begins.
    names : sequence of str
        Keys of `PARAMETERS`.
    evaluations : int
        Largest number of steps of the search; with n parameters, each step simulates every point n + 1 times.
    """
    chosen = [PARAMETERS[check_choice(name, PARAMETERS, "parameter")] for name in names]
    if len(points) < len(chosen) + 2:
        raise ValueError(
            f"{len(points)} measured times are too few to fit {len(chosen)} parameters, expected at least "
            f"{len(chosen) + 2}"
        )
    measured = np.array([point.seconds for point in points])
    if not measured.min() > 0:
        raise ValueError(f"{points[int(measured.argmin())].name}: a time of 0, expected more")
    from scipy import optimize

    def put(values: Float) -> Config:
        made = config
        for parameter, value in zip(chosen, values.tolist(), strict=True):
            made = parameter.put(made, value)
        return made

    def residuals(logs: Float) -> Float:
        ratios: Float = np.log(seconds_of(points, put(np.exp(logs))) / measured)
        return ratios

    start = np.log([max(parameter.get(config), parameter.start) for parameter in chosen])
    found = optimize.least_squares(
        residuals,
        start,
        bounds=(start - _RANGE, start + _RANGE),
        loss="soft_l1",
        f_scale=_USUAL,
        diff_step=0.02,
        max_nfev=evaluations,
        xtol=1e-3,
        ftol=1e-3,
    )
    free = len(points) - len(chosen)
    spread = np.sqrt(np.diag(np.linalg.pinv(found.jac.T @ found.jac)) * float(found.fun @ found.fun) / free)
    half = quantile(free + 1) * np.where(found.jac.any(axis=0), spread, np.inf)
    with np.errstate(over="ignore"):  # a parameter without effect may have any value
        values = {
            name: (float(np.exp(log)), float(np.exp(log - width)), float(np.exp(log + width)))
            for name, log, width in zip(names, found.x, half, strict=True)
        }
    rounded = np.array([float(f"{value:.4g}") for value in np.exp(found.x)])
    return Fitted(put(rounded), values, np.exp(found.fun) * measured)


_RANGE = np.log(1000.0)  # on either side of the start
_USUAL = 0.1  # of the logarithm of a ratio
