"""Study files: TOML in which any key of a plan can be a list, expanded to plans and checked at once.

::

    machine = "torus:16x16x16"
    workload = "lublin"
    jobs = 5000
    load = [0.6, 0.8]
    policy = ["fcfs", "easy"]
    partition = ["contiguous", "non-contiguous"]
    seeds = 3

Every combination is a plan, for each of the seeds 0, 1, 2; ``seeds = [5, 9]`` names them.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from netplace.inputs import check_choice, check_int
from netplace.plan_settings import SCHEDULE_SETTINGS
from netplace.runs.plan import Plan, make_plan
from netplace.runs.toml_lines import line_of, read_toml

_MOST = 10_000  # plans of one file


class Seeded(Protocol):
    """A plan that can be made with another seed."""

    def seeded(self: Made, seed: int) -> Made:
        """Return the same plan with another seed."""


Made = TypeVar("Made", bound=Seeded)


_FLAG = re.compile(r"^--([a-z][a-z-]*)")


def read_study(path: str | Path) -> list[Plan]:
    """Return the plans of schedules in a study file, with the seeds varying fastest."""
    return read_plans(path, SCHEDULE_SETTINGS, make_plan)


def read_plans(
    path: str | Path, keys: Iterable[str], make: Callable[[dict[str, Any]], Made], label: str = "schedules"
) -> list[Made]:
    """Return the plans in a study file, with the seeds varying fastest; `make` makes one of its values."""
    path = Path(path)
    text, data = read_toml(path, flags=True)
    try:
        for key in data:
            check_choice(key, [*keys, "seeds"], "key")
        axes = [axis(key, value) for key, value in data.items() if key != "seeds"]
        seeds = seeds_of(data.get("seeds", 1))
    except ValueError as error:
        raise _placed(path, text, data, str(error)) from None
    count = math.prod(map(len, axes)) * len(seeds)
    if count > _MOST:
        raise ValueError(f"{path}: describes {count:,} {label}, expected at most {_MOST:,}")
    plans = []
    for combination in itertools.product(*axes):
        try:
            plan = make(dict(combination))
        except ValueError as error:
            raise _placed(path, text, dict(combination), str(error)) from None
        plans += [plan.seeded(seed) for seed in seeds]
    return plans


def axis(key: str, value: Any) -> list[tuple[str, Any]]:
    """Return the values that a file gives a key, one or a list."""
    values = value if isinstance(value, list) else [value]
    if not values:
        raise ValueError(f"{key}: an empty list, expected at least one value")
    for item in values:
        if isinstance(item, dict | list):
            raise ValueError(f"{key}: {item!r} is not a single value")
    return [(key, item) for item in values]


def seeds_of(value: Any) -> Sequence[int]:
    """Return the seeds of a file: ``5`` for 0 to 4, or a list."""
    if not isinstance(value, list):
        return range(check_int(value, "seeds"))
    if not value:
        raise ValueError("seeds: an empty list, expected at least one")
    return [check_int(seed, "seeds", 0) for seed in value]


def _placed(path: Path, text: str, values: dict[str, Any], reason: str) -> ValueError:
    """Return an error that names the line of the key, or its flag, with which a fault begins."""
    return ValueError("\n".join(_at_line(path, text, values, fault) for fault in reason.splitlines()))


def _at_line(path: Path, text: str, values: dict[str, Any], fault: str) -> str:
    fault = _FLAG.sub(lambda match: match[1].replace("-", "_"), fault)
    key = next((key for key in values if fault.startswith((f"{key}:", f"{key} "))), "")
    if not key and fault.startswith("key:"):
        key = next((key for key in values if repr(key) in fault), "")
    value = values.get(key)
    where = f":{line_of(text, '', key, None if isinstance(value, list) else value)}" if key else ""
    return f"{path}{where}: {fault}"
