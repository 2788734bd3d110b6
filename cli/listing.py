"""``netplace list``: the available choices."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.cli.clashes import command
from netplace.cli.settings import json_flag
from netplace.inputs import check_choice
from netplace.report.terminal.screen import print_json, print_tables, table

if TYPE_CHECKING:
    from netplace.placement import Rule
    from netplace.registry import Registry

Rows = list[list[str]]


def _networks() -> tuple[list[str], Rows]:
    from netplace.topologies import TOPOLOGIES

    rows = [[name, kind.example, kind.description] for name, kind in TOPOLOGIES.items()]
    rows += [[name, f"{name}:..", text] for name, text in _offered(TOPOLOGIES)]
    return ["network", "example", "description"], rows


def _apps() -> tuple[list[str], Rows]:
    from netplace.apps import APPLICATIONS

    rows = [
        [name, item.description, " ".join(_option(*pair) for pair in item.parameters.items())]
        for name, item in APPLICATIONS.items()
    ]
    rows += [[name, text, ""] for name, text in _offered(APPLICATIONS)]
    return ["application", "description", "options"], rows


def _option(name: str, default: Any) -> str:
    name = "class" if name == "problem_class" else name
    return name if default in (None, inspect.Parameter.empty) else f"{name}={default}"


def _rules(name: str) -> tuple[list[str], Rows]:
    from netplace import placement

    choice: Registry[Rule[Any, Any]] = getattr(placement, name)
    rows = [
        [name, f"{name}:{rule.option}" if rule.option else "", rule.example, rule.description]
        for name, rule in choice.items()
    ]
    rows += [[name, "", name, text] for name, text in _offered(choice)]
    return [choice.label, "with option", "example", "description"], rows


def _offered(choice: Registry[Any]) -> Iterator[tuple[str, str]]:
    """Yield the names that packages offer, each with description and the package."""
    for name, entry, package in choice.offered():
        text = entry if isinstance(entry, str) else getattr(entry, "description", None) or _first_line(entry)
        yield name, f"{text} [from {package}]"


def _first_line(function: Any) -> str:
    return (inspect.getdoc(function) or "no description").splitlines()[0]


def _policies() -> tuple[list[str], Rows]:
    from netplace.netsim import ARBITERS, EJECTIONS, TREE_ROUTINGS, VC_POLICIES

    flags = {
        "--vc-policy": VC_POLICIES,
        "--arbiter": ARBITERS,
        "--ejection": EJECTIONS,
        "--tree-routing": TREE_ROUTINGS,
    }
    rows = [[flag, name, text] for flag, options in flags.items() for name, text in options.items()]
    return ["flag", "value", "description"], rows


def _fabrics() -> tuple[list[str], Rows]:
    from netplace.netsim.presets import FABRICS, fabric_of

    rows = [[name, fabric_of(name).network, fabric_of(name).says] for name in FABRICS]
    return ["fabric", "network", "description"], rows


def _calibrations() -> tuple[list[str], Rows]:
    from netplace.netsim.presets import CALIBRATIONS, calibration_of

    sheets = {name: calibration_of(name) for name in CALIBRATIONS}
    rows = [
        [name, setting, str(value), sheet.sources[setting]]
        for name, sheet in sheets.items()
        for setting, value in sheet.settings.items()
    ]
    return ["calibration", "setting", "value", "source"], rows


def _scheduling() -> tuple[list[str], Rows]:
    from netplace.runs.file_times import FILE_TIMES
    from netplace.scheduling import ESTIMATES, OVERRUNS, PARTITIONERS, POLICIES, RUN_TIMES
    from netplace.scheduling.power import SWITCHINGS

    rows = [["--policy", name, policy.description] for name, policy in POLICIES.items()]
    rows += [["--partition", kind.example, kind.description] for kind in PARTITIONERS.values()]
    rows += [["--times", kind.example, kind.description] for kind in RUN_TIMES.values()]
    rows += [["--times", example, text] for example, text in FILE_TIMES.values()]
    for flag, choice in (("--policy", POLICIES), ("--partition", PARTITIONERS), ("--times", RUN_TIMES)):
        rows += [[flag, name, text] for name, text in _offered(choice)]
    rows += [["--estimates", form, text] for form, text in ESTIMATES.values()]
    rows += [["--overrun", name, text] for name, text in OVERRUNS.items()]
    rows += [["--switching", rule.example, rule.description] for rule in SWITCHINGS.values()]
    return ["flag", "value", "description"], rows


def _traces() -> tuple[list[str], Rows]:
    from netplace.apps.bundled import bundled_trace, bundled_traces

    paths = [(name, bundled_trace(name)) for name in bundled_traces()]
    rows = [
        [f"{name.lower()}.trace.gz", f"{path.stat().st_size / 1e3:,.0f} kB"] for name, path in paths if path
    ]
    return ["trace", "size"], rows


def _traffic() -> tuple[list[str], Rows]:
    from netplace.netsim import PATTERNS

    rows = [[name, _first_line(function)] for name, function in PATTERNS.items()]
    rows += [[name, text] for name, text in _offered(PATTERNS)]
    return ["traffic", "destination of a packet"], rows


def _formats() -> tuple[list[str], Rows]:
    from netplace.apps.formats import FORMATS

    rows = [
        [name, item.suffix, item.description, "yes" if item.write or item.convert else "no"]
        for name, item in FORMATS.items()
    ]
    rows += [[name, "", text, ""] for name, text in _offered(FORMATS)]
    return ["format", "ending", "description", "written"], rows


TOPICS: dict[str, Callable[[], tuple[list[str], Rows]]] = {
    "networks": _networks,
    "apps": _apps,
    "calibrations": _calibrations,
    "fabrics": _fabrics,
    "formats": _formats,
    "mappings": partial(_rules, "MAPPINGS"),
    "partitions": partial(_rules, "PARTITIONS"),
    "policies": _policies,
    "scheduling": _scheduling,
    "traces": _traces,
    "traffic": _traffic,
}


@command("list")
@click.argument(
    "topic",
    required=False,
    metavar="[networks|apps|calibrations|fabrics|formats|mappings|partitions|policies|scheduling|traces|traffic]",
)
@json_flag
def list_command(topic: str | None, as_json: bool) -> None:
    """List the available choices of a topic, with an example of each; without a topic, list the topics."""
    if topic is None:
        _show_topics(as_json)
        return
    columns, rows = TOPICS[check_choice(topic, TOPICS, "list")]()
    if as_json:
        print_json({topic: [dict(zip(columns, row, strict=True)) for row in rows]})
        return
    print_tables(table("", columns, rows, texts=range(len(columns))))


def _show_topics(as_json: bool) -> None:
    counts = {topic: len(rows()[1]) for topic, rows in TOPICS.items()}
    if as_json:
        print_json({"topics": counts})
        return
    rows = [[topic, str(count), f"netplace list {topic}"] for topic, count in counts.items()]
    print_tables(table("", ["topic", "how many", "shown by"], rows, texts=(0, 2)))
