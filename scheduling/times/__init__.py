"""Rules for the run time of a job on its nodes, by name.

A new rule is a class with the members of `RunTimes` and a line in `RUN_TIMES`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from netplace.checks.calls import checked
from netplace.extensions import Registry
from netplace.scheduling.execution import RunTimes
from netplace.scheduling.times.rules import GROWTHS, LogTimes, PenaltyTimes, ScaledTimes, SpreadTimes
from netplace.topologies import Topology

__all__ = [
    "GROWTHS",
    "RUN_TIME",
    "RUN_TIMES",
    "LogTimes",
    "PenaltyTimes",
    "RunTimes",
    "RunTimesKind",
    "ScaledTimes",
    "SpreadTimes",
    "make_times",
]


@dataclass(frozen=True)
class RunTimesKind:
    """One rule of run times under a name; `options` counts the words after the colon, -1: any number."""

    make: Callable[[Topology, list[str]], RunTimes]
    options: int
    example: str
    description: str
    walled: bool = False


RUN_TIMES: dict[str, RunTimesKind] = {
    "factors": RunTimesKind(
        lambda machine, words: ScaledTimes(machine, _number(words[0]), _number(words[1])),
        2,
        "factors:0.9,1.2",
        "multiplies the run times of the log by one factor for contiguous parallel jobs and another for all "
        "other parallel jobs",
    ),
    "log": RunTimesKind(lambda _, __: LogTimes(), 0, "log", "run times of the log or the model"),
    "penalty": RunTimesKind(
        lambda machine, words: PenaltyTimes(machine, words[0], _number(words[1])),
        2,
        "penalty:linear,0.1",
        "on a tree, increases run times by this share per level above the lowest possible; or quadratic, "
        "geometric",
        walled=True,
    ),
    "scaled": RunTimesKind(
        lambda machine, words: ScaledTimes(machine, contiguous=_number(words[0])),
        1,
        "scaled:0.8",
        "multiplies the run times of the log by this factor for contiguous parallel jobs",
    ),
    "slowed": RunTimesKind(
        lambda machine, words: ScaledTimes(machine, scattered=_number(words[0])),
        1,
        "slowed:1.3",
        "multiplies the run times of the log by this factor for scattered parallel jobs",
    ),
    "spread": RunTimesKind(
        lambda machine, words: SpreadTimes(machine, _number(words[0])),
        1,
        "spread:0.1",
        "increases run times by this share for jobs spread twice as far as necessary",
    ),
}


def _own(make: Callable[..., RunTimes], name: str, description: str) -> RunTimesKind:
    return RunTimesKind(make, -1, name, description)


RUN_TIME: Registry[RunTimesKind] = Registry("run times", RUN_TIMES, "netplace.run_times", _own)


@checked
def make_times(text: str, machine: Topology) -> RunTimes:
    """Return the run times of a text form.

    `text` is a key of `RUN_TIMES` with its options after a colon, such as ``"penalty:linear,0.1"``; or your
    own rule, as ``"file.py:Class"``. Raise ValueError if the rule is
    unknown or its options are invalid.

    Examples
    --------
    >>> from netplace.scheduling import Job
    >>> from netplace.topologies import parse
    >>> make_times("scaled:0.8", parse("torus:4x4")).longest(Job(1, submit=0, nodes=4, run_time=10))
    10.0
    """
    kind, rest = RUN_TIME.find(str(text))
    words = rest.split(",") if rest else []
    if kind.options >= 0 and len(words) != kind.options:
        raise ValueError(f"run times {text!r}: expected a form such as {kind.example}")
    return kind.make(machine, words)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"run times: {text!r} is not a number") from None
