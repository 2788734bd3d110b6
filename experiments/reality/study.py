"""Simulated times beside those of real machines, and beside predictions that simulate no network.

The ledger fits nothing but the LogGP baseline: it predicts all rows with the fabrics as they are shipped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from netplace.experiments.reality.baselines import LogGP, by_bandwidth, fitted, program_of
from netplace.experiments.reality.calibrations import calibrate
from netplace.experiments.reality.measurements import Row
from netplace.experiments.reality.sets import SETS, Rows, calibrating, packets_of
from netplace.experiments.reality.stencil import stencil
from netplace.netsim import Config
from netplace.report.studies import Report, ReportTable, Study, StudyContext, StudyRequest, measured
from netplace.report.studies import Row as Simulated

PARTS = {
    "ledger": "All measured rows that the shipped fabrics can predict, beside baselines",
    "calibrations": "The end points of each machine, fitted again to its calibration",
    "application": "A measured stencil on different numbers of hosts, predicted from one host",
}
_MICRO = 1e6
_MOST_PACKETS = 300_000  # of a simulated row, all vectors together; more are told as not run
_SOME = 60  # rows to which the baseline is fitted
_TIE = 0.05  # as measured: two algorithms of which none is called faster


def run(request: StudyRequest, context: StudyContext) -> Report:
    reports = {part: _CONDUCTED[part](request, context) for part in request.parts}
    return Report(
        tuple(table for report in reports.values() for table in report.tables),
        tuple(line for part, report in reports.items() for line in report.summary),
        files={name: text for report in reports.values() for name, text in report.files.items()},
    )


def _ledger(request: StudyRequest, context: StudyContext) -> Report:
    folder = Path(request.data)
    rows = {name: kind.read(folder) for name, kind in SETS.items()}
    if request.quick:
        rows = {name: own[::17] for name, own in rows.items()}
    models = {fabric: _baseline(fabric, rows) for fabric in {kind.fabric for kind in SETS.values()}}
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
    missed = pd.concat(
        [frame.loc[frame["netplace"].isna(), _CALL].assign(set=n) for n, frame in frames.items()]
    )
    tables = [
        ReportTable("ledger", "Errors of predictions, by set", ledger, digits),
        ReportTable("not_run", f"Rows of more than {_MOST_PACKETS:,} packets", missed, {"bytes": 0}),
    ]
    for name, frame in frames.items():
        title = f"{name}: measured and predicted microseconds"
        shown = {c: 1 for c in frame.columns if frame[c].dtype == float}
        tables.append(ReportTable(name.lower().replace(" ", "_"), title, frame, shown))
    return Report(tuple(tables), tuple(goals))


def _baseline(fabric: str, rows: dict[str, list[Row]]) -> LogGP:
    own = calibrating(fabric, rows)
    return fitted(own[:: 1 + len(own) // _SOME], Config(fabric=fabric))


def _predicted(name: str, rows: Sequence[Row], model: LogGP, context: StudyContext) -> pd.DataFrame:
    """Return a row for each measured one; what would take too long has no predicted times."""
    kind, config = SETS[name], Config(fabric=SETS[name].fabric)
    small = [packets_of(row, config) <= _MOST_PACKETS for row in rows]
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
    errors = {which: _error(own, which) for which in _PREDICTORS if which in own}
    best = min(errors, key=lambda which: errors[which]) == "netplace"
    listed = ", ".join(f"{which} {error:.0f} %" for which, error in errors.items())
    goals = [(best and errors["netplace"] <= (kind.goal or 0), f"median error of {kind.goal:.0f} %", listed)]
    if kind.near and len(own):
        ours, none = 100 * _ratios(own).mean(), 100 * _same(own).mean()
        text = "effect of the placement within 10 % in 80 % of rows"
        goals.append((ours >= 80 and ours > none, text, f"{ours:.0f} % of rows; no effect: {none:.0f} %"))
    return [f"{'Met' if met else 'MISSED'}: {name}: {text}; {found}." for met, text, found in goals]


_CONDUCTED: dict[str, Callable[[StudyRequest, StudyContext], Report]] = {
    "ledger": _ledger,
    "calibrations": calibrate,
    "application": stencil,
}


STUDY = Study(
    name="reality",
    title="How close are simulated times to those of real machines, and is the order the same?",
    source="measurements of others: De Sensi et al., SC 2025 (doi 10.1145/3712285.3759835), and those that "
    "docs/validation-hardware.md names",
    parts=PARTS,
    default=("ledger", "calibrations"),
    run=run,
    options=("data",),
)
