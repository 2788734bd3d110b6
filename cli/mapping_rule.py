"""The rule of mapping that the flags of ``netplace map`` describe, and what its cost is measured by."""

from __future__ import annotations

from netplace.checks import check_choice
from netplace.placement.mapping import CRITERIA, MAPPING, METHODS
from netplace.placement.mapping.routed_links import MOST_SWITCHES
from netplace.runs.networks import network_of
from netplace.topologies.routing import Switches

_SEARCHES = ("classic", "link-load", "td")


def default_mapping(network: str, method: str | None, criterion: str | None) -> str:
    """Return the mapping where none is named: the fastest in the mean that knows the other flags."""
    if method is not None or criterion is not None:
        return "classic"
    switches = Switches.of(network_of(network))
    return "link-load" if len(switches.neighbor) <= MOST_SWITCHES else "classic"


def mapping_rule(
    text: str,
    method: str | None = None,
    seconds: float | None = None,
    iterations: int | None = None,
    criterion: str | None = None,
) -> tuple[str, str]:
    """Return the mapping rule with its options from flags, and the criterion of its cost."""
    name, option = MAPPING.split(text, "--mapping")
    added = []
    for flag, word, value in (
        ("--method", "", method),
        ("--seconds", "seconds=", seconds),
        ("--search-iterations", "iterations=", iterations),
    ):
        if value is not None and name not in _SEARCHES:
            expected = " or ".join(_SEARCHES)
            raise ValueError(f"{flag}: mapping {name} does not search, expected {expected}")
        if value is not None:
            added.append(f"{word}{value}")
    if method is not None:
        if name == "link-load":
            raise ValueError("--method: mapping link-load has a single method; expected classic or td")
        check_choice(method, METHODS, "--method")
    if criterion is not None:
        check_choice(criterion, CRITERIA, "--criterion")
        if name == "td" and criterion != "td":
            raise ValueError(f"--criterion: mapping td minimizes td, not {criterion}; use --mapping classic")
        if name == "classic":
            added.append(f"criterion={criterion}")
    words = [word for word in (*option.split(","), *added) if word]
    named = [word.removeprefix("criterion=") for word in words if word.startswith("criterion=")]
    measured = criterion or (named[-1] if named else "td" if name == "td" else "classic")
    return ":".join([name, ",".join(words)] if words else [name]), measured
