"""Partitioners by processor sets, whose configuration is read again when its file has changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from netplace.scheduling import Partitioner, make_partitioner
from netplace.topologies import Topology

_SECONDS = 300.0  # from one look at a file to the next, as in the paper on processor sets


class Configurations:
    """Makes partitioners of the empty machine; an invalid new configuration is reported and not used."""

    def __init__(self, topology: Topology, clock: Callable[[], float], tell: Callable[[str], None]) -> None:
        self._topology, self._clock, self._tell = topology, clock, tell
        # By rule: the partitioner, the time of its file, and the time of the last look at it.
        self._known: dict[str, tuple[Partitioner, int, float]] = {}

    def make(self, rule: str, seed: int = 0) -> Partitioner:
        self.read_again(rule)
        return (
            self._known[rule][0].copy()
            if rule in self._known
            else make_partitioner(rule, self._topology, seed)
        )

    def read_again(self, rule: str) -> bool:
        """Read a file if it has changed; return whether partitioners made before are out of date."""
        name, _, option = rule.partition(":")
        source = option.partition(",")[0]
        made, before, looked = self._known.get(rule, (None, 0, float("-inf")))
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
        self._known[rule] = new, changed, now
        return new is not made
