"""The rules of one kind by name: those of netplace, of plug-ins, and of installed packages."""

from __future__ import annotations

import importlib
import inspect
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from netplace.entry_points import digest, entries, load, origin
from netplace.inputs import abbreviate, check_choice

_NAME = re.compile(r"[\w.+-]+")

Entry = TypeVar("Entry")
Source = tuple[str, str]  # whose code it is, and the digest of the code


@dataclass(frozen=True)
class Loading:
    """The plug-in that is being loaded, and the names that it has added."""

    source: Source
    added: list[tuple[Registry[Any], str]] = field(default_factory=list)


LOADING: ContextVar[Loading | None] = ContextVar("LOADING", default=None)
UNFILED: dict[str, str] = {}  # what was added by no file, with a digest that no other process gives it


class Registry(Mapping[str, Entry], Generic[Entry]):
    """The rules of one kind by name: a table to which users add their own.

    As a mapping, it contains the rules of netplace, and those that were added. `names`, `find` and `source`
    also know the rules that installed packages offer, which are loaded when they are looked up.

    Parameters
    ----------
    label : str
        Name of the kind of rule in error messages, such as ``"mapping"``.
    group : str
        Group of entry points in which packages offer rules.
    kind : type, optional
        Type of an entry; if none is given, an entry is a function.
    built_in : mapping of str to object
        The rules of netplace.
    wrap : callable, optional
        ``wrap(function, name, description)`` returns the entry of a user's function or class.
    tables : mapping of str to names, optional
        Further rules of netplace, by the table (``module:TABLE``) that is imported when one is looked up.
    """

    def __init__(
        self,
        label: str,
        group: str,
        kind: type[Any] | None,
        built_in: Mapping[str, Entry],
        wrap: Callable[[Any, str, str], Entry] | None = None,
        tables: Mapping[str, Iterable[str]] | None = None,
    ) -> None:
        self.label = label
        self.group = group
        self._kind = kind
        self._wrap = wrap
        self._tables = {name: table for table, names in (tables or {}).items() for name in names}
        self._entries: dict[str, Entry | None] = {**built_in, **dict.fromkeys(self._tables)}  # None: not yet
        self._sources: dict[str, Source] = {}  # of the names that were added

    def __getitem__(self, name: str) -> Entry:
        entry = self._entries[name]
        if entry is None:
            module, _, table = self._tables[name].partition(":")
            imported: Entry = getattr(importlib.import_module(module), table)[name]
            self._entries[name] = entry = imported
        return entry

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, name: str, entry: Entry | Callable[..., Any]) -> None:
        """Add a rule under a name that is not taken.

        A function or class becomes an entry with the first line of its docstring as the description. What a
        plug-in adds is known to workers too; a rule that is added elsewhere, such as in a notebook, is known
        in this process only.

        Raises
        ------
        ValueError
            If the name is taken or contains other characters than letters, digits and ``_.+-``, or if the
            entry is not of the kind.
        """
        if not _NAME.fullmatch(name):
            raise ValueError(
                f"{self.label} {abbreviate(name)}: is not a name, expected letters, digits, _.+-"
            )
        if name in self._entries or name in entries(self.group):
            raise ValueError(f"{self.label} {name!r}: the name is taken, by {self._owner(name)}")
        made = self._entry(entry, name)
        if (loading := LOADING.get()) is not None:
            loading.added.append((self, name))
            self._sources[name] = loading.source
        else:
            self._sources[name] = f"process:{self.group}:{name}", os.urandom(32).hex()
            UNFILED.update([self._sources[name]])
        self._entries[name] = made

    def _remove(self, name: str) -> None:
        """Take out a rule that was added; what was computed with it may still be cached."""
        del self._entries[name]
        UNFILED.pop(self._sources.pop(name)[0], None)

    def names(self) -> list[str]:
        """Return all names, those that packages offer included."""
        return [
            *self._entries,
            *(name for name in entries(self.group) if name not in self._entries),
        ]

    def is_built_in(self, text: str) -> bool:
        """Return whether `text`, a name with or without an option, selects a rule of netplace."""
        name = text.partition(":")[0]
        return name in self._entries and name not in self._sources

    def split(self, text: str, label: str = "") -> tuple[str, str]:
        """Split the text of a rule into its name, which must be known, and the option after a colon.

        `label` says in errors where the text came from.
        """
        name, _, option = text.partition(":")
        if name in self._entries or name in entries(self.group):
            return name, option
        if name.endswith(".py"):
            raise ValueError(
                f"{label or self.label}: unknown name {abbreviate(text)}; a file with rules is loaded by "
                "--plugin FILE.py, and its rules are selected by the names that it adds"
            )
        check_choice(name, self.names(), label or self.label)
        raise AssertionError("a name that is neither known nor unknown")

    def find(self, text: str, label: str = "") -> tuple[Entry, str]:
        """Return the rule that a text selects, and the option after its name."""
        name, option = self.split(text, label)
        if name in self._entries:
            return self[name], option
        entry = entries(self.group)[name]
        return self._entry(load(entry, self.label), name), option

    def source(self, text: str, label: str = "") -> Source | None:
        """Return whose code the selected rule is, with its digest; None for a rule of netplace."""
        name, _ = self.split(text, label)
        if name in self._entries:
            return self._sources.get(name)
        entry = entries(self.group)[name]
        load(entry, self.label)
        return f"package:{self.group}:{name}", digest(entry)

    def sources(self) -> set[Source]:
        """Return whose code the rules are that are not of netplace, with their digests."""
        return {source for name in self.names() if (source := self.source(name)) is not None}

    def offered(self) -> Iterator[tuple[str, Entry | str, str]]:
        """Yield the name and entry of each rule that packages offer, and the package.

        Instead of the entry of a rule that does not load, the reason.
        """
        for name, entry in entries(self.group).items():
            if name not in self._entries:
                try:
                    yield name, self.find(name)[0], origin(entry)
                except ValueError as error:
                    yield name, str(error), origin(entry)

    def _owner(self, name: str) -> str:
        if name in self._sources:
            return self._sources[name][0].removeprefix("plugin:").replace("process:", "this process as ")
        return "netplace" if name in self._entries else origin(entries(self.group)[name])

    def _entry(self, rule: Any, name: str) -> Entry:
        """Return an entry as it is, and that of a function or class."""
        if self._kind is not None and isinstance(rule, self._kind):
            entry: Entry = rule
            return entry
        if not callable(rule) or (self._kind is not None and self._wrap is None):
            expected = self._kind.__name__ if self._kind is not None else "function"
            expected += " or a function" if self._kind is not None and self._wrap is not None else ""
            raise ValueError(f"{self.label} {name!r}: is a {type(rule).__name__}, expected a {expected}")
        if self._wrap is None:
            found: Entry = rule
            return found
        return self._wrap(rule, name, (inspect.getdoc(rule) or "no description").splitlines()[0])
