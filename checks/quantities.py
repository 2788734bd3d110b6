"""What the fields of an outcome are: name, unit, digits, which direction is better, and valid values.

A field that `quantity` makes says all of it once. Checks of files (`netplace.checks.schema.kind_of`), tables
on the terminal and on pages, schemas of Parquet files and comparisons are made from it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import MISSING, dataclass, field, fields
from typing import Any

LESS, NEITHER, MORE = -1, 0, 1


@dataclass(frozen=True)
class Quantity:
    """What a field is, for people.

    Attributes
    ----------
    name : str
        A few words, for headings.
    unit : str
        Unit; ``"share"`` is shown in percent on the terminal, and ``"s"`` in a unit of time that fits.
    digits : int
        Digits after the decimal point.
    better : int
        `LESS` or `MORE` if outcomes are compared by it; else `NEITHER`.
    shown : bool
        Whether tables of pages have it.
    moment : bool
        Whether it is a moment, which tables show relative to the first one.
    help : str
        A sentence.
    """

    name: str
    unit: str = ""
    digits: int = 0
    better: int = NEITHER
    shown: bool = True
    moment: bool = False
    help: str = ""

    @property
    def heading(self) -> str:
        """Name with the unit, as in ``"makespan (s)"``."""
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
    bounds: tuple[float, float] | None = None,
    choices: Iterable[str] = (),
    **more: Any,
) -> Any:
    """Return a field of a dataclass with its unit, digits, bounds and description.

    Parameters
    ----------
    help, unit, name, **more
        As of `Quantity`; the name is that of the field unless another is given.
    default : optional
        Default, for files that lack the field.
    bounds : (float, float), optional
        Smallest and largest valid number.
    choices : iterable of str
        Valid texts, if not all are.
    """
    said = Quantity(name, unit, help=help, **more)
    return field(default=default, metadata={"quantity": said, "bounds": bounds, "choices": tuple(choices)})


def quantities(kind: type) -> dict[str, Quantity]:
    """Return what the fields of a dataclass are, by their names."""
    said = {item.name: item.metadata["quantity"] for item in fields(kind) if "quantity" in item.metadata}
    return {
        name: Quantity(**{**vars(each), "name": each.name or name.replace("_", " ")})
        for name, each in said.items()
    }
