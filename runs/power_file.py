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

from collections.abc import Mapping
from dataclasses import fields
from functools import partial
from pathlib import Path

from netplace.inputs import abbreviate, check_choice, check_float, check_int
from netplace.runs.toml_lines import Check, check_flag, check_text, checked_table, in_file, line_of, read_toml
from netplace.scheduling.power import PowerModel, PowerRules

__all__ = ["DEFAULT_POWER", "read_power"]

DEFAULT_POWER = "taurus"
_COUNT = partial(check_int, minimum=0)
_TABLES: Mapping[str, Mapping[str, Check]] = {
    "nodes": {item.name: partial(check_float, maximum=1e12) for item in fields(PowerModel)}
    | {"keep": _COUNT},
    "switching": {"rule": check_text, "boot_rate": _COUNT, "stop_rate": _COUNT, "awake": check_flag},
}


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
    text, content = read_toml(path)
    made = {}
    for table, values in content.items():
        where = f"{path}, line {line_of(text, '', table)}, table"
        keys = _TABLES[check_choice(table, _TABLES, where)]
        if not isinstance(values, dict):
            raise ValueError(f"{path}: {table} is {abbreviate(values)}, expected a table [{table}]")
        made[table] = checked_table(path, text, table, values, keys)
    nodes, rules = made.get("nodes", {}), made.get("switching", {})
    rule = rules.pop("rule", "always-on")
    with in_file(path):
        return PowerRules(PowerModel(**nodes), switching or rule, **rules)
