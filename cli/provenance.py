"""How the outcome of the command under way is made: what it reads, resolves and writes, for all commands."""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.checks.inputs import noting_inputs
from netplace.checks.writing import made_folder

if TYPE_CHECKING:
    from netplace.report.files.provenance import Input
    from netplace.runs.outcome_store import PlanLike

_WORDS, _READ, _SINCE, _PLANS = (f"netplace.{name}" for name in ("words", "read", "since", "plans"))
_MOST_COPIED = 64 << 20  # bytes of an input
_MOST_PLANS = 1000  # that are written out
_WRITTEN = ("-o", "--store")  # flags whose files are none that a command needs to be made again


@contextmanager
def noted(words: list[str]) -> Iterator[dict[str, Any]]:
    """Give what is to be remembered of a command line, and take down what is read in the block."""
    with noting_inputs() as read:
        yield {_WORDS: words, _READ: read, _SINCE: time.time(), _PLANS: {}}


def note_plans(plans: Iterable[PlanLike]) -> None:
    """Take down what the flags or files of the command under way were resolved to."""
    context = click.get_current_context(silent=True)
    if context is not None and _PLANS in context.meta:
        context.meta[_PLANS].update((plan.key, plan) for plan in plans)


def command_line() -> str:
    """Return the command that is running, as it is typed."""
    context = click.get_current_context(silent=True)
    words = [] if context is None else context.meta.get(_WORDS, [])
    name = "" if context is None else context.info_name or ""
    return shlex.join(["netplace", name, *words]) if words else ""


@contextmanager
def outcome_folder(path: Path, result: str = "") -> Iterator[Path]:
    """Make the folder of an outcome, and at the end of the block write into it how it was made."""
    from netplace.report.files.provenance import states_in

    before = states_in(path)
    with made_folder(path):
        yield path
        after = states_in(path)
        _write(path, result, [name for name, state in after.items() if before.get(name) != state])


def _write(folder: Path, result: str, written: list[str]) -> None:
    from netplace.report.files.provenance import (
        Provenance,
        copy_inputs,
        digests_of,
        provenance_of,
        states_in,
        write_provenance,
    )
    from netplace.report.tables.installation import installation

    context = click.get_current_context(silent=True)
    if context is None or _WORDS not in context.meta:
        return
    known = None
    with suppress(ValueError):  # it was damaged, and is made anew
        known = provenance_of(folder)
    words, plans = context.meta[_WORDS], context.meta[_PLANS]
    if known is not None and (known.command, known.arguments) == (context.info_name, words):
        same = digests_of(folder, sorted(known.outputs.keys() & states_in(folder).keys()))
        written = sorted({*written, *(name for name in same if same[name] == known.outputs[name])})
    here = installation()
    versions = {"netplace": here.netplace, "python": here.python.partition(",")[0], **here.versions}
    first = list(plans.items())[:_MOST_PLANS]
    made = Provenance(
        command=context.info_name or "",
        arguments=words,
        parameters={name: _plain(value) for name, value in sorted(context.params.items())},
        plans=[{"key": key, **plan.to_dict()} for key, plan in first],
        plan_count=len(plans),
        seeds=sorted(
            {seed for plan in plans.values() if isinstance(seed := getattr(plan, "seed", None), int)}
        ),
        inputs=copy_inputs(folder, _inputs(context), _MOST_COPIED),
        outputs=digests_of(folder, written),
        result=result,
        versions={name: version for name, version in versions.items() if version is not None},
        platform={"system": here.system, "cores": str(here.cores)},
    )
    write_provenance(folder, made)


def _inputs(context: click.Context) -> list[Input]:
    """Return what the command has read, but not what it keeps to go on from, nor files of the package."""
    from netplace.report.files.provenance import inputs_of

    stores = set()
    for parameter in context.command.get_params(context):
        value = context.params.get(parameter.name or "")
        for each in value if isinstance(value, list | tuple) else [value]:
            if isinstance(each, str | Path) and not {*parameter.opts}.isdisjoint(_WRITTEN):
                stores.add(Path(each))
            elif isinstance(each, str | Path) and Path(each).suffix == ".toml":
                stores.add(Path(each).with_suffix(".sqlite"))
    own = [
        place
        for name, module in sys.modules.items()
        if name.startswith("netplace.") and name.count(".") == 1
        for place in getattr(module, "__path__", ())
    ]
    left_out = {os.path.realpath(path) for path in (*stores, *own)}
    names = []
    for name in context.meta[_READ]:
        real = os.path.realpath(name)
        if not any(real == path or real.startswith(path + os.sep) for path in left_out):
            names.append(name)
    return inputs_of(names, context.meta[_SINCE])


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_plain(member) for member in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
