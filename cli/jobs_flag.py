"""The flag ``--jobs``, whose count and name may be two words or one: ``4x lu.A.64``, ``4x:lu.A.64``."""

from __future__ import annotations

import re
from typing import Any

import rich_click as click

from netplace.checks import abbreviate

_COUNT = re.compile(r"\d+x?")
_BOTH = re.compile(r"(\d+)x[ :]\s*(\S.*)", re.DOTALL)


class Jobs(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.3
    """A number of jobs, as text, and what they are."""

    name = "jobs"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        if isinstance(value, tuple):
            return value
        match = _BOTH.fullmatch(value)
        if match is None:
            raise ValueError(f"--jobs: {abbreviate(value)} is not of the form 4x NAME or 4x:NAME")
        return match[1], match[2]


class JobsOption(click.RichOption):
    """An option that takes the word behind a bare count as well."""

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Let the parser hand over both words as one."""
        super().add_to_parser(parser, ctx)
        for name in self.opts:
            option = parser._long_opt[name]  # click knows no other way to options of one word or two
            option.process = _joining(option.process)


def _joining(process: Any) -> Any:
    def joined(value: Any, state: Any) -> None:
        if isinstance(value, str) and _COUNT.fullmatch(value) and state.rargs:
            value = f"{value} {state.rargs.pop(0)}"
        process(value, state)

    return joined
