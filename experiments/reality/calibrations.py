"""Fits of the end points of machines to the rows that calibrate, and only to those."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from netplace.experiments.reality.sets import SETS, calibrating
from netplace.netsim import Config
from netplace.netsim.presets import Preset, calibration_of, fabric_of
from netplace.report.studies import Report, ReportTable, StudyContext, StudyRequest
from netplace.runs.fitting import Point, fit, loss, seconds_of

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
            "cache_bytes": (1 << 16, 1 << 14, 1 << 18, 1 << 19),
        },
        ("overhead", "latency", "per-byte", "reduce", "copy", "memory"),
    ),
    "marenostrum5": (
        {"cache_bytes": (1 << 20, 1 << 18, 1 << 19, 1 << 21), "eager_limit": (8192, 1024, 2048, 4096, 16384)},
        ("send", "receive", "latency", "rendezvous", "reduce", "copy", "memory"),
    ),
    "daint": ({}, ("overhead", "link")),
    "alps": ({"eager_limit": (4096, 512, 1024, 16384)}, ("overhead", "link", "rendezvous")),
    "theta": ({}, ("send", "receive", "latency", "copy")),
}
_EVALUATIONS, _SOME = 8, 60  # of a fit, and rows of one that need not be exact


def calibrate(request: StudyRequest, context: StudyContext) -> Report:
    """Fit each machine to its calibration, and write the file of its figures."""
    rows, files = [], {}
    for fabric, (choices, names) in FITTED.items():
        read = {name: kind.read(Path(request.data)) for name, kind in SETS.items() if kind.fabric == fabric}
        own = calibrating(fabric, read)
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
