"""The page on architecture names what is there: modules, dicts, functions, folders, floors."""

import importlib
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/background/architecture.md").read_text(encoding="utf-8")
NAMES = sorted(set(re.findall(r"`(netplace(?:\.\w+)+)`", TEXT)) - {"netplace.studies"})


@pytest.mark.parametrize("name", NAMES)
def test_names_on_the_page_are_there(name):
    module, rest = name, []
    while True:
        try:
            found = importlib.import_module(module)
            break
        except ModuleNotFoundError:
            module, _, last = module.rpartition(".")
            rest.insert(0, last)
    for part in rest:
        found = getattr(found, part)


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`((?:\w+/)+(?:\w+\.py)?)`", TEXT))))
def test_files_and_folders_on_the_page_are_there(path):
    assert (ROOT / path.replace("NAME", "power").replace("cli/power", "cli/run")).exists()


def test_the_floors_are_those_that_are_checked():
    picture = TEXT.split("```text\n")[1].split("```")[0]
    drawn = [set(re.findall(r"(?:^|\s{3,})([a-z]+)   +\S", line)) for line in picture.splitlines()]
    layers = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][0][
        "layers"
    ]
    checked = [set(re.split(r" [:|] ", layer)) for layer in layers]
    modules = {path.stem for path in (ROOT / "netplace").glob("*.py")}
    folders = [layer for layer in checked if not layer & modules]
    assert drawn == [*folders, {"netplace"}]
