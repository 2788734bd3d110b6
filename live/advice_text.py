"""Advice in sentences, and its form in files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, astuple
from typing import Any

from netplace.live.advise import Advice
from netplace.live.situation import Situation
from netplace.topologies.compute_nodes import slots_a_host
from netplace.topologies.host_lists import host_list

_RULES = {
    "slurm:flat": "Slurm's best fit of consecutive nodes (topology/flat), tasks in the order of the nodes",
    "slurm:tree": "Slurm's best fit of leaf switches (topology/tree), tasks in the order of the nodes",
    "slurm:dragonfly": "one leaf switch, or one node of each in turn (Slurm's topology/tree, "
    "TopologyParam=dragonfly), tasks in the order of the nodes",
    "slurm:torus3d": "Slurm's listed placements (topology/torus3d), tasks in the order of the nodes",
}


def sentences(advice: Advice) -> list[str]:
    """Return the result in sentences: what more hosts would gain, then the verdict."""
    draws, tried = len(advice.best_cycles), len(advice.tried)
    quicker = sum(a < b for a, b in zip(advice.best_cycles, advice.default_cycles, strict=True))
    change = f"{'saves' if advice.gain >= 0 else 'costs'} {100 * abs(advice.gain):.1f} % of the job's time"
    if advice.half_width:
        sign = 1 if advice.gain >= 0 else -1
        change += f" (95 % interval {_bound(advice, -sign, sign)} to {_bound(advice, sign, sign)} %)"
    chance = (
        f"It is faster in {quicker} of {draws} draws."
        if draws > 1
        else "The result does not depend on chance."
    )
    first: list[str] = []
    last: list[str] = []
    if advice.more:
        hosts, share, time, price = astuple(advice.more)
        (first if time < 1 else last).append(
            f"On {hosts} hosts with {share} task{'s' * (share > 1)} on each, it takes {100 * time:.0f} % of "
            f"the time of the scheduler's choice and {100 * price:.0f} % of its node-hours."
        )
    if first:
        first.append("The rest is about as many hosts as the scheduler chooses.")
    if advice.verdict == "faster":
        return [
            *first,
            f"Running on these nodes in this order {change}, compared with the choice of the scheduler.",
            f"They are the choice of {advice.mapping} among {_whose(advice.partition)}, "
            f"the best of {tried} placements that were simulated. {chance}",
            *last,
        ]
    return [
        *first,
        "No clear difference: the choice of the scheduler is as good as the best placement found.",
        f"The best of {tried - 1} other placement{'s' * (tried != 2)} {change}. {chance}",
        *last,
    ]


def _bound(advice: Advice, side: int, sign: int) -> str:
    return f"{100 * sign * (advice.gain + side * advice.half_width):.1f}"


def _whose(partition: str) -> str:
    return partition if partition.startswith("all") else f"the nodes of {partition}"


def grounds(advice: Advice, situation: Situation, free: int) -> list[str]:
    machine = situation.machine
    each = slots_a_host(machine)
    silent_or_unknown = [own for own in situation.neighbours if own.program is None]
    unknown = sum(len(own.held) for own in silent_or_unknown if not own.name) // each
    silent = sum(len(own.held) for own in silent_or_unknown if own.name) // each
    held = sum(len(own.held) for own in situation.neighbours) // each
    left = len(machine.computing) // each - free - held
    sentences = [
        f"Rule of the scheduler: {_RULES.get(advice.default_rule, f'partitioner {advice.default_rule}')}.",
        _beside(situation),
    ]
    if unknown or left > 0:
        sentences.append(
            f"The jobs on {unknown + max(left, 0)} occupied nodes are unknown, so they "
            "send no messages in the simulation."
        )
    if silent:
        sentences.append(f"{silent} nodes are occupied by jobs that send no messages.")
    if situation.draws:
        sentences.append("The gain is measured with separate draws, which are the same for both placements.")
    return sentences


def _beside(situation: Situation) -> str:
    names = [one.name for one in situation.neighbours if one.program is not None]
    if not names:
        return "The job was simulated alone on the network."
    shown = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
    others = f"{len(names)} other job{'s' * (len(names) > 1)} ({shown})"
    return f"It was simulated together with {others}, each of which repeats from a random point in each draw."


def content_of(
    advice: Advice, situation: Situation, hosts: Sequence[str], free: int, request: dict[str, str]
) -> dict[str, Any]:
    """Return advice as a dict for JSON."""
    from netplace.netsim.result import versions

    numbers = asdict(advice) | {"nodes": advice.nodes.tolist(), "default": advice.default.tolist()}
    names = [hosts[node] for node in numbers["nodes"]]
    free //= slots_a_host(situation.machine)
    return {
        **numbers,
        "machine": situation.machine.text,
        "job": situation.program.name,
        "hosts": names,
        "host_list": host_list(dict.fromkeys(sorted(names, key=hosts.index))),
        "default_hosts": [hosts[node] for node in numbers["default"]],
        "free": free,
        "sentences": sentences(advice),
        "grounds": grounds(advice, situation, free),
        "asked": request,
        "versions": versions(),
    }
