"""Tables that choose an algorithm by operation, ranks and bytes.

A table is a TOML file. Of each operation it has a list of rows, and the first one that fits is taken::

    name = "mine"
    base = "openmpi"                # chooses for operations that are not in this file; builtin if not given
    blocks = ["allgather"]          # operations whose rows look at the bytes of one block

    allreduce = [
        {ranks = [2, 16], bytes = [0, 4095], algorithm = "recursive_doubling"},
        {algorithm = "ring"},
    ]

Bounds are inclusive; one that is missing, in a list of one number or altogether, is no bound. A row may also
ask for ``power_of_two = true`` (or false) ranks and for ``few_elements = true``, vectors of fewer elements
than the largest power of two of ranks, and give ``segment``, ``fanout``, ``radix`` or ``group``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import msgspec

from netplace.apps.collectives.call import OPERATIONS, Call
from netplace.files import parsed_toml, read_content
from netplace.inputs import check_choice

TABLES = {
    "builtin": "the algorithms of Thakur, Rabenseifner and Gropp, one or two for each operation",
    "openmpi": "Open MPI 4.1 and 5.0, coll/tuned, for operations that commute",
    "mpich": "MPICH 4.0, for communicators without information on nodes",
    "nccl": "NCCL, by its time model for nodes with 8 A100",
}

_TOTALS = ("allgather", "gather", "scatter")  # whose calls give the bytes of one block
Natural = Annotated[int, msgspec.Meta(ge=0)]
Bounds = Annotated[tuple[Natural, ...], msgspec.Meta(min_length=1, max_length=2)]


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A rule of a table."""

    algorithm: str  # name of the chosen algorithm
    ranks: Bounds = (1,)
    bytes: Bounds = (0,)
    power_of_two: bool | None = None  # whether the number of ranks must, or must not, be a power of two
    # Whether vectors must, or must not, have fewer elements than the largest power of two up to the number of
    # ranks.
    few_elements: bool | None = None
    segment: Natural | None = None
    fanout: Annotated[int, msgspec.Meta(ge=1)] | None = None
    radix: Annotated[int, msgspec.Meta(ge=2)] | None = None
    group: Natural | None = None

    @property
    def options(self) -> dict[str, int]:
        """Attributes of a `Call` that the rule sets."""
        given = {name: getattr(self, name) for name in ("segment", "fanout", "radix", "group")}
        return {name: value for name, value in given.items() if value is not None}

    def fits(self, ranks: int, bytes: int, few_elements: bool) -> bool:
        return (
            _inside(ranks, self.ranks)
            and _inside(bytes, self.bytes)
            and self.power_of_two in (None, ranks & (ranks - 1) == 0)
            and self.few_elements in (None, few_elements)
        )


def _inside(number: int, bounds: tuple[int, ...]) -> bool:
    return bounds[0] <= number and (len(bounds) == 1 or number <= bounds[1])


@dataclass(frozen=True)
class Table:
    """Rules by operation; the first matching row applies."""

    name: str  # name of the table, or its file
    rows: Mapping[str, tuple[Row, ...]]  # rows by operation
    # Operations whose rows use the size of one block; the others use the bytes of a rank's whole vector.
    blocks: frozenset[str] = frozenset()
    base: Table | None = None  # table for other operations

    def all_rows(self) -> Mapping[str, tuple[Row, ...]]:
        """Return the rows of every operation, its own or those of `base`."""
        return self.rows if self.base is None else {**self.base.all_rows(), **self.rows}

    def choose(self, call: Call) -> Row:
        rows = self.rows.get(call.operation)
        if rows is None:
            if self.base is None:
                raise ValueError(f"collectives {self.name!r}: has no algorithm for {call.operation}")
            return self.base.choose(call)
        bytes, few = self._measure(call) * call.unit, call.elements < 1 << call.ranks.bit_length() - 1
        row = next((row for row in rows if row.fits(call.ranks, bytes, few)), None)
        if row is None:
            raise ValueError(
                f"collectives {self.name!r}: no row of {call.operation} fits {call.ranks} ranks and {bytes} "
                f"bytes, expected a row for all sizes"
            )
        return row

    def _measure(self, call: Call) -> int:
        """Return the bytes that rows are compared with."""
        by_block = call.operation in self.blocks
        if call.operation in _TOTALS:
            return call.bytes if by_block else call.bytes * call.ranks
        if call.operation in ("alltoall", "alltoallv"):
            return call.bytes
        return call.bytes // call.ranks if by_block else call.bytes


def decision_table(text: str, label: str = "--collectives") -> Table:
    """Return the table called `text`: a key of `TABLES`, or a TOML file."""
    if text in TABLES:
        return shipped_table(text)
    path = Path(text)
    if path.suffix != ".toml":
        check_choice(text, TABLES, f"{label} (a table, or a file that ends in .toml)")
    try:
        content = read_content(path)
    except OSError as error:
        raise ValueError(f"{label}: {text} cannot be read, {error.strerror}") from None
    return _parsed(content, str(path))


@cache
def shipped_table(name: str) -> Table:
    return _parsed((files(__package__) / "tables" / f"{name}.toml").read_bytes(), name)


def _parsed(content: bytes, source: str) -> Table:
    _, read = parsed_toml(content, source)
    name = str(read.pop("name", source))
    base = read.pop("base", None if source == "builtin" else "builtin")
    blocks = read.pop("blocks", [])
    by_block = frozenset(_converted(blocks, list[str], f"{source}: blocks"))
    for operation in (*read, *by_block):
        check_choice(operation, OPERATIONS, f"{source}: collective operation")
    rows = {of: _converted(listed, tuple[Row, ...], f"{source}: {of}") for of, listed in read.items()}
    if any(row.bytes != (0,) for row in rows.get("alltoallv", ())):
        raise ValueError(
            f"{source}: alltoallv: a row depends on bytes, which differ by rank; expected only ranks"
        )
    if base is not None:
        check_choice(base, TABLES, f"{source}: base")
    return Table(name, rows, by_block, None if base is None else shipped_table(base))


def _converted(value: Any, kind: Any, where: str) -> Any:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise ValueError(f"{where}: {error}") from None
