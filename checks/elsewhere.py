"""Libraries with settings in the working folder, which others may have written, are loaded without these."""

from __future__ import annotations

import importlib
import os
from contextlib import chdir
from pathlib import Path


def ignore_settings_here() -> None:
    """Load Matplotlib without the settings in the working folder, which could name code to run."""
    if os.path.lexists("matplotlibrc"):
        with chdir(Path(__file__).parent):
            importlib.import_module("matplotlib")
