"""Types of flags that take numbers: within bounds, and a mistake names the flag."""

from __future__ import annotations

import math
from typing import Any

import rich_click as click

from netplace.checks import MOST, real, whole

__all__ = ["COUNT", "PROCESSES", "REAL", "SEED", "SEEDS", "WHOLE", "Real", "Whole"]


class Whole(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.3
    """Whole numbers from `least` to `most`."""

    name = "integer"

    def __init__(self, least: int = -MOST, most: int = MOST) -> None:
        self._least, self._most = least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number that a user wrote."""
        return whole(value, _flag(param), self._least, self._most)


class Real(click.ParamType):  # type: ignore[type-arg]
    """Finite numbers from `least` to `most`."""

    name = "float"

    def __init__(self, least: float = -math.inf, most: float = math.inf) -> None:
        self._least, self._most = least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number that a user wrote."""
        return real(value, _flag(param), self._least, self._most)


def _flag(param: click.Parameter | None) -> str:
    """Return the name by which a user gave a number."""
    return max(param.opts, key=len) if param else "number"


WHOLE = Whole()
REAL = Real()
COUNT = Whole(1)
SEED = Whole(0)
SEEDS = Whole(1, 1_000_000)  # every one is a run, whose result is held until the last has ended
PROCESSES = Whole(1, 4_096)
