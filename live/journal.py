"""The journal of a service on disk: every change is in it before it is made."""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from netplace.live.cluster import Cluster
from netplace.live.messages import Event, JournalError, Snapshot, decode_record, encode

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

    The file consists of records, a line each: a CRC-32 in hexadecimal digits, and JSON. The first is
    a `Snapshot`. Each event is on disk before it is applied. A record that cannot be written, as on a full
    disk, is cut off again, and the event is refused.

    A new journal brings an empty machine to its state; then the events of the machine go to the journal. It
    refuses another machine, and damaged records that others follow. An incomplete last record, which was
    never answered, is cut off. After `longest` records, it is written again, with the present state alone.
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
        """Write an event before it is applied; after a `JournalError`, it is not in the journal."""
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
        lines = self.path.read_bytes().splitlines(keepends=True)
        contents = [*map(_content, lines)]
        self._records = contents.index(None) if None in contents else len(contents)
        self._end, length = sum(map(len, lines[: self._records])), sum(map(len, lines))
        if not self._end or any(contents[self._records :]):
            raise ValueError(
                f"{self.path}: is damaged after {self._end:,} of {length:,} bytes, expected the journal "
                "of netplace serve; move it away to begin anew"
            )
        for number, content in enumerate(filter(None, contents), 1):
            where = f"{self.path}, record {number}"
            event = decode_record(content, number == 1, where)
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
        self._file = os.open(self.path, _FLAGS | os.O_APPEND)
        if self._end < length:
            self._tell(
                f"{self.path}: the last {length - self._end:,} bytes, which were never answered, are cut off"
            )
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
    return b"%08x %b\n" % (zlib.crc32(content), content)


def _content(line: bytes) -> bytes | None:
    """Return the content of a record; None if it is not whole."""
    return line[9:-1] if line == _record(line[9:-1]) else None


def _write(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]
