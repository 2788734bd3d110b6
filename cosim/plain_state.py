"""Objects as plain data for checkpoints, which cannot call anything.

A state is a list of nodes, which refer to each other by number, and the numbers in its arrays. A node names a
kind of container, or a class of netplace that holds state; reading creates an empty one, fills in the values,
and runs no constructor. Objects that cannot be written in this form cause a ``TypeError`` on writing.
"""

from __future__ import annotations

import importlib
import math
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from types import MethodType
from typing import Any, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

METHODS = ("_ended", "_leapt", "look")  # of known objects, that a state may name
_OWN = tuple(f"netplace.{part}." for part in ("apps", "cosim", "netsim", "scheduling", "topologies"))
_SEQUENCES: dict[str, Callable[[Iterable[Any]], Any]] = {"tuple": tuple, "frozenset": frozenset}
_CONTAINERS: dict[str, Callable[[], Any]] = {"list": list, "set": set, "deque": deque, "dict": dict}
_MOST = 1 << 63  # integers from here on are written as text

# A value as it is; in a list of one the number of a node or the text of a large integer, in one of two bytes.
_Value: TypeAlias = bool | int | float | str | list[int | str] | None


class _Node(msgspec.Struct, array_like=True):
    """A container, an object or an array: its kind, class or name, values, for an array place and shape."""

    kind: str
    name: str = ""
    values: list[_Value] = []
    numbers: list[int] = []


class Saved(msgspec.Struct, array_like=True):
    """A saved state: its key, its first value, all nodes, and the number of bytes of its arrays."""

    key: str
    first: _Value
    nodes: list[_Node]
    size: int = 0


def saved_state(state: object, key: str, known: Mapping[str, object]) -> tuple[Saved, list[Any]]:
    """Return a state as plain data, and the bytes of its arrays in order; known objects are only named."""
    writer = _Writer(known)
    first = writer.value(state)
    return Saved(key, first, writer.nodes, writer.size), writer.arrays


def read_state(saved: Saved, content: memoryview, known: Mapping[str, object]) -> Any:
    """Return the state that was saved."""
    try:
        return _Reader(saved, content, known).value(saved.first)
    except (LookupError, TypeError, AttributeError, ImportError, RecursionError) as error:
        raise ValueError(f"it is not a state: {error}") from None


class _Writer:
    def __init__(self, known: Mapping[str, object]) -> None:
        self.nodes: list[_Node] = []
        self.arrays: list[Any] = []
        self.size = 0
        self._known = {id(value): name for name, value in known.items()}
        self._places: dict[int, int] = {}
        self._held: list[Any] = []  # so that no number of an object is given twice

    def value(self, given: Any) -> _Value:
        """Return a value as it stands in a node."""
        kind = type(given)
        if given is None or kind in (bool, float, str):
            return given  # type: ignore[no-any-return]
        if kind is bytes:
            return _bytes(given)
        if kind is int:
            return given if -_MOST <= given < _MOST else [str(given)]
        place = self._places.get(id(given))
        if place is None:
            place = self._places[id(given)] = len(self.nodes)
            self._held.append(given)
            node = _Node("")
            self.nodes.append(node)
            self._write(node, given)
        return [place]

    def _write(self, node: _Node, given: Any) -> None:
        if id(given) in self._known:
            node.kind, node.name = "known", self._known[id(given)]
        elif isinstance(given, MethodType) and id(given.__self__) in self._known:
            node.kind, node.name = "method", self._known[id(given.__self__)]
            node.values = [given.__name__]
        elif isinstance(given, np.ndarray):
            self._write_array(node, given)
        elif isinstance(given, np.generic):
            node.kind, node.name, node.values = "scalar", given.dtype.str, [_bytes(given.tobytes())]
        elif isinstance(given, np.dtype):
            node.kind, node.name = "dtype", _plain_dtype(given)
        elif type(given) in _CONTAINERS.values() and getattr(given, "maxlen", None) is None:
            node.kind = type(given).__name__
            parts = (part for pair in given.items() for part in pair) if node.kind == "dict" else given
            node.values = [self.value(part) for part in parts]
        elif type(given) in _SEQUENCES.values():
            node.kind = type(given).__name__
            node.values = [self.value(part) for part in given]
        elif isinstance(given, type):
            node.kind, node.name = "class", _name_of(given)
        else:
            self._write_object(node, given)

    def _write_array(self, node: _Node, given: NDArray[Any]) -> None:
        node.kind, node.name = "array", _plain_dtype(given.dtype)
        node.numbers = [self.size, int(given.flags.writeable), *given.shape]
        self.arrays.append(np.ascontiguousarray(given).reshape(-1).view(np.uint8))
        self.size += given.nbytes

    def _write_object(self, node: _Node, given: Any) -> None:
        kind = type(given)
        node.name = _name_of(kind)
        if isinstance(given, Enum):
            node.kind, node.values = "enum", [given.name]
        elif isinstance(given, tuple):
            node.kind, node.values = "named", [self.value(part) for part in given]
        else:
            node.kind, state = "object", given.__getstate__()
            if not (isinstance(state, dict) or hasattr(kind, "__setstate__")):
                raise TypeError(f"{kind.__qualname__} has slots, which a checkpoint cannot contain")
            self._held.append(state)
            node.values = [self.value(state)]


