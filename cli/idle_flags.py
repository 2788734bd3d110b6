"""Flags that have no effect beside the others of a command line: the table of them, and their refusal.

A flag has an effect if it changes what comes out, or refuses or allows a run. A choice that may be the usual
one (a seed, a part of a program), a limit that is not reached, and who does the work, are always taken.
Settings without effect on a network are refused by `netplace.netsim.effects`, what a plan does not take by
`netplace.runs.plan`, and what jobs do not have by `netplace.runs.idle_options`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import rich_click as click

Given = dict[str, Any]


@dataclass(frozen=True)
class _Rule:
    """Flags of commands, and when they have no effect."""

    commands: Collection[str]
    flags: Callable[[], Collection[str]]  # returns the names of the flags
    # Returns why they have no effect beside all flags, with what is expected; None where they have one.
    reason: Callable[[Given], str | None]


def _rule(
    commands: str, flags: str | Callable[[], Collection[str]], reason: Callable[[Given], str | None]
) -> _Rule:
    names = flags if callable(flags) else flags.split
    return _Rule(commands.split(), names, reason)


def _settings() -> list[str]:
    from netplace.netsim.config import SETTINGS

    return [*SETTINGS, "bytes_per_phit"]


def _settings_unbounded() -> list[str]:
    """Return the settings on which no bound of run time depends."""
    bounding = (
        "packet_phits", "phit_bytes", "bytes_per_phit", "queue_packets", "nic_buffer", "injectors",
        "ejection", "eager_limit", "nonblocking_sends", "traffic_classes", "fabric", "cycle_ns",
    )  # fmt: skip
    return [name for name in _settings() if name not in bounding]


def _is_searched(given: Given) -> str | None:
    """Return why settings do not matter to a mapping; None where it simulates candidates."""
    from netplace.runs.placing import simulates

    name = given["mapping"] or "link-load"
    if simulates(name):
        return None
    return f"--mapping {name} simulates nothing; expected --mapping best"


def _beside(name: str, why: str) -> Callable[[Given], str | None]:
    """Return what tells that flags have no effect beside another."""
    return lambda given: why if given[name] else None


def _without(name: str, why: str) -> Callable[[Given], str | None]:
    """Return what tells that flags have no effect without another."""
    return lambda given: None if given[name] else why


_is_matrix = _beside("matrix", "a matrix of traffic has neither packets nor computation; omit it")
_is_not_simulated = _without(
    "simulate", "the metrics of partitions depend on traffic alone; expected --simulate too"
)


def _has_sizes_in_bytes(given: Given) -> str | None:
    """Return why sizes of packets do not matter; None where messages are counted in packets."""
    texts = (given["app"] or "", *(name for _, name in given["jobs"]))
    own = given["packets"] is not None or any("packets=" in text or "training" in text for text in texts)
    return None if own else _is_not_simulated(given)


def _says_itself(option: str, *spelled: str) -> Callable[[Given], str | None]:
    """Return what tells that the text of every application has an option already, which counts."""

    def reason(given: Given) -> str | None:
        texts = [given["app"]] if given["app"] else [name for _, name in given["jobs"]]
        words = [word for text in texts for word in text.replace(":", ",", 1).split(",")[1:]]
        said = [word for word in words if word.partition("=")[0].strip() in (option, *spelled)]
        if not said or len(said) < len(texts):
            return None
        return f"the application says {said[0]}; expected one of the two"

    return reason


def _sends_anywhere(given: Given) -> str | None:
    if given["study"] or given["traffic"] == "hot-spot":
        return None
    return f"--traffic {given['traffic']} has no hot spot; expected --traffic hot-spot"


def _simulates_nothing(given: Given) -> str | None:
    """Return why flags of simulating do not matter to ``table``."""
    first = given["files"][0]
    if first == "diff":
        return "table diff compares what is there; omit it"
    if given["verify"]:
        return "--verify simulates nothing; omit it"
    if Path(first).suffix != ".toml":
        return f"{first} is a store, of which nothing is simulated; expected a sweep file (.toml)"
    return None


def _verifies_nothing(given: Given) -> str | None:
    return "table diff has no store to check; expected a store" if given["files"][0] == "diff" else None


def _lists(given: Given) -> str | None:
    return "study list carries nothing out; omit it" if given["name"] == "list" else None


def _draws_no(what: str) -> Callable[[Given], str | None]:
    """Return what tells that no Gantt chart, or no picture of occupancy, is drawn."""

    def reason(given: Given) -> str | None:
        output: Path | None = given["output"]
        if output is None:
            return f"without -o no {what} is drawn; expected -o FOLDER"
        if not output.suffix or output.is_dir():
            return None
        if output.suffix.lower() in (".html", ".json") or what.startswith("picture"):
            return f"-o {output} has no {what}; expected -o FOLDER"
        return None

    return reason


def _needs_no_estimates(given: Given) -> str | None:
    """Return why estimates do not matter to a schedule; None where a rule looks at them."""
    from netplace.scheduling.policy import POLICIES

    policy = POLICIES.get(given["policy"] or "fcfs")
    if policy is None or policy.estimated:  # one of the user's own, or unknown
        return None
    if any(given.get(name) for name in ("study", "site", "overrun", "switching")) or _is_walled(given):
        return None
    return f"--policy {policy.name} looks at no estimate; expected --policy easy, say, or --overrun kill"


def _is_walled(given: Given) -> bool:
    from netplace.scheduling.times import RUN_TIMES

    rule = RUN_TIMES.get((given.get("times") or "log").partition(":")[0])
    return rule is not None and rule.walled


_PROGRAM = (
    "tasks", "class_", "packets", "bytes_", "rounds", "iterations", "section", "cpu_scale", "collectives",
    "algorithms", "algorithm", "flops", "trc_unit", "ignore",
)  # fmt: skip
# What advice for one job simulates and places.
_SIMULATED_FOR = ("trace", "app", "jobs", "matrix", "free", "beside", "hosts", "simulations")
# Settings of which traffic depends, where messages are counted in packets.
_SIZES = ("packet_phits", "phit_bytes", "bytes_per_phit", "cycle_ns", "fabric")

# In the order in which they are asked.
_RULES = (
    _rule("map", _settings, _is_matrix),
    _rule("map", _settings_unbounded, _is_searched),
    _rule("metrics", lambda: [name for name in _settings() if name not in _SIZES], _is_not_simulated),
    _rule("metrics", lambda: _SIZES, _has_sizes_in_bytes),
    _rule("metrics", "cpu_scale flops trc_unit", _is_not_simulated),
    _rule("map", lambda: [name for name in _PROGRAM if name != "tasks"], _is_matrix),
    _rule(
        "run map metrics advise",
        "flops",
        _without("cpu_scale", "computation is ignored; expected --compute recorded, or a factor, too"),
    ),
    _rule("run map metrics advise", "class_", _says_itself("class", "problem_class")),
    _rule("run map metrics advise", "packets", _says_itself("packets", "bytes")),
    _rule("run map metrics advise", "bytes_", _says_itself("bytes", "packets")),
    _rule("run map metrics advise", "rounds", _says_itself("rounds")),
    _rule("run map metrics advise", "tasks", _says_itself("tasks")),
    _rule("run map metrics advise", "iterations", _says_itself("iterations")),
    _rule(
        "advise",
        "spread_cost queue",
        _without("log", "it judges rules for all jobs of a log; expected --log"),
    ),
    _rule(
        "advise",
        lambda: [*_settings(), *_SIMULATED_FOR, *_PROGRAM],
        _beside("log", "--log judges rules for all jobs of a log, and simulates none; omit it"),
    ),
    _rule("load", "hot_node hot_share", _sends_anywhere),
    _rule("table", "workers dask threads store retry yes", _simulates_nothing),
    _rule("table", "csv parquet output each", _beside("verify", "--verify shows no table; omit it")),
    _rule("table", "each verify", _verifies_nothing),
    _rule(
        "study",
        "parts quick workers dask mappings partitions sim_seeds logs data store stored folder page",
        _lists,
    ),
    _rule("study", "workers dask", _beside("stored", "--stored simulates nothing; omit it")),
    _rule("schedule", "from_ to color", _draws_no("Gantt chart")),
    _rule("schedule", "at", _draws_no("picture of occupancy")),
    _rule("schedule cosim", "estimates estimate_factor", _needs_no_estimates),
)


def refuse_idle_flags(context: click.Context) -> None:
    """Refuse flags that were given to the command under way and have no effect beside the others."""
    given, command = given_names(context), context.command.name
    for rule in _RULES if given else ():
        if command not in rule.commands:
            continue
        for name in given.intersection(rule.flags()):
            if why := rule.reason(context.params):
                refuse(name, context.params[name], why, context)


def given_names(context: click.Context | None = None) -> set[str]:
    """Return the names of the flags of a command that were given, and do not have their defaults."""
    from click.core import ParameterSource

    within: click.Context = context or click.get_current_context()  # type: ignore[assignment]
    return {
        param.name or ""
        for param in within.command.get_params(within)
        if within.get_parameter_source(param.name or "") == ParameterSource.COMMANDLINE
        and within.params.get(param.name or "") != param.get_default(within)
    }


def refuse(name: str, value: Any, why: str, context: click.Context | None = None) -> NoReturn:
    """Refuse a flag by the name of its parameter, with the reason."""
    within: click.Context = context or click.get_current_context()  # type: ignore[assignment]
    [option] = [param for param in within.command.get_params(within) if param.name == name]
    texts = value if isinstance(value, tuple) else () if isinstance(value, bool) else (value,)
    shown = ", ".join(f"{text:g}" if isinstance(text, float) else str(text) for text in texts)
    raise ValueError(f"{option.opts[0]}: {shown} has no effect: {why}".replace(":  has", ": has"))
