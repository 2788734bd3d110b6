"""``netplace rerun``: make an outcome again from what its folder keeps, and compare."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.checks.writing import write_atomically
from netplace.cli.clashes import command
from netplace.cli.flags import FOLDER, flag
from netplace.cli.many import say
from netplace.cli.settings import json_flag
from netplace.extensions import file_digest
from netplace.report.terminal.screen import print_json

if TYPE_CHECKING:
    from netplace.report.files.provenance import Provenance

DIFFERENT = 1  # exit code: it was made again, and is another
# Commands that write outcomes; none of them starts a program that it is told.
REPEATABLE = (
    "run", "load", "table", "map", "metrics", "allocate", "advise", "schedule", "cosim", "explain", "whatif",
    "app", "collective", "check", "study", "plan-study",
)  # fmt: skip
# Flags that say how much of this machine is used, what is kept besides, or what the terminal shows.
_LEFT_OUT = {
    "-o", "--workers", "--part-processes", "--threads", "--dask", "--store", "--stored", "--json", "--quiet",
    "--yes", "--retry", "--report",
}  # fmt: skip
_DEEPEST = 64  # folders that a path may lead upwards
_ABSOLUTE = re.compile(r"(^|[=:,])/+(?=[^/])")
_SHOWN = 20  # differences on the terminal


@command("rerun")
@click.argument("folder", metavar="FOLDER")
@flag("-o output", "Folder to write the new results into.", FOLDER, metavar="FOLDER")
@flag("--run-code", "Allow inputs that are Python files, which netplace runs.", bool)
@json_flag
def rerun_command(folder: str, output: Path | None, run_code: bool, as_json: bool) -> None:
    """Repeat the command that wrote FOLDER, and report the differences.

    FOLDER is a folder of any command with -o. The command runs in an empty folder with the copies of its
    input files in FOLDER; it needs neither the working folder nor the original inputs. Inputs that were
    too large to copy must exist in their original place, with the same content. Results are compared bit
    by bit, except for their CPU times and for pages, which show the same results. The exit code is 0 if
    all results are equal, 1 if some differ, and 2 if the command cannot be repeated.
    """
    from netplace.report.files.provenance import read_provenance
    from netplace.report.files.repeated import differences

    kept = Path(folder)
    made = read_provenance(kept)
    if made.command not in REPEATABLE:
        raise ValueError(f"{kept}: written by {made.command!r}, expected one of {', '.join(REPEATABLE)}")
    if output is not None and output.is_dir() and any(output.iterdir()):
        raise ValueError(f"-o {output}: is not empty, expected a new folder")
    with tempfile.TemporaryDirectory(prefix="netplace-rerun-") as place:
        root = Path(place).resolve()
        again = output.absolute() if output else root / "again" / _name(made)
        again.parent.mkdir(exist_ok=True)
        words = _prepared(kept, made, root, run_code)
        _run(kept, [made.command, "-o", str(again), *words], root / _working(made), run_code)
        found = differences(kept, made, again, str(root))
        now = read_provenance(again)
    versions = {
        name: [version, now.versions.get(name, "none")]
        for name, version in made.versions.items()
        if now.versions.get(name) != version
    }
    if as_json:
        print_json(
            {"equal": not found, "files": len(made.outputs), "differences": found, "versions": versions}
        )
    else:
        _show(kept, made, found)
    for name, (then, today) in versions.items():
        say(f"made with {name} {then}, made again with {name} {today}")
    if found:
        sys.exit(DIFFERENT)


def _show(kept: Path, made: Provenance, found: Sequence[str]) -> None:
    for line in found[:_SHOWN]:
        click.echo(line)
    if len(found) > _SHOWN:
        click.echo(f"and {len(found) - _SHOWN} more")
    files = f"{len(made.outputs)} files"
    click.echo(f"{kept}: {len(found)} differences" if found else f"{kept}: repeated, all {files} are equal")


def _name(made: Provenance) -> str:
    given = next((made.parameters.get(key) for key in ("output", "folder") if made.parameters.get(key)), "")
    return Path(str(given)).name or "outcome"


def _working(made: Provenance) -> str:
    """Return the working folder below that in which the command is run again: deep enough for its paths."""
    named = [*made.arguments, *(item.path for item in made.inputs)]
    depth = max((word.split("/").count("..") for word in named), default=0)
    if depth > _DEEPEST:
        raise ValueError(f"a path goes up {depth} folders, expected at most {_DEEPEST}")
    return "/".join(["files", *(f"up{number}" for number in range(depth)), "work"])


def _prepared(kept: Path, made: Provenance, root: Path, run_code: bool) -> list[str]:
    """Put the inputs below `root`, and return the command that reads them there, as a list of words."""
    from netplace.report.files.provenance import place_in, read_copy

    working, absolute = root / _working(made), []
    working.mkdir(parents=True)
    for item in made.inputs:
        if item.path.endswith(".py") and not run_code:
            raise ValueError(
                f"{kept}: its command runs {item.path}, a Python program in the folder; if you trust its "
                f"author, add --run-code"
            )
        if not item.sha256:
            raise ValueError(
                f"{kept}: {item.path} was a pipe or changed while it was read, so the run cannot be repeated"
            )
        content = read_copy(kept, item) if item.copy else None
        target = place_in(root, working, item.path)
        target.parent.mkdir(parents=True, exist_ok=True)
        if content is None:
            _link(kept, item.path, item.sha256, target)
        else:
            write_atomically(target, content)
        if item.path.startswith("/"):
            absolute.append(item.path)
    for item in made.inputs:  # study files may name others by absolute paths
        if item.path.endswith(".toml") and absolute and item.copy:
            target = place_in(root, working, item.path)
            content = target.read_bytes()
            for path in sorted(absolute, key=len, reverse=True):
                content = content.replace(f'"{path}'.encode(), f'"{root}{path}'.encode())
            write_atomically(target, content)
    words = [_ABSOLUTE.sub(rf"\g<1>{root}/", word) for word in _repeatable(made)]
    for word in words:
        for path in re.split(r"[=:,]", word):
            if path.startswith(str(root)) or ".." in path.split("/"):
                place_in(root, working, path.removeprefix(str(root)) if path.startswith(str(root)) else path)
                (working / path).parent.mkdir(parents=True, exist_ok=True)
    return words


def _link(kept: Path, path: str, sha256: str, target: Path) -> None:
    """Let an input that was not copied be read where it was."""
    original = Path(path)
    if not original.is_file():
        raise ValueError(
            f"{kept}: has no copy of {path}, which does not exist; expected a file with "
            f"SHA-256 {sha256[:16]}.."
        )
    if (found := file_digest(original)) != sha256:
        raise ValueError(
            f"{path}: has the SHA-256 {found[:16]}.., expected {sha256[:16]}.., from which {kept} was made"
        )
    target.symlink_to(original.absolute())


def _repeatable(made: Provenance) -> Iterator[str]:
    """Yield the words of the command without those of `_LEFT_OUT`."""
    from netplace.cli import COMMANDS, app

    assert made.command in COMMANDS
    command = app.commands[made.command]
    context = click.Context(command, info_name=made.command)
    context.token_normalize_func = lambda name: name.replace("_", "-")
    given, _, order = command.make_parser(context).parse_args(list(made.arguments))
    positional: list[str] = []
    for parameter in dict.fromkeys(order):
        value = given.get(parameter.name or "")
        if isinstance(parameter, click.Option):
            if _LEFT_OUT.isdisjoint(parameter.opts):
                yield from _flag(parameter, value)
        else:
            positional += [value] if isinstance(value, str) else _texts(value)
    if positional:
        yield from ("--", *positional)


def _flag(option: click.Option, value: Any) -> Iterator[str]:
    name = max(option.opts, key=len)
    if option.is_flag:
        yield name if value or not option.secondary_opts else max(option.secondary_opts, key=len)
        return
    for each in _texts(value) if option.multiple else [str(value)]:
        yield from (name, each)


def _texts(value: Any) -> list[str]:
    return [str(each) for each in value if isinstance(each, str)] if isinstance(value, list | tuple) else []


def _run(kept: Path, words: list[str], working: Path, run_code: bool) -> None:
    if "--plugin" in words and not run_code:
        raise ValueError(f"{kept}: its command loads a plug-in; if you trust its author, add --run-code")
    done = subprocess.run(
        [sys.executable, "-P", "-m", "netplace", *words],
        cwd=working,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=False,
        text=True,
        errors="replace",
    )
    if done.returncode not in (0, 1):  # 1: a verdict, such as "some runs failed"
        said = done.stderr.strip().splitlines()
        raise ValueError(
            f"{kept}: the command failed: "
            f"{said[-1].removeprefix('netplace: ') if said else f'exit code {done.returncode}'}"
        )
