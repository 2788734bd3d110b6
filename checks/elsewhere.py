"""Libraries with settings in the working folder, where files of others may lie, are loaded elsewhere."""

from __future__ import annotations

import importlib
import os
from contextlib import chdir
from pathlib import Path

__all__ = ["ignore_settings_here"]


def ignore_settings_here() -> None:
    """Load Matplotlib without settings that lie in the working folder, which could name code that draws."""
    if os.path.lexists("matplotlibrc"):
        with chdir(Path(__file__).parent):
            importlib.import_module("matplotlib")
