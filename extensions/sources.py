"""Digests of the code of rules and of the files that rules read, which are part of a run's key."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

from netplace.checks.inputs import input_file
from netplace.extensions.offers import Offer, offers
from netplace.extensions.place import Place

__all__ = ["current_digest", "file_digest", "offer_digest"]


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file, read again only if it has changed.

    Raises
    ------
    ValueError
        If the file cannot be read.
    """
    try:
        state = path.stat()
        return _digest(path, state.st_mtime_ns, state.st_size)
    except OSError as error:
        raise ValueError(f"{path}: cannot be read, {error.strerror}") from None


def offer_digest(offer: Offer) -> str:
    """Return the digest of an offered rule: of its file, and of the package's name and version."""
    source = file_digest(offer.place.source(offer.group))
    return hashlib.sha256(f"{offer.origin} {source}".encode()).hexdigest()


def current_digest(name: str) -> str:
    """Return the current digest of a name in the form of `Choice.source`, or of a file.

    Raises
    ------
    ValueError
        If it no longer exists.
    """
    group, colon, rest = name.partition(":")
    if colon and group.startswith("netplace.") and (offer := offers(group).get(rest)) is not None:
        return offer_digest(offer)
    path = Path(name)
    if path.suffix == ".py" or path.exists():
        return file_digest(path)
    return file_digest(Place(name, "").source("module"))


@lru_cache(maxsize=1024)
def _digest(path: Path, changed: int, size: int) -> str:
    with input_file(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
