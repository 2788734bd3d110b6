"""Rows of a store, checked when they are read: damage or alteration is an error."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from netplace.inputs import abbreviate
from netplace.runs.chance import simulation_of
from netplace.runs.spec import Run

Ending = tuple[dict[str, Any] | None, str | None]  # what was measured, and why nothing was


class AlteredError(ValueError):
    """A row that is not as stored."""

    def __init__(self, label: str, key: object) -> None:
        super().__init__(
            f"{label} {abbreviate(key, 70)} does not match its checksum: the file was edited or damaged"
        )


@dataclass(frozen=True)
class Verified:
    """The findings of a check of every row of a store."""

    rows: int
    faults: tuple[str, ...] = ()  # a sentence for each fault


def checksum(*texts: str | None) -> str:
    """Return 32 hexadecimal digits of the SHA-256 of texts, each with its length in front."""
    parts = (f"{-1 if text is None else len(text)}:{'' if text is None else text}" for text in texts)
    return hashlib.sha256("".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def read_run(key: str, simulation: str, text: str) -> Run:
    """Return a run as it was requested; its key is its checksum."""
    try:
        run = Run.from_dict(json.loads(text))
        if run.key == key and simulation_of(run).key == simulation:
            return run
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        pass
    raise AlteredError("run", key)


def read_simulation(key: str, outcome: str | None, failure: str | None, check: str | None) -> Ending:
    """Return the outcome and the failure of a simulation, checked against the row's checksum."""
    if check != _check("simulation", key, outcome, failure):
        raise AlteredError("simulation", key)
    return None if outcome is None else _loaded("simulation", key, outcome), failure


def read_schedule(
    key: str, plan: str, outcome: str, check: str | None, *, label: str = "schedule"
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a plan and its outcome, a schedule's or, if `label` says so, a load's; as `read_simulation`."""
    if check != _check(label, key, plan, outcome):
        raise AlteredError(label, key)
    return _loaded(label, key, plan), _loaded(label, key, outcome)


def fault_of_each(read: Callable[..., object], rows: Iterable[tuple[Any, ...]]) -> Iterator[str]:
    """Yield a sentence for each row that cannot be read."""
    for row in rows:
        try:
            read(*row)
        except AlteredError as error:
            yield str(error)


def _check(label: str, *texts: object) -> str:
    """Return the checksum of what should be texts."""
    if not all(text is None or isinstance(text, str) for text in texts):
        raise AlteredError(label, texts[0])
    return checksum(*texts)  # type: ignore[arg-type]


def _loaded(label: str, key: str, text: str) -> dict[str, Any]:
    try:
        content = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise AlteredError(label, key)
    return content
