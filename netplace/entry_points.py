"""What installed packages offer through entry points."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Kind = TypeVar("Kind")

_FILES: set[str] = set()  # of the modules of other packages that were loaded


@lru_cache(maxsize=32)
def entries(group: str) -> dict[str, EntryPoint]:
    """Return the entry points of installed packages in a group, by name; of two with one name, the first."""
    from importlib.metadata import entry_points  # only asked for names that netplace does not know

    found: dict[str, EntryPoint] = {}
    for entry in sorted(entry_points(group=group), key=lambda entry: (entry.name, origin(entry))):
        found.setdefault(entry.name, entry)
    return found


def origin(entry: EntryPoint) -> str:
    """Return the name and version of the package of an entry point."""
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else "unknown"


def load(entry: EntryPoint, label: str) -> Any:
    """Return the object of an entry point; `label` names its kind in errors."""
    try:
        loaded = entry.load()
        if not entry.module.startswith("netplace."):
            _FILES.add(getattr(sys.modules[entry.module], "__file__", None) or "")
        return loaded
    except Exception as error:
        raise ValueError(
            f"{label} {entry.name!r} of {origin(entry)}: cannot load {entry.value!r}, "
            f"{type(error).__name__}: {error}"
        ) from error


def files() -> frozenset[str]:
    """Return the files of the modules of other packages' entry points that were loaded in this process."""
    return frozenset(_FILES)


def digest(entry: EntryPoint) -> str:
    """Return the digest of an entry point that was loaded: of its package and of the file of its module."""
    import hashlib

    file = getattr(sys.modules.get(entry.module), "__file__", None)
    content = hashlib.sha256(Path(file).read_bytes()).hexdigest() if file else ""
    return hashlib.sha256(f"{origin(entry)} {content}".encode()).hexdigest()


class Offers(Mapping[str, Kind], Generic[Kind]):
    """The objects that packages offer in a `group`, each loaded on first use; `label` names their kind."""

    def __init__(self, group: str, label: str, kind: type[Kind]) -> None:
        self._group = group
        self._what = label
        self._kind = kind

    def __getitem__(self, name: str) -> Kind:
        entry = entries(self._group)[name]
        loaded = load(entry, self._what)
        if not isinstance(loaded, self._kind):
            raise ValueError(
                f"{self._what} {name!r} of {origin(entry)}: is a {type(loaded).__name__}, "
                f"expected a {self._kind.__name__}"
            )
        return loaded

    def __contains__(self, name: object) -> bool:
        return name in entries(self._group)

    def __iter__(self) -> Iterator[str]:
        return iter(entries(self._group))

    def __len__(self) -> int:
        return len(entries(self._group))
