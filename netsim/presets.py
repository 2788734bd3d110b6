"""Settings of existing fabrics and machines, each in a TOML file that states the sources of its figures."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from netplace.files import input_file, parsed_toml
from netplace.inputs import abbreviate, check_choice

__all__ = ["FABRICS", "Preset", "fabric_of"]

_FOLDER = Path(__file__).parent / "fabrics"
_MOST_BYTES = 1 << 20  # of a file


@dataclass(frozen=True)
class Preset:
    """A fabric, described by settings.

    Attributes
    ----------
    says : str
        One-line description.
    settings : dict
        Values of fields of `netplace.netsim.Config`.
    assumed : str
        Values that are assumed because no source gives them.
    fitted : str
        Values that were fitted to measurements, and to which measurements.
    network : str
        Text form of the machine's network, if it is known.
    """

    says: str
    settings: dict[str, Any] = field(default_factory=dict)
    assumed: str = ""
    fitted: str = ""
    network: str = ""


@cache
def _shipped(name: str) -> Preset:
    return _parsed((_FOLDER / f"{name}.toml").read_bytes(), name)


FABRICS = tuple(sorted(path.stem for path in _FOLDER.glob("*.toml")))  # names


def fabric_of(text: str) -> Preset:
    """Return the fabric with the given name, or the fabric in a file whose name ends in ``.toml``.

    Raise ValueError if there is no such fabric, or the file contains anything else.
    """
    if not text.endswith(".toml"):
        return _shipped(check_choice(text, FABRICS, "fabric"))
    path = input_file(text)
    if path.is_file() and path.stat().st_size > _MOST_BYTES:
        raise ValueError(f"fabric {text}: is larger than {_MOST_BYTES} bytes, expected a few settings")
    return _parsed(path.read_bytes(), f"fabric {text}")


def _parsed(content: bytes, where: str) -> Preset:
    _, plain = parsed_toml(content, where)
    for name, value in plain.items():
        check_choice(name, Preset.__dataclass_fields__, f"{where}: key")
        kind = dict if name == "settings" else str
        if not isinstance(value, kind):
            expected = "a table" if kind is dict else "text"
            raise ValueError(f"{where}: {name} is {abbreviate(value)}, expected {expected}")
    if not plain.get("settings"):
        raise ValueError(f"{where}: has no settings, expected a table [settings]")
    return Preset(**{"says": ""} | plain)
