"""``netplace load``: drive networks with open-loop traffic."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.cli.clashes import command
from netplace.cli.flags import PROCESSES, flag
from netplace.cli.many import (
    Execution,
    check_plans,
    named_flags,
    refuse_beside_study,
    resource_flags,
    say,
    store_flag,
)
from netplace.cli.outputs import OUTCOME, CommandOutput, show
from netplace.cli.settings import (
    SettingsCommand,
    config_from,
    json_flag,
    seed_flag,
    tell_ignored,
    tell_limits,
    threads_flag,
)
from netplace.inputs import check_choice
from netplace.plan_settings import LOAD_SETTINGS
from netplace.report.files.outputs import PICTURES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from netplace.report.plots.figure import Figure
    from netplace.runs.loads import LoadPlan

_BISECTIONS = 4  # further loads of a curve, at most
_MOST_LOADS = 10_000


@command("load", SettingsCommand, plan=LOAD_SETTINGS)
@click.argument("study", metavar="[STUDY.toml]", required=False)
@flag("--seeds", "Number of seeds, starting from --seed.", PROCESSES, 1)
@seed_flag
@threads_flag
@resource_flags("1")
@flag(
    "-o output",
    "Write a page (.html), a picture of accepted load and delay over offered load (.png, .pdf, .svg), "
    "or the output of --json (.json).",
    OUTCOME,
)
@flag("--column", "Draw the picture as wide as a column of a two-column paper.", bool)
@store_flag("for a study, a file next to it")
@json_flag
def load_command(**given: Any) -> None:
    """Simulate open-loop traffic on networks, and show accepted load and delay.

    Every node creates packets by a Bernoulli process, independently of the network. Each network
    gives a curve. With several seeds, each point is a mean with its confidence interval.

    A study file has the same names as the flags, and any value can be a list (vc_policy = ["smart",
    "random"]): the command simulates each combination once and stores its result in a file next to the
    study file.
    """
    from netplace.report.pages.answers.load import page, title_of
    from netplace.report.tables.load import FAR, bisected, curve_rows, describe_points, in_order
    from netplace.runs.loads import LoadFigures, expected_cpu_seconds, outcome_of

    study = Path(given["study"]) if given["study"] else None
    output: Path | None = given["output"]
    if given["column"] and not (output and output.suffix.lower() in PICTURES):
        raise ValueError("--column: given without -o PICTURE, so nothing is drawn")
    plans = _of_study(study) if study else _of_flags(given)
    _tell_left_out(plans)
    tell_limits((plan.network, plan.config) for plan in plans)
    tell_ignored((plan.network, plan.config) for plan in plans)
    execution = Execution(given["workers"], given["dask"], given["store"], given["threads"])
    measure = partial(outcome_of, threads=execution.network_threads())

    def measured(plans: list[LoadPlan]) -> list[LoadFigures]:
        seconds = expected_cpu_seconds(plans)
        outcomes = execution.outcomes(plans, measure, "loads", "loads", beside=study, seconds=seconds)
        return [LoadFigures.from_dict(outcome) for outcome in outcomes]

    points = measured(plans)
    for _ in range(_BISECTIONS if len(points) > 1 else 0):
        if not (added := bisected(plans, points)):
            break
        loads = ", ".join(f"{load:g}" for load in dict.fromkeys(plan.offered for plan in added))
        say(f"also measures {loads}, as saturation begins between loads more than {FAR:g} apart")
        plans, points = in_order(plans + added, points + measured(added))
    rows = curve_rows(plans, points)
    written = page(plans, points, rows)

    def figure() -> Figure:
        from netplace.report.plots.points import load_figure

        return load_figure(rows, title_of(plans), narrow=given["column"])

    answer = CommandOutput(
        lambda: describe_points(plans, points),
        lambda: written,
        label="load",
        figure=figure,
    )
    show(answer, output, given["as_json"])


def _tell_left_out(plans: Sequence[LoadPlan]) -> None:
    """Say on stderr which nodes create nothing as their partner does not compute."""
    from netplace.netsim import left_out
    from netplace.runs.networks import network_of

    for network, traffic in dict.fromkeys((plan.network, plan.traffic) for plan in plans):
        nodes = left_out(traffic, network_of(network)).tolist()
        if nodes:
            shown = ", ".join(map(str, nodes[:8])) + (", .." if len(nodes) > 8 else "")
            text = f"{len(nodes)} nodes send nothing because their partner under {traffic} does not compute"
            click.echo(f"{network}: {text}: {shown}", err=True)


def _of_flags(given: dict[str, Any]) -> list[LoadPlan]:
    from netplace.runs.loads import make_load_plan

    if not given["network"]:
        raise ValueError("--network: not given, expected a network such as torus:8x8, or a study file")
    config = config_from(given)
    own = {name: given[name] for name in LOAD_SETTINGS if name not in ("network", "offered")}
    loads = _loads(given["offered"], [given["traffic"]], config.packet_phits)
    check_plans(len(given["network"]) * len(loads) * given["seeds"], "points", "--seeds")
    plans = []
    for network in given["network"]:
        for offered in loads:
            with named_flags(own):
                plan = make_load_plan({"network": network, "offered": offered, **own, **asdict(config)})
            plans += [plan.seeded(given["seed"] + number) for number in range(given["seeds"])]
    return plans


def _of_study(path: Path) -> list[LoadPlan]:
    from netplace.runs.loads import KEYS, make_load_plan
    from netplace.runs.study_file import read_plans
    from netplace.runs.toml_lines import line_of, read_toml

    refuse_beside_study(path, "store", "threads", "workers", "dask", "output", "column", "as_json")
    content, data = read_toml(path, flags=True)
    for key in data:
        check_choice(key, [*KEYS, "seeds"], f"{path}: key")
    if isinstance(text := data.get("offered"), str | None):
        traffic = data.get("traffic", "")
        try:
            loads = _loads(text, traffic if isinstance(traffic, list) else [traffic], 1 << 30)
        except ValueError as error:
            reason = str(error).removeprefix("--")
            raise ValueError(f"{path}:{line_of(content, '', 'offered')}: {reason}") from None

        def at_load(load: float | None, given: dict[str, Any]) -> LoadPlan:
            return make_load_plan({**given, "offered": load})

        return [plan for load in loads for plan in read_plans(path, KEYS, partial(at_load, load), "points")]
    return read_plans(path, KEYS, make_load_plan, "points")


def _loads(text: str | None, patterns: Sequence[Any], maximum: float) -> list[float | None]:
    """Return the loads of a text; by default, those of a curve, or None for that of each table of rates."""
    from netplace.netsim.traffic import file_of

    if text is None and any(file_of(str(each)) for each in patterns):
        return [None]
    return [*offered_loads(text or "0.1:1.0:0.1", maximum)]


def offered_loads(text: str, maximum: float) -> list[float]:
    """Return the loads of ``FROM:TO:STEP`` (both ends included), ``A,B,C`` or one value."""
    words = text.split(":")
    try:
        numbers = [float(word) for word in (words if len(words) > 1 else text.split(","))]
    except ValueError:
        raise ValueError(f"--offered: {text!r} is not of the form FROM:TO:STEP or A,B,C") from None
    if len(words) > 1:
        if len(words) != 3 or not numbers[2] > 0 or not numbers[0] <= numbers[1] <= maximum:
            raise ValueError(f"--offered: {text!r} is not an increasing FROM:TO:STEP of at most {maximum}")
        first, last, step = numbers
        steps = int((last - first) / step + 1e-9)
        if steps >= _MOST_LOADS:
            raise ValueError(f"--offered: {text!r} has {steps + 1} loads, expected at most {_MOST_LOADS}")
        numbers = [round(first + place * step, 10) for place in range(steps + 1)]
    for load in numbers:
        if not 0 < load <= maximum:
            raise ValueError(
                f"--offered: {load} is out of range, expected more than 0 and at most {maximum} phits "
                "per node and cycle"
            )
    return numbers
