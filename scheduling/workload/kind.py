"""What workload models have in common for those who ask for one by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any

from netplace.scheduling.workload.workload import Workload

__all__ = ["WorkloadKind"]


@dataclass(frozen=True)
class WorkloadKind:
    """One workload model under a name.

    Attributes
    ----------
    make : callable
        ``make(nodes, jobs, seed, **options)`` returns a `Workload`.
    example : str
        How a user asks for it.
    description : str
        Description in one line.
    """

    make: Callable[..., Workload]
    example: str
    description: str

    @property
    def options(self) -> Mapping[str, Any]:
        """What `make` accepts besides nodes, jobs and seed, with the defaults."""
        return {p.name: p.default for p in list(signature(self.make).parameters.values())[3:]}
