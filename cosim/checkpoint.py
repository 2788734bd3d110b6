"""Checkpoint files of a long co-simulation.

A file is plain data (`netplace.cosim.plain_state`) with an authentication code that requires the user's key,
because the arrays of a network go to compiled code, which trusts them.
"""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from netplace.checks.trusted import own_key, read_trusted
from netplace.checks.writing import atomic_file
from netplace.cosim.plain_state import Saved, read_state, saved_state
from netplace.netsim.result import versions

_PAUSE = 30.0  # seconds between checkpoints
_SHARE = 0.05  # of the time that may go into them
PARTS = ("", "alone", "again")  # network under the scheduler, times alone, the jobs once more
_BEGIN = b"netplace checkpoint 1\n"
_CODE = 32  # bytes of the code after it; then a length in 8 bytes, what has this length, and the arrays
_HEAD = len(_BEGIN) + _CODE


class Checkpoint:
    """A file that is written from time to time, completely or not at all.

    A file of another key (plan) or version is not used. The file only names `known` objects, which the reader
    provides again.
    """

    def __init__(self, path: Path, key: str, known: Mapping[str, object] | None = None) -> None:
        self._path, self._known = path, dict(known or {})
        self._key = repr((key, versions()))
        self._last, self._spent = time.monotonic(), 0.0

    def look(self, write: Callable[[], None]) -> None:
        now = time.monotonic()
        if now - self._last >= max(_PAUSE, self._spent / _SHARE):
            with suppress(TypeError, UnicodeEncodeError):  # what is no plain data is not kept
                write()
            self._last = time.monotonic()
            self._spent = self._last - now

    def write(self, state: object) -> None:
        """Write the state, unless no key can be stored: the file could then not be read again."""
        if (key := own_key()) is None:
            return
        saved, arrays = saved_state(state, self._key, self._known)
        head = msgspec.msgpack.encode(saved)
        code = hmac.new(key, digestmod="sha256")
        with atomic_file(self._path, 0o600) as draft, draft.open("r+b") as file:
            file.write(_BEGIN + bytes(_CODE))
            for part in (
                len(head).to_bytes(8, "little"),
                head,
                *(array.reshape(-1).view("u1") for array in arrays),
            ):
                code.update(part)
                file.write(part)
            file.seek(len(_BEGIN))
            file.write(code.digest())

    def load(self) -> Any:
        refused = f"{self._path}: is not a checkpoint that netplace wrote for this user"
        try:
            content = memoryview(read_trusted(self._path))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise ValueError(
                f"{refused}, {error.strerror or error}; delete it to start from the beginning"
            ) from None
        code, body = content[len(_BEGIN) : _HEAD], content[_HEAD:]
        key = own_key()
        if (
            key is None
            or content[: len(_BEGIN)] != _BEGIN
            or not hmac.compare_digest(code, hmac.digest(key, body, "sha256"))
        ):
            raise ValueError(f"{refused}, or it was changed since; delete it to start from the beginning")
        end = 8 + int.from_bytes(body[:8], "little")
        try:
            saved = msgspec.msgpack.decode(body[8:end], type=Saved)
            return read_state(saved, body[end:], self._known) if saved.key == self._key else None
        except (ValueError, msgspec.MsgspecError) as error:
            raise ValueError(f"{refused}, {error}; delete it to start from the beginning") from None

    def close(self) -> None:
        self._path.unlink(missing_ok=True)


@dataclass(frozen=True)
class Keep:
    """Checkpoint files of the parts of a co-simulation, next to that of the network (`path`)."""

    path: Path
    key: str

    def part(self, name: str, known: Mapping[str, object] | None = None) -> Checkpoint:
        path = self.path.with_name(f"{self.path.name}.{name}") if name else self.path
        return Checkpoint(path, self.key, known)

    def close(self) -> None:
        for name in PARTS:
            self.part(name).close()


class Memory:
    """Values of long simulations, each computed once, even if the run is interrupted."""

    def __init__(self, checkpoint: Checkpoint | None = None) -> None:
        self._checkpoint = checkpoint
        self._values: dict[bytes, Any] = (checkpoint and checkpoint.load()) or {}

    def of(self, key: object, make: Callable[[], Any]) -> Any:
        """Return the value of a key; compute it if it is unknown."""
        if self._checkpoint is None:
            return make()
        digest = hashlib.sha256(repr(key).encode()).digest()
        if digest not in self._values:
            self._values[digest] = make()
            self._checkpoint.look(self._write)
        return self._values[digest]

    def _write(self) -> None:
        assert self._checkpoint is not None
        self._checkpoint.write(self._values)
