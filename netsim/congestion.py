"""The text form of congestion control, see docs/background/model-fabrics.md.

Examples are ``"window=16,ack=200"``, ``"rate=0.5"``, ``"dcqcn=3,timer=500"``.
"""

from __future__ import annotations

from dataclasses import dataclass

from netplace.inputs import check_float, check_int

LINE_BITS = 16
LINE_RATE = 1 << LINE_BITS  # a phit a cycle
LEAST_RATE = LINE_RATE >> 10  # below which no notification reduces a rate
FAST_RECOVERY = 5  # steps without additive increase, as published


_FORM = (
    "window=PACKETS, rate=SHARE, dcqcn=PACKETS, with optional ack=, every=, timer=CYCLES, gain=NUMBER, "
    "step=SHARE"
)
_MOST = (1 << 15) - 1  # packets of a pair; the kernel counts them in 16 bits
_MOST_CYCLES = 1 << 20

_WHOLE = {  # least and most of each
    "window": (1, _MOST),
    "dcqcn": (1, _MOST),
    "ack": (0, _MOST_CYCLES),
    "every": (1, _MOST_CYCLES),
    "timer": (1, _MOST_CYCLES),
    "gain": (1, LINE_RATE),
}
_SHARES = {"rate": (0.001, 1.0), "step": (0.0, 1.0)}  # of the line rate
_OF_DCQCN = ("every", "timer", "gain", "step")


@dataclass(frozen=True)
class Control:
    window: int = 0  # largest number of packets under way; 0 means no limit
    rate: int = 0  # highest rate of their creation, in units of `LINE_RATE`; 0 means no limit
    # Number of packets in a buffer from which packets that leave it for a contended output are marked; 0
    # means never.
    marks: int = 0
    ack: int = 0  # cycles from the consumption of a packet's tail until its source knows about it or its mark
    every: int = 100  # minimum number of cycles between two notifications from one node to another
    timer: int = 110  # cycles without a notification after which a rate increases
    gain: int = 256
    # Increase of its target after fast recovery, in units of `LINE_RATE`.
    step: int = LINE_RATE // 50

    @property
    def by_pair(self) -> bool:
        """Whether it keeps state per pair of nodes."""
        return self.window > 0 or self.rate > 0


def read_congestion(text: str) -> Control:
    """Return the congestion control of such a text; an empty text gives none."""
    settings: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = (word.strip() for word in part.partition("="))
        if not equals or name not in (*_WHOLE, *_SHARES):
            raise ValueError(f"congestion_control {text!r}: {part!r} does not match {_FORM}")
        if name in settings:
            raise ValueError(f"congestion_control {text!r}: {name}: appears twice")
        settings[name] = value
    _check_belonging(text, settings)
    given: dict[str, int] = {"rate": LINE_RATE} if "dcqcn" in settings else {}
    for name, value in settings.items():
        where = f"congestion_control {text!r}: {name}"
        if name in _WHOLE:
            given["marks" if name == "dcqcn" else name] = check_int(value, where, *_WHOLE[name])
        else:
            given[name] = round(check_float(value, where, *_SHARES[name]) * LINE_RATE)
    return Control(**given)


def _check_belonging(text: str, settings: dict[str, str]) -> None:
    """Raise ``ValueError`` if a part is given without the part that it refines."""
    for name in settings:
        owners = ("dcqcn",) if name in _OF_DCQCN else ("window", "dcqcn") if name == "ack" else ()
        if owners and not any(owner in settings for owner in owners):
            missing = " or ".join(f"{owner}=" for owner in owners)
            raise ValueError(f"congestion_control {text!r}: {missing} is missing, which {name}= needs")
