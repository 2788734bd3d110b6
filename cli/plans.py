"""From the flags of a command to the plans that they describe, and how these are described again."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import rich_click as click

if TYPE_CHECKING:
    from netplace.runs.outcome_store import PlanLike

AnyPlan = TypeVar("AnyPlan", bound="PlanLike")
_BYTES_PER_PLAN = 4_000  # of a plan and its outcome


def plan_of(
    make: Callable[[dict[str, Any], int], AnyPlan], keys: Iterable[str], given: dict[str, Any]
) -> AnyPlan:
    """Return the plan that `make` makes of the flags among `keys`; mistakes name the flag."""
    asked = {name: given[name] for name in keys if name in given}
    with named_flags(asked):
        return make(asked, given["seed"] or 0)


def described(plans: Sequence[PlanLike], outcomes: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return each plan with what came of it, as ``--json`` prints them."""
    return [{"plan": plan.to_dict(), **outcome} for plan, outcome in zip(plans, outcomes, strict=True)]


def check_plans(count: int, what: str, flag: str) -> None:
    """Check before they are made that so many plans and their outcomes fit into memory."""
    from netplace.checks import check_size

    check_size(count, _BYTES_PER_PLAN, what, flag)


def refuse_beside_study(study: Path, *taken: str) -> None:
    """Refuse the flags of the command next to a study file, which contains all settings, except `taken`."""
    for flag in given_flags("study", "quiet", *taken):
        raise ValueError(f"{flag}: given with {study}, which contains all settings")


def refuse_of_one(given: dict[str, Any]) -> None:
    """Refuse flags of studies where there is none."""
    if given["unpaired"]:
        raise ValueError("--unpaired: applies only to a study file")


def given_flags(*but: str) -> list[str]:
    """Return the flags that were given to the command under way, but for those of these names."""
    from click.core import ParameterSource

    context: click.Context = click.get_current_context()  # type: ignore[assignment]
    absent = set(but) - {param.name for param in context.command.get_params(context)}
    assert not absent, f"{context.command.name} has no flags {sorted(absent)}"
    return [
        max(param.opts, key=len)
        for param in context.command.get_params(context)
        if param.name not in but
        and context.get_parameter_source(param.name or "") == ParameterSource.COMMANDLINE
    ]


@contextmanager
def named_flags(names: Container[str]) -> Iterator[None]:
    """Name the flag in a mistake that begins with the key of a plan, one of `names`."""
    try:
        yield
    except ValueError as error:
        name, _, rest = str(error).partition(":")
        if name in names:
            raise ValueError(f"--{name.replace('_', '-')}:{rest}") from None
        raise
