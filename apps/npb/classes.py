"""Problem sizes, default iterations and valid task counts of the NAS Parallel Benchmarks, version 3.3.1.

Sizes and iterations are those that ``sys/setparams.c`` of the benchmarks' distribution writes for each class;
``IS/is.c`` holds its own. Report: Bailey et al., "The NAS parallel benchmarks", Int. J. Supercomputer
Applications 5(3), 1991, and NAS technical report 95-020.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import isqrt
from typing import TypeVar

from netplace.inputs import check_choice, check_int

P = TypeVar("P")

MOST_TASKS = 131_072  # for which MG's array bounds hold; a bound for the others too, which know none


@dataclass(frozen=True)
class Cube:
    """A problem of one length: `points` along each axis of a cube, or unknowns of CG."""

    points: int
    iterations: int


@dataclass(frozen=True)
class Mesh:
    """A problem on a grid of ``x * y * z`` points."""

    x: int
    y: int
    z: int
    iterations: int


@dataclass(frozen=True)
class Sort:
    """A sort of ``2**keys_log2`` keys below ``2**range_log2``, counted in ``2**buckets_log2`` buckets."""

    keys_log2: int
    range_log2: int
    buckets_log2: int
    least_tasks: int
    most_tasks: int
    iterations: int = 10


def _classes(kind: Callable[..., P], *sizes: tuple[int, ...]) -> dict[str, P]:
    return {name: kind(*size) for name, size in zip("SWABCD", sizes, strict=True)}


BT_CLASSES = _classes(Cube, (12, 60), (24, 200), (64, 200), (102, 200), (162, 200), (408, 250))
SP_CLASSES = _classes(Cube, (12, 100), (36, 400), (64, 400), (102, 400), (162, 400), (408, 500))
LU_CLASSES = _classes(Cube, (12, 50), (33, 300), (64, 250), (102, 250), (162, 250), (408, 300))
MG_CLASSES = _classes(Cube, (32, 4), (128, 4), (256, 4), (256, 20), (512, 20), (1024, 50))
CG_CLASSES = _classes(Cube, (1400, 15), (7000, 15), (14000, 15), (75000, 75), (150000, 75), (1500000, 100))
FT_CLASSES = _classes(
    Mesh,
    (64, 64, 64, 6),
    (128, 128, 32, 6),
    (256, 256, 128, 6),
    (512, 256, 256, 20),
    (512, 512, 512, 20),
    (2048, 1024, 1024, 25),
)
IS_CLASSES = _classes(
    Sort,
    (16, 11, 9, 1, 128),
    (20, 16, 10, 1, 1024),
    (23, 19, 10, 1, 1024),
    (25, 21, 10, 1, 1024),
    (27, 23, 10, 1, 1024),
    (31, 27, 10, 4, 1024),
)


def problem_of(benchmark: str, classes: dict[str, P], problem_class: str) -> P:
    """Return the problem of a class, upper or lower case; raise ValueError for one that does not exist."""
    return classes[check_choice(str(problem_class).upper(), classes, f"class of {benchmark}")]


def iteration_count(benchmark: str, iterations: int | None, default: int) -> int:
    """Return the iterations to do: those requested, at least 1, or the benchmark's own."""
    return default if iterations is None else check_int(iterations, f"iterations of {benchmark}")


def check_tasks(benchmark: str, problem_class: str, tasks: int, valid: Iterable[int]) -> int:
    """Return `tasks` if the benchmark can run on them; otherwise raise ValueError with the valid numbers."""
    counts = list(valid)
    number = check_int(tasks, f"tasks of {benchmark}")
    if number not in counts:
        shown = counts if len(counts) <= 24 else [*counts[:12], "..", counts[-1]]
        raise ValueError(
            f"tasks of {benchmark}: class {problem_class.upper()} cannot run on {number} tasks, "
            f"expected one of {', '.join(map(str, shown))}"
        )
    return number


def powers_of_two(minimum: int, maximum: int) -> list[int]:
    return [1 << n for n in range(MOST_TASKS.bit_length()) if minimum <= 1 << n <= maximum]


def squares(most_root: int) -> list[int]:
    return [root * root for root in range(1, most_root + 1)]


def near_square(count: int) -> tuple[int, int]:
    """Return the factors of `count` nearest to each other, the larger one first."""
    check_int(count, "count", maximum=2**31)  # they are searched for
    small = next(d for d in range(isqrt(count), 0, -1) if count % d == 0)
    return count // small, small
