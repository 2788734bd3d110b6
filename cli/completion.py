"""What a store lacks of several plans, carried out and kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from netplace.report.terminal.screen import with_progress

__all__ = ["complete"]


def complete(
    plans: Sequence[Any], store: Any, carry_out: Callable[[Any], dict[str, Any]], processes: int, what: str
) -> None:
    """Carry out the plans that are not stored, each stored as it ends.

    Parameters
    ----------
    plans : sequence
        Plans of schedules or co-simulations.
    store : Store
        Where their outcomes are kept.
    carry_out : callable
        Returns the outcome of a plan; a function of a module, for workers.
    processes : int
        How many workers.
    what : str
        What the plans are, for people.
    """
    from netplace.runs.crew import run_each

    missing = {plan.key: plan for plan in plans if store.schedule(plan.key) is None}
    left = list(missing.values())

    def kept() -> Iterator[tuple[int, None]]:
        for place, outcome in run_each(carry_out, left, processes):
            store.keep_schedule(left[place].key, left[place].to_dict(), outcome)
            yield place, None

    with_progress(kept(), len(left), what)
