"""TD and classic mappings in the tables of the literature: ``docs/studies/td-vs-classic.md``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from netplace.experiments.published import grid
from netplace.experiments.shared.relative_bars import draw_relative
from netplace.experiments.shared.statistics import best, relative, spread
from netplace.report.studies import Report, ReportTable, Row, Study, StudyRequest, of_runs
from netplace.runs import resolve
from netplace.runs.programs import request_of

APPLICATIONS = ("BT", "LU", "SP", "CG", "MG", "FT", "IS")
# The mapping's name in the tables: the rule. Both searches are the published one, on W of the whole run.
MAPPINGS = {
    "consecutive": "consecutive",
    "random": "random",
    "classic": "classic:grasp,iterations=50",
    "td": "td:grasp,iterations=50",
}
MEAN = "mean"
_PRINTED = ("1a", "1b", "2", "3a", "3b", "3c")
UNIFORM = ("FT", "IS")  # every task sends as much to every other: all mappings cost the same
WITHIN, WITHIN_BY_CHANCE = 0.01, 0.05  # of the published means: where nothing is drawn, and elsewhere
TIE = 0.001  # share by which means differ that the published digits hardly tell apart


@dataclass(frozen=True)
class Part:
    title: str
    network: str
    traces: str
    jobs: int = 1
    partition: str = "whole"


PARTS = {
    "1a": Part("one application of class W on a 4x4 torus", "torus:4x4", "W.16"),
    "1b": Part("one application of class A on an 8x8 torus", "torus:8x8", "A.64"),
    "2": Part("one application of class A on a 4x4x4 torus", "torus:4x4x4", "A.64"),
    "3a": Part("four instances on a 16x16 torus, in quadrants", "torus:16x16", "A.64", 4, "quadrants"),
    "3b": Part("four instances on a 16x16 torus, in bands", "torus:16x16", "A.64", 4, "bands"),
    "3c": Part("four instances on a 16x16 torus, in random partitions", "torus:16x16", "A.64", 4, "random"),
    "8x8x8-planes": Part("eight instances on an 8x8x8 torus, in planes", "torus:8x8x8", "A.64", 8, "planes"),
    "8x8x8-sub-cubes": Part(
        "eight instances on an 8x8x8 torus, in sub-cubes", "torus:8x8x8", "A.64", 8, "sub-cubes"
    ),
    "8x8x8-random": Part(
        "eight instances on an 8x8x8 torus, in random partitions", "torus:8x8x8", "A.64", 8, "random"
    ),
}


OWN = "own"  # the table of a user's programs on a network


def _tables(request: StudyRequest) -> dict[str, Part]:
    """Return the tables of a request by name."""
    if request.programs:
        return {OWN: Part(f"your programs on {request.network}", request.network, "")}
    return {name: PARTS[name] for name in request.parts}


def _programs(part: Part, request: StudyRequest) -> dict[str, dict[str, Any]]:
    """Return the programs of a table by name, as requests."""
    if request.programs:
        return {text: dict(request_of(text)) for text in request.programs}
    chosen = APPLICATIONS if not request.quick or part is PARTS["1a"] else ("LU",)
    return {name: {"trace": f"{name}.{part.traces}"} for name in chosen}


def rows(request: StudyRequest) -> list[Row]:
    """Return the runs: the first mapping of every kind before the second."""
    runs = [row for name, part in _tables(request).items() for row in _rows_of(name, part, request)]
    return sorted(runs, key=lambda row: int(row.labels["number"]) // 10)


def _rows_of(name: str, part: Part, request: StudyRequest) -> Iterator[Row]:
    for application, program in _programs(part, request).items():
        for partition, mapping, number in _placements(part, request):
            for simulation in range(request.sim_seeds or 1):
                run = resolve(
                    part.network,
                    [program | {"mapping": MAPPINGS[mapping]}] * part.jobs,
                    partition=partition,
                    seed=number,
                    # The first simulation draws from the mapping's seed, as a run by itself would.
                    network_seed=number + 1_000_000 * simulation if simulation else None,
                )
                yield Row({"table": name, "app": application, "mapping": mapping, "number": number}, run)


def _placements(part: Part, request: StudyRequest) -> Iterator[tuple[str, str, int]]:
    most_mappings, most_partitions = (3, 1) if request.quick else (10, 2)
    mappings = request.mappings or most_mappings
    partitions = [part.partition]
    if part.partition == "random":
        partitions = [f"random:{seed}" for seed in range(request.partitions or most_partitions)]
    for partition in partitions:
        for mapping in MAPPINGS:
            for seed in range(1 if mapping == "consecutive" else mappings):
                yield partition, mapping, seed


def report(request: StudyRequest, runs: pd.DataFrame) -> Report:
    tables, figures, cells = [], {}, []
    parts = _tables(request)
    for name, part in parts.items():
        cells.append(table_cells := _cells(runs[runs["table"] == name], _printed(name), part))
        title = f"Table {name}: {part.title}; times in 10,000 cycles"
        tables.append(ReportTable(f"table-{name}", title, table_cells.drop(columns=_hidden(name)), _DIGITS))
        figures[f"table-{name}"] = partial(_draw, cells=table_cells, title=part.title)
    every = pd.concat(cells, ignore_index=True)
    own = OWN in parts
    sentences = (effect(every), *(_td_against_classic(every) if own else summary(every)))
    return Report(tuple(tables), sentences, figures, notes=(_MARKS if own else _MARKS + _PUBLISHED_MARKS,))


_HEADS = {"consecutive": "Consecutive", "random": "Random", "classic": "Classic", "td": "TD"}


def _printed(table: str) -> pd.DataFrame:
    """Return the printed best and mean of each (application, mapping) of a table of JPDC, if it is one."""
    if table not in _PRINTED:
        return pd.DataFrame(columns=["best", MEAN], dtype=float)
    cells = grid("pascual", f"JPDC table {table}")
    rows = {}
    for mapping, head in _HEADS.items():
        # The consecutive mapping has a single value where no partition is drawn.
        best = cells.get(f"{head} Best", cells.get(f"{head} Value"))
        mean = cells.get(f"{head} Average", cells.get(f"{head} Value"))
        for app in cells.index:
            rows[app, mapping] = (best[app], np.nan if mean is None else mean[app])
    return pd.DataFrame.from_dict(rows, orient="index", columns=["best", MEAN]).set_axis(
        pd.MultiIndex.from_tuples(rows), axis=0
    )


_DIGITS = {
    "best": 2, "mean": 2, "std": 2, "published": 2, "ours / published": 3,
    "to consecutive": 3, "published to consecutive": 3, "difference": 3,
}  # fmt: skip


def _hidden(table: str) -> list[str]:
    """Return the columns that a table does not show; one's own programs have no published values."""
    if table != OWN:
        return ["table", "within"]
    theirs = ["published", "ours / published", "published to consecutive", "difference", "published winner"]
    return ["table", "within", "note", *theirs]


