"""Colors of all pictures and pages."""

from __future__ import annotations

__all__ = ["COLOURS", "SHADED"]

# Told apart by people who see few colours: M. Okabe and K. Ito, Color Universal Design (2008); the yellow,
# pale on white, comes last.
COLOURS = ["#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#444444", "#F0E442"]
# From little to much: what is most is darkest.
SHADED = ("#dcebc9", "#8fd0a5", "#3a9c9c", "#31688e", "#440154")
