"""What a page says, and the page as one HTML file that opens from disk with no network."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any, TypeAlias

from netplace.inputs import escaped, printable
from netplace.report.tables.data_table import DataTable, print_data
from netplace.report.terminal.units import whole_part_kept

if TYPE_CHECKING:
    from netplace.report.plots.figure import Figure

__all__ = ["MOST_BYTES", "DataTable", "Page", "Part", "render"]

MOST_BYTES = 20_000_000
_FIRST_ROWS = 25  # of a table, for readers whose browser runs no scripts
_MOST_ROWS = 200_000
_SETTINGS = "config."  # of the network, many: folded


Part: TypeAlias = "DataTable | Figure"


@dataclass(frozen=True)
class Page:
    """What a page says, from top to bottom."""

    question: str  # that the command answers
    verdict: Sequence[str]  # what came of it, a sentence each; the first is the answer
    # Request, with versions and seeds; the command that makes it again under ``command``.
    asked: Sequence[tuple[str, str]] = ()
    parts: Sequence[Part] = ()
    missing: Sequence[str] = ()  # what could have been on the page and is not, and why
    notes: Sequence[str] = ()  # what a reader has to know in addition

    def __post_init__(self) -> None:
        if "?" not in self.question:
            raise ValueError(f"{self.question}: is no question, expected the one that the page answers")
        if not self.verdict or not self.answer.strip():
            raise ValueError(f"{self.question}: has no answer, expected a sentence")

    @property
    def answer(self) -> str:
        return self.verdict[0]

    def _repr_html_(self) -> str:
        body = [_head(self)]
        for part in self.parts:
            drawn = _plain(part) if isinstance(part, DataTable) else _still(part)
            body.append(f"<h3>{escaped(part.title)}</h3>{drawn}")
        return "\n".join([*body, _foot(self)])

    def show(self) -> None:
        """Print its question, its sentences and its tables, with their notes, on the terminal."""
        sys.stdout.write("\n".join([self.question, *self.verdict, ""]))
        print_data(part for part in self.parts if isinstance(part, DataTable))


def render(page: Page) -> str:
    """Return the text of a page."""
    from netplace.report.plots.figure import COLOURS, SHADED

    tables = [part for part in page.parts if isinstance(part, DataTable)]
    figures = [part for part in page.parts if not isinstance(part, DataTable)]
    body = [_head(page), *(_part(part, tables, figures) for part in page.parts), _foot(page)]
    data = {
        "colours": COLOURS,
        "shades": SHADED,
        "tables": [_table_data(table) for table in tables],
        "figures": [_figure_data(figure) for figure in figures],
    }
    text = _asset("page.html").format(
        title=escaped(page.question),
        style=_asset("page.css"),
        body="\n".join(body),
        data=_script_json(data),
        charts=_script("echarts.min.js") if figures else "",
        script=f'(() => {{\n"use strict";\n{_script("figures.js")}{_script("page.js")}}})();',
    )
    if len(text) > MOST_BYTES:
        raise ValueError(
            f"report: {len(text) / 1e6:.0f} MB, expected at most {MOST_BYTES / 1e6:.0f} MB; report only a "
            f"part, or fewer jobs"
        )
    return text


def _asset(name: str) -> str:
    return (resources.files("netplace.report.pages") / "assets" / name).read_text(encoding="utf-8")


def _script(name: str) -> str:
    # What stands in a <script> ends at the first closing tag in it.
    return _asset(name).replace("</script", "<\\/script")


def _head(page: Page) -> str:
    verdict = "".join(f"<li>{escaped(sentence)}</li>" for sentence in page.verdict)
    return f'<h1>{escaped(page.question)}</h1>\n<ul class="verdict">{verdict}</ul>'


def _foot(page: Page) -> str:
    request: dict[bool, list[str]] = {True: [], False: []}  # by whether it is of the network
    for name, value in page.asked:
        if name != "command":
            request[name.startswith(_SETTINGS)].append(f"{name.removeprefix(_SETTINGS)} {value}")
    lists = _listed("Notes", page.notes) + _listed("Not on this page", page.missing)
    command = dict(page.asked).get("command", "")
    said = ['<h2 id="asked">Request</h2>'] if page.asked else []
    said += [f"<p><code>{escaped(command)}</code></p>"] if command else []
    said += [f'<p class="note">{escaped("; ".join(request[False]))}</p>'] if request[False] else []
    if request[True]:
        folded = f"<summary>settings of the network</summary>{escaped('; '.join(request[True]))}"
        said.append(f'<details class="note">{folded}</details>')
    return lists + "".join(said)


def _listed(heading: str, sentences: Sequence[str]) -> str:
    items = "".join(f"<li>{escaped(sentence)}</li>" for sentence in sentences)
    return f"<h2>{heading}</h2><ul>{items}</ul>" if items else ""


def _part(part: Part, tables: list[DataTable], figures: list[Figure]) -> str:
    heading = f"<h2>{escaped(part.title)}</h2>"
    if isinstance(part, DataTable):
        note = f'<p class="note">{escaped(part.note)}</p>' if part.note else ""
        place = next(index for index, table in enumerate(tables) if table is part)
        return (
            f'<section>{heading}<div class="table" data-table="{place}">{_plain(part)}</div>{note}</section>'
        )
    caption = f"<figcaption>{escaped(part.explained)}</figcaption>" if part.explained else ""
    place = next(index for index, figure in enumerate(figures) if figure is part)
    columns = min(part.columns, len(part.panels))
    down = sum(panel.weight[1] for panel in part.panels[::columns])
    charts = "".join(
        f'<div class="chart" data-figure="{place}" data-panel="{number}" role="img" tabindex="0" '
        f'style="height:{100 * part.height * panel.weight[1] / down:.0f}px" '
        f'aria-label="{escaped(": ".join(filter(None, (part.title, panel.title))))}"></div>'
        for number, panel in enumerate(part.panels)
    )
    drawn = (
        f'<div class="panels" style="--columns:{columns}">{charts}</div><noscript>{_still(part)}</noscript>'
    )
    return f"<section>{heading}<figure>{drawn}{caption}</figure></section>"


def _still(figure: Figure) -> str:
    from netplace.report.plots.drawing import still  # with Matplotlib, which the terminal does without

    return still(figure)


def _plain(table: DataTable) -> str:
    """Return the first rows as a plain table; scripts put the whole one in its place."""
    head = "".join(f'<th scope="col">{escaped(name)}</th>' for name in table.columns)
    rows = "".join(
        "<tr>" + "".join(f"<td>{escaped(_shown(value))}</td>" for value in row) + "</tr>"
        for row in table.rows[:_FIRST_ROWS]
    )
    more = len(table.rows) - _FIRST_ROWS
    rest = f"<p>and {more:,} more rows, shown if scripts are enabled</p>" if more > 0 else ""
    return (
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>{rest}'
    )


def _shown(value: Any) -> str:
    if _plain_value(value) is None:
        return ""
    return whole_part_kept(value) if isinstance(value, float) else str(value)


def _table_data(table: DataTable) -> dict[str, Any]:
    return {
        "title": printable(table.title),
        "columns": _plain_value(table.columns),
        "rows": [[_plain_value(value) for value in row] for row in table.rows[:_MOST_ROWS]],
        "digits": [] if table.by_row else list(table.digits),
        "all": len(table.rows),
    }


def _figure_data(value: Any) -> Any:
    """Return a figure, or a part of it, as JSON has it: marks say their kind."""
    if is_dataclass(value):
        left_out = ("caption", "whiskers", "height", "columns", "narrow")
        own = {item.name: getattr(value, item.name) for item in fields(value)}
        plain = {name: _figure_data(part) for name, part in own.items() if name not in left_out}
        return {"kind": type(value).__name__, **plain}
    if isinstance(value, list | tuple) and any(map(is_dataclass, value)):
        return [_figure_data(part) for part in value]
    return _plain_value(value)


def _plain_value(value: Any) -> Any:
    """Return a value as JSON has it: numbers of seven digits or whole, what is no number as null, text."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {printable(str(key)): _plain_value(item) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [_plain_value(item) for item in value]
    if hasattr(value, "tolist"):  # NumPy's
        return _plain_value(value.tolist())
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        if value.is_integer() and abs(value) < 1e15:
            return int(value)
        return float(f"{value:.7g}" if abs(value) < 1e7 else f"{value:.0f}")
    return value


def _script_json(data: Any) -> str:
    """Return JSON that no browser takes for markup."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
