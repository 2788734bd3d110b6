"""Messages about a standstill: which tasks wait for which, and which FIFOs wait in a ring."""

from __future__ import annotations

from collections.abc import Mapping

from netplace.apps import Op, Program
from netplace.netsim.engine import Blocked

_MOST = 6
_WITHOUT_PARTNER = {
    "injector": "waits for room in its injector",
    "outstanding": "waits until fewer sends of its node are outstanding",
    "compute": "computes",
}


def circle(blocked: Blocked) -> list[tuple[int, int]]:
    """Return FIFOs (router, input) that wait for each other in a ring; empty if there are none."""
    import networkx as nx

    graph = nx.DiGraph()
    stuck = {(router, i) for router, i, _, _ in blocked.fifos}
    for router, i, _, wants in blocked.fifos:
        graph.add_edges_from(((router, i), want) for want in wants if want in stuck)
    try:
        return [edge[0] for edge in nx.find_cycle(graph)]
    except nx.NetworkXNoCycle:
        return []


def _task(blocked: tuple[int, int, int, str], programs: Mapping[int, Program]) -> str:
    job, task, operation, why = blocked
    program = programs[job]
    name = f"task {task}" if len(programs) == 1 else f"job {job} task {task}"
    place = f"at its operation {operation - int(program.first[task])}"
    if why in _WITHOUT_PARTNER:
        return f"{name} {_WITHOUT_PARTNER[why]} {place}"
    if program.kind[operation] == Op.WAIT:
        mine = slice(int(program.first[task]), operation)
        opened = (program.request[mine] == program.request[operation]).nonzero()[0]
        operation = int(program.first[task]) + int(opened[-1])
    peer, size, tag = program.peer[operation], program.size[operation], program.tag[operation]
    verb = "to take" if why == "rendezvous" else "to send"
    return f"{name} waits for task {peer} {verb} {size} bytes with tag {tag} {place}"


def explain(blocked: Blocked, programs: Mapping[int, Program], in_flight: int, cycle: int) -> str:
    """Return one sentence about a standstill in `cycle`."""
    parts = [_task(task, programs) for task in blocked.tasks[:_MOST]]
    if len(blocked.tasks) > _MOST:
        parts.append(f"and {len(blocked.tasks) - _MOST} more tasks wait")
    ring = circle(blocked)
    if ring:
        shown = " -> ".join(f"router {router} input {i}" for router, i in [*ring[:12], ring[0]])
        dots = " (shortened)" if len(ring) > 12 else ""
        head = (
            f"network deadlock in cycle {cycle}: {in_flight} packets can never move, because FIFOs wait "
            "in a cycle: "
        )
        return head + shown + dots + ("; " + "; ".join(parts) if parts else "")
    if in_flight:
        parts.insert(0, f"{in_flight} packets are stuck")
    return f"deadlock in cycle {cycle}: " + "; ".join(parts or ["nothing waits"])
