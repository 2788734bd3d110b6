"""The additional time of a job for each level above the smallest possible one."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from netplace.checks import check_choice

__all__ = ["PENALTIES", "Penalty", "read_penalty"]

# name: (run time, levels above the least and factor -> run time, least factor, example, one line for people)
PENALTIES: dict[str, tuple[Callable[[float, int, float], float], float, str, str]] = {
    "none": (lambda seconds, above, factor: seconds, 0.0, "none", "as long as in the log, wherever it is"),
    "linear": (
        lambda seconds, above, factor: seconds * (1 + above * factor),
        0.0,
        "linear:0.5",
        "longer by this share for each level above the least",
    ),
    "geometric": (
        lambda seconds, above, factor: seconds * factor**above,
        1.0,
        "geometric:2",
        "longer by this factor for each level above the least; called quadratic in the thesis",
    ),
}


@dataclass(frozen=True)
class Penalty:
    """A penalty by level: F. Mendonca, thesis, 2017, section 5.1.

    Attributes
    ----------
    name : str
        Key of `PENALTIES`.
    factor : float
        What it takes: at least 0 for ``linear``, at least 1 for ``geometric``.
    """

    name: str = "none"
    factor: float = 0.0

    def __post_init__(self) -> None:
        least = PENALTIES[check_choice(self.name, PENALTIES, "penalty")][1]
        if not least <= self.factor < math.inf:
            raise ValueError(
                f"penalty {self.name}: factor {self.factor:g}, expected a number of at least {least:g}"
            )

    def seconds(self, nominal: float, above: int) -> float:
        """Return the run time of a job of `nominal` seconds that sits `above` levels over its least."""
        return PENALTIES[self.name][0](nominal, above, self.factor) if above else nominal


def read_penalty(text: str) -> Penalty:
    """Return the penalty of a text such as ``"geometric:2"``; ``quadratic:F`` means ``geometric:F`` here.

    Examples
    --------
    >>> [read_penalty("geometric:2").seconds(100, above) for above in range(4)]
    [100, 200.0, 400.0, 800.0]
    """
    name, colon, rest = str(text).partition(":")
    name = "geometric" if name == "quadratic" else name
    example = PENALTIES[check_choice(name, PENALTIES, "penalty")][2]
    if bool(colon) != (":" in example):
        raise ValueError(f"penalty {text!r}: expected the form {example}")
    try:
        factor = float(rest) if colon else 0.0
    except ValueError:
        raise ValueError(f"penalty {text!r}: {rest!r} is not a number") from None
    return Penalty(name, factor)
