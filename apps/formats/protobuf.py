"""Messages in the wire format of protocol buffers, field by field.

See https://protobuf.dev/programming-guides/encoding/.
"""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["delimited", "fields", "signed", "varints"]

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


def delimited(data: bytes) -> Iterator[bytes]:
    """Yield the messages of a file in which each comes after its length."""
    place = 0
    while place < len(data):
        length, place = _varint(data, place)
        if place + length > len(data):
            raise ValueError(f"ends inside a message of {length} bytes that begins at byte {place}")
        yield data[place : place + length]
        place += length


def fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield number and value of each field: a whole number, or bytes (of a fixed number too)."""
    place = 0
    while place < len(message):
        key, place = _varint(message, place)
        number, kind = key >> 3, key & 7
        if kind == _VARINT:
            value, place = _varint(message, place)
            yield number, value
            continue
        if kind == _BYTES:
            length, place = _varint(message, place)
        elif kind in (_FIXED64, _FIXED32):
            length = 8 if kind == _FIXED64 else 4
        else:
            raise ValueError(f"is no protocol buffer: field {number} is of kind {kind}")
        if not number or place + length > len(message):
            raise ValueError(f"is no protocol buffer: field {number} ends after its message")
        yield number, message[place : place + length]
        place += length


def varints(value: int | bytes) -> list[int]:
    """Return the numbers of a repeated field, packed or one of them."""
    if isinstance(value, int):
        return [value]
    numbers, place = [], 0
    while place < len(value):
        number, place = _varint(value, place)
        numbers.append(number)
    return numbers


def signed(number: int) -> int:
    """Return a number of 64 bits as one with a sign."""
    return number - (1 << 64) if number >> 63 else number


def _varint(data: bytes, place: int) -> tuple[int, int]:
    number = shift = 0
    while place < len(data) and shift < 70:
        byte = data[place]
        place += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, place
        shift += 7
    raise ValueError(f"is no protocol buffer: a number that ends nowhere, at byte {place}")
