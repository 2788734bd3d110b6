"""No file imports itself by way of others, not even for the sake of its annotations."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import networkx as nx

ROOT = Path(__file__).parents[2]
FOLDERS = re.findall(r'^"netplace/(\w+)" = ', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)


def modules(root: Path, folders: list[str]) -> dict[str, Path]:
    """Return the file of each module under `folders`, by the name that it is imported by."""
    files = [path for folder in folders for path in (root / folder).rglob("*.py")]
    names = [".".join(["netplace", *path.relative_to(root).with_suffix("").parts]) for path in files]
    return {name.removesuffix(".__init__"): path for name, path in zip(names, files, strict=True)}


def imported(path: Path) -> set[str]:
    """Return all that a file imports anywhere in it: in functions and under TYPE_CHECKING too."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: imports by a relative name"
            found |= {f"{node.module}.{item.name}" for item in node.names}
        elif isinstance(node, ast.Import):
            found |= {item.name for item in node.names}
    return found


def circles(root: Path, folders: list[str]) -> list[list[str]]:
    """Return the groups of modules that import one another."""
    known = modules(root, folders)
    graph = nx.DiGraph()
    for name, path in known.items():
        for target in imported(path):
            found = target if target in known else target.rpartition(".")[0]
            if found in known:
                graph.add_edge(name, found)
    groups = [sorted(group) for group in nx.strongly_connected_components(graph) if len(group) > 1]
    return sorted(groups + [[name] for name in nx.nodes_with_selfloops(graph)])


def test_no_files_import_one_another():
    assert len(modules(ROOT, FOLDERS)) > 200
    assert circles(ROOT, FOLDERS) == []


def test_a_circle_by_annotations_or_in_a_function_is_found(tmp_path):
    (tmp_path / "apps").mkdir()
    texts = {
        "__init__": "from netplace.apps.one import x",
        "one": "from netplace.apps.two import y\nfrom math import pi",
        "two": "if TYPE_CHECKING:\n    from netplace.apps import three",
        "three": "def late():\n    import netplace.apps.one",
        "four": "import netplace.apps.one",
    }
    for name, text in texts.items():
        (tmp_path / "apps" / f"{name}.py").write_text(text)
    assert circles(tmp_path, ["apps"]) == [[f"netplace.apps.{name}" for name in ("one", "three", "two")]]
