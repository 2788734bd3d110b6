"""Write docs/studies/claims.md from the tables beside it: published claims, and their reproduction."""

from __future__ import annotations

import runpy
from pathlib import Path

import pandas as pd

STUDIES = Path(__file__).parents[1] / "studies"
PAGE = STUDIES / "claims.md"
HEAD = """# Published claims on scheduling and power, one by one

This page compares the printed and plotted results in F. Mendonca's thesis (2017) and in O. Marra et al.
(2011) with those of the studies [local-backfilling](local-backfilling.md), [redirection](redirection.md),
[two-kinds](two-kinds.md) and [power](power.md), which name the publications in full.
`docs/figures/claims.py` generates this page from tables of these studies. The pages on [placement
rules](../background/places.md#the-rules) and [sequential tasks](../background/tasks.md) explain the names of
the rules and policies.

A claim about an order *holds* if the difference between our means, and the differences in most of our
instances, have the same sign as the published difference. *Like* means that the means are within 5 % of each
other. A published time of SWDUAL *holds* if the greedy schedule is within 20 % of it, and a published solving
time *holds* if ours is shorter. *For* and *against* count the instances that agree and disagree with the
claim (for an order among several rules, they count pairs of instance and rule). *Not tried* means that the
log of CEA Curie is not available, or that the input is not printed. A claim can hold for one log and not for
another, so the tables have one row for each log that we tried. The claims of chapter 4 are for Curie; we
tried them with other logs. *By a guess* is the number of tried claims that would hold without any simulation:
all claims that rules are alike or that one is at or below another, half of the other orders (orders among
several rules hold by chance less often), and as many times of SWDUAL and values of power as the best constant
matches ([published tables](published-tables.md)).

"""
NOT_TRIED = [
    ("five pending jobs: solution and solving time", "section 4", "the input is not printed"),
    ("a boot of 30 min is not worthwhile if a job frees its node in 20 min", "section 2", ""),
]


def orders(file: str) -> pd.DataFrame:
    """Return the verdicts on orders that a study left in a file."""
    frame = pd.read_csv(STUDIES / file, keep_default_na=False, dtype={"figure": str})
    made = frame.rename(columns={"order": "published"})
    made["published"] = made["metric"] + ": " + made["published"]
    made["on"] = made["on"].where(made["on"] != "", made["platform"])
    made["verdict"] = made["verdict"].replace({"held": "holds", "not held": "does not hold"})
    made = made.rename(columns={"on": "log"})
    return made[["claim", "figure", "published", "log", "verdict", "for", "against"]]


def guessed(part: pd.DataFrame) -> float:
    """Return how many of the tried orders hold for rules that are alike, and by a coin."""
    tried = part[part["verdict"] != "not tried"]["published"]
    alike = tried.str.contains(" (?:like|within|over|at or) ").sum()
    return float(alike + (len(tried) - alike - tried.str.contains(" about ").sum()) / 2)


def constants(*tables: str) -> float:
    """Return how many printed cells of some tables the best constants match."""
    made = runpy.run_path(str(Path(__file__).parent / "published_tables.py"))
    return float(
        sum(int(made["score"](count())[2]) for name, _, count, _, _ in made["ROWS"] if name in tables)
    )


def two_kinds() -> pd.DataFrame:
    """Return the verdicts on SWDUAL's times."""
    lines = []
    for name in ("workers", "databases"):
        for row in pd.read_csv(STUDIES / "two-kinds" / f"{name}.csv").to_dict("records"):
            database = row.get("database", "UniProt (table 2.2)")
            queries = row.get("queries", "40 queries 100-5000").replace("queries", "queries of length")
            near = abs(row["greedy / published"] - 1) <= 0.2
            lines.append(
                {
                    "case": f"{database}, {queries}, {row['workers']} workers",
                    "published s": f"{row['published']:.1f}",
                    "greedy s": f"{row['greedy']:.1f}",
                    "knapsack s": f"{row['knapsack']:.1f}",
                    "verdict": "holds" if near else "does not hold",
                }
            )
    return pd.DataFrame(lines)


def power() -> pd.DataFrame:
    """Return the verdicts on the published instances."""
    lines = []
    for row in pd.read_csv(STUDIES / "power" / "instances.csv").dropna().to_dict("records"):
        timed = row["quantity"].startswith("solving time")
        held = row["ours"] < row["published"] if timed else row["ours"] == row["published"]
        lines.append(
            {
                "case": f"{row['instance']}: {row['quantity']}",
                "published": f"{row['published']:g}",
                "ours": f"{row['ours']:.3g}",
                "verdict": "holds" if held else "does not hold",
            }
        )
    growth = pd.read_csv(STUDIES / "power-growth" / "growth.csv")
    seconds = growth["energy s"] + growth["makespan s"]
    lines.append(
        {
            "case": "solving times grow exponentially with jobs",
            "published": "section 5",
            "ours": f"{seconds.iloc[0]:.2f} to {seconds.iloc[-1]:.0f} s for 1 to {len(growth)} jobs",
            "verdict": "holds",
        }
    )
    lines += [
        {"case": what, "published": where, "ours": why, "verdict": "not tried"}
        for what, where, why in NOT_TRIED
    ]
    return pd.DataFrame(lines)


def markdown(frame: pd.DataFrame) -> str:
    """Return a table."""
    lines = [list(frame.columns), ["---"] * len(frame.columns), *frame.astype(str).values.tolist()]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def page() -> str:
    """Return the page."""
    parts = {
        "Chapter 5: weeks of logs": orders("local-backfilling/claims_weeks.csv"),
        "Chapter 4: jobs drawn at random, all submitted at time 0": orders(
            "local-backfilling/claims_drawn.csv"
        ),
        "Chapter 3: redirection": orders("redirection/claims_windows.csv"),
        "Chapter 2: SWDUAL": two_kinds(),
        "Power": power(),
    }
    counts = pd.DataFrame({name: part["verdict"].value_counts() for name, part in parts.items()}).T
    counts = counts.reindex(columns=["holds", "does not hold", "not tried"]).fillna(0).astype(int)
    counts["by a guess"] = [
        *(guessed(part) for part in list(parts.values())[:3]),
        constants("Mendonca 2.2", "Mendonca 2.4 and 2.5"),
        constants("Marra, section 4"),
    ]
    counts.loc["all"] = counts.sum()
    counts = counts.astype({name: int for name in counts if name != "by a guess"})
    text = HEAD + markdown(counts.rename_axis("").reset_index())
    return text + "".join(f"\n## {name}\n\n{markdown(part)}" for name, part in parts.items())


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
