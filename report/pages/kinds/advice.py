"""The page of advice, as ``netplace advise -o`` writes it in a folder."""

from __future__ import annotations

from pathlib import Path

from netplace.report.files.advice import read_advice
from netplace.report.pages.html import Page, Part
from netplace.report.pages.kinds.saved import versions_of
from netplace.report.plots.charts import bar_figure, curve_figure
from netplace.report.tables.data_table import DataTable

_MOST = 24  # placements in the picture


def page(path: Path) -> Page:
    advice = read_advice(path)
    tried = advice["tried"]
    ranked = [choice for choice in tried if choice["ratio"] is not None][:_MOST]
    draws = [
        ("advised" if advice["verdict"] == "faster" else "best found", advice["best_cycles"]),
        ("scheduler's", advice["default_cycles"]),
    ]
    parts: list[Part] = [
        DataTable(
            "Ranks and nodes",
            ["rank", "host", "node", "host chosen by the scheduler"],
            [
                [rank, host, node, default]
                for rank, (host, node, default) in enumerate(
                    zip(advice["hosts"], advice["nodes"], advice["default_hosts"], strict=True)
                )
            ],
        ),
        curve_figure(
            "Time of the job in each draw",
            {name: list(enumerate(map(float, cycles))) for name, cycles in draws},
            "draw",
            "cycles",
            caption="In each draw, the other jobs are at different points of their programs when the job "
            "starts.",
        ),
        bar_figure(
            "Simulated placements",
            [f"{choice['mapping']}, {choice['partition']}" for choice in ranked],
            {"ratio": [choice["ratio"] for choice in ranked]},
            unit="time / time of the scheduler's placement",
            caption="Time relative to the scheduler's placement. The table also lists abandoned placements.",
        ),
        DataTable(
            "All placements",
            ["partition", "mapping", "time relative to the default", "draws"],
            [[choice["partition"], choice["mapping"], choice["ratio"], choice["draws"]] for choice in tried],
            note="No number: the placement took more than 1.5 times as long as the scheduler's, and the "
            "search abandoned it.",
        ),
    ]
    asked = [*advice["asked"].items(), *versions_of(advice["versions"])]
    title = f"Where {advice['job']} should run on {advice['machine']}"
    return Page(title, advice["sentences"], asked, parts, notes=advice["grounds"])
