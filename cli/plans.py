"""What commands do whose flags, or a study file, describe plans: carried out once, written, shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from netplace.cli.many import complete_outcomes, named_flags, say
from netplace.report.terminal.screen import print_json, print_tables

if TYPE_CHECKING:
    from rich.table import Table

    from netplace.runs.kept import PlanLike

__all__ = ["carry_out_one", "many_object", "plan_of", "show_many", "show_one"]

AnyPlan = TypeVar("AnyPlan", bound="PlanLike")
Outcome = dict[str, Any]


def plan_of(
    make: Callable[[dict[str, Any], int], AnyPlan], keys: Iterable[str], given: dict[str, Any]
) -> AnyPlan:
    """Return the plan that `make` makes of the flags among `keys`; mistakes name the flag."""
    asked = {name: given[name] for name in keys if name in given}
    with named_flags(asked):
        return make(asked, given["seed"] or 0)


def carry_out_one(
    plan: AnyPlan,
    here: Callable[[AnyPlan], Outcome],
    elsewhere: Callable[[AnyPlan], Outcome],
    what: str,
    given: dict[str, Any],
) -> Outcome:
    """Return the outcome of one plan: what is kept, or what carrying it out returns.

    Parameters
    ----------
    plan : plan
        What to carry out.
    here, elsewhere : callable
        Carry out a plan in this process, and on a worker of a cluster.
    what : str
        What the plan is of, for people.
    given : dict
        The flags.
    """
    function = here if given["dask"] is None else elsewhere
    [outcome] = complete_outcomes([plan], function, "schedules", what, given)
    return outcome  # type: ignore[no-any-return]


def show_one(
    plan: AnyPlan, outcome: Outcome, tables: Iterable[Table], remarks: Iterable[str], as_json: bool
) -> None:
    """Show one plan and its outcome, and say what a user should know of them."""
    if as_json:
        print_json({"plan": plan.to_dict(), **outcome})
    else:
        print_tables(*tables)
    for remark in remarks:
        say(remark)


def many_object(
    what: str, plans: Sequence[AnyPlan], outcomes: Sequence[Outcome], more: dict[str, Any]
) -> dict[str, Any]:
    """Return plans and their outcomes as one object, the outcomes under the key `what`."""
    every = [{"plan": plan.to_dict(), **outcome} for plan, outcome in zip(plans, outcomes, strict=True)]
    return {what: every, **more}


def show_many(
    what: str,
    plans: Sequence[AnyPlan],
    outcomes: Sequence[Outcome],
    tables: Iterable[Table],
    more: dict[str, Any],
    remarks: Iterable[str],
    as_json: bool,
) -> None:
    """Show plans and their outcomes side by side, and say what a user should know of them.

    Parameters
    ----------
    what : str
        Key of the outcomes in JSON.
    plans, outcomes : sequence
        What was asked for, and what came of each.
    tables : iterable of Table
        What the terminal shows.
    more : dict
        What JSON has besides.
    remarks : iterable of str
        What a user should know of them; each is said once.
    as_json : bool
        Whether JSON is shown.
    """
    if as_json:
        print_json(many_object(what, plans, outcomes, more))
    else:
        print_tables(*tables)
    for remark in dict.fromkeys(remarks):
        say(remark)
