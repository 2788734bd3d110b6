"""Simulated times beside those of real machines, and beside predictions that simulate no network.

`calibrations` fits the end points of machines to the rows of `SETS` that calibrate, and only to those. The
ledger fits nothing but the LogGP baseline: it predicts all rows with the fabrics as they are shipped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from netplace.experiments.reality import measurements as files
from netplace.experiments.reality.baselines import LogGP, by_bandwidth, fitted, program_of
from netplace.experiments.reality.measurements import Row
from netplace.netsim import Config
from netplace.netsim.presets import Preset, calibration_of, fabric_of
from netplace.report.studies import Report, ReportTable, Study, StudyContext, StudyRequest, measured
from netplace.report.studies import Row as Simulated
from netplace.runs.fitting import Point, fit, loss, seconds_of

PARTS = {
    "ledger": "All measured rows that the shipped fabrics can predict, beside baselines",
    "calibrations": "The end points of each machine, fitted again to its calibration",
}


@dataclass(frozen=True)
class Rows:
    """A set of measured rows of a machine."""

    fabric: str
    read: Callable[[Path], list[Row]]
    calibrates: Callable[[Row], bool] = lambda row: False  # which rows may be fitted
    near: str = ""  # the set of the same calls on a compact placement
    goal: float | None = None  # largest median error, in percent


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
        partial(files.lumi, name="one group"),
        lambda row: not row.algorithm.startswith("bine"),
    ),
    "LUMI four groups": Rows(
        "lumi-g", partial(files.lumi, name="four groups"), near="LUMI one group", goal=8
    ),
    "LUMI 32 nodes": Rows("lumi-g", partial(files.lumi, name="32 nodes"), goal=8),
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
    "Theta first quarters": Rows("theta", partial(files.theta, part="4Half0"), lambda row: True),
    "Theta other quarters": Rows("theta", partial(files.theta, part="4Half", but="4Half0")),
    "Theta halves": Rows("theta", partial(files.theta, part="2Half"), goal=15),
}
# What `calibrations` fits, beginning at the fabric without its calibration: settings, of which it takes the
# best of some values, and parameters.
FITTED: dict[str, tuple[dict[str, tuple[Any, ...]], tuple[str, ...]]] = {
    "fugaku": (
        {"eager_limit": (2048, 512, 8192, 16384, 32768, 65536)},
        ("overhead", "link", "rendezvous", "reduce", "copy"),
    ),
    "lumi-g": (
        {
            "routing": tuple(f"ugal-l:{bias}" for bias in (4, 0, 1, 2, 8, 16)),
            "eager_limit": (128, 64, 512, 2048),
        },
        ("overhead", "latency", "per-byte", "reduce", "copy"),
    ),
    "marenostrum5": (
        {"cache_bytes": (1 << 20, 1 << 18, 1 << 19, 1 << 21), "eager_limit": (8192, 1024, 2048, 4096, 16384)},
        ("send", "receive", "latency", "rendezvous", "reduce", "copy", "memory"),
    ),
    "daint": ({}, ("overhead", "link")),
    "alps": ({"eager_limit": (4096, 512, 1024, 16384)}, ("overhead", "link", "rendezvous")),
    "theta": ({}, ("send", "receive", "latency", "copy")),
}
_MICRO = 1e6
_MOST_PACKETS = 300_000  # of a simulated row, all vectors together; more are told as not run
_MOST_FITTED = 150_000  # packets of rows that are fitted
_EVALUATIONS, _SOME = 8, 60  # of a fit, and rows of one that need not be exact
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
    own = _calibrating(fabric, rows)
    return fitted(own[:: 1 + len(own) // _SOME], Config(fabric=fabric))


def _calibrating(fabric: str, rows: dict[str, list[Row]]) -> list[Row]:
    """Return the rows to which a fabric and its baseline are fitted."""
    kinds = {name: SETS[name] for name in rows if SETS[name].fabric == fabric}
    own = [row for name, kind in kinds.items() for row in rows[name] if kind.calibrates(row)]
    return [row for row in own if _packets(row, Config(fabric=fabric)) <= _MOST_FITTED]


def _packets(row: Row, config: Config) -> float:
    """Return about how many packets all vectors of a row have."""
    return (row.point.tasks or 1) * row.bytes / config.packet_bytes


def _predicted(name: str, rows: Sequence[Row], model: LogGP, context: StudyContext) -> pd.DataFrame:
    """Return a row for each measured one; what would take too long has no predicted times."""
    kind, config = SETS[name], Config(fabric=SETS[name].fabric)
    small = [_packets(row, config) <= _MOST_PACKETS for row in rows]
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


def _calibrations(request: StudyRequest, context: StudyContext) -> Report:
    """Fit each machine to its calibration, and write the file of its figures."""
    rows, files = [], {}
    for fabric, (choices, names) in FITTED.items():
        read = {name: kind.read(Path(request.data)) for name, kind in SETS.items() if kind.fabric == fabric}
        own = _calibrating(fabric, read)
        points = [row.point for row in own[:: 9 if request.quick else 1]]
        begin = fabric_of(fabric, calibrated=False)
        chosen = {name: values[0] for name, values in choices.items()}
        config = Config(**{**begin.settings, **chosen})
        if choices:
            some = points[:: 1 + len(points) // _SOME]
            config = fit(some, config, names, _EVALUATIONS).config
            chosen = _best(some, config, choices)
        found = fit(points, replace(config, **chosen), names, _EVALUATIONS)
        sets = [name for name, rows in read.items() if any(map(SETS[name].calibrates, rows))]
        label = f"{len(points)} rows of {' and '.join(sets)}"
        tried = {name: f"fits {label} best, of {', '.join(map(str, choices[name]))}" for name in chosen}
        sources = tried | found.sources(label)
        settings = {name: getattr(found.config, name) for name in sources}
        says = calibration_of(begin.calibration).says
        files[f"{begin.calibration}.toml"] = Preset(says, settings=settings, sources=sources).to_toml()
        rows += [{"machine": fabric, "parameter": name, "value": value, "low": low, "high": high}
                 for name, (value, low, high) in found.values.items()]  # fmt: skip
    title = "Fitted parameters with intervals of 95 %"
    digits = dict.fromkeys(("value", "low", "high"), 3)
    return Report((ReportTable("calibrations", title, pd.DataFrame(rows), digits),), (), files=files)


def _best(points: list[Point], config: Config, choices: dict[str, tuple[Any, ...]]) -> dict[str, Any]:
    """Return of each setting the value with the least loss, one after the other."""
    best: dict[str, Any] = {}
    measured = np.array([point.seconds for point in points])
    for name, values in choices.items():
        tried = [replace(config, **best | {name: value}) for value in values]
        losses = [loss(seconds_of(points, one) / measured) for one in tried]
        best[name] = values[int(np.argmin(losses))]
    return best


_CONDUCTED: dict[str, Callable[[StudyRequest, StudyContext], Report]] = {
    "ledger": _ledger,
    "calibrations": _calibrations,
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
