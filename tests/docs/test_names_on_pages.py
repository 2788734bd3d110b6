"""Pages name what is there: modules, folders, floors, flags, commands; figures of the paper."""

import pkgutil
import re
import tomllib
from pathlib import Path

import click
import pytest

from netplace.cli import app

ROOT = Path(__file__).parents[2]
ARCHITECTURE = (ROOT / "docs/background/architecture.md").read_text(encoding="utf-8")
NAMES = sorted(set(re.findall(r"`(netplace(?:\.\w+)+)`", ARCHITECTURE)) - {"netplace.studies"})


@pytest.mark.parametrize("name", NAMES)
def test_names_on_the_page_are_there(name):
    assert pkgutil.resolve_name(name)


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`((?:\w+/)+(?:\w+\.py)?)`", ARCHITECTURE))))
def test_files_and_folders_on_the_page_are_there(path):
    assert (ROOT / path.replace("NAME", "power").replace("cli/power", "cli/run")).exists()


def test_the_floors_are_those_that_are_checked():
    picture = ARCHITECTURE.split("```text\n")[1].split("```")[0]
    drawn = [set(re.findall(r"(?:^|\s{3,})([a-z]+)   +\S", line)) for line in picture.splitlines()]
    layers = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][0][
        "layers"
    ]
    checked = [set(re.split(r" [:|] ", layer)) for layer in layers]
    modules = {path.stem for path in (ROOT / "netplace").glob("*.py")}
    folders = [layer for layer in checked if not layer & modules]
    assert drawn == [*folders, {"netplace"}]


DOCS = Path(__file__).parents[2] / "docs"
GLOSSARY = (DOCS / "reference" / "glossary.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in GLOSSARY.splitlines()
    if line.startswith("| ") and not line.startswith(("| term |", "| source |"))
]
TERMS = [row for row in ROWS if len(row) == 4]
SOURCES = [row for row in ROWS if len(row) == 2]


def test_every_row_is_a_term_or_a_source():
    assert len(TERMS) > 100
    assert len(TERMS) + len(SOURCES) == len(ROWS)


def test_every_term_has_one_meaning_in_one_sentence():
    names = [term.lower() for term, *_ in TERMS]
    assert len(names) == len(set(names))
    for term, meaning, *_ in TERMS:
        assert re.fullmatch(r"[^.]+(\.\d[^.]*)*\.", meaning), term


def test_every_flag_is_one_of_a_command():
    known = {
        flag
        for command in app.commands.values()
        for parameter in command.get_params(click.Context(command))
        if isinstance(parameter, click.Option)
        for flag in parameter.opts
    }
    named = {flag for _, _, flags, _ in TERMS for flag in re.findall(r"--[\w-]+", flags)}
    assert named
    assert named <= known, sorted(named - known)


def test_every_source_is_listed_and_used():
    cited = {name for *_, sources in TERMS for name in re.findall(r"\[([^]]+)\]", sources)}
    assert cited == {name for name, _ in SOURCES}


def test_which_command_names_every_command():
    page = (DOCS / "guides" / "which-command.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\|[^|]*\| `netplace ([\w-]+)", page, re.MULTILINE))
    assert named == set(app.commands)


PAPER = (DOCS / "paper.md").read_text(encoding="utf-8")
PARAGRAPHS = [part for part in PAPER.split("\n\n") if part.startswith("*")]


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
    cited = set(re.findall(r"(?<!\w)@([\w:]+)", PAPER))
    assert cited == known


def test_it_has_the_length_of_a_paper_of_joss():
    assert 250 <= len(PAPER.split()) <= 1000
