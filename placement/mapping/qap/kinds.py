"""Cost between two locations as a function of their data."""

from __future__ import annotations

__all__ = ["GRID", "TABLE", "TD", "TREE", "TWIST"]

GRID, TD, TREE, TABLE, TWIST = range(5)
