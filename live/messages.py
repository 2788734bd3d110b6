"""The messages of the service: requests and answers, version 1, and the events of the journal, version 2."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from netplace.inputs import abbreviate

VERSION = 1


class RequestError(ValueError):
    """A request cannot be served; the state of the cluster does not change."""


class JournalError(RequestError):
    """A change cannot be recorded, and is not made."""


Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Text = Annotated[str, msgspec.Meta(max_length=1000)]
Count = Annotated[int, msgspec.Meta(ge=1, le=10**9)]
Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e12)]
Hosts = Annotated[str, msgspec.Meta(min_length=1, max_length=10**6)]


class _Message(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    tag_field="verb",
    kw_only=True,
):
    """A request. `id` comes back with the answer; `version` is that of the schema."""

    version: Literal[1] = 1
    id: str | int | None = None


class Place(_Message, frozen=True, tag="place"):
    """A request for nodes and an order of ranks.

    Attributes
    ----------
    job : str
        Name of the job, unique while it waits or holds nodes.
    nodes : int
        Number of hosts; a rank runs on each slot, of which a host has one without ``nodes:tasks=..``.
    partition, mapping : str
        Rules; by default, those of the service.
    program : str
        Program of the job, as in ``2d-torus,packets=4``, for mappings that use its traffic; empty means
        that every rank sends the same amount to every other rank.
    seconds : float
        Longest run time in seconds; 0 if unknown.
    wait : bool
        Whether the job waits in the queue of the service if it cannot be placed now.
    among : str
        Host list of the nodes that the job can use; by default, all nodes.
    key : str
        Key of this request: repeated with it, the request gets the same answer and changes nothing, even if
        the job has been released. The service knows the last 10,000 keys.
    """

    job: Name
    nodes: Count
    partition: Text = ""
    mapping: Text = ""
    program: Text = ""
    seconds: Seconds = 0.0
    seed: Annotated[int, msgspec.Meta(ge=0, le=2**62)] = 0
    wait: bool = False
    among: Annotated[str, msgspec.Meta(max_length=10**6)] = ""
    key: Annotated[str, msgspec.Meta(max_length=200)] = ""


class Release(_Message, frozen=True, tag="release"):
    """Release the nodes of a job, or remove a waiting job from the queue."""

    job: Name


class Explain(_Message, frozen=True, tag="explain"):
    """Ask why a job has its nodes, which nodes other rules choose, and which jobs share links with it."""

    job: Name


class Plan(_Message, frozen=True, tag="plan"):
    """Ask which nodes to switch on and off under a rule such as ``plan:slot=300`` or ``timeout:600``."""

    rule: Text = "plan"


class Mark(_Message, frozen=True, tag="mark"):
    """Report that nodes are up, down or switched off. Jobs keep their nodes."""

    nodes: Hosts
    state: Literal["up", "down", "off"]


class State(_Message, frozen=True, tag="state"):
    """Ask for the state of the machine, and, with `jobs`, for the nodes of each job."""

    jobs: bool = False


Request = Place | Release | Explain | Plan | Mark | State


class _Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="event"):
    """A change of the state, a record of the journal."""


class Took(_Event, frozen=True, tag="took"):
    """A job holds nodes: `ranks` in rank order, `extra` beyond its ranks."""

    request: Place
    ranks: list[int]
    partition: str
    mapping: str
    time: float
    free: int
    extra: list[int] = []
    note: str = ""

    @property
    def job(self) -> str:
        """Name of the job."""
        return self.request.job


class Waits(_Event, frozen=True, tag="waits"):
    """A job waits."""

    request: Place
    time: float


class Left(_Event, frozen=True, tag="left"):
    """A job holds nothing and waits no longer."""

    job: str
    time: float


class Marked(_Event, frozen=True, tag="marked"):
    """Nodes are in a state."""

    nodes: list[int]
    state: Literal["up", "down", "off"]
    time: float


Event = Took | Waits | Left | Marked


class Snapshot(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The first record of a journal: the machine to which it belongs, and its whole state."""

    version: Literal[2]
    machine: str
    digest: str  # of the names and cables of the machine
    jobs: list[Took]
    waiting: list[Waits]
    # Nodes in these states.
    down: list[int]
    off: list[int]
    since: list[float]  # for each node, the time when it became idle or was marked
    keys: dict[str, Took | Waits]  # requests with a key, the oldest first, and what became of them


class PlacedJob(msgspec.Struct, frozen=True, omit_defaults=True):
    """The answer to `Place`."""

    job: str
    state: str  # ``"placed"`` or ``"waiting"``
    nodes: list[str] = []  # name of the host of each rank
    extra: list[str] = []  # additional nodes that the job holds, because the rule rounds up
    partition: str = ""
    mapping: str = ""
    before: int = 0  # jobs that wait before this one
    note: str = ""  # what was given up because a search took too long


_requests: msgspec.json.Decoder[Request] = msgspec.json.Decoder(Request)
_events: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)
_snapshots: msgspec.json.Decoder[Snapshot] = msgspec.json.Decoder(Snapshot)
encode = msgspec.json.Encoder().encode


def decode_request(line: bytes) -> Request:
    """Return the request in a line of JSON."""
    try:
        return _requests.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        message = f"request {abbreviate(line.decode('utf-8', 'replace'))}: {_plain(error)}"
        raise ValueError(f'{message}; expected such as {{"verb": "place", "job": "a", "nodes": 4}}') from None


def decode_record(record: bytes, first: bool, where: str) -> Snapshot | Event:
    """Return the first record of a journal, or another; `where` names it for messages."""
    try:
        return _snapshots.decode(record) if first else _events.decode(record)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"{where}: {_plain(error)}") from None


def _plain(error: Exception) -> str:
    """Return an error of the decoder in one short line."""
    text = " ".join(str(error).split()).replace("`app`", "`app`, which is called program")
    return text[:300] if text else type(error).__name__
