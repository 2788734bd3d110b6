"""The glossary names flags that exist, and "Which command?" names every command."""

import re
from pathlib import Path

import click

from netplace.cli import app

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