def effect(cells: pd.DataFrame) -> str:
    """Return the time with td relative to that with classic, over the applications of all tables."""
    means = cells[~cells["app"].isin(UNIFORM)].pivot(index=["table", "app"], columns="mapping", values=MEAN)
    ratios = means["td"] / means["classic"]
    return (
        f"Mean time with td against classic: {relative(ratios, 'applications of tables')}, without FT and IS."
    )


def _td_against_classic(cells: pd.DataFrame) -> Iterator[str]:
    """Yield a sentence for each program: the mean time with td relative to that with classic."""
    for app, own in cells.groupby("app", sort=False):
        rows = own.set_index("mapping")
        ratio = rows.at["td", "mean"] / rows.at["classic", "mean"] - 1
        winners = rows.index[rows["winner"] != ""].tolist()
        yield (
            f"{app}: td takes {abs(ratio):.1%} {'longer' if ratio > 0 else 'less'} than classic; "
            f"fastest: {', '.join(winners)}."
        )


def _cells(runs: pd.DataFrame, printed: pd.DataFrame, part: Part) -> pd.DataFrame:
    cells = []
    for (table, app), group in runs.groupby(["table", "app"], sort=False):
        samples = {
            mapping: (own["cycles"] / 1e4).tolist() for mapping, own in group.groupby("mapping", sort=False)
        }
        winners = best(samples, TIE)
        theirs = printed.loc[app] if app in printed.index else printed.iloc[:0]
        their_winners = _published_winners(theirs)
        # SP of class A is printed at exactly twice one run: compared with half of it.
        printed_runs = 2 if app == "SP" and part.traces.startswith("A") else 1
        base = float(np.mean(samples["consecutive"]))
        for mapping, sample in samples.items():
            mean, deviation = spread(sample)
            drawn = mapping != "consecutive" or part.partition == "random"  # something in its runs
            value, relative = np.nan, np.nan
            if mapping in theirs.index:
                value = float(theirs.loc[mapping, MEAN])
                relative = value / float(theirs.loc["consecutive", MEAN])
            cells.append(
                {
                    "table": table,
                    "app": app,
                    "mapping": mapping,
                    "within": WITHIN_BY_CHANCE if drawn else WITHIN,
                    "best": min(sample),
                    "mean": mean,
                    "std": deviation if len(sample) > 1 else np.nan,
                    "published": value,
                    "ours / published": mean / (value / printed_runs),
                    "to consecutive": mean / base,
                    "published to consecutive": relative,
                    "difference": mean / base - relative,
                    "winner": "*" if mapping == winners[0] else "=" if mapping in winners else "",
                    "published winner": "*" if mapping in their_winners else "",
                    "note": "printed at twice one run; half of it compared" if printed_runs == 2 else "",
                }
            )
    return pd.DataFrame(cells)


