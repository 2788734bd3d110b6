"""The cost of the place of a training job: ``docs/studies/training-placement.md``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import permutations
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from netplace.apps import Program, application
from netplace.cosim import JobProgram
from netplace.cosim.work import iteration_program
from netplace.experiments.shared.nodes_after_others import Nodes, nodes_after_others
from netplace.netsim import Config, Network
from netplace.report.plots import write_figure
from netplace.report.plots.figure import Axis, Cells, Figure, Panel, Shades, Words
from netplace.report.studies import Report, ReportTable, Study, StudyContext, StudyRequest
from netplace.report.studies.schedules import CachedCase, case_outcomes
from netplace.scheduling import make_partitioner
from netplace.topologies import Topology, parse

GIGABYTES = 50  # a second of a link
PHIT_BYTES = 32768
RANKS = 128
TRAINING = {"model": "llama-7b", "layers": 8, "tp": 4, "pp": 4, "collectives": "nccl"}
WARM_UP = 10.0  # ms that the others run before

# What runs beside: tasks, application, bytes of a message, ms of computation before each iteration. It is
# about four times as long as the messages take alone.
MIX = (
    (125, "3d-torus", 8 << 20, 4.0),
    (64, "3d-torus", 8 << 20, 4.0),
    (96, "3d-torus", 8 << 20, 4.0),
    (100, "all-to-all", 1 << 20, 8.0),
    (64, "all-to-all", 1 << 20, 5.0),
    (128, "butterfly", 16 << 20, 10.0),
    (64, "butterfly", 16 << 20, 8.0),
    (128, "all-to-all", 1 << 20, 10.0),
)
_EARLY = 4  # the training job comes among so many first: later there may be no box for it


@dataclass(frozen=True)
class Cell(CachedCase):
    """A training job on a machine, its nodes by a partitioner and its ranks in an order; one draw."""

    study: ClassVar[str] = "training-placement"
    revision: ClassVar[int] = 2  # the training job is among the first to come

    machine: str
    partitioner: str
    order: str
    draw: int

    def run(self) -> dict[str, float]:
        machine, config = _machine(self.machine), _config(PHIT_BYTES)
        nodes = _placed(self.machine, self.partitioner, self.draw)
        program = _step(self.order, config.cycle_ns)
        neighbors = [
            (_iteration(*MIX[number], config), own) for number, own in enumerate(nodes[1:]) if len(own)
        ]
        return {
            "alone": _step_ms(machine, config, program, nodes[0], []),
            "live": _step_ms(machine, config, program, nodes[0], neighbors),
            "neighbours": len(neighbors),
            "distance": _mean_distance(machine, nodes[0]),
        }


@dataclass(frozen=True)
class Scaled(CachedCase):
    """The same step alone, with phits of the given number of bytes and cycles as many times as long."""

    study: ClassVar[str] = "training-placement"

    machine: str
    phit_bytes: int

    def run(self) -> dict[str, float]:
        config = _config(self.phit_bytes)
        program = _step("tp-cp-dp-pp", config.cycle_ns)
        network = Network(_machine(self.machine), config)
        network.start(program, np.arange(RANKS))
        network.finish()
        result = network.result()
        return {"alone": result.cycles * config.cycle_ns / 1e6, "packets": int(result.packets)}


def _config(phit_bytes: int) -> Config:
    return Config(phit_bytes=phit_bytes, cycle_ns=phit_bytes / GIGABYTES)


_machine = lru_cache(parse)


@lru_cache
def _step(order: str, cycle_ns: float) -> Program:
    return application("training", RANKS, **TRAINING, order=order, cycle_ns=cycle_ns)


def _iteration(tasks: int, name: str, bytes: int, compute: float, config: Config) -> Program:
    """Return an iteration of a neighbor, which computes so many milliseconds first."""
    cycles = round(compute * 1e6 / config.cycle_ns)
    return iteration_program(JobProgram(f"{name},bytes={bytes}", tasks, compute=cycles), config)


@lru_cache
def _placed(machine: str, partitioner: str, draw: int) -> list[Nodes]:
    rng = np.random.default_rng([draw, 1])
    keeper = make_partitioner(partitioner, _machine(machine), draw)
    return nodes_after_others(keeper, [RANKS, *(tasks for tasks, *_ in MIX)], rng, early=_EARLY)


def _step_ms(
    machine: Topology,
    config: Config,
    program: Program,
    nodes: Nodes,
    neighbors: Sequence[tuple[Program, Nodes]],
) -> float:
    """Return the milliseconds of a step, after the others have run for a while."""
    network = Network(machine, config)
    begin = round(WARM_UP * 1e6 / config.cycle_ns) if neighbors else 0
    for other, own in neighbors:
        network.start(other, own, times=1 << 20)
    job = network.start(program, nodes, at=begin)
    while job not in network.advance():
        pass
    return (int(network.job(job).end) - begin) * config.cycle_ns / 1e6


def _mean_distance(machine: Topology, nodes: Nodes) -> float:
    first, second = np.triu_indices(len(nodes), 1)
    return float(machine.distance(nodes[first], nodes[second]).mean())


def draw_steps(path: Path, steps: pd.DataFrame, title: str) -> None:
    """Draw the mean milliseconds of a step by partitioner and order of ranks, alone and beside others."""
    maps = {
        name: steps.pivot_table(column, "partitioner", "order", sort=False)
        for name, column in (("alone", "alone"), ("live, beside others", "live"))
    }
    every = np.concatenate([means.to_numpy().ravel() for means in maps.values()])
    shades = Shades(label="a step, ms", low=float(np.nanmin(every)), high=float(np.nanmax(every)))
    panels = [_map(name, means, shades) for name, means in maps.items()]
    height = 1.9 + 0.2 * len(maps["alone"])
    write_figure(path, Figure(title=title, panels=panels, columns=2, share_y=True, height=height))


def _map(name: str, means: pd.DataFrame, shades: Shades) -> Panel:
    values = means.to_numpy()
    y, x = np.nonzero(np.isfinite(values))
    tall, wide = values.shape
    assert shades.low is not None
    assert shades.high is not None
    dark = values > shades.low + 0.6 * (shades.high - shades.low)
    words = [
        Words(x=x[own], y=y[own], texts=[f"{value:.0f}" for value in values[y[own], x[own]]], colour=colour)
        for colour, own in (("#ffffff", dark[y, x]), ("#000000", ~dark[y, x]))
    ]
    orders = [order.replace("-cp", "").replace("-", " ") for order in means.columns]
    return Panel(
        marks=[Cells(x=x, y=y, wide=wide, tall=tall, values=values[y, x]), *words],
        x=Axis(names=orders),
        y=Axis(names=list(means.index), down=True),
        title=name,
        shades=shades,
    )


_NOTHING = 1e-12  # sum of squares of logarithms of times that do not differ


def steps_of(outcomes: Iterable[tuple[Cell, Mapping[str, Any]]]) -> pd.DataFrame:
    return pd.DataFrame([vars(cell) | dict(outcome) for cell, outcome in outcomes])


def by_partitioner(steps: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each partitioner: means over orders and draws, and its best and worst order live."""
    groups = steps.assign(ratio=steps["live"] / steps["alone"]).groupby("partitioner", sort=False)
    table = groups[["neighbours", "distance", "alone", "live"]].mean()
    table["live / alone"] = groups["ratio"].agg(stats.gmean)
    live = steps.pivot_table("live", "partitioner", "order", sort=False)
    for end, order in (("best", live.idxmin(axis=1)), ("worst", live.idxmax(axis=1))):
        table[f"{end} order"] = order
        table[f"live, {end}"] = live.min(axis=1) if end == "best" else live.max(axis=1)
    return table.reset_index()


