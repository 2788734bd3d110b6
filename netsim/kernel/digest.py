"""What the machine code of a part of the kernel depends on: sources, versions, processor.

A part depends on the module that makes it and on all of netplace that this imports, in turn; so an edit of a
file renews the parts that import it, and no other. Imports are read from the text: a process that has the
machine code on disk imports none of these modules.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import llvmlite.binding as llvm

__all__ = ["part_digest", "sources"]

_IMPORT = re.compile(
    r"^[ \t]*(?:from +(netplace[\w.]*) +import +(\([^)]*\)|[^(\n]*)|import +(netplace[\w.]+))", re.MULTILINE
)
_COMMENT = re.compile(r"#.*")
# What makes machine code of any part.
_COMPILERS = ("netplace.netsim.kernel.compiler", "netplace.netsim.kernel.kept")


def part_digest(module: str, part: str) -> str:
    """Return a digest of all that the machine code of a part depends on.

    Parameters
    ----------
    module : str
        Full name of the module that makes the part.
    part : str
        Which part, with what is known of it.
    """
    return hashlib.sha256(_surroundings() + _text(module) + part.encode()).hexdigest()[:24]


@cache
def sources(module: str) -> frozenset[str]:
    """Return the modules of netplace that a module needs: those that it imports, in turn, and itself."""
    needed = {module}
    waiting = [module]
    while waiting:
        new = _imported(waiting.pop()) - needed
        needed |= new
        waiting += new
    return frozenset(needed)


@cache
def _text(module: str) -> bytes:
    """Return a digest of the sources of a module, and of what compiles it."""
    needed = sources(module).union(*map(sources, _COMPILERS))
    return hashlib.sha256("\0".join(_source(name) for name in sorted(needed)).encode()).digest()


@cache
def _surroundings() -> bytes:
    """Return all that machine code depends on beside sources."""
    target = llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    numba = find_spec("numba")  # importing it, or the metadata of packages, takes longer than all else here
    assert numba is not None
    assert numba.origin is not None
    version = Path(numba.origin).with_name("_version.py").read_bytes()
    return repr((version, llvm.llvm_version_info, sys.version_info[:2], target)).encode()


@cache
def _imported(module: str) -> frozenset[str]:
    """Return the modules of netplace that the text of a module imports, whatever is done with them."""
    lines = _IMPORT.finditer(_source(module))
    return frozenset(name for line in lines for name in _modules(line[1], line[2] or "", line[3] or ""))


def _modules(package: str | None, names: str, module: str) -> Iterator[str]:
    """Return the modules that one line imports: of ``from package import names`` those that are modules."""
    file = _file(package or module)
    if package is None or file is None or file.name != "__init__.py":
        yield package or module
        return
    for name in _COMMENT.sub("", names).strip("() \n\t").split(","):
        inner = f"{package}.{name.split()[0]}" if name.split() else package
        yield package if _file(inner) is None else inner


@cache
def _source(module: str) -> str:
    """Return the text of a module of netplace."""
    file = _file(module)
    if file is None:
        raise ModuleNotFoundError(f"{module}: has no source, which its machine code depends on", name=module)
    return file.read_text(encoding="utf-8")


@cache
def _file(module: str) -> Path | None:
    """Return the file of a module or package of netplace; None where there is none."""
    names = module.split(".")
    top = find_spec(".".join(names[:2]))  # each may lie in a folder of its own
    if top is None or len(names) <= 2:
        return Path(top.origin) if top is not None and top.origin else None
    for folder in top.submodule_search_locations or ():
        path = Path(folder, *names[2:])
        for file in (path.with_suffix(".py"), path / "__init__.py"):
            if file.is_file():
                return file
    return None
