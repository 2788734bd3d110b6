"""The life of one packet of a run, cycle by cycle, by the engine that is written to be read."""

from __future__ import annotations

from netplace.inputs import check_int
from netplace.netsim import Network, Result
from netplace.netsim.reference.packet_life import PacketLife
from netplace.runs.execute import run_simulation
from netplace.runs.job_programs import packets_of_run
from netplace.runs.networks import network_of
from netplace.runs.spec import Run

_MOST_HOPS = 5_000_000  # packet-hops that the engine simulates in some minutes


def read_packet(text: str) -> tuple[int, int, int]:
    """Return the source, the destination and the number of a packet from ``SOURCE:DESTINATION:N``."""
    parts = text.split(":")
    if len(parts) != 3 or not all(part.isdecimal() for part in parts):
        raise ValueError(
            f"--trace-packet {text}: expected SOURCE:DESTINATION:N, two nodes and the number of the packet "
            "between them, from 0"
        )
    source, destination, number = map(int, parts)
    return source, destination, number


def packet_life(run: Run, packet: tuple[int, int, int], known: Result) -> PacketLife:
    """Return the life of a packet of a run that gave the result `known`, on whichever engine."""
    topology, named = network_of(run.network), ":".join(map(str, packet))
    for node in packet[:2]:
        check_int(node, f"--trace-packet {named}: node", 0, topology.nodes - 1)
    hops = packets_of_run(run) * (1 + topology.diameter / 2)
    if hops > _MOST_HOPS:
        raise ValueError(
            f"--trace-packet {named}: the run has about {hops:.2g} packet-hops, expected at most "
            f"{_MOST_HOPS:.0e}, because the slow engine simulates it again; take fewer iterations"
        )
    lives: list[PacketLife] = []

    def watch(network: Network) -> None:
        lives.append(network.follow(*packet))

    twin = run_simulation(run, "reference", watch=watch).result
    assert twin.cycles == known.cycles, "the engines agree"
    [life] = lives
    if life.created < 0:
        raise ValueError(
            f"--trace-packet {named}: node {packet[0]} sent {life.count} packets to node {packet[1]}; the "
            "first is number 0"
        )
    return life