def shares_of_spread(steps: pd.DataFrame) -> pd.DataFrame:
    """Return the shares of the spread of times by partitioner, order, both together, and chance.

    Shares are percent of the sum of squares of logarithms (analysis of variance; each partitioner with each
    order in as many draws), beside the largest mean of a partitioner, and of an order, over the least.
    """
    rows = []
    for name, times in (
        ("alone", steps["alone"]),
        ("live", steps["live"]),
        ("live / alone", steps["live"] / steps["alone"]),
    ):
        frame = steps[["partitioner", "order"]].assign(log=np.log(times))
        means = frame.pivot_table("log", "partitioner", "order", sort=False)
        logs = means.to_numpy()
        draws = len(frame) / logs.size
        middle = logs.mean()
        partitioners, orders = logs.mean(axis=1), logs.mean(axis=0)
        rest = logs - partitioners[:, None] - orders[None, :] + middle
        squares = {
            "partitioner %": draws * logs.shape[1] * _squares(partitioners - middle),
            "order %": draws * logs.shape[0] * _squares(orders - middle),
            "together %": draws * _squares(rest),
        }
        whole = _squares(frame["log"].to_numpy() - middle)
        squares["chance %"] = whole - sum(squares.values())
        rows.append(
            {"time": name}
            | {key: 100 * part / whole if whole > _NOTHING else 0.0 for key, part in squares.items()}
            | {
                "partitioners, most / least": float(np.exp(np.ptp(partitioners))),
                "orders, most / least": float(np.exp(np.ptp(orders))),
            }
        )
    return pd.DataFrame(rows)


def _squares(values: NDArray[np.float64]) -> float:
    return float((values**2).sum())


