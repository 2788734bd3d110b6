"""The shape of the project: layers, dicts, exports, docstrings, and what must not be in its files."""

import ast
import importlib
import inspect
import os
import pkgutil
import re
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import click
import pytest

from netplace.apps import APPLICATIONS
from netplace.cli import app
from netplace.netsim import ARBITERS, EJECTIONS, ENGINES, PATTERNS, TREE_ROUTINGS, VC_POLICIES
from netplace.placement import MAPPINGS, PARTITIONS
from netplace.topologies import TOPOLOGIES

ROOT = Path(__file__).parents[2]
FOLDERS = re.findall(r'^"netplace/(\w+)" = ', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
MODULES = [
    "netplace",
    *sorted(
        module.name
        for folder in FOLDERS
        for module in [
            *pkgutil.walk_packages([str(ROOT / folder)], f"netplace.{folder}."),
            pkgutil.ModuleInfo(None, f"netplace.{folder}", True),
        ]
    ),
]
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


def tracked() -> list[Path]:
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.fail("git cannot list the files of the project, which is tested from a clone")
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def test_layers_hold():
    subprocess.run([ROOT / "scripts/tree"], check=True)
    command = [
        sys.executable,
        "-S",  # the links alone: the finder of an editable install takes all in the checkout for netplace
        "-c",
        "from importlinter.cli import lint_imports_command as c; c()",
        "--no-cache",
        "--no-logo",
        "--config",
        "../pyproject.toml",
    ]
    places = os.pathsep.join((".", sysconfig.get_path("purelib")))
    found = subprocess.run(
        command, cwd=ROOT / ".tree", capture_output=True, text=True, env={**os.environ, "PYTHONPATH": places}
    )
    assert found.returncode == 0, found.stdout
    assert "0 broken" in found.stdout


@pytest.mark.parametrize("name", DICTS)
def test_every_variant_is_named_and_described(name):
    for key, text in DICTS[name].items():
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*\+?", key), key
        assert (text or "").strip(), f"{name}[{key!r}] has no description"


@pytest.mark.parametrize(("folder", "rules"), [("partition", PARTITIONS), ("mapping", MAPPINGS)])
def test_every_placement_rule_stands_in_its_folder_and_in_order(folder, rules):
    assert list(rules) == sorted(rules)
    modules = [inspect.getmodule(rule.choose).__name__ for rule in rules.values()]
    assert all(module.startswith(f"netplace.placement.{folder}.") for module in modules)


def test_packages_import_without_warnings():
    script = "import importlib, sys\nfor name in sys.argv[1:]: importlib.import_module(name)"
    found = subprocess.run(
        [sys.executable, "-W", "error", "-c", script, "netplace", *(f"netplace.{name}" for name in FOLDERS)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    assert found.stderr == ""


@pytest.mark.parametrize("name", MODULES)
def test_exports_exist_are_sorted_and_documented(name):
    module = importlib.import_module(name)
    assert inspect.getdoc(module), f"{name} has no docstring"
    exported = getattr(module, "__all__", [])
    assert list(exported) == sorted(exported, key=_order), f"{name}.__all__ is not sorted"
    for item in exported:
        found = getattr(module, item)
        documented = hasattr(module, "__path__")  # names that only a module exports are internal
        if documented and (inspect.isclass(found) or (inspect.isroutine(found) and found.__name__ == item)):
            assert inspect.getdoc(found), f"{name}.{item} has no docstring"


def _order(name: str) -> tuple[int, str]:
    """Constants, classes, functions: as ruff sorts ``__all__``."""
    return (0 if name.isupper() else 1 if name[:1].isupper() else 2, name)


def test_public_functions_say_what_they_return():
    for name in MODULES:
        tree = ast.parse(Path(inspect.getfile(importlib.import_module(name))).read_text())
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                assert node.returns is not None, f"{name}.{node.name} does not say what it returns"


def test_every_command_has_help_and_examples():
    for command in app.commands.values():
        assert command.help
        assert (command.epilog or "").startswith("Examples:\n\nnetplace ")
        assert all(
            option.help
            for option in command.get_params(click.Context(command, help_option_names=["-h", "--help"]))
            if isinstance(option, click.Option)
        )


def test_no_path_of_a_machine_is_in_the_project():
    pattern = re.compile(rb"(?<![\w.])/(work|root|tmp|home)/[a-z]")
    for path in tracked():
        if path.suffix in (".gz", ".png", ".lock"):
            continue
        lines = path.read_bytes().splitlines()
        wrong = [number for number, line in enumerate(lines, 1) if pattern.search(line)]
        assert not wrong, f"{path.relative_to(ROOT)}, lines {wrong}"


def test_no_test_folder_is_a_package_and_test_names_are_unique():
    files = [path for path in tracked() if ROOT / "tests" in path.parents]
    assert not [path for path in files if path.name == "__init__.py"]
    names = [path.name for path in files if path.name.startswith("test_")]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    "script",
    ["scripts/demo", "scripts/test", "scripts/check", "scripts/environment", "scripts/tree", ".ci/run"],
)
def test_scripts_can_be_run_and_stop_at_errors(script):
    path = ROOT / script
    assert path.stat().st_mode & 0o111
    assert "set -euo pipefail" in path.read_text()
    subprocess.run(["bash", "-n", str(path)], check=True)


def test_the_lock_meets_the_project():
    from importlib.metadata import version
    from re import split

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [
        split(r"[<>=]", item)[0] for item in project["dependencies"] + project["optional-dependencies"]["dev"]
    ]
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    locked = dict(line.removesuffix(" \\").split("==") for line in lines if line[:1] not in ("#", " ", ""))
    assert set(wanted) <= set(locked)
    for name, number in locked.items():
        assert version(name) == number, f"{name}: the lock says {number}"


def test_no_module_gives_a_name_two_values():
    """A constant that is written again further down is another one for all that use it."""
    twice = []
    for path in tracked():
        if path.suffix != ".py":
            continue
        seen: set[str] = set()
        for line in ast.parse(path.read_text(encoding="utf-8")).body:
            targets = line.targets if isinstance(line, ast.Assign) else []
            parts = [part for target in targets for part in ast.walk(target)]
            written = [
                part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
            ]
            constants = [name for name in written if name.isupper()]
            twice += [f"{path.relative_to(ROOT)}:{line.lineno}: {name}" for name in constants if name in seen]
            seen.update(constants)
    assert twice == []
