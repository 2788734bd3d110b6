"""How the cost between two locations follows from what is known of either."""

from __future__ import annotations

__all__ = ["GRID", "TABLE", "TD", "TREE", "TWIST"]

GRID, TD, TREE, TABLE, TWIST = range(5)
