"""Application workloads: each job runs an application, whose run time comes from a table.

The applications are those of `apps` that run on any power of two of tasks from 8 to 512, in four classes by
the pattern of their messages, after J. A. Pascual, J. Miguel-Alonso, J. A. Lozano, "Locality-aware policies
to improve job scheduling on 3D tori", J. Supercomput. 71(3), 966-994, 2015. The members of these classes, the
weights of the sizes and the intensities are this project's; `published_classes` has the published members,
and the sizes of each.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from netplace.inputs import check_choice, check_float, check_int
from netplace.scheduling.workload.workload import MOST_JOBS, MOST_NODES, Workload

_POWERS = (8, 16, 32, 64, 128, 256, 512)
_SQUARES = (16, 64, 256)
_CUBES = (8, 64, 512)

_I = ("all-to-all", "all-to-one", "one-to-all")
_II = ("2d-mesh", "2d-torus", "2d-sweep", "2d-t-mesh", "2d-t-torus", "2d-t-sweep")
_III = ("3d-mesh", "3d-torus", "3d-t-mesh", "3d-t-torus")
_IV = ("binary-tree", "butterfly", "gups", "waterfall")

PUBLISHED_CLASSES: dict[str, tuple[str, ...]] = {
    "I": _I,
    "II": _II,
    "III": _III,
    "IV": _IV,
    "I-IV": (*_I, *_II, *_III, *_IV),
}


def published_sizes(application: str) -> tuple[int, ...]:
    """Return the sizes in which an application occurs in the thesis."""
    if application in _II:
        return _SQUARES
    return _CUBES if application in _III else _POWERS


_COLLECTIVES = ("all-to-all", "binary-tree", "butterfly", "one-to-all")
_PLANE = ("2d-mesh", "2d-torus", "2d-sweep", "waterfall")
_SPACE = ("3d-mesh", "3d-torus", "3d-sweep")
_MISCELLANEOUS = ("all-to-one", "gups", "2d-t-torus", "3d-t-torus")

# Classes I, II, III, IV, and all together.
CLASSES: dict[str, tuple[str, ...]] = {
    "collectives": _COLLECTIVES,
    "2d": _PLANE,
    "3d": _SPACE,
    "miscellaneous": _MISCELLANEOUS,
    "mixed": (*_COLLECTIVES, *_PLANE, *_SPACE, *_MISCELLANEOUS),
}

# Bytes in a message: 4, 16 and 64 packets of 64 bytes. Longer ones would change nothing but the scale, and
# take long to simulate where all send to all.
INTENSITIES: dict[str, int] = {"low": 256, "medium": 1_024, "high": 4_096}
ANY = "any"  # every intensity as often

# How often a size is drawn, relative to the others: of large jobs, 512 nodes seven times as often as 8.
SIZES: dict[str, dict[int, int]] = {
    "small": {8: 7, 16: 6, 32: 5, 64: 4, 128: 3, 256: 2, 512: 1},
    "medium": {8: 1, 16: 2, 32: 3, 64: 4, 128: 3, 256: 2, 512: 1},
    "large": {8: 1, 16: 2, 32: 3, 64: 4, 128: 5, 256: 6, 512: 7},
}


def applications(
    nodes: int,
    jobs: int = 1_000,
    seed: int = 0,
    classes: str | Sequence[str] = "mixed",
    sizes: str = "medium",
    intensity: str | Sequence[str] = ANY,
    mean_interarrival: float = 0.0,
    repeats: tuple[int, int] = (10_000, 1_000_000),
    hours: tuple[float, float] | None = None,
) -> Workload:
    """Return a workload of jobs that run applications.

    The run time is that of a run-time table, `repeats` times; so `run_time` is 0 and there is no estimate.
    With `hours`, it is so many in a compact place with the consecutive mapping, and elsewhere longer or
    shorter in the ratio of the times in the table.

    Parameters
    ----------
    nodes : int
        Nodes of the machine; larger sizes are not drawn.
    classes : str or sequence of str
        One or more keys of `CLASSES` or of `PUBLISHED_CLASSES`, all equally likely. If all are published
        ones, an application has the sizes that are published for it.
    sizes : str
        A key of `SIZES`.
    intensity : str or sequence of str
        One or more keys of `INTENSITIES`, all equally likely; ``"any"``: all.
    mean_interarrival : float
        Mean of the exponential times between submissions, in seconds; 0: all jobs are submitted at once.
    repeats : tuple of int
        Least and most repeats; each order of magnitude between them is equally likely.
    hours : tuple of float, optional
        Least and most hours, drawn in the same way.
    """
    label = "of applications"
    check_int(nodes, f"nodes {label}", 1, MOST_NODES)
    check_int(jobs, f"jobs {label}", 1, MOST_JOBS)
    rng = np.random.default_rng(check_int(seed, f"seed {label}", 0))
    if not 0 <= mean_interarrival < math.inf:
        raise ValueError(f"mean gap {label}: {mean_interarrival} is invalid, expected seconds of at least 0")
    programs = _programs([classes] if isinstance(classes, str) else classes, intensity)
    weights = SIZES[check_choice(sizes, SIZES, f"sizes {label}")]
    fitting = {size: weight for size, weight in weights.items() if size <= nodes}
    if not fitting:
        raise ValueError(f"nodes {label}: {nodes} are too few, expected at least {min(weights)}")
    gaps = rng.exponential(mean_interarrival, jobs) if mean_interarrival else np.zeros(jobs)
    named = [classes] if isinstance(classes, str) else list(classes)
    if set(named) <= set(PUBLISHED_CLASSES):
        kind = rng.integers(len(programs), size=jobs)
        drawn = _sizes_of_programs(programs, kind, fitting, rng)
    else:
        drawn = rng.choice(list(fitting), jobs, p=_shares(fitting))
        kind = rng.integers(len(programs), size=jobs)
    left_out = [str(size) for size in weights if size > nodes]
    return Workload(
        number=np.arange(1, jobs + 1),
        submit=np.cumsum(gaps),
        nodes=drawn,
        run_time=np.zeros(jobs) if hours is None else 3600 * _hours(hours, jobs, seed),
        kind=kind,
        repeats=_repeats(repeats, jobs, rng),
        kinds=tuple((program, 0) for program in programs),
        machine_nodes=nodes,
        header=(
            f" Note: applications, {_listed(classes)}, {sizes} sizes, "
            f"intensity {_listed(intensity)}, seed {seed}",
            f" MaxNodes: {nodes}",
        ),
        notes=(f"sizes of {', '.join(left_out)} nodes do not fit {nodes} nodes and were not drawn",)
        if left_out
        else (),
    )


def _shares(weights: dict[int, int]) -> NDArray[np.float64]:
    return np.array(list(weights.values())) / sum(weights.values())


def _sizes_of_programs(
    programs: Sequence[str],
    kind: NDArray[np.int64],
    weights: dict[int, int],
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Return a size for each job, by the weights of those that are published for its application."""
    drawn = np.empty(len(kind), np.int64)
    names = [program.partition(",")[0] for program in programs]
    for name in dict.fromkeys(names):
        own = np.isin(kind, [place for place, other in enumerate(names) if other == name])
        usable = {size: weight for size, weight in weights.items() if size in published_sizes(name)}
        if own.any() and not usable:
            raise ValueError(
                f"nodes of applications: {max(weights)} are too few for {name}, expected at least "
                f"{min(published_sizes(name))}"
            )
        if usable:
            drawn[own] = rng.choice(list(usable), int(own.sum()), p=_shares(usable))
    return drawn


