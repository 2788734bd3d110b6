"""Simulated times beside those of real machines, and beside predictions that simulate no network.

`calibrations` fits the end points of machines to the rows of `SETS` that calibrate, and only to those. The
ledger fits nothing but the LogGP baseline: it predicts all rows with the fabrics as they are shipped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from netplace.experiments.reality import measurements as files
from netplace.experiments.reality.baselines import LogGP, by_bandwidth, fitted, program_of
from netplace.experiments.reality.measurements import Row
from netplace.netsim import Config
from netplace.report.studies import Report, ReportTable, Study, StudyContext, StudyRequest, measured
from netplace.report.studies import Row as Simulated
from netplace.runs import resolve
from netplace.runs.fitting import fit

PARTS = {
    "ledger": "All measured rows that the shipped fabrics can predict, beside baselines",
    "calibrations": "The end points of each machine, fitted again to its calibration",
    "bluegene": "Blue Gene/L, shares of the peak of an all-to-all by shape; nothing is fitted",
}


@dataclass(frozen=True)
class Rows:
    """A set of measured rows of a machine."""

    fabric: str
    read: Callable[[Path], list[Row]]
    calibrates: Callable[[Row], bool] = lambda row: False  # which rows may be fitted
    near: str = ""  # the set of the same calls on a compact placement
    goal: float | None = None  # largest median error, in percent


_LUMI = {name: run for run, name in files.RUNS.items()}
_AT = {"daint": ("dragonfly:a=96,p=4,h=1,g=4", 40, 424), "alps": ("dragonfly:a=32,p=16,h=1,g=4", 40, 552)}


def _own(row: Row) -> bool:
    """Return whether a row calibrates MareNostrum: Open MPI's all-to-alls, broadcasts, and two others."""
    others = ("reduce", "binomial"), ("scatter", "basic_linear")
    own = row.operation in ("alltoall", "bcast") or (row.operation, row.algorithm) in others
    return own and not row.algorithm.startswith("bine")


def _every_other(row: Row) -> bool:
    return (row.bytes.bit_length() + (row.operation == "pingpong")) % 2 == 0


SETS = {
    "Fugaku 2x2x2": Rows("fugaku", partial(files.fugaku, shape="2x2x2"), lambda row: True),
    "Fugaku 4x4x4": Rows("fugaku", partial(files.fugaku, shape="4x4x4")),
    "Fugaku 8x8x8": Rows("fugaku", partial(files.fugaku, shape="8x8x8"), goal=15),
    "LUMI one group": Rows(
        "lumi-g",
        partial(files.lumi, run=_LUMI["one group"]),
        lambda row: not row.algorithm.startswith("bine"),
    ),
    "LUMI four groups": Rows(
        "lumi-g", partial(files.lumi, run=_LUMI["four groups"]), near="LUMI one group", goal=8
    ),
    "LUMI 32 nodes": Rows("lumi-g", partial(files.lumi, run=_LUMI["32 nodes"]), goal=8),
    "MareNostrum 5": Rows("marenostrum5", files.marenostrum, _own, goal=20),
    **{
        f"{machine} {placement}": Rows(
            machine,
            partial(files.pingpongs, machine=machine, placement=placement, network=network, far=far),
            _every_other if placement == "same rack" else lambda row: False,
            "" if placement == "same rack" else f"{machine} same rack",
            None if placement == "same rack" else 25,
        )
        for machine, (network, near, other) in _AT.items()
        for placement, far in (("same rack", near), ("different racks", other))
    },
    "Theta quarters": Rows("theta", partial(files.theta, part="4Half"), lambda row: True),
    "Theta halves": Rows("theta", partial(files.theta, part="2Half"), goal=15),
}
# What `calibrations` fits, from the fabric without end points.
FITTED = {
    "fugaku": ("overhead", "link", "rendezvous", "reduce", "copy"),
    "lumi-g": ("overhead", "latency", "per-byte", "reduce", "copy"),
    "marenostrum5": ("send", "receive", "latency", "rendezvous", "reduce", "copy"),
    "daint": ("overhead", "link"),
    "alps": ("overhead", "link"),
    "theta": ("send", "receive", "latency", "copy"),
}
_MICRO = 1e6
_MOST_PACKETS = 300_000  # of a simulated row, all vectors together; more are told as not run
_MOST_FITTED = 1 << 20  # bytes of rows that are fitted, for the sake of time
_TIE = 0.05  # as measured: two algorithms of which none is called faster


