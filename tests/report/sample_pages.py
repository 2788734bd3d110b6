"""A page with every kind of mark, and with all that a page lets a reader choose."""

from netplace.report.pages.html import DataTable, Page
from netplace.report.plots.charts import bar_figure, curve_figure, interval_figure
from netplace.report.plots.figure import (
    Axis,
    Bars,
    Boxes,
    Cells,
    Curve,
    Figure,
    Links,
    Panel,
    Rule,
    Shades,
    Words,
)

MARKUP = "</script><img src=x onerror=alert(1)>$\\frac$&\"'"


def of(title, *marks, **options):
    """Return a figure of one panel."""
    panel = {name: options.pop(name) for name in ("x", "y", "shades", "equal") if name in options}
    return Figure(title=title, panels=[Panel(marks=marks, **panel)], **options)


FIGURES = (
    bar_figure(MARKUP, [MARKUP, "b"], {MARKUP: [1.0, None], "y": [2.0, 3.0]}, unit=MARKUP, caption=MARKUP),
    bar_figure("one", ["a", "b"], {"x": [1.0, 2.0]}, half={"x": [0.1, None]}, base=1.0, whiskers=MARKUP),
    interval_figure("intervals", [MARKUP, "b"], [-1.0, 2.0], [0.5, None], ["one run", MARKUP], unit="%"),
    curve_figure("lines", {MARKUP: [(0, 1), (1, 2, 0.5)], "_z": [(0, 2)]}, MARKUP, "y", whiskers="a half"),
    curve_figure("steps", {"a": [(0, 1), (1, 2)]}, "x", "y", step=True),
    of(
        "gantt",
        Boxes(
            x0=[0, 1], x1=[1, 2], y0=[0, 0], y1=[4, 2], values=[None, 1.5], edge=True, tips=["b: 1", MARKUP]
        ),
        x=Axis(label="s"),
        y=Axis(label="node", low=0.0, high=4.0),
        shades=Shades(label=MARKUP),
    ),
    of(
        "matrix",
        Cells(x=[0], y=[0], wide=1, tall=2, values=[3.0]),
        x=Axis(names=["c"], label="x"),
        y=Axis(names=[MARKUP, "b"], label="y", down=True),
        shades=Shades(label="v"),
    ),
    of(
        "network",
        Links(x0=[0], y0=[0], x1=[1], y1=[0], values=[[3], [1]], by_value=True, tips=[MARKUP]),
        Curve(x=[0, 1], y=[0, 0], line=""),
        Words(x=[0.5], y=[0.5], texts=[MARKUP], corner=True),
        x=Axis(hidden=True),
        y=Axis(hidden=True),
        shades=Shades(label="cycles", low=0.0),
        equal=True,
        frames=["all", MARKUP],
    ),
    of(
        "colours and bands",
        Cells(x=[0, 1], y=[0, 0], wide=2, tall=1, colours=[(1, 0, 0), (0, 1, 0)], tips=[MARKUP, "b"]),
        Rule(at=0.5),
        Rule(at=0.1, until=0.2, lying=True, colour="#e5e5e5"),
    ),
    of(
        "stacked",
        Bars(at=[0, 1], values=[1.0, 2.0], label=MARKUP, lying=True),
        Bars(at=[0, 1], values=[2.0, 5.0], base=[1.0, 2.0], label="b", lying=True, hatch=1, half=[0.1, 0.2]),
        y=Axis(names=["p", MARKUP]),
        whiskers="a half",
    ),
    of(
        "logarithmic",
        Curve(x=[1, 10, 100], y=[1, 10, 20], half_x=[0.5, 1, 1], hollow=True, line="dashed", label="a"),
        Curve(x=[1, 10], y=[3, 3], half=[1, 1], mark="D", line="dotted", label=MARKUP),
        x=Axis(scale="log", grid=True),
        y=Axis(scale="log2"),
        whiskers="a half",
    ),
    Figure(
        title="panels",
        panels=[
            Panel(marks=[Curve(x=[0, 1], y=[2, y])], title=MARKUP, x=Axis(low=0.0, high=1.0))
            for y in range(3)
        ],
        columns=2,
        share_x=True,
        x=MARKUP,
    ),
)
PAGE = Page(
    f"{MARKUP}?",
    [MARKUP],
    [("command", MARKUP), ("seed", "1")],
    [DataTable(MARKUP, ["name", "n"], [[MARKUP, 1.5], ["b", None], ["=1+1", 12345.678]]), *FIGURES],
    [MARKUP],
    [MARKUP],
)
