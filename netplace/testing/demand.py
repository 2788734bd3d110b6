"""Requirements: a violated one ends a check with one sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

Case = TypeVar("Case")
Made = TypeVar("Made")

# On which rules are tried, unless told others.
NETWORKS = ("mesh:4x4", "torus:4x4", "torus:4x2x2", "tree:4,2", "dragonfly:a=2,p=2,h=1")


def demand(met: object, sentence: str) -> None:
    """Raise AssertionError with `sentence` unless `met`."""
    if not met:
        raise AssertionError(sentence)


def name_of(rule: Any) -> str:
    """Return the name of a rule in a sentence."""
    return rule if isinstance(rule, str) else getattr(rule, "__name__", type(rule).__name__)


def accepted(cases: Iterable[Case], make: Callable[[Case], Made], label: str) -> list[tuple[Case, Made]]:
    """Return the accepted cases, of which there must be one, each with its result."""
    kept: list[tuple[Case, Made]] = []
    reasons = []
    for case in cases:
        try:
            kept.append((case, make(case)))
        except (ValueError, OSError) as error:
            reasons.append(f"{case}: {error}")
        except AssertionError:
            raise
        except Exception as error:
            raise AssertionError(
                f"{label}, {case}: raised {type(error).__name__}: {error}; expected ValueError for "
                f"unsupported cases"
            ) from error
    demand(kept, f"{label}: refuses every case, the first because of {reasons[0] if reasons else 'nothing'}")
    return kept
