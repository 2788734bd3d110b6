"""Settings of plans, each said once: flags, keys of study files and first checks are made from them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from netplace.checks import MOST, abbreviate, check_choice, check_float, check_int


@dataclass(frozen=True)
class Setting:
    """What a user can say of a plan: a flag, and a key of a study file."""

    help: str  # a sentence; it shows the default only if that is not `default`
    kind: Any = str  # ``str``, ``int``, ``float`` or ``bool``; a union of them is checked by the plan
    default: Any = None  # value if the user says nothing
    panel: str = ""  # heading of the flag in the help; empty: that of all flags
    metavar: str | None = None  # name of the value in the help
    least: float = -math.inf
    most: float = math.inf
    choices: tuple[str, ...] = ()  # names to complete in a shell
    required: str = ""  # what is expected of a setting without which there is no plan
    repeatable: bool = False  # whether the flag can be given several times

    def check(self, value: Any, name: str) -> None:
        """Check a value, of a file or from Python, of the setting with this name."""
        if self.kind is int:
            check_int(value, name, int(max(self.least, -MOST)), int(min(self.most, MOST)))
        elif self.kind is float:
            check_float(value, name, self.least, self.most)
        elif self.kind is str and not isinstance(value, str):
            raise ValueError(f"{name}: {abbreviate(value)} is not text")
        elif self.kind is bool and not isinstance(value, bool):
            raise ValueError(f"{name}: {abbreviate(value)} is invalid, expected true or false")


def said_of(
    given: Mapping[str, Any], keys: Iterable[str], settings: Mapping[str, Setting] | None = None
) -> dict[str, Any]:
    """Return what a user says of a plan, None counting as not said; names, and `settings`, are checked."""
    said = {name: value for name, value in given.items() if value is not None}
    for name in said:
        check_choice(name, keys, "key")
    for name, setting in (settings or {}).items():
        if name in said:
            setting.check(said[name], name)
        elif setting.required:
            raise ValueError(f"{name}: not given, expected {setting.required}")
    return said
