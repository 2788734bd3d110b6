"""The journal of a service on disk: every change is in it before it is answered."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from netplace.live.cluster import Cluster
from netplace.live.messages import Event, Header, decode_event, encode

__all__ = ["Journal", "lock", "replace_file", "state_folder"]

_LONG = 200_000  # lines after which the journal is written anew, with the present state alone
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
        told = f"{served}: process {owner} serves it already, expected one service for a cluster"
        raise ValueError(told) from None
    os.ftruncate(file, 0)
    os.pwrite(file, f"{os.getpid()}\n".encode(), 0)
    return file


def replace_file(path: Path, data: bytes, mode: int = 0o600) -> int:
    """Replace a file of the service, at once or not at all; return the new one, open to append.

    The draft has another ending: collectors of metrics read every file with the ending of theirs.
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

    Parameters
    ----------
    folder : Path
        Folder of the service, whose file ``lock`` is locked.
    cluster : Cluster
        An empty machine, which is brought to the state of the journal; then its events go to the journal.
    sync : bool
        Whether `flush` waits until the disk has the lines. Without it, lines survive the end of the process,
        but the last ones may not survive a failure of the machine.

    Raises
    ------
    ValueError
        If the journal is of another machine, or a line is not an event. An incomplete last line, which was
        never answered, is dropped.
    """

    def __init__(self, folder: Path, cluster: Cluster, sync: bool = False) -> None:
        self.path, self.cluster, self.sync = folder / "journal.jsonl", cluster, sync
        names = "\n".join(cluster.hosts).encode()
        shape = f"{cluster.topology.nodes} {cluster.topology.neighbor.shape}".encode()
        wires = cluster.topology.neighbor.tobytes()
        digest = hashlib.sha256(b"\0".join((names, shape, wires))).hexdigest()
        self._header = Header(1, cluster.topology.text, digest)
        self._pending: list[bytes] = []
        self._file = -1
        if self.path.exists():
            self._read()
        self._write_anew()
        cluster.record = self._add

    def flush(self) -> None:
        """Write the events since the last call; to be called before they are answered."""
        if not self._pending:
            return
        if self._lines > _LONG:
            self._write_anew()
            return
        _write(self._file, b"".join(self._pending))
        self._pending.clear()
        if self.sync:
            os.fsync(self._file)

    def close(self) -> None:
        """Close the file."""
        self.flush()
        os.close(self._file)

    def _add(self, event: Event) -> None:
        self._pending.append(encode(event) + b"\n")
        self._lines += 1

    def _read(self) -> None:
        complete, _, _ = self.path.read_bytes().rpartition(b"\n")
        for number, line in enumerate(complete.split(b"\n") if complete else [], 1):
            where = f"{self.path}:{number}"
            event = decode_event(line, where)
            if (number == 1) != isinstance(event, Header):
                raise ValueError(
                    f"{where}: expected the header of a journal as the first line, and only there"
                )
            if isinstance(event, Header):
                if event.digest != self._header.digest:
                    raise ValueError(
                        f"{where}: is the journal of {event.machine}, expected {self._header.machine} "
                        "with the same cables and names"
                    )
                continue
            try:
                self.cluster.apply(event)
            except (ValueError, IndexError) as error:
                raise ValueError(f"{where}: {error}") from None

    def _write_anew(self) -> None:
        """Replace the journal by the present state, at once or not at all."""
        events = [self._header, *self.cluster.events()]
        file = replace_file(self.path, b"".join(encode(event) + b"\n" for event in events))
        if self._file >= 0:
            os.close(self._file)
        self._file, self._lines = file, len(events)
        self._pending.clear()


def _write(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]
