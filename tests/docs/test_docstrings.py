"""Every example in the docstrings runs."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = re.findall(
    r'^"netplace/(\w+)" = ', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE
)
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def modules(package: str) -> list[str]:
    inner = pkgutil.walk_packages([str(ROOT / package)], f"netplace.{package}.")
    return [f"netplace.{package}", *sorted(module.name for module in inner)]


def examples(package: str) -> list[doctest.DocTest]:
    found = [doctest.DocTestFinder().find(importlib.import_module(name)) for name in modules(package)]
    return [test for tests in found for test in tests if test.examples]


EXAMPLES = [test for package in PACKAGES for test in examples(package)]


def test_no_example_is_overlooked():
    """Doctest passes over functions that are wrapped, such as compiled ones."""
    written = sum(
        len(re.findall(r"^ *>>> ", path.read_text(encoding="utf-8"), re.MULTILINE))
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
    )
    assert written > 0
    assert sum(len(test.examples) for test in EXAMPLES) == written


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda test: test.name)
def test_docstring_examples(example, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    report: list[str] = []
    failed, _ = doctest.DocTestRunner(optionflags=OPTIONS).run(example, out=report.append)
    assert not failed, "".join(report)


def test_examples_stand_under_their_heading():
    """Elsewhere the site shows them as quotations."""
    loose = [
        example.name
        for example in EXAMPLES
        if (text := example.docstring or "") and "Examples\n" not in text[: text.index(">>>")]
    ]
    assert not loose
