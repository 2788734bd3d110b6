"""TOML files that describe a power model; missing keys have the values of a Taurus node.

::

    [nodes]                    # watts and seconds
    busy = 190.738
    idle = 95
    off = 9.75
    boot_watts = 125.1744
    boot_seconds = 151.52
    stop_watts = 100.9967
    stop_seconds = 6.1
    keep = 0                   # nodes that are always on

    [switching]
    rule = "timeout:900"       # by default always-on
    boot_rate = 300            # nodes a minute, 0: any number
    stop_rate = 60
    awake = true               # nodes that are on come first
"""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

from netplace.checks import abbreviate, check_choice, check_float, check_int
from netplace.runs.toml_lines import line_of, read_toml
from netplace.scheduling.power import PowerModel, PowerRules

__all__ = ["DEFAULT_POWER", "read_power"]

DEFAULT_POWER = "taurus"
_NODES = tuple(item.name for item in fields(PowerModel))
_SWITCHING = ("rule", "boot_rate", "stop_rate", "awake")


def read_power(path: str | Path, switching: str | None = None) -> PowerRules:
    """Return the power model of a file; the path ``"taurus"`` means the default model.

    Parameters
    ----------
    path : str or Path
        Path of the file.
    switching : str, optional
        A rule that takes precedence over the rule in the file.
    """
    if str(path) == DEFAULT_POWER:
        return PowerRules(switching=switching or "always-on")
    path = Path(path)
    text, said = read_toml(path)
    for table in said:
        check_choice(table, ("nodes", "switching"), f"{path}, line {line_of(text, '', table)}, table")
        if not isinstance(said[table], dict):
            raise ValueError(f"{path}: {table} is {abbreviate(said[table])}, expected a table [{table}]")
    nodes, rules = said.get("nodes", {}), said.get("switching", {})
    for table, keys in (("nodes", _NODES), ("switching", _SWITCHING)):
        for name in said.get(table, {}):
            check_choice(name, keys, f"{path}, line {line_of(text, table, name)}, key")
    try:
        return PowerRules(
            _model(path, text, nodes),
            switching or _text(path, rules.get("rule", "always-on")),
            awake=_flag(path, rules.get("awake", True)),
            **{
                name: check_int(rules[name], f"{path}, line {line_of(text, 'switching', name)}: {name}", 0)
                for name in ("boot_rate", "stop_rate")
                if name in rules
            },
        )
    except ValueError as error:
        sentence = str(error)
        raise ValueError(sentence if sentence.startswith(str(path)) else f"{path}: {sentence}") from None


def _model(path: Path, text: str, said: dict[str, Any]) -> PowerModel:
    given: dict[str, Any] = {}
    for name, value in said.items():
        where = f"{path}, line {line_of(text, 'nodes', name)}: {name}"
        given[name] = check_int(value, where, 0) if name == "keep" else check_float(value, where, 0, 1e12)
    return PowerModel(**given)


def _text(path: Path, value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f'{path}: rule is {abbreviate(value)}, expected text such as "timeout:900"')
    return value


def _flag(path: Path, value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{path}: awake is {abbreviate(value)}, expected true or false")
    return value
