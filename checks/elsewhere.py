"""Libraries with settings in the working folder, where files of others may lie, are loaded elsewhere."""

from __future__ import annotations

import importlib
import os
from contextlib import chdir
from pathlib import Path

__all__ = ["ignore_settings_here"]

# Numba's could name a folder of machine code to run, Matplotlib's a module that draws.
_SETTINGS = {".numba_config.yaml": "numba", "matplotlibrc": "matplotlib"}


def ignore_settings_here() -> None:
    """Load libraries without the settings that lie in the working folder, if there are any."""
    for name, library in _SETTINGS.items():
        if os.path.lexists(name):
            with chdir(Path(__file__).parent):
                module = importlib.import_module(library)
            if library == "numba":  # which looks again whenever it compiles
                module.core.config._config_fname = os.devnull
