"""The state of a machine and its jobs, which events alone change, and which a snapshot holds whole."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from netplace.inputs import abbreviate
from netplace.live.messages import Event, Left, Marked, Snapshot, Took, Waits
from netplace.placement.rule import Nodes
from netplace.topologies import Topology
from netplace.topologies.compute_nodes import network_of_hosts, slots_a_host
from netplace.topologies.host_lists import count_hosts, expand, host_list

STATES = ("up", "down", "off")
_MOST_KEYS = 10_000


def host_names(topology: Topology) -> tuple[str, ...]:
    """Return the names of the nodes in the topology's file, or n0, n1, .."""
    return topology.hosts or tuple(f"n{node}" for node in range(topology.nodes))


@dataclass(frozen=True)
class Held:
    """A job that holds nodes: its event and all of its nodes."""

    took: Took
    nodes: Nodes


class MachineState:
    """A machine, its jobs and its queue; its hosts, which may have several slots each, are the nodes."""

    def __init__(self, machine: Topology, hosts: Iterable[str], now: float) -> None:
        self.machine, self.slots = machine, slots_a_host(machine)
        self.topology = topology = network_of_hosts(machine)
        names = tuple(hosts) or host_names(topology)
        self.number = {name: node for node, name in enumerate(names)}
        if len(self.number) != topology.nodes:
            raise ValueError(
                f"hosts: {len(self.number)} names for the {topology.nodes} hosts of {machine}, expected one "
                "name each"
            )
        self.hosts = names
        self.jobs: dict[str, Held] = {}
        self.waiting: dict[str, Waits] = {}  # in order
        self.keys: dict[str, Took | Waits] = {}  # what became of the last requests with a key
        self.states = ["up"] * topology.nodes
        self.since = np.full(topology.nodes, now)  # when each node became idle, or was marked
        self.free = np.ones(topology.nodes, bool)  # whether each node is up and of no job
        self.free[topology.service] = False
        self.changes = 0  # events
        self._promised: dict[str, Nodes] = {}  # nodes of jobs for which a search still runs

    def apply(self, event: Event) -> None:
        """Apply an event to the state."""
        self.changes += 1
        if isinstance(event, Took):
            nodes = np.array([*dict.fromkeys(event.ranks), *event.extra], np.int64)
            if event.job in self.jobs or not self.free[nodes].all():
                raise ValueError(f"job {event.job} cannot take its nodes: they are not free")
            self.waiting.pop(event.job, None)
            self.jobs[event.job] = Held(event, nodes)
            self.turn(nodes, False)
            self._note_key(event)
        elif isinstance(event, Waits):
            self.waiting[event.request.job] = event
            self._note_key(event)
        elif isinstance(event, Left):
            self.waiting.pop(event.job, None)
            held = self.jobs.pop(event.job, None)
            if held is not None:
                self.since[held.nodes] = event.time
                self.turn(self.up(held.nodes), True)
        elif isinstance(event, Marked):
            kept = {node for nodes in self.nodes_by_job().values() for node in nodes}
            kept.update(node for nodes in self._promised.values() for node in nodes.tolist())
            kept.update(self.topology.service.tolist())
            changed = [node for node in event.nodes if self.states[node] != event.state]
            turned = [
                node for node in changed if "up" in (event.state, self.states[node]) and node not in kept
            ]
            for node in changed:
                self.states[node] = event.state
            self.since[changed] = event.time
            self.turn(np.array(turned, np.int64), event.state == "up")

    def snapshot(self, digest: str) -> Snapshot:
        """Return the whole state, of a machine with a digest."""
        return Snapshot(
            2,
            self.machine.text,
            digest,
            [job.took for job in self.jobs.values()],
            list(self.waiting.values()),
            self.in_state("down"),
            self.in_state("off"),
            self.since.tolist(),
            self.keys,
        )

    def restore(self, snapshot: Snapshot) -> None:
        """Bring an empty machine to a state."""
        for state, nodes in (("down", snapshot.down), ("off", snapshot.off)):
            for node in nodes:
                self.states[node] = state
        for took in snapshot.jobs:
            self.apply(took)
        for waits in snapshot.waiting:
            self.apply(waits)
        if len(snapshot.since) != len(self.since):
            raise ValueError(f"since: {len(snapshot.since)} times for {len(self.since)} nodes")
        self.free &= np.array([state == "up" for state in self.states])
        self.since = np.array(snapshot.since)
        self.keys = dict(snapshot.keys)

    def _note_key(self, event: Took | Waits) -> None:
        key = event.request.key
        if not key:
            return
        self.keys[key] = event
        if len(self.keys) > _MOST_KEYS:
            del self.keys[next(iter(self.keys))]

    def turn(self, nodes: Nodes, free: bool) -> None:
        """Make nodes free, or not."""
        if len(nodes):
            self.free[nodes] = free

    def up(self, nodes: Nodes) -> Nodes:
        return np.array([node for node in nodes.tolist() if self.states[node] == "up"], np.int64)

    def nodes_by_job(self) -> dict[str, list[int]]:
        return {name: job.nodes.tolist() for name, job in self.jobs.items()}

    def in_state(self, state: str) -> list[int]:
        return [node for node, one in enumerate(self.states) if one == state]

    def listed(self, nodes: Iterable[int]) -> str:
        return host_list(self.hosts[node] for node in nodes)

    def node_numbers(self, text: str, where: str) -> list[int]:
        """Return the numbers of the nodes in a host list."""
        if count_hosts(text, where) > self.topology.nodes:
            raise ValueError(f"{where}: more names than the {self.topology.nodes} nodes of the machine")
        names = list(expand(text, where))
        for name in names:
            if name not in self.number:
                raise ValueError(f"{where}: {abbreviate(name)} is not a node of the machine")
        return [self.number[name] for name in dict.fromkeys(names)]