def run(request: StudyRequest, context: StudyContext) -> Report:
    tables: list[ReportTable] = []
    summary: list[str] = []
    for part in request.parts:
        made, remarks = _CONDUCTED[part](request, context)
        tables += made
        summary += [f"{PARTS[part]}.", *remarks]
    return Report(tuple(tables), tuple(summary))


def _ledger(request: StudyRequest, context: StudyContext) -> tuple[list[ReportTable], list[str]]:
    folder = Path(request.data)
    rows = {name: kind.read(folder) for name, kind in SETS.items()}
    if request.quick:
        rows = {name: own[::17] for name, own in rows.items()}
    models = {fabric: _baseline(fabric, rows) for fabric in FITTED}
    frames = {name: _predicted(name, own, models[SETS[name].fabric], context) for name, own in rows.items()}
    for name, kind in SETS.items():
        if kind.near:
            frames[name] = _beside_near(frames[name], frames[kind.near])
    scores = [_score(name, frame, fitted) for name, frame in frames.items() for fitted in (True, False)]
    goals = [
        sentence
        for name, kind in SETS.items() if kind.goal
        for sentence in _goals(name, frames[name], kind)
    ]  # fmt: skip
    ledger = pd.DataFrame([score for score in scores if score])
    digits = {name: 0 if "%" in name else 2 for name in ledger.columns if ledger[name].dtype == float}
    tables = [ReportTable("ledger", "Errors of predictions, by set", ledger, digits)]
    for name, frame in frames.items():
        title = f"{name}: measured and predicted microseconds"
        shown = {c: 1 for c in frame.columns if frame[c].dtype == float}
        tables.append(ReportTable(name.lower().replace(" ", "_"), title, frame, shown))
    return tables, goals


