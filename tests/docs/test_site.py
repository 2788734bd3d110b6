"""The site of the documents: nothing is left out of it, it builds, and what others made is listed."""

import importlib
import os
import re
import runpy
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
# Checks of input, timings and the command line are not for others to build on.
UNLISTED = {"checks", "experiments", "report", "cli"}
FOLDERS = re.findall(r'^"netplace/(\w+)" = ', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
PACKAGES = [name for name in FOLDERS if name not in UNLISTED]
SHOWN = re.compile(r"^::: (\S+)$", re.MULTILINE)


def pages(navigation: object) -> Iterator[str]:
    """Yield the files that a part of the navigation names, from first to last."""
    if isinstance(navigation, str):
        yield navigation
    elif isinstance(navigation, dict):
        for part in navigation.values():
            yield from pages(part)
    else:
        assert isinstance(navigation, list)
        for part in navigation:
            yield from pages(part)


def test_the_navigation_names_every_document_once():
    settings = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    written = [path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")]
    # Reports are made by studies; what was fixed before a study ran is linked from its page, as they are.
    made = [name for name in written if name.endswith(("/report.md", "/plan.md"))]
    assert settings["not_in_nav"].split() == ["/studies/*/report.md", "/studies/*/plan.md"]
    assert all(name.startswith("studies/") for name in made)
    assert sorted(pages(settings["nav"])) == sorted(set(written) - set(made))


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_has_a_reference_page(package):
    shown = SHOWN.findall((DOCS / "reference" / f"{package}.md").read_text(encoding="utf-8"))
    assert shown[0] == f"netplace.{package}"
    assert {name.split(".")[1] for name in shown} == {package}


def test_the_site_is_made_with_pinned_versions():
    lines = (ROOT / "requirements-docs.lock").read_text(encoding="utf-8").splitlines()
    lines = [line for line in lines if line[:1] not in ("#", " ", "")]  # digests stand below each, indented
    pinned = {line.partition("==")[0] for line in lines if "==" in line}
    assert len(pinned) == len(lines)
    wanted = PROJECT["project"]["optional-dependencies"]["docs"]
    assert {re.split(r"[\[<>=]", item)[0] for item in wanted} <= pinned


def build(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [ROOT / "scripts" / "docs", *map(str, arguments)],
        env=os.environ | {"PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.nightly  # the first time it makes an environment, from the package index
def test_the_site_builds_and_shows_every_public_name(tmp_path):
    """Headings, not mentions: a function that is called like its module is easily left out."""
    built = build("--site-dir", tmp_path)
    assert built.returncode == 0, built.stderr
    for package in PACKAGES:
        page = (tmp_path / "reference" / package / "index.html").read_text(encoding="utf-8")
        headings = {name.rpartition(".")[2] for name in re.findall(r'<h\d id="([\w.]+)"', page)}
        public = getattr(importlib.import_module(f"netplace.{package}"), "__all__", [])
        assert set(public) <= headings, f"{package}: {sorted(set(public) - headings)}"
    outside = [
        address
        for path in tmp_path.rglob("*.html")
        for address in re.findall(
            r'(?:src|<link[^>]*href)="(https?:[^"]*)"', path.read_text(encoding="utf-8")
        )
    ]
    assert not outside, "the site fetches from elsewhere"


@pytest.mark.nightly
def test_a_link_to_nowhere_fails(tmp_path):
    (tmp_path / "mkdocs.yml").write_text("site_name: broken\n")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("[a page](missing.md)\n")
    built = build("--config-file", tmp_path / "mkdocs.yml")
    assert built.returncode != 0
    assert "missing.md" in built.stderr


def test_every_locked_package_and_the_vendored_file_are_listed():
    page = (ROOT / "THIRD-PARTY.md").read_text(encoding="utf-8")
    assert "report/pages/assets/echarts.min.js" in page
    for lock in ("requirements.lock", "requirements-docs.lock"):
        text = (ROOT / lock).read_text(encoding="utf-8")
        for name, version in re.findall(r"^([A-Za-z0-9._-]+)==([^ \\]+)", text, re.MULTILINE):
            assert f"| {name.lower()} | {version} |" in page


def test_the_lock_begins_with_what_netplace_itself_needs():
    script = runpy.run_path(str(ROOT / "scripts" / "order-lock"))
    needs, others = (ROOT / "requirements.lock").read_text(encoding="utf-8").split(script["LINE"])
    first, rest = (re.findall(r"^([A-Za-z0-9._-]+)==", part, re.MULTILINE) for part in (needs, others))
    assert first
    assert set(first) == script["needed"]("netplace") & {*first, *rest}
