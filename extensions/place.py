"""The place of a user's rule: ``file.py:function`` or ``module:function``."""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import traceback
from dataclasses import dataclass
from functools import lru_cache
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

NO_CODE = "NETPLACE_NO_CODE"  # the variable of the environment that forbids rules of one's own

_FILE = re.compile(r"(?P<module>.+?\.py):(?P<name>[^:]*)(?::(?P<option>.*))?", re.DOTALL)
_MODULE = re.compile(r"(?P<module>[^\W\d][\w.]*):(?P<name>[^\W\d]\w*)(?::(?P<option>.*))?", re.DOTALL)
_FILES: set[str] = set()  # what was loaded, so that what goes wrong in it can be told as its author's


@dataclass(frozen=True)
class Place:
    """The place where an object is defined.

    Attributes
    ----------
    module : str
        A file that ends in ``.py``, or the name of an importable module.
    installed : bool
        Whether an installed package offers the object, so that its name is enough to choose it.
    """

    module: str
    name: str
    installed: bool = False

    def __str__(self) -> str:
        return f"{self.module}:{self.name}"

    @property
    def in_file(self) -> bool:
        """Whether `module` is a file."""
        return self.module.endswith(".py")

    @property
    def exists(self) -> bool:
        """Whether the module exists; for a file, this is assumed until the file is read."""
        return self.in_file or _file_of(self.module) is not None

    def source(self, what: str) -> Path:
        """Return the file of the module, which must exist; `what` states its purpose in error messages."""
        if self.in_file:
            return Path(self.module)
        file = _file_of(self.module)
        if file is None:
            raise ValueError(f"{what} {str(self)!r}: the module {self.module!r} does not exist")
        return file

    def load(self, what: str) -> Any:
        """Return the object.

        Raises
        ------
        ValueError
            If the module does not load or has no callable object with this name, or if `NO_CODE` forbids
            loading it.
        """
        if os.environ.get(NO_CODE) and not self.installed:
            raise ValueError(f"{what} {str(self)!r}: is user code, which netplace does not run here")
        try:
            module = self._module()
        except Exception as error:
            reason = f"{type(error).__name__}: {error}" if not isinstance(error, OSError) else error
            raise ValueError(f"{what} {str(self)!r}: cannot load {self.module!r}, {reason}") from error
        loaded = getattr(module, self.name, None)
        if loaded is None:
            raise ValueError(f"{what} {str(self)!r}: {self.module!r} has no function {self.name!r}")
        return loaded

    def _module(self) -> ModuleType:
        if not self.in_file:
            module = importlib.import_module(self.module)
            _FILES.add(getattr(module, "__file__", None) or "")
            return module
        path = Path(self.module)
        state = path.stat()
        return _executed(str(path), str(path.absolute()), state.st_mtime_ns, state.st_size)


def place_in(text: str) -> tuple[Place, str] | None:
    """Return the place at the beginning of `text` and the option after it; None for other texts."""
    match = _FILE.fullmatch(text) or _MODULE.fullmatch(text)
    return None if match is None else (Place(match["module"], match["name"]), match["option"] or "")


def loaded_files() -> frozenset[str]:
    """Return the files of all rules that were loaded in this process."""
    return frozenset(_FILES)


@lru_cache(maxsize=64)
def _executed(path: str, absolute: str, changed: int, size: int) -> ModuleType:
    """Return the module in a file, which is executed again only if it has changed."""
    spec = importlib.util.spec_from_file_location(
        Path(path).stem, path, loader=_FromText(Path(path).stem, path)
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    _FILES.update((path, absolute))
    spec.loader.exec_module(module)
    return module


class _FromText(SourceFileLoader):
    """Reads the text of a module, never bytecode, whose age is known only to the second."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


def _file_of(module: str) -> Path | None:
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError, AttributeError):
        return None
    return None if spec is None or spec.origin is None else Path(spec.origin)


def describe_rule_error(error: BaseException) -> str | None:
    """Return a sentence about an exception that a user's rule raised, or None for any other exception.

    The sentence names the file, and the last line of the file that ran.
    """
    files = loaded_files()
    lines = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename in files]
    if not lines:
        return None
    last = lines[-1]
    text = " ".join(str(error).split())
    reason = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return f"{Path(last.filename).name}, line {last.lineno}: raised {reason}"
