"""A page with a figure of every kind, and outcomes to make pages of."""

from netplace.report.pages.figures import (
    Bars,
    DataTable,
    Gantt,
    Intervals,
    Lines,
    Matrix,
    NetworkMap,
    Places,
    Timeline,
)
from netplace.report.pages.html import Page

MARKUP = "</script><img src=x onerror=alert(1)>$\\frac$&\"'"
FIGURES = (
    Bars(title=MARKUP, groups=[MARKUP, "b"], series={MARKUP: [1.0, None], "y": [2.0, 3.0]}, unit=MARKUP),
    Bars(title="one", groups=["a", "b"], series={"x": [1.0, 2.0]}, half_widths={"x": [0.1, None]}, base=1.0),
    Intervals(
        title="intervals",
        names=[MARKUP, "b"],
        values=[-1.0, 2.0],
        half_widths=[0.5, None],
        groups=["better", MARKUP],
        unit="%",
    ),
    Lines(title="lines", series={MARKUP: [(0, 1), (1, 2, 0.5)], "_z": [(0, 2)]}, x=MARKUP, y="y"),
    Gantt(
        title="gantt",
        boxes=[(0, 1, 0, 4, None, 0), (1, 2, 0, 2, 1.5, 0)],
        labels=[MARKUP],
        x="s",
        value="w",
        nodes=4,
    ),
    Matrix(
        title="matrix",
        rows=[MARKUP, "b"],
        columns=["c"],
        cells=[(0, 0, 3)],
        value="v",
        x="x",
        y="y",
        course=[(0, 0, 0, 1), (1, 0, 0, 2)],
        time="s",
        where=[(0, MARKUP, 0, 3)],
        hint="more of {row}",
    ),
    NetworkMap(
        title="network",
        routers=[(0, 0), (1, 0)],
        links=[(0, 0, 1, 0)],
        names=[MARKUP],
        loads=[[3], [1]],
        windows=["all", MARKUP],
        value="cycles",
    ),
    Timeline(
        title="timeline",
        rows=[MARKUP, "b"],
        tasks=[(0, 3, 0), (0, 2, 1)],
        messages=[(0.5, 1.5, 0, 1, 64)],
        path=[(0, 1, 0, 1), (1, 2, 1, 0)],
        components=[MARKUP, "sending"],
        x=MARKUP,
    ),
    Places(
        title="places",
        places=[(0, 0), (1, 0), (0, 1)],
        held=[2],
        choices=[MARKUP, "b"],
        chosen=[[0], [1]],
    ),
)
PAGE = Page(
    MARKUP,
    [MARKUP],
    [("command", MARKUP), ("seed", "1")],
    [DataTable(MARKUP, ["name", "n"], [[MARKUP, 1.5], ["b", None], ["=1+1", 12345.678]]), *FIGURES],
    [MARKUP],
    [MARKUP],
)
