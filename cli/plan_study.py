"""``netplace plan-study``: how many seeds show a difference of a given size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.cli.clashes import command
from netplace.cli.flags import flag, real
from netplace.cli.outcomes import FIGURE
from netplace.cli.outputs import CommandOutput, page_flag, show
from netplace.cli.settings import json_flag

if TYPE_CHECKING:
    from netplace.report.comparison import Outcome, Sample

_LEAST = 3  # seeds of a pilot


@command("plan-study")
@click.argument("first", metavar="PILOT")
@click.argument("second", metavar="[PILOT]", required=False)
@flag(
    "--difference",
    "Smallest difference to detect, as a percentage of the mean of the first pilot.",
    real(0.001, 1000.0),
    3.0,
    metavar="PERCENT",
)
@flag("--figure figures", FIGURE, multiple=True, metavar="NAME")
@flag("--power", "Probability of detecting a difference of this size.", real(0.05, 0.999), 0.8)
@page_flag
@json_flag
def plan_study_command(
    first: str,
    second: str | None,
    difference: float,
    figures: tuple[str, ...],
    power: float,
    output: Path | None,
    as_json: bool,
) -> None:
    """Compute the number of seeds that a study needs to detect a difference of a given size.

    A pilot is an outcome with several seeds, of any kind that netplace compare reads. Two pilots with
    the same seeds are paired by seed, which removes their common variation. With one pilot, the
    command assumes that both alternatives vary as the pilot does, with independent seeds. The test is
    that of netplace compare for the same figures: Student's two-sided t-test at the level of 0.05, divided
    by the number of tests. The power is a mean over the standard deviations that the pilot can come from,
    so a small pilot asks for more seeds.
    """
    from netplace.report.comparison import read_outcome
    from netplace.report.pages.html import DataTable, Page

    before = read_outcome(Path(first))
    after = None if second is None else read_outcome(Path(second))
    rows = list(_rows(before, after, difference / 100, power, figures))
    if not rows:
        label = "in one entry" if after is None else "in both"
        raise ValueError(
            f"{first}: no result has at least {_LEAST} seeds {label}, expected a pilot with several seeds"
        )
    content = {"difference": difference, "power": power, "paired": after is not None, "results": rows}
    of = "pairs of runs" if after is not None else "runs of each"
    question = f"How many {of} detect a difference of {difference:g} % with a power of {power:g}?"

    table = DataTable(
        "Results",
        ["result", "pilot seeds", "spread (%)", "seeds"],
        [
            [
                ", ".join(word for word in (row["of"], row["name"]) if word),
                row["pilot"],
                100 * row["spread"],
                row["seeds"],
            ]
            for row in rows
        ],
        digits=[0, 0, 2, 0],
    )
    maximum = max(rows, key=lambda row: row["seeds"])
    answer = f"{table.rows[rows.index(maximum)][0]} needs the most: {maximum['seeds']:,} seeds."
    show(CommandOutput(lambda: content, lambda: Page(question, [answer], parts=[table])), output, as_json)


def _rows(
    before: Outcome, after: Outcome | None, share: float, power: float, figures: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Yield what each figure of the pilots asks for."""
    import numpy as np

    from netplace.report.comparison.compare import common_results
    from netplace.scheduling.metrics.comparison import draws_needed

    known = [
        (of, result, values)
        for of, result, other in common_results(before, before if after is None else after, figures)
        if len(values := _values(result.sample, None if after is None else other.sample)) >= _LEAST
        and result.sample.mean
    ]
    for of, result, values in known:
        spread = float(np.std(values, ddof=1)) / abs(result.sample.mean)
        seeds = draws_needed(spread, share, power, apart=after is None, pilot=len(values), tests=len(known))
        yield {"of": of, "name": result.name, "pilot": len(values), "spread": spread, "seeds": seeds}


def _values(sample: Sample, other: Sample | None) -> list[float]:
    """Return the values of seeds, or what they differ by in two samples; none where draws are no seeds."""
    if sample.unit != "seeds" or (other is not None and other.unit != "seeds"):
        return []
    if other is None:
        return list(sample.values.values())
    return [other.values[seed] - value for seed, value in sample.values.items() if seed in other.values]
