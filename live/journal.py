"""The journal of a service on disk: every change is in it before it is made."""

from __future__ import annotations

import hashlib
import os
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from netplace.live.cluster import Cluster
from netplace.live.messages import Event, JournalError, Snapshot, decode_record, encode

__all__ = ["Journal", "lock", "replace_file", "state_folder"]

_HEAD = re.compile(rb"([0-9a-f]{8}) ([0-9a-f]{8}) ")
_HEAD_BYTES = 18
_FLAGS = os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)


def state_folder() -> Path:
    """Return the folder of what netplace keeps for this user."""
    named = os.environ.get("XDG_STATE_HOME", "")
    if os.path.isabs(named):
        return Path(named) / "netplace"
    try:
        return Path.home() / ".local" / "state" / "netplace"
    except RuntimeError:
        raise FileNotFoundError("the user has no home folder, expected XDG_STATE_HOME=FOLDER") from None


def lock(path: Path, served: object) -> int:
    """Lock a file, which is created with its folder if necessary, and return the open file.

    The lock ends with the process, however that ends. `served` names in the error what the lock protects.

    Raises
    ------
    ValueError
        If another process has it.
    """
    import fcntl

    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        owner = os.read(file, 20).decode("ascii", "replace").strip() or "unknown"
        os.close(file)
        message = f"{served}: process {owner} serves it already, expected one service for a cluster"
        raise ValueError(message) from None
    os.ftruncate(file, 0)
    os.pwrite(file, f"{os.getpid()}\n".encode(), 0)
    return file


def replace_file(path: Path, data: bytes, mode: int = 0o600) -> int:
    """Replace a file of the service, at once or not at all; return the new one, open to append.

    The draft has another ending: collectors of metrics read every file whose name ends as the final one does.
    """
    draft = path.with_name(f"{path.name}.new")
    draft.unlink(missing_ok=True)
    file = os.open(draft, _FLAGS | os.O_EXCL | os.O_APPEND, mode)
    try:
        _write(file, data)
        os.fsync(file)
        os.replace(draft, path)
    except BaseException:
        os.close(file)
        draft.unlink(missing_ok=True)
        raise
    return file


class Journal:
    """Events on disk, and the cluster that they describe.

    The file consists of records, a line each: length and CRC-32 in hexadecimal digits, and JSON. The first is
    a `Snapshot`. Each event is on disk before it is applied. A record that cannot be written, as on a full
    disk, is cut off again, and the event is refused.

    Parameters
    ----------
    folder : Path
        Folder of the service, whose file ``lock`` is locked.
    cluster : Cluster
        An empty machine, which is brought to the state of the journal; then its events go to the journal.
    tell : callable
        Function that is called with a sentence on what was cut off.
    longest : int
        Records after which the journal is written again, with the present state alone.

    Raises
    ------
    ValueError
        If the journal is of another machine, or a record is damaged that others follow. An incomplete last
        record, which was never answered, is cut off.
    """

    def __init__(
        self, folder: Path, cluster: Cluster, tell: Callable[[str], None] = print, longest: int = 200_000
    ) -> None:
        self.path, self.cluster, self._tell, self._longest = folder / "journal", cluster, tell, longest
        names = "\n".join(cluster.hosts).encode()
        shape = f"{cluster.machine.nodes} {cluster.machine.neighbor.shape}".encode()
        wires = cluster.machine.neighbor.tobytes()
        self._digest = hashlib.sha256(b"\0".join((names, shape, wires))).hexdigest()
        self._file, self._end, self._records = -1, 0, 0
        if self.path.exists():
            self._read()
        else:
            self._write_anew()
        cluster.record = self.append

    def append(self, event: Event) -> None:
        """Write an event, to be called before it is applied.

        Raises
        ------
        JournalError
            If it cannot be written; then it is not in the journal.
        """
        if self._file < 0:
            raise JournalError("the service ends, and changes nothing more")
        if self._records >= self._longest:
            try:
                self._write_anew()
            except OSError as error:
                self._records = 0  # tried again after as many
                self._tell(f"{self.path}: cannot be written anew, {error.strerror}; it grows meanwhile")
        data = _record(encode(event))
        try:
            if os.fstat(self._file).st_size != self._end:  # could not be cut off before
                os.ftruncate(self._file, self._end)
            _write(self._file, data)
            os.fsync(self._file)
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._file, self._end)
                os.fsync(self._file)
            raise JournalError(f"{self.path}: {error.strerror}, nothing was changed") from None
        self._end += len(data)
        self._records += 1

    def close(self) -> None:
        """Close the file."""
        if self._file >= 0:
            os.close(self._file)
        self._file = -1

    def _read(self) -> None:
        data = self.path.read_bytes()
        for number, (at, record) in enumerate(_records(data), 1):
            where = f"{self.path}, record {number}"
            event = decode_record(record, number == 1, where)
            try:
                if not isinstance(event, Snapshot):
                    self.cluster.apply(event)
                elif event.digest == self._digest:
                    self.cluster.restore(event)
                else:
                    raise ValueError(
                        f"is the journal of {event.machine}, expected {self.cluster.machine.text} with the "
                        "same cables and names"
                    )
            except (ValueError, IndexError) as error:
                raise ValueError(f"{where}: {error}") from None
            self._end, self._records = at, number
        if not self._end or any(_good(data, found.start()) for found in _HEAD.finditer(data, self._end)):
            raise ValueError(
                f"{self.path}: is damaged after {self._end:,} of {len(data):,} bytes, expected the journal "
                "of netplace serve; move it away to begin anew"
            )
        self._file = os.open(self.path, _FLAGS | os.O_APPEND)
        if self._end < len(data):
            rest = len(data) - self._end
            self._tell(f"{self.path}: the last {rest:,} bytes, which were never answered, are cut off")
            os.ftruncate(self._file, self._end)
            os.fsync(self._file)

    def _write_anew(self) -> None:
        """Replace the journal by the present state, at once or not at all."""
        data = _record(encode(self.cluster.snapshot(self._digest)))
        file = replace_file(self.path, data)
        folder = os.open(self.path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        self.close()
        self._file, self._end, self._records = file, len(data), 1


def _record(content: bytes) -> bytes:
    return b"%08x %08x %b\n" % (len(content), zlib.crc32(content), content)


def _good(data: bytes, at: int) -> bytes | None:
    """Return the content of the record at a place; None if there is none that is whole."""
    head = _HEAD.match(data, at)
    if head is None:
        return None
    length, checksum = int(head[1], 16), int(head[2], 16)
    content = data[head.end() : head.end() + length]
    whole = data[head.end() + length : head.end() + length + 1] == b"\n"
    return content if whole and zlib.crc32(content) == checksum else None


def _records(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the first records until one is not whole, and where each ends."""
    at = 0
    while (content := _good(data, at)) is not None:
        at += _HEAD_BYTES + len(content) + 1
        yield at, content


def _write(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]
