"""Digests of the files that a plan reads and of the files of users' rules, which are part of its key."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from netplace.extensions import Registry, current_digest, file_digest
from netplace.placement.mapping import MAPPING
from netplace.placement.partition import PARTITION
from netplace.topologies import TOPOLOGY, names_file
from netplace.topologies.text_form import innermost

Digest = tuple[str, str]  # the name of a file, or of an offered rule, and its SHA-256


def digest_of(name: str) -> Digest | None:
    """Return a file with its digest; None if there is no such file."""
    # `Path.is_file` raises an error for a list of nodes that is longer than a name may be.
    return (name, file_digest(Path(name))) if os.path.isfile(name) else None


def digest_of_rule(text: str, choice: Registry[Any], what: str = "") -> Digest | None:
    """Return the file that a rule reads, or in which it stands, with its digest; None if there is none."""
    return choice.source(text, what) if choice.is_own(text) else digest_of(text.partition(":")[2])


def digests_of_wiring(network: str) -> tuple[Digest, ...]:
    """Return the files of a network and of its code, with their digests."""
    network = innermost(network)
    if not network:  # which is told when it is read
        return ()
    if TOPOLOGY.is_own(network) and (alone := digest_of(network)) is not None:
        return (alone,)
    if TOPOLOGY.is_own(network):
        source = TOPOLOGY.source(network, f"network {network!r}")
        return () if source is None else (source,)
    return among_options(network.partition(":")[2]) if names_file(network) else ()


def among_options(text: str) -> tuple[Digest, ...]:
    """Return the files among options apart by commas, such as ``machine.conf,links=cables.txt``."""
    digests = (digest_of(word.partition("=")[2] or word) for word in (text, *text.split(",")))
    return tuple(sorted({digest for digest in digests if digest is not None}))


def contents_of(
    network: str, routing: str, partition: str, mappings: Iterable[str], tables: Iterable[str] = ()
) -> tuple[Digest, ...]:
    """Return the files of the network, the routing and the rules of placement, with their digests."""
    digests = {
        digest_of_rule(partition, PARTITION),
        *(digest_of_rule(mapping, MAPPING) for mapping in mappings),
        digest_of(routing.partition(":")[0]),
        *(digest_of(table) for table in tables),
        *digests_of_wiring(network),
    }
    return tuple(sorted(digest for digest in digests if digest is not None))


class UnavailableError(ValueError):
    """A requirement of a run is not available now: a file has changed, or cannot be read."""


def check_digest(name: str, digest: str, now: Callable[[str], str] = current_digest) -> None:
    """Check that a file, or the code of a rule, is unchanged since the description of the run."""
    try:
        current = now(name)
    except ValueError as error:
        raise UnavailableError(str(error)) from None
    if current != digest:
        raise UnavailableError(f"{name}: has changed since the run was specified")
