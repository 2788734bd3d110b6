"""The workload model of Lublin and Feitelson: rigid jobs of a parallel supercomputer.

Parameters are those of the authors' reference program (``m_lublin99.c``), which fitted them to the logs of
SDSC's Paragon, LANL's CM-5 and CTC's SP2:

============ ========= ============ ========= =====================================================
parameter    batch     interactive  whole     meaning
============ ========= ============ ========= =====================================================
serial       0.2927    0.1541       0.244     share of jobs on one node
power_of_two 0.6686    0.625        0.576     share of jobs on a power of two of nodes, over one
ulow         1.2       1            0.8       log2 of the smallest size over one
umed         5         3            4.5       log2 of the size where the density changes
uhi          7         5.5          7         log2 of the largest size, on the 128 nodes of the fit
uprob        0.875     0.705        0.86      share of sizes below that of umed
a1, b1       6.57      3.8351       4.2       first gamma distribution of ln(run time): shape ..
..           0.823     0.6605       0.94      .. and scale
a2, b2       639.1     7.073        312       second one
..           0.0156    0.6856       0.03
pa, pb       -0.003    -0.0118      -0.0054   share of the first: pa * nodes + pb, within 0..1
..           0.6986    0.9156       0.78
aarr, barr   6.0415    6.5510       10.2303   gamma distribution of ln(time between arrivals) at rush hours
..           0.8531    0.6621       0.4871
anum, bnum   6.1271    8.9186       8.1737    gamma distribution of arrivals over the half-hours of a day
..           5.2740    3.6680       3.9631
arar         1.0519    0.9797       1.0225    factor on aarr, from rush hours to all hours
============ ========= ============ ========= =====================================================

On P nodes ``uhi`` is log2(P), less by 1.5 for interactive jobs as on the 128 nodes of the fit, and ``umed``
keeps its distance from it (the authors: between 1.5 and 3.5). Run times are of at most e^12 s, times between
arrivals of at most e^13 s of rush hour; longer ones are drawn again.

U. Lublin, D. G. Feitelson, "The workload on parallel supercomputers: modeling the characteristics of rigid
jobs", J. Parallel Distrib. Comput. 63(11), 1105-1122, 2003.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import lgamma, log, log2

import numpy as np
from numpy.typing import NDArray

from netplace.inputs import check_choice, check_int
from netplace.scheduling.workload.summary import check_load, load_of
from netplace.scheduling.workload.workload import MOST_JOBS, MOST_NODES, Workload

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SLOTS = 48  # half-hours of a day
SLOT_SECONDS = 1800
LONGEST_RUN = 12  # ln s, about two days
LONGEST_GAP = 13  # ln s, about five days
FIRST_SLOT = 11  # the day of the fit begins at its eleventh half-hour


@dataclass(frozen=True, slots=True)
class LublinParameters:
    """Parameters of a kind of jobs, with sizes relative to the machine, in log2."""

    serial: float
    power_of_two: float
    ulow: float
    below_hi: float
    below_med: float
    uprob: float
    a1: float
    b1: float
    a2: float
    b2: float
    pa: float
    pb: float
    aarr: float
    barr: float
    anum: float
    bnum: float
    arar: float


_PARAMETERS = {
    "batch": LublinParameters(
        serial=0.2927, power_of_two=0.6686, ulow=1.2, below_hi=0.0, below_med=2.0, uprob=0.875,
        a1=6.57, b1=0.823, a2=639.1, b2=0.0156, pa=-0.003, pb=0.6986,
        aarr=6.0415, barr=0.8531, anum=6.1271, bnum=5.2740, arar=1.0519,
    ),
    "interactive": LublinParameters(
        serial=0.1541, power_of_two=0.625, ulow=1.0, below_hi=1.5, below_med=2.5, uprob=0.705,
        a1=3.8351, b1=0.6605, a2=7.073, b2=0.6856, pa=-0.0118, pb=0.9156,
        aarr=6.5510, barr=0.6621, anum=8.9186, bnum=3.6680, arar=0.9797,
    ),
    "whole": LublinParameters(
        serial=0.244, power_of_two=0.576, ulow=0.8, below_hi=0.0, below_med=2.5, uprob=0.86,
        a1=4.2, b1=0.94, a2=312.0, b2=0.03, pa=-0.0054, pb=0.78,
        aarr=10.2303, barr=0.4871, anum=8.1737, bnum=3.9631, arar=1.0225,
    ),
}  # fmt: skip
# What the model is asked for: streams of jobs of one or two kinds, merged in order of arrival.
KINDS: dict[str, tuple[LublinParameters, ...]] = {
    **{name: (value,) for name, value in _PARAMETERS.items()},
    "both": (_PARAMETERS["interactive"], _PARAMETERS["batch"]),
}


def lublin(
    nodes: int, jobs: int = 10_000, seed: int = 0, load: float | None = None, kind: str = "batch"
) -> Workload:
    """Return a workload of the Lublin-Feitelson model, from midnight on; times are whole seconds.

    Parameters
    ----------
    nodes : int
        Nodes of the machine.
    load : float, optional
        Load to reach (see `netplace.scheduling.workload.load`), by changing the frequency of arrivals alike
        at all times of day; by default it follows from the published arrivals.
    kind : str
        A key of `KINDS`: ``"batch"``, ``"interactive"``, ``"both"``, or ``"whole"``, the parameters that
        were fitted to all jobs regardless of their kind.
    """
    streams = KINDS[check_choice(kind, KINDS, "kind of lublin")]
    check_int(nodes, "nodes of lublin", 1, MOST_NODES)
    check_int(jobs, "jobs of lublin", 1 if load is None else 2, MOST_JOBS)
    rng = np.random.default_rng(check_int(seed, "seed of lublin", 0))
    points = [np.cumsum(_gaps(stream, jobs, rng)) for stream in streams]
    stream_of = np.repeat(np.arange(len(streams)), jobs)
    first = np.argsort(np.concatenate(points), kind="stable")[:jobs]
    paid, stream_of = np.concatenate(points)[first], stream_of[first]
    size, run_time = np.empty(jobs, np.int64), np.empty(jobs)
    for number, stream in enumerate(streams):
        here = stream_of == number
        size[here] = _sizes(stream, nodes, int(here.sum()), rng)
        run_time[here] = _run_times(stream, size[here], rng)

    days = [day_weights(stream) for stream in streams]

    def arrivals(stretch: float) -> Floats:
        times = np.empty(jobs)
        for number, weights in enumerate(days):
            here = stream_of == number
            times[here] = arrival_times(paid[here] * stretch, weights)
        return times

    stretch = (
        1.0
        if load is None
        else _stretch(arrivals, size * run_time, nodes, check_load(load, "load of lublin"))
    )
    submit = np.floor(arrivals(stretch))
    order = np.argsort(submit, kind="stable")
    request = f"{kind} jobs for {nodes} nodes, seed {seed}" + ("" if load is None else f", load {load:g}")
    return Workload(
        number=np.arange(1, jobs + 1),
        submit=submit[order],
        nodes=size[order],
        run_time=run_time[order],
        machine_nodes=nodes,
        header=(
            " Version: 2.2",
            f" Note: Lublin-Feitelson model, {request}",
            f" MaxJobs: {jobs}",
            f" MaxNodes: {nodes}",
            f" MaxProcs: {nodes}",
        ),
    )


def size_range(parameters: LublinParameters, nodes: int) -> tuple[float, float, float]:
    """Return ulow, umed and uhi, log2 of sizes.

    On a machine so small that umed would not lie above ulow, both are spread over the range as the authors
    advise for 8 nodes: 0.8 and 1.5 of 3.
    """
    ulow, uhi = parameters.ulow, max(log2(nodes) - parameters.below_hi, 0.0)
    umed = uhi - parameters.below_med
    return (ulow, umed, uhi) if umed > ulow else (uhi * 0.8 / 3, uhi / 2, uhi)


def hyper_gamma_share(parameters: LublinParameters, size: Ints) -> Floats:
    """Return the share of the first gamma distribution in the run times of jobs of `size` nodes."""
    return np.clip(parameters.pa * size + parameters.pb, 0.0, 1.0)


def day_weights(parameters: LublinParameters) -> Floats:
    place = np.arange(FIRST_SLOT, FIRST_SLOT + SLOTS)
    shape, x = parameters.anum, (np.arange(FIRST_SLOT, FIRST_SLOT + SLOTS + 1) - 0.5) / parameters.bnum
    series = np.cumprod(x[:, None] / (shape + np.arange(1, 200)), axis=1).sum(axis=1) + 1
    edges = np.exp(shape * np.log(x) - x - lgamma(shape + 1)) * series  # the gamma distribution's
    weights = np.empty(SLOTS)
    weights[(place - 1) % SLOTS] = np.diff(edges)  # the model counts half-hours from 1
    weights /= weights.mean()
    return weights


def arrival_times(paid: Floats, weights: Floats) -> Floats:
    """Return the times from midnight by which so many seconds of average activity have passed.

    The reference program steps through half-hours; this inverts the sum of `weights`, linear within a
    half-hour, for all jobs at once.
    """
    day = np.concatenate([[0.0], np.cumsum(weights) * SLOT_SECONDS])
    days, rest = np.divmod(paid, day[-1])
    within: Floats = np.interp(rest, day, np.arange(SLOTS + 1) * float(SLOT_SECONDS))
    within += days * (SLOTS * SLOT_SECONDS)
    return within


def _sizes(parameters: LublinParameters, nodes: int, count: int, rng: np.random.Generator) -> Ints:
    ulow, umed, uhi = size_range(parameters, nodes)
    lower = rng.random(count) < parameters.uprob
    u = np.where(lower, ulow, umed) + rng.random(count) * np.where(lower, umed - ulow, uhi - umed)
    which = rng.random(count)
    # Rounding may lead to a power of two over the machine's size: the largest that fits takes its place.
    power = np.minimum(np.rint(u), np.floor(log2(nodes)))
    u = np.where(which < parameters.serial + parameters.power_of_two, power, u)
    sizes = np.rint(np.exp2(np.where(which < parameters.serial, 0.0, u))).astype(np.int64)
    return np.clip(sizes, 1, nodes)


def _run_times(parameters: LublinParameters, size: Ints, rng: np.random.Generator) -> Floats:
    share = hyper_gamma_share(parameters, size)

    def draw(which: Ints) -> Floats:
        first = rng.random(len(which)) < share[which]
        shape = np.where(first, parameters.a1, parameters.a2)
        return rng.gamma(shape, np.where(first, parameters.b1, parameters.b2))

    return np.floor(np.exp(_at_most(LONGEST_RUN, len(size), draw)))


def _gaps(parameters: LublinParameters, count: int, rng: np.random.Generator) -> Floats:
    shape, scale = parameters.aarr * parameters.arar, parameters.barr
    return np.exp(_at_most(LONGEST_GAP, count, lambda which: rng.gamma(shape, scale, len(which))))


def _at_most(maximum: float, count: int, draw: Callable[[Ints], Floats]) -> Floats:
    """Return `count` values that `draw` draws for their places, again where they are above `maximum`."""
    values = np.empty(count)
    missing = np.arange(count)
    while len(missing):
        values[missing] = draw(missing)
        missing = missing[values[missing] > maximum]
    return values


def _stretch(arrivals: Callable[[float], Floats], work: Floats, nodes: int, target: float) -> float:
    """Return by how much to stretch the times between arrivals so that the load is `target`."""
    from scipy.optimize import brentq

    def excess(power: float) -> float:
        submit = arrivals(np.exp(power))
        order = np.argsort(submit, kind="stable")
        return log(load_of(submit[order], work[order], nodes) / target)

    guess = excess(0.0)  # load is the inverse of time but for the daily cycle
    width = 0.1
    while excess(guess - width) <= 0 or excess(guess + width) >= 0:
        width *= 2
    return float(np.exp(brentq(excess, guess - width, guess + width, xtol=1e-6)))
