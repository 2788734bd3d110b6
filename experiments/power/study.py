"""The savings of switching nodes off, and the additional wait of jobs: ``docs/studies/power.md``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from netplace.experiments.power.shared_nodes import SharedCluster, SharedJob, bundled, plan_shared
from netplace.experiments.published import number, open_file
from netplace.experiments.shared.statistics import relative, with_front
from netplace.report.plots import write_figure
from netplace.report.plots.points import front_figure
from netplace.report.studies import Report, ReportTable, Study, StudyContext, StudyRequest
from netplace.report.studies.schedules import CachedCase, case_outcomes
from netplace.scheduling import schedule
from netplace.scheduling.power import (
    Planning,
    PowerModel,
    PowerRules,
    SlotJob,
    SlotPower,
    Slots,
    make_plan,
    power_figures,
)
from netplace.scheduling.workload import lublin
from netplace.topologies import parse

PARTS = {
    "instances": "solutions of the published instances",
    "growth": "solving time of such instances with more jobs",
    "window": "how much a plan gains over a list schedule with its best profile",
    "front": "energy against waiting time, by load, timeout and horizon",
    "boot": "effect of the boot time on energy and waiting time",
}
_NODES = 128
_PLAN = "nodes=20,seconds=60,gap=0.005"
RULES = (
    "always-on",
    "timeout:0",
    "timeout:60",
    "timeout",
    "timeout:900",
    "timeout:3600",
    "reserve:8,300",
    "lookahead",
    "plan:slot=300,late=0",
    f"plan:slot=300,late=2,{_PLAN}",
    f"plan:slot=900,late=2,{_PLAN}",
)
_BOOTS = (0.0, 151.52, 600.0, 1800.0)
# Cluster and jobs of each published instance. Of the one with five pending jobs too little is printed.
_SEVEN = SharedCluster((64, 64, 64, 60, 64, 60, 64), (4,) * 7, 18, (3, 5), {2: ((64, 5),), 4: ((64, 5),)})
_SMALL = SharedCluster((5, 5), (2, 2), 5, longest_mean={"1": 6, "2": 6})
INSTANCES: dict[str, tuple[SharedCluster, tuple[SharedJob, ...]]] = {
    "test 1": (_SMALL, (SharedJob(3, 2, queue="1", submitted=1), SharedJob(2, 2, queue="2", submitted=1))),
    "test 2": (_SMALL, (SharedJob(5, 2, queue="1", submitted=1), SharedJob(2, 2, queue="2", submitted=1))),
    "one pending": (_SEVEN, (SharedJob(256, 6, 4),)),
}


@dataclass(frozen=True)
class PowerCase(CachedCase):
    """One schedule: jobs of the model on 128 nodes under EASY, or under plans, with switched nodes."""

    study: ClassVar[str] = "power"

    part: str
    load: float
    jobs: int
    seed: int
    switching: str
    boot_seconds: float

    def run(self) -> dict[str, Any]:
        model = PowerModel(boot_seconds=self.boot_seconds)
        jobs = lublin(_NODES, self.jobs, seed=self.seed, load=self.load)
        made = schedule(
            parse(f"mesh:{_NODES}"), jobs, "easy", "non-contiguous", power=PowerRules(model, self.switching)
        )
        return power_figures(made, model).to_dict()


def cases(request: StudyRequest) -> list[PowerCase]:
    loads = (0.4,) if request.quick else (0.2, 0.4, 0.6, 0.8)
    jobs, seeds = (40, 1) if request.quick else (150, 2)
    rules = ("always-on", "timeout:0", "timeout", "plan:slot=1800,late=0") if request.quick else RULES
    default = PowerModel().boot_seconds
    wanted = []
    if "front" in request.parts:
        wanted += [
            PowerCase("front", load, jobs, seed, rule, default)
            for load in loads
            for rule in rules
            for seed in range(seeds)
        ]
    if "boot" in request.parts:
        wanted += [
            PowerCase("boot", 0.4, jobs, seed, rule, boot)
            for boot in (_BOOTS[-1:] if request.quick else _BOOTS)
            for rule in ("always-on", "timeout:0", "timeout", "lookahead")
            for seed in range(seeds)
        ]
    return wanted


def run(request: StudyRequest, context: StudyContext) -> Report:
    tables: list[ReportTable] = []
    sentences: list[str] = []
    figures = {}
    if "instances" in request.parts:
        tables.append(_instances())
        sentences.append(_instances_sentence(tables[-1].frame))
    if "growth" in request.parts:
        tables.append(_growth((1, 2) if request.quick else (1, 2, 3, 4, 5)))
        sentences.append(_growth_sentence(tables[-1].frame))
    if "window" in request.parts:
        tables.append(_window(request.quick))
        sentences.append("window: the published gains are for other jobs, with the same load and number.")
    rows = [{**case.to_dict(), **outcome} for case, outcome in case_outcomes(cases(request), context)]
    frame = pd.DataFrame(rows)
    if "front" in request.parts:
        runs = frame[frame["part"] == "front"]
        table = _front(runs)
        tables.append(table)
        sentences = _front_sentences(table.frame, runs) + sentences
        figures["front"] = partial(write_figure, figure=front_figure("Energy against waiting", table.frame))
    if "boot" in request.parts:
        tables.append(_boot(frame[frame["part"] == "boot"]))
    kept = ["part", "load", "boot_seconds", "switching", "seed", "energy", "energy_delay", "mean_wait"]
    points = {"values": frame[kept]} if len(frame) else {}
    return Report(tuple(tables), tuple(sentences), figures, points)


_ONE = ("CASE STUDY", "one pending job")
PRINTED = {  # section, row and column of the printed number
    ("test 1", "energy"): ("TEST ONE", "energy model", "objective (energy cost)"),
    ("test 1", "solving time, energy phase"): ("TEST ONE", "energy model", "solving time"),
    ("test 1", "makespan"): ("TEST ONE", "makespan model", "ms"),
    ("test 2", "energy"): ("TEST TWO", "energy model", "objective (energy cost)"),
    ("test 2", "makespan"): ("TEST TWO", "makespan model", "ms"),
    ("one pending", "energy"): (*_ONE, "objective of the energy model"),
    ("one pending", "makespan"): ("CASE STUDY", "ms", "Solution Value"),
    ("one pending", "start"): (*_ONE, "start of the job"),
    ("one pending", "solving time, energy phase"): (*_ONE, "solving time, energy model"),
    ("one pending", "solving time, makespan phase"): (*_ONE, "solving time, makespan model"),
}


def _instances() -> ReportTable:
    lines = []
    for name, (cluster, jobs) in INSTANCES.items():
        solved = [plan_shared(cluster, jobs) for _ in range(9)]
        plan = solved[0]
        assert plan is not None
        seconds = np.median([solution.seconds for solution in solved if solution is not None], axis=0)
        ours = {
            "energy": plan.energy,
            "makespan": plan.makespan,
            "start": plan.starts[0] if len(jobs) == 1 else None,
            "solving time, energy phase": seconds[0],
            "solving time, makespan phase": seconds[1],
        }
        for quantity, value in ours.items():
            if value is not None:
                printed = PRINTED.get((name, quantity))
                published = number("marra", *printed) if printed else np.nan
                lines.append({"instance": name, "quantity": quantity, "published": published, "ours": value})
    return ReportTable(
        "instances",
        "Published instances: energy in cost of node-slots, makespan and start in slots, CPU time in seconds",
        pd.DataFrame(lines),
        {"published": 2, "ours": 3},
    )


def _instances_sentence(frame: pd.DataFrame) -> str:
    both = frame.dropna()
    timed = both["quantity"].str.startswith("solving time")
    same = int((both["published"] == both["ours"])[~timed].sum())
    quicker = int((both["ours"] < both["published"])[timed].sum())
    return (
        f"instances: {same} of {int((~timed).sum())} published values are met (the energy of test 2 is a "
        f"misprint: the printed solution has four node-slots at 2, which is 8); {quicker} of "
        f"{int(timed.sum())} solving times are below those published for CPLEX 12.2 in 2011."
    )


def _growth(counts: tuple[int, ...]) -> ReportTable:
    lines = []
    cluster = SharedCluster((64,) * 10 + (60,) * 2, (4,) * 12, 18, (10, 11), {2: ((64, 3),), 4: ((64, 3),)})
    for count in counts:
        jobs = tuple(SharedJob(256, 6, 4) for _ in range(count))
        shorter = bundled(cluster, jobs)[:2]
        solved = {name: plan_shared(*given) for name, given in (("", (cluster, jobs)), ("b", shorter))}
        plain, small = solved[""], solved["b"]
        if plain is None or small is None:
            continue
        assert (plain.energy, plain.makespan) == (small.energy, small.makespan), "bundles change nothing"
        lines.append(
            {
                "pending jobs": count,
                "energy": plain.energy,
                "makespan": plain.makespan,
                "energy s": plain.seconds[0],
                "makespan s": plain.seconds[1],
                "bundles s": sum(small.seconds),
            }
        )
    digits = {"pending jobs": 0, "energy": 0, "makespan": 0}
    return ReportTable(
        "growth",
        "CPU seconds to solve both phases for jobs of 256 cores on 12 nodes, by core counts and by bundles",
        pd.DataFrame(lines),
        digits | dict.fromkeys(("energy s", "makespan s", "bundles s"), 3),
    )


def _growth_sentence(frame: pd.DataFrame) -> str:
    """Return the factor of each job, and whether an exponential or a power of the jobs fits better."""
    seconds = np.log((frame["energy s"] + frame["makespan s"]).to_numpy(float))
    jobs = frame["pending jobs"].to_numpy(float)
    sentence = f"growth: a further job takes {np.exp(np.polyfit(jobs, seconds, 1)[0]):.1f} times as long"
    if len(jobs) < 4:
        return f"{sentence} (published: exponential growth)."
    exponential, power = (np.polyfit(x, seconds, 1, full=True) for x in (jobs, np.log(jobs)))
    better = "an exponential" if exponential[1][0] < power[1][0] else f"the power {power[0][0]:.1f}"
    return (
        f"{sentence} on average; of the two, {better} fits the times better (published: exponential growth)."
    )


def _window(quick: bool) -> ReportTable:
    """Return energies of lists and of windows on 64 nodes, in percent of all nodes on."""
    known = open_file("power_prototype.csv").apply(pd.to_numeric, errors="coerce")
    lines = []
    for row in known[known["late"] == 2].itertuples(index=False):
        if quick and row.jobs > 20:
            continue
        ours = np.array([_planned(int(row.jobs), float(row.load), seed) for seed in range(1 if quick else 3)])
        gain = 100 * (1 - row.window_mip / row.list_and_profile)
        lines.append(
            {
                "jobs": row.jobs,
                "load": row.load,
                "list, known": 100 * row.list_and_profile / row.always_on,
                "list, ours": ours[:, 0].mean(),
                "gain of the window, known": gain,
                "gain of the window, ours": ours[:, 1].mean(),
                "least": ours[:, 1].min(),
                "most": ours[:, 1].max(),
            }
        )
    frame = pd.DataFrame(lines)
    digits = {name: 1 for name in frame.columns if name not in ("jobs", "load")}
    return ReportTable(
        "window",
        "64 nodes, late 2: list and best profile in percent of all nodes on, and what the window gains on it",
        frame,
        {"jobs": 0, "load": 1, **digits},
    )


def _planned(count: int, load: float, seed: int) -> tuple[float, float]:
    """Return the energy of list and profile over that of all nodes on, and the gain of a window, in %."""
    nodes, slot = 64, 300.0
    workload = lublin(nodes, count, seed=seed, load=load)
    first = float(workload.submit[0])
    # Runs of hours are cut, so that all is known over some hundred slots.
    lengths = np.maximum(np.ceil(np.minimum(workload.run_time, 20 * slot) / slot), 1).astype(int)
    work = float((workload.nodes * lengths).sum()) / nodes / load
    spread = (workload.submit - first) / max(float(workload.submit[-1] - first), 1.0) * work
    jobs = tuple(
        SlotJob(int(size), int(length), int(release))
        for size, length, release in zip(workload.nodes, lengths, spread, strict=True)
    )
    model = PowerModel()
    power = SlotPower.of(model, slot)
    slots = Slots(nodes, int(work) + 80, power, on=nodes)
    made = make_plan(slots, jobs, Planning(slot=slot, late=2, seconds=60, nodes=200))
    assert made is not None
    use = sum(job.nodes * job.slots for job in jobs)
    on = (power.busy - power.idle) * use + power.idle * nodes * slots.slots
    return 100 * made.list_energy / on, 100 * (1 - made.plan.energy / made.list_energy)


def _by_rule(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return energies over those of always-on, and waits, by a column's value and rule."""
    lines = []
    for value, group in frame.groupby(column, sort=False):
        base = group[group["switching"] == "always-on"]
        for rule, own in group.groupby("switching", sort=False):
            counts = {
                name: sum(found.get(name, 0) for found in own["counts"])
                for name in ("plans", "fallbacks", "timeouts")
            }
            lines.append(
                {
                    "value": value,
                    "rule": _short(str(rule)),
                    "energy %": 100 * own["energy"].sum() / base["energy"].sum(),
                    "hindsight %": 100 * own["hindsight"].sum() / base["energy"].sum(),
                    "energy x response %": 100 * own["energy_delay"].sum() / base["energy_delay"].sum(),
                    "wait s": own["mean_wait"].mean(),
                    "wait more s": own["mean_wait"].mean() - base["mean_wait"].mean(),
                    "boots a node and day": own["boots_a_node_day"].mean(),
                    **counts,
                    "jobs that waited for a boot": own["waited_for_boot"].mean(),
                }
            )
    return pd.DataFrame(lines)


