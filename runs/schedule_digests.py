"""Digests of the input files of a schedule, and of the files of its rules."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from netplace.extensions import Registry, file_digest
from netplace.placement.mapping import MAPPING
from netplace.runs.digests import Digest, among_options, digests_of_wiring
from netplace.runs.file_times import BEST_KNOWN, FILE_TIMES
from netplace.runs.power_file import DEFAULT_POWER
from netplace.runs.site_file import read_site
from netplace.scheduling.partitioner import PARTITIONER
from netplace.scheduling.policy import POLICY
from netplace.scheduling.times import RUN_TIME
from netplace.scheduling.workload import WORKLOADS

# Rules that may be of one's own, by the key under which they are asked for.
_CHOICES: dict[str, Registry[Any]] = {
    "policy": POLICY,
    "partition": PARTITIONER,
    "times": RUN_TIME,
    "mapping": MAPPING,
}
_READ_BY_PARTITIONERS = ("curve", "pss")  # among their options, apart by commas, may be the name of a file


def schedule_digests(said: Mapping[str, Any], workload: str, times: str, power: str) -> tuple[Digest, ...]:
    """Return the files of a schedule with their digests; `said` is by the names of its settings."""
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
            yield from among_options(option)
        elif text and choice.is_own(text) and name not in (*FILE_TIMES, BEST_KNOWN):
            source = choice.source(text)
            if source is not None:
                yield source
