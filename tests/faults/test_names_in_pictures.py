"""Names of any script, and control characters, in pictures and pages: no warning, no damage, no markup."""

import dataclasses
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

sys.path.append(str(Path(__file__).parents[1] / "report"))
from sample_pages import FIGURES, MARKUP

from netplace.report.pages.html import DataTable, Page, render
from netplace.report.plots.charts import marked_figure
from netplace.report.plots.drawing import still, write_figure

NAMES = {
    "escape": "a\x1b[2Jb",
    "nul": "a\0b",
    "bell-and-delete": "\x07\x7f\x9b",
    "surrogate": "a\ud800b",
    "direction": "a\u202eb\u2066",
    "chinese": "运行",
    "arabic": "تشغيل",
    "devanagari": "चलाओ",
    "emoji": "🚀👩‍🔬",
    "private": "\ue000\U000f0000",
    "none": "\uffff",
    "mathematics": "$\\frac$",
}


def renamed(value, name):
    """Return a value with `name` wherever it has the name that stands for any."""
    if isinstance(value, str):
        return value.replace(MARKUP, name)
    if isinstance(value, list | tuple):
        return type(value)(renamed(one, name) for one in value)
    if isinstance(value, dict):
        return {renamed(key, name): renamed(one, name) for key, one in value.items()}
    if dataclasses.is_dataclass(value):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return type(value)(**renamed(fields, name))
    return value


@pytest.mark.all
def test_all_still_pictures_take_all_names():
    for figure in FIGURES:
        ElementTree.fromstring(still(renamed(figure, " ".join(NAMES.values()))))


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_pages_take_any_name(name):
    table = DataTable(name, [name], [[name], [1]], name)
    figure = renamed(FIGURES[0], name)
    page = Page(f"{name}?", [name], [("command", name)], [figure, table], [name], [name])
    for text in (render(page), page._repr_html_()):
        text.encode()
        assert not set(text) & set("\0\x07\x1b\x7f\u202e\u2066\uffff")


@pytest.mark.all
@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_pictures_take_all_names(tmp_path, ending):
    names = list(NAMES.values())
    bars = {name: [1.0] * len(names) for name in names}
    write_figure(
        tmp_path / f"bars.{ending}", marked_figure(" ".join(names), names, bars, unit=" ".join(names))
    )
    if ending == "svg":
        ElementTree.fromstring((tmp_path / "bars.svg").read_text(encoding="utf-8"))
