"""Digests of the files that a plan reads and of the files of users' rules, which are part of its key."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from netplace.apps import APPLICATIONS
from netplace.placement.mapping import MAPPINGS
from netplace.plugins import current_digest, file_digest
from netplace.registry import Registry
from netplace.runs.partitions import partitions_with
from netplace.topologies import TOPOLOGIES, names_file
from netplace.topologies.slurm import included_files
from netplace.topologies.text_form import innermost

Digest = tuple[str, str]  # the name of a file, or of an offered rule, and its SHA-256


def digest_of(name: str) -> Digest | None:
    """Return a file with its digest; None if there is no such file."""
    # `Path.is_file` raises an error for a list of nodes that is longer than a name may be.
    return (name, file_digest(Path(name))) if os.path.isfile(name) else None


def digest_of_rule(text: str, choice: Registry[Any], label: str = "") -> Digest | None:
    """Return whose code a rule is, or the file that a rule of netplace reads; None if neither."""
    return choice.source(text, label) or digest_of(text.partition(":")[2])


def digests_of_wiring(network: str) -> tuple[Digest, ...]:
    """Return the files of a network and of its code, with their digests."""
    network = innermost(network)
    if not network:  # which is told when it is read
        return ()
    name = network.partition(":")[0]
    if name not in TOPOLOGIES and (alone := digest_of(network)) is not None:
        return (alone,)
    if (source := TOPOLOGIES.source(network, f"network {network!r}")) is not None:
        return (source,)
    named = among_options(network.partition(":")[2]) if names_file(network) else ()
    inputs = [name for file, _ in named for name in included_files(file)]
    return tuple(sorted({*named, *(digest for name in inputs if (digest := digest_of(name)))}))


def among_options(text: str) -> tuple[Digest, ...]:
    """Return the files among options apart by commas, such as ``machine.conf,links=cables.txt``."""
    digests = (digest_of(word.partition("=")[2] or word) for word in (text, *text.split(",")))
    return tuple(sorted({digest for digest in digests if digest is not None}))


def contents_of(
    network: str,
    routing: str,
    partition: str,
    mappings: Iterable[str],
    tables: Iterable[str] = (),
    sources: Iterable[Digest] = (),
) -> tuple[Digest, ...]:
    """Return files and code of the network, the routing and the placement, and `sources`, with digests."""
    digests = {
        digest_of_rule(partition, partitions_with(partition)),
        *(digest_of_rule(mapping, MAPPINGS) for mapping in mappings),
        source_of_routing(routing),
        *(digest_of(table) for table in tables),
        *digests_of_wiring(network),
        *sources,
    }
    return tuple(sorted(digest for digest in digests if digest is not None))


def source_of_routing(routing: str) -> Digest | None:
    """Return whose code a routing is, with its digest; None for those of netplace."""
    if routing == "default":
        return None
    from netplace.topologies.routing import ROUTINGS  # few runs need the tables

    return ROUTINGS.source(routing)


def sources_of_algorithms() -> set[Digest]:
    """Return whose code algorithms of collectives are, other than those of netplace."""
    from netplace.apps.collectives import OPERATIONS, algorithms_of

    return set().union(*(algorithms_of(operation).sources() for operation in OPERATIONS))


def sources_of_formats() -> set[Digest]:
    """Return whose code may read a trace, other than that of netplace."""
    from netplace.apps.formats import FORMATS

    return FORMATS.sources()


def sources_of_programs() -> set[Digest]:
    """Return whose code may be in the programs of jobs that a file names, other than that of netplace."""
    return {*APPLICATIONS.sources(), *sources_of_algorithms(), *sources_of_formats()}


class UnavailableError(ValueError):
    """A requirement of a run is not available now: a file has changed, or cannot be read."""


def check_digest(name: str, digest: str, now: Callable[[str], str] | None = None) -> None:
    """Check that a file, or the code of a rule, is unchanged since the description of the run."""
    try:
        current = now(name) if now else current_digest(name, digest)
    except ValueError as error:
        raise UnavailableError(str(error)) from None
    if current != digest:
        raise UnavailableError(f"{name}: has changed since the run was specified")
