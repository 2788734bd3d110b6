"""Results of the long simulations of a co-simulation, stored as each ends."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from netplace.files import NO_LINK
from netplace.netsim.result import versions

_LINE = msgspec.json.Decoder(tuple[str, int | float | list[int | float]])


class StoredTimes:
    """Times by key, each computed once, also by a co-simulation that was killed and starts again.

    `path` has a line per result, by default none is kept; those of other plans or versions are not used.
    """

    def __init__(self, path: Path | None = None, plan: str = "") -> None:
        self._path, self._plan = path, (plan, versions())
        self._times: dict[str, Any] = {}
        if path is not None:
            with self._open("rb", os.O_RDONLY) as file:
                for line in file:
                    with suppress(msgspec.DecodeError):  # of a line that a killed process was writing
                        digest, value = _LINE.decode(line)
                        self._times[digest] = value

    def get(self, key: object, compute: Callable[[], Any]) -> Any:
        """Return the number or list of numbers of a key; compute it if it is not stored."""
        digest = sha256(repr((self._plan, key)).encode()).hexdigest()
        if digest not in self._times:
            self._times[digest] = value = compute()
            if self._path is not None:
                with self._open("ab", os.O_WRONLY | os.O_APPEND) as file:
                    file.write(b"\n" + msgspec.json.encode((digest, value)))
        return self._times[digest]

    def close(self) -> None:
        """Remove the file, whose results the outcome contains."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)

    def _open(self, mode: str, flags: int) -> Any:
        assert self._path is not None
        return os.fdopen(os.open(self._path, flags | os.O_CREAT | NO_LINK, 0o600), mode)