class _Reader:
    def __init__(self, saved: Saved, content: memoryview, known: Mapping[str, object]) -> None:
        self._nodes, self._content, self._known = saved.nodes, content, known
        self._made: dict[int, Any] = {}

    def value(self, given: _Value) -> Any:
        """Return what a value in a node stands for."""
        if not isinstance(given, list):
            return given
        place, *text = given
        if isinstance(place, str):
            return str(text[0]).encode("latin-1") if text else int(place)
        if place not in self._made:
            self._made[place] = self._make(place, self._nodes[place])
        return self._made[place]

    def _make(self, place: int, node: _Node) -> Any:
        """Return what a node stands for; what may be part of itself is known before its parts are made."""
        kind, values = node.kind, node.values
        if kind == "known":
            return self._known[node.name]
        if kind == "method":
            (method,) = values
            if method not in METHODS:
                raise ValueError(f"it is not a state: it names the method {method}")
            return getattr(self._known[node.name], str(method))
        if kind == "array":
            return self._array(np.dtype(node.name), *node.numbers)
        if kind == "scalar":
            return np.frombuffer(self.value(values[0]), node.name)[0]
        if kind == "dtype":
            return np.dtype(node.name)
        if kind in _SEQUENCES:
            return _SEQUENCES[kind](map(self.value, values))
        if kind in _CONTAINERS:
            made = self._made[place] = _CONTAINERS[kind]()
            parts = map(self.value, values)
            if kind == "dict":
                made.update(zip(parts, parts, strict=True))
            else:
                (made.update if kind == "set" else made.extend)(parts)
            return made
        return self._of_class(kind, place, _class_named(node.name), values)

    def _of_class(self, kind: str, place: int, named: type, values: list[_Value]) -> Any:
        if kind == "class":
            return named
        if kind == "enum" and issubclass(named, Enum):
            return named[str(values[0])]
        if kind == "named" and issubclass(named, tuple):
            return tuple.__new__(named, map(self.value, values))
        if kind != "object":
            raise ValueError(f"it is not a state: {named.__qualname__} is not a {kind}")
        made: Any = object.__new__(named)
        self._made[place] = made
        state = self.value(values[0])
        if hasattr(named, "__setstate__"):
            made.__setstate__(state)
        else:
            for name, part in state.items():
                object.__setattr__(made, name, part)
        return made

    def _array(self, kind: np.dtype[Any], begin: int, writeable: int, *shape: int) -> NDArray[Any]:
        size = _checked(kind).itemsize * math.prod(shape)
        part = self._content[begin : begin + size]
        if min(begin, size, *shape) < 0 or len(part) != size:
            raise ValueError("it is not a state: an array is incomplete")
        made = np.empty(shape, kind)
        made.reshape(-1).view(np.uint8)[:] = part
        made.flags.writeable = bool(writeable)
        return made


def _bytes(given: bytes) -> list[int | str]:
    return ["", given.decode("latin-1")]


def _plain_dtype(kind: np.dtype[Any]) -> str:
    return _checked(kind).str


def _checked(kind: np.dtype[Any]) -> np.dtype[Any]:
    if kind.hasobject or kind.names is not None:
        raise TypeError(f"an array of {kind} is not plain data")
    return kind


def _name_of(kind: type) -> str:
    name = f"{kind.__module__}:{kind.__qualname__}"
    if _class_named(name) is not kind:
        raise TypeError(f"{kind.__qualname__} is not a class that a checkpoint can contain")
    return name


def _class_named(name: str) -> type:
    """Return a class of netplace that was written as one there; nothing else of a module has a name here."""
    module, _, qualified = name.partition(":")
    if not module.startswith(_OWN) or not qualified.isidentifier():
        raise TypeError(f"{name} is not a class that a checkpoint can contain")
    found = vars(importlib.import_module(module)).get(qualified)
    if not isinstance(found, type) or (found.__module__, found.__qualname__) != (module, qualified):
        raise TypeError(f"{name} is not a class that a checkpoint can contain")
    return found
