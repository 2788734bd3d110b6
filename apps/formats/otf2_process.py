"""The library of OTF2 in a process of its own, so that a broken archive ends that one and not this."""

from __future__ import annotations

import pickle
import subprocess
import sys
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from netplace.apps.formats.errors import FileError

__all__ = ["Library"]


class Library:
    """Messages from the library's own process, which ends when nobody has this any more."""

    def __init__(self, path: Path) -> None:
        self._path = path
        command = [sys.executable, "-m", "netplace.apps.formats.otf2_library", str(path)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.close = weakref.finalize(self, _end, self._process)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        assert self._process.stdout is not None
        try:
            message = pickle.load(self._process.stdout)
        except (EOFError, pickle.UnpicklingError):
            raise FileError(f"{self._path}: is a broken OTF2 archive{self._reason()}") from None
        if message == "end":
            self._process.communicate()
            raise StopIteration
        return message

    def _reason(self) -> str:
        self._process.kill()
        _, output = self._process.communicate()
        lines = output.decode("utf-8", "replace").strip().splitlines()
        said = [line.partition("error: ")[2] for line in lines if "error: " in line]
        return f": the library says {said[-1][:200]!r}" if said else ": the library gave up"


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.communicate()
