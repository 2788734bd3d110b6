"""Write scores, claims and the map of the sources into the pages of studies, from what these stored.

Run with ``python docs/figures/published.py``; takes seconds. The printed cells, the claims and the items of
the sources are in ``experiments/published``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import cache, partial
from itertools import pairwise

import pandas as pd
from marks import fill_in, table
from published_cells import COMPARISONS, LIST, STUDIES, left_out, listed, stored

from netplace.experiments.published import open_file
from netplace.experiments.published.claims import STATES, Verdict, claims, judge, parsed

SOURCES = ("Drakenberg", "CPA", "Marra", "Mendonca", "Pascual")
ITEM_STATES = {"done": "done", "in part": "in part", "not": "absent"}
_stored = cache(stored)


@cache
def judged() -> pd.DataFrame:
    """Return the claims that have a test, with their states and verdicts."""
    frame = claims()
    frame = frame[frame["test"] != ""].reset_index(drop=True)
    frame["verdict"] = [judge(claim, _stored) for claim in frame.to_dict("records")]
    frame["state"] = [verdict.state for verdict in frame["verdict"]]
    return frame


def effect(verdict: Verdict) -> str:
    """Return the effect with its interval, or its spread over the units."""
    text = f"{verdict.effect:.4g}"
    if verdict.low != verdict.high:
        text += f" ({verdict.low:.4g} to {verdict.high:.4g})"
    return text


def units(claim: pd.Series) -> str:
    """Return of how many units, and which, a claim holds."""
    names = claim["unit"].replace("table; ", "").replace("; ", ", ") or "case"
    names += ", measure" * (";" in claim["measure"])
    return f"{claim['verdict'].held} of {claim['verdict'].units} ({names})"


def known(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.2g}"


def measured(claim: pd.Series) -> str:
    """Return what the effect is: the measure, and of which contestants it is a ratio."""
    groups, relation = parsed(bare(claim["test"]))
    names = groups[0][0]
    if claim["test"].startswith("counts: "):
        names = f"{names} / ({names} + {groups[1][0]})"
    elif relation != "in":
        first, other = ("least", "most") if relation == ">" else ("most", "least")
        steps = [f"{extreme(one, first)} / {extreme(two, other)}" for one, two in pairwise(groups)]
        names = f"{first} of ({'), ('.join(steps)})" if len(steps) > 1 else steps[0]
    names = re.sub(r"[^\s(]+/", "", names)  # folders of tables
    names = f"share with {bare(claim['test'])}" if claim["test"].startswith("share ") else names
    return f"{claim['measure']}: {names}" if claim["measure"] else names


def bare(test: str) -> str:
    """Return a test without its first word, which says how many units must meet it."""
    return re.sub(r"^(each|any|counts|share [0-9.]+): ", "", test)


def extreme(names: list[str], which: str) -> str:
    others = ", ".join(names).replace("*", "all others")
    return others if len(names) == 1 and names != ["*"] else f"{which} of {others}"


def command(claim: pd.Series) -> str:
    """Return the commands that make the tables of a claim, as their reports or else the page say."""
    made = {}
    for folder in dict.fromkeys(name.partition("/")[0] for name in claim["file"].split("; ")):
        report, page = STUDIES / folder / "report.md", STUDIES / f"{folder}.md"
        found = re.findall(r"Made by `([^`]+)`", report.read_text()) if report.exists() else []
        found = found or re.findall(r"^\$ (netplace [^\n]+)", page.read_text(), re.MULTILINE)
        made |= dict.fromkeys(f"`{one}`" for one in found)
    return ", ".join(made)


def rows(frame: pd.DataFrame) -> str:
    """Return a table of claims, those first that are not upheld."""
    order = frame.sort_values(
        "state", key=lambda state: state.map({"reversed": 0, "undecided": 1, "upheld": 2}), kind="stable"
    )
    cells = []
    for _, claim in order.iterrows():
        verdict = claim["verdict"]
        place = claim["section"] if claim["where"] == "text" else f"{claim['where']} ({claim['section']})"
        said = claim["claim"] + (f" ({claim['note']})" if claim["note"] else "")
        state = f"**{claim['state']}**" if claim["state"] != "upheld" else claim["state"]
        tested = [measured(claim), effect(verdict), units(claim), known(verdict.chance), known(verdict.shown)]
        cells.append([state, said, place, *tested, command(claim)])
    heads = ["state", "claim", "printed in", "measured", "here", "holds in", "by chance", "power .8 shows"]
    return table([*heads, "made by"], cells)


def by_predictors(own: pd.DataFrame) -> tuple[int, int, float, int]:
    """Return how many orders and ratios are tested, and how many we, random order and no difference meet."""
    own = own[[not math.isnan(verdict.chance) for verdict in own["verdict"]]]
    order = [parsed(bare(test))[1] != "in" for test in own["test"]]
    chances = [verdict.chance for verdict in own["verdict"]]
    nothing = sum(chance for chance, ordered in zip(chances, order, strict=True) if not ordered)
    return len(own), int((own["state"] == "upheld").sum()), sum(chances), round(nothing)


def of_study(name: str) -> str:
    """Return the claims that a study tests."""
    frame = judged()
    own = frame[frame["study"] == name]
    said = ", ".join(f"{(own['state'] == state).sum()} {state}" for state in STATES)
    orders, _, by_chance, _ = by_predictors(own)
    whose = "this page" if set(own["source"]) == {"netplace"} else "the source"
    expected = (
        f"Contestants in random order, or no effect, would meet {by_chance:.1f} of the {orders} that are "
        "orders or ratios. "
    )
    return (
        f"**{len(own)} claims of {whose} are tested: {said}.** {expected if orders else ''}"
        f"([How claims are tested](claims.md).)\n\n{rows(own)}"
    )


def by_study() -> str:
    """Return how many claims of a study have each state, what trivial predictors meet, what is reversed."""
    frame = judged()
    made = []
    for name in [*sorted(frame["study"].unique()), "all"]:
        own = frame[frame["study"] == name] if name != "all" else frame
        counts = [str((own["state"] == state).sum()) for state in STATES]
        orders, met, by_chance, nothing = by_predictors(own)
        page = f"[{name}]({name}.md)" if name != "all" else "all"
        said = " ".join(own.loc[own["state"] == "reversed", "claim"]) if name != "all" else ""
        made.append([page, *counts, f"{met} of {orders}", f"{by_chance:.1f}", str(nothing), said])
    heads = ["orders and ratios met", "by random order", "by no difference", "reversed claims"]
    return table(["study", *STATES, *heads], made)


def by_source() -> str:
    """Return how many claims of each source are tested, with which outcome."""
    every, frame = claims(), judged()
    made = []
    for source, own in every.groupby("source", sort=False):
        states = frame.loc[frame["source"] == source, "state"].value_counts().reindex(STATES, fill_value=0)
        made.append([source, len(own), *states, (own["test"] == "").sum()])
    shares = [f"{(frame['state'] == state).mean():.0%}" for state in STATES]
    made.append(["all", len(every), *shares, len(every) - len(frame)])
    return table(["source", "claims", *STATES, "not tested"], made)


def untested() -> str:
    frame = claims()
    own = frame.loc[frame["test"] == "", ["source", "claim", "section", "note"]]
    return table(["source", "claim", "printed in", "why"], own.to_numpy().tolist())


def scores() -> str:
    """Return the table of scores."""
    made, left = [], left_out()["left"]
    for one in COMPARISONS:
        name = f"{one.source}: {one.name}" + (f", {one.derived}" if one.derived else "")
        met, by_constant, cells = one.score()
        numbers = [met, by_constant, cells] if cells else ["-", "-", cells]
        other = left.get((one.source, one.name), "-")
        made.append([name, f"[{one.page}]({one.page}.md)", *numbers, other, one.within, one.why])
    heads = ["printed table", "study", "matched", "a constant", "of", "printed, not compared"]
    return table([*heads, "tolerance", "remarks"], made)


def uncompared() -> str:
    """Return the printed tables with cells that are not compared, and why."""
    frame = left_out().reset_index().merge(open_file("left_out.csv"), "left", ["source", "table"])
    frame = frame[frame["left"] > 0].fillna("no values here")
    names = frame["source"] + ": " + frame["table"]
    heads = ["printed table", "cells", "printed, not compared", "of these without a value here", "why"]
    return table(heads, zip(names, frame["cells"], frame["left"], frame["held"], frame["why"], strict=True))


def source(name: str) -> str:
    """Return the items of a source."""
    own = [one for one in COMPARISONS if one.source == name.lower()]
    items = open_file("items.csv")
    made = []
    for row in items[items["source"] == name].itertuples(index=False):
        state = ITEM_STATES[row.state] + (f": {row.why}" if row.why else "")
        known = [one.score() for part in row.table.split("; ") for one in own if one.name == part]
        score = "; ".join(f"{met} of {cells}, constant {best}" for met, best, cells in known if cells)
        made.append([row.where, row.item, state, f"`{row.gives}`" if row.gives else "", score])
    return table(["where", "item", "state", "command or name", "score"], made)


def source_counts() -> str:
    """Return how many items of each source are done."""
    items = open_file("items.csv")
    counts = pd.crosstab(items["source"], items["state"]).reindex(SOURCES, fill_value=0)[list(ITEM_STATES)]
    counts.loc["all"] = counts.sum()
    made = counts.rename(columns=ITEM_STATES).rename_axis("source").reset_index()
    return table(list(made), made.astype(str).to_numpy().tolist())


def pages() -> dict[str, dict[str, Callable[[], str]]]:
    """Return what is filled in, by page and mark."""
    return {
        "published-tables.md": {"tables": scores, "uncompared": uncompared},
        "claims.md": {"sources": by_source, "untested": untested},
        "index.md": {"claims": by_study},
        "sources.md": {"counts": source_counts} | {name: partial(source, name) for name in SOURCES},
        **{f"{name}.md": {"claims": partial(of_study, name)} for name in judged()["study"].unique()},
    }


if __name__ == "__main__":
    for name, measures in pages().items():
        fill_in(STUDIES / name, measures)
    listed().to_csv(LIST, index=False, lineterminator="\n")
