"""Provenance of what the command under way writes: collected while it runs, made in one place."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.files import made_folder, noting_inputs

if TYPE_CHECKING:
    from netplace.report.files.provenance import Input, Provenance
    from netplace.runs.outcome_store import PlanLike

_NOTES = "netplace.provenance"  # in the context of a command
_MOST_PLANS = 20  # that are written out
_SLACK = 0.05  # s by which clocks of files run behind


@dataclass
class _Notes:
    """What is remembered of a command under way."""

    words: list[str]
    read: Mapping[str, None]  # names of files that were read
    since: float = field(default_factory=time.time)
    plans: dict[str, PlanLike] = field(default_factory=dict)
    complete: set[Path] = field(default_factory=set)  # outcomes that hold their provenance


@contextmanager
def noted(words: list[str]) -> Iterator[dict[str, Any]]:
    """Give what is to be remembered of a command line, and take down what is read in the block."""
    with noting_inputs() as read:
        yield {_NOTES: _Notes(words, read)}


def _notes() -> _Notes | None:
    context = click.get_current_context(silent=True)
    return None if context is None else context.meta.get(_NOTES)


def note_plans(plans: Iterable[PlanLike]) -> None:
    """Take down what the flags or files of the command under way were resolved to."""
    if notes := _notes():
        notes.plans.update((plan.key, plan) for plan in plans)


def command_line() -> str:
    """Return the command that is running, as it is typed."""
    context, notes = click.get_current_context(silent=True), _notes()
    if context is None or notes is None or not notes.words:
        return ""
    return shlex.join(["netplace", *context.command_path.split()[1:], *notes.words])


def provenance(result: str = "") -> Provenance | None:
    """Return the provenance of what is written now; None outside a command."""
    from netplace.plugins import loaded_plugins
    from netplace.report.files.provenance import Provenance
    from netplace.report.tables.installation import code, installation

    notes = _notes()
    if notes is None:
        return None
    here = installation()
    python = here["python"].partition(",")[0]
    versions = {"netplace": here["netplace"], "python": python, **here["versions"]}
    seeds = {seed for plan in notes.plans.values() if isinstance(seed := getattr(plan, "seed", None), int)}
    return Provenance(
        command=command_line(),
        result=result,
        plans=tuple({"key": key, **plan.to_dict()} for key, plan in list(notes.plans.items())[:_MOST_PLANS]),
        plan_count=len(notes.plans),
        seeds=tuple(sorted(seeds)),
        inputs=tuple(_inputs(notes)),
        code=code(),
        versions={name: version for name, version in versions.items() if version is not None},
        platform=f"{here['system']}, {here['cores']} cores",
        plugins={plugin.path: plugin.digest for plugin in loaded_plugins()},
    )


def _inputs(notes: _Notes) -> Iterator[Input]:
    from netplace.plugins import file_digest
    from netplace.report.files.provenance import Input

    for name in list(notes.read):
        with suppress(OSError):
            path, state = Path(name), os.stat(name)
            if any(path.is_relative_to(made) for made in notes.complete):
                continue  # written by the command itself
            if path.is_file():
                known = state.st_mtime <= notes.since
                yield Input(name, state.st_size, file_digest(path) if known else "")
            elif not path.is_dir():
                yield Input(name, 0, "")


def with_provenance(content: Mapping[str, Any], path: Path | None = None) -> dict[str, Any]:
    """Return an outcome that is written as JSON with its provenance; `path`: the file that it is for."""
    from netplace.plain_data import to_builtins

    notes, made = _notes(), provenance()
    if notes is not None and path is not None:
        notes.complete.add(path)
    return {**content} if made is None else {**content, "provenance": to_builtins(made)}


@contextmanager
def outcome_folder(path: Path, result: str = "") -> Iterator[Path]:
    """Make the folder of an outcome, and at the end of the block write its provenance into it."""
    from netplace.report.files.provenance import FILE, write_provenance

    if notes := _notes():
        notes.complete.add(path)
    with made_folder(path):
        yield path
        if made := provenance(result):
            write_provenance(path / FILE, made)


@contextmanager
def provenance_beside(paths: Iterable[Path]) -> Iterator[None]:
    """After the block, write the provenance beside the files, and into the folders, that lack it."""
    try:
        yield
    except SystemExit:  # a verdict, such as that some runs failed
        _write_beside(paths)
        raise
    _write_beside(paths)


def _write_beside(paths: Iterable[Path]) -> None:
    from netplace.report.files.provenance import FILE, sidecar, write_provenance

    notes = _notes()
    if notes is None:
        return
    for path in paths:
        written = (path.is_file() or path.is_dir()) and path.stat().st_mtime > notes.since - _SLACK
        if written and path not in notes.complete and (made := provenance()):
            write_provenance(path / FILE if path.is_dir() else sidecar(path), made)
