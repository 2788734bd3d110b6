"""What a command answers: written where ``-o`` says, and shown; one rule for all commands.

The ending says what is written; a name without one is a folder.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from netplace.cli.flags import Checked, flag
from netplace.cli.many import say
from netplace.cli.provenance import command_line, outcome_folder, with_provenance
from netplace.files import made_folder, write_atomically
from netplace.report.files.outputs import PICTURES, check_output, check_output_folder
from netplace.report.terminal.screen import print_tables, printed_text

if TYPE_CHECKING:
    from rich.table import Table

    from netplace.report.pages.html import Page
    from netplace.report.plots.figure import Figure
    from netplace.report.tables.differences import Compared

Drawn = Callable[[Path], object]


def outcome_file(pictures: bool = True, tables: tuple[str, ...] = ()) -> Checked:
    """Return the type of outcomes, checked before anything long: a page, a picture, JSON, or a folder."""
    endings = (*tables, ".html", *(PICTURES if pictures else ()), ".json")

    def check(value: Any, _: str) -> Path:
        if not str(value):
            raise ValueError("-o: is empty, expected a name")
        path = Path(value)
        if not path.suffix or path.is_dir():
            return check_output_folder(path)
        if path.suffix.lower() not in endings:
            kinds = f"{', '.join(endings[:-1])} or {endings[-1]}"
            more = ", or a folder for all of them: a name without an ending"
            raise ValueError(f"-o {path}: unknown kind of file, expected a name that ends in {kinds}{more}")
        return check_output(path)

    return Checked("folder|file", check)


OUTCOME, PAGE = outcome_file(), outcome_file(pictures=False)


page_flag = flag(  # for a page, or for what --json prints
    "-o output",
    "Write a page (.html), the output of --json (.json), or both into a folder.",
    PAGE,
    metavar="FILE|FOLDER",
)


@dataclass(frozen=True)
class CommandOutput:
    """What a command has to show."""

    data: Callable[[], dict[str, Any]]  # returns the object that ``--json`` prints
    # Returns the answer and the tables; their sentence is in ``--json`` too. None: a page of a kind of its
    # own is made of the files.
    page: Callable[[], Page] | None = None
    terminal: Callable[[], object] | None = None  # shows it on the terminal; None: shows `page`
    label: str = ""  # key of `netplace.report.terminal.screen.PRINTED`; empty: a bare object
    figure: Callable[[], Figure] | None = None  # returns the picture, which is on the page too
    draw: Drawn | None = None  # draws the picture into a file, where there is no `figure`
    # Writes all files but the page into a folder. None: what `data` returns goes there, and the picture.
    folder: Drawn | None = None
    # Returns the object that a page of its own kind is made of, where that is neither the folder nor `data`.
    details: Callable[[], dict[str, Any]] | None = None
    remarks: Sequence[str] = ()  # what a user should know of it; each is said once
    also: Drawn | None = None  # writes what else belongs into the folder

    def text(self, of_page: bool = False, path: Path | None = None) -> str:
        """Return what ``--json`` prints and `path` is to hold, or what a page is made of."""
        data = self.details if of_page and self.details is not None else self.data
        page = None if self.page is None else self.page()
        answer = {} if page is None else {"question": page.question, "answer": page.answer}
        return printed_text(with_provenance({**answer, **data()}, path), self.label)

    def show(self) -> None:
        """Show the answer on the terminal."""
        if self.terminal is not None:
            self.terminal()
        elif self.page is not None:
            self.page().show()

    @property
    def picture(self) -> Drawn | None:
        """What draws the picture into a file, if there is one."""
        return self.draw if self.figure is None else self._draw_figure

    def _draw_figure(self, path: Path) -> None:
        from netplace.report.plots import write_figure

        assert self.figure is not None
        write_figure(path, self.figure())


def show(answer: CommandOutput, output: Path | None, as_json: bool) -> None:
    """Write an answer to `output`, which an `outcome_file` gave, and show it, as one JSON object or not."""
    if output is not None:
        write(answer, output)
    if as_json:
        sys.stdout.write(answer.text())
    else:
        answer.show()
    for remark in dict.fromkeys(answer.remarks):
        say(remark)


def write(answer: CommandOutput, path: Path) -> None:
    """Write an answer; the ending of `path`, which an `outcome_file` gave, says how."""
    ending = path.suffix.lower()
    if not ending or path.is_dir():
        context = click.get_current_context(silent=True)
        name = context.info_name if context is not None else None
        result = "" if answer.folder else f"{name or 'results'}.json"
        with _whole_or_none(path), outcome_folder(path, result):
            if answer.folder:
                answer.folder(path)
            else:
                write_atomically(path / result, answer.text())
                if answer.picture is not None:
                    answer.picture((path / result).with_suffix(".png"))
            if answer.page or not answer.folder:
                _write_page(answer, path / "report.html")
            if answer.also:
                answer.also(path)
    elif ending in PICTURES:
        if answer.picture is None:
            raise ValueError(f"-o {path}: there is nothing to draw")
        answer.picture(path)
    elif ending == ".html":
        _write_page(answer, path)
    else:
        write_atomically(path, answer.text(path=path))


@contextmanager
def _whole_or_none(folder: Path) -> Iterator[None]:
    """Remove a folder that the block has made where the block fails, as on a full disk."""
    was_there = folder.exists()
    try:
        yield
    except BaseException:
        if not was_there:
            shutil.rmtree(folder, ignore_errors=True)
        raise


def _write_page(answer: CommandOutput, path: Path) -> None:
    import tempfile

    from netplace.report.pages import page_of, write_page

    if answer.page is not None:
        page = answer.page()
        figures = [] if answer.figure is None else [answer.figure()]
        write_page(path, replace(page, parts=[*figures, *page.parts]), command_line())
        return
    with tempfile.TemporaryDirectory() as place:
        if answer.folder is not None and answer.details is None:
            made = Path(place) / path.stem
            answer.folder(made)
        else:
            made = Path(place) / f"{path.stem}.json"
            write_atomically(made, answer.text(of_page=True))
        write_page(path, page_of(made), command_line())


_DIGITS = 4


def study_output(
    study: Path,
    command: str,
    compared: Compared,
    data: Mapping[str, Any],
    remarks: Sequence[str],
    tables: Sequence[Table] = (),
    also: Drawn | None = None,
) -> CommandOutput:
    """Return what `command` answers to a study; `data`, `tables`, `also`: what else is shown and written."""

    def terminal() -> None:
        from netplace.report.tables.differences import contest_notes

        click.echo(compared.sentences()[0])
        means, *differences = compared.tables()
        print_tables(means, *tables, *differences)
        for note in contest_notes(compared.contests):
            say(note)

    def page() -> Page:
        from netplace.report.pages.answers.study import page

        return page(study, compared)

    return CommandOutput(
        lambda: {**data, **compared.to_dict()},
        page,
        terminal,
        draw=compared.draw,
        folder=lambda path: _write(path, study, command, compared),
        remarks=remarks,
        also=also,
    )


def _write(folder: Path, study: Path, command: str, compared: Compared) -> None:
    """Write ``report.md``, a CSV file for each table that is not empty, and ``comparison.png``."""
    from netplace.report.studies.report import Report, ReportTable, write

    made = [
        ReportTable(name, title, frame, {key: _DIGITS for key in frame.columns if frame[key].dtype == float})
        for name, (title, frame) in compared.frames().items()
        if len(frame)
    ]
    heading = f"{compared.kind.capitalize()} of {study.name}"
    with made_folder(folder):
        report = Report(tuple(made), (), {"comparison": compared.draw})
        write(report, folder, heading, f"netplace {command} {study}", "none")
