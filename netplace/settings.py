"""Settings of plans: each is one field of a Struct, from which its flag, key in files and check are made."""

from __future__ import annotations

import functools
import math
import operator
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import NoneType
from typing import Annotated, Any, TypeVar, get_args, get_origin

import msgspec

from netplace.inputs import MOST, abbreviate, check_choice, check_float, check_int

Made = TypeVar("Made")


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, dict=True):
    """A plan, or its settings: the fields with a `Setting` are what a user can say.

    The constructor checks nothing; plans are made by `make`, from Python too, or read by `read_back`.
    """

    def to_dict(self) -> dict[str, Any]:
        """Return the values in a JSON-compatible form."""
        plain: dict[str, Any] = msgspec.to_builtins(self)
        return plain


@dataclass(frozen=True)
class Setting:
    """Help, bounds and choices of a setting, in its annotation; `settings_of` adds type and default."""

    help: str  # a sentence; it shows the default only if that is not `default`
    panel: str = ""  # heading of the flag in the help; empty: that of all flags
    metavar: str | None = None  # name of the value in the help
    minimum: float = -math.inf
    maximum: float = math.inf
    # above, below: bounds of a float that are out of range themselves.
    above: float = -math.inf
    below: float = math.inf
    choices: tuple[str, ...] = ()  # names to complete in a shell
    required: str = ""  # what is expected of a setting without which there is no plan
    repeatable: bool = False  # whether the flag can be given several times
    kind: Any = str  # ``str``, ``int``, ``float`` or ``bool``; a union of them is checked by the plan
    default: Any = None  # value if the user says nothing

    def check(self, value: Any, name: str) -> Any:
        """Return a value, of a file or from Python, of the setting with this name; it is checked."""
        if self.kind is int:
            return check_int(value, name, int(max(self.minimum, -MOST)), int(min(self.maximum, MOST)))
        if self.kind is float:
            number = check_float(value, name, self.minimum, self.maximum)
            if not self.above < number < self.below:
                limit = f" and under {self.below:g}" if self.below < math.inf else ""
                raise ValueError(
                    f"{name}: {value!r} is invalid, expected a number greater than {self.above:g}{limit}"
                )
            return number
        if self.kind is str and not isinstance(value, str):
            raise ValueError(f"{name}: {abbreviate(value)} is not text")
        if self.kind is bool and not isinstance(value, bool):
            raise ValueError(f"{name}: {abbreviate(value)} is invalid, expected true or false")
        return check_choice(value, self.choices, name) if self.choices else value


@functools.cache
def settings_of(kind: type[msgspec.Struct]) -> Mapping[str, Setting]:
    """Return the settings of a plan by name, with the types and defaults of their fields."""
    made = {}
    for item in msgspec.structs.fields(kind):
        hint, *more = get_args(item.type) if get_origin(item.type) is Annotated else [item.type]
        for setting in (each for each in more if isinstance(each, Setting)):
            parts = [part for part in get_args(hint) or [hint] if part is not NoneType]
            default = None if item.default is msgspec.NODEFAULT else item.default
            made[item.name] = replace(setting, kind=functools.reduce(operator.or_, parts), default=default)
    return made


def check_given(given: Mapping[str, Any], *kinds: Mapping[str, Setting]) -> dict[str, Any]:
    """Return what a user says, None counting as not said; the error has a line for each fault."""
    settings = {name: setting for kind in kinds for name, setting in kind.items()}
    values, faults = dict[str, Any](), list[str]()
    for name, value in given.items():
        try:
            if value is not None:
                values[name] = settings[check_choice(name, settings, "key")].check(value, name)
        except ValueError as error:
            faults.append(str(error))
    for name, setting in settings.items():
        if setting.required and given.get(name) is None:
            faults.append(f"{name}: not given, expected {setting.required}")
    if faults:
        raise ValueError("\n".join(faults))
    return values


def read_back(kind: type[Made], plain: Any, where: str) -> Made:
    """Return the plan, or other record, that a dict describes; `where` is its place, for errors."""
    try:
        made = msgspec.convert(plain, kind)
        _check_names(plain, msgspec.to_builtins(made), where)
        return made
    except msgspec.ValidationError as error:
        reason, _, place = str(error).partition(" - at `$")
    place, found = place.rstrip("`"), plain
    for name, number in re.findall(r"\.(\w+)|\[(\d+)\]", place):
        found = found[name] if name else found[int(number)]
    if match := re.match(r"Object (contains unknown|missing required) field `(.*)`", reason):
        message = "is not a known key" if match[1] == "contains unknown" else "is missing, expected a value"
        raise ValueError(f"{where}{place}.{match[2]}: {message}")
    if match := re.match("Expected `(.*?)`", reason):
        words = " or ".join(_WORDS.get(word, word) for word in match[1].split(" | "))
        raise ValueError(f"{where}{place}: {abbreviate(found)} found, expected {words}")
    raise ValueError(f"{where}{place}: {reason}")


def _check_names(plain: Any, known: Any, where: str) -> None:
    """Refuse unknown keys of dataclasses in a plan, which `msgspec.convert` ignores."""
    for name, value in plain.items() if isinstance(known, dict) else ():
        if name not in known:
            raise ValueError(f"{where}.{name}: is not a known key")
        _check_names(value, known[name], f"{where}.{name}")


_WORDS = {
    "int": "a whole number", "float": "a number", "str": "text", "bool": "true or false", "array": "a list",
    "object": "a table",
}  # fmt: skip
