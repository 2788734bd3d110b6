"""The man page, made from what the commands say of themselves."""

from __future__ import annotations

import rich_click as click

_ENDINGS = (
    ("0", "The command succeeded."),
    ("1", "The command succeeded, but runs failed, tables differ, or a comparison is worse."),
    (
        "2",
        "The command failed: a request is invalid, a file cannot be read, or a simulation deadlocks. A "
        "message gives the reason.",
    ),
    (
        "130, 143",
        "The command was interrupted or stopped by a signal. A message says which results are saved.",
    ),
)
_VARIABLES = (
    ("NETPLACE_READ_LIMIT, NETPLACE_MEMORY_LIMIT", "Defaults of --read-limit and --memory-limit."),
    ("NETPLACE_DEBUG", "If set, errors include a traceback."),
)


def manual(app: click.Group) -> str:
    """Return the man page of section 1 as troff source."""
    context = click.Context(app, info_name="netplace", **app.context_settings)
    commands = {name: app.get_command(context, name) for name in app.list_commands(context)}
    lines = ['.TH NETPLACE 1 "" netplace "User Commands"']
    lines += [
        ".SH NAME",
        "netplace \\- simulate applications and their placement on interconnection networks",
    ]
    lines += [".SH SYNOPSIS", ".B netplace", "[OPTIONS] COMMAND [ARGUMENTS]"]
    lines += [".SH DESCRIPTION", *_paragraphs(app.help or "")]
    lines += [".SH OPTIONS", *_options(app, context)]
    lines.append(".SH COMMANDS")
    for name, command in sorted(commands.items()):
        if command is not None:
            lines += _command(command, name, context)
    for title, pairs in (("EXIT STATUS", _ENDINGS), ("ENVIRONMENT", _VARIABLES)):
        lines.append(f".SH {title}")
        for name, said in pairs:
            lines += [".TP", f".B {_text(name)}", _text(said)]
    lines += [
        ".SH EXAMPLES",
        ".nf",
        *(_text(line) for line in (app.epilog or "").splitlines()[1:] if line),
        ".fi",
    ]
    return "\n".join(lines) + "\n"


def _command(command: click.Command, name: str, above: click.Context) -> list[str]:
    own = name.rpartition(" ")[2]
    context = click.Context(command, info_name=own, parent=above, **command.context_settings)
    arguments = " ".join(command.collect_usage_pieces(context))
    lines = [f".SS {_text(name)}", f".B {_text(name)}", _text(arguments), *_paragraphs(command.help or "")]
    lines += _options(command, context, without="--help")
    if isinstance(command, click.Group):
        for other in sorted(command.list_commands(context)):
            if subcommand := command.get_command(context, other):
                lines += _command(subcommand, f"{name} {other}", context)
    return lines


def _options(command: click.Command, context: click.Context, without: str = "") -> list[str]:
    lines = []
    for option in command.get_params(context):
        if without in option.opts:
            continue
        record = option.get_help_record(context) if isinstance(option, click.Option) else None
        if record is not None:
            lines += [".TP", f".B {_text(record[0])}", _text(record[1])]
    return lines


def _paragraphs(text: str) -> list[str]:
    parts = [" ".join(part.split()) for part in text.split("\n\n")]
    return [line for part in parts for line in (".PP", _text(part))]


def _text(text: str) -> str:
    """Return words as troff prints them: what begins as a request is none."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped
