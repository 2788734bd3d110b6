"""The service: requests as lines of JSON from stdin and a Unix socket."""

from __future__ import annotations

import os
import socketserver
import stat
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from io import BufferedIOBase
from pathlib import Path
from typing import Any, BinaryIO

from netplace.live.cluster import Cluster
from netplace.live.journal import Journal, replace_file
from netplace.live.messages import VERSION, RequestError, State, decode_request, encode

LONGEST = 1 << 20  # bytes of a request
_CLIENTS = 64  # connections at a time
_BOUNDS = (0.0001, 0.0002, 0.0005, 0.001, 0.005, 0.02, 0.1, 1.0)  # seconds, of the histogram


class Service:
    """Answers requests about a cluster, one after another, and searches beside; a journal keeps all changes.

    Parameters
    ----------
    searches : Searches, optional
        Processes for searches; by default, each holds up other requests, without a deadline.
    """

    def __init__(
        self, cluster: Cluster, journal: Journal | None = None, searches: Callable[..., Any] | None = None
    ) -> None:
        self.cluster, self.journal = cluster, journal
        self._lock = threading.Lock()
        if searches is not None:
            cluster.search = partial(self._beside, searches)
        self._places = threading.BoundedSemaphore(_CLIENTS)
        self._counts: Counter[tuple[str, str]] = Counter()
        self._seconds: Counter[float] = Counter()
        self._total = 0.0
        self._servers: list[socketserver.BaseServer] = []

    def answer(self, line: bytes) -> bytes:
        """Return the answer to a request, without a newline; an invalid request raises no exception.

        The request has no newline either.
        """
        began = time.perf_counter()
        verb, made = self._answered(line)
        took = time.perf_counter() - began
        with self._lock:
            self._counts[verb, "ok" if made["ok"] else "refused"] += 1
            self._seconds[next((bound for bound in _BOUNDS if took <= bound), float("inf"))] += 1
            self._total += took
        return encode(made)

    def _beside(self, searches: Callable[..., Any], *search: Any) -> Any:
        """Search without the lock, which this thread holds before and after."""
        self._lock.release()
        try:
            return searches(*search)
        finally:
            self._lock.acquire()

    def _answered(self, line: bytes) -> tuple[str, dict[str, Any]]:
        made: dict[str, Any] = {"version": VERSION, "ok": False}
        verb = "unknown"
        try:
            if len(line) > LONGEST:
                raise RequestError(f"request: longer than {LONGEST:,} bytes")
            request = decode_request(line)
            verb = type(request).__name__.lower()
            if request.id is not None:
                made["id"] = request.id
            with self._lock:
                made["result"] = self.cluster.handle(request)
            made["ok"] = True
        except ValueError as error:
            made["error"] = str(error)
        return verb, made

    def metrics(self) -> str:
        """Return the metrics in the text format of Prometheus."""
        with self._lock:
            state = self.cluster.handle(State())
            assert isinstance(state, dict)
            counts, seconds, total = dict(self._counts), dict(self._seconds), self._total
        lines = ["# HELP netplace_nodes Nodes by state.", "# TYPE netplace_nodes gauge"]
        lines += [
            f'netplace_nodes{{state="{name}"}} {state[name]}' for name in ("free", "held", "down", "off")
        ]
        for name, help in (("jobs", "Jobs that hold nodes."), ("waiting", "Jobs that wait.")):
            lines += [f"# HELP netplace_{name} {help}", f"# TYPE netplace_{name} gauge"]
            lines.append(f"netplace_{name} {state[name]}")
        lines += ["# HELP netplace_requests_total Requests.", "# TYPE netplace_requests_total counter"]
        lines += [
            f'netplace_requests_total{{verb="{verb}",outcome="{outcome}"}} {number}'
            for (verb, outcome), number in sorted(counts.items())
        ]
        name = "netplace_request_seconds"
        lines += [f"# HELP {name} Time to answer a request.", f"# TYPE {name} histogram"]
        below = 0
        for bound in _BOUNDS:
            below += seconds.get(bound, 0)
            lines.append(f'{name}_bucket{{le="{bound:g}"}} {below}')
        every = sum(seconds.values())
        lines += [f'{name}_bucket{{le="+Inf"}} {every}', f"{name}_sum {total:.6f}", f"{name}_count {every}"]
        return "\n".join(lines) + "\n"

    def write_metrics(self, path: Path) -> None:
        """Replace a file with the metrics, which any user can read."""
        file = replace_file(path, self.metrics().encode(), 0o644)
        os.close(file)

    # Ways in.

    def serve_lines(self, source: BinaryIO | BufferedIOBase, target: BinaryIO | BufferedIOBase) -> None:
        """Answer each line of `source` with a line on `target`, until one of the two ends."""
        with suppress(OSError, ValueError):  # the client is gone, or the service ends
            while line := source.readline(LONGEST + 2):
                if not line.endswith(b"\n") and len(line) > LONGEST:
                    target.write(self.answer(line) + b"\n")
                    target.flush()
                    return  # what follows is not a request
                if line.strip():
                    target.write(self.answer(line) + b"\n")
                    target.flush()

    def listen(self, path: Path) -> None:
        """Serve lines on a Unix socket that only this user can open."""
        if path.exists() or path.is_symlink():
            if not stat.S_ISSOCK(os.lstat(path).st_mode):
                raise ValueError(f"--socket {path}: exists and is not a socket, expected a new name")
            path.unlink()  # of a service that was killed; the lock tells of one that runs
        if len(os.fsencode(path)) > 100:
            raise ValueError(
                f"--socket {path}: {len(os.fsencode(path))} bytes, expected a path of 100 or fewer"
            )
        service = self

        class Lines(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                if not service._places.acquire(blocking=False):
                    full = {"version": VERSION, "ok": False, "error": f"{_CLIENTS} clients are connected"}
                    self.wfile.write(encode(full) + b"\n")
                    return
                try:
                    service.serve_lines(self.rfile, self.wfile)
                finally:
                    service._places.release()

        class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
            daemon_threads = True
            request_queue_size = _CLIENTS

        before = os.umask(0o177)
        try:
            server = Server(str(path), Lines)
        finally:
            os.umask(before)
        self._servers.append(server)
        threading.Thread(target=server.serve_forever, args=(0.2,), daemon=True).start()

    def close(self) -> None:
        """Stop listening, and close the journal once the current request has been answered."""
        for server in self._servers:
            server.shutdown()
            server.server_close()
        with self._lock:
            if self.journal is not None:
                self.journal.close()
