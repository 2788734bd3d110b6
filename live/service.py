"""The service: requests as lines of JSON from stdin and a Unix socket, and over HTTP on loopback."""

from __future__ import annotations

import hmac
import json
import os
import socket
import socketserver
import stat
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedIOBase
from pathlib import Path
from typing import Any, BinaryIO

from netplace.live.cluster import Cluster, RequestError
from netplace.live.journal import Journal
from netplace.live.messages import VERSION, State, decode_request, encode
from netplace.live.page import PAGE

__all__ = ["LONGEST", "Service"]

LONGEST = 1 << 20  # bytes of a request
_CLIENTS = 64  # connections at a time
_IDLE = 600.0  # seconds after which a silent HTTP connection is closed
_BOUNDS = (0.0001, 0.0002, 0.0005, 0.001, 0.005, 0.02, 0.1, 1.0)  # seconds, of the histogram


class Service:
    """Answers requests about a cluster, one after another; a journal records all changes."""

    def __init__(self, cluster: Cluster, journal: Journal | None = None) -> None:
        self.cluster, self.journal = cluster, journal
        self._lock = threading.Lock()
        self._places = threading.BoundedSemaphore(_CLIENTS)
        self._counts: Counter[tuple[str, str]] = Counter()
        self._seconds: Counter[float] = Counter()
        self._total = 0.0
        self._servers: list[socketserver.BaseServer] = []

    def answer(self, line: bytes) -> bytes:
        """Return the answer to a request, without a newline; an invalid request raises no exception.

        The request has no newline either.
        """
        with self._lock:
            began = time.perf_counter()
            verb, made = self._answered(line)
            if self.journal is not None:
                self.journal.flush()
            took = time.perf_counter() - began
            self._counts[verb, "ok" if made["ok"] else "refused"] += 1
            self._seconds[next((bound for bound in _BOUNDS if took <= bound), float("inf"))] += 1
            self._total += took
            return encode(made)

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
            made["result"] = self.cluster.handle(request)
            made["ok"] = True
        except ValueError as error:
            made["error"] = str(error)
        return verb, made

    def metrics(self) -> str:
        """Return the metrics in the text format of Prometheus."""
        with self._lock:
            state = self.cluster.state(State())
            counts, seconds, total = dict(self._counts), dict(self._seconds), self._total
        lines = ["# HELP netplace_nodes Nodes by state.", "# TYPE netplace_nodes gauge"]
        lines += [
            f'netplace_nodes{{state="{name}"}} {state[name]}' for name in ("free", "held", "down", "off")
        ]
        for name, told in (("jobs", "Jobs that hold nodes."), ("waiting", "Jobs that wait.")):
            lines += [f"# HELP netplace_{name} {told}", f"# TYPE netplace_{name} gauge"]
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
        self._start(server)

    def listen_http(self, port: int, token: str) -> int:
        """Serve HTTP on a loopback port (0 means any) to holders of the token; return the port."""
        service = self

        class Http(_Handler):
            shared = service
            secret = token

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = _CLIENTS
            address_family = socket.AF_INET

        try:
            server = Server(("127.0.0.1", port), Http)
        except OSError as error:
            raise ValueError(f"--http {port}: {error.strerror}") from None
        self._start(server)
        return int(server.server_address[1])

    def _start(self, server: socketserver.BaseServer) -> None:
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


class _Handler(BaseHTTPRequestHandler):
    """HTTP: POST /v1 with a request, GET /v1/state and /metrics, and the page at /."""

    shared: Service
    secret: str
    protocol_version = "HTTP/1.1"
    server_version = "netplace"
    sys_version = ""
    timeout = _IDLE

    def do_GET(self) -> None:
        if not self._is_local():
            return
        if self.path == "/":  # holds no data: the page asks for them with the token behind its address's #
            self._send(200, PAGE.encode(), "text/html; charset=utf-8")
            return
        known: dict[str, Callable[[], tuple[bytes, str]]] = {
            "/v1/state": lambda: (self.shared.answer(b'{"verb":"state","jobs":true}'), "application/json"),
            "/metrics": lambda: (self.shared.metrics().encode(), "text/plain; version=0.0.4; charset=utf-8"),
        }
        if self.path not in known:
            self._fail(404, "expected /, /v1/state or /metrics")
        elif self._is_known():
            self._send(200, *known[self.path]())

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not length.isascii() or not length.isdigit() or int(length) > LONGEST:
            self.close_connection = True
            self._fail(413, f"expected a Content-Length of at most {LONGEST:,} bytes")
            return
        body = self.rfile.read(int(length))
        if not self._is_local() or not self._is_known():
            return
        if self.path != "/v1":
            self._fail(404, "expected /v1")
            return
        made = self.shared.answer(body)
        self._send(200 if json.loads(made)["ok"] else 422, made, "application/json")

    def log_message(self, format: str, *values: Any) -> None:
        """Log nothing: metrics count requests."""

    def _is_local(self) -> bool:
        """Return whether the request is for this address: pages of other sites cannot reach it by name."""
        host = self.headers.get("Host", "").partition(":")[0]
        if host in ("127.0.0.1", "localhost"):
            return True
        self._fail(403, "expected the host 127.0.0.1 or localhost")
        return False

    def _is_known(self) -> bool:
        given = self.headers.get("Authorization", "")
        if hmac.compare_digest(given.encode(), f"Bearer {self.secret}".encode()):
            return True
        self._fail(401, "the token is wrong or missing, expected Authorization: Bearer TOKEN")
        return False

    def _fail(self, status: int, sentence: str) -> None:
        self._send(status, encode({"version": VERSION, "ok": False, "error": sentence}), "application/json")

    def _send(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header(
            "Content-Security-Policy", "default-src 'self' 'unsafe-inline'; frame-ancestors 'none'"
        )
        self.end_headers()
        self.wfile.write(body)