def _front(frame: pd.DataFrame) -> ReportTable:
    """Return energy and waits by load and rule, with those that none excels."""
    table = _by_rule(frame, "load").rename(columns={"value": "load"})
    table = table.drop(columns="jobs that waited for a boot")
    digits = dict.fromkeys(("energy %", "hindsight %", "energy x response %"), 1)
    digits |= dict.fromkeys(("wait s", "wait more s", "plans", "fallbacks", "timeouts"), 0)
    return ReportTable(
        "front",
        f"Energy over that of always-on, and waits until all nodes are on, {_NODES} nodes",
        with_front(table, ["load"], "wait s", "energy %"),
        {"load": 1, **digits, "boots a node and day": 2},
    )


def _short(rule: str) -> str:
    return rule.replace(f",{_PLAN}", "")


def _front_sentences(frame: pd.DataFrame, runs: pd.DataFrame) -> list[str]:
    sentences = []
    for load, group in frame.groupby("load", sort=False):
        own = group.set_index("rule")
        plans = own[own.index.str.startswith("plan")]
        best = plans["energy %"].idxmin()
        energy = runs[runs["load"] == load].pivot(index="seed", columns="switching", values="energy")
        change = relative(energy["timeout"] / energy["always-on"], "seeds")
        sentences.append(
            f"load {load:g}: a timeout of the break-even time changes the energy by {change} against "
            f"always-on, and the mean wait by {own.loc['timeout', 'wait more s']:+,.0f} s; the best plan "
            f"({best}) by {plans.loc[best, 'energy %'] - 100:+.1f} % and "
            f"{plans.loc[best, 'wait more s']:+,.0f} s; unbeaten in both: "
            f"{', '.join(group[group['front'] == '*']['rule'])}."
        )
    return sentences


def _boot(frame: pd.DataFrame) -> ReportTable:
    table = _by_rule(frame, "boot_seconds").rename(columns={"value": "boot s"})
    table.insert(1, "break-even s", [PowerModel(boot_seconds=boot).break_even for boot in table["boot s"]])
    digits = {"boot s": 0, "break-even s": 0, "energy %": 1, "energy x response %": 1, "wait more s": 0}
    digits["jobs that waited for a boot"] = 0
    columns = ["boot s", "break-even s", "rule", *list(digits)[2:]]
    return ReportTable("boot", "Load 0.4: longer boots, against always-on", table[columns], digits)


STUDY = Study(
    name="power",
    title="How much energy does switching nodes off save, and how much longer do jobs wait?",
    source=(
        "O. Marra et al., CMCC research paper, 2011 (instances); energies of windows beside those of a "
        "prototype of ours with other jobs"
    ),
    parts=PARTS,
    run=run,
)
