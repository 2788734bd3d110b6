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
        "Compute Process Allocator (entry, Sandia, 2006), with its papers: V. J. Leung et al., "
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
        "(T), with its papers: PDP 2009, DCAI 2010, JPDC 2011, JSSPP 2009, and those on locality-aware "
        "policies (LOC, 2015), the search IFF (IFF, 2012 and 2014) and metrics of partitions (MET, 2012)"
    ),
}
HEAD = """# The sources, item by item

This page lists the contents of five publications: algorithms, structures, metrics, workloads, platforms,
experiments, tables and figures. For each item, it shows the command or public name that implements it.
`docs/figures/sources.py` generates this page from `docs/studies/sources.csv`. If an item is absent or
implemented only in part, the column *state* gives the reason. *Score* is the number of printed cells that
the study matches, followed by the number that the best constant would match ([published
tables](published-tables.md)). A score that is not higher than that of the constant shows no agreement. For
claims in words, see [published claims](claims.md).

| source | done | in part | absent |
|---|---:|---:|---:|
"""

COLUMNS = """| where | item | state | command or name | score |
|---|---|---|---|---|
"""


def scores() -> dict[str, str]:
    """Return the score of each published table, by its name on the page of tables."""
    made = runpy.run_path(str(FIGURES / "published_tables.py"))
    counted = {name: made["score"](count()) for name, _, count, _, _ in made["ROWS"]}
    flat = {name: by if by.startswith("a coin") else f"constant {by}" for name, (_, _, by) in counted.items()}
    return {name: f"{met} of {cells}, {flat[name]}" for name, (met, cells, _) in counted.items()}


def page() -> str:
    """Return the page."""
    items = pd.read_csv(TABLE, keep_default_na=False, dtype=str)
    counts = pd.crosstab(items["source"], items["state"]).reindex(index=list(SOURCES), columns=list(STATES))
    counts = counts.fillna(0).astype(int)
    text = HEAD
    for source, row in [*counts.iterrows(), ("all", counts.sum())]:
        title = f": {SOURCES[source]}" if source in SOURCES else ""
        text += f"| {source}{title} | {' | '.join(map(str, row))} |\n"
    known = scores()
    for source in SOURCES:
        text += f"\n## {source}\n\n{COLUMNS}"
        for row in items[items["source"] == source].itertuples(index=False):
            state = STATES[row.state] + (f": {row.why}" if row.why else "")
            gives = f"`{row.gives}`" if row.gives else ""
            text += f"| {row.where} | {row.item} | {state} | {gives} | {known.get(row.table, '')} |\n"
    return text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
