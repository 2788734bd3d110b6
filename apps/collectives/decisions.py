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

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from netplace.apps.collectives.call import OPERATIONS, Call
from netplace.files import parsed_toml, read_content
from netplace.inputs import abbreviate, check_choice, check_int

TABLES = {
    "builtin": "the algorithms of Thakur, Rabenseifner and Gropp, one or two for each operation",
    "openmpi": "Open MPI 4.1 and 5.0, coll/tuned, for operations that commute",
    "mpich": "MPICH 4.0, for communicators without information on nodes",
    "nccl": "NCCL, by its time model for nodes with 8 A100",
}

_OPTIONS = {"segment": 0, "fanout": 1, "radix": 2, "group": 0}  # with the least value
_CONDITIONS = ("power_of_two", "few_elements")
_TOTALS = ("allgather", "gather", "scatter")  # whose calls give the bytes of one block


@dataclass(frozen=True)
class Row:
    """A rule of a table."""

    algorithm: str  # name of the chosen algorithm
    # Range of ranks, and of bytes, both ends inclusive.
    ranks: tuple[int, int | None] = (1, None)
    bytes: tuple[int, int | None] = (0, None)
    power_of_two: bool | None = None  # whether the number of ranks must, or must not, be a power of two
    # Whether vectors must, or must not, have fewer elements than the largest power of two up to the number of
    # ranks.
    few_elements: bool | None = None
    options: Mapping[str, int] = field(default_factory=dict)  # attributes of a `Call` that it sets

    def fits(self, ranks: int, bytes: int, few_elements: bool) -> bool:
        return (
            _inside(ranks, self.ranks)
            and _inside(bytes, self.bytes)
            and self.power_of_two in (None, ranks & (ranks - 1) == 0)
            and self.few_elements in (None, few_elements)
        )


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
            raise _gap(self.name, call.operation, call.ranks, bytes)
        return row

    def _measure(self, call: Call) -> int:
        """Return the bytes that rows are compared with."""
        by_block = call.operation in self.blocks
        if call.operation in _TOTALS:
            return call.bytes if by_block else call.bytes * call.ranks
        if call.operation in ("alltoall", "alltoallv"):
            return call.bytes
        return call.bytes // call.ranks if by_block else call.bytes


def decision_table(text: str, what: str = "--collectives") -> Table:
    """Return the table called `text`: a key of `TABLES`, or a TOML file."""
    if text in TABLES:
        return shipped_table(text)
    path = Path(text)
    if path.suffix != ".toml":
        check_choice(text, TABLES, f"{what} (a table, or a file that ends in .toml)")
    try:
        content = read_content(path)
    except OSError as error:
        raise ValueError(f"{what}: {text} cannot be read, {error.strerror}") from None
    return _parsed(content, str(path))


@cache
def shipped_table(name: str) -> Table:
    return _parsed((files(__package__) / "tables" / f"{name}.toml").read_bytes(), name)


def _parsed(content: bytes, source: str) -> Table:
    _, read = parsed_toml(content, source)
    name = source if source in TABLES else str(read.pop("name", source))
    read.pop("name", None)
    base = read.pop("base", None if source == "builtin" else "builtin")
    blocks = frozenset(_blocks(read.pop("blocks", []), source))
    rows = {}
    for operation, listed in read.items():
        check_choice(operation, OPERATIONS, f"{source}: collective operation")
        if not isinstance(listed, list) or not listed:
            raise ValueError(f"{source}: {operation} is {abbreviate(listed)}, expected a list of rows")
        rows[operation] = tuple(
            _row(row, f"{source}: {operation}, row {number}") for number, row in enumerate(listed, 1)
        )
        _check_no_gap(source, operation, rows[operation])
        if operation == "alltoallv" and any(row.bytes != (0, None) for row in rows[operation]):
            raise ValueError(
                f"{source}: alltoallv: a row depends on bytes, which differ by rank; expected only ranks"
            )
    if base is not None:
        check_choice(base, TABLES, f"{source}: base")
    return Table(name, rows, blocks, None if base is None else shipped_table(base))


def _blocks(listed: Any, source: str) -> Iterator[str]:
    if not isinstance(listed, list):
        raise ValueError(f"{source}: blocks is {abbreviate(listed)}, expected a list of operations")
    for operation in listed:
        yield check_choice(operation, OPERATIONS, f"{source}: blocks")


def _row(row: Any, where: str) -> Row:
    if not isinstance(row, dict) or not isinstance(row.get("algorithm"), str):
        raise ValueError(f"{where}: is {abbreviate(row)}, expected a table with an algorithm")
    for key in row:
        check_choice(key, ("algorithm", "ranks", "bytes", *_CONDITIONS, *_OPTIONS), where)
    for key in _CONDITIONS:
        if row.get(key) not in (None, True, False):
            raise ValueError(f"{where}: {key} is {abbreviate(row[key])}, expected true or false")
    options = {
        key: check_int(row[key], f"{where}: {key}", least) for key, least in _OPTIONS.items() if key in row
    }
    return Row(
        row["algorithm"],
        _bounds(row.get("ranks", [1]), f"{where}: ranks"),
        _bounds(row.get("bytes", [0]), f"{where}: bytes"),
        **{key: row.get(key) for key in _CONDITIONS},
        options=options,
    )


def _bounds(listed: Any, what: str) -> tuple[int, int | None]:
    if not isinstance(listed, list) or len(listed) not in (1, 2):
        raise ValueError(f"{what}: is {abbreviate(listed)}, expected [least] or [least, most]")
    least = check_int(listed[0], what, 0)
    return least, None if len(listed) == 1 else check_int(listed[1], what, least)


def _check_no_gap(source: str, operation: str, rows: tuple[Row, ...]) -> None:
    """Check that some row fits whatever the ranks, from 2 on, and bytes."""
    for ranks in _representatives(2, (row.ranks for row in rows)):
        powers = [1 << (ranks - 1).bit_length(), ranks + (ranks & (ranks - 1) == 0)]
        last = next(
            iter(sorted(row.ranks[1] for row in rows if row.ranks[1] and row.ranks[1] >= ranks)), None
        )
        for number in sorted({ranks, *(power for power in powers if last is None or power <= last)}):
            for bytes in _representatives(0, (row.bytes for row in rows)):
                if not all(any(row.fits(number, bytes, few) for row in rows) for few in (True, False)):
                    raise _gap(source, operation, number, bytes)


def _representatives(least: int, bounds: Iterator[tuple[int, int | None]]) -> list[int]:
    numbers = {least}
    for begin, end in bounds:
        numbers |= {begin} if end is None else {begin, end + 1}
    return sorted(number for number in numbers if number >= least)


def _gap(source: str, operation: str, ranks: int, bytes: int) -> ValueError:
    return ValueError(
        f"collectives {source!r}: no row of {operation} fits {ranks} ranks and {bytes} bytes, expected a "
        f"row for all sizes"
    )


def _inside(number: int, bounds: tuple[int, int | None]) -> bool:
    return bounds[0] <= number and (bounds[1] is None or number <= bounds[1])
