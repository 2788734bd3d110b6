"""The rules that choose the nodes of jobs: which may be named, and what each knows of free nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.apps import APPLICATIONS
from netplace.checks import abbreviate
from netplace.extensions import Registry
from netplace.live.searches import change, occupy
from netplace.placement.mapping import MAPPINGS
from netplace.scheduling import Partitioner, make_partitioner
from netplace.scheduling.partitioner import PARTITIONERS
from netplace.topologies import Topology

__all__ = ["Choices", "check_name"]

_KEPT = 8  # partitioners with their own account of free nodes
_SECONDS = 300.0  # from one look at a file to the next, as in the paper on processor sets
_SLOW = ("gen-alg+inc", "line", "mm+inc", "optimal")  # searches, of up to any length
_READ_FILES = ("file", "hosts")  # mappings
_KNOWN: dict[str, Registry[Any]] = {
    "partition": PARTITIONERS,
    "mapping": MAPPINGS,
    "app": APPLICATIONS,
}


def check_name(kind: str, text: str, allowed: Iterable[str]) -> None:
    """Refuse an unknown rule or application, and one that reads a file unless it is allowed.

    Nothing is imported or opened to find out.
    """
    name, _, option = text.partition("," if kind == "app" else ":")
    _KNOWN[kind].split(name if kind == "app" else text, kind)
    reads = (
        name in _READ_FILES
        or (name == "pss" and option not in ("", "levels"))
        or any(sign in option for sign in ("/", ".py", "file=", "times=", ":"))
    )
    if reads and text not in allowed:
        raise ValueError(
            f"{kind} {abbreviate(text)}: names a file; the operator allows such names with --allow"
        )


class Choices:
    """Partitioners of a machine, of which some are kept with an account of free nodes.

    The configuration of a ``pss:FILE`` is read again when its file has changed; an invalid one is told, and
    the one before stays in use.
    """

    def __init__(self, topology: Topology, clock: Callable[[], float], tell: Callable[[str], None]) -> None:
        self._topology, self._clock, self._tell = topology, clock, tell
        # By rule: the partitioner of the empty machine, the time of its file, and of the last look at it.
        self._configured: dict[str, tuple[Partitioner, int, float]] = {}
        self._kept: dict[str, Partitioner] = {}

    @staticmethod
    def is_search(rule: str) -> bool:
        """Return whether a rule can take long: it runs beside other requests, and its nodes may be lost."""
        name = rule.partition(":")[0]
        return name in _SLOW or not PARTITIONERS.is_built_in(name)

    def empty(self, rule: str, seed: int = 0) -> Partitioner:
        """Return a partitioner of the empty machine."""
        self._read_again(rule)
        if rule in self._configured:
            return self._configured[rule][0].copy()
        return make_partitioner(rule, self._topology, seed)

    def fresh(self, rule: str, free: NDArray[np.bool_], seed: int = 0) -> Partitioner:
        """Return a partitioner of a machine on which other nodes than the free ones are taken."""
        made = self.empty(rule, seed)
        occupy(made, self._topology, free)
        return made

    def kept(self, rule: str, free: NDArray[np.bool_]) -> Partitioner:
        """Return the partitioner of a rule that is kept; it is made of the free nodes if there is none."""
        if self._read_again(rule):
            self._kept.pop(rule, None)
        if rule not in self._kept:
            if len(self._kept) >= _KEPT:
                self._kept.pop(next(iter(self._kept)))
            self._kept[rule] = self.fresh(rule, free)
        return self._kept[rule]

    def turn(self, nodes: NDArray[np.int64], free: bool) -> None:
        """Make nodes free, or not, for the partitioners that are kept."""
        for partitioner in self._kept.values():
            change(partitioner, self._topology, nodes, free)

    def _read_again(self, rule: str) -> bool:
        """Read a file if it has changed; return whether partitioners made before are out of date."""
        name, _, option = rule.partition(":")
        source = option.partition(",")[0]
        made, before, looked = self._configured.get(rule, (None, 0, float("-inf")))
        now = self._clock()
        if name != "pss" or source in ("", "levels") or 0 <= now - looked < _SECONDS:
            return False
        path = Path(source)
        changed = path.stat().st_mtime_ns if path.exists() else 0
        try:
            new = made if made and changed == before else make_partitioner(rule, self._topology)
        except (ValueError, OSError) as error:
            if made is None:
                raise
            self._tell(f"{' '.join(str(error).split())}; the configuration read before stays in use")
            new = made
        self._configured[rule] = new, changed, now
        return new is not made