def _listed(names: str | Sequence[str]) -> str:
    return names if isinstance(names, str) else " ".join(names)


def _programs(classes: Sequence[str], intensity: str | Sequence[str]) -> list[str]:
    """Return the texts of programs to draw from: every application with messages of every intensity."""
    if not classes:
        raise ValueError("classes of applications: none given, expected at least one")
    known = CLASSES | PUBLISHED_CLASSES
    names = [name for key in classes for name in known[check_choice(key, known, "class of applications")]]
    programs = [intensity] if isinstance(intensity, str) else intensity
    for key in programs:
        check_choice(key, [*INTENSITIES, ANY], "intensity of applications")
    intensities = list(INTENSITIES) if ANY in programs else list(dict.fromkeys(programs))
    if not intensities:
        raise ValueError("intensities of applications: none given, expected at least one")
    return [f"{name},bytes={INTENSITIES[much]}" for name in dict.fromkeys(names) for much in intensities]


def _hours(bounds: tuple[float, float], jobs: int, seed: int) -> NDArray[np.float64]:
    minimum, maximum = (check_float(bound, "hours of applications", 1e-6, 1e6) for bound in bounds)
    if maximum < minimum:
        raise ValueError(f"hours of applications: {minimum:g} to {maximum:g}, expected the smaller one first")
    return np.exp(np.random.default_rng([seed, 1]).uniform(math.log(minimum), math.log(maximum), jobs))


def _repeats(bounds: tuple[int, int], jobs: int, rng: np.random.Generator) -> NDArray[np.int64]:
    minimum, maximum = (check_int(bound, "repeats of applications") for bound in bounds)
    if maximum < minimum:
        raise ValueError(f"repeats of applications: {minimum} to {maximum}, expected the smaller one first")
    drawn = np.exp(rng.uniform(math.log(minimum), math.log(maximum), jobs))
    return np.clip(np.rint(drawn), minimum, maximum).astype(np.int64)
