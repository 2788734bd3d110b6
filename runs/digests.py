"""Digests of the files that a plan reads, or in which rules of one's own stand: a part of what it is."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from netplace.extensions import Choice, file_digest
from netplace.placement.mapping import MAPPING
from netplace.runs.file_times import BEST_KNOWN, FILE_TIMES
from netplace.runs.power_file import DEFAULT_POWER
from netplace.runs.site_file import read_site
from netplace.scheduling.partitioner import PARTITIONER
from netplace.scheduling.policy import POLICY
from netplace.scheduling.times import RUN_TIME
from netplace.scheduling.workload import WORKLOADS
from netplace.topologies import TOPOLOGY, names_file

__all__ = ["Digest", "digest_of", "digest_of_rule", "digests_of_wiring", "schedule_digests"]

Digest = tuple[str, str]  # the name of a file, or of an offered rule, and its SHA-256

# Rules that may be of one's own, by the key under which they are asked for.
_CHOICES: dict[str, Choice[Any]] = {
    "policy": POLICY,
    "partition": PARTITIONER,
    "times": RUN_TIME,
    "mapping": MAPPING,
}
_READ_BY_PARTITIONERS = ("curve", "pss")  # among their options, apart by commas, may be the name of a file


def digest_of(name: str) -> Digest | None:
    """Return a file with its digest; None if there is no such file."""
    return (name, file_digest(Path(name))) if name and Path(name).is_file() else None


def digest_of_rule(text: str, choice: Choice[Any], what: str = "") -> Digest | None:
    """Return the file that a rule reads, or in which it stands, with its digest; None if there is none."""
    return choice.source(text, what) if choice.is_own(text) else digest_of(text.partition(":")[2])


def digests_of_wiring(network: str) -> tuple[Digest, ...]:
    """Return the files that a network is read from or stands in, with their digests."""
    while network.startswith(("faulty:", "service:")):  # what stands behind the slash counts
        network = network.partition("/")[2]
    if TOPOLOGY.is_own(network):
        source = TOPOLOGY.source(network, f"network {network!r}")
        return () if source is None else (source,)
    return _among_options(network.partition(":")[2]) if names_file(network) else ()


def _among_options(text: str) -> tuple[Digest, ...]:
    """Return the files among options apart by commas, such as ``machine.conf,links=cables.txt``."""
    digests = (digest_of(word.partition("=")[2] or word) for word in (text, *text.split(",")))
    return tuple(sorted({digest for digest in digests if digest is not None}))


def schedule_digests(said: Mapping[str, Any], workload: str, times: str, power: str) -> tuple[Digest, ...]:
    """Return the files of a schedule with their digests.

    Parameters
    ----------
    said : mapping
        What a user asks for, by `netplace.runs.plan.KEYS`.
    workload, times, power : str
        As they are in the plan.
    """
    digests = []
    if "site" in said:  # with the outages that it may name
        digests.append(("site", hashlib.sha256(repr(read_site(said["site"])).encode()).hexdigest()))
    if workload not in WORKLOADS:
        digests.append(("workload", file_digest(Path(workload))))
    name, _, path = times.partition(":")
    if name == "table":
        digests.append(("times", file_digest(Path(path))))
    if power not in ("", DEFAULT_POWER):
        digests.append(("power", file_digest(Path(power))))
    return (*digests, *sorted(set(_of_rules(said))))


def _of_rules(said: Mapping[str, Any]) -> Iterator[Digest]:
    """Yield the files that machine and rules read, or in which they stand, with their digests."""
    yield from digests_of_wiring(str(said["machine"]))
    for key, choice in _CHOICES.items():
        text = str(said.get(key, ""))
        name, _, option = text.partition(":")
        if name in _READ_BY_PARTITIONERS and key == "partition":
            yield from _among_options(option)
        elif text and choice.is_own(text) and name not in (*FILE_TIMES, BEST_KNOWN):
            source = choice.source(text)
            if source is not None:
                yield source
