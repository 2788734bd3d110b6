"""The rules of one kind: those of netplace, of installed packages, and of the user."""

from __future__ import annotations

import difflib
import hashlib
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Generic, TypeVar

from netplace.checks import check_choice
from netplace.checks.inputs import input_file
from netplace.extensions.offers import Offer, offers
from netplace.extensions.place import Place, place_in


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file, which is read again only if it has changed."""
    try:
        state = input_file(path).stat()
        return _digest(path, state.st_mtime_ns, state.st_size)
    except OSError as error:
        raise ValueError(f"{path}: cannot be read, {error.strerror}") from None


def _offer_digest(offer: Offer) -> str:
    """Return the digest of an offered rule: of its file, and of the package's name and version."""
    source = file_digest(offer.place.source(offer.group))
    return hashlib.sha256(f"{offer.origin} {source}".encode()).hexdigest()


def current_digest(name: str) -> str:
    """Return the current digest of a file, or of a name in the form that `Registry.source` returns."""
    group, colon, rest = name.partition(":")
    if colon and group.startswith("netplace.") and (offer := offers(group).get(rest)) is not None:
        return _offer_digest(offer)
    path = Path(name)
    if path.suffix == ".py" or path.exists():
        return file_digest(path)
    return file_digest(Place(name, "").source("module"))


@lru_cache(maxsize=1024)
def _digest(path: Path, changed: int, size: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


Entry = TypeVar("Entry")


@dataclass(frozen=True)
class Registry(Generic[Entry]):
    """The registry of one kind of rule, to which users can add their own.

    In its methods, `what` says in error messages where the text came from. A rule that does not exist or does
    not load raises ValueError.

    Attributes
    ----------
    what : str
        Name of the kind of rule in error messages, such as ``"mapping"``.
    known : mapping of str to object
        The dict of built-in rules.
    group : str
        Group of entry points in which packages offer rules.
    wrap : callable
        ``wrap(found, name, description)`` turns the object at a place into an entry like those of `known`. An
        object that is already an entry is not changed.
    """

    what: str
    known: Mapping[str, Entry]
    group: str
    wrap: Callable[[Any, str, str], Entry]

    def names(self) -> list[str]:
        """Return the names of the built-in rules and of the rules that packages offer."""
        return [*self.known, *(name for name in offers(self.group) if name not in self.known)]

    def is_own(self, text: str) -> bool:
        """Return whether `text` selects a rule that is not built in, without loading the rule."""
        return text.partition(":")[0] not in self.known

    def split(self, text: str, what: str = "") -> tuple[str, str]:
        """Split the text of a rule into its name or place and the option that follows."""
        word, _, option = text.partition(":")
        if word in self.known or word in offers(self.group):
            return word, option
        parts = place_in(text)
        if parts is None or not parts[0].exists:
            raise self._unknown(word, parts, what or self.what)
        return str(parts[0]), parts[1]

    def find(self, text: str, what: str = "") -> tuple[Entry, str]:
        """Return the entry that the text of a rule selects, and the option after its name."""
        name, option = self.split(text, what)
        if name in self.known:
            return self.known[name], option
        place = self._place(name)
        return self._entry(place.load(what or self.what), name), option

    def source(self, text: str, what: str = "") -> tuple[str, str] | None:
        """Return the name and the code digest of the selected rule; None for a built-in rule."""
        name, _ = self.split(text, what)
        if name in self.known:
            return None
        if (offer := offers(self.group).get(name)) is not None:
            return f"{self.group}:{name}", _offer_digest(offer)
        place = self._place(name)
        return place.module, file_digest(place.source(self.what))

    def offered(self) -> Iterator[tuple[Offer, Entry | str]]:
        """Yield the rules that packages offer, each with its entry or the reason why it does not load."""
        for name, offer in offers(self.group).items():
            if name not in self.known:
                try:
                    yield offer, self._entry(offer.place.load(self.what), name)
                except ValueError as error:
                    yield offer, str(error)

    def _unknown(self, word: str, parts: tuple[Place, str] | None, what: str) -> ValueError:
        """Return the error about an unknown name or a missing module."""
        names = self.names()
        if parts is not None and not difflib.get_close_matches(word.lower(), names, cutoff=0.5):
            return ValueError(
                f"{what} {str(parts[0])!r}: cannot load {parts[0].module!r}: no module and no {self.what} "
                f"has this name; see netplace list"
            )
        try:
            check_choice(word, names, what)
        except ValueError as error:
            return error
        raise AssertionError("a name that is neither known nor unknown")

    def _place(self, name: str) -> Place:
        offer = offers(self.group).get(name)
        if offer is not None:
            return offer.place
        parts = place_in(name)
        assert parts is not None
        return parts[0]

    def _entry(self, rule: Any, name: str) -> Entry:
        kinds = {type(entry) for entry in self.known.values() if not inspect.isroutine(entry)}
        if type(rule) in kinds:
            entry: Entry = rule
            return entry
        if not callable(rule):
            raise ValueError(
                f"{self.what} {name!r}: is a {type(rule).__name__}, expected a function or class"
            )
        return self.wrap(rule, name, (inspect.getdoc(rule) or "no description").splitlines()[0])
