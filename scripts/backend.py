"""The build backend: scikit-build-core, with a C++ compiler from PyPI (ziglang) where there is none."""

from __future__ import annotations

import os
import shlex
import shutil
import stat
import sys
from pathlib import Path
from typing import Any

from scikit_build_core import build as core

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

_TOOLS = {"CXX": "c++ -mcpu=baseline", "AR": "ar", "RANLIB": "ranlib"}
_SENTENCE = (
    "netplace has a part in C++ and found no C++ compiler: install one (Debian, Ubuntu: apt install g++; "
    "Fedora: dnf install gcc-c++; macOS: xcode-select --install; conda: cxx-compiler), name one with CXX=, "
    "or build with the network, where one is taken from PyPI (ziglang)."
)

get_requires_for_build_sdist = core.get_requires_for_build_sdist
build_sdist = core.build_sdist
prepare_metadata_for_build_wheel = core.prepare_metadata_for_build_wheel
prepare_metadata_for_build_editable = core.prepare_metadata_for_build_editable


def has_compiler() -> bool:
    """Tell whether there is a C++ compiler that CMake finds."""
    named = shlex.split(os.environ.get("CXX", ""))
    return any(map(shutil.which, named[:1] or ["c++", "g++", "clang++", "cl"]))


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    """Return what a wheel is built with."""
    return core.get_requires_for_build_wheel(config_settings) + _compiler()


def get_requires_for_build_editable(config_settings: Any = None) -> list[str]:
    """Return what an editable install is built with."""
    return core.get_requires_for_build_editable(config_settings) + _compiler()


def _compiler() -> list[str]:
    """Return the package with a compiler if none is here."""
    return [] if has_compiler() else ["ziglang>=0.13"]


def build_wheel(folder: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """Build a wheel, its C++ with ziglang where there is no compiler."""
    _choose_compiler()
    return core.build_wheel(folder, config_settings, metadata_directory)


def build_editable(folder: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """Build what an editable install is made of, its C++ with ziglang where there is no compiler."""
    _choose_compiler()
    return core.build_editable(folder, config_settings, metadata_directory)


def _choose_compiler() -> None:
    """Set CXX, AR and RANLIB to ziglang's where there is no compiler."""
    if has_compiler():
        return
    try:
        import ziglang
    except ImportError:
        sys.exit(_SENTENCE)
    zig = Path(ziglang.__file__).with_name("zig")
    # CMake takes one file for each tool.
    folder = Path("build", "zig").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for name, words in _TOOLS.items():
        tool = folder / name.lower()
        tool.write_text(f'#!/bin/sh\nexec {shlex.quote(str(zig))} {words} "$@"\n')
        tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    os.environ["CXX"] = str(folder / "cxx")
    given = os.environ.get("CMAKE_ARGS", "")
    os.environ["CMAKE_ARGS"] = (
        f"{given} -DCMAKE_AR={folder / 'ar'} -DCMAKE_RANLIB={folder / 'ranlib'}".strip()
    )
