"""The inventory: every command, flag, choice and documented name of the product, one a line."""

import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import click

from netplace.cli import app
from netplace.cli.listing import TOPICS

ROOT = Path(__file__).parents[2]


def commands(command: click.Command, name: str = "") -> Iterator[str]:
    """Yield a command, its flags and arguments, and those of the commands in it."""
    if name:
        yield f"command {name}"
    context = click.Context(command, help_option_names=["-h", "--help"])
    for one in command.get_params(context):
        if isinstance(one, click.Option):
            # Click keeps the help option as it was made first, with another context's names.
            flags = context.help_option_names if one.name == "help" else [*one.opts, *one.secondary_opts]
            for flag in flags:
                yield " ".join(["flag", *name.split(), flag])
                if isinstance(one.type, click.Choice):
                    yield from (" ".join(["value", *name.split(), flag, value]) for value in one.type.choices)
        else:
            yield f"argument {name} {one.name}"
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            assert found is not None, inner
            yield from commands(found, f"{name} {inner}".strip())


def choices() -> Iterator[str]:
    """Yield what ``netplace list`` shows, by topic."""
    for topic, rows in TOPICS.items():
        head, table = rows()
        # The topics of a list with several kinds in it have the kind in the first column.
        width = 2 if head[0] in ("for", "flag", "setting") else 1
        yield from (f"choice {topic} {' '.join(row[:width])}" for row in table)


def documented() -> Iterator[str]:
    """Yield the names in the reference, and those that examples in the documentation import."""
    for page in sorted((ROOT / "docs").rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        for path in re.findall(r"^::: (netplace[\w.]*)", text, re.MULTILINE):
            yield path
            found = resolved(path)
            if isinstance(found, ModuleType):
                yield from (f"{path}.{name}" for name in getattr(found, "__all__", ()))
        shown = re.sub(r"^ *(>>>|\.\.\.) ?", "", text, flags=re.MULTILINE)
        imports = r"^ *from (netplace[\w.]*) import (\([^)]*\)|[^\n]*)"
        for home, names in re.findall(imports, shown, re.MULTILINE):
            yield from (f"{home}.{name.split()[0]}" for name in names.strip("()").split(",") if name.strip())


def resolved(path: str) -> object:
    """Return the module or the object that a dotted path names.

    Raises
    ------
    AttributeError, ImportError
        If there is none.
    """
    parts = path.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:length]))
        except (ModuleNotFoundError, FileNotFoundError):  # an editable install lists files that are gone
            continue
        for part in parts[length:]:
            found = getattr(found, part)
        return found
    raise ImportError(path)


def present() -> set[str]:
    """Return all lines that hold today."""
    return {*commands(app), *choices(), *(f"name {name}" for name in documented())}


def renamed() -> list[tuple[str, str]]:
    """Return what CHANGELOG's tables tell of names that were, each as they were and as they are.

    The heads of these tables begin with ``old``. A row is ``| `--old` | `--new` |``, of that flag in all
    commands, or ``| `run --old` | `run --new` |`` of one. Names of Python are written with all their dots.
    Where the second cell names nothing, it says what became of it.
    """
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    rows: list[tuple[str, str]] = []
    for table in re.findall(r"^\| *old[^\n]*\n\|[-| :]+\n((?:\|[^\n]*\n)+)", text, re.MULTILINE):
        for line in table.splitlines():
            old, new = (cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:3])
            before, after = re.findall(r"`([^`]+)`", old), re.findall(r"`([^`]+)`", new)
            assert before, line
            assert new, line
            rows += zip(before, after if len(after) == len(before) else [""] * len(before), strict=True)
    return rows


def is_told(line: str, today: set[str], rows: list[tuple[str, str]]) -> bool:
    """Return whether the table says what became of a line, and what it says is there."""
    kind, *words = line.split(" ")
    text = " ".join(words)
    for old, new in rows:
        pattern = rf"(?<![\w.-]){re.escape(old)}(?![\w-])"
        if re.search(pattern, text):
            now = re.sub(pattern, lambda _, new=new: new, text)
            if (
                not new
                or f"{kind} {now}" in today
                or is_told(f"{kind} {now}", today, [r for r in rows if r[0] != old])
            ):
                return True
    return False


if __name__ == "__main__":
    # What was there before stays in the list, which is of all that ever was.
    before = Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
    sys.stdout.write("\n".join(sorted({*present(), *before})) + "\n")
