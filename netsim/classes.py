"""The text form of traffic classes: ``"count=2,weights=3+1"``, see docs/background/model-fabrics.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from netplace.inputs import check_int

_FORM = "count=CLASSES,bytes=BYTES,weights=W+W"
_MOST = 8
_MOST_WEIGHT = 16


@dataclass(frozen=True)
class Classes:
    count: int = 1  # number of classes; class 0 has the highest priority
    # Messages of at most this many bytes belong to class 0, and others to the last class. If None, all
    # messages of a job with identity n (by default the n-th job that is started) belong to class n mod
    # `count`. Open-loop traffic belongs to the last class.
    bytes: int | None = None
    # Number of packets of each class per turn on a link. If empty, a link serves classes by strict priority.
    weights: tuple[int, ...] = ()

    @property
    def schedule(self) -> tuple[int, ...]:
        """The class of each turn of a link with weights; empty for strict priority."""
        return tuple(number for number, weight in enumerate(self.weights) for _ in range(weight))

    def of_message(self, identity: int, packets: int, packet_bytes: int) -> int:
        if self.count == 1:
            return 0
        if self.bytes is None:
            return identity % self.count
        return 0 if packets <= max(1, -(-self.bytes // packet_bytes)) else self.count - 1


def read_classes(text: str) -> Classes:
    """Return the classes of a text such as ``"count=2,weights=3+1"``; an empty text gives a single class."""
    settings: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = (word.strip() for word in part.partition("="))
        where = f"traffic_classes {text!r}: {name}"
        if not equals or name not in ("count", "bytes", "weights"):
            raise ValueError(f"traffic_classes {text!r}: {part!r} does not match {_FORM}")
        if name in settings:
            raise ValueError(f"{where}: appears twice")
        if name == "weights":
            settings[name] = tuple(check_int(word, where, 1, _MOST_WEIGHT) for word in value.split("+"))
        else:
            settings[name] = check_int(value, where, *((2, _MOST) if name == "count" else (0,)))
    if not settings:
        return Classes()
    classes = Classes(**{"count": len(settings.get("weights", (1, 1)))} | settings)
    if classes.weights and len(classes.weights) != classes.count:
        raise ValueError(
            f"traffic_classes {text!r}: weights: {len(classes.weights)} are given, expected {classes.count}"
        )
    return classes