def _published_winners(theirs: pd.DataFrame) -> list[str]:
    """Return the mappings that did best in the published row; by the best where a mean is not printed."""
    column = MEAN if theirs[MEAN].notna().all() else "best"
    return [str(name) for name in theirs.index[theirs[column] <= theirs[column].min() * (1 + TIE)]]


_MARKS = (
    "`*` marks the mapping with the least mean, `=` those within 0.1 % of it or not different at 0.05 "
    "(t-test where one side does not vary, else Kruskal-Wallis; Holm's correction for all mappings of an "
    "application)."
)
_PUBLISHED_MARKS = (
    " In the published column `*` marks those within 0.1 % of the least mean, or of the least best where a "
    "mean is not printed."
)


def summary(cells: pd.DataFrame) -> list[str]:
    """Return sentences on the agreement of the cells with published values."""
    printed = cells[cells["table"].isin(cells.loc[cells["published"].notna(), "table"])]
    compared = cells[cells["published"].notna()]
    if compared.empty:
        return ["No published values for these tables were available."]
    others = compared[compared["mapping"] != "consecutive"]
    sentences = [
        _winners(printed),
        "Means relative to consecutive differ from the published ones by "
        f"{others['difference'].abs().mean():.3f} on average ({len(others)} cells); without FT and IS by "
        f"{others.loc[~others['app'].isin(UNIFORM), 'difference'].abs().mean():.3f}.",
    ]
    for (mapping, within), own in compared.groupby(["mapping", "within"], sort=False):
        sentences.append(_goal(own, mapping, within))
    sentences.append(
        "FT and IS: every task sends as much to every other, so every mapping has the same cost, and what "
        "classic and td give is what the construction's choice among equals leaves; these cells may differ."
    )
    return sentences


def _winners(cells: pd.DataFrame) -> str:
    """Return how many rows (applications of a table) have the winner that was published."""
    same, differ = 0, []
    for (table, app), row in cells.groupby(["table", "app"], sort=False):
        ours = set(row.loc[row["winner"] != "", "mapping"])
        theirs = set(row.loc[row["published winner"] != "", "mapping"])
        same += bool(ours & theirs)
        if not ours & theirs:
            differ.append(f"{table} {app} ({' '.join(sorted(ours))}; published {' '.join(sorted(theirs))})")
    total = same + len(differ)
    sentence = f"Same winner in {same} of {total} rows ({same / total:.0%})"
    return f"{sentence}; not in {', '.join(differ)}." if differ else f"{sentence}."


def _goal(cells: pd.DataFrame, mapping: str, within: float) -> str:
    """Return how many means of a mapping lie within a share of the published ones."""
    counted = cells if mapping in ("consecutive", "random") else cells[~cells["app"].isin(UNIFORM)]
    off = (counted["ours / published"] - 1).abs()
    outside = [
        f"{row['table']} {row['app']} {row['ours / published']:.3f}"
        for _, row in counted[off > within].iterrows()
    ]
    inside = len(counted) - len(outside)
    kept = f"{mapping}: {inside} of {len(counted)} means within {within:.0%} of the published"
    kept += "" if len(counted) == len(cells) else ", FT and IS apart"
    return f"{kept}; not {', '.join(outside)} (ours / published)." if outside else f"{kept}."


_draw = partial(
    draw_relative,
    series="mapping",
    value="to consecutive",
    published="published to consecutive",
    base="consecutive",
)

STUDY = Study(
    name="td-vs-classic",
    title="TD compared with the classic mapping criterion",
    source="Pascual, Miguel-Alonso and Lozano, J. Parallel Distrib. Comput. 71 (2011) 1377-1387, Tables 1-3",
    parts={name: part.title for name, part in PARTS.items()},
    default=("1a", "1b", "2"),
    run=of_runs(rows, report),
    options=("mappings", "partitions", "sim_seeds", "programs"),
)
