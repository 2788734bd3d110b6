"""How a command ends: exit codes, and one sentence on stderr instead of a traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import rich_click as click

from netplace.checks.stopping import Stopped

MISTAKE = 2
INTERRUPTED = 130  # 128 + SIGINT, as shells count


class VerdictGroup(click.RichGroup):
    """A group of commands that turns a user's mistake into a sentence and exit code 2.

    So end unusable values, files that cannot be read, and runs that cannot reach their end (a deadlock, a
    limit of cycles). With ``NETPLACE_DEBUG=1`` in the environment the traceback is shown instead. Ctrl-C ends
    with exit code 130, SIGTERM with 143, both with a sentence that says what is kept.
    """

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> NoReturn:
        extra["standalone_mode"] = False
        try:
            status = super().main(args, prog_name or "netplace", **extra)
        except Stopped as stopped:
            _say(stopped.sentence())
            sys.exit(stopped.status)
        except (click.Abort, KeyboardInterrupt):  # a question left unanswered, or no handler was set
            _say("interrupted")
            sys.exit(INTERRUPTED)
        except click.ClickException as error:
            context = getattr(error, "ctx", None)
            hint = f" (see {context.command_path} --help)" if context else ""
            _say(error.format_message().rstrip(".") + hint)
            sys.exit(error.exit_code)
        except Exception as error:
            own = None if _is_mistake(error) else _own_mistake(error)
            if os.environ.get("NETPLACE_DEBUG") or not (own or _is_mistake(error)):
                raise
            _say(own or _sentence(error))
            sys.exit(MISTAKE)
        sys.exit(status if isinstance(status, int) else 0)


def _say(text: str) -> None:
    from netplace.checks import shortened

    click.echo(f"netplace: {shortened(text)}", err=True)


def _is_mistake(error: Exception) -> bool:
    """Return whether `error` is the user's doing, or the machine's limits."""
    if isinstance(error, ValueError | OSError | MemoryError):
        return True
    errors = sys.modules.get("netplace.netsim.errors")  # not imported: no run has begun
    return errors is not None and isinstance(error, errors.SimulationError)


def _own_mistake(error: Exception) -> str | None:
    """Return the sentence on an error that came out of a rule of the user's own."""
    from netplace.extensions import describe_rule_error

    return describe_rule_error(error)


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    text = " ".join(str(error).split())
    if isinstance(error, MemoryError):
        return f"not enough memory: {text}" if text else "not enough memory"
    return text or type(error).__name__
