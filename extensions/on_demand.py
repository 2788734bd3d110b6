"""A dict of built-in rules, some of which are imported on first use."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from typing import TypeVar

Entry = TypeVar("Entry")


class OnDemand(MutableMapping[str, Entry]):
    """Entries by name; entries of other tables are imported, with their dependencies, on first use.

    Listing, counting and testing names needs no import. `here` contains the first entries; `elsewhere`
    contains the names of the other entries for each table (``module:TABLE``), in order.
    """

    def __init__(self, here: Mapping[str, Entry], elsewhere: Mapping[str, Iterable[str]]) -> None:
        self._entries: dict[str, Entry | None] = dict(here)  # None: not yet imported
        self._tables = {name: table for table, names in elsewhere.items() for name in names}
        self._entries.update(dict.fromkeys(self._tables))

    def __getitem__(self, name: str) -> Entry:
        entry = self._entries[name]
        if entry is None:
            module, _, table = self._tables[name].partition(":")
            imported: Entry = getattr(importlib.import_module(module), table)[name]
            self._entries[name] = entry = imported
        return entry

    def __setitem__(self, name: str, entry: Entry) -> None:
        self._entries[name] = entry

    def __delitem__(self, name: str) -> None:
        del self._entries[name]

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)
