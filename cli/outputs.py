"""One rule of ``-o`` for all commands: the ending says what is written; a name without one is a folder."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import rich_click as click

from netplace.report.files.outputs import COMMAND, PICTURES, check_output, check_output_folder, whole_file
from netplace.report.terminal.screen import printed_text

__all__ = [
    "OUTCOME",
    "OUTCOME_OR_FOLDER",
    "PAGE_OR_FOLDER",
    "Drawn",
    "OutcomeFile",
    "command_line",
    "page_flag",
    "with_page",
    "write_output",
]

_SAVED = ".json"
Drawn = Callable[[Path], object]
Command = TypeVar("Command", bound=Callable[..., Any])


class OutcomeFile(click.ParamType):  # type: ignore[type-arg]
    """Where an outcome goes, as is known before anything long begins: a page, a picture, JSON, or a folder.

    Parameters
    ----------
    folder : bool
        Whether a name without an ending is a folder for several files.
    pictures : bool
        Whether there is a picture of it.
    """

    def __init__(self, folder: bool = False, pictures: bool = True) -> None:
        self._folder = folder
        self._endings = (".html", *(PICTURES if pictures else ()), _SAVED)
        self.name = "folder|file" if folder else "file"  # as --help shows it, in capitals

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Return the file or folder that a user named."""
        if not str(value):
            raise ValueError("-o: is empty, expected a name")
        path = Path(value)
        if self._folder and (not path.suffix or path.is_dir()):
            return check_output_folder(path, "-o")
        if path.suffix.lower() not in self._endings:
            kinds = f"{', '.join(self._endings[:-1])} or {self._endings[-1]}"
            more = "; a name without an ending is a folder for all of them" if self._folder else ""
            raise ValueError(f"-o {path}: unknown kind of file, expected a name that ends in {kinds}{more}")
        return check_output(path)


OUTCOME, OUTCOME_OR_FOLDER, PAGE = OutcomeFile(), OutcomeFile(folder=True), OutcomeFile(pictures=False)
PAGE_OR_FOLDER = OutcomeFile(folder=True, pictures=False)


def page_flag(command: Command) -> Command:
    """Add ``-o`` for a page, or for what ``--json`` prints."""
    said = "Write a page (.html), or what --json prints (.json)."
    return click.option("-o", "output", type=PAGE, metavar="FILE", help=said)(command)


def write_output(
    path: Path,
    data: Callable[[], dict[str, Any]],
    what: str = "",
    *,
    draw: Drawn | None = None,
    folder: Drawn | None = None,
) -> None:
    """Write an outcome; the ending of `path` says how.

    Parameters
    ----------
    path : Path
        What an `OutcomeFile` gave.
    data : callable
        Returns the object that ``--json`` prints.
    what : str
        What it is, as `netplace.report.terminal.screen.print_results` has it.
    draw : callable, optional
        Draws the picture into the file that it is given.
    folder : callable, optional
        Writes all files into the folder that it is given; its page is made of them.
    """
    ending = path.suffix.lower()
    if folder is not None and (not ending or path.is_dir()):
        folder(path)
        if command := command_line():
            (path / COMMAND).write_text(f"{command}\n", encoding="utf-8")
    elif ending in PICTURES:
        assert draw is not None
        draw(path)
    elif ending == _SAVED:
        with whole_file(path) as temporary:
            temporary.write_text(printed_text(data(), what), encoding="utf-8")
    else:
        _write_page(path, lambda: printed_text(data(), what), folder)


def with_page(folder: Drawn) -> Drawn:
    """Return what writes all files into the folder that it is given, and then their page, ``report.html``."""

    def write(path: Path) -> None:
        from netplace.report.pages import page_of, write_page

        folder(path)
        write_page(path / "report.html", page_of(path), command_line())

    return write


def _write_page(path: Path, text: Callable[[], str], folder: Drawn | None) -> None:
    import tempfile

    from netplace.report.pages import page_of, write_page

    with tempfile.TemporaryDirectory() as place:
        made = Path(place) / (path.stem if folder else f"{path.stem}.json")
        if folder is not None:
            folder(made)
        else:
            made.write_text(text(), encoding="utf-8")
        write_page(path, page_of(made), command_line())


def command_line() -> str:
    """Return the command that is running, as it is typed."""
    context = click.get_current_context(silent=True)
    words = [] if context is None else context.meta.get("netplace.words", [])
    name = "" if context is None else context.info_name or ""
    return shlex.join(["netplace", name, *words]) if words else ""
