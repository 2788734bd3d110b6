"""Write docs/studies/sources.md from docs/studies/sources.csv: each item of the sources, and where it is."""

from __future__ import annotations

import runpy
from pathlib import Path

import pandas as pd

FIGURES = Path(__file__).parent
TABLE = FIGURES.parent / "studies" / "sources.csv"
PAGE = TABLE.with_suffix(".md")
STATES = {"done": "done", "in part": "in part", "not": "absent"}
# A source by its short name in the table.
SOURCES = {
    "Drakenberg": (
        'N. P. Drakenberg, "Increased Model-Realism can Make Processor-Selection Easier", Deutsches '
        "Klimarechenzentrum, Hamburg"
    ),
    "CPA": (
        "The entry of the Compute Process Allocator (Sandia, 2006) with its papers: V. J. Leung et al., "
        "CLUSTER 2002 (1), and M. A. Bender et al., WADS 2005 (2)"
    ),
    "Marra": (
        'O. Marra et al., "Green Computing: Design of a power saving solution based on Mixed Integer '
        'Programming (MIP)", CMCC research paper, 2011'
    ),
    "Mendonca": (
        'F. Mendonca, "Multi-purpose efficient resource allocation for parallel systems", thesis, Université '
        "Grenoble Alpes, 2017"
    ),
    "Pascual": (
        'J. A. Pascual, "Mechanisms and techniques for scheduling in supercomputers", thesis, UPV/EHU, 2013 '
        "(T), with its papers: PDP 2009, DCAI 2010, JPDC 2011, LOC 2015, IFF 2014, MET 2012, JSSPP 2009"
    ),
}
HEAD = """# The sources, item by item

This page lists the algorithms, structures, metrics, workloads, platforms, experiments, tables and figures of
the five sources of the product, and the command or public name that gives each. `docs/figures/sources.py`
makes it from `docs/studies/sources.csv`. An item *in part* or *absent* has its reason beside it. *Score* is
the number of printed cells that the study matches, and the number that the best single value would match
([published tables](published-tables.md)); a score that is no higher than that of the single value shows no
agreement. For words instead of cells, [claims](claims.md) counts those that are held.

"""

COLUMNS = """| where | item | state | given by | score |
|---|---|---|---|---|
"""


def scores() -> dict[str, str]:
    """Return the score of each published table, by its name on the page of tables."""
    made = runpy.run_path(str(FIGURES / "published_tables.py"))
    counted = {name: count() for name, _, count, _, _ in made["ROWS"]}
    return {name: f"{met} of {cells}, a constant {flat}" for name, (met, cells, flat) in counted.items()}


def page() -> str:
    """Return the page."""
    items = pd.read_csv(TABLE, keep_default_na=False, dtype=str)
    counts = pd.crosstab(items["source"], items["state"]).reindex(index=list(SOURCES), columns=list(STATES))
    counts = counts.fillna(0).astype(int)
    text = HEAD + f"| source | {' | '.join(STATES.values())} |\n|---|{'---:|' * len(STATES)}\n"
    for source, row in [*counts.iterrows(), ("all", counts.sum())]:
        text += f"| {source} | {' | '.join(map(str, row))} |\n"
    known = scores()
    for source, title in SOURCES.items():
        text += f"\n## {source}\n\n{title}.\n\n{COLUMNS}"
        for row in items[items["source"] == source].itertuples(index=False):
            state = STATES[row.state] + (f": {row.why}" if row.why else "")
            gives = f"`{row.gives}`" if row.gives else ""
            text += f"| {row.where} | {row.item} | {state} | {gives} | {known.get(row.table, '')} |\n"
    return text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
