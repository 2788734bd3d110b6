"""The page of published tables says what the stored tables say."""

from __future__ import annotations

import runpy
from pathlib import Path

FIGURES = Path(__file__).parents[2] / "docs" / "figures"


def test_the_page_counts_what_is_stored():
    made = runpy.run_path(str(FIGURES / "published_tables.py"))
    assert made["PAGE"].read_text(encoding="utf-8") == made["page"]()
