"""Comparison of all allocators: ``docs/studies/allocators.md``."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from netplace.experiments.allocators.cases import AllocatorCase
from netplace.experiments.allocators.flow import log_in_folder
from netplace.experiments.allocators.set_schedules import CONSTRAINED, LEAST, MEASURED
from netplace.experiments.allocators.tables import TABLES
from netplace.report.plots import write_figure
from netplace.report.plots.points import dot_figure
from netplace.report.studies import Report, ReportTable, Study, StudyContext, StudyRequest
from netplace.report.studies.schedules import case_outcomes
from netplace.topologies import parse

ORDERS = ("row", "snake", "hilbert", "hilbert-cut")
LISTED = [f"curve:{order},{choice}" for order in ORDERS for choice in ("free-list", "best-fit")]
CENTRES = ("mc1x1", "gen-alg", "mm", "mm+inc")
ON_GRIDS = ("random", *LISTED, "mc:cubic", *CENTRES, "mbs", "paging:1", "contiguous", "pss:levels")
ON_TREES = (
    "random", "non-contiguous", "gen-alg", "gen-alg+inc", "contiguous", "quasi-contiguous:20",
    "nearly-contiguous:20", "pss:levels",
)  # fmt: skip
DECISIONS = ("mc1x1", "mm", "mm+inc", "curve:hilbert")
PRINTED = (
    "curve:row,free-list",
    "curve:hilbert,free-list",
    "curve:hilbert,first-fit",
    "curve:hilbert,best-fit",
)
POLICIES = [
    f"curve:{order},{choice}"
    for order in ("row", "snake", "hilbert", "hindex")
    for choice in ("free-list", "first-fit", "best-fit", "sum-of-squares")
]
# Four processors at each switch of every other row, or of the first four; the others do not compute.
CPLANT = ("service:nodes=32-63+96-127+160-191+224-255/torus:8x8,c=4", "service:nodes=128-255/torus:8x8,c=4")
PARTS = {
    "choice": "every allocator on a mesh, a torus and a tree, in live runs and with times of jobs alone",
    "decisions": "situation and decision: pairwise sums and printed ones (WADS 2005, table 1)",
    "decisions-powers": "decisions for sizes rounded up to powers of two (one interpretation)",
    "decisions-both": "decisions for the same with interactive jobs too (one interpretation)",
    "stream": "makespan of a stream of communication suites, and printed ones (CLUSTER 2002, table 1)",
    "hops": "how well mean hops predict completion time (CLUSTER 2002, figure 3)",
    "overlap": "two jobs whose routes overlap (CLUSTER 2002, section 1)",
    "trends": "how dispersed jobs are as the load grows, 8x8x5 mesh (CLUSTER 2002, figure 1)",
    "flow": "flow time of all-to-all jobs on 32 processors (WADS 2005, section 6)",
    "sets": "processor sets: comparison with the exact choice, realistic costs, line cards per job",
    "set-parts": "processor sets over processors: jobs get parts of nodes; rules of Grid Engine",
    "sets-pay": "processor sets and other allocators in live runs: levels, measured weights, a cost limit",
    "set-times": "time to select a processor set, by the number of surplus free nodes",
}
_STREAMS = ("choice", "stream", "trends", "flow", "sets-pay")  # whose rows are of a stream of jobs each


def cases(request: StudyRequest) -> list[AllocatorCase]:
    return [case for part in request.parts for case in _CASES[part](request.quick)]


def _choice(quick: bool) -> Iterator[AllocatorCase]:
    machines = {"mesh:8x8": ON_GRIDS, "torus:8x8": ON_GRIDS, "tree:4,3": ON_TREES}
    jobs, seeds = (6, 1) if quick else (40, 3)
    for machine, partitions in machines.items():
        chosen = ("random", "gen-alg") if quick else partitions
        for partition in chosen:
            for seed in range(seeds):
                for fidelity in ("live", "table"):
                    options = (("jobs", jobs), ("fidelity", fidelity))
                    yield AllocatorCase("choice", machine, partition, seed, options)


def _decisions(quick: bool, powers_of: str = "") -> Iterator[AllocatorCase]:
    streams: list[tuple[int, float, str]] = [(60, 0.7, "")] if quick else [(1000, 0.7, ""), (1000, 0.9, "")]
    log = "" if powers_of else log_in_folder("LLNL-T3D")
    if log:
        streams = [(200 if quick else 10_000, 0.0, log)]
    for jobs, load, file in streams:
        for situation in DECISIONS:
            for seed in range(1 if quick or file else 3):
                given = {"jobs": jobs, "load": load, "log": file, "decisions": list(DECISIONS)}
                given |= {"powers_of": powers_of} if powers_of else {}
                yield AllocatorCase("decision", "mesh:16x16", situation, seed, tuple(given.items()))


def _stream(quick: bool) -> Iterator[AllocatorCase]:
    for machine in CPLANT[:1] if quick else (*CPLANT, "mesh:16x8", "torus:16x8"):
        every = machine in CPLANT and not quick
        for partition in (*POLICIES, *CENTRES) if every else PRINTED:
            often = machine == CPLANT[1] and partition.startswith(("curve:row,", "curve:hilbert,"))  # claimed
            for seed in range(1 if quick else 30 if often else 5):
                yield AllocatorCase("suites", machine, partition, seed, (("share", 8 if quick else 1),))


def _hops(quick: bool) -> Iterator[AllocatorCase]:
    machines = {"mesh:8x8": (20, 3), "torus:8x8": (20, 3), "mesh:16x16": (20, 3)}
    machines |= dict.fromkeys(CPLANT, (30, 8))
    for machine, (size, seeds) in list(machines.items())[: 2 if quick else None]:
        for partition in ("random", "gen-alg") if quick else ("random", *LISTED, "gen-alg", "mm", "mc1x1"):
            for seed in range(2 if quick else seeds):
                yield AllocatorCase("hops", machine, partition, seed, (("size", size),))


def _overlap(quick: bool) -> Iterator[AllocatorCase]:
    routers = (("smart", 2),) if quick else (("smart", 2), ("oblivious", 2), ("oblivious", 1))
    for machine, layout in (("mesh:16x4", "apart"), ("mesh:16x1", "every other"), ("mesh:16x4", "compact")):
        for policy, vcs in routers:
            for nbytes in (1024,) if quick else (1024, 4096):
                given = (("policy", policy), ("vcs", vcs), ("bytes", nbytes))
                yield AllocatorCase("overlaps", machine, layout, 1, given)


def _trends(quick: bool) -> Iterator[AllocatorCase]:
    choices = ("free-list", "first-fit", "best-fit", "sum-of-squares")
    curves = [f"curve:{order},{choice}" for order in ORDERS for choice in choices]
    # Work multiples, and behind them replication factors.
    more = [(0.5, 1), (2.0, 1)] if quick else [(0.5, 1), (1.0, 1), (1.5, 1), (2.0, 1), (0.5, 2), (0.5, 4)]
    for work, copies in more:
        for partition in (curves[0], "curve:hilbert,best-fit") if quick else (*curves, *CENTRES):
            for seed in range(1 if quick else 2):
                given = {"jobs": 60 if quick else 500, "work": work, "load": 0.4, "copies": copies}
                yield AllocatorCase("trends", "mesh:8x8x5", partition, seed, tuple(given.items()))


def _flow(quick: bool) -> Iterator[AllocatorCase]:
    curves, log = ("curve:hilbert-cut", "curve:hilbert"), log_in_folder("NASA-iPSC")
    for machine in ("mesh:8x4", "mesh:4x8"):
        for partition in ("mc1x1", *curves) if quick else ("optimal", "mm", "mm+inc", "mc1x1", *curves):
            for seed in range(2 if quick else 10):
                given = {"jobs": 30 if quick else 300, "log": log}
                yield AllocatorCase("flows", machine, partition, seed, tuple(given.items()))


def _sets(quick: bool) -> Iterator[AllocatorCase]:
    rules = [
        (rule, "first", 10, 300) for rule in ("quality", "nodes and lines", "sets", "first-free", "random")
    ]
    for rule, tie, seeds, requests in [*rules, ("nodes", "first", 5, 4380), ("nodes", "coin", 5, 4380)]:
        for seed in range(1 if quick else seeds):
            given = (("requests", 60 if quick else requests), ("tie", tie), ("revision", 3))  # uneven costs
            yield AllocatorCase("sets", "mesh:256", rule, seed, given)


def _set_parts(quick: bool) -> Iterator[AllocatorCase]:
    for rule in ("sets", "first-free", "least-loaded"):
        for seed in range(1 if quick else 3):
            given = (("requests", 40 if quick else 300), ("tie", "first"), ("revision", 2), ("processors", 8))
            yield AllocatorCase("sets", "mesh:256", rule, seed, given)


def _sets_pay(quick: bool) -> Iterator[AllocatorCase]:
    compared = ("random", "non-contiguous", "curve:hilbert", "mm", "contiguous")
    on_trees = ("random", "non-contiguous", "gen-alg", "contiguous")
    by_sets = ("pss:levels", MEASURED, CONSTRAINED, LEAST)
    machines = ("mesh:4x4",) if quick else ("torus:16x16", "mesh:16x16", "tree:4,4")
    loads = (0.0,) if quick else (0.6, 0.95)
    for machine, load in itertools.product(machines, loads):
        others = on_trees if machine.startswith("tree") else compared
        for partition in (*others[:2], *by_sets) if quick else (*others, *by_sets):
            given = (("jobs", 6 if quick else 80), ("load", load))
            yield AllocatorCase("sets-pay", machine, partition, 0, given)


def _set_times(quick: bool) -> Iterator[AllocatorCase]:
    machines = {"tree:4,4": "nested", "tree:4,5": "nested", "tree:8,4": "nested"}
    machines |= {"mesh:16x16": "overlap", "mesh:32x32": "overlap", "mesh:64x64": "overlap"}
    for machine, kind in list(machines.items())[:1] if quick else machines.items():
        nodes = parse(machine).nodes
        for share in (4,) if quick else (64, 16, 4, 2):
            given = (("surplus", nodes // share), ("times", 2 if quick else 5))
            yield AllocatorCase("set-times", machine, kind, 0, given)


_CASES: dict[str, Callable[[bool], Iterator[AllocatorCase]]] = {
    "choice": _choice,
    "decisions": _decisions,
    "decisions-powers": partial(_decisions, powers_of="batch"),
    "decisions-both": partial(_decisions, powers_of="both"),
    "stream": _stream,
    "hops": _hops,
    "overlap": _overlap,
    "trends": _trends,
    "flow": _flow,
    "sets": _sets,
    "set-parts": _set_parts,
    "sets-pay": _sets_pay,
    "set-times": _set_times,
}


def run(request: StudyRequest, context: StudyContext) -> Report:
    tables, summary, figures, values = [], [], {}, {}
    for part in request.parts:
        made = case_outcomes(_CASES[part](request.quick), context)
        frame = pd.DataFrame([case.to_dict() | outcome for case, outcome in made])
        if part in _STREAMS:
            values[f"values_{part}"] = frame.drop(columns=["study", "kind", "log"], errors="ignore")
        cells, digits, sentences = TABLES[part](frame)
        tables.append(ReportTable(part, PARTS[part], cells, digits))
        summary += [f"{part}: {sentence}" for sentence in sentences]
        if part == "choice":
            figures[part] = partial(draw_choice, cells=cells)
    return Report(tuple(tables), tuple(summary), figures, values)


def draw_choice(path: Path, cells: pd.DataFrame) -> None:
    """Draw by how much makespans differ from those with random nodes, a panel for each machine."""
    known = cells[cells["partition"] != "random"]
    near = known.groupby("partition")["live makespan"].mean().sort_values()
    panels = {}
    for machine, own in known.groupby("machine", sort=False):
        rows = own.set_index("partition")
        names = [name for name in near.index if name in rows.index]
        panels[str(machine)] = pd.concat(
            pd.DataFrame(
                {
                    "name": names,
                    "series": label,
                    "value": 100 * (rows.loc[names, column].to_numpy(float) - 1),
                    "half": np.nan,
                }
            )
            for label, column in (("live", "live makespan"), ("predicted by a table", "table makespan"))
        )
    title = "Jobs of applications on one live network"
    write_figure(path, dot_figure(title, panels, "makespan over that with random nodes (%)", line=0.0))


STUDY = Study(
    name="allocators",
    title="Comparison of all allocators and node orders by compactness, hops and run time",
    source="Leung et al., CLUSTER 2002; Bender et al., WADS 2005; Drakenberg, processor sets and costs",
    parts=PARTS,
    default=tuple(part for part in PARTS if not part.startswith("decisions-")),
    run=run,
)
