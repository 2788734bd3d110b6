"""The choice of nodes and of an order of ranks for a job; requests are answered while searches run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.apps import APPLICATIONS
from netplace.apps.bundled import bundled_trace
from netplace.inputs import abbreviate
from netplace.live.messages import Place, RequestError, Took
from netplace.live.searches import LateError, change, free_nodes, here, occupy, rank_order
from netplace.live.state import MachineState
from netplace.placement.mapping import MAPPINGS
from netplace.placement.rule import Nodes
from netplace.registry import Registry
from netplace.scheduling import Job, Partitioner, make_partitioner
from netplace.scheduling.partitioner import PARTITIONERS
from netplace.topologies import Topology

_KEPT = 8  # partitioners with their own account of free nodes
_SECONDS = 300.0  # from one look at a file to the next, as in the paper on processor sets
_SLOW = ("gen-alg+inc", "line", "mm+inc", "optimal")  # searches, of up to any length
_READ_FILES = ("file", "hosts", "nodes")  # mappings, and a partition
_KNOWN: dict[str, Registry[Any]] = {"partition": PARTITIONERS, "mapping": MAPPINGS, "program": APPLICATIONS}


def check_name(kind: str, text: str, allowed: Iterable[str]) -> None:
    """Refuse an unknown rule or program, and one that reads a file unless it is allowed.

    Nothing is imported or opened to find out. Bundled traces are no files of users.
    """
    name, _, option = text.partition("," if kind == "program" else ":")
    if kind != "program" or (text not in allowed and bundled_trace(name) is None):
        _KNOWN[kind].split(name if kind == "program" else text, kind)
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

    The configuration of a ``pss:FILE`` is read again when its file has changed; an invalid one is reported,
    and the one before stays in use.
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


_FALLBACK = "non-contiguous"  # the first free nodes, for a job whose own rule takes too long
_MOST_LOST = 3  # searches whose nodes other jobs took meanwhile


class JobPlacer(MachineState):
    """A machine and the rules that place jobs on it."""

    def __init__(
        self,
        machine: Topology,
        hosts: Iterable[str],
        partition: str,
        mapping: str,
        *,
        allowed: Iterable[str] = (),
        clock: Callable[[], float] = time.time,
        tell: Callable[[str], None] = print,
    ) -> None:
        super().__init__(machine, hosts, clock())
        self.clock = clock
        self.partition, self.mapping = partition or "slurm", mapping
        self.allowed = {*allowed, self.partition, self.mapping}
        # search(function, *arguments) returns function(machine, *arguments) or raises LateError. While it
        # runs, the cluster may change.
        self.search = here(machine)
        self._choices = Choices(self.topology, clock, tell)
        self._choices.empty(self.partition)  # refuses an unknown rule at once
        MAPPINGS.find(mapping)

    def turn(self, nodes: Nodes, free: bool) -> None:
        """Make nodes free, or not, here and for the rules."""
        super().turn(nodes, free)
        self._choices.turn(nodes, free)

    def check(self, request: Place) -> None:
        """Refuse names that run code or read files, and sizes that never fit."""
        check_name("partition", request.partition or self.partition, self.allowed)
        check_name("mapping", request.mapping or self.mapping, self.allowed)
        check_name("program", request.program or "all-to-all", self.allowed)
        maximum = len(self.topology.computing)
        if request.nodes > maximum:
            raise RequestError(
                f"job {abbreviate(request.job)}: {request.nodes} nodes, but the machine has {maximum}"
            )

    def choose(self, request: Place) -> Took | None:
        """Return what a job takes; None if the rule has no place for it now."""
        self.check(request)
        partition, mapping = request.partition or self.partition, request.mapping or self.mapping
        notes: list[str] = []
        lost = 0
        with self._placed_now(request.job):
            while True:
                free = int(self.free.sum())
                if request.nodes > free:
                    return None
                try:
                    found = self._find(request, partition)
                except LateError as late:
                    notes.append(f"partition {partition} {late}: {_FALLBACK}")
                    partition = _FALLBACK
                    continue
                if found is None or len(found) < request.nodes:
                    return None
                if not self.free[found].all():  # given to another job during the search
                    lost += 1
                    if lost == _MOST_LOST:
                        notes.append(f"partition {partition} lost its nodes to other jobs: {_FALLBACK}")
                        partition = _FALLBACK
                    continue
                ranks = found[: request.nodes].repeat(self.slots).tolist()
                if mapping != "consecutive":
                    try:
                        ranks = self._order(request, mapping, found)
                    except LateError as late:
                        notes.append(f"mapping {mapping} {late}: consecutive")
                        mapping = "consecutive"
                if self.free[found].all():  # none went down meanwhile
                    break
        extra = np.setdiff1d(found, ranks).tolist()
        return Took(request, ranks, partition, mapping, self.clock(), free, extra, "; ".join(notes))

    def _find(self, request: Place, rule: str) -> Nodes | None:
        """Return the nodes that a rule chooses for a job."""
        seconds, program = request.seconds, request.program.partition(",")[0]
        job = Job(len(self.jobs), 0.0, request.nodes, seconds, seconds, program)
        inside = self._inside(request.among)
        kind, _ = PARTITIONERS.find(rule)
        if self._choices.is_search(rule) or kind.is_random or inside is not None:
            free = self.free.copy() if inside is None else self.free & inside
            return self.by_rule(rule, free, request.seed, job)
        found = self._choices.kept(rule, self.free).find(job)
        return None if found is None else found.nodes

    def by_rule(self, rule: str, free: NDArray[np.bool_], seed: int, job: Job) -> Nodes | None:
        """Return the nodes that a rule chooses of free ones."""
        if self._choices.is_search(rule):
            return self.search(free_nodes, rule, free, seed, job)  # type: ignore[no-any-return]
        found = self._choices.fresh(rule, free, seed).find(job)
        return None if found is None else found.nodes

    def _inside(self, among: str) -> NDArray[np.bool_] | None:
        if not among:
            return None
        inside = np.zeros(len(self.free), bool)
        inside[self.node_numbers(among, "among")] = True
        return inside

    def _order(self, request: Place, mapping: str, nodes: Nodes) -> list[int]:
        """Return the host of each rank; meanwhile, no other job gets the nodes."""
        self._promised[request.job] = nodes
        self.turn(nodes, False)
        try:
            made = self.search(rank_order, mapping, request.program, nodes, request.nodes, request.seed)
            return made  # type: ignore[no-any-return]
        finally:
            self._promised[request.job] = nodes[:0]
            self.turn(self.up(nodes), True)

    @contextmanager
    def _placed_now(self, job: str) -> Iterator[None]:
        """Let no other request change a job while it is being placed."""
        self.refuse_promised(job)
        self._promised[job] = np.zeros(0, np.int64)
        try:
            yield
        finally:
            del self._promised[job]

    def refuse_promised(self, job: str) -> None:
        if job in self._promised:
            raise RequestError(f"job {abbreviate(job)}: is being placed for another request, ask again")
