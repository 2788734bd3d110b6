"""Write the tables of the pages on published tables, claims and sources from what the studies stored.

Run with ``python docs/figures/published.py``; takes seconds. The pages are ``published-tables.md``,
``claims.md`` and ``sources.md``; the cells of the first are listed in ``published-cells.csv``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

import pandas as pd
from marks import fill_in, table
from published_cells import LIST, PRINTED, ROWS, STUDIES, lines, listed, score

Verdict = tuple[str, bool | None, str]  # what is found here, whether it bears the claim out, by chance


def _table(file: str) -> pd.DataFrame:
    return pd.read_csv(STUDIES / f"{file}.csv")


def _at_most(files: tuple[str, ...], most: float) -> Verdict:
    worst = max(float(_table(file)["to best"].max()) for file in files)
    return f"{worst:.1f}", worst <= most, "-"


def _torus() -> Verdict:
    worst = float(_table("placement-effects/torus-16-times")["to best"].max())
    return f"{worst:.1f}", abs(worst / 8.5 - 1) <= 0.1, "-"


def _boxes() -> Verdict:
    own = _table("partition-selection-alone/boxes-alone")
    worst = float(own[own["application"] == "3d-mesh"]["to best"].max())
    return f"{worst:.1f}", worst > 6, "-"


def _utilization(column: str, strategy: str) -> Verdict:
    own = _table("partition-selection-longer/break-even-longer")
    values = own[own["strategy"] == strategy][column]
    held = bool((values < 0.8).all() if column == "util. boxes" else (abs(values - 0.99) <= 0.01).all())
    return f"{values.min():.3f} to {values.max():.3f}", held, "-"


def _speed_up(log: str, least: float, most: float) -> Verdict:
    own = _table("quasi-contiguous-published/published")
    values = own[own["workload"] == log]["speed-up needed"]
    held = bool((values - least).abs().min() <= 5 and (values - most).abs().min() <= 5)
    return f"{values.max():.0f} down to {values.min():.0f}", held, "-"


def _first_fit(search: str, sets: tuple[int, ...], seconds: float) -> Verdict:
    own = _table("first-fit/torus")
    own = own[(own["search"] == search) & own["set"].isin(sets)]
    values = own[[column for column in own if column.startswith("ms ")]].max(axis=1) / 1000
    held = bool((values <= seconds).all() if search == "IFF" else (values > seconds).all())
    return f"{values.min():.3g} to {values.max():.3g} s", held, "-"


def _stream() -> pd.Series:
    own = _table("allocators/stream")
    return own[own["machine"] == "torus:8x8,c=4, first four rows"].set_index("partition")["ratio"]


def _gain(of: str, over: str, printed: float) -> Verdict:
    own = _stream()
    gain = 100 * (1 - own[f"curve:{of}"] / own[f"curve:{over}"])
    return f"{gain:.0f} %", bool(0.5 * printed <= gain <= 2 * printed), "-"


def _overlap() -> Verdict:
    own = _table("allocators/overlap").dropna()
    own = own[own["columns"] == "every other"]
    values = own[["first", "second"]].to_numpy()
    return f"{values.min():.2f} to {values.max():.2f}", bool((abs(values / 2 - 1) <= 0.1).all()), "-"


def _scattering() -> Verdict:
    most = float(_table("non-contiguous-break-even/fcfs")["turnaround"].max())
    return f"{1 + most / 100:.2f}", 1 + most / 100 >= 2, "-"


def _decisions() -> Verdict:
    own = _table("allocators/decisions").pivot(index="situation", columns="decision", values="ratio")
    ranked = own[["mm+inc", "mm", "mc1x1", "curve:hilbert"]].to_numpy()
    held = int(((ranked[:, 1:] >= ranked[:, :-1]).all(axis=1)).sum())
    return f"in {held} of {len(own)} situations", held == len(own), f"{len(own) / 24:.1f} situations"


def _hops() -> Verdict:
    own = _table("allocators/hops")
    hops, span = own["r, hops"], own["r, ring span"]
    held = (hops > 0) & (span > 0) & (hops > span)
    return f"on {held.sum()} of {len(own)} machines", bool(held.all()), f"{len(own) / 8:.1f} machines"


def _intervals() -> Verdict:
    own = _stream()[[f"curve:hilbert,{rule}" for rule in ("first-fit", "best-fit", "sum-of-squares")]]
    apart = float(own.max() / own.min() - 1)
    return f"{100 * apart:.1f} % apart", apart <= 0.03, "-"


def _waits() -> Verdict:
    own = _table("allocators/stream")
    own = own[own["machine"] == "torus:8x8,c=4, first four rows"]
    large, small = (
        float(own["ratio"].corr(own[f"wait of {who}"], "spearman")) for who in ("largest", "others")
    )
    return f"rank correlation {large:.2f}, of smaller jobs {small:.2f}", large > 0.9 and small < 0.5, "0.00"


_ROWS_NOT = "the stored tables do not contain these runs: `netplace study placement-effects --table"
# A claim by the row of its file: what gives the verdict, or why there is none.
CLAIMS: dict[str, list[Callable[[], Verdict] | str]] = {
    "pascual_claims.csv": [
        lambda: _at_most(("placement-effects/torus-1-times", "placement-effects/tree-1-times"), 2.5),
        f"{_ROWS_NOT} tree-4`",
        _torus,
        f"{_ROWS_NOT} torus-4`",
        _boxes,
        lambda: _utilization("util. scattered", "CS-BM"),
        lambda: _utilization("util. boxes", "BPS-BM"),
        "the stored tables contain turnarounds, but no waiting times",
        lambda: _speed_up("HPC2N", 10, 25),
        lambda: _speed_up("LLNL-Thunder", 5, 30),
        lambda: _first_fit("IFF", (1, 2, 3, 4, 5), 0.015),
        lambda: _first_fit("NFF", (4, 5), 10),
    ],
    "cpa_claims.csv": [
        lambda: _gain("hilbert,free-list", "row,free-list", 14),
        lambda: _gain("hilbert,best-fit", "hilbert,free-list", 11),
        lambda: _gain("hilbert,best-fit", "row,free-list", 23),
        _overlap,
        _scattering,
        "in our study, runs with the same seed are identical",
        _decisions,
        _hops,
        _intervals,
        _waits,
    ],
}


def claims() -> pd.DataFrame:
    """Return the claims in words with what the stored tables say of each."""
    rows = []
    for file, verdicts in CLAIMS.items():
        printed = pd.read_csv(PRINTED / file, keep_default_na=False, dtype=str)
        for row, verdict in zip(printed.to_dict("records"), verdicts, strict=True):
            value = row.get("value") or " to ".join(dict.fromkeys(filter(None, (row["low"], row["high"]))))
            here, held, chance = ("", None, "") if isinstance(verdict, str) else verdict()
            word = f"not tried: {verdict}" if held is None else "holds" if held else "does not hold"
            rows.append((row["claim"], value, here, word, chance))
    return pd.DataFrame(rows, columns=["claim", "printed", "ours", "verdict", "by chance"])


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
    return float(sum(int(score(count())[2]) for name, _, count, _, _ in ROWS if name in tables))


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
    return table(list(frame.columns), frame.astype(str).to_numpy().tolist())


def tables() -> str:
    """Return the table of scores."""
    heads = ["published table", "study", "matched", "a constant", "of", "tolerance", "where cells differ"]
    return table(heads, lines())


def in_words() -> str:
    """Return the claims in words, and how many hold."""
    frame = claims()
    counts = frame["verdict"].str.split(":").str[0].value_counts()
    return (
        f"{markdown(frame)}\n\n{counts.get('holds', 0)} claims hold, {counts.get('does not hold', 0)} do not "
        f"hold, and {counts.get('not tried', 0)} were not tried."
    )


def one_by_one() -> str:
    """Return the claims on scheduling and power: how many hold, and each."""
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
    text = markdown(counts.rename_axis("").reset_index())
    return text + "".join(f"\n\n## {name}\n\n{markdown(part)}" for name, part in parts.items())


ITEMS = STUDIES / "sources.csv"
SOURCES = ("Drakenberg", "CPA", "Marra", "Mendonca", "Pascual")
STATES = {"done": "done", "in part": "in part", "not": "absent"}


@cache
def scores() -> Mapping[str, str]:
    """Return the score of each published table, by its name on the page of tables."""
    made = {}
    for name, _, count, _, _ in ROWS:
        met, cells, by = score(count())
        made[name] = f"{met} of {cells}, {by if by.startswith('a coin') else f'constant {by}'}"
    return made


def source(name: str) -> str:
    """Return the items of a source."""
    items = pd.read_csv(ITEMS, keep_default_na=False, dtype=str)
    rows = []
    for row in items[items["source"] == name].itertuples(index=False):
        state = STATES[row.state] + (f": {row.why}" if row.why else "")
        gives = f"`{row.gives}`" if row.gives else ""
        rows.append([row.where, row.item, state, gives, scores().get(row.table, "")])
    return table(["where", "item", "state", "command or name", "score"], rows)


def source_counts() -> str:
    """Return how many items of each source are done."""
    items = pd.read_csv(ITEMS, keep_default_na=False, dtype=str)
    counts = pd.crosstab(items["source"], items["state"]).reindex(index=list(SOURCES), columns=list(STATES))
    counts = counts.fillna(0).astype(int)
    counts.loc["all"] = counts.sum()
    return markdown(counts.rename(columns=STATES).rename_axis("source").reset_index())


PAGES: dict[str, dict[str, Callable[[], str]]] = {
    "published-tables.md": {"tables": tables, "claims": in_words},
    "claims.md": {"claims": one_by_one},
    "sources.md": {
        "counts": source_counts,
        **{name: lambda name=name: source(name) for name in SOURCES},  # type: ignore[misc]
    },
}

if __name__ == "__main__":
    for name, measures in PAGES.items():
        fill_in(STUDIES / name, measures)
    listed().to_csv(LIST, index=False, lineterminator="\n")
