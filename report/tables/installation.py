"""What an installation is: versions, the compiled part, the machine, and what more is installed."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import os
import platform
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from netplace import _native as native
from netplace.netsim.threads import cores

# Extras of the package: the distribution that each is there for, and what it gives.
EXTRAS = {
    "dask": ("distributed", "runs on a Dask cluster"),
    "otf2": ("otf2", "traces of Score-P"),
    "batsim": ("pyzmq", "Batsim's protocol"),
}
_NEEDED = ("numpy", "pandas", "pyarrow", "scipy", "matplotlib", "networkx", "simpy", "rich-click")
_PLACE = Path(__file__).resolve().parents[2]
_LITTLE = 2.0  # GiB: with less free, large networks do not fit


def installation() -> dict[str, Any]:
    """Return versions and places, and as ``problems`` what is wrong; None is a version or size not known."""
    versions = {name: _version(name) for name in _NEEDED}
    problems = [f"{name}: is not installed" for name, version in versions.items() if version is None]
    memory = _memory()
    if (free := memory.get("MemAvailable", _LITTLE)) < _LITTLE:
        problems.append(f"{free:.1f} GiB of memory are free, but large networks and tables need more")
    return {
        "netplace": _version("netplace"),
        "place": str(_PLACE),
        "python": f"{platform.python_version()} ({platform.python_implementation()}), {sys.executable}",
        "system": f"{platform.system()} {platform.release()}, {platform.machine()}",
        "cores": cores(),
        "memory_gib": memory.get("MemTotal"),
        "free_memory_gib": memory.get("MemAvailable"),
        "compiled_part": str(native.__file__),
        "versions": versions,
        "extras": {extra: _version(name) for extra, (name, _) in EXTRAS.items()},
        "problems": problems,
    }


@functools.cache
def code(place: Path = _PLACE) -> str:
    """Return what code is in a folder: the commit of a checkout, else the SHA-256 of its files."""
    if (place / ".git").exists():
        commit = _git(place, "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*")
        if commit.endswith("-dirty"):
            commit += f" {hashlib.sha256(_git(place, 'diff', 'HEAD').encode()).hexdigest()[:16]}"
        if commit:
            return f"commit {commit}"
    digest = hashlib.sha256()
    for path in sorted(place.rglob("*")):
        if path.suffix in (".py", ".so") and path.is_file():
            digest.update(f"{path.relative_to(place)} ".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return f"files {digest.hexdigest()}"


def _git(place: Path, *words: str) -> str:
    """Return what git says of a checkout; nothing where it cannot."""
    git = shutil.which("git")
    if git is None:
        return ""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        answer = subprocess.run(
            [git, "-C", str(place), *words], env=environment, capture_output=True, check=True, timeout=60
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return answer.stdout.decode(errors="replace").strip()


@functools.cache
def _version(name: str) -> str | None:
    with suppress(importlib.metadata.PackageNotFoundError):
        return importlib.metadata.version(name)
    return None


def _memory() -> dict[str, float]:
    """Return the entries of Linux's list of memory, in GiB; nothing on other systems."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return {}
    return {line.split(":")[0]: int(line.split()[1]) / 2**20 for line in lines}
