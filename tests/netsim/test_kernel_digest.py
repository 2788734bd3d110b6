"""Machine code of a part of the kernel is renewed when what the part imports changes, and only then."""

from __future__ import annotations

import ast

import pytest

from netplace.netsim.kernel import digest
from netplace.netsim.kernel.entry import _MAKERS, _module

KERNEL = "netplace.netsim.kernel"
MODULES = sorted({_module(part) for part in _MAKERS})
ALL = sorted(frozenset().union(*map(digest.sources, MODULES)))


def _by_ast(module: str) -> set[str]:
    """Return the modules of netplace that a module imports, as Python itself reads it."""
    imported = set()
    for node in ast.walk(ast.parse(digest._source(module))):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] == "netplace":
            assert node.level == 0, f"{module} imports from a place relative to itself"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                imported.add(str(node.module) if digest._file(inner) is None else inner)
    return {name for name in imported if name.split(".")[0] == "netplace"}


@pytest.fixture
def edit(monkeypatch: pytest.MonkeyPatch):
    """Return what edits a module, as far as digests know."""
    read = digest._source

    def edited(module: str) -> None:
        digest._text.cache_clear()
        monkeypatch.setattr(digest, "_source", lambda name: read(name) + "# more" * (name == module))

    yield edited
    digest._text.cache_clear()


def _digests() -> dict[str, str]:
    return {part: digest.part_digest(_module(part), part) for part in _MAKERS}


@pytest.mark.parametrize("module", ALL)
def test_imports_are_those_that_python_reads(module: str) -> None:
    assert digest._imported(module) == _by_ast(module)


@pytest.mark.parametrize("module", ALL)
def test_an_edit_renews_the_parts_that_import_the_module_and_no_other(module: str, edit) -> None:
    before = _digests()
    edit(module)
    after = _digests()
    assert after != before
    for part in _MAKERS:
        imported = module in digest.sources(_module(part)) or module == "netplace.checks.trusted"
        assert (after[part] != before[part]) == imported, part


@pytest.mark.parametrize(
    ("module", "renewed"),
    [
        ("meeting", {"domains", "graph-domains"}),
        ("taking", {"domains"}),
        ("graph_taking", {"graph-domains"}),
        ("domain_cycle", {"domains", "graph-domains"}),
        ("domain_loop", {"domains"}),
        ("decide", {part for part in _MAKERS if not part.startswith("graph")}),
        ("graph_decide", {part for part in _MAKERS if part.startswith("graph")}),
        ("state", set(_MAKERS)),
        ("compiler", set(_MAKERS)),
        ("kept", set(_MAKERS)),
        ("entry", set()),
    ],
)
def test_what_is_compiled_anew_after_an_edit(module: str, renewed: set[str], edit) -> None:
    before = _digests()
    edit(f"{KERNEL}.{module}")
    after = _digests()
    assert {part for part in _MAKERS if after[part] != before[part]} == renewed


def test_machine_code_does_not_depend_on_what_is_read_and_checked() -> None:
    others = {name for name in ALL if not name.startswith("netplace.netsim.")}
    assert others <= {"netplace.compiled", "netplace.checks.trusted"}
    assert {name for name in ALL if name.startswith("netplace.netsim.") and KERNEL not in name} == {
        "netplace.netsim.chance",
        "netplace.netsim.delays",
        "netplace.netsim.line_rate",
    }
