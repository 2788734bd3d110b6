"""Text forms: read, written, refused."""

import time
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from netplace.topologies import TOPOLOGIES, Topology, kary_ntree, mesh, parse, thin_tree, torus, twisted_torus

MADE: list[tuple[str, Callable[[], Topology]]] = [
    ("mesh:5", lambda: mesh((5,))),
    ("mesh:32x32", lambda: mesh([32, 32])),
    ("torus:8x8x8", lambda: torus((8, 8, 8))),
    ("torus:1x2x3x1x2", lambda: torus((1, 2, 3, 1, 2))),
    ("twisted:8x4", lambda: twisted_torus((8, 4))),
    ("twisted:8x4+3", lambda: twisted_torus((8, 4), 3)),
    ("tree:4,3", lambda: kary_ntree(4, 3)),
    ("thintree:4,2,3", lambda: thin_tree(4, 2, 3)),
]


@pytest.mark.parametrize(("text", "make"), MADE)
def test_text_and_constructor_agree(text: str, make: Callable[[], Topology]) -> None:
    assert str(make()) == text
    assert str(parse(text)) == text
    assert (parse(text).neighbor == make().neighbor).all()


@pytest.mark.parametrize("kind", TOPOLOGIES)
def test_every_kind_has_an_example_that_reads_back(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = TOPOLOGIES[kind]
    monkeypatch.chdir(tmp_path)
    nx.write_graphml(nx.cycle_graph(4), "machine.graphml")
    Path("machine.tree").write_text("n0 s0\nn1 s0\n")
    Path("fabric.txt").write_text(
        'Switch\t36 "S-a1"\t# "leaf"\n[1]\t"H-c1"[1](c2)\t# "node" lid 4 4xQDR\nCa\t1 "H-c1"\t# "node"\n'
    )
    Path("topology.conf").write_text("SwitchName=s0 Nodes=n[0-3]\n")
    assert entry.description
    assert str(parse(entry.example)) == entry.example
    assert entry.example.startswith(f"{kind}:")


def test_one_network_has_one_text() -> None:
    assert str(parse("twisted:8x4+4")) == "twisted:8x4"
    assert str(parse("torus: 8x08")) == "torus:8x8"
    assert str(parse("tree:04,3")) == "tree:4,3"
    assert str(mesh(np.array([3, 2]))) == "mesh:3x2"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tours:8x8", r"network 'tours:8x8': unknown name 'tours'; did you mean torus\?"),
        ("dragonfli:4", r"network 'dragonfli:4': unknown name 'dragonfli'; did you mean dragonfly"),
        ("", r"network '': unknown name ''"),
        ("torus", r"network 'torus': no numbers given, expected a form such as torus:8x8x8"),
        ("torus:", r"torus:: side 1: '' is not a whole number"),
        ("torus:8x", r"torus:8x: side 2: '' is not a whole number"),
        ("torus:8x0", r"torus:8x0: side 2: 0 is too small, expected at least 1"),
        ("mesh:-4x4", r"mesh:-4x4: side 1: -4 is too small, expected at least 1"),
        ("torus:8x8.5", r"torus:8x8\.5: side 2: '8\.5' is not a whole number"),
        ("mesh:8,8", r"mesh:8,8: side 1: '8,8' is not a whole number"),
        ("torus:8x4+3", r"torus:8x4\+3: side 2: '4\+3' is not a whole number"),
        ("twisted:8x4+", r"twisted:8x4\+: twist: '' is not a whole number"),
        ("twisted:8x4+0", r"twisted:8x4\+0: twist: 0 is too small, expected at least 1"),
        ("twisted:8x4+9", r"twisted:8x4: twist 9 is too large, expected less than the 8 nodes along X"),
        ("tree:4", r"tree:4: 1 numbers given, expected 2 \(k,n\)"),
        ("tree:4x3", r"tree:4x3: 1 numbers given, expected 2 \(k,n\)"),
        ("tree:4,3,2", r"tree:4,3,2: 3 numbers given, expected 2 \(k,n\)"),
        ("tree:four,3", r"tree:four,3: k: 'four' is not a whole number"),
        ("thintree:4,2", r"thintree:4,2: 2 numbers given, expected 3 \(ports down,ports up,stages\)"),
        ("thintree:4,2,3,1", r"thintree:4,2,3,1: 4 numbers given, expected 3"),
    ],
)
def test_what_is_wrong_is_named(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse(text)


@pytest.mark.parametrize("build", [mesh, torus])
def test_no_sides_at_all(build: Callable[[tuple[int, ...]], Topology]) -> None:
    with pytest.raises(ValueError, match="no sides given, expected at least one"):
        build(())


@pytest.mark.parametrize("text", ["torus:32x32x32", "tree:10,5", "thintree:10,5,5", "twisted:512x256"])
def test_large_networks_are_wired_at_once(text: str) -> None:
    start = time.process_time()
    parse(text)
    assert time.process_time() - start < 1.0
