"""Settings of existing fabrics, and calibrations of machines, each in a TOML file that states its sources."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from typing import Any

from netplace.files import input_file, parsed_toml
from netplace.inputs import abbreviate, check_choice

__all__ = ["CALIBRATIONS", "FABRICS", "Preset", "calibration_of", "fabric_of"]

_FOLDER = Path(__file__).parent / "fabrics"
_MOST_BYTES = 1 << 20  # of a file


@dataclass(frozen=True)
class Preset:
    """A fabric, or the calibration of a machine with an MPI library, described by settings."""

    says: str = ""  # one-line description
    network: str = ""  # text form of the machine's network, if it is known
    calibration: str = ""  # one of `CALIBRATIONS`, whose settings replace those of the fabric, or empty
    # Values of fields of `netplace.netsim.Config`, and for each of them who states it, to what it was fitted,
    # or that it is assumed.
    settings: dict[str, Any] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)

    def to_toml(self) -> str:
        """Return the text of its file."""
        lines = []
        for item in fields(self):
            value = getattr(self, item.name)
            if isinstance(value, dict):
                lines += ["", f"[{item.name}]", *(f"{key} = {json.dumps(own)}" for key, own in value.items())]
            elif value:
                lines.append(f"{item.name} = {json.dumps(value)}")
        return "\n".join([*lines, ""])


def _names(folder: Path) -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in folder.glob("*.toml")))


FABRICS = _names(_FOLDER)
CALIBRATIONS = _names(_FOLDER / "calibrations")  # of a machine and an MPI library


@cache
def _shipped(name: str) -> Preset:
    return _parsed((_FOLDER / f"{name}.toml").read_bytes(), name)


def calibration_of(name: str) -> Preset:
    """Return the figures that were fitted on a machine with an MPI library."""
    return _shipped(f"calibrations/{check_choice(name, CALIBRATIONS, 'calibration')}")


def fabric_of(text: str, calibrated: bool = True) -> Preset:
    """Return the fabric with the given name, or in a file whose name ends in ``.toml``.

    If `calibrated`, it has the settings of its calibration. Raise ValueError if there is no such fabric, or
    the file contains anything else.
    """
    path = input_file(text) if text.endswith(".toml") else None
    if path is None:
        own = _shipped(check_choice(text, FABRICS, "fabric"))
    elif path.is_file() and path.stat().st_size > _MOST_BYTES:
        raise ValueError(f"fabric {text}: is larger than {_MOST_BYTES} bytes, expected a few settings")
    else:
        own = _parsed(path.read_bytes(), f"fabric {text}")
    if not (calibrated and own.calibration):
        return own
    better = calibration_of(own.calibration)
    settings, sources = {**own.settings, **better.settings}, {**own.sources, **better.sources}
    return replace(own, settings=settings, sources=sources)


def _parsed(content: bytes, where: str) -> Preset:
    _, plain = parsed_toml(content, where)
    for name, value in plain.items():
        check_choice(name, Preset.__dataclass_fields__, f"{where}: key")
        kind = dict if name in ("settings", "sources") else str
        if not isinstance(value, kind):
            expected = "a table" if kind is dict else "text"
            raise ValueError(f"{where}: {name} is {abbreviate(value)}, expected {expected}")
    if not plain.get("settings"):
        raise ValueError(f"{where}: has no settings, expected a table [settings]")
    check_choice(plain.get("calibration", ""), ("", *CALIBRATIONS), f"{where}: calibration")
    return Preset(**plain)
