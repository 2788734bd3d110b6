"""The paper: each measured figure stands on the page that it names, and each citation in the bibliography."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
TEXT = (DOCS / "paper.md").read_text(encoding="utf-8")
PARAGRAPHS = [part for part in TEXT.split("\n\n") if part.startswith("*")]


@pytest.mark.parametrize("paragraph", PARAGRAPHS, ids=lambda text: text.split("*")[1])
def test_figures_stand_where_they_come_from(paragraph):
    pages = re.findall(r"\]\((\S+\.md)\)", paragraph)
    source = "\n".join((DOCS / page).read_text(encoding="utf-8") for page in pages)
    measured = set(re.findall(r"(?<![\w.])\d+\.\d+(?: ± \d\.\d)?", paragraph))
    assert pages
    assert not {figure for figure in measured if figure not in source}


def test_citations_are_in_the_bibliography():
    known = set(
        re.findall(r"^@\w+\{([^,]+),", (DOCS / "paper.bib").read_text(encoding="utf-8"), re.MULTILINE)
    )
    cited = set(re.findall(r"(?<!\w)@([\w:]+)", TEXT))
    assert cited == known


def test_it_has_the_length_of_a_paper_of_joss():
    assert 250 <= len(TEXT.split()) <= 1000