def _baseline(fabric: str, rows: dict[str, list[Row]]) -> LogGP:
    kinds = [name for name, kind in SETS.items() if kind.fabric == fabric]
    own = [row for name in kinds for row in rows[name] if SETS[name].calibrates(row)]
    own = [row for row in own if row.bytes <= _MOST_FITTED]
    return fitted(own[:: 1 + len(own) // 60], Config(fabric=fabric))


def _predicted(name: str, rows: Sequence[Row], model: LogGP, context: StudyContext) -> pd.DataFrame:
    """Return a row for each measured one; what would take too long has no predicted times."""
    kind, config = SETS[name], Config(fabric=SETS[name].fabric)
    small = [(row.point.tasks or 1) * row.bytes <= _MOST_PACKETS * config.packet_bytes for row in rows]
    programs = [program_of(row, config) if fits else None for row, fits in zip(rows, small, strict=True)]
    runs = [row.point.run(config) for row, fits in zip(rows, small, strict=True) if fits]
    cycles = iter(measured([Simulated({"n": n}, run) for n, run in enumerate(runs)], context)["cycles"])
    return pd.DataFrame(
        [
            {
                "operation": row.operation, "algorithm": row.algorithm, "bytes": row.bytes,
                "fitted": kind.calibrates(row), "noise": row.noise, "measured": row.point.seconds * _MICRO,
                "netplace": next(cycles) * config.cycle_ns * 1e-3 if program else np.nan,
                "LogGP": model.seconds(program) * _MICRO if program else np.nan,
                "bandwidth": by_bandwidth(program, config) * _MICRO if program else np.nan,
            }
            for row, program in zip(rows, programs, strict=True)
        ]
    )  # fmt: skip


_CALL = ["operation", "algorithm", "bytes"]
_PREDICTORS = ("netplace", "LogGP", "bandwidth", "near")


def _beside_near(frame: pd.DataFrame, near: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with the times of the same calls on a compact placement, measured and simulated."""
    own = near[[*_CALL, "measured", "netplace"]]
    return frame.merge(own.rename(columns={"measured": "near", "netplace": "near netplace"}), on=_CALL)


def _score(name: str, frame: pd.DataFrame, fitted: bool) -> dict[str, object]:
    own = frame[frame["fitted"] == fitted]
    if own.empty:
        return {}
    done = own.dropna(subset=["netplace"])
    score: dict[str, object] = {
        "set": name, "rows": "fitted" if fitted else "predicted", "count": len(own),
        "not run": len(own) - len(done), "noise %": 100 * own["noise"].median(),
    }  # fmt: skip
    for kind in _PREDICTORS:
        score[f"{kind} %"] = _error(done, kind)
    errors = (done["netplace"] / done["measured"] - 1).abs()
    score |= {"in 15 %": 100 * (errors <= 0.15).mean(), "in 30 %": 100 * (errors <= 0.3).mean()}
    for kind in ("netplace", "LogGP"):
        score |= {f"tau {kind}": _tau(done, kind), f"crossings {kind}": _crossings(done, kind)}
    if "near" in frame:
        score |= {"ratio in 10 %": 100 * _ratios(done).mean(), "no effect in 10 %": 100 * _same(done).mean()}
    return score


def _error(frame: pd.DataFrame, kind: str) -> float:
    """Return the median of the relative errors in percent."""
    return 100 * float((frame[kind] / frame["measured"] - 1).abs().median()) if kind in frame else np.nan


def _ratios(frame: pd.DataFrame) -> pd.Series:
    """Return in which rows the simulated effect of the placement is within 10 % of the measured one."""
    simulated, real = frame["netplace"] / frame["near netplace"], frame["measured"] / frame["near"]
    return (simulated / real - 1).abs() <= 0.1


def _same(frame: pd.DataFrame) -> pd.Series:
    return (frame["near"] / frame["measured"] - 1).abs() <= 0.1


def _tau(frame: pd.DataFrame, kind: str) -> float:
    """Return the mean Kendall's tau of predicted and measured times over calls with several algorithms."""
    taus = [
        stats.kendalltau(own["measured"], own[kind]).statistic
        for _, own in frame.groupby(["operation", "bytes"]) if len(own) > 1
    ]  # fmt: skip
    return float(np.nanmean(taus)) if taus else np.nan


def _crossings(frame: pd.DataFrame, kind: str) -> float:
    """Return in how many of the measured changes of order between two sizes the prediction changes too.

    Two algorithms count that differ by more than `_TIE` at both sizes; a change one size off counts as well.
    """
    found = []
    for _, own in frame.groupby("operation"):
        times = own.pivot_table(index="bytes", columns="algorithm", values=["measured", kind])
        for one, other in combinations(times["measured"].columns, 2):
            real, predicted = (
                np.log(times[of, one] / times[of, other]).to_numpy() for of in ("measured", kind)
            )
            flips = np.flatnonzero(
                (real[:-1] * real[1:] < 0) & (np.minimum(abs(real[:-1]), abs(real[1:])) > _TIE)
            )
            changed = predicted[:-1] * predicted[1:] < 0
            found += [changed[max(0, at - 1) : at + 2].any() for at in flips]
    return float(np.mean(found)) if found else np.nan


def _goals(name: str, frame: pd.DataFrame, kind: Rows) -> list[str]:
    """Return whether goals are met, which also needs less error than every baseline."""
    own = frame[~frame["fitted"]].dropna(subset=["netplace"])
    found = {which: _error(own, which) for which in _PREDICTORS if which in own}
    best = min(found, key=lambda which: found[which])
    met = found["netplace"] <= (kind.goal or 0) and best == "netplace"
    said = [_goal(f"{name}: median error of {kind.goal:.0f} %", met, _listed(found))]
    if kind.near and len(own):
        ours, none = 100 * _ratios(own).mean(), 100 * _same(own).mean()
        text = f"{name}: effect of the placement within 10 % in 80 % of rows"
        said.append(_goal(text, ours >= 80 and ours > none, f"{ours:.0f} % of rows; no effect: {none:.0f} %"))
    return said


def _listed(errors: dict[str, float]) -> str:
    return ", ".join(f"{name} {error:.0f} %" for name, error in errors.items())


def _goal(text: str, met: bool, found: str) -> str:
    return f"{'Met' if met else 'MISSED'}: {text}; {found}."


def _calibrations(request: StudyRequest, context: StudyContext) -> tuple[list[ReportTable], list[str]]:
    """Fit each machine to its calibration, beginning at the shipped values."""
    rows = []
    for fabric, names in FITTED.items():
        kinds = [kind for kind in SETS.values() if kind.fabric == fabric]
        own = [row for kind in kinds for row in kind.read(Path(request.data)) if kind.calibrates(row)]
        own = [row for row in own if row.bytes <= _MOST_FITTED]
        found = fit([row.point for row in own[:: 9 if request.quick else 1]], Config(fabric=fabric), names)
        rows += [{"machine": fabric, "parameter": name, "value": value, "low": low, "high": high}
                 for name, (value, low, high) in found.values.items()]  # fmt: skip
    digits = dict.fromkeys(("value", "low", "high"), 3)
    title = "Fitted end points with intervals of 95 %"
    return [ReportTable("calibrations", title, pd.DataFrame(rows), digits)], []


# Shares of peak in percent by shape and algorithm, published for 64 times as many nodes.
SHARES: dict[str, dict[str, float | None]] = {
    "8x8x8": {"random_order": None, "two_phase": None},
    "16x8x8": {"random_order": 64.0, "two_phase": 99.0},
    "10x8x4": {"random_order": 70.0, "two_phase": 99.0},
}
_BLOCK = 512  # 2,048 bytes change the cube's share from 61 to 59 % and take more than twice as long
# N. R. Adiga et al., IBM J. Res. Dev. 49 (2005): packets of at most 256 bytes, links of 175 MB/s, two
# adaptive channels beside a bubble, which is our router of grids.
_BLUEGENE = Config(phit_bytes=8, packet_phits=32, cycle_ns=8 / 0.175, vcs=3, injectors=6, router_delay=1)


def _bluegene(request: StudyRequest, context: StudyContext) -> tuple[list[ReportTable], list[str]]:
    shapes = {"4x4x4": SHARES["8x8x8"], "8x4x4": SHARES["16x8x8"]} if request.quick else SHARES
    rows = []
    for shape, published in shapes.items():
        sides = [int(side) for side in shape.split("x")]
        # Half of all pairs cross the middle of the longest side, which two cuts of two links a row each bear.
        minimum = int(np.prod(sides)) * max(sides) / 8 * _BLOCK / _BLUEGENE.phit_bytes
        for algorithm in published:
            options = f"algorithm={algorithm},bytes={_BLOCK},group={sides[0]}"
            job = {"app": f"collective,operation=alltoall,{options}"}
            labels: dict[str, str | float] = {"shape": shape, "algorithm": algorithm, "least": minimum}
            rows.append(Simulated(labels, resolve(f"torus:{shape}", job, config=_BLUEGENE)))
    found = measured(rows, context)
    frame = found[["shape", "algorithm"]].assign(
        **{"% of peak": 100 * found["least"] / found["cycles"],
           "published %": [share for published in shapes.values() for share in published.values()]}
    )  # fmt: skip
    direct, phased = (
        frame[frame["algorithm"] == algorithm]["% of peak"].tolist()
        for algorithm in ("random_order", "two_phase")
    )
    cube, long = direct[:2]
    said = [
        _goal("the cube above the shape of 2:1:1", cube > long, f"{cube:.0f} and {long:.0f} % of peak"),
        _goal("2:1:1 within 5 points", abs(long - 64.0) <= 5, f"{long:.0f} % and 64 % published"),
        _goal("two phases above one on 2:1:1", phased[1] > long, f"{phased[1]:.0f} and {long:.0f} % of peak"),
        "The published shapes are 64x32x32 and 40x32x16: the same proportions, 64 times as many nodes.",
    ]
    title = "Blue Gene/L: share of the peak of an all-to-all"
    return [ReportTable("bluegene", title, frame, {"% of peak": 0, "published %": 0})], said


_CONDUCTED: dict[str, Callable[[StudyRequest, StudyContext], tuple[list[ReportTable], list[str]]]] = {
    "ledger": _ledger,
    "calibrations": _calibrations,
    "bluegene": _bluegene,
}


STUDY = Study(
    name="reality",
    title="How close are simulated times to those of real machines, and is the order the same?",
    source="measurements of others: De Sensi et al., SC 2025 (doi 10.1145/3712285.3759835), and those that "
    "docs/validation-hardware.md names",
    parts=PARTS,
    run=run,
    options=("data",),
)
