"""Networks: routers, the links between them, and distances.

A network is made by a constructor, ``torus((8, 8))``, or from its text form, ``parse("torus:8x8")``. To add
a kind, write its constructor in a file of its own and a line in `TOPOLOGIES`.
"""

from __future__ import annotations

from netplace.checks import one_of
from netplace.topologies.grid import Grid
from netplace.topologies.kary_ntree import kary_ntree
from netplace.topologies.mesh import mesh
from netplace.topologies.text_form import Kind, read_numbers, read_sides, read_sides_and_twist
from netplace.topologies.thin_tree import thin_tree
from netplace.topologies.topology import Topology
from netplace.topologies.torus import torus
from netplace.topologies.tree import Tree
from netplace.topologies.twisted_torus import twisted_torus

__all__ = [
    "TOPOLOGIES",
    "Grid",
    "Kind",
    "Topology",
    "Tree",
    "kary_ntree",
    "mesh",
    "parse",
    "thin_tree",
    "torus",
    "twisted_torus",
]

TOPOLOGIES = {
    "mesh": Kind(mesh, read_sides, "mesh:32x32", "grid with open borders, any number of sides"),
    "torus": Kind(torus, read_sides, "torus:8x8x8", "grid closed to rings, any number of sides"),
    "twisted": Kind(
        twisted_torus,
        read_sides_and_twist,
        "twisted:8x4+3",
        "2-D torus whose Y rings are shifted by T along X; without +T by Y, the shorter side",
    ),
    "tree": Kind(kary_ntree, read_numbers("k", "n"), "tree:4,3", "k-ary n-tree of k^n nodes"),
    "thintree": Kind(
        thin_tree,
        read_numbers("ports down", "ports up", "stages"),
        "thintree:4,2,3",
        "tree with fewer ports up than down",
    ),
}


def parse(text: str) -> Topology:
    """Return the network that a text form describes.

    Parameters
    ----------
    text : str
        A key of `TOPOLOGIES`, a colon and numbers, such as ``"torus:8x8x8"``.

    Raises
    ------
    ValueError
        If the kind is unknown, the numbers are not what it takes, or the network is too large for memory.

    Examples
    --------
    >>> parse("tree:4,3").nodes
    64
    """
    text = str(text)
    word, colon, _ = text.partition(":")
    kind = TOPOLOGIES[one_of(word, TOPOLOGIES, f"network {text!r}")]
    if not colon:
        raise ValueError(f"network {text!r}: no numbers given, expected a form such as {kind.example}")
    return kind.build(*kind.read(text))
