"""Every example in documents and docstrings runs, links lead somewhere, pictures are as wide as a page."""

import doctest
import importlib
import pkgutil
import re
import shlex
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from netplace.cli.study import study_command
from netplace.report.studies import STUDIES
from netplace.report.studies.study import make_request
from netplace.runs.toml_lines import read_toml

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^]]*\]\(([^)#:]+)(?:#([^)]*))?\)")
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks(document: Path, kind: str) -> list[str]:
    return [text for found, text in FENCE.findall(document.read_text(encoding="utf-8")) if found == kind]


def with_blocks(kind: str) -> list:
    return [
        pytest.param(path, id=str(path.relative_to(ROOT)))
        for path in DOCUMENTS
        if path.exists() and blocks(path, kind)
    ]


@pytest.mark.parametrize("document", with_blocks("python"))
def test_python_examples(document, tmp_path, monkeypatch):
    """The examples of a document follow on each other."""
    monkeypatch.chdir(tmp_path)
    text = "\n".join(blocks(document, "python"))
    example = doctest.DocTestParser().get_doctest(text, {}, document.name, str(document), 0)
    assert example.examples
    report: list[str] = []
    failed, _ = doctest.DocTestRunner(optionflags=OPTIONS).run(example, out=report.append)
    assert not failed, "".join(report)


def commands(document: Path) -> list[str]:
    lines = "\n".join(blocks(document, "console")).replace("\\\n", " ").splitlines()
    return [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]


def with_commands() -> Iterator:
    """Yield every command once, with the first document that shows it."""
    first = {command: document for document in reversed(DOCUMENTS) for command in commands(document)}
    for command, document in first.items():
        name = f"{document.relative_to(ROOT)}: {command}"
        compared = command.startswith("netplace map") and command.count("--mapping") != 1
        is_long = ".A.64" in command or "32x32" in command or (compared and ".W." in command)
        yield pytest.param(command, id=name, marks=pytest.mark.nightly if is_long else ())


def asked_of_a_study(words: list[str]) -> None:
    """Check what a study is request for; studies take long, and have tests of their own."""
    given = study_command.make_context("study", words).params
    numbers = {name: given[name] for name in ("mappings", "partitions", "sim_seeds")}
    for study in STUDIES.values() if given["name"] == "all" else (STUDIES[given["name"]],):
        data = given["data"] or ("." if "data" in study.options else "")
        assert make_request(study, given["parts"], given["quick"], data=data, **numbers).parts


@pytest.mark.all
@pytest.mark.parametrize("command", list(with_commands()))
def test_console_examples(command, tmp_path, monkeypatch, netplace, sketches, short_trace):
    """A ``netplace`` command runs; the script or file that another one names exists."""
    monkeypatch.chdir(tmp_path)
    words = [word for word in shlex.split(command) if not word.startswith("NETPLACE_")]
    if words[:2] == ["netplace", "study"] and words[2] != "list":
        asked_of_a_study(words[2:])
    elif files := [ROOT / word for word in words if word.endswith(".toml") and (ROOT / word).is_file()]:
        read_toml(*files)  # of a study, which takes long
    elif words[0] == "netplace":
        result = netplace(*words[1:])
        assert result.exit_code == 0, result.stderr
    else:
        assert (ROOT / words[1 if words[0] == "python" else 0]).is_file()


def test_no_page_is_long():
    written = {  # programs write reports, and tables between marks
        path: re.sub(r"<!-- begin .*?<!-- end", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        for path in DOCUMENTS
    }
    lengths = {path: len(text.splitlines()) for path, text in written.items()}
    assert lengths[ROOT / "README.md"] < 120
    for path, lines in lengths.items():
        assert lines <= 250 or path.name == "report.md", f"{path} has {lines} lines"


@pytest.mark.parametrize(
    "document", [pytest.param(path, id=str(path.relative_to(ROOT))) for path in DOCUMENTS]
)
def test_links_lead_somewhere(document):
    for target, heading in LINK.findall(document.read_text(encoding="utf-8")):
        path = document.parent / target
        if path.parent.name == "gallery":  # reports that are made with the site
            assert f'"{path.stem}": ' in (ROOT / "docs/figures/gallery.py").read_text(encoding="utf-8")
            continue
        assert path.exists(), f"{document.name}: {target}"
        if heading:
            headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
            assert heading in {re.sub(r"[^\w -]", "", text).lower().replace(" ", "-") for text in headings}


DOCS = Path(__file__).parents[2] / "docs"
PRINT = {1400, 1050}  # 7 inches at 200 dots each, 3.5 at 300
OLDER = tuple(f"studies/partition-metrics/2d-W-{app}.png" for app in ("CG", "FT", "MG"))
SCREEN = ("demo-report", "gallery-")  # of a browser
PICTURES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.png"))


def width(path: Path) -> int:
    """Return how many pixels a PNG is wide, from its header."""
    found: int = struct.unpack(">I", path.read_bytes()[16:20])[0]
    return found


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_have_the_width_of_a_page_or_a_column(name):
    wide = width(DOCS / name)
    if name.startswith("figures/gallery-") or Path(name).stem.startswith(SCREEN):
        assert wide == 1280
    elif name in OLDER:
        assert wide <= 2000
    else:
        assert wide in PRINT


PACKAGES = re.findall(
    r'^"netplace/(\w+)" = ', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE
)


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
