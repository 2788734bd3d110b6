"""Messages of Batsim's protocol, and the sockets that carry them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec

from netplace.inputs import abbreviate

Talk = Callable[[bytes], bytes]
"""Sends a message and returns the answer."""


class Event(msgspec.Struct):
    """A change on the platform, or a decision of the scheduler."""

    timestamp: float
    type: str
    data: dict[str, Any] = {}

    def get(self, key: str, kind: Any = str) -> Any:
        """Return a value of `data`, which must be of a kind; whole numbers are also of kind float."""
        value = self.data.get(key)
        if not isinstance(value, (int, float) if kind is float else kind) or isinstance(value, bool):
            raise ValueError(f"{self.type}: {key} is {abbreviate(value)}, expected {_KINDS[kind]}")
        return value


_KINDS = {str: "text", float: "a number", int: "a whole number", list: "a list", dict: "an object"}


class Message(msgspec.Struct):
    """Events in the order of their times, up to `now`."""

    now: float
    events: list[Event]


def read(text: bytes, after: float) -> Message:
    """Return a message, whose times must not be before `after`."""
    try:
        message = msgspec.json.decode(text, type=Message)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise ValueError(f"{abbreviate(text.decode('utf-8', 'replace'))}: is no message: {error}") from None
    for event in message.events:
        if not after <= event.timestamp <= message.now:
            raise ValueError(
                f"{event.type}: timestamp {event.timestamp:g}, expected between {after:g} and now, "
                f"{message.now:g}"
            )
        after = event.timestamp
    if message.now < after:
        raise ValueError(f"now: {message.now:g} is before {after:g}, the time of the message before")
    return message


def write(now: float, events: list[Event]) -> bytes:
    """Return the text of a message."""
    return msgspec.json.encode(Message(now, events))


def read_interval_set(text: str, maximum: int) -> list[int]:
    """Return the resources of an interval set below `maximum`, in increasing order."""
    numbers = set[int]()
    for interval in text.split():
        first, dash, last = interval.partition("-")
        if not all(
            end.isascii() and end.isdigit() and len(end) < 10 for end in (first, last if dash else first)
        ):
            raise ValueError(f"{abbreviate(text)} is not a set of resources, expected one such as 0-3 7")
        if not int(first) <= int(last or first) < maximum:
            raise ValueError(f"{abbreviate(interval)} is not among the resources 0-{maximum - 1}")
        numbers.update(range(int(first), int(last or first) + 1))
    return sorted(numbers)


@contextmanager
def connected(endpoint: str, seconds: float) -> Iterator[Talk]:
    """Connect to a scheduler; it must answer each message within some seconds."""
    zmq = _library()

    def talk(text: bytes) -> bytes:
        socket.send(text)
        if not socket.poll(1000 * seconds):
            raise ValueError(f"{endpoint}: no answer from the scheduler within {seconds:g} s")
        return bytes(socket.recv())

    with _socket(zmq, zmq.REQ, "connect", endpoint) as socket:
        yield talk


def serve(endpoint: str, answer: Talk, under_way: Callable[[], bool]) -> None:
    """Answer messages of a platform until the simulation is over."""
    zmq = _library()
    with _socket(zmq, zmq.REP, "bind", endpoint) as socket:
        socket.linger = 10_000  # the last answer still leaves
        while under_way():
            socket.send(answer(socket.recv()))


@contextmanager
def _socket(zmq: Any, kind: int, act: str, endpoint: str) -> Iterator[Any]:
    with zmq.Context() as context, context.socket(kind) as socket:
        socket.linger = 0
        try:
            getattr(socket, act)(endpoint)
        except zmq.ZMQError as error:
            raise ValueError(
                f"{endpoint}: {error}, expected an address such as tcp://127.0.0.1:28000"
            ) from None
        yield socket


def _library() -> Any:
    try:
        import zmq
    except ModuleNotFoundError:
        raise ValueError(
            "Batsim's protocol needs the library pyzmq; pip install 'netplace[batsim]'"
        ) from None
    return zmq


def finite(seconds: float) -> float:
    """Return a time limit as the protocol writes it: -1 if there is none."""
    return seconds if seconds < math.inf else -1
