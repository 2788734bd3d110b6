"""OTF2 files read by their library in a separate process, because a damaged file can crash the library.

Started as ``python -P otf2_library.py TRACE.otf2``; imports nothing of netplace. Writes messages to stdout,
each a length in eight bytes and MessagePack of that length: first the definitions as a dict, then lists of
events, each a list (location, kind, time, ..), and last an empty list. Nothing here knows what the events
mean; see `netplace.apps.formats.otf2`.
"""

from __future__ import annotations

import sys
from typing import Any, BinaryIO

import msgspec

_EVENTS = 20_000  # of a message

# Fields of an event of each kind, after its time; references are written as numbers.
FIELDS = {
    "Enter": ("region",),
    "Leave": ("region",),
    "MpiSend": ("receiver", "communicator", "msg_tag", "msg_length"),
    "MpiIsend": ("receiver", "communicator", "msg_tag", "msg_length", "request_id"),
    "MpiIsendComplete": ("request_id",),
    "MpiIrecvRequest": ("request_id",),
    "MpiRecv": ("sender", "communicator", "msg_tag", "msg_length"),
    "MpiIrecv": ("sender", "communicator", "msg_tag", "msg_length", "request_id"),
    "MpiRequestTest": ("request_id",),
    "MpiRequestCancelled": ("request_id",),
    "MpiCollectiveBegin": (),
    "MpiCollectiveEnd": ("collective_op", "communicator", "root", "size_sent", "size_received"),
    "NonBlockingCollectiveRequest": ("request_id",),
    "NonBlockingCollectiveComplete": (
        "collective_op",
        "communicator",
        "root",
        "size_sent",
        "size_received",
        "request_id",
    ),
    "MpiProbe": ("sender", "communicator", "tag", "message_id"),
    "MpiMrecv": ("message_id", "msg_length"),
    "MpiImrecvRequest": ("message_id", "request_id"),
    "MpiImrecv": ("request_id", "msg_length"),
    "MeasurementOnOff": ("measurement_mode",),
}


def main(path: str, out: BinaryIO) -> None:
    """Write what is in the archive of an anchor file to `out`."""
    import otf2

    with otf2.reader.open(path, batch_events=1000) as reader:
        _send(_definitions(reader.definitions), out)
        events: list[tuple[Any, ...]] = []
        for location, event in reader.events:
            name = type(event).__name__
            fields = [_plain(getattr(event, field)) for field in FIELDS.get(name, ())]
            events.append((location._ref, name, event.time, *fields))
            if len(events) >= _EVENTS:
                _send(events, out)
                events = []
        if events:
            _send(events, out)
        _send([], out)
    out.flush()


def _send(message: object, out: BinaryIO) -> None:
    content = msgspec.msgpack.encode(message)
    out.write(len(content).to_bytes(8, "little"))
    out.write(content)


def _plain(value: Any) -> Any:
    """Return a number for a reference, the name of a member of an enumeration, or the number itself."""
    if hasattr(value, "_ref"):
        return value._ref
    return value if isinstance(value, int) or value is None else _name(value)


def _name(value: Any) -> str:
    return str(value).rpartition(".")[2]


def _definitions(definitions: Any) -> dict[str, Any]:
    clock = definitions.clock_properties
    return {
        "resolution": clock.timer_resolution,
        "offset": clock.global_offset,
        "regions": {region._ref: (region.name, _name(region.paradigm)) for region in definitions.regions},
        "locations": {
            item._ref: (
                _name(item.type),
                None if item.group is None else item.group._ref,
                item.number_of_events,
            )
            for item in definitions.locations
        },
        "groups": {
            group._ref: (
                _name(group.group_type),
                _name(group.paradigm),
                [_plain(member) for member in group.members],
            )
            for group in definitions.groups
        },
        "communicators": {
            comm._ref: (
                comm.name,
                *(_plain(getattr(comm, side, None)) for side in ("group", "groupA", "groupB")),
            )
            for comm in definitions.comms
        },
    }


if __name__ == "__main__":
    main(sys.argv[1], sys.stdout.buffer)
