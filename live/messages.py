"""The messages of the service: requests, answers, and the events of the journal; version 1."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from netplace.checks import abbreviate

__all__ = [
    "VERSION",
    "Event",
    "Explain",
    "Header",
    "Left",
    "Mark",
    "Marked",
    "Place",
    "Placed",
    "Plan",
    "Release",
    "Request",
    "State",
    "Took",
    "Waits",
    "decode_event",
    "decode_request",
    "encode",
]

VERSION = 1
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
        Number of nodes; one rank runs on each.
    partition, mapping : str
        Rules; by default, those of the service.
    app : str
        Application of the job, as in ``2d-torus,packets=4``, for mappings that use its traffic; empty means
        that every rank sends the same amount to every other rank.
    seconds : float
        Longest run time in seconds; 0 if unknown.
    wait : bool
        Whether the job waits in the queue of the service if it cannot be placed now.
    among : str
        Host list of the nodes that the job can use; by default, all nodes.
    """

    job: Name
    nodes: Count
    partition: Text = ""
    mapping: Text = ""
    app: Text = ""
    seconds: Seconds = 0.0
    seed: Annotated[int, msgspec.Meta(ge=0, le=2**62)] = 0
    wait: bool = False
    among: Annotated[str, msgspec.Meta(max_length=10**6)] = ""


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
    """A change of the state, a line of the journal."""


class Header(_Event, frozen=True, tag="journal"):
    """The first line: the machine to which the journal belongs."""

    version: Literal[1]
    machine: str
    digest: str


class Took(_Event, frozen=True, tag="took"):
    """A job holds nodes: `ranks` in rank order, `extra` beyond its ranks."""

    job: str
    ranks: list[int]
    partition: str
    mapping: str
    time: float
    free: int
    extra: list[int] = []
    app: str = ""
    seconds: float = 0.0


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


Event = Header | Took | Waits | Left | Marked


class Placed(msgspec.Struct, frozen=True, omit_defaults=True):
    """The answer to `Place`.

    Attributes
    ----------
    state : str
        ``"placed"`` or ``"waiting"``.
    nodes : list of str
        Names of the nodes in rank order.
    extra : list of str
        Additional nodes that the job holds, because the rule rounds up.
    before : int
        Jobs that wait before this one.
    """

    job: str
    state: str
    nodes: list[str] = []
    extra: list[str] = []
    partition: str = ""
    mapping: str = ""
    before: int = 0


_requests: msgspec.json.Decoder[Request] = msgspec.json.Decoder(Request)
_events: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)
encode = msgspec.json.Encoder().encode


def decode_request(line: bytes) -> Request:
    """Return the request in a line of JSON."""
    try:
        return _requests.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        told = f"request {abbreviate(line.decode('utf-8', 'replace'))}: {_plain(error)}"
        raise ValueError(f'{told}; expected such as {{"verb": "place", "job": "a", "nodes": 4}}') from None


def decode_event(line: bytes, where: str) -> Any:
    """Return the event in a line of the journal; `where` names the line for messages."""
    try:
        return _events.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"{where}: {_plain(error)}") from None


def _plain(error: Exception) -> str:
    """Return an error of the decoder in one short line."""
    text = " ".join(str(error).split())
    return text[:300] if text else type(error).__name__