# Machines, and the partitioners that are defined on them; of several that give the same boxes, one.
MACHINES = {
    "torus": (
        "torus:10x10x10",
        (
            "contiguous:round-up",
            "pss:levels",
            "gen-alg",
            "gen-alg+inc",
            "mm",
            "mm+inc",
            "mc:cubic",
            "mc1x1",
            "curve:hilbert",
            "curve:hilbert,best-fit",
            "mbs",
            "paging:1",
            "slurm:flat",
            "non-contiguous",
            "random",
        ),
    ),
    "tree": (
        "tree:10,3",
        (
            "contiguous",
            "quasi-contiguous:20",
            "nearly-contiguous:20",
            "pss:levels",
            "gen-alg",
            "gen-alg+inc",
            "paging:1",
            "slurm:tree",
            "non-contiguous",
            "random",
        ),
    ),
    "dragonfly": (
        "dragonfly:a=8,p=4,h=4",
        (
            "groups",
            "switches",
            "pss:levels",
            "gen-alg",
            "gen-alg+inc",
            "slurm:tree",
            "non-contiguous",
            "random",
        ),
    ),
}
# Every order of tensor, data and pipeline ranks; of context ranks there is one, beside those of tensors.
ORDERS = tuple("-".join(order).replace("tp", "tp-cp") for order in permutations(("tp", "dp", "pp")))
DRAWS = 2
SCALES = (131072, 65536, 32768, 16384, 8192)  # bytes of a phit
PARTS = {
    **{name: f"a job of {RANKS} ranks on {machine}" for name, (machine, _) in MACHINES.items()},
    "scaling": "the same step with other scales of bytes and clock",
}


def cells(part: str, request: StudyRequest) -> list[Cell]:
    machine, partitioners = MACHINES[part]
    draws = request.partitions or (1 if request.quick else DRAWS)
    return [
        Cell(machine, partitioner, order, draw)
        for draw in range(draws)
        for partitioner in (partitioners[:: len(partitioners) - 1] if request.quick else partitioners)
        for order in (ORDERS[:: len(ORDERS) - 1] if request.quick else ORDERS)
    ]


def run(request: StudyRequest, context: StudyContext) -> Report:
    tables, summary, figures = [], [], {}
    for part in request.parts:
        if part == "scaling":
            tables.append(_scaling(request, context))
            continue
        steps = steps_of(case_outcomes(cells(part, request), context))
        tables += _tables(part, steps)
        title = f"{PARTS[part]}: mean milliseconds of a step"
        figures[part] = partial(draw_steps, steps=steps, title=title)
        summary.append(_said(part, steps))
    return Report(tuple(tables), tuple(summary), figures)


def _tables(part: str, steps: pd.DataFrame) -> tuple[ReportTable, ...]:
    partitioners, shares = by_partitioner(steps), shares_of_spread(steps)
    times = ("alone", "live", "live, best", "live, worst")
    ratios = tuple(shares.filter(like="least"))
    return (
        ReportTable(
            f"{part}-partitioners",
            f"{PARTS[part]}: milliseconds of a step by partitioner, means over orders and draws",
            partitioners,
            {"neighbours": 1, "distance": 2, "live / alone": 2} | dict.fromkeys(times, 0),
        ),
        ReportTable(
            f"{part}-shares",
            f"{PARTS[part]}: shares of the spread of a step's time",
            shares,
            dict.fromkeys(shares.filter(like="%"), 0) | dict.fromkeys(ratios, 2),
        ),
        ReportTable(
            part,
            f"{PARTS[part]}: milliseconds of a step, one by one",
            steps.drop(columns="machine"),
            {"draw": 0, "neighbours": 0, "distance": 2, "alone": 1, "live": 1},
        ),
    )


def _said(part: str, steps: pd.DataFrame) -> str:
    means = steps.groupby(["partitioner", "order"], sort=False)[["alone", "live"]].mean()
    (best, best_order), (worst, worst_order) = means["live"].idxmin(), means["live"].idxmax()
    ratios = by_partitioner(steps)["live / alone"]
    return (
        f"{part}: a step takes {means['live'].min():.0f} ms live with {best} and {best_order}, "
        f"{means['live'].max():.0f} with {worst} and {worst_order}; alone {means['alone'].min():.0f} to "
        f"{means['alone'].max():.0f}; sharing costs {100 * (ratios.min() - 1):.0f} to "
        f"{100 * (ratios.max() - 1):.0f} % by partitioner."
    )


def _scaling(request: StudyRequest, context: StudyContext) -> ReportTable:
    """Return the step by the size of a phit; the smallest is the nearest to the truth."""
    scales = SCALES[:2] if request.quick else SCALES
    wanted = [Scaled(machine, bytes) for machine, _ in MACHINES.values() for bytes in scales]
    frame = pd.DataFrame([vars(case) | outcome for case, outcome in case_outcomes(wanted, context)])
    finest = frame.groupby("machine")["alone"].transform("last")
    frame["more than finest %"] = 100 * (frame["alone"] / finest - 1)
    frame = frame.rename(columns={"phit_bytes": "bytes of a phit"})
    digits = {"bytes of a phit": 0, "packets": 0, "alone": 2, "more than finest %": 1}
    title = "A step on the first nodes, alone: milliseconds by the bytes of a phit, 16 of which are a packet"
    return ReportTable("scaling", title, frame, digits)


STUDY = Study(
    name="training-placement",
    title="How much do allocator and rank order slow down a training job, alone and with other jobs?",
    parts=PARTS,
    run=run,
    options=("partitions",),
)
