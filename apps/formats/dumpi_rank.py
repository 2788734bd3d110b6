"""The calls of one rank of a DUMPI trace: requests, datatypes and statuses, by the rank's own numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from netplace.apps.formats.dumpi_communicators import CREATING, SELF, WORLD, Made
from netplace.apps.formats.dumpi_file import Arguments, Status, TextCall
from netplace.apps.formats.stream import TraceError
from netplace.apps.recorded.calls import ANY, OPERATIONS, Call, CallWriter
from netplace.apps.recorded.trace import Trace, ignorable

_ANY = -1
_FROM_ANY, _OF_ANY = 1, 2
_LEFT_OUT = ("intercomm_create", "intercomm_merge", "comm_spawn", "comm_accept", "comm_connect", "comm_join")


@dataclass
class _Request:
    """An open or persistent request: its operation, and its number while it is open."""

    kind: int
    message: dict[str, int]
    open: int | None = None
    persistent: bool = False


class RankCalls:
    def __init__(
        self, rank: int, trace: Trace, writer: CallWriter, sizes: list[int], made: Iterator[Made | None]
    ) -> None:
        self._rank, self._trace, self._writer, self._made = rank, trace, writer, made
        self._sizes = dict(enumerate(sizes))
        self._communicators: dict[int, Made | None] = {
            WORLD: Made(0, trace.communicators[0]),
            SELF: Made(trace.communicator((rank,), "self"), (rank,)),
        }
        self._requests: dict[int, _Request] = {}
        self._opened = 0
        self._gap = 0
        self._first: int | None = None
        self._now = self._last = 0
        self._line, self._name = 0, ""

    def read(self, call: TextCall) -> None:
        """Take the next record."""
        name, place, (begin, end), given = call
        self._line, self._name, self._now = place, name, begin
        if self._first is None:
            self._first = self._last = begin
        self._gap += max(begin - self._last, 0)
        self._last = end
        try:
            self._act(name, given)
        except (KeyError, TypeError, IndexError) as error:
            raise self._wrong(f"MPI_{name.capitalize()} is damaged: {error} is missing") from None

    def datatype(self, number: int, size: int) -> None:
        self._sizes[number] = size

    def holds(self, request: int) -> bool:
        """Return whether a request of this name is known and has not been completed."""
        return request in self._requests

    def end(self) -> None:
        """Take the computation after the last call."""
        if self._gap:
            self._add(Call.COMPUTE)

    def _act(self, name: str, given: Arguments) -> None:
        action = _ACTIONS.get(name)
        if action is not None:
            action(self, given)
        elif name in OPERATIONS:
            self._collective(name, given)
        elif name in CREATING:
            self._communicators[given["newcomm"]] = next(self._made, None)
        elif name.startswith("type_") and "newtype" in given:
            self._sizes[given["newtype"]] = _size_of(name, given, self._sizes)
        elif name in _LEFT_OUT or (ignorable(name) and name != "get_count"):
            self._trace.left_out[name] += 1

    def _add(self, kind: int, peer: int = -1, size: int = 0, tag: int = 0, **more: Any) -> None:
        gap, self._gap = self._gap, 0
        time = (self._now - (self._first or 0)) * 1e-9
        self._writer.add(self._rank, kind, peer, size, tag, gap=gap * 1e-9, time=time, **more)

    def _wrong(self, reason: str) -> TraceError:
        return TraceError(self._line, reason, "record at")

    def _bytes(self, count: int, datatype: int) -> int:
        if datatype not in self._sizes:
            raise self._wrong(f"rank {self._rank} does not know datatype {datatype}")
        return max(count, 0) * max(self._sizes[datatype], 0)

    def _on(self, number: int) -> Made:
        made = self._communicators.get(number)
        if made is None:
            raise self._wrong(f"rank {self._rank} does not know communicator {number}")
        return made

    def _message(self, given: Arguments, peer: int, tag: int, size: int) -> dict[str, int] | None:
        """Return the values of a message for `CallWriter.add`; None if it goes to no rank."""
        made = self._on(given["comm"])
        if peer >= len(made.members):
            raise self._wrong(f"the peer is rank {peer} of a communicator with {len(made.members)} ranks")
        if peer < 0:
            return None
        return {"peer": made.members[peer], "size": size, "tag": tag, "communicator": made.number}

    def _received(self, given: Arguments, source: int, tag: int, size: int) -> dict[str, int] | None:
        wild = _FROM_ANY * (source == _ANY) + _OF_ANY * (tag == _ANY)
        made = self._on(given["comm"])
        message = self._message(given, source, tag, size)
        if source == _ANY:
            message = {"peer": ANY, "size": size, "tag": tag, "communicator": made.number}
        if message is None:
            return None
        if wild and given.get("status"):
            message |= self._resolved(given["status"][0], made.members, message)
        return message | {"wild": wild}

    def _resolved(self, status: Status, members: Sequence[int], message: dict[str, int]) -> dict[str, int]:
        if status.cancelled or not 0 <= status.source < len(members):
            return {}
        known = {"peer": members[status.source]}
        if message["tag"] == _ANY and status.tag >= 0:
            known["tag"] = status.tag
        return known

    def _open(self, kind: int, message: dict[str, int]) -> int:
        number = self._opened
        self._opened += 1
        self._add(kind, request=number, **message)
        return number

    # Point to point.

    def _sent_or_received(self, given: Arguments) -> dict[str, int] | None:
        size = self._bytes(given["count"], given["datatype"])
        if "dest" in given:
            return self._message(given, given["dest"], given["tag"], size)
        return self._received(given, given["source"], given["tag"], size)

    def _blocking(self, given: Arguments) -> None:
        message = self._sent_or_received(given)
        if message is not None:
            self._add(Call.SEND if "dest" in given else Call.RECV, **message)

    def _nonblocking(self, given: Arguments) -> None:
        message = self._sent_or_received(given)
        kind = Call.ISEND if "dest" in given else Call.IRECV
        persistent = self._name.endswith("_init")
        request = _Request(kind, message or {}, persistent=persistent)
        if message is not None and not persistent:
            request.open = self._open(kind, message)
        if message is not None or persistent:
            self._requests[given["request"]] = request

    def _start(self, given: Arguments) -> None:
        for name in given["requests"] if "requests" in given else [given["request"]]:
            request = self._requests.get(name)
            if request is not None and request.message:
                request.open = self._open(request.kind, request.message)

    def _sendrecv(self, given: Arguments) -> None:
        sent = given.get("sendcount", given.get("count")), given.get("sendtype", given.get("datatype"))
        got = given.get("recvcount", given.get("count")), given.get("recvtype", given.get("datatype"))
        receive = self._received(given, given["source"], given["recvtag"], self._bytes(got[0], got[1]))  # type: ignore[arg-type]
        send = self._message(given, given["dest"], given["sendtag"], self._bytes(sent[0], sent[1]))  # type: ignore[arg-type]
        request = None if receive is None else self._open(Call.IRECV, receive)
        if send is not None:
            self._add(Call.SEND, **send)
        if request is not None:
            self._add(Call.WAIT, request=request)

    def _free(self, given: Arguments) -> None:
        self._requests.pop(given["request"], None)

    def _wait(self, given: Arguments) -> None:
        if given.get("flag", 1):
            self._complete(given["request"], (given.get("status") or [None])[0])

    def _wait_any(self, given: Arguments) -> None:
        index, requests = given["index"], given["requests"]
        if given.get("flag", 1) and isinstance(index, int) and 0 <= index < len(requests):
            self._complete(requests[index], (given.get("status") or [None])[0])

    def _wait_all(self, given: Arguments) -> None:
        if given.get("flag", 1):
            self._wait_for(given, range(len(_as_list(given["requests"]))))

    def _wait_some(self, given: Arguments) -> None:
        self._wait_for(given, _as_list(given["indices"]))

    def _wait_for(self, given: Arguments, indices: Sequence[int]) -> None:
        requests, statuses = _as_list(given["requests"]), given.get("statuses") or []
        for place, index in enumerate(indices):
            if 0 <= index < len(requests):
                self._complete(requests[index], statuses[place] if place < len(statuses) else None)

    def _complete(self, name: int, status: Status | None) -> None:
        request = self._requests.get(name)
        if request is None or request.open is None:
            return  # null, inactive, or to MPI_PROC_NULL
        received: dict[str, int] = {}
        if request.kind == Call.IRECV and request.message.get("wild") and status is not None:
            members = self._trace.communicators[request.message["communicator"]]
            known = request.message | self._resolved(status, members, request.message)
            if known["peer"] != ANY:
                received = {key: known[key] for key in ("peer", "size", "tag", "communicator")}
        self._add(Call.WAIT, request=request.open, **received)
        request.open = None
        if not request.persistent:
            del self._requests[name]

    # Collectives.

    def _collective(self, name: str, given: Arguments) -> None:
        made = self._on(given["comm"])
        place = made.members.index(self._rank)
        size, sizes = self._extent(name, given, place, len(made.members))
        root = given.get("root", -1)
        if not -1 <= root < len(made.members):
            raise self._wrong(f"the root is rank {root} of a communicator with {len(made.members)} ranks")
        peer = made.members[root] if root >= 0 else -1
        self._add(Call.COLLECTIVE, peer, size, OPERATIONS.index(name), communicator=made.number, sizes=sizes)

    def _extent(self, name: str, given: Arguments, place: int, ranks: int) -> tuple[int, list[int] | None]:
        """Return the bytes of a call, and those of each partner where it lists them."""
        # Data in place has no send count; where every rank receives as much as it sends, the receive side
        # is taken.
        if name == "barrier":
            return 0, None
        if name in ("bcast", "reduce", "allreduce", "scan", "exscan"):
            return self._bytes(given["count"], given["datatype"]), None
        if name in ("allgather", "alltoall"):
            return self._bytes(given["recvcount"], given["recvtype"]), None
        if name in ("gather", "scatter"):
            side = ("recv" if name == "gather" else "send") if place == given["root"] else None
            side = side or ("send" if name == "gather" else "recv")
            return self._bytes(given[side + "count"], given[side + "type"]), None
        if name in ("reduce_scatter", "alltoallv", "alltoallw"):
            counts = _as_list(given["recvcounts" if name == "reduce_scatter" else "sendcounts"])
            if name == "alltoallw":
                kinds = _as_list(given["sendtypes"])
            else:
                kinds = [given["datatype" if name == "reduce_scatter" else "sendtype"]] * len(counts)
            sizes = [self._bytes(count, kind) for count, kind in zip(counts, kinds, strict=True)]
            return sum(sizes), sizes
        if name == "scatterv":
            sizes = [self._bytes(count, given["sendtype"]) for count in _as_list(given.get("sendcounts", []))]
            own = self._bytes(given["recvcount"], given["recvtype"])
            return (sizes[place] if place < len(sizes) else own), sizes or None
        sizes = [self._bytes(count, given["recvtype"]) for count in _as_list(given.get("recvcounts", []))]
        if place < len(sizes):
            return sizes[place], sizes
        return self._bytes(given["sendcount"], given["sendtype"]), None


def _as_list(value: Any) -> list[int]:
    return value if isinstance(value, list) else [value]


def _size_of(name: str, given: Arguments, sizes: dict[int, int]) -> int:
    """Return the bytes of a datatype that a call makes of others."""
    lengths = _as_list(given.get("lengths", given.get("blocklengths", [])))
    if "oldtypes" in given:
        kinds = _as_list(given["oldtypes"])
        return sum(length * sizes[kind] for length, kind in zip(lengths, kinds, strict=False))
    old = sizes[given["oldtype"]]
    if "lengths" in given or "blocklengths" in given:
        return old * sum(lengths)
    if "blocklength" in given:
        return old * int(given["count"]) * int(given["blocklength"])
    if "subsizes" in given:
        return old * prod(_as_list(given["subsizes"]))
    if "gsizes" in given:
        return old * -(-prod(_as_list(given["gsizes"])) // max(prod(_as_list(given["psizes"])), 1))
    return old * int(given.get("count", 1))


_ACTIONS: dict[str, Callable[[RankCalls, Arguments], None]] = {
    **dict.fromkeys(("send", "bsend", "ssend", "rsend", "recv"), RankCalls._blocking),
    **dict.fromkeys(("isend", "ibsend", "issend", "irsend", "irecv"), RankCalls._nonblocking),
    **dict.fromkeys(
        ("send_init", "bsend_init", "ssend_init", "rsend_init", "recv_init"), RankCalls._nonblocking
    ),
    **dict.fromkeys(("start", "startall"), RankCalls._start),
    **dict.fromkeys(("sendrecv", "sendrecv_replace"), RankCalls._sendrecv),
    "request_free": RankCalls._free,
    **dict.fromkeys(("wait", "test"), RankCalls._wait),
    **dict.fromkeys(("waitany", "testany"), RankCalls._wait_any),
    **dict.fromkeys(("waitall", "testall"), RankCalls._wait_all),
    **dict.fromkeys(("waitsome", "testsome"), RankCalls._wait_some),
}
