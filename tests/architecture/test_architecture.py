"""What no linter sees: that variants, exports, commands and documented names are there and described."""

import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import click
import pytest

import netplace
from netplace.apps import APPLICATIONS
from netplace.cli import app
from netplace.netsim import ARBITERS, EJECTIONS, ENGINES, PATTERNS, TREE_ROUTINGS, VC_POLICIES
from netplace.placement import MAPPINGS, PARTITIONS
from netplace.topologies import TOPOLOGIES

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PACKAGES = [name.replace("/", ".") for name in PROJECT["tool"]["scikit-build"]["wheel"]["packages"]]
DICTS = {
    "TOPOLOGIES": {name: kind.description for name, kind in TOPOLOGIES.items()},
    "APPLICATIONS": {name: item.description for name, item in APPLICATIONS.items()},
    "PARTITIONS": {name: rule.description for name, rule in PARTITIONS.items()},
    "MAPPINGS": {name: rule.description for name, rule in MAPPINGS.items()},
    "VC_POLICIES": VC_POLICIES,
    "ARBITERS": ARBITERS,
    "EJECTIONS": EJECTIONS,
    "TREE_ROUTINGS": TREE_ROUTINGS,
    "PATTERNS": {name: inspect.getdoc(function) for name, function in PATTERNS.items()},
    "ENGINES": {name: inspect.getdoc(engine) for name, engine in ENGINES.items()},
}


@pytest.mark.parametrize("name", DICTS)
def test_every_variant_is_named_and_described(name):
    for key, text in DICTS[name].items():
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*\+?", key), key
        assert (text or "").strip(), f"{name}[{key!r}] has no description"


def test_every_command_has_help_and_examples():
    for command in app.commands.values():
        assert command.help
        assert (command.epilog or "").startswith("Examples:\n\nnetplace ")
        options = command.get_params(click.Context(command, help_option_names=["-h", "--help"]))
        assert all(option.help for option in options if isinstance(option, click.Option))


def test_what_packages_export_is_documented():
    for name in PACKAGES:
        module = importlib.import_module(name)
        inner = [found.name for found in pkgutil.walk_packages(module.__path__, f"{name}.") if found.ispkg]
        for package in map(importlib.import_module, [name, *(inner if "." in name else ())]):
            assert inspect.getdoc(package), package.__name__
            for item in getattr(package, "__all__", ()):
                found = getattr(package, item)
                if inspect.isclass(found) or (inspect.isroutine(found) and found.__name__ == item):
                    assert inspect.getdoc(found), f"{package.__name__}.{item} has no docstring"


def test_names_in_the_reference_can_be_imported():
    for page in (ROOT / "docs" / "reference").glob("*.md"):
        for path in re.findall(r"^::: ([\w.]+)", page.read_text(encoding="utf-8"), re.MULTILINE):
            assert pkgutil.resolve_name(path) is not None


@pytest.mark.all
def test_packages_import_without_warnings():
    script = "import importlib, sys\nfor name in sys.argv[1:]: importlib.import_module(name)"
    command = [sys.executable, "-W", "error", "-c", script, *PACKAGES]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr) == (0, "")


def test_the_installed_version_is_that_of_the_source():
    assert version("netplace") == netplace.__version__


def test_the_lock_meets_the_project():
    project = PROJECT["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    locked = dict(line.removesuffix(" \\").split("==") for line in lines if line[:1] not in ("#", " ", ""))
    assert {re.split(r"[<>=]", item)[0] for item in wanted} <= set(locked)
    for name, number in locked.items():
        assert version(name) == number, f"{name}: the lock says {number}"
