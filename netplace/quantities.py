"""Descriptions of the fields of an outcome: name, unit, digits and better direction.

A field made by `quantity` contains its whole description, in one place. Tables on the terminal and on pages,
schemas of Parquet files, and comparisons are made from it.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field, fields
from typing import Any

LESS, NEITHER, MORE = -1, 0, 1


@dataclass(frozen=True)
class Quantity:
    """A description of a field for people."""

    name: str  # a few words, for headings
    # On the terminal, ``"share"`` is shown in percent, and ``"s"`` in a suitable unit of time.
    unit: str = ""
    digits: int = 0  # after the decimal point
    better: int = NEITHER  # `LESS` or `MORE` if outcomes are compared by this field
    shown: bool = True  # whether tables on pages contain the field
    moment: bool = False  # whether it is a moment, which tables show relative to the first one
    help: str = ""  # a sentence

    @property
    def heading(self) -> str:
        """The name with the unit, as in ``"makespan (s)"``."""
        return self.in_unit(self.unit)

    def in_unit(self, unit: str) -> str:
        """Return the name with another unit."""
        return f"{self.name} ({unit})" if unit else self.name


def quantity(
    help: str,  # what the option of a command is called, too
    unit: str = "",
    *,
    name: str = "",
    default: Any = MISSING,
    **more: Any,
) -> Any:
    """Return a field of a dataclass with its description, as a `Quantity`, by default under its own name.

    `default`: for files that lack the field.
    """
    return field(default=default, metadata={"quantity": Quantity(name, unit, help=help, **more)})


def quantities(kind: type) -> dict[str, Quantity]:
    """Return the descriptions of the fields of a dataclass, by their names."""
    found = {item.name: item.metadata["quantity"] for item in fields(kind) if "quantity" in item.metadata}
    return {
        name: Quantity(**{**vars(each), "name": each.name or name.replace("_", " ")})
        for name, each in found.items()
    }
