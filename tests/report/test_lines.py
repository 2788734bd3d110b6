"""Curves in panels."""

from __future__ import annotations

import pytest

from netplace.report.plots.lines import draw_lines


def test_panels_of_curves(tmp_path):
    panels = {"a": {"one": [0.5, 1, 2], "two": [0.1, 1, 9]}, "b": {"one": [1, 1, 1]}}
    draw_lines(tmp_path / "lines.png", panels, [0, 10, 20], "x", "y", "title", band=(5, 10))
    assert (tmp_path / "lines.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("panels", "sentence"),
    [({}, "nothing to draw"), ({"a": {"one": [1, 2]}}, "'one' has 2 values, expected 3")],
)
def test_mistakes(panels, sentence, tmp_path):
    with pytest.raises(ValueError, match=sentence):
        draw_lines(tmp_path / "lines.png", panels, [0, 10, 20], "x", "y", "title")
    assert not list(tmp_path.iterdir())
