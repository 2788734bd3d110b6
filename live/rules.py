"""Advice for an operator: the rule by which a machine should give nodes to jobs, its cost, Slurm files."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import product
from typing import Any

import numpy as np
from msgspec.structs import replace

from netplace.inputs import check_float
from netplace.quantities import quantity
from netplace.runs.plan import Plan
from netplace.runs.same_jobs import same_jobs
from netplace.runs.schedules import outcome_of
from netplace.scheduling import make_partitioner
from netplace.scheduling.metrics import judged, paired
from netplace.scheduling.partitioner.slurm import Placement, read_placements
from netplace.topologies import Grid, Topology, hierarchy
from netplace.topologies.host_lists import host_list

_MOST = 12  # shapes of a list


def shape_lists(sides: tuple[int, ...], sizes: Mapping[int, int]) -> list[str]:
    """Return lists of placements: powers of two at fixed places, the same closer, and the log's sizes.

    `sides` are those of the torus; `sizes` has the number of jobs of each number of nodes.

    Examples
    --------
    >>> shape_lists((4, 4, 2), {3: 10, 4: 5})[0]
    '1x1x1+2x1x1+2x2x1+2x2x2+4x2x2+4x4x2'
    """
    whole = sides[0] * sides[1] * sides[2]
    powers = [1 << power for power in range(whole.bit_length()) if 1 << power < whole]
    doubling = [shape for size in powers if (shape := _cubic(size, sides))]
    default = sorted(sizes, key=lambda size: -sizes[size] * size)[: _MOST - 1]
    rounded = {_least(size, sides) for size in default if size <= whole}
    candidates = sorted({*rounded, sides}, key=lambda shape: shape[0] * shape[1] * shape[2])
    apart = [*doubling, sides]
    return [
        *dict.fromkeys("+".join(_written(shape, close) for shape in shapes) for shapes, close in (
            (apart, False), (apart, True), (candidates, True),
        ))
    ]  # fmt: skip


def _written(shape: tuple[int, ...], close: bool) -> str:
    text = "x".join(map(str, shape))
    steps = tuple(max(1, side // 2) for side in shape)
    return f"{text}/{'x'.join(map(str, steps))}" if close and steps != shape else text


def _cubic(size: int, sides: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return the sides of the box of exactly that size that is most like a cube; None if there is none."""
    boxes = [
        (x, y, size // (x * y))
        for x, y in product(range(1, sides[0] + 1), range(1, sides[1] + 1))
        if size % (x * y) == 0 and size // (x * y) <= sides[2]
    ]
    return min(boxes, key=lambda box: (sum(box), [-side for side in box]), default=None)


def _least(size: int, sides: tuple[int, ...]) -> tuple[int, ...]:
    """Return the smallest box that holds so many nodes and is no more than four times as long as wide."""
    for room in range(size, sides[0] * sides[1] * sides[2] + 1):
        box = _cubic(room, sides)
        if box and (max(box) <= 4 * min(box) or room < 8):
            return box
    return sides


_TREES = (
    "slurm:tree",
    "contiguous",
    *(f"quasi-contiguous:{max_outside}" for max_outside in (0, 20, 50)),
    "nearly-contiguous:20",
)
_OTHERS = ("slurm:flat", "gen-alg", "mc1x1", "mbs", "curve:hilbert,best-fit", "contiguous", "non-contiguous")


@dataclass(frozen=True)
class RuleTried:
    """A rule, and the results of the log with it."""

    partition: str = quantity("Text form of the partitioner.", name="rule")
    wait: float = quantity("Mean wait.", "s", digits=1)
    longer: float = quantity(
        "How much longer jobs run than in the log, weighted by nodes, at the given cost of spread.",
        "share", name="runs longer", digits=2,
    )  # fmt: skip
    gain: float = quantity(
        "Saved turnaround, as a share of the current one.", "share", name="saves", digits=1
    )
    half_width: float | None = quantity(
        "Half-width of the interval of `gain` at the level of 0.95; none if there are too few batches.",
        "share", name="±", digits=1,
    )  # fmt: skip
    waiting: float = quantity(
        "Additional turnaround if spread costs nothing, as a share of the current one.",
        "share",
        name="costs",
        digits=1,
    )
    verdict: str = quantity("`better`, `worse`, `no clear difference`, or `default` for the current rule.")
    pays_from: float | None = quantity(
        "Smallest cost of spread at which the rule saves more than it costs, estimated from the two "
        "simulated costs; 0 if it costs nothing; none if it never does.",
        digits=2,
    )  # fmt: skip


@dataclass(frozen=True)
class RuleAdvice:
    """The recommended rule by which a machine should give nodes to jobs."""

    chosen: str  # the recommended rule; the current one if no other is clearly better
    default: str  # the current rule of the scheduler
    cost: float  # assumed cost of twice the necessary spread, as a share of a job's time
    jobs: int  # jobs that all rules could run
    tried: tuple[RuleTried, ...]  # the rules, the best first
    left: tuple[str, ...]  # rules that were not simulated for lack of time
    notes: tuple[str, ...]  # changes to the jobs, in sentences
    seconds: float  # processor time in total


def rules_for(machine: Topology, default: str, sizes: Mapping[int, int]) -> list[str]:
    """Return the rules to compare on a machine, the current one first."""
    rules = [default, *(_TREES if hierarchy(machine) else _OTHERS)]
    if isinstance(machine, Grid) and machine.wraps and machine.dims == 3:
        rules += [f"slurm:torus3d={shapes}" for shapes in shape_lists(machine.sizes, sizes)]
    return [text for text in dict.fromkeys(rules) if _exists(text, machine)]


def _exists(text: str, machine: Topology) -> bool:
    try:
        make_partitioner(text, machine)
    except ValueError:
        return False
    return True


def advise_rule(
    plan: Plan,
    rules: Sequence[str],
    cost: float = 0.1,
    seconds: float = 60.0,
    tell: Callable[[str], None] | None = None,
) -> RuleAdvice:
    """Return the rule with the shortest turnaround of the jobs of a plan, if the difference is clear.

    Every rule schedules the same jobs twice: with the run times of the log, which gives its cost in waiting,
    and with run times that increase with the spread of a job (`netplace.scheduling.times.SpreadTimes`). The
    current rule is the first of `rules`; it and one more are always simulated, the others within `seconds` of
    processor time. `cost` is that of twice the necessary spread, as a share of a job's time. `tell` is called
    with the text of each rule before its simulation.
    """
    check_float(cost, "cost of spread", 0, 100)
    began = time.process_time()
    shared = same_jobs([replace(plan, partition=text) for text in rules])
    outcomes: dict[str, tuple[Any, Any]] = {}
    for text, made in zip(rules, shared.plans, strict=True):
        if len(outcomes) > 1 and time.process_time() - began > seconds:
            break
        if tell:
            tell(text)
        log = replace(made, times="log")
        outcomes[text] = outcome_of(log), outcome_of(replace(made, times=f"spread:{cost:g}"))
    default = rules[0]
    if "turnaround" not in outcomes[default][1]["batches"]:
        raise ValueError(f"{plan.workload}: too few jobs for confidence intervals, expected some hundreds")
    tried = _judged(default, outcomes, cost)
    best = min(tried, key=lambda rule: (rule.verdict != "better", -rule.gain))
    return RuleAdvice(
        chosen=best.partition if best.verdict == "better" else default,
        default=default,
        cost=cost,
        jobs=outcomes[default][0]["metrics"]["jobs"],
        tried=tuple(sorted(tried, key=lambda rule: -rule.gain)),
        left=tuple(text for text in rules if text not in outcomes),
        notes=tuple(note.partition("; --")[0] for note in shared.notes),  # flags of other commands
        seconds=time.process_time() - began,
    )


def _judged(default: str, outcomes: Mapping[str, tuple[Any, Any]], cost: float) -> list[RuleTried]:
    """Return what came of each rule beside the default one, all of them a family of comparisons."""
    plain, spread = (
        [outcome[place]["batches"]["turnaround"] for outcome in outcomes.values()] for place in (0, 1)
    )
    first = [*outcomes].index(default)
    gaps = [paired(spread[first], values, "batches") for values in spread]
    free = [paired(plain[first], values, "batches").share or 0.0 for values in plain]
    verdicts = judged([gap for place, gap in enumerate(gaps) if place != first])
    words = [verdict.words for verdict in verdicts]
    words.insert(first, "default")
    said = {"clearly less": "better", "clearly more": "worse", "default": "default"}
    return [
        RuleTried(
            partition=text,
            wait=outcome[1]["metrics"]["per_job"]["wait"]["mean"],
            longer=outcome[1]["metrics"]["run_factor"] - 1,
            gain=0.0 - (gap.share or 0.0),
            half_width=_known(gap.share_half_width),
            waiting=waiting,
            verdict=said.get(word, "no clear difference"),
            pays_from=None if text == default else _pays_from(waiting, gap.share or 0.0, cost),
        )
        for (text, outcome), gap, waiting, word in zip(outcomes.items(), gaps, free, words, strict=True)
    ]


def _known(half_width: float | None) -> float | None:
    return None if half_width is None or math.isnan(half_width) else half_width


def _pays_from(waiting: float, change: float, cost: float) -> float | None:
    """Return the cost of spread at which a rule is as good as the default one, by the line through two."""
    if waiting <= 0:
        return 0.0
    return cost * waiting / (waiting - change) if change < waiting and cost else None


_STRICT = ("contiguous", "quasi-contiguous", "nearly-contiguous")


def install_files(rule: str, machine: Topology, hosts: list[str], wait: float) -> dict[str, str]:
    """Return the files, by name, that make Slurm follow a rule, if it can; `wait` is in seconds."""
    name, _, option = rule.partition(":")
    kind, _, shapes = option.partition("=")
    if name == "slurm" and kind == "torus3d" and isinstance(machine, Grid):
        return {"topology.yaml": _torus_text(machine, hosts, shapes)} if shapes else {}
    if name == "slurm" and kind == "flat":
        return {"topology.yaml": "---\n- topology: flat\n  cluster_default: true\n  flat: true\n"}
    known = hierarchy(machine)
    if name in _STRICT and known:
        rooms = np.cumsum(np.sort(np.diff(known.starts[1]))[::-1])
        switches = ", ".join(map(str, rooms.tolist()))
        script = (resources.files("netplace.live") / "fewest_switches.lua").read_text(encoding="utf-8")
        script = script.replace("@SWITCHES@", switches).replace("@WAIT@", str(max(60, round(wait))))
        return {"job_submit.lua": script}
    return {}


def _torus_text(machine: Grid, hosts: list[str], shapes: str) -> str:
    """Return a ``topology.yaml`` of a torus, with a region for each node where some places are empty."""
    lines = ["---", "- topology: torus", "  cluster_default: true", "  torus3d:", "    toruses:"]
    lines += ["      - name: torus", f"        dims: {_axes(machine.sizes)}"]
    if len(machine.service):
        lines.append("        regions:")
        for node in machine.computing.tolist():
            lines.append(f"          - anchor: {_axes(tuple(machine.coordinates(node).tolist()))}")
            lines.append("            dims: {x: 1, y: 1, z: 1}")
            lines.append(f"            nodes: {hosts[node]}")
    else:
        lines.append(f"        nodes: {host_list(hosts)}")
    lines.append("        placements:")
    for placement in read_placements(shapes, machine.sizes, "placements"):
        lines += _placement_lines(placement)
    return "\n".join(lines) + "\n"


def _placement_lines(placement: Placement) -> list[str]:
    lines = [f"          - dims: {_axes(placement.dims)}"]
    if placement.spacing != placement.dims:
        lines.append(f"            anchor_spacing: {_axes(placement.spacing)}")
    if any(placement.seed):
        lines.append(f"            anchor_seed: {_axes(placement.seed)}")
    return lines


def _axes(values: tuple[int, ...]) -> str:
    return "{" + ", ".join(f"{axis}: {value}" for axis, value in zip("xyz", values, strict=True)) + "}"
