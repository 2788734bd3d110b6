"""Which printed cells the stored tables of our studies match, and within which bounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pandas as pd

from netplace.experiments.placement_effects import PRINTED as PLACED
from netplace.experiments.placement_effects import PRINTED_ALONE as PLACED_ALONE
from netplace.experiments.power.study import PRINTED
from netplace.experiments.published import grid, number, open_file
from netplace.experiments.shared.statistics import constant

STUDIES = Path(__file__).parents[1] / "studies"
LIST = STUDIES / "published-cells.csv"
Bounds = Callable[[pd.Series], tuple[pd.Series, pd.Series]]  # least and most of ours, for printed values
Frame = pd.DataFrame


def share(part: float) -> Bounds:
    """Return bounds within a part of the printed value."""
    return lambda printed: (printed - part * printed.abs(), printed + part * printed.abs())


def points(most: float) -> Bounds:
    """Return bounds within a difference from the printed value."""
    return lambda printed: (printed - most, printed + most)


def twice(printed: pd.Series) -> tuple[pd.Series, pd.Series]:
    """Return bounds within a factor of two."""
    return 0.5 * printed, 2 * printed


@dataclass(frozen=True)
class Comparison:
    """Printed cells beside ours, in the rows and columns of the printed table."""

    source: str
    name: str  # of the table, as ``cells.csv`` calls it
    page: str  # of the study
    ours: Callable[[], Frame]  # returns our cells; printed columns that it lacks are left out
    near: Bounds  # bounds of ours for printed values, called `within` in words
    within: str
    why: str = ""  # why cells differ
    # What both tables are put through, if derived cells are compared, called `derived` in words.
    over: Callable[[Frame], Frame] | None = None
    derived: str = ""
    printed: Callable[[], Frame] | None = None  # returns the printed cells, if they are not a table

    def pair(self) -> list[Frame]:
        """Return the printed cells and ours, in the columns of ours."""
        ours = self.ours()
        printed = self.printed() if self.printed else grid(self.source, self.name)
        return [printed[list(ours)], ours.reindex(printed.index)]

    def cells(self) -> Frame:
        """Return a row for each cell that is printed with a value and has one of ours."""
        printed, ours = map(self.over, self.pair()) if self.over else self.pair()
        long = pd.DataFrame({"printed": printed.stack(), "ours": ours.stack()})
        least, most = self.near(long["printed"])
        long["matched"] = long["ours"].between(least - 1e-9, most + 1e-9)
        long = long.assign(least=least, most=most).rename_axis(["row", "column"]).reset_index()
        return long.dropna(subset=["printed", "ours"])

    def score(self) -> tuple[int, int, int]:
        """Return the cells matched, matched by constants of columns or rows, and compared."""
        cells = self.cells()
        groups = (cells.groupby(by) for by in ("column", "row"))
        by_constant = max(sum(constant(own["least"], own["most"])[1] for _, own in group) for group in groups)
        return int(cells["matched"].sum()), by_constant, len(cells)


def left_out() -> Frame:
    """Return how many cells a printed table has, has without a value here, and are not compared."""
    cells = open_file("cells.csv")
    tables = cells[cells["kind"] == "table"].groupby(["source", "table"], sort=False)["held"]
    made = tables.agg(cells="size", held=lambda held: (held == "1").sum(), left="size")
    for one in COMPARISONS:
        if not one.printed:
            printed, ours = one.pair()
            made.loc[(one.source, one.name), "left"] -= (printed.notna() & ours.notna()).sum().sum()
    return made


def stored(file: str) -> Frame:
    return pd.read_csv(STUDIES / f"{file}.csv", keep_default_na=False, na_values=[""])  # NA is a metric.


def wide(
    file: str, row: str, column: str, value: str, heads: Mapping[str, str] | None = None, where: str = ""
) -> Frame:
    """Return a stored table by row and column; `heads` maps printed columns to ours."""
    frame = stored(file)
    made = (frame.query(where) if where else frame).pivot_table(value, row, column)
    return made if heads is None else made[list(heads.values())].set_axis(list(heads), axis=1)


def relative(file: str, where: str = "") -> Frame:
    """Return mean times of three mappings over the best of them."""
    made = wide(file, "app", "mapping", "mean", _MAPPED, where)
    return made.div(made.min(axis=1), axis=0)


def times(table: str) -> Frame:
    """Return best and mean run times of a table of JPDC; SP of class A is printed at twice one run."""
    frame = stored(f"td-vs-classic{_TD[table]}/table-{table}")
    made = frame.pivot(index="app", columns="mapping", values=["best", "mean"])
    made = made if table == "1a" else made.mul(made.index.map(lambda app: 2 if app == "SP" else 1), axis=0)
    made.columns = [f"{_NAMES[mapping]} {'Best' if word == 'best' else 'Average'}" for word, mapping in made]
    made["Consecutive Value"] = made["Consecutive Average"]
    return made[[head for head in grid("pascual", f"JPDC table {table}") if head in made]]


def strategies(measure: str) -> Frame:
    return wide("partition-selection/classes", "class", "strategy", measure).rename("Class {}".format)


def large(heads: Mapping[str, str]) -> Frame:
    made = stored("partition-selection/large").set_index("strategy")[list(heads.values())]
    return made.set_axis(list(heads), axis=1).rename({"BPS-BM": "BPS"})


def break_evens() -> Frame:
    made = wide("partition-selection/break-even", "sizes", "strategy", "break-even")
    return made.rename(columns={"BPS-BM": "BPS"}).rename(str.capitalize)


def search_ratios(frame: Frame) -> Frame:
    """Return the times of a search over those of IFF, and of each set over the first."""
    other = frame.index[0]
    over = frame.loc[[other]].div(frame.loc["IFF"]).rename({other: f"{other} / IFF"})
    first = frame.div(frame.iloc[:, 0], axis=0).rename("{}, over set 1".format).iloc[:, 1:]
    return pd.concat([over, first])


def search_times(part: str) -> Frame:
    return wide(f"first-fit/{part}", "search", "set", "ms 2").rename(columns="Workload Set {}".format)


def visits() -> Frame:
    frame = stored("first-fit/visits")
    frame["network"] = frame["network"].str.removeprefix("torus:") + ", load " + frame["load"].astype(str)
    made = frame.pivot(index="network", columns="set", values=["found", "failed"])
    made.columns = [f"Set {count} {_ENDS[word]}" for word, count in made]
    return made


def job_sizes() -> Frame:
    sizes = stored("first-fit-logs/logs").groupby("log")["size"].first()
    return sizes.to_frame("Average Job Size")


def examples() -> Frame:
    made = stored("partition-metrics/examples").set_index("partition").loc[:, "NA":"WTAD_AL"]
    return made.rename(index={"boxes:8x8": "NC1", "boxes:4x16": "NC2"}, columns={"DFC": "DF"})


def speed_ups(workload: str) -> Frame:
    """Return speed-ups needed, first come, first served and backfilling by place."""
    files = ("quasi-contiguous-published/published", "quasi-contiguous-published-bf/published-bf")
    frame = pd.concat([stored(file) for file in files])
    frame = frame[frame["workload"] == workload]
    made = frame.pivot(index="policy", columns="allocation", values="speed-up needed")
    heads = {name: f"Quasi-contiguity threshold {name.split()[1]}%" for name in made if name != "contiguous"}
    return made.rename(columns={"contiguous": "Contiguous", **heads}).rename({"fcfs": "FCFS", "easy": "BF"})


def makespans() -> Frame:
    frame = stored("allocators/stream")
    own = frame[frame["machine"] == "torus:8x8,c=4, first four rows"].set_index("partition")
    return own.rename(_STREAM)[["makespan"]].set_axis(["Average Makespan"], axis=1)


def equal_choices() -> Frame:
    frame = stored("allocators/sets")
    frame.index = frame["rule"] + ", " + frame["tie"]
    return frame.eval("equal / compared").to_frame("equal choices")


def printed_choices() -> Frame:
    of = partial(number, "drakenberg", "6.2")
    other = of(_OPTIMAL, "requests with a different selection") / of(_OPTIMAL, "multi-node requests compared")
    equal = of(_UNIFORM, "jobs with selections of equal cost") / of(_UNIFORM, "multi-node jobs compared")
    return pd.DataFrame({"equal choices": {"quality, first": 1 - other, "nodes, coin": equal}})


def printed_instances() -> Frame:
    cells = {key: number("marra", *place) for key, place in PRINTED.items() if key[1] in _EXACT}
    return pd.Series(cells).unstack()


def workers() -> Frame:
    made = stored("two-kinds/workers").set_index("workers")[["greedy"]].set_axis(["SWDUAL"], axis=1)
    return made.T.rename(columns="{} workers".format)


def databases(row: str) -> Frame:
    where = "database == 'Uniprot'" if row == "queries" else "queries.isna()"
    made = wide("two-kinds/databases", row, "workers", "greedy", where=where)
    return made.rename(columns="{} workers, Time (s)".format)


def tasks() -> Frame:
    own = stored("redirection/instances").set_index("log").rename({"SDSC-Blue": "SDSC-Blue-4.1"})
    return own[["tasks"]].set_axis(["Instances characteristics: # tasks"], axis=1)


_MAPPED = {"Consecutive": "consecutive", "Random": "random", "TD": "td"}
_NAMES = {ours: printed for printed, ours in _MAPPED.items()} | {"classic": "Classic"}
_TD = {"1a": "", "1b": "", "2": "", "3a": "-shared", "3b": "-shared", "3c": "-random"}
_ENDS = {"found": "Successful", "failed": "Failed"}
_OUTSIDE = {f"Quasi-contiguous {count}-task": f"{count} outside" for count in range(1, 5)}
_OUTSIDE |= {"Non-contiguous 16-task (Random)": "random"}
_LARGE = {"Avg. Waiting Time": "head_wait", "Avg. Runtime": "run", "Job Throughput": "started"}
_STREAM = {
    "curve:row,free-list": "baseline (no curve)",
    "curve:row,best-fit": "best fit (no curve)",
    "curve:hilbert,free-list": "baseline (Hilbert)",
    "curve:hilbert,sum-of-squares": "sum of squares (Hilbert)",
    "curve:hilbert,first-fit": "first fit (Hilbert)",
    "curve:hilbert,best-fit": "best fit (Hilbert)",
}
_SUMS = {"MC1x1": "mc1x1", "MM": "mm", "MM+Inc": "mm+inc", "HilbertBF": "curve:hilbert"}
_FIRST = ("MC1x1", "MC1x1")
_OPTIMAL = "simple (realistic) against exact (realistic), surplus at most 12"
_UNIFORM = "simple (realistic) against simple (uniform), judged by the uniform vectors"
_EXACT = ["energy", "makespan", "start"]
_TRACES = "the paper states neither the traces of class IV nor the shares of sizes"
_MESHES = "the tables say neither the class nor the network; run times fit meshes and class A"
_WEIGHTS = "BPS for class II, TDM for class III: the weights of rounds in sweeps and meshes are not stated"
_TWICE = "SP is compared at twice our time, as which it is printed; else none of its cells would match"
_WHY_TD = {
    "1a": "FT: all mappings have the same cost; the paper does not state how the construction chooses",
    "1b": f"{_TWICE}; FT, IS as above; the best of ten mappings instead of 50",
    "2": _TWICE,
    "3a": f"{_TWICE}; two draws of each mapping instead of 50; FT, IS as above",
    "3b": f"{_TWICE}; two draws of each mapping instead of 50; FT, IS as above",
    "3c": f"{_TWICE}; two partitions, one draw of each mapping; FT, IS as above",
}
_ROWS = "our failing IFF searches examine each row; the paper does not state which rows its searches skip"
_DATABASES = "the composition of workers and their speed with these databases are not printed"
_COMPOSED = "the printed workers (GPUs first) would be faster; 2 + 2 and 3 + 2 fit the printed times better"


def _of(table: str, page: str, ours: Callable[[], Frame], *rest: object, **more: object) -> Comparison:
    return Comparison("pascual", table, page, ours, *rest, **more)  # type: ignore[arg-type]


COMPARISONS = (
    _of("thesis table 3.1", "placement-effects",
        lambda: wide("placement-effects/torus-16-times", "app", "placement", "to best", PLACED),
        share(0.1), "10 %"),
    _of("thesis table 3.2", "placement-effects",
        lambda: wide("placement-effects/in-quadrant-times", "app", "placement", "to best", PLACED_ALONE),
        share(0.1), "10 %", "the caption says a quadrant; on an 8x8 torus of its own, three of four match"),
    *[_of(f"thesis table 3.3{part}", "mesh-2d-or-3d",
          partial(relative, "mesh-2d-or-3d/times", f"mesh == '{mesh}'"), share(0.05), "5 %", _MESHES)
      for part, mesh in (("a", "8x8"), ("b", "4x4x4"))],
    *[_of(f"thesis table 3.4{part}", "td-vs-classic", partial(relative, file), share(0.05), "5 %", why)
      for part, file, why in (("a", "td-vs-classic-random/table-3c", "FT, TD"),
                              ("b", "td-vs-classic-8x8x8/table-8x8x8-random", "one mapping of each kind"))],
    *[_of(f"JPDC table {table}", "td-vs-classic", partial(times, table), share(0.05), "5 %", why)
      for table, why in _WHY_TD.items()],
    *[_of(f"LOC table {table}", "partition-selection", partial(strategies, measure), share(0.05), "5 %",
          _WEIGHTS, over=lambda own: own.div(own["CS-BM"], axis=0).drop(columns="CS-BM"),
          derived="quotients by CS-BM")
      for table, measure in (("5a", "run"), ("5b", "started"), ("5c", "head_wait"))],
    _of("thesis table 3.5", "partition-selection", lambda: large(_LARGE), share(0.05), "5 %", _TRACES,
        over=lambda own: own.div(own.loc["CS-BM"]).drop("CS-BM"), derived="quotients by CS-BM"),
    _of("thesis table 3.5", "partition-selection", lambda: large({"Utilization": "utilisation"}),
        points(0.05), "5 points", _TRACES),
    _of("thesis table 3.6", "partition-selection", break_evens, points(10), "10 points", _TRACES),
    *[_of(f"thesis table 3.7{part}", "first-fit", partial(search_times, network), twice, "a factor of 2",
          _ROWS, over=search_ratios, derived="quotients of times")
      for part, network in (("a", "mesh"), ("b", "torus"))],
    _of("IFF table III", "first-fit", visits, twice, "a factor of 2",
        "failing searches: the paper states neither their frequency nor the occupancy of the machine"),
    _of("IFF table II", "first-fit", job_sizes, share(0.1), "10 %", "the logs are cleaned"),
    _of("MET table 1", "partition-metrics", examples, share(0.01), "1 %",
        "NC1 and NC2 are read as boxes of 8x8 and 4x16"),
    _of("MET table 2a", "partition-metrics",
        lambda: wide("partition-metrics/correlations-2d-W", "app", "metric", "r"), points(0.1), "0.1",
        "metrics of the nodes for CG and MG"),
    _of("MET table 3a", "partition-metrics",
        lambda: wide("partition-metrics-3d/correlations-3d-W", "app", "metric", "r"), points(0.1), "0.1"),
    _of("thesis table 3.9", "quasi-contiguity",
        lambda: wide("quasi-contiguity/together", "app", "layout", "to contiguous", _OUTSIDE),
        share(0.1), "10 %", "the paper does not state which tasks were outside"),
    *[_of(f"thesis table 3.10{part}", "quasi-contiguous", partial(speed_ups, log), points(5), "5 points", why)
      for part, log, why in (("a", "LLNL-Thunder", "in the paper, backfilling may reserve a number of nodes"),
                             ("b", "HPC2N", "for an unknown reason"))],
    Comparison("cpa", "appendix 2, table 1", "allocators",
               lambda: wide("allocators/decisions", "situation", "decision", "ratio", _SUMS).rename(
                   {ours: name for name, ours in _SUMS.items()}), share(0.02), "2 %",
               "best fit along the Hilbert curve; the log of LLNL's T3D is missing",
               over=lambda own: own.stack().div(own.at[_FIRST]).drop(_FIRST).unstack(),
               derived="quotients by (MC1x1, MC1x1)"),
    Comparison("cpa", "appendix 1, table 1", "allocators", makespans, twice, "a factor of 2",
               over=lambda own: (1 - own / own.loc["baseline (no curve)"]).drop("baseline (no curve)"),
               derived="gains over the baseline"),
    Comparison("drakenberg", "6.2, equal choices", "allocators", equal_choices, points(0.01), "1 point",
               derived="quotients of counts", printed=printed_choices),
    Comparison("marra", "TEST ONE, TEST TWO, CASE STUDY", "power",
               lambda: wide("power/instances", "instance", "quantity", "ours")[_EXACT], points(0), "exact",
               "the printed energy of test two is not that of the printed solution",
               printed=printed_instances),
    Comparison("mendonca", "Table 2.2", "two-kinds", workers, share(0.2), "20 %", _COMPOSED),
    Comparison("mendonca", "Table 2.4", "two-kinds", partial(databases, "database"), share(0.2), "20 %",
               _DATABASES),
    Comparison("mendonca", "Table 2.5", "two-kinds", partial(databases, "queries"), share(0.2), "20 %",
               _DATABASES),
    Comparison("mendonca", "Table 3.1", "redirection", tasks, share(0.1), "10 %"),
)  # fmt: skip


def listed() -> Frame:
    """Return every cell that is compared, with six significant digits."""
    parts = [
        one.cells().assign(source=one.source, table=one.name, derived=one.derived) for one in COMPARISONS
    ]
    frame = pd.concat(parts).replace({"matched": {True: "yes", False: "no"}})
    for name in ("printed", "ours"):
        frame[name] = frame[name].map("{:.6g}".format)
    return frame[["source", "table", "derived", "row", "column", "printed", "ours", "matched"]]
